/* tune.c: the verb tune: the best layouts and tunables for a pipeline on a device.
 * Room: cli. Knows arguments, files and signals. Does not know how anything is found. */
#include "continuous.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "interrupt.h"
#include "job.h"
#include "options.h"
#include "pipeline.h"
#include "serve.h"
#include "tune_summary.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TUNE_PATH = 4096 + 16, TUNE_NODES = 64 };
typedef struct tune_arguments {
    ct_arguments plain;
    const char *plan, *journal, *only, *costs, *near, *from[CT_OPTION_TIMES + 1];
    double budget, timeout, within;
    int64_t memory, jobs;
    bool resume, exhaustive, dry, no_store, continuous;
    const char *ranks, *network; /* of the job that the plan is for; NULL: one process */
    ct_ranks *job;               /* whose first rank tunes; NULL: none */
    ct_pipeline *pipeline;
    char number[16], measured[CT_NETWORK_TEXT];
} tune_arguments;

static ct_status tune_read(tune_arguments *out, ct_pipeline *p, int argc, char **argv,
                           ct_error *err)
{
    const ct_option options[] = {
        {"o", CT_OPTION_TEXT, &out->plan, "PLAN", "where the plan goes; needed"},
        {"journal", CT_OPTION_TEXT, &out->journal, "FILE", "where measurements go (PLAN.journal)"},
        {"from", CT_OPTION_LIST, out->from, "JOURNAL", "of another size or device (or none)"},
        {"resume", CT_OPTION_FLAG, &out->resume, NULL, "go on with the journal"},
        {"budget", CT_OPTION_REAL, &out->budget, "SECONDS", "for all of it (600)"},
        {"within", CT_OPTION_TEXT, &out->near, "2%", "end when the bound is as near (1%)"},
        {"exhaustive", CT_OPTION_FLAG, &out->exhaustive, NULL, "measure all, predict nothing"},
        {"memory", CT_OPTION_INT, &out->memory, "BYTES", "that the plan may take on the device"},
        {"only", CT_OPTION_TEXT, &out->only, "NODE,..", "nodes whose layouts may change"},
        {"jobs", CT_OPTION_INT, &out->jobs, "N", "processes that build (default: the cores)"},
        {"timeout", CT_OPTION_REAL, &out->timeout, "SECONDS", "for one measurement (30)"},
        {"simulate", CT_OPTION_TEXT, &out->costs, "COSTS", "search a file of costs, no device"},
        {"ranks", CT_OPTION_TEXT, &out->ranks, "N", "of a job, or a grid, S=4,C=2: splits, too"},
        {"network", CT_OPTION_TEXT, &out->network, "100Gb/s,2us",
         "with --ranks: between them (under mpirun: as probed)"},
        {"no-store", CT_OPTION_FLAG, &out->no_store, NULL, "do not store the plan"},
        {"continuous", CT_OPTION_FLAG, &out->continuous, NULL, "run it, and tune meanwhile"},
        {"dry-run", CT_OPTION_FLAG, &out->dry, NULL, "print what there is to choose from"},
        {"device", CT_OPTION_TEXT, &p->device_name, "NAME",
         "OpenCL device: part of its name, its number; with --dry-run also file:FILE"},
        CT_PIPELINE_SET(p),
        CT_PIPELINE_LIBRARY(p),
        {0}};
    const ct_usage usage = {
        "tune PIPELINE -o PLAN [options]",
        "Looks for the layouts and tunables with which the whole pipeline is fastest on this\n"
        "device, and writes them as a plan for `run --plan`. What is measured goes to a\n"
        "journal; Ctrl-C and the end of the budget leave the best plan so far.",
        options,
        1,
        1,
        NULL,
        "tune lofar.json -o plan.json\ntune lofar.json -o plan.json --budget 60"};
    out->budget = 600;
    return ct_options_read(&out->plain, &usage, argc, argv, err);
}

