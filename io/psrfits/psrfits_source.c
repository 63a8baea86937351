/* psrfits_source.c: source.psrfits: search data, T, Q (if there are several), C: as stored if
 * nothing is scaled, else (DATA - ZERO_OFF) DAT_SCL + DAT_OFFS; what has no weight, and holes
 * between rows, are 0, and flagged.
 * Room: io/psrfits. Knows samples of a row. Does not know FITS. */
#include "array_source.h"
#include "params.h"
#include "psrfits_rows.h"
#include <string.h>

typedef struct psrfits_source {
    ct_psrfits file;
    ct_psrfits_rows rows;
    double least_weight;
    ct_order order;
    int64_t row;    /* that is in `values`; -1 none */
    uint8_t *data;  /* of a row, as in the file */
    uint8_t *codes; /* below 8 bits: unpacked */
    char *values;   /* of a row, as the block has them */
    float *scale, *offset, *weight;
    size_t unit;
    int64_t next; /* sample along T */
} psrfits_source;

static const ct_param psrfits_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0, "a PSRFITS file in search mode"},
    {"least_weight", CT_PARAM_REAL, "0.5", NULL, 0, 1,
     "channels whose DAT_WTS is below it in a row are flagged there; those below 1 as partly "
     "there"},
    {"max_gap_s", CT_PARAM_REAL, "60", NULL, 0, 1e9,
     "longest hole between rows; a longer one is a mistake of the times"},
    CT_PARAMS_PRODUCTS,
    {0}};

/* ---- what the file holds */

static ct_type psrfits_type(const ct_psrfits *file)
{
    if (!file->as_stored || file->bits == 32) return CT_F32;
    if (file->bits == 16) return CT_I16;
    return file->with_sign ? CT_I8 : CT_U8;
}

static ct_status psrfits_set_meta(ct_step *step, const ct_psrfits *file, double later_s,
                                  ct_meta *meta, ct_error *err)
{
    double *hz = ct_step_alloc(step, (size_t)file->channels * sizeof *hz);
    if (!hz) return CT_FAILED;
    ct_status status = ct_psrfits_frequencies(file, hz, err);
    const double spacing = file->channels > 1 ? hz[1] - hz[0] : file->step_hz;
    const double width = file->step_hz != 0 ? file->step_hz : spacing;
    *meta = (ct_meta){.sample_time_s = file->sample_time_s,
                      .start_mjd = file->start_mjd,
                      .start_s = file->start_s + later_s + 0.5 * file->sample_time_s,
                      .frequency_hz = hz,
                      .frequencies = file->channels,
                      .channel_width_hz = width < 0 ? -width : width,
                      .source_name = ct_input_text(step, file->source),
                      .telescope = ct_input_text(step, file->telescope),
                      .src_raj = file->src_raj,
                      .src_dej = file->src_dej};
    return status;
}

static bool psrfits_has_weights(const ct_psrfits *file)
{
    return file->unread + file->below + file->partly > 0;
}

static void psrfits_warn_weights(ct_step *step, const ct_psrfits *file)
{
    const double percent = 100.0 / (double)(file->rows * file->channels);
    if (file->unread > 0)
        ct_step_warn(step,
                     "%s: weight 0 has %.3g %% of the channels' rows: these samples are 0, and "
                     "flagged",
                     file->file, percent * (double)file->unread);
    if (file->below > 0)
        ct_step_warn(
            step,
            "%s: a weight above 0 and below %g of %g (\"least_weight\") has %.3g %% of the "
            "channels' rows: these samples are 0, and flagged",
            file->file, ct_step_real(step, "least_weight"), file->most_weight,
            percent * (double)file->below);
    if (file->partly > 0)
        ct_step_warn(
            step,
            "%s: a weight from %g to below 1 of %g has %.3g %% of the channels' rows: these "
            "samples are as they are, and flagged as partly missing",
            file->file, ct_step_real(step, "least_weight"), file->most_weight,
            percent * (double)file->partly);
}

