/* weave.c: chooses the box that goes through registers at once.
 *
 * Room: layouts. Knows strides. Does not know how a box is moved (weave_emit.c).
 * Called by: tile_nest.c, transpose_emit.c, before ct_weave_emit. */
#include "weave.h"

#include <assert.h>
#include <string.h>

static int64_t stride_of(const ct_weave_dim *dim, bool to)
{
    return to ? dim->to : dim->from;
}

static int log2_below(int64_t extent, int limit)
{
    int bits = 0;
    while (bits < limit && (int64_t)2 << bits <= extent)
        bits++;
    return bits;
}

static ct_weave_dim *dim_with_stride(ct_weave *weave, int64_t stride, bool to)
{
    for (int k = 0; k < weave->rank; k++)
        if (weave->dim[k].extent > 1 && stride_of(&weave->dim[k], to) == stride)
            return &weave->dim[k];
    return NULL;
}

/* Takes dimensions from the fastest on, each whole where it is a power of two, until `target` bits
 * are contiguous on this side. */
static void choose_run(ct_weave *weave, int target, bool to)
{
    int bits = 0;
    while (bits < target) {
        ct_weave_dim *dim = dim_with_stride(weave, (int64_t)1 << bits, to);
        if (!dim) return;
        const int taken = log2_below(dim->extent, target - bits);
        if (taken > dim->bits) dim->bits = taken;
        bits += taken;
        if (dim->extent != (int64_t)1 << taken) return;
    }
}

static void list_bits(ct_weave *weave)
{
    weave->count = 0;
    for (int k = 0; k < weave->rank; k++)
        for (int b = 0; b < weave->dim[k].bits; b++) {
            assert(weave->count < CT_WEAVE_BITS);
            weave->bit[weave->count++] =
                (ct_weave_bit){weave->dim[k].from << b, weave->dim[k].to << b};
        }
}

static int count_lanes(const ct_weave *weave, int limit, bool to)
{
    int lanes = 0;
    for (int k = 0; k < weave->count && lanes < limit; k++)
        if ((to ? weave->bit[k].to : weave->bit[k].from) == (int64_t)1 << lanes) {
            lanes++;
            k = -1;
        }
    return lanes;
}

void ct_weave_choose(ct_weave *weave, int from, int to, int more)
{
    for (int k = 0; k < weave->rank; k++)
        weave->dim[k].bits = 0;
    choose_run(weave, from, false);
    choose_run(weave, to + more, true);
    list_bits(weave);
    weave->from_lanes = count_lanes(weave, from, false);
    weave->to_lanes = count_lanes(weave, to, true);
}

/* How much more than the array is moved along a dimension with boxes of 2^bits. */
static double waste(const ct_weave_dim *dim, int bits)
{
    const int64_t box = (int64_t)1 << bits, moved = (dim->extent + box - 1) / box * box;
    return (double)moved / (double)dim->extent;
}

/* The dimension whose doubling moves the fewest words twice; of equal ones the fastest on a side.
 */
bool ct_weave_grow(ct_weave *weave)
{
    ct_weave_dim *best = NULL;
    for (int k = 0; k < weave->rank && weave->count < CT_WEAVE_BITS; k++) {
        ct_weave_dim *dim = &weave->dim[k];
        if ((int64_t)2 << dim->bits > dim->extent) continue;
        const double more = waste(dim, dim->bits + 1),
                     least = best ? waste(best, best->bits + 1) : 0;
        const int64_t side = dim->from < dim->to ? dim->from : dim->to;
        if (!best || more < least ||
            (more <= least && side < (best->from < best->to ? best->from : best->to)))
            best = dim;
    }
    if (best) best->bits++;
    list_bits(weave);
    return best != NULL;
}