/* When a line was last printed, for those who read no terminal; and which ranks may stop it. */
typedef struct tune_said {
    time_t when;
    ct_ranks *job;
} tune_said;

static void tune_say(void *of, const char *sentence)
{
    tune_said *said = of;
    const time_t now = time(NULL);
    if (isatty(2))
        fprintf(stderr, "\r\033[K%s", sentence);
    else if (now >= said->when + 10)
        fprintf(stderr, "%s\n", sentence);
    if (now >= said->when + 10) said->when = now;
    fflush(stderr);
}

static bool tune_stop(void *of)
{
    return ct_interrupt_came() || ct_ranks_asked(((const tune_said *)of)->job);
}

/* "fir,fft" -> names[] in `text`, NULL at the end. */
static ct_status tune_only(const char *only, char *text, const char **names, ct_error *err)
{
    int count = 0;
    snprintf(text, TUNE_PATH, "%s", only ? only : "");
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        if (count == TUNE_NODES)
            return ct_error_add(err, CT_USAGE, "cornerturn tune: --only: at most %d nodes",
                                TUNE_NODES);
        names[count++] = name;
    }
    names[count] = NULL;
    return CT_OK;
}

static ct_status tune_print(const ct_pipeline *pipeline, const ct_tune *options, ct_error *err)
{
    char *text = NULL;
    const ct_status status =
        ct_tune_describe(&text, pipeline->graph, pipeline->device_name, options, err);
    if (text) fputs(text, stdout);
    free(text);
    return status;
}

/* The plan goes to the store, too; that this fails is only worth a warning. */
static void tune_keep(ct_pipeline *pipeline)
{
    ct_error err = {0};
    if (ct_pipeline_device(pipeline, &err) != CT_OK ||
        ct_tune_keep(NULL, pipeline->plan, pipeline->device, &err) != CT_OK)
        fprintf(stderr, "warning: the plan is not stored: %s\n", err.text);
}

static void tune_end(ct_pipeline *pipeline, const tune_arguments *args)
{
    ct_value *plan = NULL;
    if (ct_value_load(&plan, args->plan, NULL) != CT_OK) return;
    const ct_value *tuned = ct_value_get(plan, "tuned");
    if (!args->costs && !args->no_store) tune_keep(pipeline);
    ct_tune_summary_print(args->plan, tuned);
    ct_value_free(plan);
}

/* The gain of splits is predicted, and printed as a prediction. */
static void tune_end_ranks(const char *file, ct_pipeline *pipeline)
{
    ct_value *plan = NULL;
    if (ct_value_load(&plan, file, NULL) != CT_OK) return;
    const ct_value *tuned = ct_value_get(plan, "tuned"), *ranks = ct_value_get(tuned, "ranks");
    tune_keep(pipeline);
    const bool all = strcmp(ct_value_text(ct_value_get(ranks, "tried"), ""), "all") == 0;
    fprintf(stderr, "foretold over ranks: %.3g s per block",
            ct_value_real(ct_value_get(ranks, "seconds"), 0));
    if (ct_value_get(ranks, "default_seconds"))
        fprintf(stderr, ", with the default splits %.3g s",
                ct_value_real(ct_value_get(ranks, "default_seconds"), 0));
    fprintf(stderr, "; %s splits were tried\n", all ? "all" : "not all");
    ct_value_free(plan);
}

/* The plan over ranks takes the place of the one of one process. */
static ct_status tune_ranks(const tune_arguments *args, const ct_pipeline *one, const char *journal,
                            ct_error *err)
{
    ct_status status = CT_OK;
    ct_pipeline p = {.file = one->file, .device_name = one->device_name, .quiet = true};
    ct_ranks *ranks = NULL;
    memcpy(p.settings, one->settings, sizeof p.settings);
    memcpy(p.libraries, one->libraries, sizeof p.libraries);
    CT_TRY(ct_ranks_suppose(&ranks, args->ranks, err));
    CT_TRY(ct_pipeline_load(&p, err));
    CT_TRY(ct_graph_set_ranks(p.graph, ranks, err));
    CT_TRY(ct_tune_ranks(&p.plan, p.graph, one->device_name, args->plan, args->network, journal,
                         args->memory, err));
    CT_TRY(ct_plan_save(p.plan, args->plan, err));
    tune_end_ranks(args->plan, &p);
out:
    ct_pipeline_free(&p);
    ct_ranks_close(ranks);
    return status;
}

