/* forecast.c: see forecast.h. Room: tuner/forecast. */
#include "forecast.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"

#include <math.h>
#include <string.h>

#include "exchange.h"
#include "fail.h"
#include "memory.h"

/* The fraction of a node's work that the busiest rank has. */
static double fraction_of(const ct_plan *plan, int node)
{
    double fraction = 1;
    const ct_partition *all = plan->partition ? &plan->partition[node] : NULL;
    for (int w = 0; all && w < all->axes; w++) {
        const int64_t indices = all->axis[w].indices;
        const int64_t ranges = all->axis[w].ranges < indices ? all->axis[w].ranges : indices;
        fraction *= (double)ct_divide_up(indices, ranges) / (double)indices;
    }
    return fraction;
}

/* A source that cannot read a range reads all. Rank 0 writes all of a sink's. */
static double read_fraction_of(const ct_plan *plan, int node)
{
    const ct_stage *stage = plan->graph->nodes[node].step->stage;
    const ct_partition *all = plan->partition ? &plan->partition[node] : NULL;
    for (int w = 0; all && w < all->axes; w++)
        if (!stage->split || !(strchr(stage->split, all->axis[w].dim) || strchr(stage->split, '*')))
            return 1;
    return fraction_of(plan, node);
}

ct_status ct_forecast_traffic(ct_traffic *out, const ct_plan *plan, const ct_plan_step *at,
                              ct_error *err)
{
    const ct_link from = plan->graph->nodes[at->reader.node].input[at->reader.port];
    ct_partition to = plan->partition[at->reader.node];
    ct_array whole = plan->graph->nodes[from.node].step->port[from.port];
    for (int w = 0; w < to.axes; w++)
        to.axis[w].sum = false;
    ct_array_dense(&whole, NULL);
    return ct_traffic_count(out, ct_ranks_size(plan->graph->ranks), &whole,
                            &plan->partition[from.node], &to, err);
}

/* What is sent is packed and unpacked, what stays is copied once. */
static ct_status predict_exchange(ct_forecast_step *out, const ct_plan *plan,
                                  const ct_plan_step *at, const ct_forecast_known *known,
                                  ct_error *err)
{
    const ct_status status = ct_forecast_traffic(&out->traffic, plan, at, err);
    const ct_traffic *t = &out->traffic;
    const double period = ct_plan_period(plan, at);
    const int64_t most = t->sent > t->received ? t->sent : t->received;
    out->seconds = (double)(t->sent + t->received + t->kept) / known->rate / period;
    out->transfer_s = NAN;
    if (known->network)
        out->transfer_s = ((double)t->messages * known->network->latency_s +
                           (double)most / known->network->bandwidth) /
                          period;
    return status;
}

static ct_status predict_step(ct_forecast_step *out, const ct_plan *plan, const ct_plan_step *at,
                              const ct_forecast_known *known, ct_error *err)
{
    out->fraction = 1;
    if (ct_exchange_is(at->step)) return predict_exchange(out, plan, at, known, err);
    if (at->node < 0) {
        const ct_array *array = &at->step->port[1];
        const double bytes = (double)ct_array_count(array) * ct_type_bits(array->type) / 8;
        out->seconds = bytes / known->rate / ct_plan_period(plan, at);
        return CT_OK;
    }
    out->fraction = ct_role_of(at->step) == CT_ROLE_KERNEL ? fraction_of(plan, at->node)
                                                           : read_fraction_of(plan, at->node);
    out->seconds = out->fraction * known->node_s[at->node];
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
static void add_io(ct_forecast *forecast, double *one_io, double *io, const ct_forecast_step *step,
                   int node)
{
    const double whole = or_zero(forecast->known.node_s[node]);
    *io += or_zero(step->seconds);
    *one_io += whole;
    forecast->io_s = fmax(forecast->io_s, or_zero(step->seconds));
    forecast->one_s = fmax(forecast->one_s, whole);
}

static double block_of(const ct_forecast *forecast, double computing, double transfer,
                       bool overlaps)
{
    return fmax(forecast->io_s, overlaps ? fmax(computing, transfer) : computing + transfer);
}

static void sum_up(ct_forecast *forecast, const ct_plan *plan)
{
    double one = 0, io = 0, one_io = 0, device = 0, transfer = 0; /* the last two: what is known */
    const bool overlaps = ct_plan_overlaps(plan);
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        const ct_forecast_step *step = &forecast->step[s];
        if (!is_on_device(at)) {
            add_io(forecast, &one_io, &io, step, at->node);
            continue;
        }
        forecast->device_s += step->seconds;
        forecast->transfer_s += step->transfer_s;
        device += or_zero(step->seconds);
        transfer += or_zero(step->transfer_s);
        if (at->node >= 0) one += forecast->known.node_s[at->node];
    }
    const double host = or_zero(forecast->known.host_s), load = or_zero(forecast->known.io_load);
    forecast->host_s = host + load * io;
    forecast->one_s = isnan(one) ? NAN : fmax(forecast->one_s, one + host + load * one_io);
    forecast->known_s = block_of(forecast, device + forecast->host_s, transfer, overlaps);
    const bool known = !isnan(forecast->device_s) && !isnan(forecast->transfer_s);
    forecast->block_s = known ? forecast->known_s : NAN;
    forecast->serial_s =
        known ? block_of(forecast, device + forecast->host_s, transfer, false) : NAN;
}

ct_status ct_forecast_plan(ct_plan *plan, const ct_forecast_known *known, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t nodes = (size_t)plan->graph->count;
    ct_forecast *forecast = ct_arena_get(plan->arena, sizeof *forecast);
    double *node_s = ct_arena_get(plan->arena, sizeof *node_s * nodes);
    ct_forecast_step *step = ct_arena_get(plan->arena, sizeof *step * (size_t)plan->count);
    CT_TRY(ct_arena_check(plan->arena, err));
    for (size_t n = 0; n < nodes; n++)
        node_s[n] = known->node_s ? known->node_s[n] : NAN;
    *forecast = (ct_forecast){.known = *known, .step = step};
    forecast->known.node_s = node_s;
    forecast->known.measured = known->measured ? ct_arena_copy(plan->arena, known->measured) : NULL;
    if (known->network) forecast->network = *known->network;
    forecast->known.network = known->network ? &forecast->network : NULL;
    for (int s = 0; s < plan->count; s++)
        CT_TRY(predict_step(&step[s], plan, &plan->steps[s], &forecast->known, err));
    sum_up(forecast, plan);
    CT_TRY(ct_arena_check(plan->arena, err));
    plan->forecast = forecast;
out:
    return status;
}
