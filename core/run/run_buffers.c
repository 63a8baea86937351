/* run_buffers.c: the device memory of a run, and the history that edges keep between blocks.
 * Room: core/run. Knows slots, edges and OpenCL buffers. Does not know stages. */
#include <string.h>

#include "device_cl.h"
#include "fail.h"
#include "memory.h"
#include "run.h"

static ct_status zero(ct_run *run, ct_buffer *buffer, ct_error *err)
{
    const cl_uchar none = 0;
    cl_int code = clEnqueueFillBuffer(run->device->queue, buffer->mem, &none, 1, 0, buffer->bytes,
                                      0, NULL, NULL);
    if (code == CL_SUCCESS) code = clFinish(run->device->queue);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "clearing a buffer");
}

static ct_status side_new(ct_run *run, int s, int port, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *array = &run->plan->steps[s].step->port[port];
    ct_buffer *side = &run->steps[s].side[port];
    if (!ct_plan_has_side(&run->plan->steps[s], port)) return CT_OK;
    CT_TRY(ct_buffer_new(side, run->device, ct_array_bytes(array), err));
    CT_TRY(zero(run, side, err));
    run->steps[s].mem[port] = *side;
    run->steps[s].flags_clean = true;
out:
    return status;
}

ct_status ct_run_buffers_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan *plan = run->plan;
    run->slots = ct_arena_get(run->arena, sizeof *run->slots * (size_t)(plan->slots + 1));
    CT_TRY(ct_arena_check(run->arena, err));
    for (int slot = 0; slot < plan->slots; slot++) {
        CT_TRY(ct_buffer_new(&run->slots[slot], run->device, (size_t)plan->slot_bytes[slot], err));
        CT_TRY(zero(run, &run->slots[slot], err));
    }
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < ct_step_ports(plan->steps[s].step); p++) {
            int edge = plan->steps[s].edge[p];
            CT_TRY(side_new(run, s, p, err));
            if (edge >= 0) run->steps[s].mem[p] = run->slots[plan->edges[edge].slot];
        }
out:
    return status;
}

void ct_run_buffers_settle(ct_run *run)
{
    clFinish(run->device->queue);
}

void ct_run_buffers_free(ct_run *run)
{
    for (int slot = 0; run->slots && slot < run->plan->slots; slot++)
        ct_buffer_free(&run->slots[slot]);
    for (int s = 0; run->steps && s < run->plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            ct_buffer_free(&run->steps[s].side[p]);
}

/* In memory, T splits the array into T itself with contiguous rows inside, and repeats outside. */
typedef struct slab {
    size_t row, tail; /* bytes of one T step, with and without the gap behind it */
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

/* Where the n-th repeat starts, those of the first dimension left out. */
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

/* Where both are one buffer, in pieces no longer than the block: a copy may not overlap itself. */
ct_status ct_run_buffers_move_history(ct_run *run, int e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_edge *edge = &run->plan->edges[e];
    const passage mem = {ct_run_pairs_before(run, e)->mem, ct_run_pairs_buffer(run, e)->mem};
    const int t = ct_array_find(&edge->array, 'T');
    const int64_t fresh = edge->array.extent[t] - edge->before;
    const int64_t most = mem.from == mem.to ? fresh : edge->before;
    slab s = slab_of(&edge->array, t);
    CT_TRY(ct_run_moves_mark(run, err));
    for (int64_t at = 0; at < edge->before; at += most) {
        const int64_t count = edge->before - at < most ? edge->before - at : most;
        CT_TRY(move(run, mem, &s, at + fresh, at, count, err));
    }
    CT_TRY(ct_run_moves_mark(run, err));
out:
    return status;
}

ct_status ct_run_buffers_copy(ct_run *run, const ct_buffer *to, const ct_buffer *from, size_t bytes,
                              ct_error *err)
{
    cl_int code =
        clEnqueueCopyBuffer(run->device->queue, from->mem, to->mem, 0, 0, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "copying a buffer");
}

ct_status ct_run_buffers_map(ct_run *run, const ct_buffer *buffer, void **data, ct_error *err)
{
    return ct_buffer_map(data, buffer, run->device, err);
}

ct_status ct_run_buffers_unmap(ct_run *run, const ct_buffer *buffer, void *data, ct_error *err)
{
    return ct_buffer_unmap(buffer, run->device, data, err);
}
