/* plan.c: a graph and one choice per node -> steps in running order with the edges between them.
 * Room: core/plan. Knows steps, layouts and edges. Does not know which layouts are good
 * (tuner/choose.c). Order: ct_plan_build places each node's step, inserting transposes before it
 * where it reads another layout than was written; then plan_memory.c gives edges their room. */
#include "plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "pitch.h"
#include "plan_memory.h"
#include "text.h"

typedef struct builder {
    ct_plan *plan;
    const ct_graph *graph;
    const ct_choice *choices;
    const ct_device *device;
    int *written; /* [node * CT_PORTS + port]: the edge that holds this output as written */
    int *source;  /* [edge]: the edge that it is a transpose of; -1: none */
    ct_error *err;
} builder;

static int edge_new(builder *b, const ct_array *array, const ct_layout *layout, int step, int port)
{
    ct_plan *plan = b->plan;
    int at = plan->edge_count++;
    ct_edge *edge = &plan->edges[at];
    edge->array = *array;
    edge->array.data = NULL;
    edge->array.layout = *layout;
    edge->from = step;
    edge->port = port;
    edge->first = edge->last = step;
    b->source[at] = -1;
    return at;
}

static int find_transposed(const builder *b, int edge, const ct_layout *layout)
{
    for (int e = 0; e < b->plan->edge_count; e++)
        if (b->source[e] == edge && ct_layout_equal(&b->plan->edges[e].array.layout, layout))
            return e;
    return -1;
}

static ct_plan_step *place_step(builder *b, const char *name, int node)
{
    ct_plan_step *step = &b->plan->steps[b->plan->count++];
    step->node = node;
    step->period = 1;
    for (int p = 0; p < CT_PORTS; p++)
        step->edge[p] = -1;
    snprintf(step->name, sizeof step->name, "%s", name);
    return step;
}

/* Inserts the step that brings `edge` into `layout`. */
static ct_status transpose_edge(builder *b, int edge, const ct_layout *layout, int64_t period,
                                int *out)
{
    ct_status status = CT_OK;
    ct_plan *plan = b->plan;
    const ct_stage *stage = ct_context_stage(b->graph->context, "transpose");
    if (!stage)
        return ct_error_add(b->err, CT_INVALID, "no stage \"transpose\" to bridge %s to %s",
                            plan->edges[edge].array.layout.dim, layout->dim);
    const char *name = ct_arena_print(plan->arena, "%s>%s", plan->edges[edge].name, layout->dim);
    int at = plan->count;
    ct_plan_step *step = place_step(b, name, -1);
    CT_TRY(ct_step_new(&step->step, stage, step->name, NULL, NULL, NULL, b->err));
    step->step->port[0] = plan->edges[edge].array;
    step->step->decimate = step->step->gather = 1;
    CT_TRY(ct_step_infer(step->step, b->err));
    step->period = period;
    step->edge[0] = edge;
    step->reason[0] = step->reason[1] = "bridges a mismatch";
    plan->edges[edge].last = at;
    *out = step->edge[1] = edge_new(b, &step->step->port[1], layout, at, 1);
    plan->edges[*out].name = name;
    b->source[*out] = edge;
out:
    return status;
}

static ct_status connect_input(builder *b, int n, int port, int64_t period, int *edge)
{
    const ct_link link = b->graph->nodes[n].input[port];
    const ct_layout *wanted = &b->choices[n].layout[port];
    int written = b->written[link.node * CT_PORTS + link.port];
    *edge = written;
    if (wanted->rank == 0 || ct_layout_equal(wanted, &b->plan->edges[written].array.layout))
        return CT_OK;
    *edge = find_transposed(b, written, wanted);
    if (*edge >= 0) return CT_OK;
    return transpose_edge(b, written, wanted, period, edge);
}

static void make_outputs(builder *b, int n, int at)
{
    const ct_node *node = &b->graph->nodes[n];
    ct_plan_step *step = &b->plan->steps[at];
    int outputs = 0;
    for (int p = 0; p < ct_step_ports(node->step); p++) {
        const ct_port *port = &node->step->stage->ports[p];
        if (port->direction != CT_OUT) continue;
        ct_layout layout = b->choices[n].layout[p];
        if (layout.rank == 0) layout = ct_layout_natural(&node->step->port[p]);
        int edge = edge_new(b, &node->step->port[p], &layout, at, p);
        b->plan->edges[edge].name =
            outputs++ ? ct_arena_print(b->plan->arena, "%s.%s", node->name, port->name)
                      : node->name;
        b->written[n * CT_PORTS + p] = step->edge[p] = edge;
    }
}

