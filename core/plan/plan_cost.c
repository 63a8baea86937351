/* plan_cost.c: see plan_cost.h. Room: core/plan. */
#include "plan_cost.h"

#include <math.h>
#include <string.h>

#include "exchange.h"
#include "fail.h"
#include "memory.h"

/* The part of a node's work that the rank has which has most. */
static double share_of(const ct_plan *plan, int node)
{
    double share = 1;
    const ct_partition *all = plan->partition ? &plan->partition[node] : NULL;
    for (int w = 0; all && w < all->axes; w++) {
        const int64_t units = all->axis[w].indices;
        const int64_t parts = all->axis[w].ranges < units ? all->axis[w].ranges : units;
        share *= (double)((units + parts - 1) / parts) / (double)units;
    }
    return share;
}

/* Of a source: one that cannot read a part of it reads all. Rank 0 writes all of a sink's. */
static double read_share_of(const ct_plan *plan, int node)
{
    const ct_stage *stage = plan->graph->nodes[node].step->stage;
    const ct_partition *all = plan->partition ? &plan->partition[node] : NULL;
    for (int w = 0; all && w < all->axes; w++)
        if (!stage->split || !(strchr(stage->split, all->axis[w].dim) || strchr(stage->split, '*')))
            return 1;
    return share_of(plan, node);
}

ct_status ct_plan_traffic(ct_traffic *out, const ct_plan *plan, const ct_plan_step *at,
                          ct_error *err)
{
    const ct_link from = plan->graph->nodes[at->reader.node].input[at->reader.port];
    ct_partition wants = plan->partition[at->reader.node];
    ct_array whole = plan->graph->nodes[from.node].step->port[from.port];
    for (int w = 0; w < wants.axes; w++)
        wants.axis[w].sum = false;
    ct_array_dense(&whole, NULL);
    return ct_traffic_count(out, ct_ranks_size(plan->graph->ranks), &whole,
                            &plan->partition[from.node], &wants, err);
}

/* Parts that travel are packed and unpacked, those that stay are laid out once. */
static ct_status cost_exchange(ct_step_cost *out, const ct_plan *plan, const ct_plan_step *at,
                               const ct_plan_known *known, ct_error *err)
{
    const ct_status status = ct_plan_traffic(&out->moved, plan, at, err);
    const ct_traffic *t = &out->moved;
    const double period = (double)at->period;
    const int64_t most = t->sent > t->received ? t->sent : t->received;
    out->seconds = (double)(t->sent + t->received + t->kept) / known->rate / period;
    out->travel_s = NAN;
    if (known->network)
        out->travel_s = ((double)t->messages * known->network->latency_s +
                         (double)most / known->network->bandwidth) /
                        period;
    return status;
}

static ct_status cost_step(ct_step_cost *out, const ct_plan *plan, const ct_plan_step *at,
                           const ct_plan_known *known, ct_error *err)
{
    out->share = 1;
    if (ct_exchange_is(at->step)) return cost_exchange(out, plan, at, known, err);
    if (at->node < 0) {
        const ct_array *array = &at->step->port[1];
        const double bytes = (double)ct_array_count(array) * ct_type_bits(array->type) / 8;
        out->seconds = bytes / known->rate / (double)at->period;
        return CT_OK;
    }
    out->share = ct_role_of(at->step) == CT_ROLE_KERNEL ? share_of(plan, at->node)
                                                        : read_share_of(plan, at->node);
    out->seconds = out->share * known->node_s[at->node];
    return CT_OK;
}

static bool is_on_device(const ct_plan_step *at)
{
    return at->node < 0 || ct_role_of(at->step) == CT_ROLE_KERNEL;
}

static double or_zero(double seconds)
{
    return isnan(seconds) ? 0 : seconds;
}

/* Of sources and sinks only what is known. */
static void add_io(ct_plan_cost *cost, double *one_io, double *io, const ct_step_cost *step,
                   int node)
{
    const double whole = or_zero(cost->known.node_s[node]);
    *io += or_zero(step->seconds);
    *one_io += whole;
    cost->io_s = fmax(cost->io_s, or_zero(step->seconds));
    cost->one_s = fmax(cost->one_s, whole);
}

static double block_of(const ct_plan_cost *cost, double computing, double travelling, bool hides)
{
    return fmax(cost->io_s, hides ? fmax(computing, travelling) : computing + travelling);
}

static void sum_up(ct_plan_cost *cost, const ct_plan *plan)
{
    double one = 0, io = 0, one_io = 0, device = 0, travel = 0; /* the last two: what is known */
    const bool hides = ct_plan_overlaps(plan);
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        const ct_step_cost *step = &cost->step[s];
        if (!is_on_device(at)) {
            add_io(cost, &one_io, &io, step, at->node);
            continue;
        }
        cost->device_s += step->seconds;
        cost->travel_s += step->travel_s;
        device += or_zero(step->seconds);
        travel += or_zero(step->travel_s);
        if (at->node >= 0) one += cost->known.node_s[at->node];
    }
    const double host = or_zero(cost->known.host_s), beside = or_zero(cost->known.beside);
    cost->host_s = host + beside * io;
    cost->one_s = isnan(one) ? NAN : fmax(cost->one_s, one + host + beside * one_io);
    cost->known_s = block_of(cost, device + cost->host_s, travel, hides);
    const bool known = !isnan(cost->device_s) && !isnan(cost->travel_s);
    cost->block_s = known ? cost->known_s : NAN;
    cost->apart_s = known ? block_of(cost, device + cost->host_s, travel, false) : NAN;
}

ct_status ct_plan_foretell(ct_plan *plan, const ct_plan_known *known, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t nodes = (size_t)plan->graph->count;
    ct_plan_cost *cost = ct_arena_get(plan->arena, sizeof *cost);
    double *node_s = ct_arena_get(plan->arena, sizeof *node_s * nodes);
    ct_step_cost *step = ct_arena_get(plan->arena, sizeof *step * (size_t)plan->count);
    CT_TRY(ct_arena_check(plan->arena, err));
    for (size_t n = 0; n < nodes; n++)
        node_s[n] = known->node_s ? known->node_s[n] : NAN;
    *cost = (ct_plan_cost){.known = *known, .step = step};
    cost->known.node_s = node_s;
    cost->known.measured = known->measured ? ct_arena_copy(plan->arena, known->measured) : NULL;
    if (known->network) cost->network = *known->network;
    cost->known.network = known->network ? &cost->network : NULL;
    for (int s = 0; s < plan->count; s++)
        CT_TRY(cost_step(&step[s], plan, &plan->steps[s], &cost->known, err));
    sum_up(cost, plan);
    CT_TRY(ct_arena_check(plan->arena, err));
    plan->cost = cost;
out:
    return status;
}
