/* lofar_source.c: source.lofar: files of station packets, a file for each lane: S,P,T for one
 * beamlet, else S,P,T,C. Lanes and stations are aligned by the number of the sample. Missing
 * samples are zero and flagged.
 * Room: io/lofar. Knows blocks of arrays and lanes. Does not know graphs. */
#include "array_source.h"
#include "lofar_plan.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 32 };

typedef struct lofar_source {
    const char *name; /* the node's */
    const ct_lofar_plan *plan;
    ct_lane **lane;   /* [station][lane]; NULL where none of its beamlets is read */
    int64_t *missing; /* samples, per lane */
    uint8_t
        *packets; /* BATCH of them, so that what lies together in the array is written together */
    uint8_t *converted; /* one beamlet of a packet, clamped and scaled */
    size_t unit;        /* bytes of an element of the array */
    int64_t next;       /* sample number */
} lofar_source;

static const ct_param lofar_params[] = {
    {"files", CT_PARAM_ANY, "!", NULL, 0, 0,
     "a file, a list of lanes, or a list of lanes for each station"},
    {"beamlets", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "\"all\" (default), one, or a list; counted over the lanes"},
    {"span", CT_PARAM_TEXT, "common", CT_WORDS(CT_LOFAR_SPANS), 0, 0,
     "common: from the latest start to the earliest end of the lanes; all: the rest zero-filled"},
    {"subbands", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "subband of each beamlet: a list, or that of beamlet 0 where they ascend"},
    {"zone", CT_PARAM_INT, "0", NULL, 0, 2, "Nyquist zone of the subbands: 0, 1, 2"},
    {"frequency_hz", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "in place of subbands: a list, or the first of ascending ones"},
    {"clamp", CT_PARAM_BOOL, "false", NULL, 0, 0, "-128 becomes -127 (-32768 -32767, -8 -7)"},
    {"scale16", CT_PARAM_BOOL, "false", NULL, 0, 0, "times 16, as ci16: 8 bits like 16"},
    {"max_gap_s", CT_PARAM_REAL, "60", NULL, 0, 1e9,
     "longest stretch without packets; in a longer one the times are wrong, or the file"},
    {"source_name", CT_PARAM_TEXT, NULL, NULL, 0, 0, "what was observed"},
    {"telescope", CT_PARAM_TEXT, "LOFAR", NULL, 0, 0, "which observed it"},
    {0}};

static ct_status lofar_close(void *state, bool complete, ct_error *err);

static bool source_needs(const ct_lofar_plan *plan, int64_t lane)
{
    for (int64_t i = 0; i < plan->picks; i++)
        if (plan->pick[i].lane == lane % plan->lanes) return true;
    return false;
}

static ct_status lofar_open(ct_step *step, void **state, ct_error *err)
{
    const ct_lofar_plan *plan = step->state;
    lofar_source *source = ct_step_alloc(step, sizeof *source);
    size_t lanes = (size_t)(plan->stations * plan->lanes);
    int64_t longest = 0;
    ct_status status = CT_OK;
    *state = source;
    if (!source) return CT_FAILED;
    *source = (lofar_source){.name = step->name, .plan = plan, .next = plan->start};
    source->unit = ct_type_bits(step->port[0].type) / 8;
    source->lane = ct_step_alloc(step, lanes * sizeof(ct_lane *));
    source->missing = ct_step_alloc(step, lanes * sizeof *source->missing);
    if (!source->lane || !source->missing) return CT_FAILED;
    for (size_t i = 0; status == CT_OK && i < lanes; i++) {
        int64_t bytes = ct_packet_bytes(&plan->lane[i].extent.form);
        if (bytes > longest) longest = bytes;
        if (!source_needs(plan, (int64_t)i)) continue;
        ct_lane *lane = ct_step_alloc(step, sizeof *lane);
        if (!lane) status = CT_FAILED;
        if (!lane) break;
        source->lane[i] = lane;
        source->lane[i]->input.fd = -1;
        status = ct_lane_open(source->lane[i], step, plan->lane[i].file,
                              ct_step_real(step, "max_gap_s"), err);
    }
    source->packets = ct_step_alloc(step, (size_t)(BATCH * longest));
    source->converted = ct_step_alloc(step, (size_t)2 * 255 * 4);
    if (!source->packets || !source->converted) status = CT_FAILED;
    if (status != CT_OK) (void)lofar_close(source, false, NULL);
    return status;
}

/* ---- samples of one beamlet in one packet */

