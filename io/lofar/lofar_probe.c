/* lofar_probe.c: what a lane holds, without reading all of it: its first and last packets, and
 * where between them a stretch without packets is too long.
 * Room: io/lofar. Knows packets and lanes. Does not know blocks of arrays. */
#include "lofar_lane.h"

enum { LANE_PROBE = CT_LANE_SPANS }; /* packets at each end that tell a lane's extent */

typedef struct lane_mark {
    int64_t at, sample;
} lane_mark;

/* Looks through a few packets from byte `at`; true where some were good. */
static bool lane_probe_from(ct_lane *lane, int64_t at)
{
    ct_lane_restart(lane, at);
    for (int i = 0; i < LANE_PROBE; i++)
        if (!ct_lane_advance(lane)) break;
    return lane->spans > 0;
}

static lane_mark lane_last(const ct_lane *lane)
{
    const ct_lane_span *span = &lane->span[lane->spans - 1];
    return (lane_mark){span->at + (span->packets - 1) * lane->bytes,
                       ct_lane_span_end(lane, span) - lane->form.blocks};
}

/* Samples for which there is no room between two packets of the file. */
static int64_t lane_missing(const ct_lane *lane, lane_mark low, lane_mark high)
{
    return high.sample - low.sample - (high.at - low.at) / lane->bytes * lane->form.blocks;
}

/* The first packet with a time from byte `at` on; false if there is none before `to`. */
static bool lane_mark_from(ct_lane *lane, int64_t at, int64_t to, lane_mark *out)
{
    ct_packet packet;
    lane->at = at;
    while (ct_lane_next(lane, &packet, &out->at) && out->at < to)
        if (ct_packet_is_timed(&packet)) {
            out->sample = ct_packet_sample(&packet);
            return true;
        }
    return false;
}

/* Halves the file, and takes the half that lacks more: a long gap is where most is missing. What it
 * does not find, reading does. */
static void lane_find_gap(ct_lane *lane, lane_mark low, lane_mark high)
{
    int64_t limit = high.at; /* from here to `high` there are no packets */
    while (limit > low.at + lane->bytes && lane_missing(lane, low, high) > lane->most_gap) {
        const int64_t middle = low.at + (limit - low.at + 1) / 2;
        lane_mark mark;
        if (!lane_mark_from(lane, middle, limit, &mark)) {
            limit = middle;
        } else if (lane_missing(lane, low, mark) > lane_missing(lane, mark, high)) {
            high = mark;
            limit = mark.at;
        } else {
            low = mark;
        }
    }
    const bool neighbours = limit <= low.at + lane->bytes;
    if (neighbours && high.sample - low.sample - lane->form.blocks > lane->most_gap)
        lane->gap = (ct_lane_gap){low.sample + lane->form.blocks, high.sample, high.at};
}

static bool lane_probe_ends(ct_lane *lane, ct_lane_extent *out)
{
    const int64_t tail = lane->input.size - LANE_PROBE * lane->bytes;
    out->form = lane->form;
    if (!lane_probe_from(lane, 0)) return false;
    const lane_mark first = {lane->span[0].at, lane->span[0].sample};
    if (tail > 0 && lane->gap.to == 0 && !lane_probe_from(lane, tail)) return false;
    out->first = first.sample;
    out->end = lane->highest;
    if (tail > first.at && lane->gap.to == 0) lane_find_gap(lane, first, lane_last(lane));
    return true;
}

ct_status ct_probe_files(ct_lane_extent *out, ct_step *step, const char *const *file, int64_t files,
                         double max_gap_s, ct_error *err)
{
    ct_lane lane = {0};
    ct_status status = ct_lane_open(&lane, step, file, files, max_gap_s, err);
    if (status != CT_OK) return status;
    if (lane_probe_ends(&lane, out))
        status = ct_lane_check_gap(&lane, err);
    else
        status = ct_error_add(err, CT_DATA,
                              "%s: expected good station packets at its start and end, found none",
                              file[0]);
    ct_lane_close(&lane);
    return status;
}

ct_status ct_probe_begin(ct_lane *lane, ct_lane_extent *out, ct_error *err)
{
    out->form = lane->form;
    out->end = INT64_MAX;
    if (!lane_probe_from(lane, 0))
        return ct_error_add(err, CT_DATA, "%s: expected good station packets, found none",
                            ct_lofar_input_file(&lane->input, 0, &(int64_t){0}));
    out->first = lane->span[0].sample;
    return ct_lane_check_gap(lane, err);
}
