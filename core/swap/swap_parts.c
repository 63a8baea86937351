/* swap_parts.c: a run takes over what another one is made of: plan, programs, arrays, flags. Its
 * sources and sinks stay, and read and write the other arrays. Room: core/swap. Knows the parts of
 * a run. Does not know what arrays hold. */
#include <string.h>

#include "fail.h"
#include "run_flags.h"
#include "run_swap.h"

static const ct_graph *written_of(const ct_plan *plan)
{
    const ct_graph *graph = plan->graph;
    while (graph->of)
        graph = graph->of;
    return graph;
}

ct_status ct_swap_parts_check(const ct_plan *plan, const ct_plan *next, ct_error *err)
{
    const ct_graph *was = written_of(plan), *is = written_of(next);
    if (was != is && strcmp(was->expanded, is->expanded) != 0)
        return ct_error_add(
            err, CT_INVALID,
            "ct_run_swap: the plan is of another pipeline: expected one of %s, with "
            "the same settings",
            plan->graph->file);
    if (plan->graph->block != next->graph->block)
        return ct_error_add(err, CT_INVALID,
                            "ct_run_swap: the plan has blocks of %lld samples: expected the run's, "
                            "%lld",
                            (long long)next->graph->block, (long long)plan->graph->block);
    return CT_OK;
}

/* The step of this node; -1: none. */
static int find_step(const ct_run *run, const ct_plan_step *like, const ct_graph *graph)
{
    for (int s = 0; like->node >= 0 && s < run->plan->count; s++) {
        const int node = run->plan->steps[s].node;
        if (node >= 0 &&
            strcmp(run->plan->graph->nodes[node].name, graph->nodes[like->node].name) == 0)
            return s;
    }
    return -1;
}

/* Both steps remain what they are in their plan, and change all else. */
static void exchange_ends(ct_run_step *a, ct_run_step *b)
{
    const ct_run_step was = *a;
    ct_step *own = b->own;
    for (int p = 0; p < ct_step_ports(own); p++) { /* layouts are the plans' */
        const ct_array array = a->own->port[p];
        const ct_meta meta = own->port[p].meta;
        a->own->port[p] = own->port[p];
        a->own->port[p].meta = array.meta;
        own->port[p] = array;
        own->port[p].meta = meta;
    }
    *a = *b;
    memcpy(a->mem, was.mem, sizeof a->mem);
    memcpy(a->side, was.side, sizeof a->side);
    ct_run_step end = was;
    memcpy(end.mem, b->mem, sizeof end.mem);
    memcpy(end.side, b->side, sizeof end.side);
    *b = end;
    ct_run_stream_move(b);
}

/* As far as the run is. */
static void count(ct_run *run, ct_run *next)
{
    const ct_graph *graph = next->plan->graph;
    next->block = run->block;
    next->write_from = run->write_from;
    for (int t = 0; t < next->plan->count; t++) {
        const ct_plan_step *step = &next->plan->steps[t];
        next->steps[t].fired = ct_clock_table_fired(&graph->clocks, step->clock, run->block);
        if (next->steps[t].own && ct_role_of(step->step) == CT_ROLE_SOURCE)
            next->length[step->node] = next->steps[t].position;
    }
    for (int n = 0; n < graph->count; n++)
        ct_run_count_length(next, n);
}

static void move_ends(ct_run *run, ct_run *next)
{
    for (int t = 0; t < next->plan->count; t++) {
        const int s = find_step(run, &next->plan->steps[t], next->plan->graph);
        if (s < 0) continue;
        if (next->steps[t].own)
            exchange_ends(&run->steps[s], &next->steps[t]);
        else
            next->steps[t].seconds = run->steps[s].seconds;
    }
}

#define EXCHANGE(type, a, b)                                                                       \
    do {                                                                                           \
        type was_ = (a);                                                                           \
        (a) = (b);                                                                                 \
        (b) = was_;                                                                                \
    } while (0)

ct_status ct_swap_parts(ct_run *run, ct_run *next, ct_error *err)
{
    ct_status status = CT_OK;
    move_ends(run, next);
    count(run, next);
    status = ct_run_slots_begin(next, err);
    if (status == CT_OK) status = ct_swap_arrays_carry(run, next, err);
    if (status == CT_OK) ct_swap_flags_carry(run, next);
    EXCHANGE(ct_plan *, run->plan, next->plan);
    EXCHANGE(ct_device *, run->device, next->device);
    EXCHANGE(ct_run_step *, run->steps, next->steps);
    EXCHANGE(struct ct_run_memory *, run->memory, next->memory);
    EXCHANGE(struct ct_run_flags *, run->flags, next->flags);
    EXCHANGE(int64_t *, run->length, next->length);
    run->complete = true;
    ct_run_end_parts(next);
    next->retired = run->retired;
    run->retired = next;
    return status;
}
