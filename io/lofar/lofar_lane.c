/* lofar_lane.c: see lofar_lane.h.
 * Room: io/lofar. Knows packets. Does not know blocks of arrays. */
#include "lofar_lane.h"
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

static bool lane_is_confirmed(ct_lane *lane, int64_t sample)
{
    ct_packet next;
    if (!lane_matches(lane, lane->at, &next) || !ct_packet_is_timed(&next))
        return lane->at + CT_PACKET_HEADER > lane->input.size;
    int64_t away = ct_packet_sample(&next) - sample;
    return away <= LANE_JUMP && away >= -(int64_t)LANE_JUMP;
}

/* Whether a packet counts, and what is wrong with it where it does not. */
static bool lane_takes(ct_lane *lane, const ct_packet *packet)
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
    return true;
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
    if (lane_takes(lane, &packet)) lane_add(lane, ct_packet_sample(&packet), at);
    return true;
}

void ct_lane_seek(ct_lane *lane, int64_t end)
{
    int64_t until = end + LANE_AHEAD * (int64_t)lane->form.blocks;
    while (lane->highest == lane_none || lane->highest < until)
        if (!lane_advance(lane)) break;
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
    if (ct_input_read(in, 0, bytes, sizeof bytes, err) != CT_OK) return CT_DATA;
    ct_packet_decode(&lane->form, bytes);
    return ct_error_add(err, CT_DATA,
                        "%s: expected whole station packets of version 2 or 3, found version %u, "
                        "%u beamlets, %u blocks, %u bits and %lld bytes in all",
                        in->file, lane->form.version, lane->form.beamlets, lane->form.blocks,
                        lane->form.bits, (long long)in->size);
}

ct_status ct_lane_open(ct_lane *lane, ct_step *step, const char *file, ct_error *err)
{
    lane->step = step;
    lane->span = lane->little;
    lane->room = CT_LANE_SPANS;
    lane->highest = lane_none;
    ct_status status = ct_input_open(&lane->input, file, err);
    if (status != CT_OK) return status;
    status = lane_read_form(lane, err);
    if (status != CT_OK) ct_lane_close(lane);
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

ct_status ct_lane_probe(ct_lane_extent *out, const char *file, ct_error *err)
{
    ct_lane lane = {0};
    ct_status status = ct_lane_open(&lane, NULL, file, err);
    if (status != CT_OK) return status;
    int64_t tail = lane.input.size - LANE_PROBE * lane.bytes;
    out->form = lane.form;
    bool found = lane_probe_from(&lane, 0);
    if (found) out->first = lane.span[0].sample;
    if (found && tail > 0) found = lane_probe_from(&lane, tail);
    if (found) out->end = lane.highest;
    ct_lane_close(&lane);
    if (found) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: expected good station packets at its start and end, found none", file);
}