static void psrfits_warn_rows(ct_step *step, const ct_psrfits *file, const ct_psrfits_rows *rows)
{
    if (rows->later_s != 0)
        ct_step_warn(
            step,
            "%s: OFFS_SUB: the first row begins %.9g s later than NSUBOFFS says: that is taken",
            file->file, rows->later_s);
    if (rows->holes > 0)
        ct_step_warn(
            step,
            "%s: %lld holes between rows (OFFS_SUB), of %lld samples: these are 0, and flagged",
            file->file, (long long)rows->stretches - 1, (long long)rows->holes);
    if (rows->uneven > 0)
        ct_step_warn(step,
                     "%s: row %lld begins %.3f samples after the row before it ends, which is no "
                     "whole number: times after it may be wrong by half a sample",
                     file->file, (long long)rows->uneven + 1, rows->uneven_samples);
    if (rows->early > 0)
        ct_step_warn(step,
                     "%s: row %lld begins before the row before it ends; they are joined all the "
                     "same, and times after it are wrong",
                     file->file, (long long)rows->early + 1);
}

/* If not all weights are 1, each channel has flags of its own. */
static ct_status psrfits_set_groups(ct_step *step, const ct_psrfits *file, ct_meta *meta)
{
    if (!psrfits_has_weights(file) || file->channels < 2) return CT_OK;
    ct_groups *groups = ct_step_alloc(step, sizeof *groups);
    int32_t *of = ct_step_alloc(step, sizeof *of * (size_t)file->channels);
    if (!groups || !of) return CT_FAILED;
    for (int64_t c = 0; c < file->channels; c++)
        of[c] = (int32_t)c;
    *groups = (ct_groups){.count = file->channels, .channels = file->channels, .of = of};
    meta->groups = groups;
    return CT_OK;
}

static ct_status psrfits_describe(ct_step *step, ct_psrfits *file, ct_error *err)
{
    ct_array natural = {0};
    psrfits_source *source = ct_step_alloc(step, sizeof *source);
    float *numbers =
        ct_step_alloc(step, (size_t)((2 * file->pols + 1) * file->channels) * sizeof *numbers);
    if (!source || !numbers) return CT_FAILED;
    source->least_weight = ct_step_real(step, "least_weight");
    ct_status status = ct_psrfits_scan(file, numbers, source->least_weight, err);
    if (status == CT_OK)
        status =
            ct_psrfits_rows_find(&source->rows, step, file, ct_step_real(step, "max_gap_s"), err);
    if (status == CT_OK)
        status = psrfits_set_meta(step, file, source->rows.later_s, &natural.meta, err);
    if (status == CT_OK) status = psrfits_set_groups(step, file, &natural.meta);
    if (status != CT_OK) return status;
    natural.type = psrfits_type(file);
    ct_array_add(&natural, 'T', source->rows.samples);
    if (file->pols > 1) ct_array_add(&natural, 'Q', file->pols);
    ct_array_add(&natural, 'C', file->channels);
    status = ct_psrfits_products(step, file, &natural, err);
    if (status != CT_OK) return status;
    ct_layout order = {.rank = natural.rank};
    memcpy(order.dim, natural.dim, sizeof order.dim);
    const ct_stored stored = {.order =
                                  ct_region_order_dense(&order, &natural, source->rows.samples),
                              .total = source->rows.samples};
    ct_array_source_describe(step, &natural, &stored);
    psrfits_warn_weights(step, file);
    psrfits_warn_rows(step, file, &source->rows);
    source->file = *file;
    source->order = stored.order;
    step->state = source;
    return CT_OK;
}

static ct_status psrfits_infer(ct_step *step, ct_error *err)
{
    ct_psrfits file;
    ct_status status = ct_psrfits_open(&file, ct_step_path(step, "file"), err);
    if (status != CT_OK) return status;
    status = psrfits_describe(step, &file, err);
    ct_psrfits_close(&file);
    return status;
}

/* ---- a row */

