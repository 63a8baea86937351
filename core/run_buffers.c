/* run_buffers.c: the device memory of a run, and the history that edges keep between blocks.
 * Room: core. Knows slots, edges and OpenCL buffers. Does not know stages.
 * Called by core/run.c. */
#include <string.h>

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
    if (array->type == CT_NONE) return CT_OK;
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
    for (int slot = 0; slot < plan->slots; slot++) {
        CT_TRY(ct_buffer_new(&run->slots[slot], run->device, (size_t)plan->slot_bytes[slot], err));
        CT_TRY(zero(run, &run->slots[slot], err));
    }
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < ct_step_ports(plan->steps[s].step); p++) {
            int edge = plan->steps[s].edge[p];
            if (edge >= 0)
                run->steps[s].mem[p] = run->slots[plan->edges[edge].slot];
            else
                CT_TRY(side_new(run, s, p, err));
        }
out:
    return status;
}

void ct_run_buffers_free(ct_run *run)
{
    for (int slot = 0; run->slots && slot < run->plan->slots; slot++)
        ct_buffer_free(&run->slots[slot]);
    for (int s = 0; s < run->plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            ct_buffer_free(&run->steps[s].side[p]);
}

/* In memory, T splits the array into outer repeats, T itself, and contiguous rows inside. */
typedef struct slab {
    size_t row, pitch, outer; /* bytes of one T step, bytes of all T steps, how often */
    size_t tail;              /* bytes of one T step without the padding behind it */
} slab;

static slab slab_of(const ct_array *array, int t)
{
    size_t size = ct_type_bits(array->type) / 8;
    slab s = {.row = (size_t)array->stride[t] * size, .outer = 1, .tail = size};
    s.pitch = s.row * (size_t)array->extent[t];
    for (int i = 0, first = 1; i < array->rank; i++) {
        size_t pitch = (size_t)array->stride[i] * size;
        if (array->stride[i] < array->stride[t]) s.tail += (size_t)(array->extent[i] - 1) * pitch;
        if (array->stride[i] <= array->stride[t] || array->extent[i] == 1) continue;
        if (first || pitch < s.pitch) s.pitch = pitch; /* rows may be padded */
        s.outer *= (size_t)array->extent[i];
        first = 0;
    }
    return s;
}

static ct_status move(ct_run *run, cl_mem mem, slab s, int64_t from, int64_t to, int64_t count,
                      ct_error *err)
{
    const size_t source[3] = {(size_t)from * s.row, 0, 0}, target[3] = {(size_t)to * s.row, 0, 0};
    const size_t region[3] = {(size_t)(count - 1) * s.row + s.tail, s.outer, 1};
    cl_int code = clEnqueueCopyBufferRect(run->device->queue, mem, mem, source, target, region,
                                          s.pitch, 0, s.pitch, 0, 0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "keeping the overlap of blocks");
}

/* In pieces no longer than the block, because a copy may not overlap itself. */
ct_status ct_run_buffers_turn(ct_run *run, const ct_edge *edge, ct_error *err)
{
    ct_status status = CT_OK;
    int t = ct_array_find(&edge->array, 'T');
    int64_t fresh = edge->array.extent[t] - edge->before;
    slab s = slab_of(&edge->array, t);
    for (int64_t at = 0; at < edge->before; at += fresh) {
        int64_t count = edge->before - at < fresh ? edge->before - at : fresh;
        CT_TRY(move(run, run->slots[edge->slot].mem, s, at + fresh, at, count, err));
    }
out:
    return status;
}

ct_status ct_run_buffers_map(ct_run *run, const ct_buffer *buffer, void **data, ct_error *err)
{
    cl_int code;
    *data = clEnqueueMapBuffer(run->device->queue, buffer->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                               0, buffer->bytes, 0, NULL, NULL, &code);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "reaching a buffer");
}

ct_status ct_run_buffers_unmap(ct_run *run, const ct_buffer *buffer, void *data, ct_error *err)
{
    cl_int code = clEnqueueUnmapMemObject(run->device->queue, buffer->mem, data, 0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "handing a buffer back");
}
