/* weave.c: chooses the box that goes through registers at once.
 *
 * Room: layouts. Knows strides. Does not know how a box is moved (weave_emit.c). */
#include "weave.h"

#include <assert.h>
#include <string.h>

static int64_t stride_of(const ct_copy_dim *dim, bool to)
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

/* The dimension with this stride on one side; -1 where there is none. */
static int dim_with_stride(const ct_weave *weave, int64_t stride, bool to)
{
    for (int k = 0; k < weave->copy.rank; k++)
        if (weave->copy.dim[k].extent > 1 && stride_of(&weave->copy.dim[k], to) == stride) return k;
    return -1;
}

/* Takes dimensions from the fastest on, each whole where it is a power of two, until `target` bits
 * are contiguous on this side. */
static void choose_row(ct_weave *weave, int target, bool to)
{
    int bits = 0;
    while (bits < target) {
        const int k = dim_with_stride(weave, (int64_t)1 << bits, to);
        if (k < 0) return;
        const int64_t extent = weave->copy.dim[k].extent;
        const int taken = log2_below(extent, target - bits);
        if (taken > weave->bits[k]) weave->bits[k] = taken;
        bits += taken;
        if (extent != (int64_t)1 << taken) return;
    }
}

static void list_bits(ct_weave *weave)
{
    weave->count = 0;
    for (int k = 0; k < weave->copy.rank; k++)
        for (int b = 0; b < weave->bits[k]; b++) {
            assert(weave->count < CT_WEAVE_BITS);
            weave->bit[weave->count++] =
                (ct_weave_bit){weave->copy.dim[k].from << b, weave->copy.dim[k].to << b};
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
    for (int k = 0; k < weave->copy.rank; k++)
        weave->bits[k] = 0;
    choose_row(weave, from, false);
    choose_row(weave, to + more, true);
    list_bits(weave);
    weave->from_lanes = count_lanes(weave, from, false);
    weave->to_lanes = count_lanes(weave, to, true);
}

/* How much more than the array is moved along a dimension with boxes of twice the length. */
static double waste(const ct_weave *weave, int k)
{
    const int64_t extent = weave->copy.dim[k].extent, box = (int64_t)2 << weave->bits[k];
    const int64_t moved = (extent + box - 1) / box * box;
    return (double)moved / (double)extent;
}

static int64_t smaller_stride(const ct_copy_dim *dim)
{
    return dim->from < dim->to ? dim->from : dim->to;
}

/* The dimension whose doubling moves the fewest words twice; of equal ones the fastest on a side.
 */
bool ct_weave_grow(ct_weave *weave)
{
    const ct_copy_dim *dim = weave->copy.dim;
    int best = -1;
    for (int k = 0; k < weave->copy.rank && weave->count < CT_WEAVE_BITS; k++) {
        if ((int64_t)2 << weave->bits[k] > dim[k].extent) continue;
        const double more = waste(weave, k), least = best < 0 ? 0 : waste(weave, best);
        if (best < 0 || more < least ||
            (more <= least && smaller_stride(&dim[k]) < smaller_stride(&dim[best])))
            best = k;
    }
    if (best >= 0) weave->bits[best]++;
    list_bits(weave);
    return best >= 0;
}
