/* bench.c: the verb bench: how fast the stages are, next to the device's limits and to peers.
 * Room: cli. Knows arguments and files. Does not know how anything is measured. The table goes to
 * standard output, progress to a terminal. */
#include "bench.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "options.h"
#include "page.h"
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void bench_say(void *of, const char *sentence)
{
    (void)of;
    fprintf(stderr, "\r\033[K%s", sentence);
    fflush(stderr);
}

ct_status ct_bench_save(const char *file, const char *json, ct_error *err)
{
    char part[4096];
    struct stat about;
    bool special = stat(file, &about) == 0 && !S_ISREG(about.st_mode);
    snprintf(part, sizeof part, special ? "%s" : "%s.part", file);
    FILE *out = fopen(part, "w");
    bool fine = out != NULL && fputs(json, out) >= 0;
    if (out != NULL && fclose(out) != 0) fine = false;
    if (fine && (special || rename(part, file) == 0)) return CT_OK;
    const int why = errno;
    if (out != NULL && !special) remove(part);
    return ct_error_add(err, CT_DATA, "%s: cannot be written: %s", file, strerror(why));
}

/* What was asked for; of stages, of a pipeline's plans, or of both. */
typedef struct bench_asked {
    ct_arguments args;
    const char *size, *read, *write, *file, *device, *part, *counts;
    const char *peers[CT_OPTION_TIMES + 1], *settings[CT_OPTION_TIMES + 1];
    const char *plans[CT_OPTION_TIMES + 1], *libraries[CT_OPTION_TIMES + 1];
    int64_t rounds, processes;
    double budget, layout_budget;
    bool layouts, ragged;
} bench_asked;

/* Of stations and beams that arrays have; the neighbours of 8, 16, 64. */
#define USUAL_COUNTS "3,5,7,12,13,38,52,61,63,65,100,113"

static ct_status bench_stages(ct_bench *bench, const bench_asked *asked, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_value *measured = NULL;
    char *json = NULL;
    CT_TRY(ct_library_context(&context, asked->libraries, err));
    if (bench->stage != NULL) CT_TRY(ct_page_take(context, &bench->stage, err));
    CT_TRY(ct_device_open(&device, asked->device, err));
    status = ct_tune_bench(&json, context, device, bench, err);
    if (bench->say != NULL) bench_say(NULL, "");
    if (status == CT_USAGE && bench->stage != NULL) ct_page_hint("bench", bench->stage, err);
    CT_TRY(status);
    CT_TRY(ct_value_parse(&measured, json, "measurements", err));
    if (bench->ragged != NULL)
        ct_bench_print_ragged(measured);
    else
        ct_bench_print(measured);
    if (asked->file != NULL) CT_TRY(ct_bench_save(asked->file, json, err));
out:
    ct_value_free(measured);
    free(json);
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

static ct_status bench_read(bench_asked *to, int argc, char **argv, ct_error *err)
{
    const ct_option options[] = {
        {"plan", CT_OPTION_LIST, to->plans, "FILE",
         "of a pipeline: rehearse this plan; default and stored are names, too (repeatable)"},
        {"processes", CT_OPTION_INT, &to->processes, "N",
         "of a pipeline: fresh processes, one after the other (4)"},
        {"size", CT_OPTION_TEXT, &to->size, "NAME",
         "of stages: thesis (default), lofar, apertif, ska-low, lengths, beamlets, subbands, "
         "small; thesis-odd and so on: with odd counts"},
        {"layouts", CT_OPTION_FLAG, &to->layouts, NULL,
         "of stages: every read layout and every write layout, too"},
        {"ragged", CT_OPTION_FLAG, &to->ragged, NULL,
         "of stages: instead, odd counts of stations, beams, channels ... over the line between "
         "the "
         "next multiples of 16"},
        {"counts", CT_OPTION_TEXT, &to->counts, "LIST",
         "of --ragged: such as 3-130 (" USUAL_COUNTS ")"},
        {"rounds", CT_OPTION_INT, &to->rounds, "N", "interleaved repetitions (9); medians count"},
        {"budget", CT_OPTION_REAL, &to->budget, "SECONDS",
         "per stage, to look for better tunables (20; 0: none)"},
        {"layout-budget", CT_OPTION_REAL, &to->layout_budget, "SECONDS",
         "the same at every other layout (0)"},
        {"read", CT_OPTION_TEXT, &to->read, "LAYOUT",
         "of a stage's input, instead of the preferred one"},
        {"write", CT_OPTION_TEXT, &to->write, "LAYOUT", "of its output, likewise"},
        {"set", CT_OPTION_LIST, to->settings, "NAME=VALUE",
         "of a stage: time this tunable next to the defaults, instead of a search; of a pipeline: "
         "change NODE.PARAM (repeatable)"},
        {"peer", CT_OPTION_LIST, to->peers, "STAGE=COMMAND",
         "a program of bench/peers, timed in the same rounds (repeatable)"},
        {"device", CT_OPTION_TEXT, &to->device, "NAME",
         "OpenCL device: part of its name, or its number"},
        CT_LIBRARY_OPTION(to->libraries),
        {"json", CT_OPTION_TEXT, &to->file, "FILE", "write all measurements, too"},
        {"part", CT_OPTION_TEXT, &to->part, "I/N",
         "of a pipeline: one process's share, in lines for a program to read"},
        {0}};
    const ct_usage usage = {"bench [STAGE | PIPELINE] [options]",
                            "Measures the stages' speed and the device's limits, or how fast plans "
                            "of a pipeline are.",
                            options,
                            0,
                            1,
                            NULL,
                            "bench correlator --size lofar\n"
                            "bench correlator --ragged --counts 48-64\n"
                            "bench lofar.json --plan default --plan plan.json"};
    return ct_options_read(&to->args, &usage, argc, argv, err);
}

static bool bench_is_pipeline(const char *name)
{
    struct stat about;
    const size_t length = name != NULL ? strlen(name) : 0;
    if (length > 5 && strcmp(name + length - 5, ".json") == 0) return true;
    return length > 0 && stat(name, &about) == 0 && S_ISREG(about.st_mode);
}

/* An option of the one that is given to the other would be passed over in silence. */
static ct_status bench_check(const bench_asked *asked, bool pipeline, ct_error *err)
{
    const struct {
        const char *name;
        bool given, of_pipelines;
    } options[] = {{"plan", asked->plans[0] != NULL, true},
                   {"processes", asked->processes >= 0, true},
                   {"part", asked->part != NULL, true},
                   {"size", asked->size != NULL, false},
                   {"layouts", asked->layouts, false},
                   {"ragged", asked->ragged, false},
                   {"counts", asked->counts != NULL, false},
                   {"budget", asked->budget >= 0, false},
                   {"layout-budget", asked->layout_budget >= 0, false},
                   {"read", asked->read != NULL, false},
                   {"write", asked->write != NULL, false},
                   {"peer", asked->peers[0] != NULL, false}};
    const char *name = asked->args.count > 0 ? asked->args.plain[0] : "";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && options[i].of_pipelines != pipeline)
            return ct_error_add(err, CT_USAGE, "cornerturn bench: --%s is for %s%s%s",
                                options[i].name,
                                pipeline ? "stages, and this is a pipeline: " : "a pipeline's file",
                                !pipeline && *name ? ", and this is none: " : "", name);
    return CT_OK;
}