static ct_status place_node(builder *b, int n)
{
    ct_status status = CT_OK;
    const ct_node *node = &b->graph->nodes[n];
    int edges[CT_PORTS];
    for (int p = 0; p < CT_PORTS; p++) {
        edges[p] = -1;
        if (node->input[p].node >= 0) CT_TRY(connect_input(b, n, p, node->period, &edges[p]));
    }
    int at = b->plan->count;
    ct_plan_step *step = place_step(b, node->name, n);
    step->period = node->period;
    CT_TRY(ct_step_copy(&step->step, node->step, b->err));
    for (int p = 0; p < CT_PORTS; p++) {
        step->reason[p] = b->choices[n].reason[p];
        if (edges[p] < 0) continue;
        step->edge[p] = edges[p];
        b->plan->edges[edges[p]].last = at;
        if (p == 0 && node->step->overlap > b->plan->edges[edges[p]].before)
            b->plan->edges[edges[p]].before = node->step->overlap;
    }
    make_outputs(b, n, at);
out:
    return status;
}

/* The edge's strides, history included. */
static void shape_edge(ct_edge *edge)
{
    int t = ct_array_find(&edge->array, 'T');
    if (t >= 0) edge->array.extent[t] += edge->before;
    ct_pitch_set(&edge->array);
}

/* A step's port is a view of its edge: the same strides, an offset along T. */
static void view_edge(ct_plan_step *step, int p, const ct_edge *edge)
{
    ct_array *array = &step->step->port[p];
    const ct_meta meta = array->meta;
    bool input = step->step->stage->ports[p].direction == CT_IN;
    int64_t overlap = input && p == 0 ? step->step->overlap : 0;
    int t = ct_array_find(&edge->array, 'T');
    *array = edge->array;
    array->meta = meta;
    if (t < 0) return;
    array->offset = (edge->before - overlap) * edge->array.stride[t];
    array->extent[t] = edge->array.extent[t] - edge->before + overlap;
}

static ct_status lay_port(builder *b, ct_plan_step *step, int p)
{
    ct_array *array = &step->step->port[p];
    if (array->type == CT_NONE) return CT_OK;
    if (step->edge[p] >= 0) {
        view_edge(step, p, &b->plan->edges[step->edge[p]]);
        return CT_OK;
    }
    if (step->step->stage->ports[p].flags & CT_PORT_FLAGS) /* as long as port 0, history too */
        array->extent[ct_array_find(array, 'T')] += step->step->overlap;
    const ct_layout *wanted = step->node >= 0 ? &b->choices[step->node].layout[p] : NULL;
    ct_layout layout = wanted && wanted->rank ? *wanted : ct_layout_natural(array);
    ct_status status = ct_step_set_layout(step->step, p, &layout, b->err);
    if (step->step->stage->ports[p].direction == CT_SCRATCH) ct_pitch_set(array);
    return status;
}

/* Declared values, and those that the stage itself suggests here: no others have been tried. */
static ct_status take_tunables(ct_step *step, const ct_choice *choice, bool *legal, ct_error *err)
{
    bool given = false;
    for (int t = 0; t < ct_step_tunables(step); t++) {
        const int64_t wanted = choice->tunable[t], usual = step->tunable[t];
        if (!choice->tuned[t]) continue;
        if (wanted != usual && !ct_step_tunable_declared(step, t, wanted))
            return ct_step_fail(step, NULL, err,
                                "the plan's tunable %s: expected one of %s, or %lld as by default, "
                                "found %lld",
                                step->stage->tunables[t].name, step->stage->tunables[t].values,
                                (long long)usual, (long long)wanted);
        step->tunable[t] = wanted;
        given = true;
    }
    *legal = !given || ct_step_is_legal(step);
    return CT_OK;
}

