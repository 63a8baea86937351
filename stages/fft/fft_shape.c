/* fft_shape.c: the batch of transforms as a strided copy in canonical form, so that engines see as
 * few axes as there are.
 * Room: stages/fft. Knows strides. Does not know libraries. */
#include "fft.h"

void ct_fft_shape_make(fft_shape *out, const ct_array *x, const ct_array *y)
{
    *out = (fft_shape){.length = ct_array_extent(y, 'C'),
                       .in = ct_array_stride(x, 'C'),
                       .out = ct_array_stride(y, 'C'),
                       .batch = {.from = x->offset, .to = y->offset}};
    for (int i = 0; i < y->rank; i++)
        if (y->dim[i] != 'C')
            ct_copy_add(&out->batch, (ct_copy_dim){.extent = y->extent[i],
                                                   .from = ct_array_stride(x, y->dim[i]),
                                                   .to = y->stride[i],
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
