/* npy_source.c: source.npy: an array in a .npy file, its dimensions named by the node or by the
 * JSON file beside it.
 * Room: io/npy. Knows the .npy header. Does not know graphs. */
#include "array_source.h"
#include "npy.h"
#include "numbers.h"
#include "params.h"
#include "sidecar.h"
#include <stdio.h>

static const ct_param npy_params[] = {
    {"file", CT_PARAM_FILE, "!", ".json", 0, 0, "a .npy file; its JSON file may hold the rest"},
    CT_PARAMS_META,
    {0}};

static void npy_print_shape(char text[160], const ct_npy *header)
{
    int length = snprintf(text, 160, "%s (", header->descr);
    for (int i = 0; i < header->rank && length < 130; i++)
        length += snprintf(text + length, 160 - (size_t)length, "%s%lld", i ? ", " : "",
                           (long long)header->shape[i]);
    snprintf(text + length, 160 - (size_t)length, ")");
}

static ct_status npy_resolve_type(const ct_sidecar *sidecar, const ct_npy *header,
                                  const ct_layout *dims, const char *path, ct_type *out,
                                  ct_error *err)
{
    char shape[160];
    ct_type wish;
    ct_status status = ct_sidecar_type(sidecar, &wish, err);
    if (status != CT_OK) return status;
    *out = ct_npy_type(header, dims->rank, wish);
    if (*out != CT_NONE && *out != CT_F64 && *out != CT_CF64) return CT_OK;
    npy_print_shape(shape, header);
    const char *narrower = ct_npy_narrower(header);
    if (narrower)
        return ct_error_add(
            err, CT_DATA,
            "%s: found %s, numbers of 64 bits each, expected at most 32; NumPy makes "
            "them: numpy.save(file, array.astype('%s'))",
            path, shape, narrower);
    bool pair = header->rank == dims->rank + 1;
    if (header->rank != dims->rank && !pair)
        return ct_sidecar_fail(
            sidecar, "dims", err,
            "expected a dimension for each of %d axes, found \"%s\" (%s holds %s)", header->rank,
            dims->dim, path, shape);
    if (wish != CT_NONE)
        return ct_sidecar_fail(sidecar, "type", err,
                               "expected what the file holds, found \"%s\" (%s holds %s, dims %s)",
                               ct_type_name(wish), path, shape, dims->dim);
    return ct_error_add(err, CT_DATA,
                        "%s: expected numbers such as |i1, <f4, <c8, or integers with a last axis "
                        "of 2 beyond dims %s, found %s",
                        path, dims->dim, shape);
}

/* The file's axes with names, and where their elements are. */
static void npy_name_axes(ct_array *natural, ct_stored *stored, const ct_npy *header,
                          const ct_layout *dims)
{
    ct_layout order = *dims;
    for (int i = 0; i < dims->rank; i++) {
        ct_array_add(natural, dims->dim[i], header->shape[i]);
        if (header->fortran) order.dim[i] = dims->dim[dims->rank - 1 - i];
    }
    stored->total = ct_array_extent(natural, 'T');
    stored->order = ct_region_order_dense(&order, natural, stored->total);
    stored->data_at = header->data_at;
    stored->bits = ct_type_bits(natural->type);
    bool swapped = header->big != (bool)ct_numbers_host_is_big();
    if (header->fortran && header->rank > dims->rank)
        stored->apart = ct_array_count(natural) * header->bytes;
    stored->swap = swapped ? header->bytes / (header->kind == 'c' ? 2 : 1) : 0;
}

static ct_status npy_find_out(ct_step *step, const char *path, ct_array *natural, ct_stored *stored,
                              ct_error *err)
{
    ct_input in;
    ct_npy header;
    ct_layout dims = {0};
    ct_sidecar sidecar;
    ct_status status = ct_input_open(&in, path, err);
    if (status != CT_OK) return status;
    status = ct_npy_read(&header, &in, err);
    ct_input_close(&in);
    if (status != CT_OK) return status;
    status = ct_sidecar_open(&sidecar, step, path, err);
    if (status == CT_OK) status = ct_sidecar_dims(&sidecar, &dims, err);
    if (status == CT_OK)
        status = npy_resolve_type(&sidecar, &header, &dims, path, &natural->type, err);
    if (status == CT_OK) npy_name_axes(natural, stored, &header, &dims);
    if (status == CT_OK) status = ct_sidecar_meta(&sidecar, natural, err);
    ct_sidecar_close(&sidecar);
    return status;
}

static ct_status npy_infer(ct_step *step, ct_error *err)
{
    ct_array natural = {0};
    ct_stored *stored = ct_step_alloc(step, sizeof *stored);
    if (!stored) return CT_FAILED;
    ct_status status = npy_find_out(step, ct_step_path(step, "file"), &natural, stored, err);
    if (status != CT_OK) return status;
    ct_array_source_describe(step, &natural, stored);
    step->state = stored;
    return CT_OK;
}

const ct_stage ct_stage_source_npy = {
    .api = CT_API,
    .version = 1,
    .name = "source.npy",
    .summary = "an array in a .npy file, with a JSON file beside it for what .npy cannot say",
    .ports = {{"Y", CT_OUT, 0, "*", CT_TYPES_ARRAY, "*", NULL, "what the file holds"}},
    .params = npy_params,
    .infer = npy_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_GAPLESS,
    .split = "*",
    .io = CT_ARRAY_SOURCE_IO,
};
