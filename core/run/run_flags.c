/* run_flags.c: missing samples beside the data: from sources, through every stage, to the port that
 * counts them. Kept for groups of channels, and only where some node that follows asks for flags.
 * Room: core/run. Knows which flags a step reads and makes. Does not know what they become
 * (core/flags), or how they come from and to the device (run_masks.c). */
#include "run_flags.h"

#include "cornerturn_stage.h"
#include "regroup.h"
#include "run_sums.h"

static ct_flags *flags_of(const ct_run *run, ct_link link)
{
    return &run->flags->out[link.node * CT_PORTS + link.port];
}

void ct_run_flags_next(ct_run *run, int n)
{
    for (int i = n * CT_PORTS; i < (n + 1) * CT_PORTS; i++)
        if (run->flags->late[i].data) ct_flags_swap(&run->flags->out[i], &run->flags->late[i]);
}

/* The producer may be one block ahead of the step that reads it. */
ct_flags *ct_run_flags_read(const ct_run *run, int s)
{
    const ct_link link = run->plan->graph->nodes[run->plan->steps[s].node].input[0];
    ct_flags *late = &run->flags->late[link.node * CT_PORTS + link.port];
    if (run->flags->gathered[s] >= 0) return &run->flags->chunk[run->flags->gathered[s]];
    if (!run->lagging || !late->data) return flags_of(run, link);
    const int64_t newest = ct_run_sums_done(run, run->flags->step_of[link.node]) - 1;
    return run->steps[s].fired < newest ? late : flags_of(run, link);
}

bool ct_run_flags_wanted(const ct_run *run, int n, int except)
{
    for (int p = 0; p < CT_PORTS; p++)
        if (p != except && run->flags->out[n * CT_PORTS + p].data) return true;
    return false;
}

static bool takes_flags(const ct_step *step)
{
    const int port = ct_flags_mask_port(step, CT_IN);
    if (step->stage->traits & CT_STAGE_LEAVES_OUT) return true;
    return port >= 0 && step->port[port].type != CT_NONE;
}

static bool is_brought(const ct_node *node)
{
    const int port = ct_flags_mask_port(node->step, CT_IN);
    return port >= 0 && node->input[port].node >= 0;
}

/* If stations are summed, the flags of each are kept until all are known. */
static void outputs_new(ct_run *run, int n)
{
    const ct_step *step = run->plan->graph->nodes[n].step;
    const int64_t stations = ct_array_extent(&step->port[0], 'S');
    for (int p = 0; p < CT_PORTS; p++) {
        ct_flags *out = &run->flags->out[n * CT_PORTS + p];
        if (out->data && out->stations != stations)
            out->each =
                ct_arena_get(run->arena, (size_t)(stations * out->groups * out->samples) + 1);
    }
}

/* The window follows the input; outputs follow the window, or the input if there is none. */
static void relate_node(ct_run *run, int n, const ct_flags *in)
{
    ct_flags *window = &run->flags->window[n];
    ct_flags_relate(window, run->arena, in);
    for (int p = 0; p < CT_PORTS; p++)
        ct_flags_relate(&run->flags->out[n * CT_PORTS + p], run->arena, window->data ? window : in);
}

/* Makes the flags of a node's input, after those of its outputs are known. */
static ct_status inputs_new(ct_run *run, int n, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_node *node = &run->plan->graph->nodes[n];
    const ct_step *step = node->step;
    const bool passes = ct_run_flags_wanted(run, n, -1);
    if (node->input[0].node < 0 || (!passes && !takes_flags(step))) return CT_OK;
    ct_flags *in = flags_of(run, node->input[0]);
    const ct_node *from = &run->plan->graph->nodes[node->input[0].node];
    if (!in->data) ct_flags_new(in, run->arena, &from->step->port[node->input[0].port], 0);
    outputs_new(run, n);
    if (step->overlap > 0 || step->accumulate > 1 || (passes && is_brought(node)))
        ct_flags_new(&run->flags->window[n], run->arena, &step->port[0], step->overlap);
    CT_TRY(ct_arena_check(run->arena, err));
    relate_node(run, n, in);
    CT_TRY(ct_arena_check(run->arena, err));
    if (run->flags->window[n].data) ct_flags_begin(&run->flags->window[n], step->overlap);
out:
    return status;
}

static ct_status row_new(ct_run *run, ct_error *err)
{
    const int nodes = run->plan->graph->count;
    int64_t most = 0;
    for (int i = 0; i < nodes * CT_PORTS; i++)
        if (run->flags->out[i].samples > most) most = run->flags->out[i].samples;
    for (int n = 0; n < nodes; n++)
        if (run->flags->window[n].samples > most) most = run->flags->window[n].samples;
    for (int s = 0; s < run->plan->count; s++)
        if (run->flags->chunk[s].samples > most) most = run->flags->chunk[s].samples;
    run->flags->row = ct_arena_get(run->arena, ct_flags_room(most));
    return ct_arena_check(run->arena, err);
}

/* A second copy of flags that are read one block after they are made. */
static ct_status late_new(ct_run *run, ct_error *err)
{
    const ct_graph *graph = run->plan->graph;
    for (int n = 0; n < graph->count; n++)
        run->flags->step_of[n] = -1;
    for (int s = 0; s < run->plan->count; s++)
        if (run->plan->steps[s].node >= 0) run->flags->step_of[run->plan->steps[s].node] = s;
    for (int s = 0; s < run->plan->count; s++) {
        const ct_plan_step *step = &run->plan->steps[s];
        if (step->node < 0 || graph->nodes[step->node].input[0].node < 0) continue;
        const ct_link link = graph->nodes[step->node].input[0];
        const int from = run->flags->step_of[link.node], i = link.node * CT_PORTS + link.port;
        if (!run->flags->out[i].data || run->flags->late[i].data ||
            run->plan->steps[from].lag == step->lag)
            continue;
        run->flags->late[i] = run->flags->out[i];
        ct_flags_get(&run->flags->late[i], run->arena);
    }
    return ct_arena_check(run->arena, err);
}

