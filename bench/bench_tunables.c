/* bench_tunables.c: what each tunable is worth beside the default, a change at a time, for the
 * table of defaults (core/step/tunable_defaults.tsv).
 *
 * Room: bench. Knows every room. Run: bench.tunables [--size thesis] [--rounds 9] [--device NAME]
 * [--try "TILE_C=256 TILE_T=4" ...] [--only-try 1] [--build 1: only builds, for a driver that keeps
 * kernels]
 * [--extents "S=13 P=2 T=512 C=64"] [--read LAYOUT] [--write LAYOUT] STAGE ... Prints a row per
 * change, tabs between: class of the device, stage, workload, change, time over the default's
 * (median of rounds), the default's milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_inner.h"
#include "cornerturn_tune.h"
#include "device.h"
#include "memory.h"
#include "timed_step.h"
#include "workload.h"

enum { CHANGES = 64, TRIES = 16, AT_A_TIME = 12 };

typedef struct bench_options {
    const char *size, *device, *extents, *read, *write, *try[TRIES];
    int rounds, tries;
    bool build, only_try;
} bench_options;

typedef struct bench_change {
    char text[128];
    int64_t tunable[CT_TUNABLES];
} bench_change;

typedef struct bench {
    bench_options options;
    ct_context *context;
    ct_device *device;
    ct_workload work;
    ct_step *step;
    ct_buffer_pool pool;
    bench_change change[CHANGES]; /* the first is none */
    int changes;
} bench;

static void die(const char *what, const ct_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    exit(1);
}

/* ---- changes */

static void add_change(bench *b, const char *text)
{
    if (b->changes == CHANGES || !ct_step_is_legal(b->step)) return;
    bench_change *change = &b->change[b->changes++];
    snprintf(change->text, sizeof change->text, "%s", text);
    memcpy(change->tunable, b->step->tunable, sizeof change->tunable);
}

static void add_single_changes(bench *b)
{
    for (int t = 0; t < ct_step_tunables(b->step); t++) {
        const int64_t usual = b->step->tunable[t];
        for (int n = 0; n < ct_step_tunable_count(b->step, t); n++) {
            char word[32], text[128];
            b->step->tunable[t] = ct_step_tunable_value(b->step, t, n);
            if (b->step->tunable[t] == usual) continue;
            snprintf(text, sizeof text, "%s=%s", b->step->stage->tuning.tunables[t].name,
                     ct_step_tunable_word(b->step, t, word));
            add_change(b, text);
        }
        b->step->tunable[t] = usual;
    }
}

static void add_try(bench *b, const char *text)
{
    char setting[64], name[64];
    int64_t usual[CT_TUNABLES];
    int used = 0;
    memcpy(usual, b->step->tunable, sizeof usual);
    for (const char *at = text; sscanf(at, " %63s%n", setting, &used) == 1; at += used) {
        const char *value = strchr(setting, '=');
        snprintf(name, sizeof name, "%.*s", (int)strcspn(setting, "="), setting);
        if (!value || ct_step_set_tunable(b->step, name, value + 1, NULL) != CT_OK) {
            memcpy(b->step->tunable, usual, sizeof usual);
            return;
        }
    }
    add_change(b, text);
    memcpy(b->step->tunable, usual, sizeof usual);
}

static void list_changes(bench *b)
{
    b->changes = 0;
    add_change(b, "-");
    if (!b->options.only_try) add_single_changes(b);
    for (int i = 0; i < b->options.tries; i++)
        add_try(b, b->options.try[i]);
}

/* ---- measuring */

static ct_timed_step *make(bench *b, const bench_change *change)
{
    ct_timed_step *timed = NULL;
    memcpy(b->step->tunable, change->tunable, sizeof change->tunable);
    (void)ct_timed_step_new(&timed, b->device, b->step, &b->pool, NULL);
    return timed;
}

static void print(const bench *b, const bench_change *change, const double *usual,
                  const double *seconds)
{
    char words[CT_DEVICE_CLASS_TEXT];
    printf("%s\t%s\t%s %s %s>%s\t%s\t%.3f\t%.3f\n",
           ct_device_class_print(b->device->of_class, words), b->work.stage, b->work.size,
           b->work.extents, b->step->port[0].layout.dim,
           b->step->port[ct_bench_output(b->step)].layout.dim, change->text,
           ct_rounds_ratio(seconds, usual, b->options.rounds),
           1e3 * ct_rounds_median(usual, b->options.rounds));
}

