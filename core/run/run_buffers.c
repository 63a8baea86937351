/* run_buffers.c: the device memory of a run.
 * Room: core/run. Knows slots and OpenCL buffers. Does not know stages. */
#include "device_cl.h"
#include "fail.h"
#include "memory.h"
#include "run_memory.h"
#include "run_transfers.h"
#include "time_copy.h"

static ct_status zero(ct_run *run, ct_buffer *buffer, ct_error *err)
{
    const cl_uchar none = 0;
    if (run->ahead && buffer->host)
        return CT_OK; /* it is, and stays untouched where nothing reads it */
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
    run->memory = ct_arena_get(run->arena, sizeof *run->memory);
    CT_NEED(run->memory, sizeof *run->memory, err);
    run->memory->slots = ct_arena_get(run->arena, sizeof(ct_buffer) * (size_t)(plan->slots + 1));
    CT_TRY(ct_arena_check(run->arena, err));
    for (int slot = 0; slot < plan->slots; slot++) {
        CT_TRY(ct_buffer_new(&run->memory->slots[slot], run->device, ct_run_places_slot(run, slot),
                             err));
        CT_TRY(zero(run, &run->memory->slots[slot], err));
    }
    CT_TRY(ct_run_places_new(run, err));
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < ct_step_ports(plan->steps[s].step); p++) {
            int edge = plan->steps[s].edge[p];
            CT_TRY(side_new(run, s, p, err));
            if (edge >= 0) run->steps[s].mem[p] = *ct_run_slots_buffer(run, edge);
        }
out:
    return status;
}

static bool is_table(const ct_run *run, int s, int port)
{
    return run->plan->steps[s].step->stage->ports[port].direction == CT_TABLE;
}

ct_status ct_run_buffers_clear(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int slot = 0; slot < run->plan->slots; slot++)
        CT_TRY(zero(run, &run->memory->slots[slot], err));
    for (int s = 0; s < run->plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            if (run->steps[s].side[p].mem && !is_table(run, s, p))
                CT_TRY(zero(run, &run->steps[s].side[p], err));
out:
    return status;
}

ct_status ct_run_buffers_wait(ct_run *run, ct_error *err)
{
    const cl_int code = clFinish(run->device->queue);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "waiting for the device");
}

void ct_run_buffers_settle(ct_run *run)
{
    ct_device_settle(run->device);
}

void ct_run_buffers_free(ct_run *run)
{
    ct_run_places_free(run);
    ct_run_transfers_free(run);
    if (run->memory) ct_time_mover_free(run->memory->mover);
    for (int slot = 0; run->memory && run->memory->slots && slot < run->plan->slots; slot++)
        ct_buffer_free(&run->memory->slots[slot]);
    for (int s = 0; run->steps && s < run->plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            ct_buffer_free(&run->steps[s].side[p]);
}

ct_status ct_run_buffers_copy(ct_run *run, const ct_buffer *to, const ct_buffer *from, size_t bytes,
                              ct_error *err)
{
    cl_int code =
        clEnqueueCopyBuffer(run->device->queue, from->mem, to->mem, 0, 0, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "copying a buffer");
}
