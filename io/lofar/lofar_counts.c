/* lofar_counts.c: see lofar_counts.h.
 * Room: io/lofar. Knows lanes. Does not know blocks of arrays. */
#include "lofar_counts.h"
#include <inttypes.h>
#include <stdio.h>

typedef int64_t counts_value(const ct_lofar_count *of);

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

static int64_t counts_bytes(const ct_lofar_count *of)
{
    return of->lane->at;
}

static int64_t counts_dropped(const ct_lofar_count *of)
{
    return of->received.dropped;
}

static int64_t counts_heard(const ct_lofar_count *of)
{
    return of->received.datagrams;
}

static int64_t counts_waiting(const ct_lofar_count *of)
{
    return of->received.waiting;
}

static int64_t counts_ring(const ct_lofar_count *of)
{
    return of->received.ring;
}

static int64_t counts_missing(const ct_lofar_count *of)
{
    return of->missing;
}

static int64_t counts_before(const ct_lofar_count *of)
{
    return of->before;
}

static int64_t counts_after(const ct_lofar_count *of)
{
    return of->after;
}

static int64_t counts_repeated(const ct_lofar_count *of)
{
    return of->lane->counts.repeated;
}

static int64_t counts_swapped(const ct_lofar_count *of)
{
    return of->lane->counts.swapped;
}

static int64_t counts_late(const ct_lofar_count *of)
{
    return of->lane->counts.late;
}

static int64_t counts_truncated(const ct_lofar_count *of)
{
    return of->lane->counts.truncated;
}

static int64_t counts_foreign(const ct_lofar_count *of)
{
    return of->lane->counts.foreign;
}

static int64_t counts_wrong(const ct_lofar_count *of)
{
    return of->lane->counts.wrong;
}

static int64_t counts_untimed(const ct_lofar_count *of)
{
    return of->lane->counts.untimed;
}

/* Who watches gets those that have a name; the account at the end has those with a sentence. */
static const struct {
    counts_value *value;
    const char *name, *unit, *help, *said;
    bool is_udp; /* where there is a socket only */
    bool level;
} counts_rows[] = {
    {counts_bytes, "read", "bytes", "Bytes of packets or files that were looked at.", NULL, false,
     false},
    {counts_received, "packets_received", NULL, "Packets that were looked at.", NULL, false, false},
    {counts_lost, "packets_lost", NULL, "Packets that never came, or too late, or damaged.", NULL,
     false, false},
    {counts_heard, "packets_heard", NULL, "Packets that were taken from the system.", NULL, true,
     false},
    {counts_dropped, "packets_dropped", NULL,
     "Packets that the system dropped: its buffer was full.", "packets dropped by the system", true,
     false},
    {counts_waiting, "buffer", "bytes", "Bytes that were heard and not looked at yet.", NULL, true,
     true},
    {counts_ring, "buffer_room", "bytes", "How many of these there may be.", NULL, true, true},
    {counts_missing, "samples_missing", NULL, "Samples of the stream that no packet had.",
     "samples missing (zero, flagged)", false, false},
    {counts_before, NULL, NULL, NULL, "samples before the common start not used", false, false},
    {counts_after, NULL, NULL, NULL, "samples after the common end not used", false, false},
    {counts_repeated, "packets_repeated", NULL, "Packets that were there before.",
     "packets repeated (the first one counts)", false, false},
    {counts_swapped, "packets_swapped", NULL, "Packets behind one that is later.",
     "packets out of order (put in order)", false, false},
    {counts_late, "packets_late", NULL, "Packets too late to be put in order.",
     "packets too late to be put in order", false, false},
    {counts_truncated, "packets_truncated", NULL, "Packets cut short.", "packets cut short", false,
     false},
    {counts_foreign, "stretches_foreign", NULL, "Stretches that are no packets of the lane.",
     "stretches that are no packets of this lane", false, false},
    {counts_wrong, "packets_wrong", NULL, "Packets that the station marked wrong.",
     "packets that the station marked wrong", false, false},
    {counts_untimed, "packets_untimed", NULL, "Packets without a plausible time.",
     "packets without a plausible time", false, false},
};

enum { COUNTS_ROWS = sizeof counts_rows / sizeof counts_rows[0] };
_Static_assert(COUNTS_ROWS - 2 <= CT_LOFAR_COUNTERS, "room for all that have a name");

int ct_lofar_counters(ct_counter *out, const ct_lofar_count *of)
{
    int count = 0;
    for (int row = 0; row < COUNTS_ROWS; row++) {
        if (!counts_rows[row].name || (counts_rows[row].is_udp && !of->is_udp)) continue;
        out[count++] = (ct_counter){.name = counts_rows[row].name,
                                    .unit = counts_rows[row].unit,
                                    .help = counts_rows[row].help,
                                    .station = of->station,
                                    .lane = of->number,
                                    .value = (double)counts_rows[row].value(of),
                                    .level = counts_rows[row].level};
    }
    return count;
}

void ct_lofar_counts_say(const ct_lofar_count *of, const char *node)
{
    for (int row = 0; row < COUNTS_ROWS; row++) {
        const int64_t count = counts_rows[row].value(of);
        if (counts_rows[row].said && count > 0)
            fprintf(stderr, "%s: %s: %" PRId64 " %s\n", node, of->file, count,
                    counts_rows[row].said);
    }
}
