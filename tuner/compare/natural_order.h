/* natural_order.h: all elements of a host array, a row of its natural order at a time, wherever its
 * strides have put them: from a tile to the next, so that each line of memory is fetched once.
 * Room: tuner/compare. Knows strides. Does not know what the elements are for. */
#ifndef CT_TUNER_NATURAL_ORDER_H
#define CT_TUNER_NATURAL_ORDER_H
#include "cornerturn_stage.h"

/* `count` elements one after the other; the first is the `natural`-th of the array in natural
 * order. */
typedef void ct_natural_order_look(void *of, int64_t natural, int64_t count, const void *row);
typedef void ct_natural_order_make(void *of, int64_t natural, int64_t count, void *row);

/* Elements have whole bytes, up to 16. Each one is visited once. */
void ct_natural_order_read(const ct_array *array, ct_natural_order_look *look, void *of);
void ct_natural_order_write(const ct_array *array, ct_natural_order_make *make, void *of);

#endif
