/* lofar_lane.c: see lofar_lane.h.
 * Room: io/lofar. Knows packets. Does not know blocks of arrays. */
#include "lofar_lane.h"
#include "magic.h"
#include <string.h>

enum {
    LANE_JUMP = 1 << 20, /* samples: a longer step in time must be confirmed by the next packet */
    LANE_TOO_LATE = 4,   /* times as many packets as are looked ahead: too late in a row */
    LANE_SLACK = 8       /* packets held beyond twice those that are looked ahead */
};

static const int64_t lane_none = INT64_MIN;

static bool lane_matches(ct_lane *lane, int64_t at, ct_packet *packet)
{
    uint8_t bytes[CT_PACKET_HEADER];
    if (at < 0 || !ct_lofar_input_reaches(&lane->input, at + CT_PACKET_HEADER)) return false;
    if (ct_lofar_input_read(&lane->input, at, bytes, sizeof bytes, NULL) != CT_OK) return false;
    ct_packet_decode(packet, bytes);
    return ct_packet_is_like(packet, &lane->form);
}

/* This byte, or the end if that comes first: of a sequential input, which may have failed before
 * its end, the end of what is there. */
static int64_t lane_limit(ct_lane *lane, int64_t at)
{
    const ct_lofar_input *input = &lane->input;
    if (ct_lofar_input_reaches(&lane->input, at)) return at;
    return input->pull ? input->at + (int64_t)input->have : input->size;
}

/* Whether all ends there. */
static bool lane_ends(ct_lane *lane, int64_t at)
{
    return ct_lofar_input_reaches(&lane->input, at) &&
           !ct_lofar_input_reaches(&lane->input, at + 1);
}

/* The first header in [from, to); `to` if there is none. */
static int64_t lane_search(ct_lane *lane, int64_t from, int64_t to)
{
    ct_packet packet;
    for (; from < to; from++)
        if (lane_matches(lane, from, &packet)) break;
    return from;
}

/* Skips what is not one of this lane's packets. */
static void lane_skip(ct_lane *lane)
{
    ct_packet next;
    const int64_t end = lane->at + lane->bytes;
    if (lane_ends(lane, end) || lane_matches(lane, end, &next))
        lane->at = end;
    else
        lane->at = lane_search(lane, lane->at + 1, lane_limit(lane, lane->at + 2 * lane->bytes));
}

/* Looks at what is at lane->at, and moves past it: a whole packet's byte; -1: anything else. */
static int64_t lane_look(ct_lane *lane, ct_packet *packet)
{
    ct_packet next;
    const int64_t at = lane->at, end = at + lane->bytes;
    if (!lane_matches(lane, at, packet)) {
        lane->counts.foreign++;
        lane_skip(lane);
        return -1;
    }
    const int64_t limit = lane_limit(lane, end);
    const bool followed = limit == end && (lane_ends(lane, end) || lane_matches(lane, end, &next));
    lane->at = followed ? end : lane_search(lane, at + CT_PACKET_HEADER, limit);
    if (lane->at == end) return at;
    lane->counts.truncated++;
    return -1;
}

bool ct_lane_next(ct_lane *lane, ct_packet *packet, int64_t *at)
{
    while (ct_lofar_input_reaches(&lane->input, lane->at + 1)) {
        *at = lane_look(lane, packet);
        if (*at >= 0) return true;
    }
    return false;
}

/* At the end nothing confirms a packet that jumps; one that is the only one need not. */
static bool lane_is_confirmed(ct_lane *lane, int64_t sample)
{
    ct_packet next;
    if (!lane_matches(lane, lane->at, &next) || !ct_packet_is_timed(&next))
        return lane->highest == lane_none &&
               !ct_lofar_input_reaches(&lane->input, lane->at + CT_PACKET_HEADER);
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
        sample < lane->highest - lane->reorder * (int64_t)packet->blocks) {
        lane->counts.late++;
        lane->too_late++;
        return false;
    }
    lane->too_late = 0;
    return !lane_is_far(lane, sample, at);
}

/* False if there is no memory, as the step knows: then no sample of the lane counts. */
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

int64_t ct_lane_span_end(const ct_lane *lane, const ct_lane_span *span)
{
    return span->sample + span->packets * lane->form.blocks;
}

int64_t ct_lane_find(const ct_lane *lane, int64_t sample)
{
    int64_t low = 0, high = lane->spans;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ct_lane_span_end(lane, &lane->span[middle]) <= sample)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ct_lane_forget(ct_lane *lane, int64_t sample)
{
    if (lane->highest == lane_none) return;
    const int64_t late = lane->highest - lane->reorder * (int64_t)lane->form.blocks;
    const int64_t count = ct_lane_find(lane, sample < late ? sample : late);
    if (count == 0) return;
    lane->spans -= count;
    memmove(lane->span, lane->span + count, (size_t)lane->spans * sizeof *lane->span);
}

