/* vdif_source.c: source.vdif: VDIF files, one or a sequence of them, or a pipe: voltages S, P, T
 * and C (if there are several); what is missing is 0, and flagged.
 * Room: io/vdif. Knows which thread and channel goes where. Does not know graphs. */
#include "array_source.h"
#include "sidecar.h"
#include "vdif_levels.h"
#include "vdif_window.h"
#include <math.h>
#include <string.h>

enum { AT_ONCE = 1 << 14 /* numbers that are decoded at a time */, MOST_BYTES = 1 << 30 };

/* What polarizations are: two threads each, two channels of a frame each, or there is one. */
#define POLARIZATIONS "threads channels none"
typedef enum vdif_pairs { PAIRS_THREADS, PAIRS_CHANNELS, PAIRS_NONE } vdif_pairs;

typedef struct vdif_plan {
    ct_vdif_look look;
    vdif_pairs pairs;
} vdif_plan;

typedef struct vdif_source {
    const vdif_plan *plan;
    const char *name; /* the node's */
    ct_vdif_window window;
    ct_vdif_levels levels;
    int64_t offset; /* samples of the next set that are read */
    uint8_t *numbers;
    ct_counter counter[8];
} vdif_source;

static const ct_param vdif_params[] = {
    {"files", CT_PARAM_ANY, "!", NULL, 0, 0,
     "a .vdif file, or a list of those of one observation, in order; \"-\": standard input"},
    {"threads", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "numbers of the threads that are read, in this order; default: all, ascending"},
    {"polarizations", CT_PARAM_TEXT, NULL, POLARIZATIONS, 0, 0,
     "of two threads each, of two channels each, or one; default: threads where there are two"},
    {"sample_rate_hz", CT_PARAM_REAL, NULL, NULL, 1e-3, 1e12,
     "samples a second; default: what the headers say (EDV 1, 3), or where frame numbers begin "
     "anew"},
    {"reorder", CT_PARAM_INT, "16", NULL, 1, CT_VDIF_SETS,
     "frames of a thread that are kept while one before them is awaited"},
    {"max_gap_s", CT_PARAM_REAL, "60", NULL, 0, 1e9,
     "longest time without frames; a longer one is a mistake of their times"},
    CT_PARAM_FOLLOW,
    {"frequency_hz", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "channel centres: a list; one number where there is no C"},
    {"feed", CT_PARAM_TEXT, NULL, "linear circular", 0, 0, "receptors: X and Y, or R and L"},
    {"source_name", CT_PARAM_TEXT, NULL, NULL, 0, 0, "what was observed"},
    {"telescope", CT_PARAM_TEXT, NULL, NULL, 0, 0, "which observed it"},
    {"src_raj", CT_PARAM_REAL, NULL, NULL, 0, 0, "right ascension, hhmmss.s"},
    {"src_dej", CT_PARAM_REAL, NULL, NULL, 0, 0, "declination, ddmmss.s"},
    {0}};

/* ---- what the files hold */

static ct_status vdif_set_pairs(vdif_plan *plan, ct_step *step, ct_error *err)
{
    const ct_vdif_look *look = &plan->look;
    const int given = ct_step_choice(step, "polarizations");
    plan->pairs = given >= 0 ? (vdif_pairs)given : look->threads == 2 ? PAIRS_THREADS : PAIRS_NONE;
    if (plan->pairs == PAIRS_THREADS && look->threads % 2)
        return ct_step_fail(step, "polarizations", err,
                            "expected an even number of threads, found %lld",
                            (long long)look->threads);
    if (plan->pairs == PAIRS_CHANNELS && look->header.channels % 2)
        return ct_step_fail(step, "polarizations", err,
                            "expected an even number of channels in a frame, found 1");
    if ((double)look->reorder * (double)look->threads * (double)look->payload > MOST_BYTES)
        return ct_step_fail(step, "reorder", err,
                            "%lld frames of %lld bytes of %lld threads, expected at most %d bytes",
                            (long long)look->reorder, (long long)look->payload,
                            (long long)look->threads, MOST_BYTES);
    return CT_OK;
}

