/* run_life.c: the life of a run (run_block.c: one block; core/job: ct_run_new).
 * Room: core/run. Knows plans, programs and the order of things. Does not know any stage.
 * Order: ct_run_make, [ct_run_bind], ct_run_block until CT_EOF, ct_run_finish, ct_run_free. */
#include <string.h>

#include "clock.h"
#include "fail.h"
#include "memory.h"
#include "run_build.h"
#include "run_io.h"
#include "run_memory.h"
#include "run_tables.h"
#include "struct_version.h"

static bool is_source(const ct_step *step)
{
    return ct_role_of(step) == CT_ROLE_SOURCE;
}

static ct_status build_programs(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int n = 0; n < run->plan->count; n++) {
        const int s = run->ahead ? run->plan->count - 1 - n : n;
        const ct_step *step = run->steps[s].step;
        if (run->steps[s].own) continue;
        ct_run_told(run, CT_DOING_BUILD, s);
        CT_TRY(ct_program_new(&run->steps[s].program, run->device, step, err));
        CT_TRY(ct_program_tables(step, run->device, run->steps[s].mem, NULL, err));
        if (run->ahead) CT_TRY(ct_run_build_step(run, s, err));
    }
out:
    ct_run_told(run, CT_DOING_BUILD, -1);
    return status;
}

/* The state of sources and sinks belongs to the run: several runs may share a plan. */
static ct_status copy_steps(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++) {
        ct_run_step *at = &run->steps[s];
        at->step = run->plan->steps[s].step;
        if (ct_role_of(at->step) == CT_ROLE_KERNEL) continue;
        CT_TRY(ct_step_copy(&at->own, at->step, err));
        at->step = at->own;
        ct_step_watch(at->own, is_source(at->own) ? &run->stopping : &run->cancelled);
        at->request = ct_arena_get(run->arena, sizeof *at->request);
        CT_NEED(at->request, sizeof *at->request, err);
    }
out:
    return status;
}

static ct_run *run_alloc(const ct_plan *plan, ct_device *device)
{
    ct_arena *arena = NULL;
    ct_run *run = ct_arena_begin(&arena, sizeof *run);
    if (!run) return NULL;
    run->arena = arena;
    run->plan = ct_plan_retain(plan);
    run->device = ct_device_retain(device);
    run->steps = ct_arena_get(arena, sizeof *run->steps * (size_t)plan->count);
    run->length = ct_arena_get(arena, sizeof *run->length * (size_t)plan->graph->count);
    return run;
}

static ct_status make(ct_run **out, const ct_plan *plan, ct_device *device, bool ahead,
                      ct_error *err)
{
    ct_status status = CT_OK;
    ct_run *run = NULL;
    *out = NULL;
    CT_TRY(ct_device_check(device, err));
    run = run_alloc(plan, device);
    CT_NEED(run, sizeof *run, err);
    run->ahead = ahead;
    CT_TRY(ct_arena_check(run->arena, err));
    CT_TRY(copy_steps(run, err));
    CT_TRY(ct_plan_check(plan, device, err));
    CT_TRY(ct_run_buffers_new(run, err));
    CT_TRY(ct_run_flags_new(run, err));
    CT_TRY(ct_run_masks_new(run, err));
    const double start = ct_clock_now();
    CT_TRY(build_programs(run, err));
    run->build_s = ct_clock_now() - start;
    *out = run;
    run = NULL;
out:
    ct_run_free(run);
    return status;
}

ct_status ct_run_make(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err)
{
    return make(out, plan, device, false, err);
}

ct_status ct_run_build_ahead(const ct_plan *plan, ct_device *device, ct_error *err)
{
    ct_run *run = NULL;
    ct_status status = make(&run, plan, device, true, err);
    if (status == CT_OK) status = ct_run_build_all(run, err);
    ct_run_free(run);
    return status;
}

/* The source or sink of this name; -1 and a sentence where there is none. */
static int find_end(const ct_run *run, const char *node, ct_error *err)
{
    for (int s = 0; s < run->plan->count; s++) {
        if (run->plan->steps[s].node < 0 || strcmp(run->steps[s].step->name, node) != 0) continue;
        if (run->steps[s].own) return s;
        (void)ct_error_add(err, CT_USAGE, "node \"%s\" is no source or sink", node);
        return -1;
    }
    (void)ct_error_add(err, CT_USAGE, "no node \"%s\" to bind", node);
    return -1;
}

ct_status ct_run_bind(ct_run *run, const char *node, const ct_io *io, ct_error *err)
{
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_io, write);
    ct_status status = CT_OK;
    ct_io own;
    CT_GIVEN(err, node);
    CT_TRY(ct_run_ready(run, "ct_run_bind", err));
    CT_TRY(ct_struct_take(&own, &kind, io, err));
    const int s = find_end(run, node, err);
    if (s < 0) return CT_USAGE;
    const bool source = is_source(run->steps[s].step);
    if (run->started)
        CT_TRY(ct_error_add(err, CT_USAGE, "bind \"%s\" before the first block", node));
    if (source ? !own.read : !own.write)
        CT_TRY(ct_error_add(err, CT_USAGE, "node \"%s\" is a %s: expected a %s in its ct_io", node,
                            source ? "source" : "sink", source ? "read" : "write"));
    run->steps[s].io = own;