/* Some changes in turns with the default. */
static void measure(bench *b, int first, int count)
{
    ct_timed_step *works[1 + AT_A_TIME] = {make(b, &b->change[0])};
    ct_timed things[1 + AT_A_TIME];
    int of[1 + AT_A_TIME] = {0}, used = 1;
    double seconds[(1 + AT_A_TIME) * CT_ROUNDS_MOST];
    ct_error err = {0};
    for (int i = first; i < first + count; i++)
        if ((works[used] = make(b, &b->change[i]))) of[used++] = i;
    for (int i = 0; works[0] && i < used; i++)
        things[i] = ct_timed_step_timing(works[i]);
    if (works[0] && !b->options.build) {
        if (ct_rounds_run(seconds, things, used, b->options.rounds, &err)) die("timing", &err);
        for (int i = 1; i < used; i++)
            print(b, &b->change[of[i]], seconds, seconds + i * b->options.rounds);
        fflush(stdout);
    }
    for (int i = 0; i < used; i++)
        ct_timed_step_free(works[i]);
}

static void measure_workload(bench *b)
{
    ct_value *given = NULL;
    ct_error err = {0};
    if (ct_workload_step(&b->step, &given, b->context, &b->work, b->device, &err))
        die(b->work.name, &err);
    const ct_bench asked = {.read = b->options.read, .write = b->options.write};
    if (ct_bench_ask_layouts(b->step, &asked, &err)) die("layout", &err);
    list_changes(b);
    for (int i = 1; i < b->changes; i += AT_A_TIME)
        measure(b, i, b->changes - i < AT_A_TIME ? b->changes - i : AT_A_TIME);
    ct_timed_step_pool_free(&b->pool);
    memset(&b->pool, 0, sizeof b->pool);
    ct_step_free(b->step);
    ct_value_free(given);
}

/* ---- options */

static bool read_option(bench_options *options, const char *name, const char *value)
{
    if (!strcmp(name, "--size"))
        options->size = value;
    else if (!strcmp(name, "--extents"))
        options->extents = value;
    else if (!strcmp(name, "--read"))
        options->read = value;
    else if (!strcmp(name, "--write"))
        options->write = value;
    else if (!strcmp(name, "--device"))
        options->device = value;
    else if (!strcmp(name, "--rounds"))
        options->rounds = atoi(value);
    else if (!strcmp(name, "--build"))
        options->build = atoi(value);
    else if (!strcmp(name, "--only-try"))
        options->only_try = atoi(value);
    else if (!strcmp(name, "--try") && options->tries < TRIES)
        options->try[options->tries++] = value;
    else
        return false;
    return true;
}

static int read_options(bench_options *options, int argc, char **argv)
{
    int at = 1;
    *options = (bench_options){.size = "thesis", .rounds = 9};
    for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2)
        if (!read_option(options, argv[at], argv[at + 1])) break;
    if (at < argc && strncmp(argv[at], "--", 2) != 0 && options->rounds > 0 &&
        options->rounds <= CT_ROUNDS_MOST)
        return at;
    fprintf(stderr,
            "usage: bench.tunables [--size NAME] [--rounds 1..%d] [--device NAME] [--try "
            "SETTINGS ...] [--only-try 1] [--build 1] [--extents TEXT] [--read LAYOUT] [--write "
            "LAYOUT] STAGE ...\n",
            CT_ROUNDS_MOST);
    exit(2);
}

int main(int argc, char **argv)
{
    static bench b;
    ct_workload_counted counted;
    ct_error err = {0};
    const int stages = read_options(&b.options, argc, argv);
    if (ct_context_open(&b.context, &err)) die("context", &err);
    if (ct_device_open(&b.device, b.options.device, &err)) die("device", &err);
    for (int s = stages; s < argc; s++) {
        if (ct_workload_check(b.options.size, argv[s], &err)) die("workload", &err);
        for (int i = 0; ct_workload_at(i); i++) {
            if (!ct_workload_is(ct_workload_at(i), b.options.size, argv[s])) continue;
            ct_workload_twin(&counted, ct_workload_at(i), b.options.size);
            b.work = counted.work;
            if (b.options.extents) b.work.extents = b.options.extents;
            measure_workload(&b);
        }
    }
    ct_device_free(b.device);
    ct_context_free(b.context);
    return 0;
}