/* Below 8 bits the first sample is in the most significant bits. */
static void psrfits_unpack(uint8_t *to, const uint8_t *packed, unsigned bits, int64_t count)
{
    const unsigned mask = (1u << bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t at = (uint64_t)i * bits;
        to[i] = (uint8_t)(packed[at / 8] >> (8 - bits - at % 8) & mask);
    }
}

static float psrfits_number(const psrfits_source *source, int64_t i)
{
    const ct_psrfits *file = &source->file;
    float real;
    int16_t wide;
    switch (file->bits) {
    case 32:
        memcpy(&real, source->data + 4 * i, sizeof real);
        return real;
    case 16:
        memcpy(&wide, source->data + 2 * i, sizeof wide);
        return wide;
    case 8:
        return file->with_sign ? (float)(int8_t)source->data[i] : (float)source->data[i];
    default:
        return source->codes[i];
    }
}

static void psrfits_scale(psrfits_source *source)
{
    const ct_psrfits *file = &source->file;
    const int64_t lines = file->pols * file->channels;
    const float zero_off = (float)file->zero_off;
    float *values = (float *)(void *)source->values;
    for (int64_t t = 0; t < file->row_samples; t++)
        for (int64_t k = 0; k < lines; k++)
            values[t * lines + k] =
                (psrfits_number(source, t * lines + k) - zero_off) * source->scale[k] +
                source->offset[k];
}

/* All samples of channels that are flagged. */
static void psrfits_blank(psrfits_source *source)
{
    const ct_psrfits *file = &source->file;
    for (int64_t c = 0; c < file->channels; c++) {
        if (ct_psrfits_flag(file, source->weight[c], source->least_weight) != 1) continue;
        for (int64_t row = 0; row < file->row_samples * file->pols; row++)
            memset(source->values + (size_t)(row * file->channels + c) * source->unit, 0,
                   source->unit);
    }
}

static ct_status psrfits_load(psrfits_source *source, int64_t row, ct_error *err)
{
    const ct_psrfits *file = &source->file;
    const int64_t count = file->row_samples * file->pols * file->channels;
    if (source->row == row) return CT_OK;
    source->row = -1;
    ct_status status = ct_psrfits_row(file, row, source->data, err);
    if (status == CT_OK)
        status = ct_psrfits_scales(file, row, source->scale, source->offset, source->weight, err);
    if (status != CT_OK) return status;
    if (file->bits < 8) psrfits_unpack(source->codes, source->data, (unsigned)file->bits, count);
    if (!file->as_stored)
        psrfits_scale(source);
    else
        memcpy(source->values, file->bits < 8 ? source->codes : source->data,
               (size_t)count * source->unit);
    psrfits_blank(source);
    source->row = row;
    return CT_OK;
}

static ct_status psrfits_elements(void *of, int64_t first, void *to, size_t count, ct_error *err)
{
    psrfits_source *source = of;
    const int64_t spectrum = source->file.pols * source->file.channels;
    ct_status status = CT_OK;
    while (count > 0 && status == CT_OK) {
        const ct_psrfits_place at =
            ct_psrfits_rows_at(&source->rows, &source->file, first / spectrum);
        const int64_t left = at.left * spectrum - first % spectrum;
        const size_t now = (int64_t)count < left ? count : (size_t)left;
        const int64_t from = at.sample * spectrum + first % spectrum;
        if (at.row >= 0) status = psrfits_load(source, at.row, err);
        if (at.row < 0)
            memset(to, 0, now * source->unit);
        else if (status == CT_OK)
            memcpy(to, source->values + (size_t)from * source->unit, now * source->unit);
        to = (char *)to + now * source->unit;
        count -= now;
        first += (int64_t)now;
    }
    return status;
}

/* ---- the source */

