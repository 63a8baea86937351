/* region.c: see region.h.
 * Room: io/shared. Knows strides. Does not know formats. */
#include "region.h"
#include <string.h>

enum { ROW_BYTES = 16384 };

ct_order ct_region_order_dense(const ct_layout *layout, const ct_array *array, int64_t total)
{
    ct_order order = {.layout = *layout};
    int64_t stride = 1;
    for (int i = layout->rank; i-- > 0;) {
        order.stride[i] = stride;
        stride *= layout->dim[i] == 'T' ? total : ct_array_extent(array, layout->dim[i]);
    }
    return order;
}

ct_copy ct_region_make(const ct_array *array, const ct_order *order, int64_t memory_t,
                       int64_t file_t, int64_t count)
{
    ct_copy region = {.from = array->offset, .word = (int)ct_type_bits(array->type) / 8};
    for (int i = 0; i < order->layout.rank; i++) {
        char dim = order->layout.dim[i];
        int64_t extent = ct_array_extent(array, dim), stride = ct_array_stride(array, dim);
        if (dim == 'T') {
            region.from += memory_t * stride;
            region.to += file_t * order->stride[i];
            extent = count;
        }
        ct_copy_add(&region,
                    (ct_copy_dim){.extent = extent, .from = stride, .to = order->stride[i]});
    }
    ct_copy_merge(&region);
    return region;
}

/* What lies together in the file: the last dimension, or one element; `rows` are the others. */
static ct_copy_dim region_row(const ct_copy *region, int *rows)
{
    const int last = region->rank - 1;
    const bool dense = last >= 0 && region->dim[last].to == 1;
    *rows = dense ? last : region->rank;
    return dense ? region->dim[last] : (ct_copy_dim){.extent = 1, .from = 1, .to = 1};
}

/* Rows that are dense in memory too are read in one piece. */
static ct_status region_load_row(const ct_copy *region, ct_copy_dim dim, uint8_t *to, int64_t file,
                                 ct_reader reader, ct_error *err)
{
    uint8_t row[ROW_BYTES];
    int64_t left = dim.extent, stride = dim.from;
    int64_t most = stride == 1 ? left : ROW_BYTES / region->word;
    while (left > 0) {
        int64_t count = left < most ? left : most;
        ct_status status = reader.read(reader.of, file, stride == 1 ? to : row, (size_t)count, err);
        if (status != CT_OK) return status;
        if (stride != 1) ct_copy_row(to, stride, row, 1, count, region->word);
        to += count * stride * region->word;
        file += count;
        left -= count;
    }
    return CT_OK;
}

ct_status ct_region_load(const ct_copy *region, void *data, ct_reader reader, ct_error *err)
{
    ct_status status = CT_OK;
    int rows;
    const ct_copy_dim row = region_row(region, &rows);
    ct_copy_place place = {.from = region->from, .to = region->to};
    if (ct_copy_count(region) <= 0) return CT_OK;
    do
        status = region_load_row(region, row, (uint8_t *)data + place.from * region->word, place.to,
                                 reader, err);
    while (status == CT_OK && ct_copy_next(region, rows, &place));
    return status;
}

static ct_status region_store_row(const ct_copy *region, ct_copy_dim dim, const uint8_t *from,
                                  int64_t position, ct_output *out, ct_error *err)
{
    uint8_t row[ROW_BYTES];
    int64_t left = dim.extent, stride = dim.from;
    int64_t most = stride == 1 ? left : ROW_BYTES / region->word;
    while (left > 0) {
        int64_t count = left < most ? left : most, bytes = count * region->word;
        if (stride != 1) ct_copy_row(row, 1, from, stride, count, region->word);
        ct_status status =
            ct_output_put(out, position, stride == 1 ? from : row, (size_t)bytes, err);
        if (status != CT_OK) return status;
        from += bytes * stride;
        position += bytes;
        left -= count;
    }
    return CT_OK;
}

ct_status ct_region_store(const ct_copy *region, const void *data, ct_output *out, int64_t base,
                          ct_error *err)
{
    ct_status status = CT_OK;
    int rows;
    const ct_copy_dim row = region_row(region, &rows);
    ct_copy_place place = {.from = region->from, .to = region->to};
    if (ct_copy_count(region) <= 0) return CT_OK;
    do
        status = region_store_row(region, row, (const uint8_t *)data + place.from * region->word,
                                  base + place.to * region->word, out, err);
    while (status == CT_OK && ct_copy_next(region, rows, &place));
    return status;
}

void ct_region_zero(const ct_copy *region, void *data)
{
    static const uint8_t zero[16];
    ct_copy zeros = *region;
    zeros.from = 0;
    zeros.to = region->from;
    for (int i = 0; i < region->rank; i++) {
        zeros.dim[i].from = 0;
        zeros.dim[i].to = region->dim[i].from;
    }
    ct_copy_sort(&zeros, true);
    ct_copy_merge(&zeros);
    ct_copy_run(&zeros, data, zero);
}
