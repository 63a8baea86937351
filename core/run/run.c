/* run.c: the life of a run, and one block through all steps.
 * Room: core/run. Knows plans, programs and the order of things. Does not know any stage.
 * Order: ct_run_new, [ct_run_bind], ct_run_block until CT_EOF, ct_run_finish, ct_run_free. */
#include "run.h"

#include <string.h>
#include <time.h>

#include "fail.h"
#include "memory.h"
#include "run_resume.h"
#include "sized.h"

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
        const ct_step *step = run->steps[s].step;
        if (run->steps[s].own) continue;
        CT_TRY(ct_program_new(&run->steps[s].program, run->device, step, err));
        CT_TRY(ct_program_tables(step, run->device, run->steps[s].mem, NULL, err));
    }
out:
    return status;
}

/* What sources and sinks remember is the run's: of a plan there may be several. */
static ct_status copy_steps(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++) {
        ct_run_step *at = &run->steps[s];
        at->step = run->plan->steps[s].step;
        if (ct_role_of(at->step) == CT_ROLE_KERNEL) continue;
        CT_TRY(ct_step_copy(&at->own, at->step, err));
        ct_step_watch(at->own, &run->cancelled);
        at->step = at->own;
    }
out:
    return status;
}

static ct_run *run_make(const ct_plan *plan, ct_device *device)
{
    ct_arena *arena = NULL;
    ct_run *run = ct_arena_begin(&arena, sizeof *run);
    if (!run) return NULL;
    run->arena = arena;
    run->plan = ct_plan_hold(plan);
    run->device = ct_device_hold(device);
    run->steps = ct_arena_get(arena, sizeof *run->steps * (size_t)plan->count);
    run->length = ct_arena_get(arena, sizeof *run->length * (size_t)plan->graph->count);
    return run;
}

ct_status ct_run_new(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run *run = NULL;
    *out = NULL;
    if (!plan || !device)
        return ct_error_add(err, CT_USAGE, "ct_run_new: there is no %s", plan ? "device" : "plan");
    CT_TRY(ct_device_check(device, err));
    run = run_make(plan, device);
    CT_NEED(run, sizeof *run, err);
    CT_TRY(ct_arena_check(run->arena, err));
    CT_TRY(copy_steps(run, err));
    CT_TRY(ct_plan_check(plan, device, err));
    CT_TRY(ct_run_buffers_new(run, err));
    CT_TRY(ct_run_flags_new(run, err));
    const double start = ct_run_clock();
    CT_TRY(build_programs(run, err));
    run->building = ct_run_clock() - start;
    *out = run;
    run = NULL;
out:
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
    static const ct_sized kind = CT_SIZED(ct_io, write);
    ct_status status = CT_OK;
    ct_io own;
    CT_TRY(ct_run_ready(run, "ct_run_bind", err));
    CT_TRY(ct_sized_take(&own, &kind, io, err));
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

void ct_run_count_length(ct_run *run, int n)
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

/* Some drivers build a kernel when it is started first. That is waited for with nothing else on the
 * queue; what it took beyond the work itself was building, which one_block's seconds, added at its
 * end, are without. */
static ct_status first_firing(ct_run *run, ct_run_step *at, bool add, ct_error *err)
{
    ct_status status = CT_OK;
    double seconds = 0;
    CT_TRY(ct_program_wait(at->program, NULL, err));
    const double start = ct_run_clock();
    CT_TRY(ct_program_enqueue(at->program, at->mem, add, err));
    CT_TRY(ct_program_wait(at->program, &seconds, err));
    const double building = ct_run_clock() - start - seconds;
    at->seconds += seconds;
    at->built = true;
    if (building > 0) {
        run->building += building;
        run->seconds -= building;
    }
out:
    return status;
}

static ct_status fire_kernel(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    if (step->node >= 0) {
        CT_TRY(ct_run_flags_pass(run, s, err));
        ct_run_count_length(run, step->node);
        CT_TRY(ct_run_masks_upload(run, s, err));
    }
    const bool add = at->fired % step->step->gather != 0;
    CT_TRY(at->built ? ct_program_enqueue(at->program, at->mem, add, err)
                     : first_firing(run, at, add, err));
    CT_TRY(ct_run_masks_given(run, s, err));
out:
    return status;
}

static ct_status fire_step(ct_run *run, int s, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    if ((run->block + 1) % step->period != 0) return CT_OK;
    if (!run->resume && !run->keep) CT_TRY(ct_run_heed(run, err)); /* else whole blocks count */
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
        if (is_source(run->steps[s].step)) CT_TRY(fire_step(run, s, some, err));
out:
    return status;
}

/* Before anything is computed, so that a name that cannot be written is refused before the work. */
ct_status ct_run_open_sinks(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_io_check(run, err));
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SINK) CT_TRY(ct_run_io_open(run, s, err));
out:
    return status;
}

