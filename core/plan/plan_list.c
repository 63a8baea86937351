/* plan_list.c: a plan's steps and arrays, one by one, for programs.
 * Room: core/plan. */
#include "plan.h"

const ct_step *ct_plan_step_at(const ct_plan *plan, size_t n)
{
    if (!plan) return NULL;
    return n < (size_t)plan->count ? plan->steps[n].step : NULL;
}
