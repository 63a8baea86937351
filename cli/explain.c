/* explain.c: the verb explain: the flow as a table, as a graph for dot, or as a plan file.
 * Room: cli. Does not know plans. */
#include "pipeline.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>

static ct_status explain_check(const char *ranks, const char *network, const char *journal,
                               ct_error *err)
{
    if (ranks != NULL || (network == NULL && journal == NULL)) return CT_OK;
    return ct_error_add(
        err, CT_USAGE,
        "cornerturn explain: --%s is for what ranks will take: expected --ranks, too",
        network != NULL ? "network" : "journal");
}

/* Where nothing is said to foretell from, a tuned plan's own journal is looked for. */
static ct_status explain_foretell(ct_pipeline *p, const char *network, const char *journal,
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
    return ct_tune_foretell(p->plan, network, journal, err);
}

ct_status ct_verb_explain(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arguments args = {0};
    ct_pipeline p = {0};
    bool dot = false, json = false;
    const char *save = NULL, *suppose = NULL, *network = NULL, *journal = NULL;
    ct_ranks *ranks = NULL;
    char *text = NULL;
    const ct_option options[] = {
        CT_PIPELINE_DEVICE_OR_FILE(&p),
        CT_PIPELINE_PLAN(&p),
        CT_PIPELINE_SET(&p),
        CT_PIPELINE_LIBRARY(&p),
        {"dot", CT_OPTION_FLAG, &dot, NULL, "print a graph for Graphviz instead"},
        {"json", CT_OPTION_FLAG, &json, NULL, "print JSON instead"},
        {"ranks", CT_OPTION_TEXT, &suppose, "N",
         "as the first of so many ranks of a job would do it; or of a grid, S=4,C=2"},
        {"network", CT_OPTION_TEXT, &network, "100Gb/s,2us",
         "with --ranks: foretell what exchanges take on such a network"},
        {"journal", CT_OPTION_TEXT, &journal, "FILE",
         "with --ranks: foretell what steps take, from a tune's journal or a run's trace "
         "(PLAN.journal)"},
        {"save", CT_OPTION_TEXT, &save, "FILE", "write the plan, to be edited or run by --plan"},
        {0}};
    const ct_usage usage = {"explain PIPELINE [options]",
                            "Prints what will be done: steps, sizes, layouts and why, bytes, "
                            "operations, memory.\nNo device is needed unless one is named; if "
                            "there is one, it is what the plan is for.",
                            options,
                            1,
                            1,
                            NULL};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    p.file = args.plain[0];
    if (dot && json)
        CT_TRY(ct_error_add(err, CT_USAGE, "cornerturn explain: --dot or --json, not both"));
    if (suppose != NULL) CT_TRY(ct_ranks_suppose(&ranks, suppose, err));
    CT_TRY(explain_check(suppose, network, journal, err));
    CT_TRY(ct_pipeline_load(&p, err));
    CT_TRY(ct_graph_share(p.graph, ranks, err));
    CT_TRY(ct_pipeline_device_if_any(&p, err));
    CT_TRY(ct_pipeline_plan(&p, err));
    CT_TRY(explain_foretell(&p, network, journal, err));
    if (save != NULL) CT_TRY(ct_plan_save(p.plan, save, err));
    CT_TRY(ct_explain_plan(&text, p.plan,
                           json  ? CT_FORM_JSON
                           : dot ? CT_FORM_DOT
                                 : CT_FORM_TEXT,
                           err));
    fputs(text, stdout);
out:
    free(text);
    ct_pipeline_free(&p);
    ct_ranks_close(ranks);
    return status;
}