static ct_status one_block(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    bool some = false;
    if (run->block == 0) CT_TRY(ct_run_open_sinks(run, err));
    CT_TRY(fire_sources(run, &some, err));
    if (!some) {
        run->ended = true;
        return CT_EOF;
    }
    for (int s = 0; s < run->plan->count; s++)
        if (!is_source(run->steps[s].step)) CT_TRY(fire_step(run, s, &some, err));
    CT_TRY(wait_programs(run, err));
    run->block++;
    if (run->block == run->plan->graph->blocks) run->ended = true;
    if (run->resume) CT_TRY(ct_run_checkpoint(run, false, err));
out:
    return status;
}

ct_status ct_run_block(ct_run *run, ct_error *err)
{
    const double start = ct_run_clock();
    ct_run_checkpoint_last(run);
    ct_status status = ct_run_ready(run, "ct_run_block", err);
    if (status == CT_OK && !run->started) status = ct_run_io_check(run, err);
    if (status != CT_OK) return status;
    run->started = true;
    if (run->ended) return CT_EOF;
    status = one_block(run, &run->failure);
    run->seconds += ct_run_clock() - start;
    return status == CT_OK || status == CT_EOF ? status : ct_run_fail(run, status, err);
}

static void discard(ct_run *run)
{
    for (int s = 0; run->steps && s < run->plan->count; s++)
        (void)ct_run_io_close(run, s, false, NULL);
    ct_run_resume_end(run);
    ct_run_io_discard(run);
}

/* A sink that never got a block is opened all the same: an empty result is a result. All are whole
 * before the first file has its name. */
static ct_status publish(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_open_sinks(run, err));
    for (int s = 0; s < run->plan->count; s++)
        CT_TRY(ct_run_io_close(run, s, true, err));
    CT_TRY(ct_run_io_publish(run, err));
    if (run->resume) run->resume->done = true;
    ct_run_resume_end(run);
out:
    return status;
}

/* The run stays failed, whatever becomes of what it had finished. */
static ct_status keep_blocks(ct_run *run, ct_error *err)
{
    ct_error why = {0};
    run->finished = true;
    if (!ct_run_keep_begin(run, &why) || publish(run, &why) != CT_OK) {
        discard(run);
        (void)ct_error_add(&run->failure, run->failed, "nothing could be kept: %s", why.text);
    }
    run->warnings = ct_run_warn(run);
    return ct_error_pass(err, run->failed, &run->failure);
}

ct_status ct_run_finish(ct_run *run, ct_error *err)
{
    if (run && run->keep && run->failed != CT_OK && !run->finished) return keep_blocks(run, err);
    ct_status status = ct_run_ready(run, "ct_run_finish", err);
    if (status == CT_OK) {
        run->finished = true;
        status = publish(run, &run->failure);
        if (status != CT_OK) status = ct_run_fail(run, status, err);
        run->warnings = ct_run_warn(run);
    }
    if (run && status != CT_OK) discard(run);
    return status;
}

const char *ct_run_warnings(const ct_run *run)
{
    return run->warnings ? run->warnings : "";
}

void ct_run_free(ct_run *run)
{
    if (!run) return;
    discard(run);
    ct_run_buffers_settle(run);
    ct_run_moves_free(run);
    for (int s = 0; run->steps && s < run->plan->count; s++) {
        ct_program_free(run->steps[s].program);
        ct_step_free(run->steps[s].own);
    }
    ct_run_buffers_free(run);
    ct_plan_free(run->plan);
    ct_device_free(run->device);
    ct_arena_free(run->arena);
}

ct_status ct_run_progress(const ct_run *run, ct_progress *out, ct_error *err)
{
    static const ct_sized kind = CT_SIZED(ct_progress, samples);
    const ct_graph *graph = run->plan->graph;
    const ct_progress now = {.block = run->block,
                             .blocks = graph->blocks,
                             .signal_s = (double)(run->block - run->first) * graph->block_s,
                             .wall_s = run->seconds,
                             .flagged = run->flagged,
                             .samples = run->samples,
                             .journal_s = run->resume ? run->resume->seconds : 0,
                             .build_s = run->building};
    return ct_sized_give(out, &kind, &now, err);
}
