/* run_swap.c: another plan for a run: it is built by a thread, on a queue of its own, while the run
 * goes on, and takes over between two blocks. Room: core/swap. Knows when. Does not know what is
 * carried over (swap_arrays.c, swap_flags.c). */
#include "run_swap.h"

#include <string.h>

#include "cornerturn_ranks.h"
#include "fail.h"
#include "memory.h"

/* ---- the thread */

static ct_status build_next(struct ct_swap *swap)
{
    ct_status status = CT_OK;
    ct_device *device = NULL;
    CT_TRY(ct_device_beside(&device, swap->run->device, &swap->err));
    CT_TRY(ct_run_make(&swap->next, swap->plan, device, &swap->err));
    if (!atomic_load(&swap->given_up)) CT_TRY(ct_run_build(swap->next, &swap->err));
out:
    ct_device_free(device);
    return status;
}

static void *swap_work(void *of)
{
    struct ct_swap *swap = of;
    swap->status = build_next(swap);
    atomic_store(&swap->built, true);
    return NULL;
}

static void join(struct ct_swap *swap)
{
    if (!swap->joined) pthread_join(swap->thread, NULL);
    swap->joined = true;
}

/* The present plan is gone on with, or the other one has taken over. */
static void end(struct ct_swap *swap)
{
    ct_run_free(swap->next);
    ct_plan_free((ct_plan *)swap->plan);
    swap->next = NULL;
    swap->plan = NULL;
    swap->under_way = false;
    swap->run->apart = false;
}

/* ---- between two blocks */

static const char tabled[] = "ct_run_table has changed what another plan does not have";

static ct_status check(const ct_run *run, ct_run *next, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->tabled) return ct_error_add(err, CT_USAGE, "ct_run_swap: %s", tabled);
    next->block = run->block;
    for (int t = 0; t < next->plan->count; t++) /* what is open or waits depends on this */
        next->steps[t].fired = ct_clock_table_fired(&next->plan->graph->clocks,
                                                    next->plan->steps[t].clock, run->block);
    CT_TRY(ct_swap_arrays_check(run, next, err));
    CT_TRY(ct_swap_flags_check(run, next, err));
out:
    return status;
}

static ct_status take_over(struct ct_swap *swap, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run *run = swap->run, *next = swap->next;
    CT_TRY(ct_run_io_settle(run, err));
    ct_run_slots_unmap_all(run);
    ct_run_buffers_settle(run);
    swap->status = check(run, next, &swap->err);
    if (swap->status == CT_OK) {
        swap->next = NULL; /* the run's now */
        CT_TRY(ct_swap_parts(run, next, err));
        swap->block = run->block;
    }
out:
    end(swap);
    return status;
}

/* A block before the one in which the plan takes over no source reads ahead, into an array of the
 * plan that goes. */
static ct_status swap_begin(ct_run *run, ct_error *err)
{
    struct ct_swap *swap = run->swap;
    if (run->finished || !swap->under_way || !atomic_load(&swap->built)) return CT_OK;
    join(swap);
    if (swap->status != CT_OK) end(swap);
    if (swap->under_way && run->apart) return take_over(swap, err);
    run->apart = swap->under_way;
    return CT_OK;
}

/* Ends the thread; also where the run is freed. */
static void swap_stop(ct_run *run)
{
    struct ct_swap *swap = run->swap;
    if (!swap->under_way) return;
    atomic_store(&swap->given_up, true);
    join(swap);
    end(swap);
}

/* ---- what programs call */

static ct_status check_run(const ct_run *run, const ct_plan *plan, ct_error *err)
{
    const char *why = NULL;
    if (run->swap && run->swap->under_way) why = "another plan is on its way";
    if (run->tabled) why = tabled;
    if (run->job || ct_ranks_size(plan->graph->ranks) > 1) why = "the run is one of several ranks";
    if (why) return ct_error_add(err, CT_USAGE, "ct_run_swap: %s", why);
    return ct_swap_parts_check(run->plan, plan, err);
}

static ct_status swap_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->swap) return CT_OK;
    struct ct_swap *swap = ct_arena_get(run->arena, sizeof *swap);
    CT_NEED(swap, sizeof *swap, err);
    swap->run = run;
    swap->block = -1;
    run->swap = swap;
    run->hooks.begin = swap_begin;
    run->hooks.stop = swap_stop;
out:
    return status;
}

static ct_status start(struct ct_swap *swap, const ct_plan *plan, ct_error *err)
{
    swap->plan = ct_plan_retain(plan);
    swap->status = CT_OK;
    swap->err = (ct_error){0};
    swap->block = -1;
    swap->joined = false;
    atomic_store(&swap->built, false);
    const int code = ct_run_stream_start(&swap->thread, swap_work, swap);
    swap->joined = code != 0;
    swap->under_way = code == 0;
    if (code == 0) return CT_OK;
    end(swap);
    return ct_error_add(err, CT_FAILED, "ct_run_swap: a thread cannot be started: %s",
                        strerror(code));
}

ct_status ct_run_swap(ct_run *run, const ct_plan *plan, ct_error *err)
{
    ct_status status = CT_OK;
    CT_GIVEN(err, plan);
    CT_TRY(ct_run_ready(run, "ct_run_swap", err));
    CT_TRY(check_run(run, plan, err));
    CT_TRY(swap_new(run, err));
    CT_TRY(start(run->swap, plan, err));
out:
    return status;
}

ct_status ct_run_swapped(const ct_run *run, int64_t *block, ct_error *err)
{
    CT_GIVEN(err, run, block);
    *block = run->swap ? run->swap->block : -1;
    if (!run->swap || run->swap->under_way || run->swap->status == CT_OK) return CT_OK;
    return ct_error_pass(err, run->swap->status, &run->swap->err);
}
