/* run.c: the life of a run, and one block through all steps.
 * Room: core/run. Knows plans, programs and the order of things. Does not know any stage.
 * Called by cli/run.c and embedding programs: ct_run_new, [ct_run_bind], ct_run_block until CT_EOF,
 * ct_run_finish, ct_run_free. */
#include "run.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "fail.h"
#include "memory.h"
#include "text.h"

double ct_run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_source(const ct_step *step)
{
    return ct_role_of(step) == CT_ROLE_SOURCE;
}

static ct_status build_programs(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++) {
        ct_step *step = run->plan->steps[s].step;
        if (ct_role_of(step) != CT_ROLE_KERNEL) continue;
        CT_TRY(ct_program_new(&run->steps[s].program, run->device, step, err));
        CT_TRY(ct_program_tables(step, run->device, run->steps[s].mem, err));
    }
out:
    return status;
}

void ct_run_watch(ct_run *run, bool (*stop)(void *of), void *of)
{
    for (int s = 0; s < run->plan->count; s++)
        ct_step_watch(run->plan->steps[s].step, stop, of);
}

ct_status ct_run_new(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = ct_arena_new();
    ct_run *run = ct_arena_get(arena, sizeof *run);
    *out = NULL;
    run->arena = arena;
    run->plan = plan;
    run->device = device;
    run->steps = ct_arena_get(arena, sizeof *run->steps * (size_t)plan->count);
    run->length = ct_arena_get(arena, sizeof *run->length * (size_t)plan->graph->count);
    ct_run_watch(run, NULL, NULL); /* an earlier run's, of the same plan, is over */
    CT_TRY(ct_plan_fits(plan, device->global_bytes, device->largest_buffer, err));
    CT_TRY(ct_run_buffers_new(run, err));
    ct_run_flags_new(run);
    CT_TRY(build_programs(run, err));
    *out = run;
    run = NULL;
out:
    ct_run_free(run);
    return status;
}

ct_status ct_run_bind(ct_run *run, const char *node, ct_io io, ct_error *err)
{
    for (int s = 0; s < run->plan->count; s++) {
        ct_step *step = run->plan->steps[s].step;
        if (run->plan->steps[s].node < 0 || strcmp(step->name, node) != 0) continue;
        if (ct_role_of(step) == CT_ROLE_KERNEL)
            return ct_error_add(err, CT_USAGE, "node \"%s\" is no source or sink", node);
        if (run->block > 0)
            return ct_error_add(err, CT_USAGE, "bind \"%s\" before the first block", node);
        run->steps[s].io = io;
        return CT_OK;
    }
    return ct_error_add(err, CT_USAGE, "no node \"%s\" to bind", node);
}

static ct_status move_histories(ct_run *run, const ct_plan_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    for (int p = 0; p < ct_step_ports(step->step); p++) {
        if (step->step->stage->ports[p].direction != CT_OUT || step->edge[p] < 0) continue;
        const ct_edge *edge = &run->plan->edges[step->edge[p]];
        if (edge->before > 0 && run->block >= step->period)
            CT_TRY(ct_run_buffers_move_history(run, edge, err));
    }
out:
    return status;
}

/* Valid samples of a node's outputs so far: what its shortest input allows. */
static void count_length(ct_run *run, int n)
{
    const ct_node *node = &run->plan->graph->nodes[n];
    int64_t length = -1;
    for (int p = 0; p < CT_PORTS; p++) {
        if (node->input[p].node < 0 || ct_array_find(&node->step->port[p], 'T') < 0) continue;
        int64_t one = run->length[node->input[p].node];
        if (length < 0 || one < length) length = one;
    }
    if (length >= 0) run->length[n] = length / node->step->decimate;
}

static ct_status fire_kernel(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    if (step->node >= 0) {
        ct_run_flags_pass(run, step->node);
        count_length(run, step->node);
        CT_TRY(ct_run_flags_upload(run, s, err));
    }
    CT_TRY(ct_program_enqueue(at->program, at->mem, at->fired % step->step->gather != 0, err));
out:
    return status;
}

