/* run_slots.c: arrays that have two slots: while one is computed with, a source fills the other
 * one, or a sink empties it. Room: core/run. Knows which slot an array is in, and what the host has
 * hold of. Does not know threads or formats. All calls of OpenCL are made by the run's user. */
#include "fail.h"
#include "memory.h"
#include "run_io.h"
#include "run_memory.h"
#include "run_transfers.h"

static bool may_overlap(const ct_run *run, int s)
{
    const ct_run_step *at = &run->steps[s];
    const ct_edge *edge = &run->plan->edges[run->plan->steps[s].edge[0]];
    if (run->lagging && edge->read_later && edge->from == s)
        return false; /* both are used already */
    return at->own && !at->io.read && !at->io.write && ct_step_is_threaded(at->step) &&
           edge->next >= 0;
}

/* A block that is read ahead has its own flags. */
static ct_status own_flags(ct_run *run, int s, ct_error *err)
{
    ct_flags *flags = &run->steps[s].request->flags;
    if (ct_role_of(run->steps[s].step) != CT_ROLE_SOURCE) return CT_OK;
    *flags = run->flags->out[run->plan->steps[s].node * CT_PORTS];
    ct_flags_get(flags, run->arena);
    return ct_arena_check(run->arena, err);
}

ct_status ct_run_slots_begin(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->memory->doubled) return CT_OK;
    const size_t edges = (size_t)run->plan->edge_count;
    run->memory->doubled = ct_arena_get(run->arena, sizeof *run->memory->doubled * (edges + 1));
    run->memory->mapped =
        ct_arena_get(run->arena, sizeof *run->memory->mapped * (size_t)(run->plan->slots + 1));
    CT_TRY(ct_arena_check(run->arena, err));
    for (size_t e = 0; e < edges; e++)
        run->memory->doubled[e].on =
            (run->lagging && (run->plan->edges[e].exchanged || run->plan->edges[e].read_later)) ||
            (run->plan->edges[e].next >= 0 && ct_plan_carries(run->plan, (int)e));
    for (int s = 0; s < run->plan->count; s++) {
        if (!may_overlap(run, s)) continue;
        run->memory->doubled[run->plan->steps[s].edge[0]].on = true;
        CT_TRY(own_flags(run, s, err));
        CT_TRY(ct_run_transfers_add(run, run->plan->steps[s].edge[0], err));
        if (!run->steps[s].stream) CT_TRY(ct_run_stream_new(run, &run->steps[s], err));
    }
out:
    return status;
}

static int slot_of(const ct_run *run, int e, bool next)
{
    return next ? run->plan->edges[e].next : run->plan->edges[e].slot;
}

int ct_run_slots_of_block(const ct_run *run, int e, int64_t number)
{
    return slot_of(run, e, run->memory->doubled[e].on && number % 2 != 0);
}

int ct_run_slots_now(const ct_run *run, int e)
{
    return slot_of(run, e, run->memory->doubled && run->memory->doubled[e].next);
}

const ct_buffer *ct_run_slots_buffer(const ct_run *run, int e)
{
    const ct_run_places *places = &run->memory->places[e];
    if (places->count > 1) return &places->at[places->now];
    return &run->memory->slots[ct_run_slots_now(run, e)];
}

const ct_buffer *ct_run_slots_before(const ct_run *run, int e)
{
    const bool on = run->memory->doubled && run->memory->doubled[e].on;
    return on ? &run->memory->slots[slot_of(run, e, !run->memory->doubled[e].next)]
              : ct_run_slots_buffer(run, e);
}

void ct_run_slots_use(ct_run *run, int e, int64_t number)
{
    ct_run_places *places = &run->memory->places[e];
    if (places->count > 1)
        places->now = (int)(number % places->count);
    else if (run->memory->doubled[e].on)
        run->memory->doubled[e].next = number % 2 != 0;
    else
        return;
    for (int s = 0; s < run->plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            if (run->plan->steps[s].edge[p] == e)
                run->steps[s].mem[p] = *ct_run_slots_buffer(run, e);
}

static bool is_input(const ct_plan_step *step, int p)
{
    return step->edge[p] >= 0 && step->step->stage->ports[p].direction == CT_IN;
}

/* A step that lags more reads the block before the one that is written now. */
const ct_buffer *ct_run_slots_read(const ct_run *run, int s, int p)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const int e = step->edge[p];
    if (!is_input(step, p) || !run->memory->doubled || !run->memory->doubled[e].on)
        return ct_run_slots_buffer(run, e);
    return &run->memory->slots[ct_run_slots_of_block(run, e, run->steps[s].fired)];
}

void ct_run_slots_take_inputs(ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    for (int p = 0; p < CT_PORTS; p++)
        if (is_input(step, p) && run->memory->doubled && run->memory->doubled[step->edge[p]].on)
            run->steps[s].mem[p] = *ct_run_slots_read(run, s, p);
}

ct_status ct_run_slots_map(ct_run *run, int slot, void **data, ct_error *err)
{
    ct_status status = CT_OK;
    *data = NULL;
    if (run->memory->stays) return CT_OK;
    if (!run->memory->mapped[slot])
        CT_TRY(
            ct_buffer_map(&run->memory->mapped[slot], &run->memory->slots[slot], run->device, err));
    *data = run->memory->mapped[slot];
out:
    return status;
}

ct_status ct_run_slots_unmap(ct_run *run, int slot, ct_error *err)
{
    void *data = run->memory->mapped[slot];
    run->memory->mapped[slot] = NULL;
    return data ? ct_buffer_unmap(&run->memory->slots[slot], run->device, data, err) : CT_OK;
}

void ct_run_slots_unmap_all(ct_run *run)
{
    for (int slot = 0; run->memory && run->memory->mapped && slot < run->plan->slots; slot++)
        (void)ct_run_slots_unmap(run, slot, NULL);
}
