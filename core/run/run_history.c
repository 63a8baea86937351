/* run_history.c: the end of a block, which an edge keeps for the next one, moves to where that
 * begins. Room: core/run. Knows strides along time. Does not know who reads it. */
#include "device_cl.h"
#include "fail.h"
#include "run_memory.h"

/* In memory, T splits the array into T itself with contiguous rows inside, and repeats outside. */
typedef struct slab {
    size_t row, tail; /* bytes of one T step, with and without the gap after it */
    int repeats;      /* dimensions outside, the one with the most indices first */
    size_t count[CT_DIMS], stride[CT_DIMS];
} slab;

static void slab_add(slab *s, size_t count, size_t stride)
{
    int place = s->repeats++;
    if (place > 0 && count > s->count[0]) {
        s->count[place] = s->count[0];
        s->stride[place] = s->stride[0];
        place = 0;
    }
    s->count[place] = count;
    s->stride[place] = stride;
}

static slab slab_of(const ct_array *array, int t)
{
    size_t size = ct_type_bits(array->type) / 8;
    slab s = {.row = (size_t)array->stride[t] * size, .tail = size};
    for (int i = 0; i < array->rank; i++) {
        size_t stride = (size_t)array->stride[i] * size, count = (size_t)array->extent[i];
        if (array->stride[i] < array->stride[t]) s.tail += (count - 1) * stride;
        if (array->stride[i] > array->stride[t] && count > 1) slab_add(&s, count, stride);
    }
    if (s.repeats == 0) slab_add(&s, 1, s.row * (size_t)array->extent[t]);
    return s;
}

/* Where the n-th repeat starts, without those of the first dimension. */
static size_t slab_at(const slab *s, size_t n)
{
    size_t at = 0;
    for (int i = 1; i < s->repeats; n /= s->count[i], i++)
        at += n % s->count[i] * s->stride[i];
    return at;
}

typedef struct passage {
    cl_mem from, to;
} passage;

static ct_status move(ct_run *run, passage mem, const slab *s, int64_t from, int64_t to,
                      int64_t count, ct_error *err)
{
    const size_t region[3] = {(size_t)(count - 1) * s->row + s->tail, s->count[0], 1};
    size_t repeats = 1;
    cl_int code = CL_SUCCESS;
    for (int i = 1; i < s->repeats; i++)
        repeats *= s->count[i];
    for (size_t n = 0; n < repeats && code == CL_SUCCESS; n++) {
        const size_t source[3] = {slab_at(s, n) + (size_t)from * s->row, 0, 0};
        const size_t target[3] = {slab_at(s, n) + (size_t)to * s->row, 0, 0};
        code = clEnqueueCopyBufferRect(run->device->queue, mem.from, mem.to, source, target, region,
                                       s->stride[0], 0, s->stride[0], 0, 0, NULL, NULL);
    }
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "keeping the overlap of blocks");
}

static ct_status mark(ct_run *run, ct_error *err)
{
    return run->hooks.mark_history ? run->hooks.mark_history(run, err) : CT_OK;
}

/* If both are one buffer, in pieces no longer than the block: a copy may not overlap itself. */
ct_status ct_run_history_move(ct_run *run, int e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_edge *edge = &run->plan->edges[e];
    const passage mem = {ct_run_slots_before(run, e)->mem, ct_run_slots_buffer(run, e)->mem};
    const int t = ct_array_find(&edge->array, 'T');
    const int64_t fresh = edge->array.extent[t] - edge->before;
    const int64_t most = mem.from == mem.to ? fresh : edge->before;
    slab s = slab_of(&edge->array, t);
    CT_TRY(mark(run, err));
    for (int64_t at = 0; at < edge->before; at += most) {
        const int64_t count = edge->before - at < most ? edge->before - at : most;
        CT_TRY(move(run, mem, &s, at + fresh, at, count, err));
    }
    CT_TRY(mark(run, err));
out:
    return status;
}
