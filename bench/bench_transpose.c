/* bench_transpose.c: how fast a corner turn is in every order, next to a non-temporal copy of the
 * same bytes in the same interleaved rounds.
 *
 * Room: bench. Knows every room. Run: bench.transpose [--type cf32] [--to TCSP] [--rounds 15]
 * [--extents S,P,T,C] [--set NAME=value ...] [--busy 1: processor time, not the clock's]. Prints
 * one line per order: milliseconds, GB/s, share of the copy's speed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "device_cl.h"
#include "layout.h"
#include "padding.h"
#include "program.h"
#include "step.h"
#include "text.h"

enum { ORDERS = 24, ROUNDS = 200 };

typedef struct bench_options {
    const char *device, *to;
    ct_type type;
    int64_t extent[4];
    int rounds, settings;
    bool busy;
    const char *setting[8];
} bench_options;

typedef struct bench_entry {
    ct_layout layout;
    ct_program *program;
    ct_step *step;
    double seconds[ROUNDS];
} bench_entry;

typedef struct bench {
    bench_options options;
    ct_context *context;
    ct_device *device;
    ct_buffer mem[CT_PORTS];
    cl_program copy_program;
    cl_kernel copy;
    double copy_seconds[ROUNDS];
    bench_entry entry[ORDERS];
    size_t bytes;
} bench;

static const char copy_text[] =
    "kernel void copy(global const ulong8 *restrict x, global ulong8 *restrict y)\n"
    "{\n"
    "    const size_t first = get_global_id(0) * BLOCK;\n"
    "    for (size_t k = first; k < first + BLOCK; k++)\n"
    "        __builtin_nontemporal_store(x[k], &y[k]);\n"
    "}\n"
    "kernel void copy_gpu(global const ulong2 *restrict x, global ulong2 *restrict y)\n"
    "{\n"
    "    y[get_global_id(0)] = x[get_global_id(0)];\n"
    "}\n";

static void die(const char *what, const ct_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    exit(1);
}

/* On a busy machine the processor time of all threads says more than the clock on the wall. */
static double now(const bench *b)
{
    struct timespec time;
    clock_gettime(b->options.busy ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static ct_array array_of(const bench *b, const ct_layout *layout)
{
    ct_array array = {.type = b->options.type};
    for (int k = 0; k < 4; k++)
        ct_array_add(&array, "SPTC"[k], b -> options.extent[k]);
    ct_array_dense(&array, layout);
    ct_padding_set(&array);
    return array;
}

static void open_entry(bench *b, bench_entry *entry, const ct_layout *to)
{
    static const char *const known[] = {NULL};
    static const ct_source_location location = {0};
    ct_error err = {0};
    const ct_stage *stage = ct_context_stage(b->context, "transpose");
    if (ct_step_new(&entry->step, stage, "transpose", NULL, known, &location, &err))
        die("step", &err);
    entry->step->gpu = b->device->gpu;
    entry->step->port[0] = array_of(b, NULL);
    if (ct_step_infer(entry->step, &err)) die("infer", &err);
    entry->step->port[0] = array_of(b, &entry->layout);
    entry->step->port[1] = array_of(b, to);
    ct_step_default_tunables(entry->step);
    for (int k = 0; k < b->options.settings; k++) {
        char name[64];
        const char *value = strchr(b->options.setting[k], '=') + 1;
        snprintf(name, sizeof name, "%.*s", (int)(value - 1 - b->options.setting[k]),
                 b->options.setting[k]);
        if (ct_step_set_tunable(entry->step, name, value, &err)) die("set", &err);
    }
    if (ct_program_new(&entry->program, b->device, entry->step, &err)) die("program", &err);
}

static void open_copy(bench *b)
{
    cl_int code;
    const char *text = copy_text;
    b->copy_program = clCreateProgramWithSource(b->device->context, 1, &text, NULL, &code);
    clBuildProgram(b->copy_program, 1, &b->device->id, "-DBLOCK=64", NULL, NULL);
    b->copy = clCreateKernel(b->copy_program, b->device->gpu ? "copy_gpu" : "copy", &code);
    clSetKernelArg(b->copy, 0, sizeof(cl_mem), &b->mem[0].mem);
    clSetKernelArg(b->copy, 1, sizeof(cl_mem), &b->mem[1].mem);
}

static double time_copy(bench *b)
{
    const size_t global = b->device->gpu ? b->bytes / 16 : b->bytes / 4096;
    const size_t local = b->device->gpu ? 256 : 1;
    const double start = now(b);
    clEnqueueNDRangeKernel(b->device->queue, b->copy, 1, NULL, &global, &local, 0, NULL, NULL);
    clFinish(b->device->queue);
    return now(b) - start;
}

static double time_entry(bench *b, bench_entry *entry)
{
    ct_error err = {0};
    const double start = now(b);
    if (ct_program_enqueue(entry->program, b->mem, NULL, &err)) die("enqueue", &err);
    clFinish(b->device->queue);
    const double seconds = now(b) - start;
    double device;
    ct_program_wait(entry->program, &device, &err);
    return seconds;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, rising);
    return sorted[count / 2];
}

static void measure(bench *b)
{
    for (int round = -2; round < b->options.rounds; round++) {
        const int place = round < 0 ? 0 : round;
        b->copy_seconds[place] = time_copy(b);
        for (int k = 0; k < ORDERS; k++)
            b->entry[k].seconds[place] = time_entry(b, &b->entry[k]);
    }
}

static void report(const bench *b)
{
    double ratio[ORDERS];
    int count = 0;
    const double copy = median(b->copy_seconds, b->options.rounds);
    const double moved = 2e-9 * (double)b->bytes;
    printf("%-28s %8.2f ms %6.1f GB/s\n", "non-temporal copy", 1e3 * copy, moved / copy);
    for (int k = 0; k < ORDERS; k++) {
        const double seconds = median(b->entry[k].seconds, b->options.rounds);
        char name[64];
        snprintf(name, sizeof name, "%s to %s", b->entry[k].layout.dim, b->options.to);
        printf("%-28s %8.2f ms %6.1f GB/s %6.2f\n", name, 1e3 * seconds, moved / seconds,
               copy / seconds);
        if (strcmp(b->entry[k].layout.dim, b->options.to) != 0) ratio[count++] = copy / seconds;
    }
    qsort(ratio, (size_t)count, sizeof *ratio, rising);
    printf("share of the copy: minimum %.2f, median %.2f\n", ratio[0], ratio[count / 2]);
}

static void add_setting(bench_options *options, const char *setting)
{
    const int most = (int)(sizeof options->setting / sizeof options->setting[0]);
    ct_error err = {0};
    if (!strchr(setting, '=') || options->settings == most) {
        ct_error_add(&err, CT_USAGE, "expected at most %d of NAME=VALUE, found \"%s\"", most,
                     setting);
        die("--set", &err);
    }
    options->setting[options->settings++] = setting;
}

static void read_options(bench_options *options, int argc, char **argv)
{
    *options =
        (bench_options){.to = "TCSP", .type = CT_CF32, .extent = {64, 2, 768, 256}, .rounds = 15};
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--to")) options->to = argv[k + 1];
        if (!strcmp(argv[k], "--type")) options->type = ct_type_parse(argv[k + 1]);
        if (!strcmp(argv[k], "--device")) options->device = argv[k + 1];
        if (!strcmp(argv[k], "--rounds")) options->rounds = (int)strtol(argv[k + 1], NULL, 10);
        if (!strcmp(argv[k], "--busy")) options->busy = strtol(argv[k + 1], NULL, 10) != 0;
        if (!strcmp(argv[k], "--set")) add_setting(options, argv[k + 1]);
        if (!strcmp(argv[k], "--extents"))
            for (int n = 0; n < 4; n++)
                options->extent[n] = strtol(n ? argv[k + 1] + 1 : argv[k + 1], &argv[k + 1], 10);
    }
    if (options->rounds > ROUNDS || options->rounds < 1) options->rounds = ROUNDS;
}

int main(int argc, char **argv)
{
    static bench b;
    ct_error err = {0};
    ct_layout to;
    read_options(&b.options, argc, argv);
    if (ct_device_open(&b.device, b.options.device, &err)) die("device", &err);
    if (ct_context_open(&b.context, &err)) die("context", &err);
    if (ct_layout_parse(&to, b.options.to, &err)) die("--to", &err);
    const ct_array whole = array_of(&b, &to);
    b.bytes = ct_array_bytes(&whole);
    for (int k = 0; k < 2; k++)
        if (ct_buffer_new(&b.mem[k], b.device, b.bytes, &err)) die("buffer", &err);
    open_copy(&b);
    for (int k = 0; k < ORDERS; k++) {
        b.entry[k].layout = ct_layout_permutation("SPTC", k);
        open_entry(&b, &b.entry[k], &to);
    }
    measure(&b);
    report(&b);
    return 0;
}
