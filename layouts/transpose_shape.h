/* transpose_shape.h: a transpose reduced to what matters: as few dimensions and as wide words as
 * can be.
 * Room: layouts. Knows strides. Does not know names of dimensions or types. */
#ifndef CT_LAYOUTS_TRANSPOSE_SHAPE_H
#define CT_LAYOUTS_TRANSPOSE_SHAPE_H
#include "cornerturn_stage.h"

typedef struct ct_transpose_dim {
    int64_t extent, from, to; /* strides in words */
} ct_transpose_dim;

/* Dimensions slowest first in the source's memory. */
typedef struct ct_transpose_shape {
    int rank, word; /* bytes of a word: 1, 2, 4, 8 */
    ct_transpose_dim dim[CT_DIMS];
    int64_t from_offset, to_offset;
} ct_transpose_shape;

/* Extents of 1 are dropped, dimensions that stay neighbours become one, and a fastest dimension
 * that both sides share is taken into the word. Elements of 16 bytes are such a dimension of two.
 */
ct_transpose_shape ct_transpose_reduce(const ct_array *from, const ct_array *to);

#endif