/* Where a packet can be found later. Of what comes once it is held where it is wanted: there are
 * never more such packets than fit between two that are as late as they may be. */
static int64_t lane_keep(ct_lane *lane, int64_t end, int64_t at)
{
    if (!lane->input.pull) return at;
    if (end <= lane->wanted || !lane->held) return CT_LANE_GONE;
    const int64_t place = lane->holds++ * lane->bytes;
    memcpy(lane->held + place % (lane->slots * lane->bytes), ct_lofar_input_at(&lane->input, at),
           (size_t)lane->bytes);
    return place;
}

/* True where the packet has samples that no other had before. */
static bool lane_add(ct_lane *lane, int64_t sample, int64_t at)
{
    int64_t place = ct_lane_find(lane, sample), end = sample + lane->form.blocks;
    ct_lane_span *before = place > 0 ? &lane->span[place - 1] : NULL;
    if (place < lane->spans && lane->span[place].sample < end) {
        lane->counts.repeated++;
        return false;
    }
    if (lane->highest != lane_none && end <= lane->highest) lane->counts.swapped++;
    if (lane->highest == lane_none || end > lane->highest) lane->highest = end;
    lane->counts.good++;
    at = lane_keep(lane, end, at);
    if (before && ct_lane_span_end(lane, before) == sample &&
        before->at + (at == CT_LANE_GONE ? 0 : before->packets * lane->bytes) == at) {
        before->packets++;
        return true;
    }
    if (!lane_make_room(lane)) return false;
    memmove(&lane->span[place + 1], &lane->span[place],
            (size_t)(lane->spans - place) * sizeof *lane->span);
    lane->span[place] = (ct_lane_span){sample, at, 1};
    lane->spans++;
    return true;
}

bool ct_lane_advance(ct_lane *lane)
{
    ct_packet packet;
    int64_t at;
    if (!ct_lane_next(lane, &packet, &at)) return false;
    if (lane_takes(lane, &packet, at)) (void)lane_add(lane, ct_packet_sample(&packet), at);
    return lane->gap.to == 0;
}

/* What comes once would be waited for in vain. */
static ct_status lane_jumped_back(const ct_lane *lane, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s: the last %lld packets are all from long before sample %lld: the "
                        "station's clock has jumped back",
                        ct_lofar_input_file(&lane->input, 0, &(int64_t){0}),
                        (long long)lane->too_late, (long long)lane->highest);
}

ct_status ct_lane_step(ct_lane *lane, ct_lane_packet *out, bool *more, ct_error *err)
{
    ct_packet packet;
    out->at = -1;
    *more = ct_lofar_input_reaches(&lane->input, lane->at + 1);
    if (!*more) return ct_lofar_input_check(&lane->input, err);
    const int64_t at = lane_look(lane, &packet);
    if (at >= 0 && lane_takes(lane, &packet, at)) {
        out->sample = ct_packet_sample(&packet);
        if (lane_add(lane, out->sample, at)) out->at = at;
    }
    const ct_status status = ct_lofar_input_check(&lane->input, err);
    if (status == CT_OK && lane->input.pull && lane->too_late > LANE_TOO_LATE * lane->reorder)
        return lane_jumped_back(lane, err);
    return status == CT_OK ? ct_lane_check_gap(lane, err) : status;
}

ct_status ct_lane_check_gap(const ct_lane *lane, ct_error *err)
{
    const ct_lane_gap *gap = &lane->gap;
    const double spacing_s = 1024 / ct_packet_clock(&lane->form);
    int64_t byte;
    if (gap->to == 0) return CT_OK;
    const char *file = ct_lofar_input_file(&lane->input, gap->at, &byte);
    return ct_error_add(
        err, CT_DATA,
        "%s: the packet at byte %lld begins with sample %lld, but the one before it "
        "ends with sample %lld: %g s without packets, expected at most %g; a larger "
        "\"max_gap_s\" fills them with zeros",
        file, (long long)byte, (long long)gap->to, (long long)gap->from - 1,
        (double)(gap->to - gap->from) * spacing_s, lane->max_gap_s);
}

bool ct_lane_knows(const ct_lane *lane, int64_t end)
{
    return lane->highest != lane_none &&
           lane->highest >= end + lane->reorder * (int64_t)lane->form.blocks;
}

ct_status ct_lane_seek(ct_lane *lane, int64_t end, ct_error *err)
{
    while (!ct_lane_knows(lane, end))
        if (!ct_lane_advance(lane)) break;
    return ct_lane_check_gap(lane, err);
}

