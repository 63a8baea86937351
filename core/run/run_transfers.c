/* run_transfers.c: arrays of sources and sinks on their way between the host and a device with
 * memory of its own: see run_transfers.h. Room: core/run. Knows which block may be sent when. Does
 * not know formats.
 *
 * The next block is sent as soon as it has been read, while the device computes the present one: it
 * waits for what the device's queue had before the kernels of the present block. Results are
 * fetched after the last kernel of their block, and a sink's thread waits for them. */
#include "run_transfers.h"

#include "fail.h"
#include "memory.h"
#include "run_memory.h"

static ct_status add_one(ct_run *run, int slot, ct_error *err)
{
    ct_run_copy *copy = &run->memory->copies[slot];
    if (copy->pinned.mem) return CT_OK;
    return ct_device_pin(&copy->pinned, run->device, run->memory->slots[slot].bytes, err);
}

ct_status ct_run_transfers_add(ct_run *run, int e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_edge *edge = &run->plan->edges[e];
    const size_t bytes = sizeof *run->memory->copies * (size_t)(run->plan->slots + 1);
    if (!run->device->sending) return CT_OK;
    if (!run->memory->copies) run->memory->copies = ct_arena_get(run->arena, bytes);
    CT_NEED(run->memory->copies, bytes, err);
    CT_TRY(add_one(run, edge->slot, err));
    CT_TRY(add_one(run, edge->next, err));
out:
    return status;
}

bool ct_run_transfers_has(const ct_run *run, int slot)
{
    return run->memory->copies && run->memory->copies[slot].pinned.data;
}

/* The end of the block before, which is moved to the next one's start, has been read by now. */
ct_status ct_run_transfers_lend(ct_run *run, int slot, void **data, ct_event **before,
                                ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_copy *copy = &run->memory->copies[slot];
    ct_device_forget(&copy->free);
    CT_TRY(ct_device_mark(&copy->free, run->device, err));
    *data = copy->pinned.data;
    *before = copy->moved;
out:
    return status;
}

ct_status ct_run_transfers_send(ct_run *run, int slot, ct_error *err)
{
    ct_run_copy *copy = &run->memory->copies[slot];
    ct_device_forget(&copy->moved);
    const ct_status status = ct_device_send(&copy->moved, run->device, &run->memory->slots[slot],
                                            &copy->pinned, copy->free, err);
    ct_device_forget(&copy->free);
    copy->fetched = 0;
    return status;
}

ct_status ct_run_transfers_fetch(ct_run *run, int slot, int64_t firing, void **data,
                                 ct_event **before, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_copy *copy = &run->memory->copies[slot];
    if (copy->fetched != firing + 1) {
        ct_device_forget(&copy->moved);
        copy->fetched = firing + 1;
        CT_TRY(ct_device_fetch(&copy->moved, run->device, &copy->pinned, &run->memory->slots[slot],
                               err));
    }
    *data = copy->pinned.data;
    *before = copy->moved;
out:
    return status;
}

ct_status ct_run_transfers_pace(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_event *last = run->memory->last;
    run->memory->last = NULL;
    CT_TRY(ct_device_mark(&run->memory->last, run->device, err));
    CT_TRY(ct_device_await(last, err));
out:
    ct_device_forget(&last);
    return status;
}

void ct_run_transfers_free(ct_run *run)
{
    if (run->memory) ct_device_forget(&run->memory->last);
    for (int slot = 0; run->memory && run->memory->copies && slot < run->plan->slots; slot++) {
        ct_run_copy *copy = &run->memory->copies[slot];
        ct_device_forget(&copy->free);
        ct_device_forget(&copy->moved);
        ct_device_unpin(&copy->pinned, run->device);
    }
}
