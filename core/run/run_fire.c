/* run_fire.c: one block through one step: a source's is read (and the next one asked for), a sink's
 * is handed over, a kernel is put on the queue behind the history that it needs. Room: core/run.
 * Knows the order of things within a step. Does not know any stage. */
#include "fail.h"
#include "run.h"

static ct_status move_histories(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    for (int p = 0; p < ct_step_ports(step->step); p++) {
        if (step->step->stage->ports[p].direction != CT_OUT || step->edge[p] < 0) continue;
        if (run->plan->edges[step->edge[p]].before > 0 && ct_run_block_of(run, s) >= step->period)
            CT_TRY(ct_run_buffers_move_history(run, step->edge[p], err));
    }
out:
    return status;
}

/* A kernel's outputs: the first of the blocks that are added up begins in the other slot. */
static ct_status next_outputs(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    const int64_t number = run->steps[s].fired / step->step->gather;
    if (run->steps[s].fired % step->step->gather != 0) return CT_OK;
    for (int p = 0; p < ct_step_ports(step->step); p++) {
        const int e = step->edge[p];
        if (step->step->stage->ports[p].direction != CT_OUT || e < 0) continue;
        if (!run->pair[e].on) continue;
        CT_TRY(ct_run_io_release(run, e, ct_run_pairs_slot(run, e, number), err));
        ct_run_pairs_take(run, e, number);
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
    ct_run_pairs_inputs(run, s);
    if (step->node >= 0) {
        if (at->fired % step->step->gather == 0) ct_run_flags_next(run, step->node);
        CT_TRY(ct_run_flags_pass(run, s, err));
        ct_run_count_length(run, step->node);
        CT_TRY(ct_run_clear(run, s, err));
        CT_TRY(ct_run_masks_upload(run, s, err));
        CT_TRY(ct_run_tables_take(run, s, err));
        CT_TRY(ct_run_refill(run, s, err));
    }
    at->met |= CT_RUN_MET_SENT; /* where it fails now, an exchange still goes through */
    const bool add = at->fired % step->step->gather != 0;
    CT_TRY(at->built ? ct_program_enqueue(at->program, at->mem, add, err)
                     : first_firing(run, at, add, err));
    CT_TRY(ct_run_masks_given(run, s, err));
out:
    return status;
}

/* A block that was read ahead has its history from the other slot. */
static ct_status fire_source(ct_run *run, int s, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    const int e = step->edge[0];
    CT_TRY(ct_run_io_open(run, s, err));
    if (!run->pair[e].on) CT_TRY(move_histories(run, s, err));
    if (!at->request->asked) CT_TRY(ct_run_io_ask(run, s, at->fired, err));
    CT_TRY(ct_run_io_take(run, s, some, err));
    ct_run_pairs_take(run, e, at->fired);
    if (run->pair[e].on) CT_TRY(move_histories(run, s, err));
    CT_TRY(ct_run_io_ask_ahead(run, s, err));
out:
    return status;
}

static ct_status fire_step(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const double stood = ct_run_waits_stood(run);
    CT_TRY(next_outputs(run, s, err));
    CT_TRY(move_histories(run, s, err));
    CT_TRY(fire_kernel(run, s, err));
    ct_run_waits_stand(run, s, stood);
out:
    return status;
}

ct_status ct_run_fire(ct_run *run, int s, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    const ct_role role = ct_role_of(step->step);
    const bool courier = ct_run_courier_has(run, s);
    if (courier) CT_TRY(ct_run_courier_take(run, s, err));
    if (!ct_run_is_due(run, s)) return CT_OK;
    if (!run->resume && !run->keep) CT_TRY(ct_run_heed(run, err)); /* else whole blocks count */
    if (role == CT_ROLE_SOURCE) CT_TRY(fire_source(run, s, some, err));
    if (role == CT_ROLE_SINK) CT_TRY(ct_run_io_write(run, s, err));
    if (role == CT_ROLE_KERNEL && courier) CT_TRY(ct_run_courier_fire(run, s, err));
    if (role == CT_ROLE_KERNEL && !courier) CT_TRY(fire_step(run, s, err));
    run->steps[s].fired++;
out:
    return status;
}
