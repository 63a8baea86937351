/* fft_shape.c: the batch of transforms as a strided copy in canonical form, so that engines see as
 * few axes as there are.
 * Room: stages/fft. Knows strides. Does not know libraries. */
#include "fft.h"

/* From one transform to the next along a dimension of the input: subbands are side by side. */
static int64_t shape_step(const ct_array *y, char dim, int64_t length)
{
    return dim == 'F' ? length * ct_array_stride(y, 'C') : ct_array_stride(y, dim);
}

void ct_fft_shape_make(fft_shape *out, const ct_array *x, const ct_array *y)
{
    const int64_t length = ct_array_extent(x, 'C');
    *out = (fft_shape){.length = length,
                       .in = ct_array_stride(x, 'C'),
                       .out = ct_array_stride(y, 'C'),
                       .batch = {.from = x->offset, .to = y->offset}};
    for (int i = 0; i < x->rank; i++)
        if (x->dim[i] != 'C')
            ct_copy_add(&out->batch, (ct_copy_dim){.extent = x->extent[i],
                                                   .from = x->stride[i],
                                                   .to = shape_step(y, x->dim[i], length),
                                                   .of = i});
    ct_copy_sort(&out->batch, true);
    ct_copy_merge(&out->batch);
}

int64_t ct_fft_shape_prime(int64_t length)
{
    int64_t largest = 1;
    for (int64_t p = 2; p * p <= length; p++)
        for (; length % p == 0; length /= p)
            largest = p;
    return length > largest ? length : largest;
}