/* Threads are lost by themselves, all channels of one together. */
static ct_status vdif_set_groups(ct_step *step, const vdif_plan *plan, ct_meta *meta)
{
    const ct_vdif_look *look = &plan->look;
    const int64_t count = look->threads / (plan->pairs == PAIRS_THREADS ? 2 : 1);
    const int64_t each = look->header.channels / (plan->pairs == PAIRS_CHANNELS ? 2 : 1);
    if (count == 1) return CT_OK;
    ct_groups *groups = ct_step_alloc(step, sizeof *groups);
    int32_t *of = ct_step_alloc(step, (size_t)(count * each) * sizeof *of);
    if (!groups || !of) return CT_FAILED;
    for (int64_t c = 0; c < count * each; c++)
        of[c] = (int32_t)(c / each);
    *groups = (ct_groups){.count = count, .channels = count * each, .of = of};
    meta->groups = groups;
    return CT_OK;
}

static ct_status vdif_set_feed(ct_step *step, ct_meta *meta)
{
    static const ct_feed feeds[] = {CT_FEED_LINEAR, CT_FEED_CIRCULAR};
    const int given = ct_step_choice(step, "feed");
    if (given < 0) return CT_OK;
    ct_products *products = ct_step_alloc(step, sizeof *products);
    if (!products) return CT_FAILED;
    products->feed = feeds[given];
    meta->products = products;
    return CT_OK;
}

static void vdif_set_times(const ct_vdif_look *look, ct_meta *meta)
{
    int64_t day, second;
    const double rate = (double)look->sets_s * (double)look->samples;
    const double hz = look->header.complex ? rate : rate / 2;
    ct_vdif_date(look->begin / look->sets_s, &day, &second);
    meta->sample_time_s = 1 / rate;
    meta->start_mjd = (double)day + (double)second / 86400;
    meta->start_s =
        (double)(look->begin % look->sets_s) / (double)look->sets_s + 0.5 * meta->sample_time_s;
    meta->channel_width_hz = hz;
}

static ct_layout vdif_describe(ct_array *out, const vdif_plan *plan)
{
    ct_layout layout = {0};
    const ct_vdif_look *look = &plan->look;
    const int64_t pols = plan->pairs == PAIRS_NONE ? 1 : 2;
    const int64_t channels = look->threads * look->header.channels / pols;
    const bool rows = look->header.channels == (plan->pairs == PAIRS_CHANNELS ? 2 : 1);
    out->type = ct_vdif_type(look->header.bits, look->header.complex);
    ct_array_add(out, 'S', 1);
    ct_array_add(out, 'P', pols);
    ct_array_add(out, 'T', look->sets < 0 ? 1 : look->sets * look->samples);
    if (channels > 1) ct_array_add(out, 'C', channels);
    for (const char *dim = rows ? "SPCT" : "SPTC"; *dim; dim++)
        if (ct_array_find(out, *dim) >= 0) layout.dim[layout.rank++] = *dim;
    return layout;
}

static ct_status vdif_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {0};
    const ct_sidecar given = {.step = step};
    vdif_plan *plan = ct_step_alloc(step, sizeof *plan);
    if (!plan) return CT_FAILED;
    ct_status status = ct_vdif_look_at(&plan->look, step, err);
    if (status == CT_OK) status = vdif_set_pairs(plan, step, err);
    if (status != CT_OK) return status;
    const int64_t sets = plan->look.sets;
    const ct_stored stored = {.order = {.layout = vdif_describe(&natural, plan)},
                              .total = sets < 0 ? -1 : sets * plan->look.samples};
    status = ct_sidecar_about(&given, &natural, err);
    if (status != CT_OK) return status;
    vdif_set_times(&plan->look, &natural.meta);
    status = vdif_set_feed(step, &natural.meta);
    if (status == CT_OK) status = vdif_set_groups(step, plan, &natural.meta);
    if (status != CT_OK) return status;
    ct_array_source_describe(step, &natural, &stored);
    step->state = plan;
    return CT_OK;
}

/* ---- samples */

