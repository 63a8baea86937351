/* run_block.c: the loop: one block through all steps, sources, then kernels in the plan's order,
 * then sinks. Where steps lag, since what they need is sent while other blocks are computed, they
 * go on when there are no more to be read; so do those that gather samples. Room: core/run. Knows
 * the order of things within a block. Does not know what happens within a step (run_fire.c), or
 * what others do meanwhile (run_hooks.h). */
#include "clock.h"
#include "fail.h"
#include "run_build.h"
#include "run_io.h"
#include "run_memory.h"
#include "run_transfers.h"

/* On a device with memory of its own the present block goes on being computed while the next one is
 * sent: what is waited for is the block before. */
static ct_status pace_programs(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_transfers_pace(run, err));
    for (int s = 0; s < run->plan->count; s++) {
        double seconds = 0;
        if (!run->steps[s].program) continue;
        CT_TRY(ct_program_take_done(run->steps[s].program, &seconds, err));
        run->steps[s].seconds += seconds;
    }
out:
    return status;
}

static ct_status wait_programs(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    bool waited = false;
    for (int s = 0; s < run->plan->count; s++) {
        double seconds = 0;
        if (!run->steps[s].program) continue;
        CT_TRY((waited ? ct_program_take : ct_program_wait)(run->steps[s].program, &seconds, err));
        run->steps[s].seconds += seconds;
        waited = true;
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

/* Before anything is computed, so that a file that cannot be made is refused before the work. */
ct_status ct_run_open_sinks(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_io_check(run, err));
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SINK && !run->steps[s].joins)
            CT_TRY(ct_run_io_open(run, s, err));
out:
    return status;
}

ct_status ct_run_agree(ct_run *run, ct_status mine, ct_error *err)
{
    return run->hooks.agree ? run->hooks.agree(run, mine, err) : mine;
}

static ct_status begin_block(ct_run *run, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->hooks.agree) CT_TRY(ct_run_check_cancelled(run, err)); /* else ct_run_ready has */
    if (run->block == 0) CT_TRY(ct_run_open_sinks(run, err));
    CT_TRY(ct_run_slots_begin(run, err));
    CT_TRY(fire_sources(run, some, err));
out:
    return status;
}

void ct_run_count_stood(ct_run *run, double hidden)
{
    for (int s = 0; s < run->plan->count; s++) {
        run->steps[s].held += run->steps[s].stood * (1 - hidden);
        run->steps[s].stood = 0;
    }
}

double ct_run_held(const ct_run *run, int s)
{
    return run->steps[s].own ? run->steps[s].held : run->steps[s].seconds;
}

/* Where the time of a block has gone so far. */
typedef struct block_time {
    double now, built, device, stood;
} block_time;

static block_time time_of(const ct_run *run)
{
    block_time t = {.now = ct_clock_now(), .built = run->build_s};
    for (int s = 0; s < run->plan->count; s++)
        *(run->steps[s].own ? &t.stood : &t.device) +=
            run->steps[s].own ? run->steps[s].stood : run->steps[s].seconds;
    return t;
}

/* While the run waits for a sink the device may have work, too: that part is the device's. */
static void count_sinks(ct_run *run, const block_time *from)
{
    const block_time to = time_of(run);
    const double all = to.now - from->now - (to.built - from->built);
    double left = all - (to.device - from->device);
    if (left < 0) left = 0;
    ct_run_count_stood(run, to.stood > left ? 1 - left / to.stood : 0);
}

/* All kernels, all sinks, or both, in the plan's order. Sinks come last, so that the device has all
 * of its work before the run waits for what the first sink gets. */
static ct_status fire_others(ct_run *run, bool kernels, bool sinks, ct_error *err)
{
    ct_status status = CT_OK;
    bool some = false;
    ct_run_count_stood(run, 0);
    const block_time from = time_of(run);
    for (int i = 0; i < 2 * run->plan->count; i++) {
        const int s = i % run->plan->count;
        const bool last = i >= run->plan->count;
        if (ct_role_of(run->steps[s].step) != (last ? CT_ROLE_SINK : CT_ROLE_KERNEL)) continue;
        if (!(last ? sinks : kernels)) continue;
        run->steps[s].launched = false;
        if (status == CT_OK) status = ct_run_fire(run, s, &some, err);
        if (status != CT_OK && run->hooks.give_up) run->hooks.give_up(run, s);
    }
    const bool goes_on = run->device->sending && !run->memory->stays;
    if (status == CT_OK) status = (goes_on ? pace_programs : wait_programs)(run, err);
    count_sinks(run, &from);
    return status;
}

