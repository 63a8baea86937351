/* run_pairs.c: arrays that have two slots: while one is computed with, a source fills the other
 * one, or a sink empties it. Room: core/run. Knows which slot an array is in, and what the host has
 * hold of. Does not know threads or formats. All calls of OpenCL are made by the run's user. */
#include "fail.h"
#include "memory.h"
#include "run.h"

static bool may_overlap(const ct_run *run, int s)
{
    const ct_run_step *at = &run->steps[s];
    const ct_edge *edge = &run->plan->edges[run->plan->steps[s].edge[0]];
    if (run->courier && edge->read_later && edge->from == s)
        return false; /* both are used already */
    return at->own && !at->io.read && !at->io.write && ct_step_is_threaded(at->step) &&
           edge->next >= 0;
}

/* What is read ahead has flags beside those of the present block. */
static ct_status own_flags(ct_run *run, int s, ct_error *err)
{
    ct_flags *flags = &run->steps[s].request->flags;
    if (ct_role_of(run->steps[s].step) != CT_ROLE_SOURCE) return CT_OK;
    *flags = run->out[run->plan->steps[s].node * CT_PORTS];
    flags->data = ct_arena_get(run->arena, (size_t)(ct_run_flags_rows(flags) * flags->samples) + 1);
    return ct_arena_check(run->arena, err);
}

ct_status ct_run_pairs_begin(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->pair) return CT_OK;
    const size_t edges = (size_t)run->plan->edge_count;
    run->pair = ct_arena_get(run->arena, sizeof *run->pair * (edges + 1));
    run->reached = ct_arena_get(run->arena, sizeof *run->reached * (size_t)(run->plan->slots + 1));
    CT_TRY(ct_arena_check(run->arena, err));
    for (size_t e = 0; run->courier && e < edges; e++)
        run->pair[e].on = run->plan->edges[e].exchanged || run->plan->edges[e].read_later;
    for (int s = 0; s < run->plan->count; s++) {
        if (!may_overlap(run, s)) continue;
        run->pair[run->plan->steps[s].edge[0]].on = true;
        CT_TRY(own_flags(run, s, err));
        CT_TRY(ct_run_stream_new(run, &run->steps[s], err));
    }
out:
    return status;
}

static int slot_of(const ct_run *run, int e, bool next)
{
    return next ? run->plan->edges[e].next : run->plan->edges[e].slot;
}

int ct_run_pairs_slot(const ct_run *run, int e, int64_t number)
{
    return slot_of(run, e, run->pair[e].on && number % 2 != 0);
}

int ct_run_pairs_now(const ct_run *run, int e)
{
    return slot_of(run, e, run->pair && run->pair[e].next);
}

const ct_buffer *ct_run_pairs_buffer(const ct_run *run, int e)
{
    return &run->slots[ct_run_pairs_now(run, e)];
}

const ct_buffer *ct_run_pairs_before(const ct_run *run, int e)
{
    const bool on = run->pair && run->pair[e].on;
    return on ? &run->slots[slot_of(run, e, !run->pair[e].next)] : ct_run_pairs_buffer(run, e);
}

void ct_run_pairs_take(ct_run *run, int e, int64_t number)
{
    if (!run->pair[e].on) return;
    run->pair[e].next = number % 2 != 0;
    for (int s = 0; s < run->plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            if (run->plan->steps[s].edge[p] == e)
                run->steps[s].mem[p] = *ct_run_pairs_buffer(run, e);
}

static bool is_input(const ct_plan_step *step, int p)
{
    return step->edge[p] >= 0 && step->step->stage->ports[p].direction == CT_IN;
}

/* A step of a later level reads the block before that which is written now. */
const ct_buffer *ct_run_pairs_of(const ct_run *run, int s, int p)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const int e = step->edge[p];
    if (!is_input(step, p) || !run->pair || !run->pair[e].on) return ct_run_pairs_buffer(run, e);
    return &run->slots[ct_run_pairs_slot(run, e, run->steps[s].fired)];
}

void ct_run_pairs_inputs(ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    for (int p = 0; p < CT_PORTS; p++)
        if (is_input(step, p) && run->pair && run->pair[step->edge[p]].on)
            run->steps[s].mem[p] = *ct_run_pairs_of(run, s, p);
}

ct_status ct_run_pairs_reach(ct_run *run, int slot, void **data, ct_error *err)
{
    ct_status status = CT_OK;
    if (!run->reached[slot])
        CT_TRY(ct_run_buffers_map(run, &run->slots[slot], &run->reached[slot], err));
    *data = run->reached[slot];
out:
    return status;
}

ct_status ct_run_pairs_leave(ct_run *run, int slot, ct_error *err)
{
    void *data = run->reached[slot];
    run->reached[slot] = NULL;
    return data ? ct_run_buffers_unmap(run, &run->slots[slot], data, err) : CT_OK;
}

void ct_run_pairs_end(ct_run *run)
{
    for (int slot = 0; run->reached && slot < run->plan->slots; slot++)
        (void)ct_run_pairs_leave(run, slot, NULL);
}
