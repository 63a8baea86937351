/* run_block.c: one block through all steps: sources, then kernels in the plan's order, then sinks;
 * and where ranks meet in between. Where exchanges travel while other blocks are computed, steps
 * behind them are at earlier blocks, and go on when there are no more to be read. Room: core/run.
 * Knows the order of things within a block. Does not know what happens within a step (run_fire.c).
 */
#include "fail.h"
#include "run.h"
#include "run_resume.h"

static ct_status wait_programs(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++) {
        double seconds = 0;
        if (!run->steps[s].program) continue;
        CT_TRY(ct_program_wait(run->steps[s].program, &seconds, err));
        run->steps[s].seconds += seconds;
    }
out:
    return status;
}

/* Sources are read first, so that a block without data is not computed. */
static ct_status fire_sources(ct_run *run, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE)
            CT_TRY(ct_run_fire(run, s, some, err));
out:
    return status;
}

/* Before anything is computed, so that a name that cannot be written is refused before the work. */
ct_status ct_run_open_sinks(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_io_check(run, err));
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SINK &&
            run->steps[s].part != CT_RUN_PART_JOINS)
            CT_TRY(ct_run_io_open(run, s, err));
out:
    return status;
}

static ct_status begin_block(ct_run *run, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    if (!ct_run_ranks_alone(run))
        CT_TRY(ct_run_heed(run, err)); /* ct_run_ready leaves it to this */
    if (run->block == 0) CT_TRY(ct_run_open_sinks(run, err));
    CT_TRY(ct_run_pairs_begin(run, err));
    CT_TRY(fire_sources(run, some, err));
out:
    return status;
}

/* All kernels, all sinks, or both, in the plan's order. Other ranks wait for what this one gives
 * them, whatever has failed. */
static ct_status fire_others(ct_run *run, bool kernels, bool sinks, ct_error *err)
{
    ct_status status = CT_OK;
    bool some = false;
    for (int s = 0; s < run->plan->count; s++) {
        const ct_role role = ct_role_of(run->steps[s].step);
        if (role == CT_ROLE_SOURCE || !(role == CT_ROLE_SINK ? sinks : kernels)) continue;
        run->steps[s].met = 0;
        if (status == CT_OK) status = ct_run_fire(run, s, &some, err);
        if (status != CT_OK) ct_run_ranks_drain(run, s);
    }
    return status == CT_OK ? wait_programs(run, err) : status;
}

/* Sinks get nothing of a block that some rank could not compute. */
static ct_status compute(ct_run *run, ct_error *err)
{
    const bool single = ct_run_ranks_alone(run);
    return ct_run_ranks_agree(run, fire_others(run, true, single, err), err);
}

static ct_status give_sinks(ct_run *run, ct_error *err)
{
    return ct_run_ranks_alone(run) ? CT_OK : fire_others(run, false, true, err);
}

ct_status ct_run_catch_up(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (!run->courier || run->ending) return CT_OK;
    run->ending = true;
    for (; run->behind < run->plan->lag; run->behind++) {
        CT_TRY(compute(run, err));
        CT_TRY(ct_run_ranks_agree(run, give_sinks(run, err), err));
    }
out:
    return status;
}

static ct_status end_block(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    run->block++;
    if (run->resume && !ct_run_parts_has(run)) CT_TRY(ct_run_checkpoint(run, false, err));
    if (run->block != run->plan->graph->blocks) return CT_OK;
    run->ended = true;
    if (!run->courier) CT_TRY(ct_run_io_settle(run, err));
out:
    return status;
}

/* What is left once the last block has been read. */
static ct_status end_stream(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (!run->courier) return CT_OK;
    CT_TRY(ct_run_catch_up(run, err));
    CT_TRY(ct_run_ranks_agree(run, ct_run_io_settle(run, err), err));
out:
    return status;
}

/* Where no further block can be had, those that all ranks have read are still whole. */
static ct_status give_up(ct_run *run, ct_status status)
{
    ct_error quiet = {0};
    if (status != CT_OK && run->keep) (void)ct_run_catch_up(run, &quiet);
    return status;
}

ct_status ct_run_one_block(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    bool some = false;
    CT_TRY(ct_run_parts_open(run, err));
    CT_TRY(give_up(run, ct_run_ranks_agree(run, begin_block(run, &some, err), err)));
    CT_TRY(give_up(run, ct_run_ranks_agree(run, ct_run_ranks_read(run, &some, err), err)));
    if (!some) {
        run->ended = true;
        CT_TRY(end_stream(run, err));
        return CT_EOF;
    }
    CT_TRY(compute(run, err));
    status = give_sinks(run, err);
    if (status == CT_OK) status = end_block(run, err);
    CT_TRY(ct_run_ranks_agree(run, status, err));
    if (run->resume) CT_TRY(ct_run_parts_checkpoint(run, err));
    if (run->ended) CT_TRY(end_stream(run, err));
out:
    return status;
}
