/* transpose_ref.c: the transpose as an obvious loop: every element keeps its coordinates.
 * Room: stages/transpose. */
#include "transpose.h"

static int64_t place_of(const ct_array *array, const ct_array *order, int64_t n)
{
    int64_t place = array->offset;
    for (int k = order->rank - 1; k >= 0; k--) {
        place += n % order->extent[k] * ct_array_stride(array, order->dim[k]);
        n /= order->extent[k];
    }
    return place;
}

ct_status ct_transpose_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[CT_TRANSPOSE_X];
    ct_array *y = &ports[CT_TRANSPOSE_Y];
    (void)step;
    (void)err;
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        const ct_complex value = ct_array_load(x, place_of(x, x, n));
        ct_array_save(y, place_of(y, x, n), value.re, value.im);
    }
    return CT_OK;
}