static ct_status tune_step(builder *b, ct_plan_step *step)
{
    const ct_choice *choice = step->node >= 0 ? &b->choices[step->node] : NULL;
    bool legal = true;
    ct_status status = CT_OK;
    ct_step_set_device(step->step, b->device);
    ct_step_default_tunables(step->step);
    if (choice) status = take_tunables(step->step, choice, &legal, b->err);
    ct_step_set_device(step->step, NULL); /* a plan keeps no device */
    step->step->gpu = b->plan->gpu;
    ct_step_settle(step->step);
    if (legal || status != CT_OK) return status;
    ct_text why = {0};
    ct_step_say_illegal(step->step, &why);
    status = ct_step_fail(step->step, NULL, b->err, "the plan's tunables are not legal together%s",
                          why.data);
    ct_text_free(&why);
    return status;
}

/* Patterns are checked here, because edges set strides without ct_step_set_layout. */
static ct_status check_pattern(builder *b, const ct_plan_step *step, int p)
{
    const ct_stage *stage = step->step->stage;
    const char *pattern = stage->ports[p].layout;
    const ct_array *array = &step->step->port[p];
    char own[CT_STEP_PATTERN];
    if (!pattern || array->type == CT_NONE || step->edge[p] < 0) return CT_OK;
    if (*pattern == '=') {
        int other = ct_step_find_port(step->step, pattern + 1);
        if (ct_layout_equal(&array->layout, &step->step->port[other].layout)) return CT_OK;
    } else if (ct_layout_matches(&array->layout, ct_step_pattern(step->step, p, own))) {
        return CT_OK;
    }
    return ct_step_fail(step->step, "layout", b->err,
                        "stage %s cannot use layout %s for its port %s, only %s", stage->name,
                        array->layout.dim, stage->ports[p].name, pattern);
}

static ct_status finish_steps(builder *b)
{
    ct_status status = CT_OK;
    for (int s = 0; s < b->plan->count; s++) {
        ct_plan_step *step = &b->plan->steps[s];
        for (int p = 0; p < ct_step_ports(step->step); p++) {
            CT_TRY(lay_port(b, step, p));
            CT_TRY(check_pattern(b, step, p));
        }
        CT_TRY(tune_step(b, step));
    }
out:
    return status;
}

static void plan_rooms(builder *b)
{
    ct_plan *plan = b->plan;
    size_t inputs = 1;
    for (int n = 0; n < b->graph->count; n++)
        for (int p = 0; p < CT_PORTS; p++)
            inputs += b->graph->nodes[n].input[p].node >= 0;
    size_t steps = (size_t)b->graph->count + inputs;
    size_t edges = (size_t)b->graph->count * CT_PORTS + inputs;
    plan->steps = ct_arena_get(plan->arena, sizeof *plan->steps * steps);
    plan->edges = ct_arena_get(plan->arena, sizeof *plan->edges * edges);
    b->source = ct_arena_get(plan->arena, sizeof *b->source * edges);
    b->written =
        ct_arena_get(plan->arena, sizeof *b->written * (size_t)(b->graph->count * CT_PORTS + 1));
}

ct_status ct_plan_build(ct_plan **out, const ct_graph *graph, const ct_choice *choices,
                        const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = ct_arena_new();
    ct_plan *plan = ct_arena_get(arena, sizeof *plan);
    builder b = {.plan = plan, .graph = graph, .choices = choices, .device = device, .err = err};
    *out = NULL;
    plan->arena = arena;
    plan->graph = ct_graph_hold(graph);
    plan->gpu = device && device->gpu;
    plan_rooms(&b);
    for (int n = 0; n < graph->count; n++)
        CT_TRY(place_node(&b, n));
    for (int e = 0; e < plan->edge_count; e++)
        shape_edge(&plan->edges[e]);
    CT_TRY(finish_steps(&b));
    ct_plan_memory(plan);
    *out = plan;
    plan = NULL;
out:
    ct_plan_free(plan);
    return status;
}

/* Plans are made above alone, so none is const by nature. */
ct_plan *ct_plan_hold(const ct_plan *plan)
{
    ct_plan *held = (ct_plan *)plan;
    ct_hold_take(&held->hold);
    return held;
}

void ct_plan_free(ct_plan *plan)
{
    if (!plan || !ct_hold_drop(&plan->hold)) return;
    for (int s = 0; s < plan->count; s++)
        ct_step_free(plan->steps[s].step);
    ct_graph_free(plan->graph);
    ct_arena_free(plan->arena);
}