/* Where the first of a frame's numbers goes, and how far apart the next ones. */
typedef struct vdif_place {
    int64_t at, t;     /* elements: of its first channel; to the next sample */
    int64_t pol, chan; /* to the next channel, where these are pairs: to the other of two */
} vdif_place;

static vdif_place vdif_place_of(const vdif_source *source, const ct_array *block, int64_t thread,
                                int64_t t)
{
    const vdif_plan *plan = source->plan;
    const int64_t channels = plan->look.header.channels;
    const int64_t p = ct_array_stride(block, 'P'), c = ct_array_stride(block, 'C');
    vdif_place place = {.at = block->offset + t * ct_array_stride(block, 'T'),
                        .t = ct_array_stride(block, 'T'),
                        .chan = c};
    if (plan->pairs == PAIRS_THREADS)
        place.at += thread % 2 * p + thread / 2 * channels * c;
    else if (plan->pairs == PAIRS_CHANNELS)
        place.at += thread * (channels / 2) * c, place.pol = p;
    else
        place.at += thread * channels * c;
    return place;
}

/* `count` samples of all channels of a frame, from `numbers`. */
static void vdif_spread(const vdif_source *source, const vdif_place *place, void *data,
                        int64_t count, size_t unit)
{
    const int pairs = place->pol ? 2 : 1;
    const int64_t channels = source->plan->look.header.channels, each = channels / pairs;
    uint8_t *to = (uint8_t *)data + place->at * (int64_t)unit;
    for (int64_t p = 0; p < pairs; p++, to += place->pol * (int64_t)unit)
        if (count < each)
            for (int64_t t = 0; t < count; t++)
                ct_copy_row(to + t * place->t * (int64_t)unit, place->chan,
                            source->numbers + (size_t)(t * channels + p) * unit, pairs, each,
                            (int)unit);
        else
            for (int64_t c = 0; c < each; c++)
                ct_copy_row(to + c * place->chan * (int64_t)unit, place->t,
                            source->numbers + (size_t)(c * pairs + p) * unit, channels, count,
                            (int)unit);
}

/* A thread's samples of the next set, from sample `source->offset` on, to sample `t` of the block.
 */
static void vdif_load(vdif_source *source, ct_array *block, int64_t thread, int64_t t,
                      int64_t count, bool there, const uint8_t *payload)
{
    const ct_vdif *header = &source->plan->look.header;
    const int64_t parts = header->complex ? 2 : 1, channels = header->channels;
    const size_t unit = ct_type_bits(block->type) / 8;
    const int64_t most = channels < AT_ONCE ? AT_ONCE / channels : 1;
    for (int64_t done = 0, now; done < count; done += now) {
        now = count - done < most ? count - done : most;
        const vdif_place place = vdif_place_of(source, block, thread, t + done);
        const bool direct = channels == 1 && place.t == 1;
        uint8_t *to = direct ? (uint8_t *)block->data + (size_t)place.at * unit : source->numbers;
        if (there)
            ct_vdif_decode(&source->levels, to, payload, (source->offset + done) * channels * parts,
                           now * channels * parts);
        else
            memset(to, 0, (size_t)(now * channels) * unit);
        if (!direct) vdif_spread(source, &place, block->data, now, unit);
    }
}

/* ---- the source */

static ct_status vdif_open(ct_step *step, void **state, ct_error *err)
{
    const vdif_plan *plan = step->state;
    const int64_t channels = plan->look.header.channels;
    vdif_source *source = *state = ct_step_alloc(step, sizeof *source);
    if (!source) return CT_FAILED;
    source->plan = plan;
    source->name = step->name;
    source->window.frames.stream.fd = -1;
    ct_vdif_levels_make(&source->levels, plan->look.header.bits);
    source->numbers = ct_step_alloc(step, (size_t)(channels > AT_ONCE ? channels : AT_ONCE) *
                                              ct_type_bits(step->port[0].type) / 8);
    if (!source->numbers) return CT_FAILED;
    return ct_vdif_window_open(&source->window, step, &plan->look, ct_step_real(step, "max_gap_s"),
                               err);
}

