/* bench_ragged.c: what odd counts cost: the time at a count over the straight line between the next
 * multiples of 16, all three in each round. Room: tuner/bench. Knows workloads and steps. Does not
 * know stages, kernels or printing.
 *
 * Below 16 the line goes on as from 32 to 16, but not below 0: what does not depend on the count,
 * such as the beams that a beam former writes for few stations, is on it. Samples are as many as
 * take about the workload's time at the higher multiple, and the same at all counts of a line. */
#include "bench_inner.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 16, THINGS = STEP + 1, PAIRS = 128 };

/* Bytes that move in the time of an operation, about: only the number of samples follows from it.
 */
#define FLOPS_PER_BYTE 8.0

typedef struct ragged_layouts {
    char read[CT_LAYOUT_TEXT], write[CT_LAYOUT_TEXT];
} ragged_layouts;

typedef struct bench_ragged {
    ct_bench_run *run;
    const ct_workload *workload;
    bool wanted[BENCH_RAGGED_MOST + 1];
    ragged_layouts layouts[PAIRS];
    int pairs;
    ct_buffer_pool pool;
} bench_ragged;

/* The counts of one line; the first two are the multiples of 16 that it goes through. */
typedef struct ragged_line {
    const ragged_layouts *layouts;
    char dim;
    int64_t samples, count[THINGS];
    int things;
} ragged_line;

/* ---------------------------------------------------------------- which counts */

/* "3,61-63". */
static bool ragged_parse(bool wanted[BENCH_RAGGED_MOST + 1], const char *counts)
{
    const char *at = counts;
    do {
        char *end;
        if (*at < '0' || *at > '9') return false;
        const long long first = strtoll(at, &end, 10);
        long long last = first;
        if (*end == '-' && end[1] >= '0' && end[1] <= '9') last = strtoll(end + 1, &end, 10);
        if (first < 1 || last < first || last > BENCH_RAGGED_MOST) return false;
        for (long long i = first; i <= last; i++)
            wanted[i] = true;
        at = end;
    } while (*at++ == ',');
    return at[-1] == '\0';
}

ct_status ct_bench_ragged_check(const char *counts, ct_error *err)
{
    bool wanted[BENCH_RAGGED_MOST + 1];
    if (ragged_parse(wanted, counts)) return CT_OK;
    return ct_error_add(err, CT_USAGE,
                        "bench: expected counts from 1 to %d, such as 3,61-63, found \"%s\"",
                        BENCH_RAGGED_MOST, counts);
}

/* Those from `low` to the next multiple; false: none. */
static bool ragged_counts(ragged_line *line, const bench_ragged *ragged, int64_t low)
{
    line->count[0] = low == 0 ? STEP : low;
    line->count[1] = line->count[0] + STEP;
    line->things = 2;
    for (int64_t n = low + 1; n < low + STEP && n <= BENCH_RAGGED_MOST; n++)
        if (ragged->wanted[n]) line->count[line->things++] = n;
    return line->things > 2;
}

/* ---------------------------------------------------------------- which layouts */

static bool ragged_is_new(const bench_ragged *ragged, const ragged_layouts *layouts)
{
    for (int i = 0; i < ragged->pairs; i++)
        if (strcmp(ragged->layouts[i].read, layouts->read) == 0 &&
            strcmp(ragged->layouts[i].write, layouts->write) == 0)
            return false;
    return ragged->pairs < PAIRS;
}

/* Other layouts of one side: all that there are, or one for each other fastest dimension. */
static ct_status ragged_side(bench_ragged *ragged, const ct_step *step, int port, ct_error *err)
{
    char fastest[CT_DIMS + 1] = {0};
    ct_layout *list = NULL;
    const ragged_layouts usual = ragged->layouts[0];
    const int64_t count = ct_step_layouts(&list, step, port, NULL);
    if (count < 0) return ct_memory_fail(0, err);
    fastest[0] = step->port[port].layout.dim[step->port[port].layout.rank - 1];
    for (int64_t i = 0; i < count; i++) {
        const char last = list[i].dim[list[i].rank - 1];
        if (!ragged->run->asked->layouts && strchr(fastest, last) != NULL) continue;
        if (strchr(fastest, last) == NULL) fastest[strlen(fastest)] = last;
        ragged_layouts layouts = usual;
        snprintf(port == 0 ? layouts.read : layouts.write, CT_LAYOUT_TEXT, "%s", list[i].dim);
        if (ragged_is_new(ragged, &layouts)) ragged->layouts[ragged->pairs++] = layouts;
    }
    ct_memory_free(list);
    return CT_OK;
}

