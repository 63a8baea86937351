/* run_ranks.c: a run that is one rank of a job: what ranks agree on in each block, what they read,
 * and who writes. Room: core/run. Knows when ranks meet. Does not know how parts travel
 * (core/ranks). All ranks do the same steps in the same order, so a rank that fails goes through
 * the exchanges of its block all the same: then all meet at the block's end, and hear of it. */
#include <string.h>

#include "cut.h"
#include "exchange.h"
#include "fail.h"
#include "memory.h"
#include "run_gather.h"

static const ct_ranks *ranks_of(const ct_run *run)
{
    return run->plan->graph->ranks;
}

static bool is_alone(const ct_run *run)
{
    return ct_ranks_size(ranks_of(run)) < 2;
}

static ct_status give_nothing(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err)
{
    (void)state, (void)block, (void)first, (void)count, (void)err;
    return CT_OK;
}

/* Rank 0 writes what there is to be written. */
static void leave_sinks(ct_run *run)
{
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SINK)
            run->steps[s].io = (ct_io){.size = sizeof(ct_io), .write = give_nothing};
}

static bool is_part(const ct_array *whole, const ct_array *part)
{
    for (int k = 0; k < whole->rank; k++)
        if (whole->extent[k] != part->extent[k]) return true;
    return false;
}

/* A source of which this rank has a part is read whole, beside the block. */
static ct_status read_beside(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    const ct_array *part = &run->plan->steps[s].step->port[0];
    ct_array whole = run->plan->graph->nodes[run->plan->steps[s].node].step->port[0];
    if (!is_part(&whole, part)) return CT_OK;
    whole.meta = at->own->port[0].meta;
    ct_array_dense(&whole, &part->layout);
    whole.data = NULL;
    at->own->port[0] = whole;
    at->whole = ct_arena_get(run->arena, ct_array_bytes(&whole));
    CT_TRY(ct_arena_check(run->arena, err));
out:
    return status;
}

ct_status ct_run_ranks_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_gather_need need = {0};
    if (is_alone(run)) return CT_OK;
    CT_TRY(ct_run_waits_new(run, err));
    if (ct_ranks_rank(ranks_of(run)) > 0) leave_sinks(run);
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE) CT_TRY(read_beside(run, s, err));
    CT_TRY(ct_run_masks_room(run, &need, err));
    CT_TRY(ct_run_gather_new(run, &need, err));
out:
    return status;
}

ct_array ct_run_ranks_reads(const ct_run_step *at, const ct_array *block)
{
    ct_array whole = at->own->port[0];
    if (!at->whole) return *block;
    whole.data = at->whole;
    return whole;
}

void ct_run_ranks_take_part(const ct_run_step *at, ct_array *block, const ct_array *read)
{
    ct_array part = *read;
    if (!at->whole) return;
    for (int k = 0; k < block->rank; k++)
        part = ct_array_part(&part, block->dim[k], ct_step_cut_first(at->own, 0, block->dim[k]),
                             block->extent[k]);
    ct_copy_array(block, &part);
}

ct_status ct_run_ranks_agree(ct_run *run, ct_status mine, ct_error *err)
{
    return is_alone(run) ? mine : ct_run_waits_agree(run, mine, err);
}

/* A stream ends on all ranks with the same block. */
ct_status ct_run_ranks_end(ct_run *run, bool some, ct_error *err)
{
    int64_t ends[2] = {some, -(int64_t)some};
    if (is_alone(run)) return CT_OK;
    const ct_status status = ct_ranks_least(ranks_of(run), ends, 2, err);
    if (status != CT_OK || ends[0] == -ends[1]) return status;
    return ct_error_add(err, CT_DATA, "the ranks' sources do not end with the same block");
}

/* Of a step that is given up because this rank has failed: the others still count on it. */
void ct_run_ranks_drain(ct_run *run, int s)
{
    ct_run_step *at = &run->steps[s];
    if (is_alone(run) || (run->block + 1) % run->plan->steps[s].period != 0) return;
    ct_run_masks_drain(run, s, CT_RUN_MET_BROUGHT);
    if (ct_exchange_is(at->step) && !(at->met & CT_RUN_MET_SENT))
        (void)ct_program_enqueue(at->program, at->mem, false, NULL);
    ct_run_masks_drain(run, s, CT_RUN_MET_GIVEN);
}
