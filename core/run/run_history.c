/* run_history.c: the end of a block, which an edge keeps for the next one, moves to where that
 * begins. Room: core/run. Knows which samples these are. Does not know who reads them. */
#include "run_memory.h"
#include "time_copy.h"

#include "fail.h"

static ct_status mark(ct_run *run, ct_error *err)
{
    return run->hooks.mark_history ? run->hooks.mark_history(run, err) : CT_OK;
}

ct_status ct_run_history_move(ct_run *run, int e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_edge *edge = &run->plan->edges[e];
    const int64_t fresh = ct_array_extent(&edge->array, 'T') - edge->before;
    const ct_time_place to = {ct_run_slots_buffer(run, e)->mem, &edge->array, 0},
                        from = {ct_run_slots_before(run, e)->mem, &edge->array, fresh};
    CT_TRY(mark(run, err));
    CT_TRY(ct_time_copy(run->device->queue, to, from, edge->before, "keeping the overlap of blocks",
                        err));
    CT_TRY(mark(run, err));
out:
    return status;
}