/* A search that was stopped may have measured too little to predict from: its plan is good
 * without splits, too, and it stays stopped. */
static ct_status tune_split(const tune_arguments *args, const ct_pipeline *one, const char *journal,
                            ct_status searched, ct_error *err)
{
    ct_error why = {0};
    if (searched == CT_OK) return tune_ranks(args, one, journal, err);
    if (tune_ranks(args, one, journal, &why) != CT_OK)
        fprintf(stderr, "warning: no splits were chosen: %s\n", why.text);
    return searched;
}

static ct_status tune_go(const tune_arguments *args, ct_pipeline *pipeline, ct_error *err)
{
    ct_status status = CT_OK;
    const char *worker[CT_SERVE_ARGUMENTS];
    char journal[TUNE_PATH], only[TUNE_PATH];
    const char *names[TUNE_NODES + 1];
    tune_said said = {.job = args->job};
    snprintf(journal, sizeof journal, "%.4096s.journal", args->plan ? args->plan : "");
    ct_serve_argv(worker, NULL, pipeline->libraries);
    CT_TRY(tune_only(args->only, only, names, err));
    const ct_tune options = {.size = sizeof options,
                             .journal = args->journal ? args->journal : journal,
                             .costs = args->costs,
                             .only = names,
                             .worker = worker,
                             .budget_s = args->exhaustive ? 0 : args->budget,
                             .timeout_s = args->timeout,
                             .memory = args->memory,
                             .jobs = (int)args->jobs,
                             .resume = args->resume,
                             .exhaustive = args->exhaustive,
                             .plan = args->plan,
                             .say = tune_say,
                             .stop = tune_stop,
                             .of = &said,
                             .from = args->from,
                             .kept = true,
                             .within = args->within};
    if (args->dry) return tune_print(pipeline, &options, err);
    ct_interrupt_catch();
    ct_interrupt_defer();
    status = ct_tune_pipeline(&pipeline->plan, pipeline->context, pipeline->graph,
                              pipeline->device_name, &options, err);
    if (isatty(2)) fprintf(stderr, "\r\033[K");
    if (!pipeline->plan) return status;
    if (ct_plan_save(pipeline->plan, args->plan, err) != CT_OK) return CT_DATA;
    tune_end(pipeline, args);
    if (args->ranks) status = tune_split(args, pipeline, options.journal, status, err);
out:
    return status;
}

/* The job's ranks, and its network as it will be probed, where nothing else is said. */
static ct_status tune_take_job(tune_arguments *args, ct_error *err)
{
    if (ct_ranks_size(args->job) < 2 || args->dry || args->costs) return CT_OK;
    if (args->ranks != NULL) return ct_ranks_grid(args->job, args->ranks, err);
    snprintf(args->number, sizeof args->number, "%d", ct_ranks_size(args->job));
    args->ranks = args->number;
    return CT_OK;
}

static ct_status tune_check_ranks(const tune_arguments *args, ct_error *err)
{
    ct_ranks *ranks = NULL;
    if (!args->ranks && args->network)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn tune: --network is between ranks: expected --ranks, too");
    if (!args->ranks) return CT_OK;
    if (args->dry || args->costs)
        return ct_error_add(err, CT_USAGE,
                            "cornerturn tune: --ranks rests on what is measured: expected no --%s",
                            args->dry ? "dry-run" : "simulate");
    if (!args->network && ct_ranks_size(args->job) < 2)
        return ct_error_add(
            err, CT_USAGE,
            "cornerturn tune: --ranks: what exchanges take is foretold, and "
            "--network, such as 100Gb/s,2us, is missing; under mpirun it is probed");
    ct_status status = args->network ? ct_tune_network(args->network, err) : CT_OK;
    if (status == CT_OK) status = ct_ranks_suppose(&ranks, args->ranks, err);
    ct_ranks_close(ranks);
    return status;
}