/* Sinks get a block only if all processes could compute it. */
static ct_status compute(ct_run *run, ct_error *err)
{
    return ct_run_agree(run, fire_others(run, true, !run->hooks.agree, err), err);
}

static ct_status give_sinks(ct_run *run, ct_error *err)
{
    return run->hooks.agree ? fire_others(run, false, true, err) : CT_OK;
}

/* Some sink has not got all that its input has given, or will give. */
static bool lacks(const ct_run *run)
{
    bool any = false;
    for (int s = 0; s < run->plan->count; s++) {
        const ct_plan_step *step = &run->plan->steps[s];
        if (ct_role_of(step->step) != CT_ROLE_SINK) continue;
        const int from = run->plan->graph->nodes[step->node].input[0].node;
        const int64_t got = run->steps[s].fired * ct_array_extent(&step->step->port[0], 'T');
        any = any || got < run->length[from];
    }
    return any;
}

/* What sources read ahead is not used any more. */
static void end_sources(ct_run *run)
{
    atomic_store_explicit(&run->stopping, true, memory_order_relaxed);
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE && run->steps[s].request->asked)
            ct_run_stream_wait(&run->steps[s]);
}

/* Blocks without a sample follow, until samples that wait have been taken with them. */
static ct_status drain(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    bool some = false;
    if (!run->plan->regroups || run->draining) return CT_OK;
    run->draining = true;
    end_sources(run);
    for (int n = 0; n < run->plan->graph->count; n++)
        ct_run_count_length(run, n);
    for (; lacks(run); run->behind++, run->idle = false) {
        if (!run->idle) CT_TRY(fire_sources(run, &some, err));
        CT_TRY(compute(run, err));
        CT_TRY(ct_run_agree(run, give_sinks(run, err), err));
    }
out:
    return status;
}

ct_status ct_run_catch_up(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->lagging && !run->ending) {
        run->ending = true;
        for (; run->behind < run->plan->lag; run->behind++) {
            CT_TRY(compute(run, err));
            CT_TRY(ct_run_agree(run, give_sinks(run, err), err));
        }
    }
    if (run->started) CT_TRY(drain(run, err));
    if (run->device->sending) CT_TRY(wait_programs(run, err));
out:
    return status;
}

static bool waits(const ct_run *run)
{
    return run->lagging || run->plan->regroups;
}

static ct_status end_block(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    run->block++;
    if (run->block != run->plan->graph->blocks) return CT_OK;
    run->ended = true;
    if (waits(run)) return CT_OK;
    if (run->device->sending) CT_TRY(wait_programs(run, err));
    CT_TRY(ct_run_io_settle(run, err));
out:
    return status;
}

/* What is left once the last block has been read. */
static ct_status end_stream(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (!waits(run)) return CT_OK;
    CT_TRY(ct_run_catch_up(run, err));
    CT_TRY(ct_run_agree(run, ct_run_io_settle(run, err), err));
out:
    return status;
}

/* No source has begun another block, which others have not. */
static bool is_between_blocks(const ct_run *run)
{
    bool all = true;
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE)
            all = all && run->steps[s].fired == run->block;
    return all;
}

/* If no further block can be read, those that have been read are still completed; what was gathered
 * is used up where that is the same in all processes. */
static ct_status give_up(ct_run *run, ct_status status)
{
    ct_error quiet = {0};
    if (status != CT_OK && (run->hooks.agree || !is_between_blocks(run))) run->draining = true;
    if (status != CT_OK && run->hooks.publish_partial) (void)ct_run_catch_up(run, &quiet);
    return status;
}

ct_status ct_run_one_block(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    bool some = false;
    CT_TRY(CT_RUN_HOOK(run, begin, err));
    if (run->block == run->first) /* all have built before one opens a source */
        CT_TRY(ct_run_agree(run, ct_run_build_for_live(run, err), err));
    CT_TRY(give_up(run, ct_run_agree(run, begin_block(run, &some, err), err)));
    CT_TRY(give_up(run, ct_run_agree(run, CT_RUN_HOOK(run, sources_read, &some, err), err)));
    if (!some) {
        run->ended = run->idle = true;
        CT_TRY(end_stream(run, err));
        return CT_EOF;
    }
    CT_TRY(compute(run, err));
    status = give_sinks(run, err);
    if (status == CT_OK) status = end_block(run, err);
    CT_TRY(ct_run_agree(run, status, err));
    CT_TRY(CT_RUN_HOOK(run, end_block, err));
    if (run->ended) CT_TRY(end_stream(run, err));
out:
    return status;
}