static ct_status fire_step(ct_run *run, int s, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    if ((run->block + 1) % step->period != 0) return CT_OK;
    CT_TRY(move_histories(run, step, err));
    if (is_source(step->step))
        CT_TRY(ct_run_io_read(run, s, some, err));
    else if (ct_role_of(step->step) == CT_ROLE_SINK)
        CT_TRY(ct_run_io_write(run, s, err));
    else
        CT_TRY(fire_kernel(run, s, err));
    run->steps[s].fired++;
out:
    return status;
}

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
        if (is_source(run->plan->steps[s].step)) CT_TRY(fire_step(run, s, some, err));
out:
    return status;
}

ct_status ct_run_block(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    bool some = false;
    double start = ct_run_clock();
    assert(!run->finished);
    if (run->ended) return CT_EOF;
    CT_TRY(fire_sources(run, &some, err));
    if (!some) {
        run->ended = true;
        return CT_EOF;
    }
    for (int s = 0; s < run->plan->count; s++)
        if (!is_source(run->plan->steps[s].step)) CT_TRY(fire_step(run, s, &some, err));
    CT_TRY(wait_programs(run, err));
    run->block++;
    if (run->block == run->plan->graph->blocks) run->ended = true;
out:
    run->seconds += ct_run_clock() - start;
    return status;
}

/* A sink that never got a block is opened all the same: an empty result is a result. */
ct_status ct_run_finish(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    run->finished = true;
    for (int s = 0; s < run->plan->count; s++) {
        ct_status one = ct_run_io_close(run, s, true, err);
        if (status == CT_OK) status = one;
    }
    run->warnings = ct_run_warn(run);
    return status;
}

const char *ct_run_warnings(const ct_run *run)
{
    return run->warnings ? run->warnings : "";
}

void ct_run_free(ct_run *run)
{
    if (!run) return;
    for (int s = 0; s < run->plan->count; s++) {
        (void)ct_run_io_close(run, s, false, NULL);
        ct_program_free(run->steps[s].program);
    }
    ct_run_watch(run, NULL, NULL);
    ct_run_buffers_free(run);
    ct_arena_free(run->arena);
}

void ct_run_progress(const ct_run *run, ct_progress *out)
{
    const ct_graph *graph = run->plan->graph;
    *out = (ct_progress){.block = run->block,
                         .blocks = graph->blocks,
                         .signal_s = (double)run->block * graph->block_s,
                         .wall_s = run->seconds,
                         .flagged = run->flagged,
                         .samples = run->samples};
}

static double all_seconds(const ct_run *run)
{
    double all = 0;
    for (int s = 0; s < run->plan->count; s++)
        all += run->steps[s].seconds;
    return all > 0 ? all : 1;
}

ct_status ct_run_trace(char **out, const ct_run *run)
{
    ct_text text = {0};
    double all = all_seconds(run);
    ct_text_add(&text, "%-24s %-12s %8s %10s %7s %9s\n", "step", "stage", "fired", "ms/block",
                "share", "GFLOP/s");
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        const ct_step *step = run->plan->steps[s].step;
        double fired = at->fired ? (double)at->fired : 1;
        double flops = step->stage->flops ? step->stage->flops(step) * fired : 0;
        ct_text_add(&text, "%-24s %-12s %8lld %10.3f %6.1f%% ", run->plan->steps[s].name,
                    step->stage->name, (long long)at->fired, 1e3 * at->seconds / fired,
                    100 * at->seconds / all);
        if (flops > 0 && at->seconds > 0)
            ct_text_add(&text, "%9.2f\n", 1e-9 * flops / at->seconds);
        else
            ct_text_add(&text, "%9s\n", "-");
    }
    *out = ct_text_take(&text);
    return CT_OK;
}
