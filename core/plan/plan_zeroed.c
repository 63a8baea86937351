/* plan_zeroed.c: which inputs need memory for a copy in which flagged samples are 0: those of
 * stages that leave out what is flagged, where another step reads the same array and needs it as it
 * was written. Room: core/plan. Knows who reads what, and where flags come from. Does not know when
 * anything is flagged (core/run/run_clear.c), and the copy made. */
#include <string.h>

#include "memory.h"
#include "plan_builder.h"

/* ---- whether an output may have flagged samples */

static bool flags_itself(const ct_node *node)
{
    if (ct_role_of(node->step) == CT_ROLE_SOURCE)
        return !(node->step->stage->traits & CT_STAGE_GAPLESS);
    for (int p = 0; p < ct_step_ports(node->step); p++) {
        const ct_port *port = &node->step->stage->ports[p];
        if (node->step->port[p].type == CT_NONE) continue;
        if (ct_port_gives_flags(port) || (ct_port_takes_flags(port) && node->input[p].node >= 0))
            return true;
    }
    return false;
}

/* Flags follow the first input. */
static bool may_be_flagged(const ct_graph *graph, int n)
{
    for (; n >= 0; n = graph->nodes[n].input[0].node)
        if (flags_itself(&graph->nodes[n])) return true;
    return false;
}

/* ---- who reads */

static bool leaves_out(const ct_plan_step *step)
{
    return step->node >= 0 && step->edge[0] >= 0 &&
           (step->step->stage->traits & CT_STAGE_LEAVES_OUT);
}

static bool reads(const ct_plan_step *step, int p, int edge)
{
    return step->edge[p] == edge && step->step->stage->ports[p].direction == CT_IN;
}

/* Whether some step needs what is flagged in this array, or in a copy of it that an inserted step
 * makes; `but`: the step whose port 0 does not count. */
static bool is_needed(const ct_plan *plan, int edge, int but)
{
    for (int s = plan->edges[edge].from + 1; s < plan->count; s++) {
        const ct_plan_step *step = &plan->steps[s];
        for (int p = 0; p < ct_step_ports(step->step); p++) {
            if (!reads(step, p, edge) || (s == but && p == 0)) continue;
            if (step->node < 0 ? is_needed(plan, step->edge[1], but) : p > 0 || !leaves_out(step))
                return true;
        }
    }
    return false;
}

/* As the array that it copies, history and gaps included, and needed while its step runs only. */
static void add_copy(ct_plan_builder *b, int s)
{
    ct_plan *plan = b->plan;
    ct_plan_step *step = &plan->steps[s];
    const ct_edge *from = &plan->edges[step->edge[0]];
    const int e = ct_plan_edge_new(b, &from->array, &from->array.layout, from->rows, s, 0);
    plan->edges[e].name = ct_arena_print(plan->arena, "%s for %s", from->name, step->name);
    plan->edges[e].temporary = true;
    step->zeroed = e;
}

ct_status ct_plan_zeroed(ct_plan_builder *b)
{
    ct_plan *plan = b->plan;
    for (int s = 0; s < plan->count; s++) {
        ct_plan_step *step = &plan->steps[s];
        if (!leaves_out(step)) continue;
        step->others_need_flagged = is_needed(plan, step->edge[0], s);
        if (step->others_need_flagged &&
            may_be_flagged(plan->graph, plan->graph->nodes[step->node].input[0].node))
            add_copy(b, s);
    }
    return ct_arena_check(plan->arena, b->err);
}
