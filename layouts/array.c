/* array.c: named dimensions, extents and strides.
 *
 * Room: layouts. Knows where an element lies. Does not know what it holds (array_element.c does).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"

int ct_array_find(const ct_array *array, char dim)
{
    if (!array) return -1;
    for (int k = 0; k < array->rank; k++)
        if (array->dim[k] == dim) return k;
    return -1;
}

int64_t ct_array_extent(const ct_array *array, char dim)
{
    const int k = ct_array_find(array, dim);
    return k < 0 ? 1 : array->extent[k];
}

int64_t ct_array_stride(const ct_array *array, char dim)
{
    const int k = ct_array_find(array, dim);
    return k < 0 ? 0 : array->stride[k];
}

int64_t ct_array_count(const ct_array *array)
{
    if (!array) return 0;
    int64_t count = 1;
    for (int k = 0; k < array->rank; k++)
        count *= array->extent[k];
    return count;
}

int64_t ct_array_span(const ct_array *array)
{
    if (!array) return 0;
    int64_t last = array->offset;
    for (int k = 0; k < array->rank; k++) {
        if (array->extent[k] <= 0) return 0;
        last += (array->extent[k] - 1) * array->stride[k];
    }
    return last + 1;
}

size_t ct_array_bytes(const ct_array *array)
{
    if (!array) return 0;
    const size_t span = (size_t)ct_array_span(array);
    return (span * ct_type_bits(array->type) + 7) / 8;
}

bool ct_array_dense(ct_array *array, const ct_layout *layout)
{
    if (!array) return false;
    ct_layout order = {.rank = array->rank};
    memcpy(order.dim, array->dim, sizeof order.dim);
    if (layout) order = *layout;
    if (!ct_layout_covers(&order, array)) return false;

    int64_t stride = 1;
    for (int k = order.rank - 1; k >= 0; k--) {
        const int place = ct_array_find(array, order.dim[k]);
        array->stride[place] = stride;
        stride *= array->extent[place];
    }
    array->offset = 0;
    array->layout = order;
    return true;
}

bool ct_array_add(ct_array *array, char dim, int64_t extent)
{
    if (!array) return false;
    if (array->rank >= CT_DIMS || ct_array_find(array, dim) >= 0) return false;
    array->dim[array->rank] = dim;
    array->extent[array->rank] = extent;
    array->dim[++array->rank] = '\0';
    return true;
}

ct_array ct_array_part(const ct_array *array, char dim, int64_t first, int64_t count)
{
    if (!array) return (ct_array){0};
    ct_array part = *array;
    const int place = ct_array_find(array, dim);
    if (place < 0) return part;
    part.offset += first * part.stride[place];
    part.extent[place] = count;
    return part;
}

bool ct_array_set(ct_array *array, char dim, int64_t extent)
{
    if (!array) return false;
    const int place = ct_array_find(array, dim);
    if (place < 0) return ct_array_add(array, dim, extent);
    array->extent[place] = extent;
    return true;
}

/* Where F has groups, all channels of an index of F have its group. */
static int64_t channels_of_group(const ct_array *array)
{
    const ct_groups *groups = array->meta.groups;
    const int64_t f = ct_array_extent(array, 'F'), c = ct_array_extent(array, 'C');
    if (!groups || groups->count < 2) return 0;
    if (groups->channels == f * c) return 1;
    return ct_array_find(array, 'F') >= 0 && groups->channels == f ? c : 0;
}

const ct_product *ct_array_product(const ct_array *array, int64_t q)
{
    const ct_products *products = array ? array->meta.products : NULL;
    if (!products || products->count != ct_array_extent(array, 'Q')) return NULL;
    return q >= 0 && q < products->count ? products->of[q] : NULL;
}

ct_feed ct_array_feed(const ct_array *array)
{
    const ct_products *products = array ? array->meta.products : NULL;
    return products ? products->feed : CT_FEED_UNKNOWN;
}

int64_t ct_array_groups(const ct_array *array)
{
    if (!array) return 0;
    return channels_of_group(array) > 0 ? array->meta.groups->count : 1;
}

int64_t ct_array_group(const ct_array *array, int64_t channel)
{
    if (!array) return 0;
    const int64_t each = channels_of_group(array);
    return each > 0 ? array->meta.groups->of[channel / each] : 0;
}

void ct_array_coordinate(char out[CT_ARRAY_COORDINATE], const ct_array *array, int64_t natural)
{
    int64_t index[CT_DIMS];
    size_t length = 0;
    for (int k = array->rank - 1; k >= 0; k--) {
        index[k] = natural % array->extent[k];
        natural /= array->extent[k];
    }
    out[0] = 0;
    for (int k = 0; k < array->rank && length < CT_ARRAY_COORDINATE; k++)
        length +=
            (size_t)snprintf(out + length, CT_ARRAY_COORDINATE - length, "%s%c=%lld", k ? " " : "",
                             tolower((unsigned char)array->dim[k]), (long long)index[k]);
}