/* The step that gathers what a step's port 0 reads, perhaps with a transpose in between. */
static int find_gathering(const ct_plan *plan, int s)
{
    int e = plan->steps[s].node >= 0 ? plan->steps[s].edge[0] : -1;
    if (e >= 0 && plan->steps[s].step->stage->ports[0].direction != CT_IN) e = -1;
    while (e >= 0 && plan->steps[plan->edges[e].from].node < 0) {
        const int from = plan->edges[e].from;
        if (ct_regroup_is(plan->steps[from].step)) return from;
        e = plan->steps[from].edge[0];
    }
    return -1;
}

static void queue_new(ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const ct_link reader = step->reader;
    ct_flags *queue = &run->flags->queue[s], *chunk = &run->flags->chunk[s];
    const ct_flags *from = flags_of(run, run->plan->graph->nodes[reader.node].input[reader.port]);
    if (!from->data) return;
    *queue = *chunk = *from;
    queue->each = chunk->each = NULL;
    chunk->samples = ct_array_extent(&step->step->port[1], 'T');
    queue->samples = chunk->samples + run->plan->edges[step->edge[1]].after;
    ct_flags_get(queue, run->arena);
    ct_flags_get(chunk, run->arena);
}

static ct_status queues_new(ct_run *run, ct_error *err)
{
    for (int s = 0; s < run->plan->count; s++) {
        const ct_plan_step *step = &run->plan->steps[s];
        run->flags->gathered[s] = find_gathering(run->plan, s);
        if (step->node < 0 && ct_regroup_is(step->step)) queue_new(run, s);
    }
    return ct_arena_check(run->arena, err);
}

/* From the last node to the first, so that readers come before what they read. Sources always count
 * what is missing. */
ct_status ct_run_flags_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_graph *graph = run->plan->graph;
    const size_t nodes = (size_t)graph->count;
    struct ct_run_flags *flags = run->flags = ct_arena_get(run->arena, sizeof *flags);
    CT_NEED(flags, sizeof *flags, err);
    flags->out = ct_arena_get(run->arena, sizeof *flags->out * nodes * CT_PORTS);
    flags->late = ct_arena_get(run->arena, sizeof *flags->late * nodes * CT_PORTS);
    flags->step_of = ct_arena_get(run->arena, sizeof *flags->step_of * nodes);
    flags->window = ct_arena_get(run->arena, sizeof *flags->window * nodes);
    const size_t steps = (size_t)run->plan->count;
    flags->queue = ct_arena_get(run->arena, sizeof *flags->queue * steps);
    flags->chunk = ct_arena_get(run->arena, sizeof *flags->chunk * steps);
    flags->gathered = ct_arena_get(run->arena, sizeof *flags->gathered * steps);
    CT_TRY(ct_arena_check(run->arena, err));
    for (int n = 0; n < graph->count; n++)
        if (ct_role_of(graph->nodes[n].step) == CT_ROLE_SOURCE)
            ct_flags_new(&run->flags->out[n * CT_PORTS], run->arena, &graph->nodes[n].step->port[0],
                         0);
    for (int n = graph->count - 1; n >= 0; n--)
        CT_TRY(inputs_new(run, n, err));
    CT_TRY(late_new(run, err));
    CT_TRY(queues_new(run, err));
    CT_TRY(row_new(run, err));
out:
    return status;
}

static const ct_node *node_of(const ct_run *run, int s)
{
    return &run->plan->graph->nodes[run->plan->steps[s].node];
}

void ct_run_flags_advance(ct_run *run, int s)
{
    const ct_node *node = node_of(run, s);
    ct_flags *window = &run->flags->window[run->plan->steps[s].node];
    if (node->input[0].node < 0 || !window->data) return;
    ct_flags_advance(window, ct_run_flags_read(run, s), node->step->overlap,
                     run->steps[s].fired == 0);
}

/* These samples of a step's window go into its outputs. */
static void pass_piece(ct_run *run, int s, ct_flags_piece piece, bool more)
{
    const ct_node *node = node_of(run, s);
    const ct_step *step = node->step;
    const int n = run->plan->steps[s].node;
    const ct_flags *window = &run->flags->window[n];
    if (node->input[0].node < 0 || ct_array_find(&step->port[0], 'T') < 0) return;
    for (int p = 0; p < CT_PORTS; p++) {
        ct_flags *out = &run->flags->out[n * CT_PORTS + p];
        if (out->data)
            ct_flags_pass(out, window->data ? window : ct_run_flags_read(run, s), step, piece,
                          run->flags->row, more);
    }
}

void ct_run_flags_pass(ct_run *run, int s)
{
    const ct_sum_place place = ct_run_sum_place(run, s);
    pass_piece(run, s, (ct_flags_piece){0, place.end}, place.adds);
}

void ct_run_flags_rest(ct_run *run, int s, int64_t samples)
{
    const ct_sum_place place = ct_run_sum_place(run, s);
    ct_run_flags_next(run, run->plan->steps[s].node);
    pass_piece(run, s, (ct_flags_piece){place.samples - samples, samples}, false);
}
