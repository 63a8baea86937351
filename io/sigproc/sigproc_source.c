/* sigproc_source.c: source.sigproc: a .fil (T, Q if there are several, C) or .tim (D, T) file.
 * Room: io/sigproc. Knows SIGPROC's header. Does not know graphs. */
#include "array_source.h"
#include "byte_stream.h"
#include "filterbank.h"
#include "numbers.h"
#include "params.h"
#include "sidecar.h"
#include "sigproc.h"

static const ct_param sigproc_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "a .fil or .tim file: 1, 2, 4, 8, 16 or 32 bits; \"-\": standard input"},
    CT_PARAM_FOLLOW,
    CT_PARAMS_PRODUCTS,
    {0}};

/* A header's bytes may be any number, or none. */
static ct_status sigproc_check_all(const ct_sigproc *header, const ct_input *in, ct_error *err)
{
    static const struct {
        const char *keyword, *key;
        double unit;
    } rows[] = {{"tsamp", "sample_time_s", 1},
                {"tstart", "start_mjd", 1},
                {"fch1", "frequency_hz", 1e6},
                {"foff", "channel_width_hz", 1e6},
                {"refdm", "dm", 1},
                {"src_raj", "src_raj", 1},
                {"src_dej", "src_dej", 1}};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof rows / sizeof rows[0]; i++)
        status = ct_filterbank_hold(in->file, rows[i].keyword, rows[i].key,
                                    ct_sigproc_real(header, rows[i].keyword, 0), rows[i].unit, err);
    if (status == CT_OK && !(ct_sigproc_real(header, "tsamp", 1) > 0))
        return ct_error_add(err, CT_DATA, "%s: tsamp: expected a time above 0, found %g", in->file,
                            ct_sigproc_real(header, "tsamp", 0));
    return status;
}

static ct_status sigproc_set_frequencies(ct_step *step, const ct_sigproc *header, ct_input *in,
                                         int64_t channels, ct_meta *meta, ct_error *err)
{
    ct_status status = CT_OK;
    /* SIGPROC's own series give 0 where they do not know it */
    const bool series = ct_sigproc_int(header, "data_type", 1) == 2;
    if (!header->table_count && ct_sigproc_real(header, "fch1", 0) == 0 &&
        (series || !ct_sigproc_find(header, "fch1")))
        return CT_OK;
    double *frequency = ct_step_alloc(step, (size_t)channels * sizeof *frequency);
    if (!frequency) return CT_FAILED;
    for (int64_t c = 0; status == CT_OK && c < channels; c++) {
        status = ct_sigproc_frequency(&frequency[c], header, in, c, err);
        if (status == CT_OK)
            status = ct_filterbank_hold(in->file, header->table_count ? "fchannel" : "foff",
                                        "frequency_hz", frequency[c] * 1e-6, 1e6, err);
        if (status == CT_OK && !(frequency[c] > 0))
            status = ct_error_add(err, CT_DATA,
                                  "%s: %s: expected frequencies above 0, found %g MHz for channel "
                                  "%lld",
                                  in->file, header->table_count ? "fchannel" : "fch1, foff",
                                  frequency[c] * 1e-6, (long long)c);
    }
    double width = ct_sigproc_real(header, "foff", 0) * 1e6;
    if (width == 0 && channels > 1) width = frequency[1] - frequency[0];
    meta->frequency_hz = frequency;
    meta->frequencies = channels;
    meta->channel_width_hz = width < 0 ? -width : width;
    return status;
}

/* Fields that only ct_header has room for. */
static ct_status sigproc_set_header(ct_step *step, const ct_sigproc *header, ct_meta *meta)
{
    ct_header *more = ct_step_alloc(step, sizeof *more);
    if (!more) return CT_FAILED;
    *more = (ct_header){.data_type = (int)ct_sigproc_int(header, "data_type", 1),
                        .machine_id = (int)ct_sigproc_int(header, "machine_id", 0),
                        .beams = (int)ct_sigproc_int(header, "nbeams", 0),
                        .beam = (int)ct_sigproc_int(header, "ibeam", 0),
                        .barycentric = ct_sigproc_int(header, "barycentric", 0) != 0,
                        .pulsarcentric = ct_sigproc_int(header, "pulsarcentric", 0) != 0,
                        .az_deg = ct_sigproc_real(header, "az_start", 0),
                        .za_deg = ct_sigproc_real(header, "za_start", 0),
                        .refdm = ct_sigproc_real(header, "refdm", 0)};
    meta->header = more;
    return CT_OK;
}

