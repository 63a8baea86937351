/* raw_source.c: source.raw: numbers without a header; sizes and the rest from the node or from the
 * JSON file beside them.
 * Room: io/raw. Knows sizes. Does not know graphs. */
#include "array_source.h"
#include "byte_stream.h"
#include "format.h"
#include "numbers.h"
#include "params.h"
#include "sidecar.h"
#include "sizes.h"

static const ct_param raw_params[] = {
    {"file", CT_PARAM_FILE, "!", ".json", 0, 0,
     "numbers without a header, little endian; \"-\": standard input"},
    CT_PARAMS_SIZES,
    CT_PARAM_FOLLOW,
    {"skip_bytes", CT_PARAM_INT, "0", NULL, 0, 1e18, "of a header of another format"},
    CT_PARAMS_META,
    {0}};

/* T from the file's size if it is not given; otherwise both must agree. */
static ct_status raw_fit_file(ct_step *step, const char *path, ct_array *natural, ct_stored *stored,
                              ct_error *err)
{
    ct_input in;
    ct_status status = ct_input_open(&in, path, err);
    if (status != CT_OK) return status;
    ct_input_close(&in);
    stored->data_at = ct_step_int(step, "skip_bytes");
    int64_t bytes = in.size - stored->data_at, sample = ct_type_bits(natural->type) / 8;
    int64_t given = ct_array_extent(natural, 'T');
    if (bytes <= 0 && stored->data_at > 0)
        return ct_step_fail(step, "skip_bytes", err, "found %lld, but %s has %lld bytes in all",
                            (long long)stored->data_at, path, (long long)in.size);
    for (int i = 0; i < natural->rank; i++)
        if (natural->dim[i] != 'T' && __builtin_mul_overflow(sample, natural->extent[i], &sample))
            return ct_step_fail(step, "sizes", err, "expected sizes of less than 2^63 bytes");
    if (bytes <= 0 || bytes % sample)
        return ct_error_add(err, CT_DATA,
                            "%s: expected a whole number of samples of %lld bytes (%s %s), found "
                            "%lld bytes",
                            path, (long long)sample, natural->dim, ct_type_name(natural->type),
                            (long long)bytes);
    stored->total = bytes / sample;
    if (given && given != stored->total)
        return ct_error_add(err, CT_DATA, "%s: expected %lld samples along T, found %lld", path,
                            (long long)given, (long long)stored->total);
    natural->extent[ct_array_find(natural, 'T')] = stored->total;
    return CT_OK;
}

/* A pipe says nothing, and a file that grows not the last word. */
static ct_status raw_fit(ct_step *step, const char *path, ct_array *natural, ct_stored *stored,
                         ct_error *err)
{
    const int t = ct_array_find(natural, 'T');
    stored->follow_s = ct_byte_stream_follow(step);
    if (!ct_byte_stream_streams(path) && stored->follow_s < 0)
        return raw_fit_file(step, path, natural, stored, err);
    stored->data_at = ct_step_int(step, "skip_bytes");
    stored->total = -1;
    if (t != 0)
        return ct_step_fail(step, "file", err,
                            "%s is read in order, so T is to be slowest: expected dims that begin "
                            "with T, found %s",
                            path, natural->dim);
    if (natural->extent[t] > 0)
        return ct_step_fail(step, "sizes", err,
                            "%s is read until it ends: expected no length along T, found %lld",
                            path, (long long)natural->extent[t]);
    natural->extent[t] = 1;
    return CT_OK;
}

static ct_status raw_find_out(ct_step *step, const ct_sidecar *sidecar, const char *path,
                              ct_array *natural, ct_stored *stored, ct_error *err)
{
    ct_layout dims = {0};
    ct_status status = ct_sidecar_dims(sidecar, &dims, err);
    if (status == CT_OK) status = ct_sidecar_type(sidecar, &natural->type, err);
    if (status == CT_OK && natural->type == CT_NONE)
        return ct_sidecar_lacks(sidecar, "a \"type\" such as \"ci8\"", "it", err);
    if (status == CT_OK) status = ct_sizes_read(sidecar, &dims, natural, err);
    if (status == CT_OK) status = raw_fit(step, path, natural, stored, err);
    if (status != CT_OK) return status;
    stored->order = ct_region_order_dense(&dims, natural, stored->total);
    stored->bits = ct_type_bits(natural->type);
    stored->swap =
        ct_numbers_host_is_big() ? stored->bits / (ct_type_complex(natural->type) ? 16 : 8) : 0;
    return ct_sidecar_meta(sidecar, natural, err);
}

static ct_status raw_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {0};
    ct_sidecar sidecar;
    const char *path = ct_step_path(step, "file");
    ct_stored *stored = ct_step_alloc(step, sizeof *stored);
    if (!stored) return CT_FAILED;
    ct_status status = ct_sidecar_open(&sidecar, step, path, err);
    if (status == CT_OK) status = raw_find_out(step, &sidecar, path, &natural, stored, err);
    ct_sidecar_close(&sidecar);
    if (status != CT_OK) return status;
    ct_array_source_describe(step, &natural, stored);
    step->state = stored;
    return CT_OK;
}

const ct_stage ct_stage_source_raw = {
    .api = CT_API,
    .version = 1,
    .name = "source.raw",
    .summary = "an array of numbers without a header",
    .ports = {{"Y", CT_OUT, 0, "*", CT_TYPES_ARRAY, "*", NULL, "what the file holds"}},
    .params = raw_params,
    .infer = raw_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_GAPLESS,
    .split = "*",
    .io = CT_ARRAY_SOURCE_IO,
};

extern const ct_stage ct_stage_sink_raw;
const ct_format ct_format_raw = {.source = &ct_stage_source_raw, .sink = &ct_stage_sink_raw};
