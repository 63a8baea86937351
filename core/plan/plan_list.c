/* plan_list.c: a plan's steps and arrays, one by one, for programs.
 * Room: core/plan. */
#include "plan.h"

const ct_step *ct_plan_step_at(const ct_plan *plan, size_t n)
{
    return n < (size_t)plan->count ? plan->steps[n].step : NULL;
}

const ct_array *ct_plan_array(const ct_plan *plan, size_t n, const char **name)
{
    if (n >= (size_t)plan->edge_count) return NULL;
    if (name) *name = plan->edges[n].name;
    return &plan->edges[n].array;
}

const char *ct_plan_link(const ct_plan *plan, size_t n, const char *port)
{
    if (n >= (size_t)plan->count) return NULL;
    const int p = ct_step_find_port(plan->steps[n].step, port);
    const int edge = p < 0 ? -1 : plan->steps[n].edge[p];
    return edge < 0 ? NULL : plan->edges[edge].name;
}