/* All threads of the next set, or a part of it. */
static void vdif_load_set(vdif_source *source, ct_array *block, uint8_t *flags, int64_t t,
                          int64_t count)
{
    const vdif_plan *plan = source->plan;
    const int64_t samples = ct_array_extent(block, 'T');
    for (int64_t thread = 0; thread < plan->look.threads; thread++) {
        const uint8_t *payload;
        const int64_t group = plan->pairs == PAIRS_THREADS ? thread / 2 : thread;
        const bool there = ct_vdif_window_frame(&source->window, thread, &payload) == CT_VDIF_THERE;
        vdif_load(source, block, thread, t, count, there, payload);
        if (flags && !there) memset(flags + group * samples + t, 1, (size_t)count);
    }
}

/* The run clears what is after the stream's end; it is flagged. */
static void vdif_flag_rest(const ct_array *block, uint8_t *flags, int64_t got)
{
    const int64_t samples = ct_array_extent(block, 'T');
    for (int64_t g = 0; flags && g < ct_array_groups(block); g++)
        memset(flags + g * samples + got, 1, (size_t)(samples - got));
}

static ct_status vdif_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                           ct_error *err)
{
    vdif_source *source = state;
    ct_vdif_window *window = &source->window;
    const int64_t samples = ct_array_extent(block, 'T'), frame = source->plan->look.samples;
    ct_status status = CT_OK;
    *got = 0;
    if (flags) memset(flags, 0, (size_t)(ct_array_groups(block) * samples));
    while (status == CT_OK && *got < samples) {
        status = ct_vdif_window_ready(window, err);
        if (status != CT_OK || window->over) break;
        const int64_t left = frame - source->offset, room = samples - *got;
        const int64_t now = left < room ? left : room;
        vdif_load_set(source, block, flags, *got, now);
        *got += now;
        source->offset += now;
        if (source->offset < frame) break;
        ct_vdif_window_take(window);
        source->offset = 0;
    }
    ct_array_source_end(block, NULL, *got);
    vdif_flag_rest(block, flags, *got);
    return status;
}

static ct_status vdif_seek(void *state, int64_t position, ct_error *err)
{
    vdif_source *source = state;
    const int64_t frame = source->plan->look.samples;
    source->offset = position % frame;
    return ct_vdif_window_seek(&source->window, position / frame, err);
}

static ct_status vdif_close(void *state, bool complete, ct_error *err)
{
    vdif_source *source = state;
    (void)err;
    if (complete) ct_vdif_window_say(&source->window, source->name);
    ct_vdif_window_close(&source->window);
    return CT_OK;
}

static const ct_counter *vdif_count(void *state)
{
    vdif_source *source = state;
    const ct_vdif_counts *counts = &source->window.counts;
    const ct_counter rows[] = {
        {.name = "read",
         .unit = "bytes",
         .help = "Bytes of packets or files that were looked at.",
         .value = (double)source->window.frames.read},
        {.name = "frames_lost", .help = "Frames that never came.", .value = (double)counts->lost},
        {.name = "frames_invalid",
         .help = "Frames marked as invalid.",
         .value = (double)counts->invalid},
        {.name = "frames_late",
         .help = "Frames too late to be put in order.",
         .value = (double)counts->late},
        {.name = "frames_repeated",
         .help = "Frames that were there before.",
         .value = (double)counts->repeated},
        {.name = "frames_wrong",
         .help = "Frames without a plausible time.",
         .value = (double)counts->wrong},
    };
    memcpy(source->counter, rows, sizeof rows);
    return source->counter;
}

const ct_stage ct_stage_source_vdif = {
    .api = CT_API,
    .version = 1,
    .name = "source.vdif",
    .summary = "VDIF files or a pipe, voltages, one or a sequence",
    .ports = {{"Y", CT_OUT, 0, "SPTC?", "f32 cf32 i8 ci8 i16 ci16", "*", NULL,
               "voltages: 1 and 2 bits as f32 levels, 4 and 8 bits as i8, 16 bits as i16"}},
    .params = vdif_params,
    .infer = vdif_infer,
    .traits = CT_STAGE_THREAD,
    .io = {.open = vdif_open,
           .read = vdif_read,
           .close = vdif_close,
           .count = vdif_count,
           .seek = vdif_seek},
};
