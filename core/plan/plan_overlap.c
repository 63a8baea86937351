/* plan_overlap.c: which exchanges overlap the computation of other blocks. A step's lag is how many
 * exchanges lie before it: while a step of lag 0 works on a block, one of lag 1 works on the block
 * before that, which has come meanwhile. Room: core/plan. Knows who reads what, and how often. Does
 * not know how arrays are sent. The answer is the same on all ranks: it follows from the graph and
 * from where exchanges are. */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "exchange.h"
#include "plan_builder.h"
#include "ranks.h"

static bool is_input(const ct_plan_step *step, int p)
{
    return step->edge[p] >= 0 && step->step->stage->ports[p].direction == CT_IN;
}

/* The lag of a step that reads an edge's block as soon as it is there. */
static int lag_after(const ct_plan *plan, int e)
{
    const ct_plan_step *from = &plan->steps[plan->edges[e].from];
    return from->lag + (ct_exchange_is(from->step) ? 1 : 0);
}

static void find_lags(ct_plan *plan)
{
    for (int s = 0; s < plan->count; s++) {
        ct_plan_step *step = &plan->steps[s];
        for (int p = 0; p < CT_PORTS; p++) {
            if (!is_input(step, p)) continue;
            const int lag = lag_after(plan, step->edge[p]);
            if (lag > step->lag) step->lag = lag;
        }
        if (step->lag > plan->lag) plan->lag = step->lag;
    }
}

static bool clears(const ct_plan_step *step, int p)
{
    return p == 0 && step->node >= 0 && !step->others_need_flagged &&
           (step->step->stage->traits & CT_STAGE_LEAVES_OUT);
}

static bool is_sent(const ct_plan *plan, int e)
{
    for (int s = 0; s < plan->count; s++)
        if (ct_exchange_is(plan->steps[s].step) && plan->steps[s].edge[0] == e) return true;
    return false;
}

/* Why this input would need more than two slots, or would find the wrong block in them; NULL: two
 * do. */
static const char *needs_more(const ct_plan *plan, int s, int p)
{
    const ct_plan_step *step = &plan->steps[s];
    const int e = step->edge[p];
    const ct_edge *edge = &plan->edges[e];
    const ct_plan_step *from = &plan->steps[edge->from];
    const int late = step->lag - lag_after(plan, e);
    if (late > (ct_exchange_is(from->step) ? 0 : 1))
        return "a step's inputs come over different numbers of exchanges";
    if (late == 0 && !is_sent(plan, e) && !ct_exchange_is(from->step)) return NULL;
    if (from->step->accumulate > 1)
        return "an array that travels is not read as often as it is written";
    if (clears(step, p) && (is_sent(plan, e) || (late > 0 && edge->before > 0)))
        return "what is flagged is left out of an array while it travels";
    return NULL;
}

static const char *obstacle(const ct_plan *plan)
{
    if (plan->lag == 0) return NULL;
    if (plan->graph->blocks == 1) return "there is one block";
    if (plan->regroups) return "samples are gathered for a step";
    if (ct_ranks_no_overlap(plan->graph->ranks)) return "it is not wanted, or MPI has no threads";
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++) {
            const char *why = is_input(&plan->steps[s], p) ? needs_more(plan, s, p) : NULL;
            if (why) return why;
        }
    return NULL;
}

/* Arrays that are sent, that come, and those that are read one block later. */
static void find_pairs(ct_plan *plan)
{
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *step = &plan->steps[s];
        for (int p = 0; p < CT_PORTS; p++) {
            ct_edge *edge = step->edge[p] >= 0 ? &plan->edges[step->edge[p]] : NULL;
            if (!edge) continue;
            if (ct_exchange_is(step->step)) edge->exchanged = true;
            if (is_input(step, p) && step->lag > lag_after(plan, step->edge[p]))
                edge->read_later = true;
        }
    }
}

void ct_plan_overlap(ct_plan *plan)
{
    if (ct_ranks_size(plan->graph->ranks) < 2) return;
    find_lags(plan);
    plan->no_overlap = obstacle(plan);
    if (!plan->no_overlap) {
        find_pairs(plan);
        return;
    }
    plan->lag = 0;
    for (int s = 0; s < plan->count; s++)
        plan->steps[s].lag = 0;
}
