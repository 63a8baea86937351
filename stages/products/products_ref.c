/* products_ref.c: sums along Q in double precision.
 * Room: stages/products. */
#include "products.h"

static ct_complex sum_of(const ct_products_sum *sum, const ct_array *x, int64_t at)
{
    ct_complex out = {0, 0};
    for (int k = 0; k < sum->terms; k++) {
        const ct_complex f = sum->term[k].factor,
                         v = ct_array_load(x, at + sum->term[k].q * ct_array_stride(x, 'Q'));
        out.re += f.re * v.re - f.im * v.im;
        out.im += f.re * v.im + f.im * v.re;
    }
    return out;
}

ct_status ct_products_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_products_matrix *matrix = step->state;
    const ct_array *x = &ports[CT_PRODUCTS_X];
    ct_array *y = &ports[CT_PRODUCTS_Y];
    (void)err;
    for (int64_t n = 0; n < ct_array_count(y); n++) {
        int64_t from = x->offset, to = y->offset, q = 0, rest = n;
        for (int k = y->rank - 1; k >= 0; k--) {
            const int64_t index = rest % y->extent[k];
            rest /= y->extent[k];
            to += index * y->stride[k];
            if (y->dim[k] == 'Q') q = index;
            if (y->dim[k] != 'Q') from += index * ct_array_stride(x, y->dim[k]);
        }
        const ct_complex value = sum_of(&matrix->sum[q], x, from);
        ct_array_save(y, to, value.re, value.im);
    }
    return CT_OK;
}
