/* lofar_source.c: source.lofar: files of station packets, a file for each lane: S,P,T for one
 * beamlet, else S,P,T,C. Lanes and stations are aligned by the number of the sample. Missing
 * samples are zero and flagged.
 * Room: io/lofar. Knows blocks of arrays and lanes. Does not know graphs. */
#include "array_source.h"
#include "lofar_block.h"
#include "lofar_counts.h"
#include "lofar_sequential.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SEEK = 1 << 16 }; /* samples at a time */

typedef struct lofar_source {
    const char *name; /* the node's */
    const ct_lofar_plan *plan;
    int64_t first, stations;      /* those that are read */
    ct_lane **lane;               /* [station][lane]; NULL where none of its beamlets is read */
    struct ct_receiver *receiver; /* NULL: files */
    int64_t opened;               /* the sample that was sent when it was */
    ct_sequential *stream;        /* [station][lane]: what is read once */
    bool *ended;                  /* of each lane: nothing comes any more */
    int64_t *taken;               /* samples of the present block, per lane */
    int64_t *missing;             /* samples, per lane */
    ct_lofar_block block;
    int64_t next;        /* sample number */
    const char **number; /* "0", .. */
    ct_counter *counter; /* of all lanes, one after the other */
} lofar_source;

static const ct_param lofar_params[] = {
    {"files", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "a file, a list of lanes, or a list of lanes for each station; there a lane may be a list of "
     "files"},
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
    CT_PARAM_FOLLOW,
    {"listen", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "in place of files: UDP addresses and ports of lanes, as \"0.0.0.0:16130\""},
    {"duration_s", CT_PARAM_REAL, NULL, NULL, 1e-6, 1e9, "for how long to listen"},
    {"start_utc", CT_PARAM_TEXT, NULL, NULL, 0, 0,
     "from when on, as \"2026-11-22T17:00:00\"; not given:"},
    {"start_after_s", CT_PARAM_REAL, "2", NULL, 0, 1e9,
     "so long after the first packets that are heard"},
    {"reorder", CT_PARAM_INT, "1024", NULL, 1, 65536,
     "packets that are awaited for one that is late"},
    {"source_name", CT_PARAM_TEXT, NULL, NULL, 0, 0, "what was observed"},
    {"telescope", CT_PARAM_TEXT, "LOFAR", NULL, 0, 0, "which observed it"},
    {0}};

static ct_status lofar_close(void *state, bool complete, ct_error *err);
static ct_status source_make_counters(lofar_source *source, ct_step *step);

static bool source_needs(const lofar_source *source, int64_t lane)
{
    const ct_lofar_plan *plan = source->plan;
    const int64_t station = lane / plan->lanes - source->first;
    if (station < 0 || station >= source->stations) return false;
    for (int64_t i = 0; i < plan->picks; i++)
        if (plan->pick[i].lane == lane % plan->lanes) return true;
    return false;
}

static ct_status source_open_lane(lofar_source *source, ct_step *step, int64_t i, ct_error *err)
{
    const ct_lofar_lane *plan = &source->plan->lane[i];
    const double max_gap_s = ct_step_real(step, "max_gap_s");
    ct_lane *lane = source->lane[i] = ct_step_alloc(step, sizeof *lane);
    if (!lane) return CT_FAILED;
    lane->input.opened.fd = -1;
    if (plan->sequential) {
        ct_sequential_open(&source->stream[i], step, plan->name, plan->files, plan->handle,
                           source->plan->follow_s);
        if (source->receiver)
            ct_lofar_input_open_pull(&lane->input, step, plan->file, ct_receiver_pull,
                                     ct_receiver_lane(source->receiver, i));
        else
            ct_lofar_input_open_pull(&lane->input, step, plan->file, ct_sequential_pull,
                                     &source->stream[i]);
        lane->input.buffer = plan->buffer;
        lane->input.room = CT_LOFAR_BUFFER;
        return ct_lane_open_input(lane, ct_step_int(step, "reorder"), max_gap_s, err);
    }
    const ct_status status = ct_lane_open(lane, step, plan->name, plan->files, max_gap_s, err);
    lane->reorder = ct_step_int(step, "reorder");
    return status == CT_OK ? ct_lane_make_buffer(lane) : status;
}