static ct_status lane_no_packets(ct_lane *lane, ct_error *err)
{
    uint8_t bytes[CT_PACKET_HEADER];
    const char *name = ct_lofar_input_file(&lane->input, 0, &(int64_t){0});
    const char *foreign = lane->input.pull ? NULL : ct_magic_find(&lane->input.opened);
    const int64_t size = lane->input.size;
    if (ct_lofar_input_check(&lane->input, err) != CT_OK) return lane->input.status;
    if (size < CT_PACKET_HEADER)
        return ct_error_add(err, CT_DATA, "%s: expected station packets, found %lld bytes", name,
                            (long long)size);
    if (foreign)
        return ct_error_add(err, CT_DATA, "%s: expected station packets, found %s", name, foreign);
    if (ct_lofar_input_read(&lane->input, 0, bytes, sizeof bytes, err) != CT_OK) return CT_DATA;
    ct_packet_decode(&lane->form, bytes);
    return ct_error_add(err, CT_DATA,
                        "%s: expected whole station packets of version 2 or 3, found version %u, "
                        "%u beamlets, %u blocks, %u bits and %lld bytes in all",
                        name, lane->form.version, lane->form.beamlets, lane->form.blocks,
                        lane->form.bits, (long long)size);
}

/* The form of the first packet that can be read: of the first whole one where it begins in the
 * middle of a packet. */
static ct_status lane_read_form(ct_lane *lane, ct_error *err)
{
    uint8_t bytes[CT_PACKET_HEADER];
    ct_lofar_input *input = &lane->input;
    for (int64_t at = 0;
         at < 2 * CT_PACKET_LONGEST && ct_lofar_input_reaches(input, at + CT_PACKET_HEADER); at++) {
        ct_packet next;
        ct_status status = ct_lofar_input_read(input, at, bytes, sizeof bytes, err);
        if (status != CT_OK) return status;
        ct_packet_decode(&lane->form, bytes);
        lane->bytes = ct_packet_bytes(&lane->form);
        const int64_t end = at + lane->bytes;
        if (!ct_packet_is_sound(&lane->form) || !ct_lofar_input_reaches(input, end)) continue;
        if (lane_ends(lane, end) || lane_matches(lane, end, &next)) return CT_OK;
    }
    return lane_no_packets(lane, err);
}

static ct_status lane_begin(ct_lane *lane, double max_gap_s, ct_error *err)
{
    lane->span = lane->little;
    lane->room = CT_LANE_SPANS;
    lane->highest = lane_none;
    lane->max_gap_s = max_gap_s;
    const ct_status status = lane_read_form(lane, err);
    lane->most_gap = (int64_t)(max_gap_s * ct_packet_clock(&lane->form) / 1024);
    return status;
}

ct_status ct_lane_open(ct_lane *lane, ct_step *step, const char *const *file, int64_t files,
                       double max_gap_s, ct_error *err)
{
    lane->step = step;
    lane->reorder = CT_LANE_REORDER;
    ct_status status = ct_lofar_input_open(&lane->input, step, file, files, err);
    if (status != CT_OK) return status;
    status = lane_begin(lane, max_gap_s, err);
    if (status != CT_OK) ct_lane_close(lane);
    return status;
}

ct_status ct_lane_open_probe(ct_lane *lane, double max_gap_s, ct_error *err)
{
    lane->step = lane->input.step;
    lane->reorder = CT_LANE_REORDER;
    return lane_begin(lane, max_gap_s, err);
}

ct_status ct_lane_open_input(ct_lane *lane, int64_t reorder, double max_gap_s, ct_error *err)
{
    lane->step = lane->input.step;
    lane->reorder = reorder;
    const ct_status status = lane_begin(lane, max_gap_s, err);
    if (status != CT_OK) return status;
    lane->slots = 2 * (reorder + LANE_SLACK);
    lane->held = ct_step_alloc(lane->step, (size_t)(lane->slots * lane->bytes));
    return lane->held ? CT_OK : CT_FAILED;
}

ct_status ct_lane_make_buffer(ct_lane *lane)
{
    return ct_lofar_input_make_buffer(&lane->input, lane->bytes);
}

void ct_lane_restart(ct_lane *lane, int64_t at)
{
    lane->at = at;
    lane->spans = 0;
    lane->highest = lane_none;
}

void ct_lane_close(ct_lane *lane)
{
    ct_lofar_input_close(&lane->input);
}

ct_status ct_lane_packets(ct_lane *lane, const ct_lane_span *span, int64_t skip, int64_t *count,
                          const uint8_t **packets, ct_error *err)
{
    ct_lofar_input *input = &lane->input;
    const int64_t at = span->at + skip * lane->bytes, whole = lane->slots * lane->bytes;
    ct_status status = CT_OK;
    *count = span->packets - skip;
    if (input->pull) {
        const int64_t left = lane->slots - at % whole / lane->bytes;
        if (*count > left) *count = left;
        *packets = lane->held + at % whole;
        return CT_OK;
    }
    if (!ct_lofar_input_holds(input, at, lane->bytes)) status = ct_lofar_input_load(input, at, err);
    if (status != CT_OK) return status;
    const int64_t there = (input->at + (int64_t)input->have - at) / lane->bytes;
    if (*count > there) *count = there;
    *packets = ct_lofar_input_at(input, at);
    return CT_OK;
}