static ct_status ragged_list_layouts(bench_ragged *ragged, ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_bench *asked = ragged->run->asked;
    const int output = ct_bench_output(step);
    const char *pattern = step->stage->ports[output].layout;
    CT_TRY(ct_bench_ask_layouts(step, asked, err));
    snprintf(ragged->layouts[0].read, CT_LAYOUT_TEXT, "%s", step->port[0].layout.dim);
    snprintf(ragged->layouts[0].write, CT_LAYOUT_TEXT, "%s", step->port[output].layout.dim);
    ragged->pairs = 1;
    if (asked->read == NULL) CT_TRY(ragged_side(ragged, step, 0, err));
    if (asked->write == NULL && (pattern == NULL || pattern[0] != '='))
        CT_TRY(ragged_side(ragged, step, output, err));
out:
    return status;
}

/* ---------------------------------------------------------------- steps */

static ct_status ragged_step(ct_step **out, ct_value **given, const bench_ragged *ragged,
                             const ragged_line *line, int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    ct_workload_counted counted;
    const ct_bench asked = {.read = line->layouts->read, .write = line->layouts->write};
    ct_workload_copy(&counted, ragged->workload);
    if (line->samples > 0) ct_workload_set_count(&counted, 'T', line->samples);
    ct_workload_set_count(&counted, line->dim, count);
    CT_TRY(ct_workload_step(out, given, ragged->run->context, &counted.work, ragged->run->device,
                            err));
    CT_TRY(ct_bench_ask_layouts(*out, &asked, err));
out:
    return status;
}

/* About what it costs with the workload's samples, in bytes. */
static ct_status ragged_cost(double *cost, const bench_ragged *ragged, const ragged_line *line,
                             int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *step = NULL;
    ct_value *given = NULL;
    CT_TRY(ragged_step(&step, &given, ragged, line, count, err));
    *cost = ct_timed_step_bytes(step);
    if (step->stage->flops != NULL) *cost += step->stage->flops(step) / FLOPS_PER_BYTE;
out:
    ct_step_free(step);
    ct_value_free(given);
    return status;
}

static ct_status ragged_samples(ragged_line *line, const bench_ragged *ragged, int64_t high,
                                ct_error *err)
{
    ct_status status = CT_OK;
    ct_workload_counted counted;
    double usual, cost;
    ct_workload_copy(&counted, ragged->workload);
    const int64_t samples = ct_workload_count(&counted, 'T'), whole = samples < 512 ? 8 : 64;
    line->samples = 0;
    CT_TRY(ragged_cost(&usual, ragged, line, ct_workload_count(&counted, line->dim), err));
    CT_TRY(ragged_cost(&cost, ragged, line, high, err));
    line->samples = whole * (int64_t)ceil((double)samples * usual / cost / (double)whole);
out:
    return status;
}

/* ---------------------------------------------------------------- times */

/* What a straight line has at the count, in each round. */
static void ragged_straight(double *out, const ragged_line *line, const double *seconds,
                            int64_t count, int rounds)
{
    const double part = (double)(count - line->count[0]) / STEP;
    for (int r = 0; r < rounds; r++) {
        const double first = seconds[r];
        double rise = seconds[rounds + r] - first;
        if (part < 0) rise = fmin(fmax(rise, 0), first);
        out[r] = first + part * rise;
    }
}

