/* infer_take.c: how many samples along T a node takes each time it fires, and when that is. Where
 * what comes does not divide by what the stage takes at once, the block grows, or the samples are
 * regrouped: gathered until there are as many as the node takes. Room: core/graph. Knows what feeds
 * a node. Does not know how samples are regrouped (core/regroup). */
#include "infer_inner.h"

#include <string.h>

#include "text.h"

static bool has_time(const ct_node *node, int p)
{
    return node->input[p].node >= 0 && ct_array_find(&node->step->port[p], 'T') >= 0;
}

static const ct_node *source_of(const ct_graph *graph, const ct_node *node, int p)
{
    return &graph->nodes[node->input[p].node];
}

static const ct_array *brought(const ct_graph *graph, const ct_node *node, int p)
{
    return &source_of(graph, node, p)->step->port[node->input[p].port];
}

static void set_time(ct_array *array, int64_t samples)
{
    array->extent[ct_array_find(array, 'T')] = samples;
}

void ct_infer_regroup(const ct_graph *graph, ct_node *node, int64_t take)
{
    for (int p = 0; p < CT_PORTS; p++) {
        if (!has_time(node, p)) continue;
        node->regroup[p] = take;
        node->step->port[p] = *brought(graph, node, p);
        node->step->port[p].layout = (ct_layout){0};
        set_time(&node->step->port[p], take);
    }
}

/* Inputs that come in other numbers, or at other times, wait for each other. */
int64_t ct_infer_inputs(const ct_graph *graph, ct_node *node)
{
    int64_t most = 0;
    int first = -1;
    bool same = true;
    for (int p = 0; p < CT_PORTS; p++) {
        node->regroup[p] = 0;
        if (node->input[p].node < 0) continue;
        node->step->port[p] = *brought(graph, node, p);
        node->step->port[p].layout = (ct_layout){0};
        if (!has_time(node, p)) continue;
        const int64_t samples = ct_array_extent(&node->step->port[p], 'T');
        if (first < 0) first = p;
        same = same &&
               source_of(graph, node, p)->out_clock == source_of(graph, node, first)->out_clock &&
               samples == ct_array_extent(&node->step->port[first], 'T');
        if (samples > most) most = samples;
    }
    if (same) return 0;
    ct_infer_regroup(graph, node, most);
    return most;
}

int64_t ct_infer_sample(const ct_graph *graph, const ct_node *node, int p)
{
    const int64_t span = graph->clocks.clock[source_of(graph, node, p)->out_clock].span;
    const int64_t samples = ct_array_extent(brought(graph, node, p), 'T');
    return samples > 0 ? span / samples : 0;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    return a / ct_common_divisor(a, b) * b;
}

/* Of whole sums the grain does not matter: it is that of parts. */
int64_t ct_infer_unit(const ct_step *step)
{
    return ct_step_carries(step) ? step->decimate : common_multiple(step->decimate, step->grain);
}

/* The least part of a sum, a multiple of the grain, that it is a whole number of. */
static int64_t least_part(const ct_step *step, int64_t samples)
{
    const int64_t sum = step->decimate;
    int64_t least = sum;
    for (int64_t d = 1; d <= sum / d; d++)
        for (int k = 0; k < 2 && sum % d == 0; k++) {
            const int64_t part = k ? sum / d : d;
            if (part >= samples && part % step->grain == 0 && part < least) least = part;
        }
    return least;
}

/* The least that a node can take of at least `samples`. Sums over several firings are whole after
 * some number of them, or they may end in between. */
static int64_t least_take(const ct_step *step, int64_t samples)
{
    const int64_t unit = ct_infer_unit(step);
    const int64_t grains = ct_divide_up(samples, step->grain) * step->grain;
    if (ct_step_carries(step) && grains < step->decimate) return grains;
    if (ct_step_accumulates(step) && samples < step->decimate && step->decimate == unit)
        return least_part(step, samples);
    return ct_divide_up(samples, unit) * unit;
}

/* Elements of one sample. */
static int64_t elements(const ct_array *array)
{
    int64_t count = 1;
    for (int k = 0; k < array->rank; k++)
        count *= array->dim[k] == 'T' ? 1 : array->extent[k];
    return count;
}

/* The filter bank that divides the sources' band: its channels are the grain of what comes in. */
static bool is_filter_bank(const ct_graph *graph, const ct_node *node)
{
    const ct_step *step = node->step;
    bool divides = false;
    for (int p = 0; p < ct_step_ports(step); p++)
        divides =
            divides ||
            (step->stage->ports[p].direction == CT_OUT && ct_array_find(&step->port[p], 'T') >= 0 &&
             elements(&step->port[p]) == step->decimate * elements(&step->port[0]));
    return divides && step->decimate > 1 && ct_infer_sample(graph, node, 0) == 1;
}

/* "the 48 channels of "fir" and the 64 of "wide"". */
void ct_infer_say_banks(ct_text *out, const ct_graph *graph)
{
    const char *before = "the";
    for (int n = 0; n < graph->count; n++) {
        const ct_node *node = &graph->nodes[n];
        if (node->broken || !has_time(node, 0) || !is_filter_bank(graph, node)) continue;
        ct_text_add(out, "%s %lld%s of \"%s\"", before, (long long)node->step->decimate,
                    strcmp(before, "the") == 0 ? " channels" : "", node->name);
        before = " and the";
    }
}

/* What was regrouped before comes in numbers that follow from there. */
static bool grows_with_block(const ct_graph *graph, const ct_node *node)
{
    const int clock = source_of(graph, node, 0)->out_clock;
    return graph->clocks.clock[clock].span % graph->block == 0;
}

int64_t ct_infer_fit(const ct_graph *graph, const ct_node *node, ct_pass pass, int64_t *take)
{
    const ct_step *step = node->step;
    if (!has_time(node, 0)) return 1;
    const int64_t samples = ct_array_extent(&step->port[0], 'T'), unit = ct_infer_unit(step);
    if (unit < 1 || samples < 1 || samples % unit == 0) return 1;
    const int64_t least = least_take(step, samples);
    const int64_t lacks = unit / ct_common_divisor(samples, unit);
    const int64_t grains = step->grain / ct_common_divisor(samples, step->grain);
    if (*take == 0 && is_filter_bank(graph, node)) return lacks;
    if (pass == CT_PASS_GROW && *take == 0 && grows_with_block(graph, node)) {
        if (lacks <= graph->limit / graph->block) return lacks;
        if (least < step->decimate && grains > 1 && grains <= graph->limit / graph->block)
            return grains;
    }
    if (least != samples) *take = least;
    return 1;
}

void ct_infer_clock(ct_graph *graph, ct_node *node)
{
    const ct_step *step = node->step;
    ct_clock_table *clocks = &graph->clocks;
    int64_t sample = 1, span = clocks->clock[0].span;
    node->clock = 0;
    for (int p = CT_PORTS - 1; p >= 0; p--) {
        if (node->input[p].node < 0) continue;
        const int from = source_of(graph, node, p)->out_clock;
        const bool time = has_time(node, p);
        if (!time && from == 0) continue;
        sample = time ? ct_infer_sample(graph, node, p) : 1;
        span = time ? ct_array_extent(&step->port[p], 'T') * sample : clocks->clock[from].span;
        node->clock = ct_clock_table_add(clocks, from, node->clock == 0 ? -1 : node->clock, span);
    }
    node->out_clock = node->clock;
    if (step->accumulate > 1)
        node->out_clock = ct_clock_table_add(clocks, node->clock, -1, step->decimate * sample);
}
