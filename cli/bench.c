/* bench.c: the verb bench: how fast the stages are, next to the device's limits and to peers.
 * Room: cli. Knows arguments and files. Does not know how anything is measured. The table goes to
 * standard output, progress to a terminal. */
#include "bench.h"
#include "options.h"
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void ct_bench_say(void *of, const char *sentence)
{
    (void)of;
    fprintf(stderr, "\r\033[K%s", sentence);
    fflush(stderr);
}

/* Under its own name only when it is whole; a device or a pipe is written as it is. */
static ct_status ct_bench_save(const char *file, const char *json, ct_error *err)
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

static ct_status ct_bench_go(const ct_bench *bench, const char *device_name, const char *file,
                             ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_value *measured = NULL;
    char *json = NULL;
    CT_TRY(ct_context_open(&context, err));
    CT_TRY(ct_device_open(&device, device_name, err));
    status = ct_tune_bench(&json, context, device, bench, err);
    if (bench->say != NULL) ct_bench_say(NULL, "");
    CT_TRY(status);
    CT_TRY(ct_value_parse(&measured, json, "measurements", err));
    ct_bench_print(measured);
    if (file != NULL) CT_TRY(ct_bench_save(file, json, err));
out:
    ct_value_free(measured);
    free(json);
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

ct_status ct_verb_bench(int argc, char **argv, ct_error *err)
{
    ct_status status = CT_OK;
    const char *size = "thesis", *file = NULL, *device = NULL;
    const char *peers[CT_OPTION_TIMES + 1] = {NULL}, *settings[CT_OPTION_TIMES + 1] = {NULL};
    const char *read = NULL, *write = NULL;
    int64_t rounds = 9;
    double budget = 20.0, layout_budget = 0.0;
    bool layouts = false;
    ct_arguments args = {0};
    const ct_option options[] = {
        {"size", CT_OPTION_TEXT, &size, "NAME", "thesis (default), lofar, apertif, ska-low, small"},
        {"layouts", CT_OPTION_FLAG, &layouts, NULL,
         "every read layout and every write layout, too"},
        {"rounds", CT_OPTION_INT, &rounds, "N", "interleaved repetitions (9); medians count"},
        {"budget", CT_OPTION_REAL, &budget, "SECONDS",
         "per stage, to look for better tunables (20; 0: none)"},
        {"layout-budget", CT_OPTION_REAL, &layout_budget, "SECONDS",
         "the same at every other layout (0)"},
        {"read", CT_OPTION_TEXT, &read, "LAYOUT", "of the input, instead of the preferred one"},
        {"write", CT_OPTION_TEXT, &write, "LAYOUT", "of the output, likewise"},
        {"set", CT_OPTION_LIST, settings, "NAME=VALUE",
         "time this tunable next to the defaults, instead of a search (repeatable)"},
        {"peer", CT_OPTION_LIST, peers, "STAGE=COMMAND",
         "a program of bench/peers, timed in the same rounds (repeatable)"},
        {"device", CT_OPTION_TEXT, &device, "NAME",
         "OpenCL device: part of its name, or its number"},
        {"json", CT_OPTION_TEXT, &file, "FILE", "write all measurements, too"},
        {0}};
    const ct_usage usage = {"bench [STAGE] [options]",
                            "Measures the stages' speed and the device's limits.",
                            options,
                            0,
                            1,
                            NULL};
    CT_TRY(ct_options_read(&args, &usage, argc, argv, err));
    const ct_bench bench = {.size = sizeof bench,
                            .stage = args.count > 0 ? args.plain[0] : NULL,
                            .scale = size,
                            .peers = peers,
                            .rounds = rounds < 1000 ? (int)rounds : 1000,
                            .budget_s = budget,
                            .layout_budget_s = layout_budget,
                            .layouts = layouts,
                            .read = read,
                            .write = write,
                            .settings = settings[0] != NULL ? settings : NULL,
                            .say = isatty(STDERR_FILENO) ? ct_bench_say : NULL};
    CT_TRY(ct_bench_go(&bench, device, file, err));
out:
    return status;
}