/* The `index`-th real number of a payload. */
static int source_number(const uint8_t *payload, unsigned bits, size_t index)
{
    if (bits == 16) return (int16_t)(payload[2 * index] | payload[2 * index + 1] << 8);
    if (bits == 8) return payload[index] < 128 ? payload[index] : payload[index] - 256;
    int nibble = payload[index / 2] >> (index % 2 * 4) & 15;
    return nibble < 8 ? nibble : nibble - 16;
}

static void source_put_number(uint8_t *out, unsigned bits, size_t index, int value)
{
    if (bits == 16) {
        int16_t wide = (int16_t)value;
        memcpy(out + 2 * index, &wide, 2);
    } else if (bits == 8) {
        out[index] = (uint8_t)value;
    } else if (index % 2 == 0) {
        out[index / 2] = (uint8_t)(value & 15);
    } else {
        out[index / 2] = (uint8_t)(out[index / 2] | (value & 15) << 4);
    }
}

/* Clamps and scales; `from` has 4 numbers for each of `count` samples. */
static const uint8_t *source_convert(const lofar_source *source, const uint8_t *from, unsigned bits,
                                     int64_t count)
{
    const ct_lofar_plan *plan = source->plan;
    const int lowest = -(1 << (bits - 1));
    const unsigned to = (unsigned)source->unit * 4;
    if (!plan->clamp && plan->scale == 1) return from;
    for (size_t i = 0; i < 4 * (size_t)count; i++) {
        int value = source_number(from, bits, i);
        if (plan->clamp && value == lowest) value++;
        source_put_number(source->converted, to, i, value * (int)plan->scale);
    }
    return source->converted;
}

/* `count` samples of both polarizations to where the array wants them. */
static void source_place(const lofar_source *source, ct_array *block, int64_t at,
                         const uint8_t *from, int64_t count)
{
    const size_t unit = source->unit;
    const int64_t t = ct_array_stride(block, 'T'), p = ct_array_stride(block, 'P');
    uint8_t *to = (uint8_t *)block->data + at * (int64_t)unit;
    if (p == 1 && t == 2) {
        memcpy(to, from, (size_t)(2 * count) * unit);
        return;
    }
    ct_copy_row(to, t, from, 2, count, (int)unit);
    ct_copy_row(to + p * (int64_t)unit, t, from + unit, 2, count, (int)unit);
}

/* ---- a block */

typedef struct source_window {
    int64_t from, to; /* sample numbers */
    int64_t station, lane;
} source_window;

/* The part of one packet's samples that the window wants, of one beamlet. */
static void source_unpack(lofar_source *source, ct_array *block, const ct_lane *lane,
                          source_window at, const uint8_t *packet, int64_t first, int64_t c)
{
    const unsigned bits = lane->form.bits, sample = bits / 2; /* bytes: four numbers */
    int64_t from = first > at.from ? first : at.from, end = first + lane->form.blocks;
    int64_t to = end < at.to ? end : at.to;
    int64_t skip = source->plan->pick[c].beamlet * lane->form.blocks + from - first;
    const uint8_t *numbers =
        source_convert(source, packet + CT_PACKET_HEADER + skip * sample, bits, to - from);
    int64_t place = block->offset + at.station * ct_array_stride(block, 'S') +
                    (from - source->next) * ct_array_stride(block, 'T') +
                    c * ct_array_stride(block, 'C');
    source_place(source, block, place, numbers, to - from);
}

static ct_status source_read_span(lofar_source *source, ct_array *block, source_window at,
                                  const ct_lane_span *span, ct_error *err)
{
    const ct_lofar_plan *plan = source->plan;
    ct_lane *lane = source->lane[at.station * plan->lanes + at.lane];
    int64_t end = span->sample + span->packets * lane->form.blocks;
    while (at.from < end && at.from < at.to) {
        int64_t first, count;
        ct_status status = ct_lane_packets(lane, span, at.from, at.to, BATCH, &first, &count,
                                           source->packets, err);
        if (status != CT_OK) return status;
        for (int64_t c = 0; c < plan->picks; c++)
            for (int64_t k = 0; plan->pick[c].lane == at.lane && k < count; k++)
                source_unpack(source, block, lane, at, source->packets + k * lane->bytes,
                              first + k * lane->form.blocks, c);
        at.from = first + count * lane->form.blocks;
    }
    return CT_OK;
}

static void source_flag(lofar_source *source, uint8_t *flags, int64_t samples, source_window at)
{
    if (at.to <= at.from) return;
    source->missing[at.station * source->plan->lanes + at.lane] += at.to - at.from;
    if (flags)
        memset(flags + at.station * samples + at.from - source->next, 1, (size_t)(at.to - at.from));
}

