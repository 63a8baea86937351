/* padding.c: gaps between the rows of an array in memory. See padding.h.
 * Room: layouts. Knows strides and cache lines. Does not know stages or devices. */
#include "padding.h"

enum {
    LINE = 64,
    ROW = 4 * LINE, /* of what is shorter the gaps would cost more than lines that are split */
    ALIAS = 1024    /* a cache of 48 KiB has four sets left for lines so far apart, or 16 places */
};

/* Bytes from one index to the next, where what is inside one takes `bytes`. */
static int64_t padded_stride(int64_t bytes)
{
    if (bytes >= ROW) bytes = (bytes + LINE - 1) / LINE * LINE;
    return bytes >= ALIAS && bytes % ALIAS == 0 ? bytes + LINE : bytes;
}

void ct_padding_set(ct_array *array)
{
    const ct_layout layout = array->layout;
    const int64_t size = ct_type_bits(array->type) / 8;
    int64_t stride = 1;
    ct_array_dense(array, &layout);
    if (size == 0 || LINE % size != 0) return;
    for (int k = layout.rank - 1; k >= 0; k--) {
        const int place = ct_array_find(array, layout.dim[k]);
        array->stride[place] = stride;
        if (array->extent[place] > 1)
            stride = padded_stride(stride * array->extent[place] * size) / size;
    }
}
