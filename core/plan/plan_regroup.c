/* plan_regroup.c: an input that a node takes in other numbers of samples than are brought is
 * gathered by a step of its own. Room: core/plan. Knows edges and when nodes fire. Does not know
 * how samples are copied (core/regroup). */
#include "context.h"
#include "fail.h"
#include "memory.h"
#include "plan_builder.h"
#include "regroup.h"
#include "row_stride.h"

/* Those that take as many of this array at the same times share one. */
static int find_regrouped(const ct_plan_builder *b, int edge, const ct_node *node, int port)
{
    for (int s = 0; s < b->plan->count; s++) {
        const ct_plan_step *step = &b->plan->steps[s];
        if (step->node >= 0 || !ct_regroup_is(step->step) || step->edge[0] != edge) continue;
        const ct_node *reader = &b->graph->nodes[step->reader.node];
        if (reader->clock == node->clock &&
            reader->regroup[step->reader.port] == node->regroup[port])
            return step->edge[1];
    }
    return -1;
}

/* Samples that may wait beyond those that the node takes: those that come last, and where inputs
 * wait for each other, those that the latest one lacks. */
static int64_t most_waiting(const ct_plan_builder *b, const ct_node *node, int port, int64_t come)
{
    const ct_clock_table *clocks = &b->graph->clocks;
    const int clock = b->graph->nodes[node->input[port].node].out_clock;
    const int64_t sample = clocks->clock[clock].span / come;
    int64_t late = 0;
    for (int p = 0; p < CT_PORTS; p++)
        if (node->regroup[p] > 0 && b->graph->nodes[node->input[p].node].out_clock != clock)
            late = clocks->clock[node->clock].late;
    return come + ct_divide_up(late, sample);
}

ct_status ct_plan_regroup(ct_plan_builder *b, int n, int port, int *edge)
{
    ct_status status = CT_OK;
    ct_plan *plan = b->plan;
    const ct_node *node = &b->graph->nodes[n];
    const int from = *edge, at = plan->count;
    const ct_layout layout = plan->edges[from].array.layout;
    if (node->regroup[port] == 0) return CT_OK;
    *edge = find_regrouped(b, from, node, port);
    if (*edge >= 0) return CT_OK;
    const char *name = ct_arena_print(plan->arena, "%s>%s", plan->edges[from].name, node->name);
    ct_plan_step *step = ct_plan_step_new(b, name ? name : "", -1);
    CT_TRY(ct_step_new(&step->step, &ct_regroup_stage, step->name, NULL, NULL, NULL, b->err));
    step->step->port[0] = plan->edges[from].array;
    step->step->decimate = step->step->accumulate = 1;
    CT_TRY(ct_step_infer(step->step, b->err));
    const int64_t come = ct_array_extent(&step->step->port[1], 'T');
    (void)ct_array_set(&step->step->port[1], 'T', node->regroup[port]);
    step->clock = b->graph->nodes[node->input[port].node].out_clock;
    step->reader = (ct_link){n, port};
    step->edge[0] = from;
    step->reason[0] = step->reason[1] = "samples are gathered";
    plan->edges[from].last = at;
    *edge = step->edge[1] =
        ct_plan_edge_new(b, &step->step->port[1], &layout, CT_ROWS_DENSE, at, 1);
    plan->edges[*edge].name = name;
    plan->edges[*edge].after = most_waiting(b, node, port, come);
    plan->regroups = true;
out:
    return status;
}

void ct_plan_regroup_rows(const ct_plan *plan, ct_edge *edge)
{
    const ct_plan_step *step = &plan->steps[edge->from];
    if (step->node >= 0 || !ct_regroup_is(step->step)) return;
    const ct_array *from = &plan->edges[step->edge[0]].array;
    const char fastest = from->layout.dim[from->layout.rank - 1];
    int64_t next = 0;
    for (int k = 0; k < from->rank && fastest != 'T'; k++)
        if (from->dim[k] != fastest && from->extent[k] > 1 && (next == 0 || from->stride[k] < next))
            next = from->stride[k];
    edge->rows = next > ct_rows_length(from) ? next : CT_ROWS_DENSE;
}
