/* region.h: a box of an array in memory, of any strides, and the same box in a file, of other
 * strides: moving one into the other.
 * Room: io/shared. Knows strides. Does not know formats.
 * Order: make, then load, store or zero. */
#ifndef CT_IO_REGION_H
#define CT_IO_REGION_H
#include "cornerturn_stage.h"
#include "output.h"

/* How a file lays out an array: in this order, with these strides (in elements). */
typedef struct ct_order {
    ct_layout layout;
    int64_t stride[CT_DIMS]; /* in the order of layout.dim */
} ct_order;

/* Where elements come from: `count` elements from element `first` of the file, as in memory. */
typedef struct ct_reader {
    ct_status (*read)(void *of, int64_t first, void *to, size_t count, ct_error *err);
    void *of;
} ct_reader;

/* Dense in this layout, with the array's extents but `total` along T. */
ct_order ct_region_order_dense(const ct_layout *layout, const ct_array *array, int64_t total);
/* `count` samples along T: from index `memory_t` of the array, at index `file_t` of the file. Words
 * are elements, `from` is memory and `to` the file (also where the file is read), dimensions are
 * slowest first in the file. */
ct_copy ct_region_make(const ct_array *array, const ct_order *order, int64_t memory_t,
                       int64_t file_t, int64_t count);
ct_status ct_region_load(const ct_copy *region, void *data, ct_reader reader, ct_error *err);
/* The file's element 0 is at byte `base`. */
ct_status ct_region_store(const ct_copy *region, const void *data, ct_output *out, int64_t base,
                          ct_error *err);
void ct_region_zero(const ct_copy *region, void *data);

#endif
