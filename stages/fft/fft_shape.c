/* fft_shape.c: the batch of transforms in canonical form: no axes of extent 1, and neighbours that
 * step alike in both arrays merged, so that engines see as few axes as there are.
 * Room: stages/fft. Knows strides. Does not know libraries.
 * Called by: engines, when they prepare. */
#include "fft.h"

static void shape_collect(fft_shape *shape, const ct_array *x, const ct_array *y)
{
    for (int i = 0; i < y->rank; i++)
        if (y->dim[i] != 'C' && y->extent[i] > 1)
            shape->axis[shape->axes++] =
                (fft_axis){y->extent[i], ct_array_stride(x, y->dim[i]), y->stride[i]};
}

/* Slowest in the output first; where they step alike, slowest in the input first. */
static bool shape_is_slower(const fft_axis *a, const fft_axis *b)
{
    return a->out != b->out ? a->out > b->out : a->in > b->in;
}

static void shape_sort(fft_shape *shape)
{
    for (int i = 1; i < shape->axes; i++)
        for (int j = i; j > 0 && shape_is_slower(&shape->axis[j], &shape->axis[j - 1]); j--) {
            fft_axis other = shape->axis[j];
            shape->axis[j] = shape->axis[j - 1];
            shape->axis[j - 1] = other;
        }
}

static void shape_merge(fft_shape *shape)
{
    int kept = 0;
    for (int i = 1; i < shape->axes; i++) {
        fft_axis *slow = &shape->axis[kept], fast = shape->axis[i];
        if (slow->in == fast.extent * fast.in && slow->out == fast.extent * fast.out)
            *slow = (fft_axis){slow->extent * fast.extent, fast.in, fast.out};
        else
            shape->axis[++kept] = fast;
    }
    if (shape->axes > 0) shape->axes = kept + 1;
}

void ct_fft_shape_make(fft_shape *out, const ct_array *x, const ct_array *y)
{
    *out = (fft_shape){.length = ct_array_extent(y, 'C'),
                       .in = ct_array_stride(x, 'C'),
                       .out = ct_array_stride(y, 'C'),
                       .in_offset = x->offset,
                       .out_offset = y->offset};
    shape_collect(out, x, y);
    shape_sort(out);
    shape_merge(out);
}

int64_t ct_fft_shape_batch(const fft_shape *shape)
{
    int64_t batch = 1;
    for (int i = 0; i < shape->axes; i++)
        batch *= shape->axis[i].extent;
    return batch;
}

int64_t ct_fft_shape_prime(int64_t length)
{
    int64_t largest = 1;
    for (int64_t p = 2; p * p <= length; p++)
        for (; length % p == 0; length /= p)
            largest = p;
    return length > largest ? length : largest;
}
