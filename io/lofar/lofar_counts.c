/* lofar_counts.c: see lofar_counts.h.
 * Room: io/lofar. Knows lanes. Does not know blocks of arrays. */
#include "lofar_counts.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

static int64_t counts_unready(const ct_lofar_count *of)
{
    return of->lane->form.blocks > 0 ? of->unready / of->lane->form.blocks : 0;
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
    ROW(of->received.dropped + counts_unready(of), "packets_dropped", NULL,                        \
        "Packets that came and were not heard: the system's buffer was full, or the run was not "  \
        "ready.", NULL, true, false)                                                               \
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

#define NUMBER(value, ...) (double)(value),
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
    const double number[] = {COUNTS(NUMBER)};
    int count = 0;
    for (int row = 0; row < COUNTS_ROWS; row++) {
        if (!counts_rows[row].name || (counts_rows[row].is_udp && !of->is_udp)) continue;
        out[count++] = (ct_counter){.name = counts_rows[row].name,
                                    .unit = counts_rows[row].unit,
                                    .help = counts_rows[row].help,
                                    .station = of->station,
                                    .lane = of->number,
                                    .value = number[row],
                                    .level = counts_rows[row].level};
    }
    return count;
}

int ct_lofar_counters_of_all(ct_counter *out, const ct_receiver *receiver, int64_t lanes)
{
    if (!receiver) return 0;
    const ct_receiver_counts all = ct_live_counts(receiver, lanes);
    const ct_counter rows[] = {
        {.name = "first_dropped",
         .unit = "seconds",
         .help =
             "When the first packet came after the system had dropped some, from 1970; 0: none.",
         .value = all.first_dropped_s,
         .level = true},
        {.name = "behind",
         .unit = "seconds",
         .help = "How long ago came what is looked at.",
         .value = all.behind_s,
         .level = true},
        {.name = "most_behind",
         .unit = "seconds",
         .help = "The most of it so far.",
         .value = all.most_behind_s,
         .level = true},
    };
    memcpy(out, rows, sizeof rows);
    return sizeof rows / sizeof rows[0];
}

/* What was lost by this computer, since when, and why. */
static void counts_say_dropped(const ct_lofar_count *of, const char *node)
{
    const ct_receiver_counts *received = &of->received;
    const time_t first = (time_t)received->first_dropped_s;
    char since[64] = "", behind[32];
    struct tm utc;
    if (first > 0 && gmtime_r(&first, &utc))
        (void)strftime(since, sizeof since, ", first at %Y-%m-%dT%H:%M:%SZ", &utc);
    ct_number_print(behind, sizeof behind, "%.3g", received->most_behind_s);
    if (received->dropped > 0)
        fprintf(stderr,
                "%s: %s: %" PRId64 " packets dropped by the system: its buffer was full%s; the run "
                "was up to %s s behind\n",
                node, of->file, received->dropped, since, behind);
    if (of->unready > 0)
        fprintf(stderr,
                "%s: %s: %" PRId64 " packets came before the run listened: it was not ready when "
                "the stream began, which `cornerturn run --build-only` before, or a later start, "
                "prevents\n",
                node, of->file, counts_unready(of));
}

void ct_lofar_counts_say(const ct_lofar_count *of, const char *node)
{
    const double number[] = {COUNTS(NUMBER)};
    for (int row = 0; row < COUNTS_ROWS; row++)
        if (counts_rows[row].said && number[row] > 0)
            fprintf(stderr, "%s: %s: %" PRId64 " %s\n", node, of->file, (int64_t)number[row],
                    counts_rows[row].said);
    if (of->is_udp) counts_say_dropped(of, node);
}
