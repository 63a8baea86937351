/* run_counters.c: the numbers that a run keeps of its steps, and those that sources and sinks give
 * it. Room: core/run. Knows when nobody is at work in a source or sink. Does not know what they
 * count. */
#include <math.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run.h"

enum { MOST_LETTERS = 64 };

/* ---- what sources and sinks count */

/* Those that OpenMetrics has for itself. */
static bool has_ending(const char *text, size_t length)
{
    static const char *const endings[] = {"_total", "_created", "_bucket",
                                          "_count", "_sum",     "_info"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t size = strlen(endings[i]);
        if (length >= size && strcmp(text + length - size, endings[i]) == 0) return true;
    }
    return false;
}

static bool is_word(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", others[] = "0123456789_";
    size_t length = 0;
    if (!text || !*text || !strchr(letters, *text)) return false;
    while (text[length] && (strchr(letters, text[length]) || strchr(others, text[length])))
        length++;
    return text[length] == 0 && length <= MOST_LETTERS && !has_ending(text, length);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* One number each time, whatever the value. */
static bool is_same(const ct_counter *a, const ct_counter *b)
{
    return is_same_text(a->name, b->name) && is_same_text(a->unit, b->unit) &&
           is_same_text(a->station, b->station) && is_same_text(a->lane, b->lane);
}

static ct_status check_counter(const ct_run_step *at, const ct_counter *one, ct_error *err)
{
    if (is_word(one->name) && (!one->unit || is_word(one->unit))) return CT_OK;
    const bool name = !is_word(one->name);
    return ct_error_add(err, CT_FAILED,
                        "node \"%s\": its count() gives a %s \"%s\": expected small letters, "
                        "digits and _, at most %d, and none of the endings that OpenMetrics gives",
                        at->step->name, name ? "name" : "unit", name ? one->name : one->unit,
                        MOST_LETTERS);
}

static ct_status make_room(ct_run *run, ct_run_step *at, int count, ct_error *err)
{
    ct_status status = CT_OK;
    if (count <= at->counter_room) return CT_OK;
    ct_counter *room = ct_arena_get(run->arena, (size_t)count * sizeof *room);
    CT_NEED(room, (size_t)count * sizeof *room, err);
    if (at->counters > 0) memcpy(room, at->counter, (size_t)at->counters * sizeof *room);
    at->counter = room;
    at->counter_room = count;
out:
    return status;
}

/* What only grows does so for who reads it, too. */
static void take_counter(ct_run_step *at, int n, const ct_counter *one)
{
    const ct_counter before = at->counter[n];
    at->counter[n] = *one;
    if (!isfinite(one->value)) at->counter[n].value = 0;
    if (n >= at->counters || one->level || !is_same(&before, one)) return;
    at->counter[n].value = fmax(at->counter[n].value, before.value);
}

ct_status ct_run_counters_take(ct_run *run, ct_run_step *at, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage_io *stage = &at->step->stage->io;
    const bool bound = at->io.read || at->io.write;
    const ct_counter *given = NULL;
    int count = 0;
    if (bound && at->io.count) given = at->io.count(at->io.state);
    if (!bound && at->open && stage->count) given = stage->count(at->state);
    for (; given && given[count].name; count++)
        CT_TRY(check_counter(at, &given[count], err));
    CT_TRY(make_room(run, at, count, err));
    for (int n = 0; n < count; n++)
        take_counter(at, n, &given[n]);
    at->counters = count;
out:
    return status;
}

/* ---- what the run counts */

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

/* Blocks that a source's thread has read and nobody has taken, or that a sink's is busy with. */
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

/* The n-th of a step; *n: without those that it has, where it has fewer. */
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
    return is_same_text(a->station, b->station) && is_same_text(a->lane, b->lane);
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