static ct_status tune_check(tune_arguments *args, ct_error *err)
{
    ct_status status = CT_OK;
    if (!args->plan && !args->dry)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "cornerturn tune: -o PLAN is missing: where the plan goes"));
    if (args->budget < 0 || args->timeout < 0)
        CT_TRY(ct_options_fail_seconds(args->budget < 0 ? "budget" : "timeout",
                                       args->budget < 0 ? args->budget : args->timeout, err));
    CT_TRY(ct_options_part(&args->within, args->near, err));
    CT_TRY(tune_take_job(args, err));
    CT_TRY(tune_check_ranks(args, err));
out:
    return status;
}

/* Whether the pipeline can be shared like that, and ranks that are there have the same one. */
static ct_status tune_share(const tune_arguments *args, const ct_pipeline *one, ct_error *err)
{
    ct_status status = CT_OK;
    ct_pipeline p = {.file = one->file, .quiet = true};
    ct_ranks *supposed = NULL;
    if (!args->ranks) return CT_OK;
    memcpy(p.settings, one->settings, sizeof p.settings);
    memcpy(p.libraries, one->libraries, sizeof p.libraries);
    if (ct_ranks_size(args->job) < 2) status = ct_ranks_suppose(&supposed, args->ranks, err);
    if (status == CT_OK) status = ct_pipeline_load(&p, err);
    CT_TRY(ct_ranks_agree(args->job, status, err));
    CT_TRY(ct_ranks_agree(args->job,
                          ct_graph_set_ranks(p.graph, supposed ? supposed : args->job, err), err));
out:
    ct_pipeline_free(&p);
    ct_ranks_close(supposed);
    return status;
}

static ct_status tune_probe(tune_arguments *args, ct_error *err)
{
    ct_status status = CT_OK;
    if (!args->ranks || ct_ranks_size(args->job) < 2) return CT_OK;
    const char *given = args->network ? args->network : "";
    CT_TRY(ct_ranks_agree(args->job, ct_ranks_same(args->job, "options", given, NULL, err), err));
    if (args->network) return CT_OK;
    CT_TRY(ct_tune_measure_network(args->measured, args->job, err));
    args->network = args->measured;
    if (ct_ranks_rank(args->job) == 0)
        fprintf(stderr, "between the ranks: %s a message\n", args->network);
out:
    return status;
}

static ct_status tune_first(void *of, ct_error *err)
{
    const tune_arguments *args = of;
    const ct_status status = ct_pipeline_load(args->pipeline, err);
    return status == CT_OK ? tune_go(args, args->pipeline, err) : status;
}

static bool tune_told(void *of)
{
    (void)of;
    return ct_interrupt_came();
}

/* Ranks but the first only have to be there, and to be told when it has ended. */
ct_status ct_verb_tune(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    ct_pipeline pipeline = {0};
    if (ct_continuous_asked(argc, argv)) return ct_run_tuned(argc, argv, err);
    tune_arguments args = {.pipeline = &pipeline};
    CT_TRY(ct_ranks_open(&args.job, err));
    status = tune_read(&args, &pipeline, argc, argv, err);
    if (status == CT_OK) status = tune_check(&args, err);
    pipeline.file = args.plain.plain[0];
    if (args.job) ct_interrupt_catch();
    if (args.job) ct_interrupt_defer();
    CT_TRY(ct_ranks_agree(args.job, status, err));
    CT_TRY(tune_share(&args, &pipeline, err));
    CT_TRY(tune_probe(&args, err));
    status = ct_ranks_on_first(args.job, tune_first, tune_told, &args, err);
out:
    ct_pipeline_free(&pipeline);
    return ct_job_close(args.job, status, err);
}
