/* guppi_source.c: source.guppi: GUPPI raw files, one or a sequence of them: voltages S, P, T, C of
 * 8 bits, to which 4 and 2 bits are unpacked; holes between blocks are 0, and flagged.
 * Room: io/guppi. Knows samples' places in a block. Does not know graphs. */
#include "angle.h"
#include "array_source.h"
#include "guppi_blocks.h"
#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct guppi_source {
    const ct_guppi_blocks *blocks;
    ct_order order; /* of a block */
    int64_t begin;  /* element of a sample from which on it is read */
    ct_input input;
    int64_t open;                /* which file; -1 none */
    const ct_guppi_block *block; /* that is read */
    int64_t next;                /* sample along T */
} guppi_source;

static const ct_param guppi_params[] = {
    {"files", CT_PARAM_ANY, "!", NULL, 0, 0,
     "a .raw file, or a list of those of one observation, in order"},
    {"max_gap_s", CT_PARAM_REAL, "60", NULL, 0, 1e9,
     "longest hole between blocks; a longer one is a mistake of PKTIDX"},
    {"feed", CT_PARAM_TEXT, NULL, "linear circular", 0, 0,
     "receptors: X and Y, or R and L; default: what FD_POLN says"},
    {0}};

/* ---- what the files hold */

/* The node says it, else FD_POLN. */
static ct_status guppi_set_feed(ct_step *step, const ct_guppi *first, ct_meta *meta)
{
    const char *said = ct_step_text(step, "feed") ? ct_step_text(step, "feed") : first->receptors;
    ct_products *products = ct_step_alloc(step, sizeof *products);
    if (!products) return CT_FAILED;
    if (strncasecmp(said, "lin", 3) == 0) products->feed = CT_FEED_LINEAR;
    if (strncasecmp(said, "circ", 4) == 0) products->feed = CT_FEED_CIRCULAR;
    if (products->feed != CT_FEED_UNKNOWN) meta->products = products;
    return CT_OK;
}

static ct_status guppi_set_meta(ct_step *step, const ct_guppi *first, ct_meta *meta)
{
    double *hz = ct_step_alloc(step, (size_t)first->channels * sizeof *hz);
    if (!hz) return CT_FAILED;
    for (int64_t c = 0; c < first->channels; c++)
        hz[c] = ct_guppi_frequency(first, c);
    *meta = (ct_meta){.sample_time_s = first->sample_time_s,
                      .frequency_hz = hz,
                      .frequencies = first->channels,
                      .channel_width_hz = fabs(first->bw_mhz) * 1e6 / (double)first->channels,
                      .source_name = ct_input_text(step, first->source),
                      .telescope = ct_input_text(step, first->telescope),
                      .src_raj = ct_angle_read(first->ra),
                      .src_dej = ct_angle_read(first->dec)};
    if (first->day > 0) meta->start_mjd = (double)first->day + (double)first->second / 86400;
    meta->start_s = first->second_part + (first->after_start + 0.5) * first->sample_time_s;
    return CT_OK;
}

/* A block is C, T, P or T, C, P. */
static ct_order guppi_order(const ct_array *natural, const ct_guppi *first)
{
    ct_layout layout = {.rank = 4};
    memcpy(layout.dim, first->time_first ? "TCPS" : "CTPS", 5);
    return ct_region_order_dense(&layout, natural, first->samples);
}

static ct_status guppi_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {.type = CT_CI8};
    ct_guppi_blocks *blocks = ct_step_alloc(step, sizeof *blocks);
    if (!blocks) return CT_FAILED;
    ct_status status = ct_guppi_blocks_find(blocks, step, err);
    if (status == CT_OK) status = guppi_set_meta(step, &blocks->first, &natural.meta);
    if (status != CT_OK) return status;
    ct_array_add(&natural, 'S', 1);
    ct_array_add(&natural, 'P', blocks->first.pols);
    ct_array_add(&natural, 'T', blocks->total);
    ct_array_add(&natural, 'C', blocks->first.channels);
    status = guppi_set_feed(step, &blocks->first, &natural.meta);
    if (status != CT_OK) return status;
    const ct_stored stored = {.order = guppi_order(&natural, &blocks->first),
                              .total = blocks->total};
    ct_array_source_describe(step, &natural, &stored);
    step->state = blocks;
    return CT_OK;
}

/* ---- elements of a block */

/* 2 bits are levels (Lebofsky 2019), 4 bits have a sign; the first number is in the most
 * significant bits. */
static void guppi_unpack(int8_t *to, const uint8_t *packed, unsigned bits, int64_t first,
                         size_t count)
{
    static const int8_t levels[] = {40, 12, -12, -40};
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = ((uint64_t)first + i) * bits;
        const unsigned code = packed[at / 8] >> (8 - bits - at % 8) & ((1u << bits) - 1);
        to[i] = bits == 2 ? levels[code] : (int8_t)((int)(code ^ 8) - 8);
    }
}