/* To those lanes of which something is read. */
static ct_status source_receive(lofar_source *source, ct_step *step, ct_error *err)
{
    const int64_t lanes = source->plan->stations * source->plan->lanes;
    const char **address = ct_step_alloc(step, (size_t)lanes * sizeof *address);
    if (!address) return CT_FAILED;
    for (int64_t i = 0; i < lanes; i++)
        address[i] = source_needs(source, i) ? source->plan->lane[i].file : "";
    const ct_status status = ct_receiver_open(&source->receiver, step, address, lanes, err);
    source->opened = ct_live_now(&source->plan->heard);
    return status == CT_OK ? ct_receiver_start(source->receiver, err) : status;
}

static ct_status lofar_open(ct_step *step, void **state, ct_error *err)
{
    const ct_lofar_plan *plan = step->state;
    lofar_source *source = ct_step_alloc(step, sizeof *source);
    const int64_t lanes = plan->stations * plan->lanes;
    *state = source;
    if (!source) return CT_FAILED;
    *source = (lofar_source){.name = step->name, .plan = plan, .next = plan->start};
    source->first = ct_step_range_first(step, 'S');
    source->stations = ct_array_extent(&step->port[0], 'S');
    source->lane = ct_step_alloc(step, (size_t)lanes * sizeof(ct_lane *));
    source->stream = ct_step_alloc(step, (size_t)lanes * sizeof *source->stream);
    source->ended = ct_step_alloc(step, (size_t)lanes * sizeof *source->ended);
    source->taken = ct_step_alloc(step, (size_t)lanes * sizeof *source->taken);
    source->missing = ct_step_alloc(step, (size_t)lanes * sizeof *source->missing);
    if (!source->lane || !source->stream || !source->ended || !source->taken || !source->missing)
        return CT_FAILED;
    for (int64_t i = 0; i < lanes; i++)
        source->stream[i].bytes.fd = -1;
    ct_status status = source_make_counters(source, step);
    if (status == CT_OK) status = ct_lofar_block_open(&source->block, step);
    if (status == CT_OK && plan->listen) status = source_receive(source, step, err);
    for (int64_t i = 0; status == CT_OK && i < lanes; i++)
        if (source_needs(source, i)) status = source_open_lane(source, step, i, err);
    if (status != CT_OK) (void)lofar_close(source, false, NULL);
    return status;
}

/* ---- a block */

/* Stations count from the first that is read. */
static ct_lofar_window source_window(const lofar_source *source, int64_t i, int64_t samples)
{
    return (ct_lofar_window){source->next, source->next + samples,
                             i / source->plan->lanes - source->first, i % source->plan->lanes};
}

/* All lanes' samples of a step of the block: lanes in turn, since what they write is side by side,
 * and since none of what comes once may wait for long. */
static ct_status source_take_step(lofar_source *source, int64_t first, int64_t samples,
                                  ct_error *err)
{
    const ct_lofar_plan *plan = source->plan;
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < plan->stations * plan->lanes; i++) {
        ct_lofar_window at = source_window(source, i, first + samples);
        at.from += first;
        if (source->lane[i])
            status = ct_lofar_block_take(&source->block, source->lane[i], at, &source->taken[i],
                                         &source->ended[i], err);
        if (i % plan->lanes == plan->lanes - 1) ct_lofar_block_store(&source->block, at);
    }
    return status;
}

static bool source_is_sequential(const lofar_source *source, int64_t i)
{
    return source->lane[i] && source->plan->lane[i].sequential;
}

/* How far the lane is that is least far, of those that come once. */
static int64_t source_least(const lofar_source *source)
{
    int64_t out = INT64_MAX;
    for (int64_t i = 0; i < source->plan->stations * source->plan->lanes; i++)
        if (source_is_sequential(source, i) && !source->ended[i] && source->lane[i]->highest < out)
            out = source->lane[i]->highest;
    return out;
}

/* What comes once before the stream begins: lanes in turn here too, since what none takes is lost.
 */
