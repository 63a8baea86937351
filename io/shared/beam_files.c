/* beam_files.c: see beam_files.h.
 * Room: io/shared. Knows strides. Does not know formats. */
#include "beam_files.h"
#include <string.h>

/* Descriptors are few where trials are many. */
static ct_status files_rest(ct_beam_files *files, int64_t file, ct_status status, ct_error *err)
{
    if (status != CT_OK) return status;
    ct_output *out = &files->output[file];
    return files->count == 1 ? ct_output_flush(out, false, err) : ct_output_pause(out, err);
}

static ct_status files_open_one(ct_beam_files *files, int64_t file, const char *ext, ct_error *err)
{
    const char *name = ct_beam_names_file(files->step, file, ext);
    ct_status status = ct_output_open(&files->output[file], files->step, name, false, err);
    files->output[file].window = files->window;
    return files_rest(files, file, status, err);
}

ct_status ct_beam_files_open(ct_beam_files *files, ct_step *step, const char *order,
                             const char *ext, ct_error *err)
{
    const ct_array *in = &step->port[0];
    const int64_t count = ct_beam_names_count(in);
    ct_status status = CT_OK;
    *files = (ct_beam_files){.step = step};
    for (; *order; order++)
        if (ct_array_find(in, *order) >= 0) files->layout.dim[files->layout.rank++] = *order;
    files->window = ct_step_alloc(step, CT_OUTPUT_WINDOW);
    files->output = ct_step_alloc(step, (size_t)count * sizeof *files->output);
    files->header = ct_step_alloc(step, (size_t)count * sizeof *files->header);
    if (!files->window || !files->output || !files->header) return CT_FAILED;
    files->count = count;
    for (int64_t i = 0; status == CT_OK && i < count; i++)
        status = files_open_one(files, i, ext, err);
    if (status != CT_OK) (void)ct_beam_files_close(files, false, NULL);
    return status;
}

ct_status ct_beam_files_put(ct_beam_files *files, int64_t file, const void *header, size_t bytes,
                            ct_error *err)
{
    ct_status status = ct_output_put(&files->output[file], 0, header, bytes, err);
    files->header[file] = (int64_t)bytes;
    return files_rest(files, file, status, err);
}

ct_status ct_beam_files_reserve(ct_beam_files *files, int64_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < files->count; i++) {
        status = ct_output_reserve(&files->output[i], bytes, err);
        status = files_rest(files, i, status, err);
    }
    return status;
}

static ct_array files_backwards(ct_array part)
{
    const int c = ct_array_find(&part, 'C');
    if (c < 0) return part;
    part.offset += (part.extent[c] - 1) * part.stride[c];
    part.stride[c] = -part.stride[c];
    return part;
}

ct_status ct_beam_files_write(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err)
{
    ct_beam_files *files = state;
    ct_status status = CT_OK;
    const ct_order order = ct_region_order_dense(&files->layout, block, files->written + count);
    for (int64_t i = 0; status == CT_OK && i < files->count; i++) {
        ct_array part = ct_beam_names_part(block, i);
        int64_t from = first;
        if (files->past) {
            const ct_array as_is = part;
            status = ct_impute_part(files->past, i, &as_is, first, count, &part, &from);
            if (status != CT_OK) break;
        }
        if (files->backwards) part = files_backwards(part);
        const ct_copy region = ct_region_make(&part, &order, from, files->written, count);
        status = ct_region_store(&region, part.data, &files->output[i], files->header[i], err);
        status = files_rest(files, i, status, err);
    }
    if (status == CT_OK) files->written += count;
    files->torn = status != CT_OK;
    return status;
}

ct_status ct_beam_files_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    ct_beam_files *files = state;
    ct_status status = CT_OK;
    *bytes = 0;
    *data = files->past ? ct_impute_state(files->past, bytes) : NULL;
    for (int64_t i = 0; status == CT_OK && i < files->count; i++) {
        status = ct_output_release(&files->output[i], err);
        status = files_rest(files, i, status, err);
    }
    return status;
}

ct_status ct_beam_files_restore(void *state, int64_t position, const void *data, size_t bytes,
                                ct_error *err)
{
    ct_beam_files *files = state;
    size_t own = 0;
    void *past = files->past ? ct_impute_state(files->past, &own) : NULL;
    (void)err;
    if (past && own == bytes) memcpy(past, data, bytes);
    files->written = position;
    return CT_OK;
}

static int64_t files_bytes(const ct_beam_files *files)
{
    const ct_array *in = &files->step->port[0];
    int64_t elements = files->written;
    for (int i = 0; i < files->layout.rank; i++)
        if (files->layout.dim[i] != 'T') elements *= ct_array_extent(in, files->layout.dim[i]);
    return elements * ct_type_bits(in->type) / 8;
}

/* A part of a block is cut off. */
ct_status ct_beam_files_close(void *state, bool complete, ct_error *err)
{
    ct_beam_files *files = state;
    ct_status status = CT_OK;
    for (int64_t i = 0; i < files->count; i++) {
        if (complete && files->torn && status == CT_OK)
            status =
                ct_output_resize(&files->output[i], files->header[i] + files_bytes(files), err);
        ct_status one = ct_output_close(&files->output[i], complete && status == CT_OK, err);
        if (status == CT_OK) status = one;
    }
    return status;
}
