/* row_stride.h: how far apart the rows of an array lie, as a plan says it: padded where that pays,
 * dense, or a number of elements. Room: layouts. Knows strides. Does not know stages or devices. */
#ifndef CT_LAYOUTS_ROW_STRIDE_H
#define CT_LAYOUTS_ROW_STRIDE_H
#include "cornerturn_stage.h"

/* Instead of a number of elements from one row to the next. */
enum { CT_ROWS_PADDED = 0, CT_ROWS_DENSE = -1 };

/* Elements of a row: the extent of the fastest dimension. */
int64_t ct_rows_length(const ct_array *array);
/* The range of numbers that ct_rows_set takes: from no gap to one as long as the row, or 4096
 * elements. *most is below *least where there is only one row. */
void ct_rows_range(const ct_array *array, int64_t *least, int64_t *most);
/* Strides of `array` in its own layout. */
void ct_rows_set(ct_array *array, int64_t rows);

#endif