static ct_status source_catch_up(lofar_source *source, ct_error *err)
{
    const ct_lofar_plan *plan = source->plan;
    ct_status status = CT_OK;
    int64_t least;
    ct_lofar_block_begin(&source->block, NULL, source->next);
    while (status == CT_OK && (least = source_least(source)) < source->next)
        for (int64_t i = 0; status == CT_OK && i < plan->stations * plan->lanes; i++)
            if (source_is_sequential(source, i))
                status = ct_lofar_block_pass(&source->block, source->lane[i], least,
                                             &source->ended[i], err);
    return status;
}

/* All lanes' samples up to `samples` after the present one. */
static ct_status source_take(lofar_source *source, ct_array *block, int64_t samples, ct_error *err)
{
    const ct_lofar_plan *plan = source->plan;
    const int64_t lanes = plan->stations * plan->lanes;
    ct_status status = CT_OK;
    ct_lofar_block_begin(&source->block, block, source->next);
    const int64_t step = source->block.tile.samples;
    for (int64_t i = 0; i < lanes; i++) {
        if (source->lane[i]) ct_lane_forget(source->lane[i], source->next);
        source->taken[i] = 0;
    }
    for (int64_t at = 0; status == CT_OK && block && at < samples; at += step)
        status = source_take_step(source, at, samples - at < step ? samples - at : step, err);
    for (int64_t i = 0; status == CT_OK && i < lanes; i++) {
        const ct_lofar_window at = source_window(source, i, samples);
        const bool last = at.to == plan->end && !plan->listen;
        if (source->lane[i])
            status = ct_lofar_block_finish(&source->block, source->lane[i], at, last,
                                           &source->taken[i], &source->ended[i], err);
    }
    ct_unpack_settle();
    return status;
}

static int64_t source_lane(const lofar_source *source, ct_lofar_window at)
{
    return (source->first + at.station) * source->plan->lanes + at.lane;
}

static void source_miss(lofar_source *source, uint8_t *flags, ct_lofar_window at)
{
    if (at.to <= at.from) return;
    ct_lofar_block_zero(&source->block, at);
    source->missing[source_lane(source, at)] += at.to - at.from;
    if (flags) memset(flags + at.from - source->next, 1, (size_t)(at.to - at.from));
}

/* Counts what is missing in a lane, zeroes and flags it; flags: those of its station's group. */
static void source_find_missing(lofar_source *source, uint8_t *flags, ct_lofar_window at)
{
    const ct_lane *lane = source->lane[source_lane(source, at)];
    for (int64_t r = ct_lane_find(lane, at.from); r < lane->spans; r++) {
        const ct_lane_span *span = &lane->span[r];
        const int64_t end = ct_lane_span_end(lane, span);
        ct_lofar_window gap = at;
        if (span->sample >= at.to) break;
        gap.to = span->sample;
        source_miss(source, flags, gap);
        at.from = end < at.to ? end : at.to;
    }
    source_miss(source, flags, at);
}

static void source_find_all_missing(lofar_source *source, uint8_t *flags, int64_t samples,
                                    int64_t got)
{
    const ct_lofar_plan *plan = source->plan;
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++) {
        const int64_t station = i / plan->lanes - source->first;
        const int64_t row = station * plan->groups + plan->group[i % plan->lanes];
        if (source->lane[i])
            source_find_missing(source, flags ? flags + row * samples : NULL,
                                source_window(source, i, got));
    }
}

/* Where the stream ends, as far as lanes have ended; never before what is read next. */
static int64_t source_end(const lofar_source *source)
{
    const ct_lofar_plan *plan = source->plan;
    int64_t out = plan->all ? INT64_MIN : INT64_MAX;
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++) {
        int64_t end = plan->lane[i].extent.end;
        if (source->lane[i] && plan->lane[i].sequential && source->ended[i])
            end = source->lane[i]->highest;
        if (plan->all ? end > out : end < out) out = end;
    }
    return out < source->next ? source->next : out;
}

