/* explain.c: the verb explain: the flow as a table, as a graph for dot, or as a plan file.
 * Room: cli. Does not know plans. */
#include "cornerturn_ranks.h"
#include "cornerturn_tune.h"
#include "job.h"
#include "pipeline.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct explain_ranks {
    ct_ranks *job;      /* whose first rank explains; NULL: none */
    ct_ranks *supposed; /* for whom the plan is; NULL: one process */
    const char *text, *network, *journal;
    char number[16], measured[CT_NETWORK_TEXT];
} explain_ranks;

static ct_status explain_check(const char *ranks, const char *network, const char *journal,
                               ct_error *err)
{
    if (ranks != NULL || (network == NULL && journal == NULL)) return CT_OK;
    return ct_error_add(
        err, CT_USAGE,
        "cornerturn explain: --%s is for what ranks will take: expected --ranks, too",
        network != NULL ? "network" : "journal");
}

/* In a job: for its ranks, and its network, where a prediction is asked for. All ranks meet. */
static ct_status explain_meet(explain_ranks *r, bool planned, ct_error *err)
{
    ct_status status = CT_OK;
    if (ct_ranks_size(r->job) < 2) return CT_OK;
    const bool probe = r->network == NULL && (r->journal != NULL || planned);
    const char *given = probe ? "to be probed" : "as said";
    CT_TRY(ct_ranks_agree(r->job, ct_ranks_same(r->job, "options", given, NULL, err), err));
    if (!probe) return CT_OK;
    CT_TRY(ct_tune_measure_network(r->measured, r->job, err));
    r->network = r->measured;
out:
    return status;
}

/* Without a measurement to predict from, a tuned plan's own journal is used. */
static ct_status explain_predict(ct_pipeline *p, const char *network, const char *journal,
                                 ct_error *err)
{
    char own[4096];
    FILE *file = NULL;
    if (network != NULL && journal == NULL && p->plan_file != NULL) {
        snprintf(own, sizeof own, "%.4000s.journal", p->plan_file);
        file = fopen(own, "rb");
        if (file != NULL) fclose(file);
        if (file != NULL) journal = own;
    }
    if (network == NULL && journal == NULL) return CT_OK;
    return ct_tune_predict(p->plan, network, journal, err);
}

static ct_status explain_print(ct_pipeline *p, explain_ranks *r, ct_form form, const char *save,
                               ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    CT_TRY(ct_pipeline_load(p, err));
    CT_TRY(ct_graph_set_ranks(p->graph, r->supposed, err));
    CT_TRY(ct_pipeline_device_if_any(p, err));
    CT_TRY(ct_pipeline_plan(p, err));
    CT_TRY(explain_predict(p, r->network, r->journal, err));
    if (save != NULL) CT_TRY(ct_plan_save(p->plan, save, err));
    CT_TRY(ct_explain_plan(&text, p->plan, form, err));
    fputs(text, stdout);
out:
    free(text);
    return status;
}

/* What can be said of the options before anything is read. */
static ct_status explain_ready(explain_ranks *r, bool both_forms, ct_error *err)
{
    ct_status status = CT_OK;
    if (both_forms)
        CT_TRY(ct_error_add(err, CT_USAGE, "cornerturn explain: --dot or --json, not both"));
    if (r->text == NULL && ct_ranks_size(r->job) > 1) {
        snprintf(r->number, sizeof r->number, "%d", ct_ranks_size(r->job));
        r->text = r->number;
    }
    CT_TRY(explain_check(r->text, r->network, r->journal, err));
    if (r->network != NULL) CT_TRY(ct_tune_network(r->network, err));
    if (r->text != NULL) CT_TRY(ct_ranks_suppose(&r->supposed, r->text, err));
out:
    return status;
}

ct_status ct_verb_explain(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_pipeline p = {.consult = true};
    bool dot = false, json = false;
    const char *save = NULL;
    explain_ranks r = {0};
    const ct_option options[] = {
        CT_PIPELINE_DEVICE_OR_FILE(&p),
        CT_PIPELINE_PLAN(&p),
        CT_PIPELINE_MATCH(&p),
        CT_PIPELINE_SET(&p),
        CT_PIPELINE_LIBRARY(&p),
        {"dot", CT_OPTION_FLAG, &dot, NULL, "print a graph for Graphviz instead"},
        {"json", CT_OPTION_FLAG, &json, NULL, "print JSON instead"},
        {"ranks", CT_OPTION_TEXT, &r.text, "N",
         "as the first of so many ranks of a job would do it; or of a grid, S=4,C=2"},
        {"network", CT_OPTION_TEXT, &r.network, "100Gb/s,2us",
         "with --ranks: predict what exchanges take on such a network (under mpirun: as probed)"},
        {"journal", CT_OPTION_TEXT, &r.journal, "FILE",
         "with --ranks: predict what steps take, from a tune's journal or a run's trace "
         "(PLAN.journal)"},
        {"save", CT_OPTION_TEXT, &save, "FILE", "write the plan, to be edited or run by --plan"},
        {0}};
    const ct_usage usage = {"explain PIPELINE [options]",
                            "Prints what will be done: steps, sizes, layouts and why, bytes, "
                            "operations, memory,\nby the plan that run would take. No device is "
                            "needed unless one is named; if "
                            "there is one, it is what the plan is for.",
                            options,
                            1,
                            1,
                            NULL,
                            "explain lofar.json\n"
                            "explain lofar.json --save plan.json"};
    CT_TRY(ct_ranks_open(&r.job, err));
    status = ct_options_read(&args, &usage, argc, argv, err);
    p.file = args.plain[0];
    if (status == CT_OK) status = ct_pipeline_match(&p, "explain", err);
    if (status == CT_OK) status = explain_ready(&r, dot && json, err);
    CT_TRY(ct_ranks_agree(r.job, status, err));
    CT_TRY(explain_meet(&r, p.plan_file != NULL, err));
    if (ct_ranks_rank(r.job) == 0)
        status = explain_print(&p, &r,
                               json  ? CT_FORM_JSON
                               : dot ? CT_FORM_DOT
                                     : CT_FORM_TEXT,
                               save, err);
out:
    ct_pipeline_free(&p);
    ct_ranks_close(r.supposed);
    return ct_job_close(r.job, status, err);
}
