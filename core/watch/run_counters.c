/* run_counters.c: the numbers that a run keeps of its steps, and those that sources and sinks have
 * counted. Room: core/watch. Knows which steps have which. Does not know who reads them. */
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run_watch.h"

static double blocks_of(const ct_run_step *at)
{
    return (double)at->fired;
}

static double busy_of(const ct_run_step *at)
{
    return at->seconds;
}

static double waited_of(const ct_run_step *at)
{
    return at->waited;
}

static double position_of(const ct_run_step *at)
{
    return (double)at->position;
}

static double samples_of(const ct_run_step *at)
{
    return (double)at->samples;
}

static double missing_of(const ct_run_step *at)
{
    return (double)at->missing;
}

/* Blocks that a source's thread has read ahead, or that a sink's thread is writing. */
static double queue_of(const ct_run_step *at)
{
    const bool busy = ct_run_stream_busy(at);
    if (ct_role_of(at->step) == CT_ROLE_SINK) return busy;
    return at->stream && at->request->asked && !busy;
}

static double room_of(const ct_run_step *at)
{
    return at->threaded;
}

enum { SOURCES = 1 << CT_ROLE_SOURCE, SINKS = 1 << CT_ROLE_SINK, KERNELS = 1 << CT_ROLE_KERNEL };

static const struct {
    int of;
    const char *name, *unit;
    bool level;
    double (*value)(const ct_run_step *at);
    const char *help;
} run_rows[] = {
    {SOURCES | SINKS | KERNELS, "blocks", NULL, false, blocks_of, "Blocks that went through."},
    {SOURCES | SINKS | KERNELS, "busy", "seconds", false, busy_of,
     "Time on the device, or in reading and writing."},
    {SOURCES | SINKS, "waited_for", "seconds", false, waited_of,
     "Time in which the run waited for it."},
    {SOURCES | SINKS, "samples", NULL, false, position_of, "Samples along time, read or written."},
    {SOURCES, "station_samples", NULL, false, samples_of,
     "Samples of each station and group of channels."},
    {SOURCES, "station_samples_missing", NULL, false, missing_of, "Of these, flagged."},
    {SOURCES | SINKS, "queue", "blocks", true, queue_of,
     "Blocks read ahead, or on their way to be written."},
    {SOURCES | SINKS, "queue_room", "blocks", true, room_of, "How many of them there may be."},
};

enum { RUN_ROWS = sizeof run_rows / sizeof run_rows[0] };

/* The n-th counter of a step; if it has fewer, *n becomes n less their number. */
static bool step_counter(const ct_run_step *at, size_t *n, ct_counter *out)
{
    const int role = 1 << ct_role_of(at->step);
    for (int row = 0; row < RUN_ROWS; row++) {
        if (!(run_rows[row].of & role) || (*n)-- > 0) continue;
        *out = (ct_counter){.name = run_rows[row].name,
                            .unit = run_rows[row].unit,
                            .help = run_rows[row].help,
                            .value = run_rows[row].value(at),
                            .level = run_rows[row].level};
        return true;
    }
    if (*n < (size_t)at->counters) {
        *out = at->counter[*n];
        return true;
    }
    *n -= (size_t)at->counters;
    return false;
}

bool ct_run_counter(const ct_run *run, size_t n, ct_counter *out, const char **step)
{
    if (!run || !out) return false;
    for (int s = 0; s < run->plan->count; s++) {
        if (step) *step = run->plan->steps[s].name;
        if (step_counter(&run->steps[s], &n, out)) return true;
    }
    return false;
}

ct_status ct_run_counts_new(ct_run_counts *out, const ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    size_t most = 0;
    for (int s = 0; s < run->plan->count; s++)
        most += RUN_ROWS + (size_t)run->steps[s].counters;
    *out = (ct_run_counts){.one = ct_memory_get(most * sizeof *out->one)};
    CT_NEED(out->one, most * sizeof *out->one, err);
    for (int s = 0; s < run->plan->count; s++)
        for (size_t n = 0, at = 0;; at = ++n) {
            ct_run_count *next = &out->one[out->count];
            if (!step_counter(&run->steps[s], &at, &next->counter)) break;
            next->step = s;
            out->count++;
        }
out:
    return status;
}

void ct_run_counts_free(ct_run_counts *counts)
{
    ct_memory_free(counts->one);
}

bool ct_run_counts_part(const ct_counter *a, const ct_counter *b)
{
    return ct_run_counters_same_text(a->station, b->station) &&
           ct_run_counters_same_text(a->lane, b->lane);
}

const char *ct_run_counts_name(const ct_counter *one, char out[CT_RUN_COUNT_NAME])
{
    (void)ct_number_print(out, CT_RUN_COUNT_NAME, "%s%s%s", one->name, one->unit ? "_" : "",
                          one->unit ? one->unit : "");
    return out;
}

bool ct_run_counts_alike(const ct_counter *a, const ct_counter *b)
{
    char of_a[CT_RUN_COUNT_NAME], of_b[CT_RUN_COUNT_NAME];
    if (a->name == b->name && a->unit == b->unit) return true;
    return strcmp(ct_run_counts_name(a, of_a), ct_run_counts_name(b, of_b)) == 0;
}
