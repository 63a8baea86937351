/* run_places.c: arrays with history that lie in their slot a block further each time, so that what
 * the last block left is the history where it is. Room: core/run. Knows parts of buffers. Does not
 * know who writes and reads there. */
#include "memory.h"
#include "run_memory.h"

/* What the plan has room for is not done where the device has less memory than the plan wants, or
 * does not take parts of buffers from these bytes on, or where history could not be moved back by
 * the host. */
static bool is_usable(const ct_run *run, const ct_edge *edge)
{
    const ct_device *device = run->device;
    return edge->places > 1 && device->shares && device->part_bytes > 0 &&
           edge->way % device->part_bytes == 0 && run->plan->device_bytes <= device->global_bytes &&
           run->plan->slot_bytes[edge->slot] <= device->largest_buffer;
}

size_t ct_run_places_slot(const ct_run *run, int slot)
{
    int64_t bytes = run->plan->slot_bytes[slot];
    for (int e = 0; e < run->plan->edge_count; e++) {
        const ct_edge *edge = &run->plan->edges[e];
        if (edge->slot == slot && !is_usable(run, edge)) bytes -= (edge->places - 1) * edge->way;
    }
    return (size_t)bytes;
}

static ct_status places_of(ct_run *run, int e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_edge *edge = &run->plan->edges[e];
    const ct_buffer *slot = &run->memory->slots[edge->slot];
    ct_run_places *places = &run->memory->places[e];
    const size_t way = (size_t)edge->way, bytes = slot->bytes - (size_t)(edge->places - 1) * way;
    places->at = ct_arena_get(run->arena, sizeof *places->at * (size_t)edge->places);
    CT_TRY(ct_arena_check(run->arena, err));
    for (places->count = 0; places->count < edge->places; places->count++)
        CT_TRY(ct_buffer_part(&places->at[places->count], slot, (size_t)places->count * way, bytes,
                              err));
out:
    return status;
}

ct_status ct_run_places_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t edges = (size_t)run->plan->edge_count + 1;
    run->memory->places = ct_arena_get(run->arena, sizeof *run->memory->places * edges);
    CT_TRY(ct_arena_check(run->arena, err));
    for (int e = 0; e < run->plan->edge_count; e++)
        if (is_usable(run, &run->plan->edges[e])) CT_TRY(places_of(run, e, err));
out:
    return status;
}

void ct_run_places_free(ct_run *run)
{
    for (int e = 0; run->memory && run->memory->places && e < run->plan->edge_count; e++)
        for (int i = 0; i < run->memory->places[e].count; i++)
            ct_buffer_part_free(&run->memory->places[e].at[i]);
}