/* Likewise of what --ragged does not do, and --counts without it. */
static ct_status bench_check_ragged(const bench_asked *asked, ct_error *err)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {{"budget", asked->budget >= 0},
                   {"layout-budget", asked->layout_budget >= 0},
                   {"set", asked->settings[0] != NULL},
                   {"peer", asked->peers[0] != NULL}};
    if (!asked->ragged && asked->counts != NULL)
        return ct_error_add(err, CT_USAGE, "cornerturn bench: --counts is for --ragged");
    for (size_t i = 0; asked->ragged && i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return ct_error_add(
                err, CT_USAGE,
                "cornerturn bench: --ragged compares default tunables only, without "
                "--%s",
                options[i].name);
    return CT_OK;
}

static ct_status bench_plans(const bench_asked *asked, int argc, char **argv, ct_error *err)
{
    ct_bench_plans plans = {.pipeline = {.file = asked->args.plain[0],
                                         .device_name = asked->device,
                                         .quiet = asked->part != NULL},
                            .rounds = asked->rounds,
                            .processes = asked->processes >= 0 ? asked->processes : 4,
                            .part = asked->part != NULL ? atoi(asked->part) : -1,
                            .json = asked->file,
                            .argv = argv,
                            .argc = argc};
    memcpy(plans.pipeline.settings, asked->settings, sizeof asked->settings);
    memcpy(plans.pipeline.libraries, asked->libraries, sizeof asked->libraries);
    memcpy(plans.plan, asked->plans, sizeof asked->plans);
    const ct_status status = ct_bench_plans_run(&plans, err);
    ct_pipeline_free(&plans.pipeline);
    return status;
}

ct_status ct_verb_bench(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    bench_asked asked = {.rounds = 9, .processes = -1, .budget = -1, .layout_budget = -1};
    CT_TRY(bench_read(&asked, argc, argv, err));
    const bool pipeline = asked.args.count > 0 && bench_is_pipeline(asked.args.plain[0]) &&
                          !ct_page_is(asked.args.plain[0]);
    CT_TRY(bench_check(&asked, pipeline, err));
    CT_TRY(bench_check_ragged(&asked, err));
    if (pipeline) return bench_plans(&asked, argc, argv, err);
    ct_bench bench = {.size = sizeof bench,
                      .stage = asked.args.count > 0 ? asked.args.plain[0] : NULL,
                      .scale = asked.size != NULL ? asked.size : "thesis",
                      .peers = asked.peers,
                      .rounds = asked.rounds < 1000 ? (int)asked.rounds : 1000,
                      .budget_s = asked.budget >= 0 ? asked.budget : 20.0,
                      .layout_budget_s = asked.layout_budget >= 0 ? asked.layout_budget : 0.0,
                      .layouts = asked.layouts,
                      .read = asked.read,
                      .write = asked.write,
                      .ragged = !asked.ragged  ? NULL
                                : asked.counts ? asked.counts
                                               : USUAL_COUNTS,
                      .settings = asked.settings[0] != NULL ? asked.settings : NULL,
                      .say = isatty(STDERR_FILENO) ? bench_say : NULL};
    CT_TRY(bench_stages(&bench, &asked, err));
out:
    return status;
}
