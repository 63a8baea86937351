/* register_transpose.c: chooses the box that goes through registers at once.
 *
 * Room: layouts. Knows strides. Does not know how a box is moved (register_emit_transpose.c). */
#include "register_transpose.h"

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
static int dim_with_stride(const ct_register_transpose *registers, int64_t stride, bool to)
{
    for (int k = 0; k < registers->copy.rank; k++)
        if (registers->copy.dim[k].extent > 1 && stride_of(&registers->copy.dim[k], to) == stride)
            return k;
    return -1;
}

/* Takes dimensions from the fastest on, each whole where it is a power of two, until `target` bits
 * are contiguous on this side. */
static void choose_row(ct_register_transpose *registers, int target, bool to)
{
    int bits = 0;
    while (bits < target) {
        const int k = dim_with_stride(registers, (int64_t)1 << bits, to);
        if (k < 0) return;
        const int64_t extent = registers->copy.dim[k].extent;
        const int taken = log2_below(extent, target - bits);
        if (taken > registers->bits[k]) registers->bits[k] = taken;
        bits += taken;
        if (extent != (int64_t)1 << taken) return;
    }
}

static void list_bits(ct_register_transpose *registers)
{
    registers->count = 0;
    for (int k = 0; k < registers->copy.rank; k++)
        for (int b = 0; b < registers->bits[k]; b++) {
            assert(registers->count < CT_REGISTER_TRANSPOSE_BITS);
            registers->bit[registers->count++] = (ct_register_transpose_bit){
                registers->copy.dim[k].from << b, registers->copy.dim[k].to << b};
        }
}

static int count_lanes(const ct_register_transpose *registers, int limit, bool to)
{
    int lanes = 0;
    for (int k = 0; k < registers->count && lanes < limit; k++)
        if ((to ? registers->bit[k].to : registers->bit[k].from) == (int64_t)1 << lanes) {
            lanes++;
            k = -1;
        }
    return lanes;
}

void ct_register_transpose_choose(ct_register_transpose *registers, int from, int to, int more)
{
    for (int k = 0; k < registers->copy.rank; k++)
        registers->bits[k] = 0;
    choose_row(registers, from, false);
    choose_row(registers, to + more, true);
    list_bits(registers);
    registers->from_lanes = count_lanes(registers, from, false);
    registers->to_lanes = count_lanes(registers, to, true);
}

/* How much more than the array is moved along a dimension with boxes of twice the length. */
static double waste(const ct_register_transpose *registers, int k)
{
    const int64_t extent = registers->copy.dim[k].extent, box = (int64_t)2 << registers->bits[k];
    const int64_t moved = (extent + box - 1) / box * box;
    return (double)moved / (double)extent;
}

static int64_t smaller_stride(const ct_copy_dim *dim)
{
    return dim->from < dim->to ? dim->from : dim->to;
}

/* The dimension whose doubling moves the fewest words twice; of equal ones the fastest on a side.
 */
bool ct_register_transpose_grow(ct_register_transpose *registers)
{
    const ct_copy_dim *dim = registers->copy.dim;
    int best = -1;
    for (int k = 0; k < registers->copy.rank && registers->count < CT_REGISTER_TRANSPOSE_BITS;
         k++) {
        if ((int64_t)2 << registers->bits[k] > dim[k].extent) continue;
        const double more = waste(registers, k), least = best < 0 ? 0 : waste(registers, best);
        if (best < 0 || more < least ||
            (more <= least && smaller_stride(&dim[k]) < smaller_stride(&dim[best])))
            best = k;
    }
    if (best >= 0) registers->bits[best]++;
    list_bits(registers);
    return best >= 0;
}

ct_register_transpose ct_register_transpose_words(const ct_register_transpose *registers)
{
    return (ct_register_transpose){.copy = registers->copy};
}