static ct_status sigproc_set_meta(ct_step *step, const ct_sigproc *header, ct_input *in,
                                  ct_array *natural, ct_error *err)
{
    ct_meta *meta = &natural->meta;
    meta->sample_time_s = ct_sigproc_real(header, "tsamp", 0);
    meta->start_mjd = ct_sigproc_real(header, "tstart", 0);
    meta->start_s = 0.5 * meta->sample_time_s;
    meta->src_raj = ct_sigproc_real(header, "src_raj", 0);
    meta->src_dej = ct_sigproc_real(header, "src_dej", 0);
    meta->source_name = ct_input_text(step, ct_sigproc_text(header, "source_name", NULL));
    if (ct_sigproc_find(header, "telescope_id")) {
        char name[32];
        ct_filterbank_telescope(name, ct_sigproc_int(header, "telescope_id", 0));
        meta->telescope = ct_input_text(step, name);
    }
    if (ct_array_find(natural, 'D') >= 0) {
        double *dm = ct_step_alloc(step, sizeof *dm);
        if (!dm) return CT_FAILED;
        *dm = ct_sigproc_real(header, "refdm", 0);
        meta->dm = dm;
        meta->dms = 1;
    }
    ct_status status = sigproc_set_header(step, header, meta);
    if (status != CT_OK) return status;
    status = ct_sidecar_products(&(ct_sidecar){.step = step}, natural, err);
    if (status != CT_OK) return status;
    return sigproc_set_frequencies(step, header, in, ct_array_extent(natural, 'C'), meta, err);
}

/* data_type 2 is a time series: no channels, and one trial where its DM is given. */
static void sigproc_set_dims(ct_array *natural, const ct_sigproc *header,
                             const ct_sigproc_shape *shape)
{
    bool series = ct_sigproc_int(header, "data_type", 1) == 2 && shape->channels == 1;
    natural->type = shape->type;
    if (series && ct_sigproc_find(header, "refdm")) ct_array_add(natural, 'D', 1);
    ct_array_add(natural, 'T', shape->samples);
    if (shape->ifs > 1) ct_array_add(natural, 'Q', shape->ifs);
    if (!series) ct_array_add(natural, 'C', shape->channels);
}

/* What is read in order says nothing of its length: for the check of sizes it has 8 samples. */
static void sigproc_suppose(ct_input *in, const ct_sigproc *header)
{
    int64_t sample = ct_sigproc_int(header, "nchans", 1), nifs = ct_sigproc_int(header, "nifs", 1);
    if (__builtin_mul_overflow(sample, nifs, &sample)) return;
    if (__builtin_mul_overflow(sample, ct_sigproc_int(header, "nbits", 8), &sample)) return;
    if (sample > 0 && sample < INT32_MAX * (int64_t)1024) in->size = header->data_at + sample;
}

static ct_status sigproc_find_out(ct_step *step, ct_input *in, ct_array *natural, ct_stored *stored,
                                  ct_error *err)
{
    ct_sigproc header;
    ct_sigproc_shape shape;
    ct_status status = ct_sigproc_read(&header, in, err);
    stored->follow_s = ct_byte_stream_follow(step);
    const bool ordered = in->fd < 0 || stored->follow_s >= 0;
    if (status == CT_OK && ordered) sigproc_suppose(in, &header);
    if (status == CT_OK) status = ct_sigproc_measure(&shape, &header, in, err);
    if (status == CT_OK) status = sigproc_check_all(&header, in, err);
    if (status != CT_OK) return status;
    sigproc_set_dims(natural, &header, &shape);
    ct_layout order = {.rank = natural->rank};
    memcpy(order.dim, natural->dim, sizeof order.dim);
    stored->total = ordered ? -1 : shape.samples;
    stored->order = ct_region_order_dense(&order, natural, shape.samples);
    stored->data_at = header.data_at;
    stored->bits = shape.bits;
    stored->swap = ct_numbers_host_is_big() ? shape.bits / 8 : 0;
    if (shape.torn > 0)
        ct_step_warn(step, "%s: ends within a sample: its last %lld bytes are left out", in->file,
                     (long long)shape.torn);
    return sigproc_set_meta(step, &header, in, natural, err);
}

/* The header is looked at more than once. */
static ct_status sigproc_look(ct_step *step, ct_input *in, ct_error *err)
{
    const char *path = ct_step_path(step, "file");
    const bool input = strcmp(path, CT_BYTE_STREAM_STDIN) == 0;
    if (input && ct_byte_stream_waits(path) && !ct_step_may_wait(step))
        return ct_byte_stream_leave(step, path);
    if (input) return ct_byte_stream_peek(in, step, "HEADER_END", err);
    if (ct_byte_stream_streams(path))
        return ct_step_fail(
            step, "file", err,
            "%s is a pipe: expected a file, or \"-\" and the pipe as standard input", path);
    return ct_input_open(in, path, err);
}

static ct_status sigproc_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {0};
    ct_input in;
    ct_stored *stored = ct_step_alloc(step, sizeof *stored);
    if (!stored) return CT_FAILED;
    ct_status status = sigproc_look(step, &in, err);
    if (status != CT_OK) return status;
    status = sigproc_find_out(step, &in, &natural, stored, err);
    ct_input_close(&in);
    if (status != CT_OK) return status;
    ct_array_source_describe(step, &natural, stored);
    step->state = stored;
    return CT_OK;
}

const ct_stage ct_stage_source_sigproc = {
    .api = CT_API,
    .version = 1,
    .name = "source.sigproc",
    .summary = "a SIGPROC filterbank (.fil) or time series (.tim)",
    .ports = {{"Y", CT_OUT, 0, "*", "u8 i8 u16 i16 f32", "*", NULL, "samples as in the file"}},
    .params = sigproc_params,
    .infer = sigproc_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_GAPLESS,
    .io = CT_ARRAY_SOURCE_IO,
};
