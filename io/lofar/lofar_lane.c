/* lofar_lane.c: see lofar_lane.h.
 * Room: io/lofar. Knows packets. Does not know blocks of arrays. */
#include "lofar_lane.h"
#include "foreign.h"
#include <string.h>

enum {
    LANE_AHEAD = 1024,          /* packets looked ahead: how late one may come */
    LANE_PROBE = CT_LANE_SPANS, /* packets at each end of a file that tell its extent */
    LANE_JUMP = 1 << 20 /* samples: a longer step in time must be confirmed by the next packet */
};

static const int64_t lane_none = INT64_MIN;

static bool lane_matches(ct_lane *lane, int64_t at, ct_packet *packet)
{
    uint8_t bytes[CT_PACKET_HEADER];
    if (at < 0 || at + CT_PACKET_HEADER > lane->input.size) return false;
    if (ct_input_read(&lane->input, at, bytes, sizeof bytes, NULL) != CT_OK) return false;
    ct_packet_decode(packet, bytes);
    return ct_packet_is_like(packet, &lane->form);
}

/* The first header in [from, to); `to` where there is none. */
static int64_t lane_search(ct_lane *lane, int64_t from, int64_t to)
{
    ct_packet packet;
    for (; from < to; from++)
        if (lane_matches(lane, from, &packet)) break;
    return from;
}

/* Steps over what is not one of this lane's packets. */
static void lane_skip(ct_lane *lane)
{
    ct_packet next;
    int64_t size = lane->input.size, behind = lane->at + lane->bytes;
    if (behind == size || lane_matches(lane, behind, &next)) {
        lane->at = behind;
    } else {
        int64_t to = lane->at + 2 * lane->bytes;
        lane->at = lane_search(lane, lane->at + 1, to < size ? to : size);
    }
}

/* The next whole packet, from lane->at on; false at the end of the file. */
static bool lane_next(ct_lane *lane, ct_packet *packet, int64_t *at)
{
    const int64_t size = lane->input.size;
    ct_packet next;
    while (lane->at < size) {
        int64_t behind = lane->at + lane->bytes;
        if (!lane_matches(lane, lane->at, packet)) {
            lane->counts.foreign++;
            lane_skip(lane);
            continue;
        }
        *at = lane->at;
        bool followed = behind == size || (behind < size && lane_matches(lane, behind, &next));
        int64_t limit = behind < size ? behind : size;
        int64_t inner = followed ? limit : lane_search(lane, *at + CT_PACKET_HEADER, limit);
        lane->at = inner;
        if (inner == behind) return true;
        lane->counts.truncated++;
    }
    return false;
}

/* At the end of the file nothing confirms a packet that jumps; one that is the only one need not.
 */
static bool lane_is_confirmed(ct_lane *lane, int64_t sample)
{
    ct_packet next;
    if (!lane_matches(lane, lane->at, &next) || !ct_packet_is_timed(&next))
        return lane->highest == lane_none && lane->at + CT_PACKET_HEADER > lane->input.size;
    int64_t away = ct_packet_sample(&next) - sample;
    return away <= LANE_JUMP && away >= -(int64_t)LANE_JUMP;
}

static bool lane_is_far(ct_lane *lane, int64_t sample, int64_t at)
{
    if (lane->highest == lane_none || sample - lane->highest <= lane->most_gap) return false;
    lane->gap = (ct_lane_gap){lane->highest, sample, at};
    return true;
}

/* Whether a packet counts, and what is wrong with it where it does not. */
static bool lane_takes(ct_lane *lane, const ct_packet *packet, int64_t at)
{
    if (!ct_packet_is_timed(packet)) {
        lane->counts.untimed++;
        return false;
    }
    int64_t sample = ct_packet_sample(packet);
    bool jumps = lane->highest == lane_none || sample > lane->highest + LANE_JUMP;
    if (jumps && !lane_is_confirmed(lane, sample)) {
        lane->counts.untimed++;
        return false;
    }
    if (packet->error) {
        lane->counts.wrong++;
        return false;
    }
    if (lane->highest != lane_none &&
        sample < lane->highest - LANE_AHEAD * (int64_t)packet->blocks) {
        lane->counts.late++;
        return false;
    }
    return !lane_is_far(lane, sample, at);
}

