/* region.c: see region.h.
 * Room: io/shared. Knows strides. Does not know formats. */
#include "region.h"
#include <string.h>

enum { ROW_BYTES = 16384 };

ct_order ct_order_dense(const ct_layout *layout, const ct_array *array, int64_t total)
{
    ct_order order = {.layout = *layout};
    int64_t stride = 1;
    for (int i = layout->rank; i-- > 0;) {
        order.stride[i] = stride;
        stride *= layout->dim[i] == 'T' ? total : ct_array_extent(array, layout->dim[i]);
    }
    return order;
}

static void region_add(ct_region *region, int64_t extent, int64_t memory, int64_t file)
{
    int last = region->rank - 1;
    if (extent == 1) return;
    if (last >= 0 && region->memory[last] == extent * memory &&
        region->file[last] == extent * file) {
        region->extent[last] *= extent;
        region->memory[last] = memory;
        region->file[last] = file;
        return;
    }
    region->extent[region->rank] = extent;
    region->memory[region->rank] = memory;
    region->file[region->rank++] = file;
}

ct_region ct_region_make(const ct_array *array, const ct_order *order, int64_t memory_t,
                         int64_t file_t, int64_t count)
{
    ct_region region = {.memory_at = array->offset, .unit = ct_type_bits(array->type) / 8};
    for (int i = 0; i < order->layout.rank; i++) {
        char dim = order->layout.dim[i];
        int64_t extent = ct_array_extent(array, dim), stride = ct_array_stride(array, dim);
        if (dim == 'T') {
            region.memory_at += memory_t * stride;
            region.file_at += file_t * order->stride[i];
            extent = count;
        }
        region_add(&region, extent, stride, order->stride[i]);
    }
    if (region.rank == 0 || region.file[region.rank - 1] != 1) { /* rows are dense in the file */
        region.extent[region.rank] = region.memory[region.rank] = region.file[region.rank] = 1;
        region.rank++;
    }
    return region;
}

#define REGION_COPY(type)                                                                          \
    static void region_copy_##type(uint8_t *to, int64_t ts, const uint8_t *from, int64_t fs,       \
                                   int64_t count)                                                  \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++)                                                        \
            memcpy(to + i * ts * (int64_t)sizeof(type), from + i * fs * (int64_t)sizeof(type),     \
                   sizeof(type));                                                                  \
    }
REGION_COPY(uint8_t)
REGION_COPY(uint16_t)
REGION_COPY(uint32_t)
REGION_COPY(uint64_t)
typedef struct pair {
    uint64_t number[2];
} pair;
REGION_COPY(pair)

void ct_region_copy(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                    int64_t count, size_t unit)
{
    static const struct {
        size_t unit;
        void (*copy)(uint8_t *, int64_t, const uint8_t *, int64_t, int64_t);
    } copies[] = {{1, region_copy_uint8_t},
                  {2, region_copy_uint16_t},
                  {4, region_copy_uint32_t},
                  {8, region_copy_uint64_t},
                  {16, region_copy_pair}};
    if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, (size_t)count * unit);
        return;
    }
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (copies[i].unit == unit) copies[i].copy(to, to_stride, from, from_stride, count);
}

/* Steps through the rows: all dimensions but the last. */
static bool region_next(const ct_region *region, int64_t index[CT_DIMS], int64_t *memory,
                        int64_t *file)
{
    for (int i = region->rank - 1; i-- > 0;) {
        *memory += region->memory[i];
        *file += region->file[i];
        if (++index[i] < region->extent[i]) return true;
        *memory -= region->memory[i] * region->extent[i];
        *file -= region->file[i] * region->extent[i];
        index[i] = 0;
    }
    return false;
}

static bool region_is_empty(const ct_region *region)
{
    for (int i = 0; i < region->rank; i++)
        if (region->extent[i] <= 0) return true;
    return false;
}

static ct_status region_load_row(const ct_region *region, uint8_t *to, int64_t file,
                                 ct_reader reader, ct_error *err)
{
    uint8_t row[ROW_BYTES];
    int last = region->rank - 1;
    int64_t left = region->extent[last], stride = region->memory[last];
    int64_t most = stride == 1 ? left : ROW_BYTES / (int64_t)region->unit;
    while (left > 0) {
        int64_t count = left < most ? left : most;
        ct_status status = reader.read(reader.of, file, stride == 1 ? to : row, (size_t)count, err);
        if (status != CT_OK) return status;
        if (stride != 1) ct_region_copy(to, stride, row, 1, count, region->unit);
        to += count * stride * (int64_t)region->unit;
        file += count;
        left -= count;
    }
    return CT_OK;
}

ct_status ct_region_load(const ct_region *region, void *data, ct_reader reader, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t index[CT_DIMS] = {0}, memory = region->memory_at, file = region->file_at;
    if (region_is_empty(region)) return CT_OK;
    do
        status = region_load_row(region, (uint8_t *)data + memory * (int64_t)region->unit, file,
                                 reader, err);
    while (status == CT_OK && region_next(region, index, &memory, &file));
    return status;
}

static ct_status region_store_row(const ct_region *region, const uint8_t *from, int64_t position,
                                  ct_output *out, ct_error *err)
{
    uint8_t row[ROW_BYTES];
    int last = region->rank - 1;
    int64_t left = region->extent[last], stride = region->memory[last];
    int64_t most = stride == 1 ? left : ROW_BYTES / (int64_t)region->unit;
    while (left > 0) {
        int64_t count = left < most ? left : most;
        size_t bytes = (size_t)count * region->unit;
        if (stride != 1) ct_region_copy(row, 1, from, stride, count, region->unit);
        ct_status status = ct_output_put(out, position, stride == 1 ? from : row, bytes, err);
        if (status != CT_OK) return status;
        from += count * stride * (int64_t)region->unit;
        position += (int64_t)bytes;
        left -= count;
    }
    return CT_OK;
}

ct_status ct_region_store(const ct_region *region, const void *data, ct_output *out, int64_t base,
                          ct_error *err)
{
    ct_status status = CT_OK;
    int64_t index[CT_DIMS] = {0}, memory = region->memory_at, file = region->file_at;
    int64_t unit = (int64_t)region->unit;
    if (region_is_empty(region)) return CT_OK;
    do
        status = region_store_row(region, (const uint8_t *)data + memory * unit, base + file * unit,
                                  out, err);
    while (status == CT_OK && region_next(region, index, &memory, &file));
    return status;
}

void ct_region_zero(const ct_region *region, void *data)
{
    static const uint8_t zero[16];
    int64_t index[CT_DIMS] = {0}, memory = region->memory_at, file = 0;
    int last = region->rank - 1;
    if (region_is_empty(region)) return;
    do {
        uint8_t *to = (uint8_t *)data + memory * (int64_t)region->unit;
        if (region->memory[last] == 1)
            memset(to, 0, (size_t)region->extent[last] * region->unit);
        else
            ct_region_copy(to, region->memory[last], zero, 0, region->extent[last], region->unit);
    } while (region_next(region, index, &memory, &file));
}
