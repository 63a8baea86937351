/* run_fire.c: one block through one step: a source's is read (and the next one asked for), a sink's
 * gets it, a kernel is put on the queue after the history that it needs. Room: core/run.
 * Knows the order of things within a step. Does not know any stage. */
#include "clock.h"
#include "fail.h"
#include "regroup.h"
#include "run_flags.h"
#include "run_io.h"
#include "run_memory.h"
#include "run_sums.h"
#include "run_tables.h"

static ct_status move_histories(ct_run *run, int s, int64_t number, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    for (int p = 0; p < ct_step_ports(step->step); p++) {
        if (step->step->stage->ports[p].direction != CT_OUT || step->edge[p] < 0) continue;
        if (run->plan->edges[step->edge[p]].before > 0 && number > 0)
            CT_TRY(ct_run_history_move(run, step->edge[p], err));
    }
out:
    return status;
}

/* Outputs of this number begin: those that have two slots, or several places, change them. */
static ct_status begin_outputs(ct_run *run, int s, int64_t number, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    for (int p = 0; p < ct_step_ports(step->step); p++) {
        const int e = step->edge[p];
        if (step->step->stage->ports[p].direction != CT_OUT || e < 0) continue;
        if (run->memory->doubled[e].on)
            CT_TRY(ct_run_io_release(run, e, ct_run_slots_of_block(run, e, number), err));
        ct_run_slots_use(run, e, number);
    }
    CT_TRY(move_histories(run, s, number, err));
out:
    return status;
}

/* Samples that a node's inputs have given so far; -1: none has any. */
static int64_t given_length(const ct_run *run, const ct_node *node)
{
    int64_t length = -1;
    for (int p = 0; p < CT_PORTS; p++) {
        if (node->input[p].node < 0 || ct_array_find(&node->step->port[p], 'T') < 0) continue;
        int64_t one = run->length[node->input[p].node];
        if (length < 0 || one < length) length = one;
    }
    return length;
}

void ct_run_count_length(ct_run *run, int n)
{
    const ct_node *node = &run->plan->graph->nodes[n];
    const int64_t length = given_length(run, node);
    if (length >= 0) run->length[n] = length / node->step->decimate;
}

/* All that is new to this firing comes after the end of the stream, so that nothing of what it
 * would give is real. A stage that flags samples is asked all the same. */
static bool is_after_end(const ct_run *run, int s, const ct_sum_place *place)
{
    const ct_plan_step *step = &run->plan->steps[s];
    if (!run->draining || step->node < 0 || ct_flags_mask_port(step->step, CT_OUT) >= 0)
        return false;
    const int64_t length = given_length(run, &run->plan->graph->nodes[step->node]);
    return length >= 0 && place->start >= length;
}

/* Some drivers build a kernel when it is started for the first time. So nothing else is on the
 * queue then; the time beyond that of the work itself was building, and is subtracted from the time
 * of the block, which is added at its end. */
static ct_status first_firing(ct_run *run, ct_run_step *at, const ct_piece *piece, ct_error *err)
{
    ct_status status = CT_OK;
    double seconds = 0;
    CT_TRY(ct_program_wait(at->program, NULL, err));
    const double start = ct_clock_now();
    CT_TRY(ct_program_enqueue(at->program, at->mem, piece, err));
    CT_TRY(ct_program_wait(at->program, &seconds, err));
    const double building = ct_clock_now() - start - seconds;
    at->seconds += seconds;
    at->built = true;
    if (building > 0) {
        run->build_s += building;
        run->seconds -= building;
    }
out:
    return status;
}

/* Where this firing is in the sums that it adds to: see run_sums.h. The flags of its outputs come later, while the device is
 * at work. */
static ct_status prepare_node(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    const ct_sum_place at = ct_run_sum_place(run, s);
    if (at.rest > 0) ct_run_flags_rest(run, s, at.rest);
    if (!at.adds) ct_run_flags_next(run, step->node);
    ct_run_flags_advance(run, s);
    CT_TRY(ct_run_masks_brought(run, s, err));
    ct_run_count_length(run, step->node);
    CT_TRY(ct_run_clear(run, s, err));
    CT_TRY(ct_run_masks_upload(run, s, err));
    CT_TRY(ct_run_new_tables_take(run, s, err));
    CT_TRY(ct_run_time_tables_fill(run, s, err));
out:
    return status;
}

/* The part of this firing's samples that goes into one sum, or all of them. */
static ct_status fire_piece(ct_run *run, int s, const ct_piece *piece, ct_error *err)
{
    ct_run_step *at = &run->steps[s];
    if (ct_program_engine(at->program)) ct_run_note(run, s);
    return at->built ? ct_program_enqueue(at->program, at->mem, piece, err)
                     : first_firing(run, at, piece, err);
}

/* Samples after the end of a sum begin the next one, in the other slot. */
static ct_status fire_rest(ct_run *run, int s, const ct_sum_place *place, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_piece rest = {false, place->end, place->samples, place->start};
    CT_TRY(begin_outputs(run, s, place->number + 1, err));
    CT_TRY(fire_piece(run, s, &rest, err));
out:
    return status;
}

ct_status ct_run_fire_kernel(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    const bool is_node = run->plan->steps[s].node >= 0;
    const ct_sum_place place = ct_run_sum_place(run, s);
    const ct_piece piece = {place.adds, 0, place.end, place.start};
    if (!place.adds) CT_TRY(begin_outputs(run, s, place.number, err));
    ct_run_slots_take_inputs(run, s);
    if (is_node) CT_TRY(prepare_node(run, s, err));
    at->launched = true; /* if it fails after this, others have got what it sends */
    const bool fires = !is_after_end(run, s, &place);
    if (fires) CT_TRY(fire_piece(run, s, &piece, err));
    if (is_node) ct_run_flags_pass(run, s);
    if (!fires) goto out;
    ct_run_note(run, -1);
    CT_TRY(ct_run_masks_given(run, s, err));
    if (place.end < place.samples) CT_TRY(fire_rest(run, s, &place, err));
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
    if (!run->memory->doubled[e].on) CT_TRY(move_histories(run, s, at->fired, err));
    if (!at->request->asked) CT_TRY(ct_run_io_ask(run, s, at->fired, err));
    CT_TRY(ct_run_io_take(run, s, some, err));
    ct_run_slots_use(run, e, at->fired);
    if (run->memory->doubled[e].on) CT_TRY(move_histories(run, s, at->fired, err));
    CT_TRY(ct_run_io_ask_ahead(run, s, err));
out:
    return status;
}

ct_status ct_run_fire(ct_run *run, int s, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_role role = ct_role_of(run->plan->steps[s].step);
    if (run->steps[s].background) CT_TRY(run->hooks.complete(run, s, err));
    if (ct_regroup_is(run->steps[s].step)) return ct_run_gather(run, s, err);
    if (!ct_run_is_due(run, s)) return CT_OK;
    if (!run->hooks.kept) CT_TRY(ct_run_check_cancelled(run, err)); /* else whole blocks count */
    if (role == CT_ROLE_SOURCE) CT_TRY(fire_source(run, s, some, err));
    if (role == CT_ROLE_SINK) CT_TRY(ct_run_io_write(run, s, err));
    if (role == CT_ROLE_KERNEL)
        CT_TRY((run->hooks.fire ? run->hooks.fire : ct_run_fire_kernel)(run, s, err));
    run->steps[s].fired++;
out:
    return status;
}
