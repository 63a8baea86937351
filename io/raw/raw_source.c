/* raw_source.c: source.raw: numbers without a header; sizes and the rest from the node or from the
 * JSON file beside them.
 * Room: io/raw. Knows sizes. Does not know graphs. */
#include "array_source.h"
#include "numbers.h"
#include "params.h"
#include "sidecar.h"

static const ct_param raw_params[] = {
    {"file", CT_PARAM_FILE, "!", ".json", 0, 0, "numbers without a header, little endian"},
    {"sizes", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "{\"S\": 3, \"P\": 2} or a list in the order of dims; T may be left out (null in a list)"},
    {"skip_bytes", CT_PARAM_INT, "0", NULL, 0, 1e18, "of a header of another format"},
    CT_PARAMS_META,
    {0}};

/* A member of the object under any of a dimension's names. */
static const ct_value *raw_find_member(const ct_value *sizes, char dim)
{
    for (size_t i = 0; i < ct_value_count(sizes); i++) {
        ct_layout named;
        if (ct_layout_parse(&named, ct_value_key(sizes, i), NULL) == CT_OK && named.rank == 1 &&
            named.dim[0] == dim)
            return ct_value_at(sizes, i);
    }
    return NULL;
}

static ct_status raw_check_members(const ct_sidecar *sidecar, const ct_value *sizes,
                                   const ct_layout *dims, ct_error *err)
{
    for (size_t i = 0; i < ct_value_count(sizes); i++) {
        const char *key = ct_value_key(sizes, i);
        ct_layout named = {0};
        if (ct_layout_parse(&named, key, NULL) != CT_OK || named.rank != 1 ||
            !strchr(dims->dim, named.dim[0]))
            return ct_sidecar_fail(sidecar, "sizes", err,
                                   "expected one of the dims %s, found \"%s\"", dims->dim, key);
    }
    return CT_OK;
}

/* One extent; 0: not given, which is possible only for T. */
static ct_status raw_read_size(const ct_sidecar *sidecar, const ct_value *size, char dim,
                               int64_t *out, ct_error *err)
{
    *out = ct_value_int(size, 0);
    if (ct_value_kind(size) == CT_NULL && dim == 'T') return CT_OK;
    if (!size)
        return ct_sidecar_fail(sidecar, "sizes", err, "expected an extent for %c (%s), found none",
                               dim, ct_dim_name(dim));
    if (ct_value_kind(size) != CT_INT || *out < 1 || *out > INT32_MAX * (int64_t)1024)
        return ct_sidecar_fail(sidecar, "sizes", err,
                               "expected a whole number from 1 for %c (%s), found %g", dim,
                               ct_dim_name(dim), ct_value_real(size, 0));
    return CT_OK;
}

static ct_status raw_read_sizes(const ct_sidecar *sidecar, const ct_layout *dims, ct_array *natural,
                                ct_error *err)
{
    const ct_value *sizes = ct_sidecar_find(sidecar, "sizes");
    ct_kind kind = ct_value_kind(sizes);
    if (!sizes && dims->rank > 1)
        return ct_step_fail(sidecar->step, NULL, err,
                            "expected \"sizes\" such as {\"S\": 3, \"P\": 2}, found them neither "
                            "here nor in %s",
                            sidecar->file);
    if (sizes && kind != CT_OBJECT && kind != CT_LIST)
        return ct_sidecar_fail(sidecar, "sizes", err, "expected an object or a list");
    if (kind == CT_LIST && ct_value_count(sizes) != (size_t)dims->rank)
        return ct_sidecar_fail(sidecar, "sizes", err, "expected %d extents for dims %s, found %zu",
                               dims->rank, dims->dim, ct_value_count(sizes));
    ct_status status = CT_OK;
    if (kind == CT_OBJECT) status = raw_check_members(sidecar, sizes, dims, err);
    for (int i = 0; status == CT_OK && i < dims->rank; i++) {
        const ct_value *size =
            kind == CT_LIST ? ct_value_at(sizes, (size_t)i) : raw_find_member(sizes, dims->dim[i]);
        int64_t extent = 0;
        status = raw_read_size(sidecar, size, dims->dim[i], &extent, err);
        ct_array_add(natural, dims->dim[i], extent);
    }
    return status;
}

/* T from the file's size where it is not given; otherwise both must agree. */
static ct_status raw_fit(ct_step *step, const char *path, ct_array *natural, ct_stored *stored,
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

static ct_status raw_find_out(ct_step *step, const ct_sidecar *sidecar, const char *path,
                              ct_array *natural, ct_stored *stored, ct_error *err)
{
    ct_layout dims = {0};
    ct_status status = ct_sidecar_dims(sidecar, &dims, err);
    if (status == CT_OK) status = ct_sidecar_type(sidecar, &natural->type, err);
    if (status == CT_OK && natural->type == CT_NONE)
        return ct_step_fail(step, NULL, err,
                            "expected a \"type\" such as \"ci8\", found it neither here nor in %s",
                            sidecar->file);
    if (status == CT_OK) status = raw_read_sizes(sidecar, &dims, natural, err);
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

static ct_status raw_open(ct_step *step, void **state, ct_error *err)
{
    return ct_array_source_open(step, ct_step_path(step, "file"), step->state, state, err);
}

const ct_stage ct_stage_source_raw = {
    .api = CT_API,
    .version = 1,
    .name = "source.raw",
    .summary = "an array of numbers without a header",
    .ports = {{"Y", CT_OUT, 0, "*", CT_TYPES_ARRAY, "*", NULL, "what the file holds"}},
    .params = raw_params,
    .infer = raw_infer,
    .open = raw_open,
    .read = ct_array_source_read,
    .close = ct_array_source_close,
    .seek = ct_array_source_seek,
};
