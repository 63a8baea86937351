/* npy_load.c: reads a whole small .npy file (weights, taps) into a step's memory.
 * Room: io/npy. Knows the .npy header through npy.h, and the description beside it through
 * sidecar.h. Does not know what the numbers mean. */
#include "npy.h"
#include "numbers.h"
#include "sidecar.h"
#include <string.h>

#define LOAD_MOST ((int64_t)1 << 33) /* bytes of numbers that all stay in memory */

/* The numbers as they stand in the file: Fortran order is a matter of strides. */
static ct_status load_numbers(ct_step *step, ct_input *in, const ct_npy *header, ct_array *out,
                              ct_error *err)
{
    int64_t count = 1;
    for (int i = 0; i < header->rank; i++) {
        int place = header->fortran ? i : header->rank - 1 - i;
        out->extent[place] = header->shape[place];
        out->stride[place] = count;
        count *= header->shape[place];
    }
    size_t bytes = (size_t)count * header->bytes;
    out->rank = header->rank;
    out->data = ct_step_alloc(step, bytes);
    if (!out->data) return CT_FAILED;
    ct_status status = ct_input_read(in, header->data_at, out->data, bytes, err);
    if (header->big != (bool)ct_numbers_host_is_big())
        ct_numbers_swap(out->data, bytes, header->bytes / (header->kind == 'c' ? 2 : 1));
    return status;
}

static ct_status load_file(ct_step *step, ct_input *in, ct_array *out, ct_error *err)
{
    ct_npy header;
    ct_status status = ct_npy_read(&header, in, err);
    if (status != CT_OK) return status;
    out->type = ct_npy_type(&header, header.rank, CT_NONE);
    if (out->type == CT_NONE)
        return ct_error_add(err, CT_DATA, "%s: expected numbers such as <f4, <f8 or <c8, found %s",
                            in->file, header.descr);
    if (header.rank > CT_DIMS)
        return ct_error_add(err, CT_DATA, "%s: expected at most %d axes, found %d", in->file,
                            CT_DIMS, header.rank);
    if (in->size - header.data_at > LOAD_MOST)
        return ct_error_add(err, CT_DATA, "%s: expected at most %lld bytes of numbers, found %lld",
                            in->file, (long long)LOAD_MOST, (long long)(in->size - header.data_at));
    return load_numbers(step, in, &header, out, err);
}

ct_status ct_npy_load_file(ct_step *step, const char *file, ct_array *out, ct_error *err)
{
    if (!step || !file || !out)
        return ct_error_add(err, CT_USAGE, "ct_npy_load_file: there is no %s",
                            !step   ? "step"
                            : !file ? "file"
                                    : "out");
    ct_input in;
    memset(out, 0, sizeof *out);
    ct_status status = ct_input_open(&in, file, err);
    if (status != CT_OK) return status;
    status = load_file(step, &in, out, err);
    ct_input_close(&in);
    return status;
}

ct_status ct_npy_load(ct_step *step, const char *param, ct_array *out, ct_error *err)
{
    if (!step || !param || !out)
        return ct_error_add(err, CT_USAGE, "ct_npy_load: there is no %s",
                            !step    ? "step"
                            : !param ? "param"
                                     : "out");
    ct_error why = {0}; /* without the parameter's place */
    const char *path = ct_step_path(step, param);
    memset(out, 0, sizeof *out);
    if (!path) return ct_step_fail(step, param, err, "expected a .npy file, found none");
    ct_step_reads(step, param, path);
    const ct_status status = ct_npy_load_file(step, path, out, &why);
    if (status == CT_FAILED) return status; /* the step knows */
    return status == CT_OK ? CT_OK : ct_step_fail(step, param, err, "%s", why.text);
}

ct_status ct_npy_dims(ct_step *step, const char *param, const char **dims, ct_error *err)
{
    char name[CT_SIDECAR_NAME];
    ct_value *root = NULL;
    if (!step || !param || !dims)
        return ct_error_add(err, CT_USAGE, "ct_npy_dims: there is no %s",
                            !step    ? "step"
                            : !param ? "param"
                                     : "dims");
    const char *path = ct_step_path(step, param);
    *dims = NULL;
    if (!path) return ct_step_fail(step, param, err, "expected a .npy file, found none");
    ct_status status = ct_sidecar_load(&root, name, path, err);
    ct_step_reads(step, param, name);
    const char *text = ct_value_text(ct_value_get(root, "dims"), NULL);
    char *copy = text ? ct_step_alloc(step, strlen(text) + 1) : NULL;
    if (text && !copy) status = CT_FAILED;
    if (copy) *dims = memcpy(copy, text, strlen(text) + 1);
    ct_value_free(root);
    return status;
}
