/* lofar_tile.c: see lofar_tile.h.
 * Room: io/lofar. Knows blocks of arrays. Does not know packets. */
#include "lofar_tile.h"
#include "lofar_unpack.h"

enum {
    TILE_BYTES = 1 << 19,
    TILE_TIMES = 1 << 21, /* bytes of a step where time is fastest: rows are long enough */
    TILE_SAMPLES = 64,    /* a step is a multiple of them: whole packets, and lines of a cache */
    TILE_ROW = 128,       /* bytes of a row, at least */
    TILE_BLOCK = 1 << 23, /* bytes of a block, at least */
    TILE_LINE = 64,       /* of a cache */
    TILE_ALIAS = 512,     /* rows that are a multiple of it apart share few places there */
    TILE_NEXT = 4,        /* rows ahead */
    TILE_ROOM = 2 * TILE_BYTES
};

ct_status ct_lofar_tile_open(ct_lofar_tile *tile, ct_step *step)
{
    tile->memory = ct_step_alloc(step, TILE_ROOM);
    return tile->memory ? CT_OK : CT_FAILED;
}

/* The dimensions but S, those first whose indices are nearest. */
static int tile_sort(int out[CT_DIMS], const ct_array *block)
{
    int count = 0;
    for (int d = 0; d < block->rank; d++) {
        int place = count;
        if (block->dim[d] == 'S') continue;
        for (; place > 0 && block->stride[out[place - 1]] > block->stride[d]; place--)
            out[place] = out[place - 1];
        out[place] = d;
        count++;
    }
    return count;
}

static int64_t tile_extent(const ct_array *block, int d, int64_t samples)
{
    return block->dim[d] == 'T' ? samples : block->extent[d];
}

/* Elements that lie together in both, of `samples` samples; *dims: how many dimensions have them.
 */
static int64_t tile_row(const ct_array *block, const ct_array *tile, const int *order, int count,
                        int64_t samples, int *dims)
{
    int64_t row = 1;
    for (*dims = 0; *dims < count; ++*dims) {
        const int d = order[*dims];
        if (block->stride[d] != row || tile->stride[d] != row) break;
        row *= tile_extent(block, d, samples);
    }
    return row;
}

static int64_t tile_samples(const ct_array *block, int64_t unit, int64_t bytes)
{
    const int64_t sample = unit * ct_array_extent(block, 'P') * ct_array_extent(block, 'C');
    const int64_t samples = bytes / sample / TILE_SAMPLES * TILE_SAMPLES;
    return samples > 0 ? samples : TILE_SAMPLES;
}

/* A tile in the block's order; returns its bytes. */
static int64_t tile_order(ct_lofar_tile *tile, const ct_array *block, const int *order, int count)
{
    const int64_t unit = ct_type_bits(block->type) / 8;
    int64_t stride = 1;
    tile->array = *block;
    tile->array.data = tile->memory;
    tile->array.offset = 0;
    for (int d = 0; d < block->rank; d++)
        tile->array.stride[d] = 0; /* of S: there is one station */
    for (int i = 0; i < count; i++) {
        const int d = order[i];
        tile->array.stride[d] = stride;
        stride *= tile_extent(block, d, tile->samples);
        if (stride * unit % TILE_ALIAS == 0) stride += TILE_LINE / unit;
    }
    return stride * unit;
}

void ct_lofar_tile_shape(ct_lofar_tile *tile, const ct_array *block)
{
    const int64_t unit = ct_type_bits(block->type) / 8;
    const ct_unpack unpack = {.t = ct_array_stride(block, 'T'), .p = ct_array_stride(block, 'P')};
    const bool rows = ct_unpack_is_rows(&unpack);
    int order[CT_DIMS], dims;
    const int count = tile_sort(order, block);
    tile->past = (int64_t)ct_array_bytes(block) >= TILE_BLOCK;
    tile->samples = tile_samples(block, unit, rows ? TILE_TIMES : TILE_BYTES);
    tile->used = tile->past && !rows && tile_order(tile, block, order, count) <= TILE_ROOM;
    if (!tile->used) return;
    tile->used =
        tile_row(block, &tile->array, order, count, tile->samples, &dims) * unit >= TILE_ROW;
}

/* Asks for the lines that a row has only a part of, before they are written. */
static void tile_expect(const uint8_t *row, int64_t bytes)
{
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + bytes - 1, 1);
}

void ct_lofar_tile_store(const ct_lofar_tile *tile, ct_array *block, int64_t station, int64_t first,
                         int64_t count)
{
    const ct_array *from = &tile->array;
    const int64_t unit = ct_type_bits(block->type) / 8;
    int order[CT_DIMS], dims;
    const int all = tile_sort(order, block);
    const int64_t row = tile_row(block, from, order, all, count, &dims);
    int far = dims; /* along which rows are asked for */
    while (far < all && tile_extent(block, order[far], count) <= TILE_NEXT)
        far++;
    const int64_t next = far < all ? TILE_NEXT * block->stride[order[far]] : 0;
    int64_t at[CT_DIMS] = {0}, in = 0;
    int64_t out =
        block->offset + station * ct_array_stride(block, 'S') + first * ct_array_stride(block, 'T');
    for (int i = 0; i < all;) {
        uint8_t *to = (uint8_t *)block->data + out * unit;
        if (far < all && at[far] + TILE_NEXT < tile_extent(block, order[far], count))
            tile_expect(to + next * unit, row * unit);
        ct_unpack_past(to, (const uint8_t *)from->data + in * unit, (size_t)(row * unit));
        for (i = dims; i < all; i++) {
            const int d = order[i];
            const int64_t extent = tile_extent(block, d, count);
            in += from->stride[d], out += block->stride[d];
            if (++at[i] < extent) break;
            in -= extent * from->stride[d], out -= extent * block->stride[d];
            at[i] = 0;
        }
    }
}
