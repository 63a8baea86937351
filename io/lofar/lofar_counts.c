/* lofar_counts.c: see lofar_counts.h.
 * Room: io/lofar. Knows lanes. Does not know blocks of arrays. */
#include "lofar_counts.h"
#include <inttypes.h>
#include <stdio.h>

/* All that were looked at. */
static int64_t counts_received(const ct_lofar_count *of)
{
    const ct_lane_counts *counts = &of->lane->counts;
    return counts->good + counts->repeated + counts->late + counts->truncated + counts->wrong +
           counts->untimed;
}

static int64_t counts_lost(const ct_lofar_count *of)
{
    return of->lane->form.blocks > 0 ? of->missing / of->lane->form.blocks : 0;
}

/* Metrics are those that have a name; the summary at the end has those with a sentence. The last
 * two columns: only for a socket; a level, not a count. */
/* clang-format off */
#define COUNTS(ROW)                                                                                \
    ROW(of->lane->at, "read", "bytes", "Bytes of packets or files that were looked at.", NULL,     \
        false, false)                                                                              \
    ROW(counts_received(of), "packets_received", NULL, "Packets that were looked at.", NULL,       \
        false, false)                                                                              \
    ROW(counts_lost(of), "packets_lost", NULL,                                                     \
        "Packets that never came, or too late, or damaged.", NULL, false, false)                   \
    ROW(of->received.datagrams, "packets_heard", NULL, "Packets that were taken from the system.", \
        NULL, true, false)                                                                         \
    ROW(of->received.dropped, "packets_dropped", NULL,                                             \
        "Packets that the system dropped: its buffer was full.", "packets dropped by the system",  \
        true, false)                                                                               \
    ROW(of->received.waiting, "buffer", "bytes", "Bytes that were heard and not looked at yet.",   \
        NULL, true, true)                                                                          \
    ROW(of->received.ring, "buffer_room", "bytes", "How many of these there may be.", NULL, true,  \
        true)                                                                                      \
    ROW(of->missing, "samples_missing", NULL, "Samples of the stream that no packet had.",         \
        "samples missing (zero, flagged)", false, false)                                           \
    ROW(of->before, NULL, NULL, NULL, "samples before the common start not used", false, false)    \
    ROW(of->after, NULL, NULL, NULL, "samples after the common end not used", false, false)        \
    ROW(of->lane->counts.repeated, "packets_repeated", NULL, "Packets that were there before.",    \
        "packets repeated (the first one counts)", false, false)                                   \
    ROW(of->lane->counts.swapped, "packets_swapped", NULL, "Packets after one that is later.",    \
        "packets out of order (put in order)", false, false)                                       \
    ROW(of->lane->counts.late, "packets_late", NULL, "Packets too late to be put in order.",       \
        "packets too late to be put in order", false, false)                                       \
    ROW(of->lane->counts.truncated, "packets_truncated", NULL, "Packets cut short.",               \
        "packets cut short", false, false)                                                         \
    ROW(of->lane->counts.foreign, "stretches_foreign", NULL,                                       \
        "Stretches that are no packets of the lane.",                                              \
        "stretches that are no packets of this lane", false, false)                                \
    ROW(of->lane->counts.wrong, "packets_wrong", NULL, "Packets that the station marked wrong.",   \
        "packets that the station marked wrong", false, false)                                     \
    ROW(of->lane->counts.untimed, "packets_untimed", NULL, "Packets without a plausible time.",    \
        "packets without a plausible time", false, false)
/* clang-format on */

#define NUMBER(value, ...) value,
#define TEXTS(value, ...) {__VA_ARGS__},
#define ONE(...) +1

enum { COUNTS_ROWS = 0 COUNTS(ONE) };
_Static_assert(COUNTS_ROWS - 2 <= CT_LOFAR_COUNTERS, "room for all that have a name");

static const struct {
    const char *name, *unit, *help, *said;
    bool is_udp, level;
} counts_rows[] = {COUNTS(TEXTS)};

int ct_lofar_counters(ct_counter *out, const ct_lofar_count *of)
{
    const int64_t number[] = {COUNTS(NUMBER)};
    int count = 0;
    for (int row = 0; row < COUNTS_ROWS; row++) {
        if (!counts_rows[row].name || (counts_rows[row].is_udp && !of->is_udp)) continue;
        out[count++] = (ct_counter){.name = counts_rows[row].name,
                                    .unit = counts_rows[row].unit,
                                    .help = counts_rows[row].help,
                                    .station = of->station,
                                    .lane = of->number,
                                    .value = (double)number[row],
                                    .level = counts_rows[row].level};
    }
    return count;
}

void ct_lofar_counts_say(const ct_lofar_count *of, const char *node)
{
    const int64_t number[] = {COUNTS(NUMBER)};
    for (int row = 0; row < COUNTS_ROWS; row++)
        if (counts_rows[row].said && number[row] > 0)
            fprintf(stderr, "%s: %s: %" PRId64 " %s\n", node, of->file, number[row],
                    counts_rows[row].said);
}