static void ragged_add(const bench_ragged *ragged, const ragged_line *line, const double *seconds)
{
    const int rounds = ragged->run->asked->rounds;
    double straight[CT_ROUNDS_MOST];
    for (int i = 2; i < line->things; i++) {
        const double *mine = seconds + (size_t)i * (size_t)rounds;
        ragged_straight(straight, line, seconds, line->count[i], rounds);
        ct_text_add(ragged->run->json,
                    "%s\n  {\"name\": \"%s\", \"stage\": \"%s\", \"type\": \"%s\", \"dim\": "
                    "\"%c\", \"read\": \"%s\", \"write\": \"%s\", \"samples\": %lld, \"count\": "
                    "%lld, \"seconds\": %.6g, \"line\": %.6g, \"over\": %.4g}",
                    ragged->run->comma, ragged->workload->name, ragged->workload->stage,
                    ragged->workload->type, line->dim, line->layouts->read, line->layouts->write,
                    (long long)line->samples, (long long)line->count[i],
                    ct_rounds_median(mine, rounds), ct_rounds_median(straight, rounds),
                    ct_rounds_ratio(mine, straight, rounds));
        ragged->run->comma = ",";
    }
}

static ct_status ragged_measure(bench_ragged *ragged, const ragged_line *line, ct_error *err)
{
    ct_status status = CT_OK;
    ct_timed_step *timed[THINGS] = {NULL};
    ct_step *step[THINGS] = {NULL};
    ct_value *given[THINGS] = {NULL};
    ct_timed things[THINGS];
    double seconds[THINGS * CT_ROUNDS_MOST];
    for (int i = 0; i < line->things; i++) {
        CT_TRY(ragged_step(&step[i], &given[i], ragged, line, line->count[i], err));
        CT_TRY(ct_timed_step_new(&timed[i], ragged->run->device, step[i], &ragged->pool, err));
        things[i] = ct_timed_step_timing(timed[i]);
    }
    CT_TRY(ct_rounds_run(seconds, things, line->things, ragged->run->asked->rounds, err));
    ragged_add(ragged, line, seconds);
out:
    for (int i = 0; i < line->things; i++) {
        ct_timed_step_free(timed[i]);
        ct_step_free(step[i]);
        ct_value_free(given[i]);
    }
    return status;
}

static void ragged_say(const bench_ragged *ragged, const ragged_line *line)
{
    char sentence[256];
    if (ragged->run->asked->say == NULL) return;
    snprintf(sentence, sizeof sentence, "%s: %s > %s, %c around %lld", ragged->workload->name,
             line->layouts->read, line->layouts->write, line->dim, (long long)line->count[0]);
    ragged->run->asked->say(ragged->run->asked->of, sentence);
}

/* Some counts are more than the stage takes, such as 64 polarizations of the correlator. */
static bool ragged_takes(const bench_ragged *ragged, const ragged_line *line)
{
    double cost;
    for (int i = 0; i < line->things; i++)
        if (ragged_cost(&cost, ragged, line, line->count[i], NULL) != CT_OK) return false;
    return true;
}

static ct_status ragged_dim(bench_ragged *ragged, char dim, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ragged->pairs; i++)
        for (int64_t low = 0; low <= BENCH_RAGGED_MOST; low += STEP) {
            ragged_line line = {.layouts = &ragged->layouts[i], .dim = dim};
            if (!ragged_counts(&line, ragged, low) || !ragged_takes(ragged, &line)) continue;
            ragged_say(ragged, &line);
            CT_TRY(ragged_samples(&line, ragged, low + STEP, err));
            CT_TRY(ragged_measure(ragged, &line, err));
        }
out:
    return status;
}

ct_status ct_bench_ragged(ct_bench_run *run, const ct_workload *workload, ct_error *err)
{
    static const char dims[] = "SBPCFD";
    ct_status status = CT_OK;
    bench_ragged ragged = {.run = run, .workload = workload};
    ct_workload_counted counted;
    ct_step *step = NULL;
    ct_value *given = NULL;
    ct_workload_copy(&counted, workload);
    ragged_parse(ragged.wanted, run->asked->ragged);
    CT_TRY(ct_workload_step(&step, &given, run->context, workload, run->device, err));
    CT_TRY(ragged_list_layouts(&ragged, step, err));
    for (const char *dim = dims; *dim != '\0'; dim++)
        if (ct_workload_varies(workload, *dim) && ct_workload_count(&counted, *dim) > 0)
            CT_TRY(ragged_dim(&ragged, *dim, err));
out:
    ct_timed_step_pool_free(&ragged.pool);
    ct_step_free(step);
    ct_value_free(given);
    return status;
}