/* Where rows are far apart, a window would read what nobody wants. */
static ct_status guppi_bytes(guppi_source *source, int64_t at, void *to, size_t bytes,
                             ct_error *err)
{
    return ct_input_read_rows(&source->input, source->block->data_at + at, to, 0, bytes, 1, err);
}

static ct_status guppi_elements(void *of, int64_t first, void *to, size_t count, ct_error *err)
{
    guppi_source *source = of;
    uint8_t packed[4096];
    const unsigned bits = (unsigned)source->blocks->first.bits;
    ct_status status = CT_OK;
    if (bits == 8) return guppi_bytes(source, 2 * first, to, 2 * count, err);
    const size_t most = (sizeof packed - 1) * 8 / (2 * bits);
    int8_t *at = to;
    for (size_t now; count > 0 && status == CT_OK; count -= now, first += (int64_t)now) {
        now = count < most ? count : most;
        const int64_t begin = first * 2 * bits / 8;
        const int64_t end = ct_divide_up((first + (int64_t)now) * 2 * bits, 8);
        status = guppi_bytes(source, begin, packed, (size_t)(end - begin), err);
        if (status == CT_OK) guppi_unpack(at, packed, bits, first * 2 - begin * 8 / bits, 2 * now);
        at += 2 * now;
    }
    return status;
}

/* ---- the source */

static ct_status guppi_open_file(guppi_source *source, int64_t file, ct_error *err)
{
    if (source->open == file) return CT_OK;
    ct_input_close(&source->input);
    source->open = -1;
    ct_status status = ct_input_open(&source->input, source->blocks->file[file], err);
    if (status == CT_OK) source->open = file;
    return status;
}

static ct_status guppi_open(ct_step *step, void **state, ct_error *err)
{
    guppi_source *source = ct_step_alloc(step, sizeof *source);
    *state = source;
    if (!source) return CT_FAILED;
    source->blocks = step->state;
    ct_array whole = {0};
    ct_array_add(&whole, 'S', 1);
    ct_array_add(&whole, 'P', source->blocks->first.pols);
    ct_array_add(&whole, 'C', source->blocks->first.channels);
    source->order = guppi_order(&whole, &source->blocks->first);
    source->begin = ct_array_source_begin(step, &source->order);
    source->input.fd = -1;
    source->open = -1;
    return guppi_open_file(source, 0, err);
}

/* `count` samples from `first` of the stream on, all in a block or all in a hole. */
static ct_status guppi_piece(guppi_source *source, const ct_array *block, int64_t to, int64_t first,
                             int64_t count, bool hole, ct_error *err)
{
    const int64_t from = hole ? 0 : first - source->block->begin;
    ct_copy region = ct_region_make(block, &source->order, to, from, count);
    if (hole) {
        ct_region_zero(&region, block->data);
        return CT_OK;
    }
    region.to += source->begin;
    ct_status status = guppi_open_file(source, source->block->file, err);
    if (status != CT_OK) return status;
    return ct_region_load(&region, block->data, (ct_reader){guppi_elements, source}, err);
}

static ct_status guppi_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    guppi_source *source = state;
    const ct_guppi_blocks *blocks = source->blocks;
    const int64_t samples = ct_array_extent(block, 'T'), left = blocks->total - source->next;
    ct_status status = CT_OK;
    *got = left < samples ? left : samples;
    ct_array_source_end(block, flags, *got);
    for (int64_t t = 0, now; t < *got && status == CT_OK; t += now) {
        const int64_t first = source->next + t;
        source->block = ct_guppi_blocks_at(blocks, first);
        const ct_guppi_block *one = source->block;
        const bool hole = first >= one->begin + one->samples;
        const int64_t end = hole ? one[1].begin : one->begin + one->samples;
        now = end - first < *got - t ? end - first : *got - t;
        status = guppi_piece(source, block, t, first, now, hole, err);
        if (flags && hole) memset(flags + t, 1, (size_t)now);
    }
    source->next += *got;
    return status;
}

static ct_status guppi_seek(void *state, int64_t position, ct_error *err)
{
    (void)err;
    ((guppi_source *)state)->next = position;
    return CT_OK;
}

static ct_status guppi_close(void *state, bool complete, ct_error *err)
{
    (void)complete, (void)err;
    ct_input_close(&((guppi_source *)state)->input);
    return CT_OK;
}

const ct_stage ct_stage_source_guppi = {
    .api = CT_API,
    .version = 1,
    .name = "source.guppi",
    .summary = "GUPPI raw files, voltages, one or a sequence",
    .split = "P C",
    .ports = {{"Y", CT_OUT, 0, "SPTC", "ci8", "*", NULL, "voltages; 4 and 2 bits are unpacked"}},
    .params = guppi_params,
    .infer = guppi_infer,
    .traits = CT_STAGE_THREAD,
    .io = {.open = guppi_open, .read = guppi_read, .close = guppi_close, .seek = guppi_seek},
};