static ct_status lofar_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    lofar_source *source = state;
    const int64_t left = source->plan->end - source->next, samples = ct_array_extent(block, 'T');
    *got = left < samples ? left : samples;
    ct_status status = source_catch_up(source, err);
    if (status == CT_OK) status = source_take(source, block, *got, err);
    if (status != CT_OK) return status;
    if (source_end(source) < source->next + *got) *got = source_end(source) - source->next;
    ct_array_source_end(block, flags, *got);
    source_find_all_missing(source, flags, samples, *got);
    source->next += *got;
    if (source->next == source->plan->end) ct_receiver_close(source->receiver); /* else it drops */
    return CT_OK;
}

/* The files are looked through from their beginnings, since packets may be in any order. */
static ct_status lofar_seek(void *state, int64_t position, ct_error *err)
{
    lofar_source *source = state;
    const int64_t to = source->plan->start + position;
    ct_status status = CT_OK;
    if (source->plan->listen)
        return ct_error_add(err, CT_DATA, "%s: what was heard cannot be heard again", source->name);
    while (status == CT_OK && source->next < to) {
        const int64_t now = to - source->next < SEEK ? to - source->next : SEEK;
        status = source_take(source, NULL, now, err);
        if (status == CT_OK) source_find_all_missing(source, NULL, 0, now);
        source->next += now;
    }
    return status;
}

/* ---- what has become of packets */

static ct_lofar_count source_count(const lofar_source *source, int64_t i)
{
    const ct_lofar_plan *all = source->plan;
    const ct_lofar_lane *plan = &all->lane[i];
    ct_lofar_count count = {.lane = source->lane[i],
                            .file = plan->file,
                            .station = source->number[i / all->lanes],
                            .number = source->number[i % all->lanes],
                            .missing = source->missing[i],
                            .before = all->start - plan->extent.first,
                            .after = plan->sequential ? 0 : plan->extent.end - all->end,
                            .is_udp = source->receiver != NULL};
    if (count.is_udp) count.received = ct_receiver_count(source->receiver, i);
    count.unready = ct_live_before(source->receiver, i, source->opened, &plan->extent);
    return count;
}

static const ct_counter *lofar_count(void *state)
{
    const lofar_source *source = state;
    ct_counter *next = source->counter;
    for (int64_t i = 0; i < source->plan->stations * source->plan->lanes; i++) {
        if (!source->lane[i]) continue;
        const ct_lofar_count count = source_count(source, i);
        next += ct_lofar_counters(next, &count);
    }
    next += ct_lofar_counters_of_all(next, source->receiver,
                                     source->plan->stations * source->plan->lanes);
    *next = (ct_counter){0};
    return source->counter;
}

/* "0", "1", ..: stations and lanes. */
static ct_status source_make_counters(lofar_source *source, ct_step *step)
{
    enum { NUMBER = 24 };
    const ct_lofar_plan *plan = source->plan;
    const int64_t most = plan->stations > plan->lanes ? plan->stations : plan->lanes;
    const size_t lanes = (size_t)(plan->stations * plan->lanes);
    char *text = ct_step_alloc(step, (size_t)most * NUMBER);
    source->number = ct_step_alloc(step, (size_t)most * sizeof *source->number);
    source->counter = ct_step_alloc(
        step, (lanes * CT_LOFAR_COUNTERS + CT_LOFAR_COUNTERS_OF_ALL + 1) * sizeof *source->counter);
    if (!text || !source->number || !source->counter) return CT_FAILED;
    for (int64_t i = 0; i < most; i++, text += NUMBER) {
        snprintf(text, NUMBER, "%" PRId64, i);
        source->number[i] = text;
    }
    return CT_OK;
}

static ct_status lofar_close(void *state, bool complete, ct_error *err)
{
    lofar_source *source = state;
    const ct_lofar_plan *plan = source->plan;
    (void)err;
    for (int64_t i = 0; i < plan->stations * plan->lanes; i++) {
        if (!source->lane[i]) continue;
        const ct_lofar_count count = source_count(source, i);
        if (complete) ct_lofar_counts_say(&count, source->name);
        ct_lane_close(source->lane[i]);
        ct_sequential_close(&source->stream[i]);
    }
    ct_receiver_close(source->receiver);
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
    .traits = CT_STAGE_THREAD,
    .split = "S",
    .io = {.open = lofar_open,
           .read = lofar_read,
           .close = lofar_close,
           .count = lofar_count,
           .seek = lofar_seek},
};