/* block NULL: what is missing is counted, and nothing read. */
static ct_status source_read_lane(lofar_source *source, ct_array *block, uint8_t *flags,
                                  source_window at, ct_error *err)
{
    ct_lane *lane = source->lane[at.station * source->plan->lanes + at.lane];
    int64_t samples = block ? ct_array_extent(block, 'T') : 0;
    ct_lane_forget(lane, at.from);
    ct_status status = ct_lane_seek(lane, at.to, err);
    if (status != CT_OK) return status;
    for (int64_t r = ct_lane_find(lane, at.from); r < lane->spans; r++) {
        const ct_lane_span *span = &lane->span[r];
        int64_t end = span->sample + span->packets * lane->form.blocks;
        if (span->sample >= at.to) break;
        source_window gap = {at.from, span->sample, at.station, at.lane};
        source_flag(source, flags, samples, gap);
        if (span->sample > at.from) at.from = span->sample;
        status = block ? source_read_span(source, block, at, span, err) : CT_OK;
        if (status != CT_OK) return status;
        at.from = end < at.to ? end : at.to;
    }
    source_flag(source, flags, samples, at);
    return CT_OK;
}

static ct_status lofar_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    lofar_source *source = state;
    const ct_lofar_plan *plan = source->plan;
    int64_t left = plan->end - source->next, samples = ct_array_extent(block, 'T');
    ct_status status = CT_OK;
    *got = left < samples ? left : samples;
    ct_array_source_end(block, NULL, 0);
    ct_array_source_end(block, flags, *got);
    for (int64_t i = 0; status == CT_OK && i < plan->stations * plan->lanes; i++) {
        source_window at = {source->next, source->next + *got, i / plan->lanes, i % plan->lanes};
        if (source->lane[i]) status = source_read_lane(source, block, flags, at, err);
    }
    source->next += *got;
    return status;
}

/* The files are looked through from their beginnings, since packets may be in any order. */
static ct_status lofar_seek(void *state, int64_t position, ct_error *err)
{
    lofar_source *source = state;
    const ct_lofar_plan *plan = source->plan;
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < plan->stations * plan->lanes; i++) {
        source_window at = {source->next, plan->start + position, i / plan->lanes, i % plan->lanes};
        if (source->lane[i]) status = source_read_lane(source, NULL, NULL, at, err);
    }
    source->next = plan->start + position;
    return status;
}

/* ---- the account at the end */

static void source_report(const lofar_source *source, int64_t i)
{
    const ct_lofar_lane *plan = &source->plan->lane[i];
    const ct_lane_counts *counts = &source->lane[i]->counts;
    const struct {
        int64_t count;
        const char *what;
    } lines[] = {
        {source->missing[i], "samples missing (zero, flagged)"},
        {source->plan->start - plan->extent.first, "samples before the common start not used"},
        {plan->extent.end - source->plan->end, "samples after the common end not used"},
        {counts->repeated, "packets repeated (the first one counts)"},
        {counts->swapped, "packets out of order (put in order)"},
        {counts->late, "packets too late to be put in order"},
        {counts->truncated, "packets cut short"},
        {counts->foreign, "stretches that are no packets of this lane"},
        {counts->wrong, "packets that the station marked wrong"},
        {counts->untimed, "packets without a plausible time"},
    };
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
        if (lines[k].count > 0)
            fprintf(stderr, "%s: %s: %" PRId64 " %s\n", source->name, plan->file, lines[k].count,
                    lines[k].what);
}

static ct_status lofar_close(void *state, bool complete, ct_error *err)
{
    lofar_source *source = state;
    const ct_lofar_plan *plan = source->plan;
    (void)err;
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++) {
        if (!source->lane[i]) continue;
        if (complete) source_report(source, i);
        ct_lane_close(source->lane[i]);
    }
    return CT_OK;
}

const ct_stage ct_stage_source_lofar = {
    .api = CT_API,
    .version = 1,
    .name = "source.lofar",
    .summary = "voltages in LOFAR station packets, lanes and stations aligned by sample",
    .ports = {{"Y", CT_OUT, 0, "SPTC?", "ci8 ci16 ci4", "*", NULL,
               "S,P,T for one beamlet, else S,P,T,C"}},
    .params = lofar_params,
    .infer = ct_lofar_infer,
    .open = lofar_open,
    .read = lofar_read,
    .traits = CT_STAGE_THREAD,
    .close = lofar_close,
    .seek = lofar_seek,
};
