/* transpose_host.c: a bit-exact copy between two orders on the host, the oracle of every transpose.
 *
 * Room: layouts. Knows strides. Does not know layouts' names, OpenCL, or what the bits mean.
 * Called by: core (tables, blocks of files), tests. */
#include <assert.h>
#include <string.h>

#include "layout.h"

typedef struct copy_axis {
    int64_t extent, to, from; /* strides in bytes */
} copy_axis;

typedef struct copy_plan {
    int rank;
    size_t bytes; /* of one element */
    copy_axis axis[CT_DIMS];
} copy_plan;

/* Sorted so that the destination is written in order of its memory. */
static void insert_axis(copy_plan *copy, copy_axis axis)
{
    int place = copy->rank++;
    for (; place > 0 && copy->axis[place - 1].to < axis.to; place--)
        copy->axis[place] = copy->axis[place - 1];
    copy->axis[place] = axis;
}

static copy_plan describe(const ct_array *to, const ct_array *from)
{
    copy_plan copy = {.bytes = ct_type_bits(to->type) / 8};
    const int64_t bytes = (int64_t)copy.bytes;
    for (int k = 0; k < to->rank; k++) {
        const int source = ct_array_find(from, to->dim[k]);
        assert(source >= 0 && from->extent[source] == to->extent[k]);
        insert_axis(
            &copy, (copy_axis){to->extent[k], to->stride[k] * bytes, from->stride[source] * bytes});
    }
    return copy;
}

#define COPY_ROW(size)                                                                             \
    for (int64_t n = 0; n < axis.extent; n++)                                                      \
        memcpy(to + n * axis.to, from + n * axis.from, size);                                      \
    break

/* A literal size lets the compiler move an element in a register. */
static void copy_row(const copy_plan *copy, copy_axis axis, char *to, const char *from)
{
    if (axis.to == axis.from && axis.to == (int64_t)copy->bytes) {
        memcpy(to, from, (size_t)axis.extent * copy->bytes);
        return;
    }
    switch (copy->bytes) {
    case 1:
        COPY_ROW(1);
    case 2:
        COPY_ROW(2);
    case 4:
        COPY_ROW(4);
    case 8:
        COPY_ROW(8);
    default:
        COPY_ROW(copy->bytes);
    }
}

static void copy_axes(const copy_plan *copy, int k, char *to, const char *from)
{
    const copy_axis axis = copy->axis[k];
    if (k == copy->rank - 1) {
        copy_row(copy, axis, to, from);
        return;
    }
    for (int64_t n = 0; n < axis.extent; n++)
        copy_axes(copy, k + 1, to + n * axis.to, from + n * axis.from);
}

void ct_transpose_copy(ct_array *to, const ct_array *from)
{
    assert(to->type == from->type && to->rank == from->rank);
    assert(ct_type_bits(to->type) >= 8);
    const copy_plan copy = describe(to, from);
    const int64_t bytes = (int64_t)copy.bytes;
    char *target = (char *)to->data + to->offset * bytes;
    const char *source = (const char *)from->data + from->offset * bytes;
    if (copy.rank == 0)
        memcpy(target, source, copy.bytes);
    else
        copy_axes(&copy, 0, target, source);
}
