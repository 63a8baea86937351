/* run_ranks.c: a run that is one rank of a job: what ranks agree on in each block, what they read,
 * and who writes. Room: core/run. Knows when ranks meet. Does not know how parts travel
 * (core/ranks). All ranks do the same steps in the same order, so a rank that fails goes through
 * the exchanges of its block all the same: then all meet at the block's end, and hear of it. */
#include <string.h>

#include "exchange.h"
#include "fail.h"
#include "memory.h"
#include "run_gather.h"
#include "step_range.h"

static const ct_ranks *ranks_of(const ct_run *run)
{
    return run->plan->graph->ranks;
}

bool ct_run_ranks_alone(const ct_run *run)
{
    return ct_ranks_size(ranks_of(run)) < 2;
}

static bool is_part(const ct_array *whole, const ct_array *part)
{
    for (int k = 0; k < whole->rank; k++)
        if (whole->extent[k] != part->extent[k]) return true;
    return false;
}

/* What a source reads, as all ranks together have it: flags of the stations that it reads, and the
 * dimensions along which it reads in parts. */
static ct_run_parts source_parts(const ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const ct_array *whole = &run->plan->graph->nodes[step->node].step->port[0];
    const ct_flags *flags = &run->out[step->node * CT_PORTS];
    ct_run_parts parts = {
        .share = step->partition, .whole = {.type = CT_U8}, .key = {.type = CT_U8}};
    ct_array_add(&parts.whole, ct_step_reads_range(step->step, 'S') ? 'S' : 'Z', flags->stations);
    ct_array_add(&parts.whole, 'G', flags->groups);
    ct_array_add(&parts.whole, 'T', flags->samples);
    ct_array_dense(&parts.whole, NULL);
    for (int k = 0; k < whole->rank; k++)
        if (ct_step_reads_range(step->step, whole->dim[k]))
            ct_array_add(&parts.key, whole->dim[k], whole->extent[k]);
    return parts;
}

/* A source of which this rank has a part that it cannot read by itself is read beside the block. */
static ct_status read_beside(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    const ct_array *part = &run->plan->steps[s].step->port[0];
    ct_array whole = run->plan->graph->nodes[run->plan->steps[s].node].step->port[0];
    for (int k = 0; k < whole.rank; k++)
        if (ct_step_reads_range(at->own, whole.dim[k])) whole.extent[k] = part->extent[k];
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

static ct_status source_new(ct_run *run, int s, ct_run_gather_need *need, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_run_parts parts = source_parts(run, s);
    run->steps[s].silent = !ct_run_parts_first(run, &parts);
    CT_TRY(read_beside(run, s, err));
    CT_TRY(ct_run_gather_room(run, &parts, need, err));
out:
    return status;
}

ct_status ct_run_ranks_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_gather_need need = {0};
    if (ct_run_ranks_alone(run)) return CT_OK;
    CT_TRY(ct_run_waits_new(run, err));
    ct_run_parts_find(run);
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE)
            CT_TRY(source_new(run, s, &need, err));
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

uint8_t *ct_run_ranks_rows(const ct_run_step *at, const ct_flags *flags)
{
    return flags->data + ct_step_range_first(at->own, 'S') * flags->groups * flags->samples;
}

void ct_run_ranks_take_part(const ct_run_step *at, ct_array *block, const ct_array *read)
{
    ct_array part = *read;
    if (!at->whole) return;
    for (int k = 0; k < block->rank; k++)
        part = ct_array_part(&part, block->dim[k],
                             ct_step_port_first(at->own, 0, block->dim[k]) -
                                 ct_step_range_first(at->own, block->dim[k]),
                             block->extent[k]);
    ct_copy_array(block, &part);
}

ct_status ct_run_ranks_agree(ct_run *run, ct_status mine, ct_error *err)
{
    return ct_run_ranks_alone(run) ? mine : ct_run_waits_agree(run, mine, err);
}

/* ---- what ranks have read */

static void join_rows(void *of, const ct_array *part, const int64_t first[CT_DIMS])
{
    ct_flags *flags = of;
    uint8_t *to = flags->data + first[0] * flags->groups * flags->samples;
    for (size_t i = 0; i < ct_array_bytes(part); i++)
        to[i] |= ((const uint8_t *)part->data)[i];
}

/* The flags of all ranks' stations, and how many samples they say are missing. */
static ct_status gather_rows(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    ct_flags *flags = &run->out[run->plan->steps[s].node * CT_PORTS];
    const ct_run_parts parts = source_parts(run, s);
    ct_array own = parts.whole;
    if (!ct_run_parts_are(run, &parts)) return CT_OK;
    if (ct_step_reads_range(at->own, 'S')) own.extent[0] = ct_array_extent(&at->own->port[0], 'S');
    own.data = ct_run_ranks_rows(at, flags);
    CT_TRY(ct_run_gather(run, &parts, &own, join_rows, flags, err));
    const int64_t more = ct_run_flags_count(flags, at->got) - at->lacks;
    if (run->block < run->replay) return CT_OK;
    run->flagged += more;
    at->missing += more;
out:
    return status;
}

static bool has_read(const ct_run *run, int s)
{
    return ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE &&
           (run->block + 1) % run->plan->steps[s].period == 0;
}

/* A source ends on all ranks where it ends on one. Whatever fails, flags are gathered. */
static ct_status settle_source(ct_run *run, int s, const int64_t least[2], ct_error *err)
{
    ct_run_step *at = &run->steps[s];
    ct_status status = CT_OK;
    if (at->got != least[0]) status = ct_run_io_shorten(run, s, least[0], err);
    at->ended = least[0] < run->out[run->plan->steps[s].node * CT_PORTS].samples;
    const ct_status gathered = least[1] < 0 ? gather_rows(run, s, err) : CT_OK;
    return status == CT_OK ? gathered : status;
}

ct_status ct_run_ranks_read(ct_run *run, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    if (ct_run_ranks_alone(run)) return CT_OK;
    int64_t *least = run->gather->least;
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        least[2 * s] = !has_read(run, s) || at->ended ? 0 : at->got;
        least[2 * s + 1] = has_read(run, s) && at->lacks > 0 ? -1 : 0;
    }
    CT_TRY(ct_ranks_minimum(ranks_of(run), least, 2 * run->plan->count, err));
    *some = false;
    for (int s = 0; s < run->plan->count; s++) {
        if (!has_read(run, s)) continue;
        const ct_status one = settle_source(run, s, &least[2 * s], status ? NULL : err);
        status = status ? status : one;
        *some = *some || run->steps[s].got > 0;
    }
out:
    return status;
}

/* Of a step that is given up because this rank has failed: the others still count on it. */
void ct_run_ranks_drain(ct_run *run, int s)
{
    ct_run_step *at = &run->steps[s];
    if (ct_run_ranks_alone(run) || !ct_run_is_due(run, s)) return;
    ct_run_masks_drain(run, s, CT_RUN_MET_BROUGHT);
    if (ct_run_courier_has(run, s) && !(at->met & CT_RUN_MET_SENT))
        ct_run_courier_drain(run, s);
    else if (ct_exchange_is(at->step) && !(at->met & CT_RUN_MET_SENT))
        (void)ct_program_enqueue(at->program, at->mem, false, NULL);
    ct_run_masks_drain(run, s, CT_RUN_MET_GIVEN);
}