/* False where there is no memory, as the step knows: then no sample of the lane counts. */
static bool lane_make_room(ct_lane *lane)
{
    if (lane->spans < lane->room) return true;
    int64_t room = 2 * lane->room;
    ct_lane_span *span = ct_step_alloc(lane->step, (size_t)room * sizeof *span);
    if (!span) return false;
    memcpy(span, lane->span, (size_t)lane->spans * sizeof *span);
    lane->span = span;
    lane->room = room;
    return true;
}

static int64_t lane_span_end(const ct_lane *lane, const ct_lane_span *span)
{
    return span->sample + span->packets * lane->form.blocks;
}

int64_t ct_lane_find(const ct_lane *lane, int64_t sample)
{
    int64_t low = 0, high = lane->spans;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (lane_span_end(lane, &lane->span[middle]) <= sample)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ct_lane_forget(ct_lane *lane, int64_t sample)
{
    if (lane->highest == lane_none) return;
    const int64_t late = lane->highest - LANE_AHEAD * (int64_t)lane->form.blocks;
    const int64_t count = ct_lane_find(lane, sample < late ? sample : late);
    if (count == 0) return;
    lane->spans -= count;
    memmove(lane->span, lane->span + count, (size_t)lane->spans * sizeof *lane->span);
}

static void lane_add(ct_lane *lane, int64_t sample, int64_t at)
{
    int64_t place = ct_lane_find(lane, sample), end = sample + lane->form.blocks;
    ct_lane_span *before = place > 0 ? &lane->span[place - 1] : NULL;
    if (place < lane->spans && lane->span[place].sample < end) {
        lane->counts.repeated++;
        return;
    }
    if (lane->highest != lane_none && end <= lane->highest) lane->counts.swapped++;
    if (lane->highest == lane_none || end > lane->highest) lane->highest = end;
    lane->counts.good++;
    if (before && lane_span_end(lane, before) == sample &&
        before->at + before->packets * lane->bytes == at) {
        before->packets++;
        return;
    }
    if (!lane_make_room(lane)) return;
    memmove(&lane->span[place + 1], &lane->span[place],
            (size_t)(lane->spans - place) * sizeof *lane->span);
    lane->span[place] = (ct_lane_span){sample, at, 1};
    lane->spans++;
}

static bool lane_advance(ct_lane *lane)
{
    ct_packet packet;
    int64_t at;
    if (!lane_next(lane, &packet, &at)) return false;
    if (lane_takes(lane, &packet, at)) lane_add(lane, ct_packet_sample(&packet), at);
    return lane->gap.to == 0;
}

static ct_status lane_check_gap(const ct_lane *lane, ct_error *err)
{
    const ct_lane_gap *gap = &lane->gap;
    const double spacing_s = 1024 / ct_packet_clock(&lane->form);
    if (gap->to == 0) return CT_OK;
    return ct_error_add(
        err, CT_DATA,
        "%s: the packet at byte %lld begins with sample %lld, but the one before it "
        "ends with sample %lld: %g s without packets, expected at most %g; a larger "
        "\"max_gap_s\" fills them with zeros",
        lane->input.file, (long long)gap->at, (long long)gap->to, (long long)gap->from - 1,
        (double)(gap->to - gap->from) * spacing_s, lane->max_gap_s);
}

ct_status ct_lane_seek(ct_lane *lane, int64_t end, ct_error *err)
{
    int64_t until = end + LANE_AHEAD * (int64_t)lane->form.blocks;
    while (lane->highest == lane_none || lane->highest < until)
        if (!lane_advance(lane)) break;
    return lane_check_gap(lane, err);
}

/* The form of the first packet that can be read: of the first whole one where the file begins in
 * the middle of a packet. */
static ct_status lane_read_form(ct_lane *lane, ct_error *err)
{
    uint8_t bytes[CT_PACKET_HEADER];
    ct_input *in = &lane->input;
    if (in->size < CT_PACKET_HEADER)
        return ct_error_add(err, CT_DATA, "%s: expected station packets, found %lld bytes",
                            in->file, (long long)in->size);
    for (int64_t at = 0; at + CT_PACKET_HEADER <= in->size && at < 2 * CT_PACKET_LONGEST; at++) {
        ct_packet next;
        ct_status status = ct_input_read(in, at, bytes, sizeof bytes, err);
        if (status != CT_OK) return status;
        ct_packet_decode(&lane->form, bytes);
        lane->bytes = ct_packet_bytes(&lane->form);
        bool whole = ct_packet_is_sound(&lane->form) && at + lane->bytes <= in->size;
        if (whole && (at + lane->bytes == in->size || lane_matches(lane, at + lane->bytes, &next)))
            return CT_OK;
    }
    if (ct_foreign_find(in))
        return ct_error_add(err, CT_DATA, "%s: expected station packets, found %s", in->file,
                            ct_foreign_find(in));
    if (ct_input_read(in, 0, bytes, sizeof bytes, err) != CT_OK) return CT_DATA;
    ct_packet_decode(&lane->form, bytes);
    return ct_error_add(err, CT_DATA,
                        "%s: expected whole station packets of version 2 or 3, found version %u, "
                        "%u beamlets, %u blocks, %u bits and %lld bytes in all",
                        in->file, lane->form.version, lane->form.beamlets, lane->form.blocks,
                        lane->form.bits, (long long)in->size);
}

ct_status ct_lane_open(ct_lane *lane, ct_step *step, const char *file, double max_gap_s,
                       ct_error *err)
{
    lane->step = step;
    lane->span = lane->little;
    lane->room = CT_LANE_SPANS;
    lane->highest = lane_none;
    ct_status status = ct_input_open(&lane->input, file, err);
    if (status != CT_OK) return status;
    status = lane_read_form(lane, err);
    if (status != CT_OK) ct_lane_close(lane);
    lane->max_gap_s = max_gap_s;
    lane->most_gap = (int64_t)(max_gap_s * ct_packet_clock(&lane->form) / 1024);
    return status;
}

void ct_lane_close(ct_lane *lane)
{
    ct_input_close(&lane->input);
}

ct_status ct_lane_packets(ct_lane *lane, const ct_lane_span *span, int64_t sample, int64_t end,
                          int64_t most, int64_t *first, int64_t *count, uint8_t *packets,
                          ct_error *err)
{
    const int64_t blocks = lane->form.blocks;
    int64_t skip = sample > span->sample ? (sample - span->sample) / blocks : 0;
    int64_t left = span->packets - skip;
    *first = span->sample + skip * blocks;
    *count = (end - *first + blocks - 1) / blocks;
    if (*count > left) *count = left;
    if (*count > most) *count = most;
    return ct_input_read(&lane->input, span->at + skip * lane->bytes, packets,
                         (size_t)(*count * lane->bytes), err);
}

/* ---- what a file holds, without reading all of it */

typedef struct lane_mark {
    int64_t at, sample;
} lane_mark;

/* Looks through a few packets from byte `at`; true where some were good. */
static bool lane_probe_from(ct_lane *lane, int64_t at)
{
    lane->at = at;
    lane->spans = 0;
    lane->highest = lane_none;
    for (int i = 0; i < LANE_PROBE; i++)
        if (!lane_advance(lane)) break;
    return lane->spans > 0;
}

static lane_mark lane_last(const ct_lane *lane)
{
    const ct_lane_span *span = &lane->span[lane->spans - 1];
    return (lane_mark){span->at + (span->packets - 1) * lane->bytes,
                       lane_span_end(lane, span) - lane->form.blocks};
}

/* Samples for which there is no room between two packets of the file. */
static int64_t lane_missing(const ct_lane *lane, lane_mark low, lane_mark high)
{
    return high.sample - low.sample - (high.at - low.at) / lane->bytes * lane->form.blocks;
}

/* The first packet with a time from byte `at` on; false where there is none before `to`. */
static bool lane_mark_from(ct_lane *lane, int64_t at, int64_t to, lane_mark *out)
{
    ct_packet packet;
    lane->at = at;
    while (lane_next(lane, &packet, &out->at) && out->at < to)
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

ct_status ct_lane_probe(ct_lane_extent *out, const char *file, double max_gap_s, ct_error *err)
{
    ct_lane lane = {0};
    ct_status status = ct_lane_open(&lane, NULL, file, max_gap_s, err);
    if (status != CT_OK) return status;
    if (lane_probe_ends(&lane, out))
        status = lane_check_gap(&lane, err);
    else
        status = ct_error_add(err, CT_DATA,
                              "%s: expected good station packets at its start and end, found none",
                              file);
    ct_lane_close(&lane);
    return status;
}
