/* transpose_shape.c: the canonical form of a transpose. STPC to TSPC is one of three dimensions,
 * with (P,C) as one; complex bytes of two polarizations that stay together are words of four bytes.
 *
 * Room: layouts. Knows strides. Called by: transpose_emit.c. */
#include "transpose_shape.h"

#include <assert.h>

static void drop(ct_transpose_shape *shape, int k)
{
    shape->rank--;
    for (; k < shape->rank; k++)
        shape->dim[k] = shape->dim[k + 1];
}

static void insert(ct_transpose_shape *shape, ct_transpose_dim dim)
{
    int place = shape->rank++;
    for (; place > 0 && shape->dim[place - 1].from < dim.from; place--)
        shape->dim[place] = shape->dim[place - 1];
    shape->dim[place] = dim;
}

/* Joins one pair of neighbours; false where there is none. */
static bool merge(ct_transpose_shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        for (int j = 0; j < shape->rank; j++) {
            const ct_transpose_dim outer = shape->dim[i], inner = shape->dim[j];
            if (i == j || outer.from != inner.extent * inner.from ||
                outer.to != inner.extent * inner.to)
                continue;
            shape->dim[j].extent *= outer.extent;
            drop(shape, i);
            return true;
        }
    return false;
}

/* The dimension with stride 1 on both sides; -1 where there is none. */
static int shared_fastest(const ct_transpose_shape *shape)
{
    for (int k = 0; k < shape->rank; k++)
        if (shape->dim[k].from == 1 && shape->dim[k].to == 1) return k;
    return -1;
}

/* Two words become one where everything is even. */
static bool widen(ct_transpose_shape *shape)
{
    const int fastest = shared_fastest(shape);
    if (shape->word == 8 || fastest < 0 || shape->dim[fastest].extent % 2) return false;
    if (shape->from_offset % 2 || shape->to_offset % 2) return false;
    for (int k = 0; k < shape->rank; k++)
        if (k != fastest && (shape->dim[k].from % 2 || shape->dim[k].to % 2)) return false;
    for (int k = 0; k < shape->rank; k++) {
        if (k == fastest) continue;
        shape->dim[k].from /= 2;
        shape->dim[k].to /= 2;
    }
    shape->from_offset /= 2;
    shape->to_offset /= 2;
    shape->word *= 2;
    shape->dim[fastest].extent /= 2;
    if (shape->dim[fastest].extent == 1) drop(shape, fastest);
    return true;
}

ct_transpose_shape ct_transpose_reduce(const ct_array *from, const ct_array *to)
{
    const int bytes = (int)ct_type_bits(from->type) / 8, words = bytes / 8 > 1 ? bytes / 8 : 1;
    ct_transpose_shape shape = {.word = bytes / words,
                                .from_offset = from->offset * words,
                                .to_offset = to->offset * words};
    assert(from->type == to->type && from->rank == to->rank);
    for (int k = 0; k < from->rank; k++)
        if (from->extent[k] > 1)
            insert(&shape, (ct_transpose_dim){from->extent[k], from->stride[k] * words,
                                              ct_array_stride(to, from->dim[k]) * words});
    if (words > 1) insert(&shape, (ct_transpose_dim){words, 1, 1});
    while (merge(&shape))
        continue;
    while (widen(&shape))
        continue;
    return shape;
}
