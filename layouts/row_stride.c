/* row_stride.c: how far apart the rows of an array lie. See row_stride.h.
 * Room: layouts. Knows strides. Does not know stages or devices. */
#include "row_stride.h"

#include "padding.h"

enum { LONGEST_GAP = 4096 }; /* elements, where the row is shorter */

int64_t ct_rows_length(const ct_array *array)
{
    const int rank = array->layout.rank;
    return rank ? ct_array_extent(array, array->layout.dim[rank - 1]) : 1;
}

void ct_rows_range(const ct_array *array, int64_t *least, int64_t *most)
{
    const int64_t length = ct_rows_length(array);
    *least = length;
    *most = array->layout.rank < 2 ? 0 : length + (length > LONGEST_GAP ? length : LONGEST_GAP);
}

/* The gap is after each row; larger boxes follow one another. */
static void set_number(ct_array *array, int64_t rows)
{
    const ct_layout layout = array->layout;
    int64_t stride = 1;
    ct_array_dense(array, &layout);
    for (int k = layout.rank - 1; k >= 0; k--) {
        const int place = ct_array_find(array, layout.dim[k]);
        array->stride[place] = stride;
        stride = k == layout.rank - 1 ? rows : stride * array->extent[place];
    }
}

void ct_rows_set(ct_array *array, int64_t rows)
{
    const ct_layout layout = array->layout;
    if (rows == CT_ROWS_PADDED)
        ct_padding_set(array);
    else if (rows == CT_ROWS_DENSE)
        ct_array_dense(array, &layout);
    else
        set_number(array, rows);
}