static ct_status psrfits_open(ct_step *step, void **state, ct_error *err)
{
    const psrfits_source *made = step->state;
    psrfits_source *source = ct_step_alloc(step, sizeof *source);
    *state = source;
    if (!source) return CT_FAILED;
    *source = *made;
    const ct_psrfits *file = &made->file;
    const size_t count = (size_t)(file->row_samples * file->pols * file->channels);
    const size_t lines = (size_t)(file->pols * file->channels);
    source->unit = ct_type_bits(step->port[0].type) / 8;
    source->row = -1;
    source->data = ct_step_alloc(step, (size_t)ct_psrfits_row_bytes(file));
    source->codes = file->bits < 8 ? ct_step_alloc(step, count) : source->data;
    source->values = ct_step_alloc(step, count * source->unit);
    source->scale = ct_step_alloc(step, (2 * lines + (size_t)file->channels) * sizeof(float));
    if (!source->data || !source->codes || !source->values || !source->scale) return CT_FAILED;
    source->offset = source->scale + lines;
    source->weight = source->offset + lines;
    ct_psrfits now;
    ct_status status = ct_psrfits_open(&now, file->file, err);
    if (status == CT_OK) source->file.handle = now.handle;
    return status;
}

/* Flags of a stretch of one row, or of a hole (row -1): of each channel, or of all together. */
static void psrfits_flag_place(const psrfits_source *source, bool hole, uint8_t *flags,
                               int64_t samples, int64_t count)
{
    const int64_t groups = psrfits_has_weights(&source->file) ? source->file.channels : 1;
    for (int64_t c = 0; c < groups; c++)
        memset(flags + c * samples,
               hole ? 1 : ct_psrfits_flag(&source->file, source->weight[c], source->least_weight),
               (size_t)count);
}

/* Flags [channel][samples] of one station: the block's are `count` from `first` on. */
static ct_status psrfits_flag(psrfits_source *source, int64_t first, int64_t count, int64_t samples,
                              uint8_t *flags, ct_error *err)
{
    ct_status status = CT_OK;
    const bool weights = psrfits_has_weights(&source->file);
    if (!weights && source->rows.holes == 0) return CT_OK;
    for (int64_t t = 0; status == CT_OK && t < count;) {
        const ct_psrfits_place at = ct_psrfits_rows_at(&source->rows, &source->file, first + t);
        const int64_t now = at.left < count - t ? at.left : count - t;
        if (at.row >= 0 && weights) status = psrfits_load(source, at.row, err);
        if (status == CT_OK && (at.row < 0 || weights))
            psrfits_flag_place(source, at.row < 0, flags + t, samples, now);
        t += now;
    }
    return status;
}

static ct_status psrfits_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                              ct_error *err)
{
    psrfits_source *source = state;
    const int64_t samples = ct_array_extent(block, 'T'), left = source->rows.samples - source->next;
    *got = left < samples ? left : samples;
    const ct_copy region = ct_region_make(block, &source->order, 0, source->next, *got);
    ct_status status =
        ct_region_load(&region, block->data, (ct_reader){psrfits_elements, source}, err);
    ct_array_source_end(block, flags, *got);
    if (status == CT_OK && flags)
        status = psrfits_flag(source, source->next, *got, samples, flags, err);
    source->next += *got;
    return status;
}

static ct_status psrfits_seek(void *state, int64_t position, ct_error *err)
{
    (void)err;
    ((psrfits_source *)state)->next = position;
    return CT_OK;
}

static ct_status psrfits_close(void *state, bool complete, ct_error *err)
{
    (void)complete, (void)err;
    ct_psrfits_close(&((psrfits_source *)state)->file);
    return CT_OK;
}

const ct_stage ct_stage_source_psrfits = {
    .api = CT_API,
    .version = 1,
    .name = "source.psrfits",
    .summary = "a PSRFITS file in search mode, as stored or scaled",
    .ports = {{"Y", CT_OUT, 0, "*", "u8 i8 i16 f32", "*", NULL,
               "T,C, and Q where there are several"}},
    .params = psrfits_params,
    .infer = psrfits_infer,
    .io = {.open = psrfits_open,
           .read = psrfits_read,
           .close = psrfits_close,
           .seek = psrfits_seek},
};
