/* transpose_host.c: a bit-exact copy between two orders on the host, the oracle of every transpose.
 *
 * Room: layouts. Knows strides. Does not know layouts' names, OpenCL, or what the bits mean.
 * Called by: core (tables, blocks of files), tests. */
#include <assert.h>
#include <string.h>

#include "layout.h"

typedef struct turn_axis {
    int64_t extent, to, from; /* strides in bytes */
} turn_axis;

typedef struct turn_plan {
    int rank;
    size_t bytes; /* of one element */
    turn_axis axis[CT_DIMS];
} turn_plan;

/* Sorted so that the destination is written in order of its memory. */
static void insert_axis(turn_plan *turn, turn_axis axis)
{
    int place = turn->rank++;
    for (; place > 0 && turn->axis[place - 1].to < axis.to; place--)
        turn->axis[place] = turn->axis[place - 1];
    turn->axis[place] = axis;
}

static turn_plan describe(const ct_array *to, const ct_array *from)
{
    turn_plan turn = {.bytes = ct_type_bits(to->type) / 8};
    const int64_t bytes = (int64_t)turn.bytes;
    for (int k = 0; k < to->rank; k++) {
        const int source = ct_array_find(from, to->dim[k]);
        assert(source >= 0 && from->extent[source] == to->extent[k]);
        insert_axis(
            &turn, (turn_axis){to->extent[k], to->stride[k] * bytes, from->stride[source] * bytes});
    }
    return turn;
}

#define COPY_ROW(size)                                                                             \
    for (int64_t n = 0; n < axis.extent; n++)                                                      \
        memcpy(to + n * axis.to, from + n * axis.from, size);                                      \
    break

/* A literal size lets the compiler move an element in a register. */
static void copy_row(const turn_plan *turn, turn_axis axis, char *to, const char *from)
{
    if (axis.to == axis.from && axis.to == (int64_t)turn->bytes) {
        memcpy(to, from, (size_t)axis.extent * turn->bytes);
        return;
    }
    switch (turn->bytes) {
    case 1:
        COPY_ROW(1);
    case 2:
        COPY_ROW(2);
    case 4:
        COPY_ROW(4);
    case 8:
        COPY_ROW(8);
    default:
        COPY_ROW(turn->bytes);
    }
}

static void copy_axes(const turn_plan *turn, int k, char *to, const char *from)
{
    const turn_axis axis = turn->axis[k];
    if (k == turn->rank - 1) {
        copy_row(turn, axis, to, from);
        return;
    }
    for (int64_t n = 0; n < axis.extent; n++)
        copy_axes(turn, k + 1, to + n * axis.to, from + n * axis.from);
}

void ct_turn_copy(ct_array *to, const ct_array *from)
{
    assert(to->type == from->type && to->rank == from->rank);
    assert(ct_type_bits(to->type) >= 8);
    const turn_plan turn = describe(to, from);
    const int64_t bytes = (int64_t)turn.bytes;
    char *target = (char *)to->data + to->offset * bytes;
    const char *source = (const char *)from->data + from->offset * bytes;
    if (turn.rank == 0)
        memcpy(target, source, turn.bytes);
    else
        copy_axes(&turn, 0, target, source);
}