out:
    return status;
}

/* If a sink could not take an earlier block, that failure was the first one. */
static ct_status first_failure(ct_run *run, ct_status status)
{
    ct_error why = {0};
    const ct_status earlier = ct_run_io_settle(run, &why);
    if (earlier == CT_OK) return status;
    run->failure = why;
    return earlier;
}

ct_status ct_run_block(ct_run *run, ct_error *err)
{
    const double start = ct_clock_now();
    if (run && !run->inside && run->cancelled && run->hooks.cancelled) run->hooks.cancelled(run);
    ct_status status = ct_run_ready(run, "ct_run_block", err);
    if (status == CT_OK && !run->started) status = ct_run_io_check(run, err);
    if (status != CT_OK) return status;
    if (!run->started) run->begun = start;
    if (run->ended) return CT_EOF;
    run->started = run->inside = true;
    status = ct_run_one_block(run, &run->failure);
    ct_run_count_stood(run, 0);
    run->inside = false;
    run->seconds += ct_clock_now() - start;
    if (status == CT_OK || status == CT_EOF) return status;
    return ct_run_fail(run, first_failure(run, status), err);
}

/* Ends all threads, after what they are doing is done or given up. Twice is fine. */
static void stop_threads(ct_run *run)
{
    atomic_store_explicit(&run->stopping, true, memory_order_relaxed);
    if (run->hooks.stop) run->hooks.stop(run);
    ct_run_streams_stop(run);
    ct_run_slots_unmap_all(run);
}

static void discard(ct_run *run)
{
    stop_threads(run);
    for (int s = 0; run->steps && s < run->plan->count; s++)
        (void)ct_run_io_close(run, s, false, NULL);
    if (run->hooks.end) run->hooks.end(run, false);
    ct_run_files_discard(run);
}

/* A sink that never got a block is opened too: an empty result is a result. All files are whole
 * before the first one gets its name. */
static ct_status publish(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_open_sinks(run, err));
    for (int s = 0; s < run->plan->count; s++)
        CT_TRY(ct_run_io_close(run, s, true, err));
    CT_TRY(ct_run_files_publish(run, err));
    if (run->hooks.end) run->hooks.end(run, true);
out:
    return status;
}

/* These are closed before the processes that made the files close them. */
static ct_status close_joined(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++)
        if (run->steps[s].joins) CT_TRY(ct_run_io_close(run, s, true, err));
out:
    return status;
}

static ct_status finish(ct_run *run, ct_error *err)
{
    ct_status status = CT_RUN_HOOK(run, begin, err); /* where there was no block */
    CT_TRY(status);
    const double start = ct_clock_now();
    status = ct_run_catch_up(
        run, err); /* another process may know first that there are no more blocks */
    if (status == CT_OK) status = ct_run_io_settle(run, err);
    ct_run_count_stood(run, 0);
    run->seconds += ct_clock_now() - start;
    if (status == CT_OK && run->hooks.agree && !run->hooks.publish_partial)
        status = ct_run_check_cancelled(run, err);
    stop_threads(run);
    ct_run_files_mark(run);
    if (status == CT_OK) status = close_joined(run, err);
    CT_TRY(ct_run_agree(run, status, err));
    CT_TRY(ct_run_agree(run, publish(run, err), err));
out:
    return status;
}

/* The run stays failed, even if what it had finished can be published. */
static void publish_partial(ct_run *run)
{
    run->finished = true;
    (void)ct_run_io_settle(run, NULL); /* a sink that fails here is marked as broken */
    stop_threads(run);
    run->hooks.publish_partial(run);
}

ct_status ct_run_finish(ct_run *run, ct_error *err)
{
    const bool again = run && run->finished;
    ct_status status = ct_run_ready(run, "ct_run_finish", NULL);
    if (status == CT_OK) {
        run->finished = run->inside = true;
        status = finish(run, &run->failure);
        run->inside = false;
        if (status == CT_OK) return CT_OK;
        (void)ct_run_fail(run, status, NULL);
    }
    if (!run || run->inside || run->failed == CT_OK) return ct_run_ready(run, "ct_run_finish", err);
    if (run->hooks.publish_partial && !again) publish_partial(run);
    discard(run);
    return ct_error_pass(err, run->failed, &run->failure);
}

void ct_run_end_parts(ct_run *run)
{
    ct_run_buffers_settle(run);
    for (int s = 0; run->steps && s < run->plan->count; s++) {
        ct_program_free(run->steps[s].program);
        ct_step_free(run->steps[s].own);
    }
    if (run->flags) ct_flags_clear_free(run->flags->clearing);
    ct_run_buffers_free(run);
    run->steps = NULL;
    run->flags = NULL;
    run->memory = NULL;
}

void ct_run_free(ct_run *run)
{
    if (!run) return;
    ct_run *retired = run->retired;
    discard(run);
    ct_run_end_parts(run);
    ct_run_new_tables_free(run);
    ct_plan_free(run->plan);
    ct_device_free(run->device);
    ct_arena_free(run->arena);
    ct_run_free(retired);
}
