/* plan.c: a graph and one choice per node -> steps in running order with the edges between them.
 * Room: core/plan. Knows steps, layouts and edges. Does not know which layouts are good
 * (tuner/choose). Order: ct_plan_build places each node's step, inserting transposes before it
 * where it reads another layout than was written; then plan_memory.c gives edges their room. */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "plan_builder.h"

ct_status ct_plan_fail(const ct_plan_builder *b, int node, const char *key, const char *format, ...)
{
    char sentence[1024], place[1024];
    va_list list;
    va_start(list, format);
    ct_number_print_args(sentence, sizeof sentence, format, list);
    va_end(list);
    if (!b->from)
        return ct_step_fail(b->graph->nodes[node].step, NULL, b->err, "%s: %s", key, sentence);
    const char *pointer = ct_arena_print(b->plan->arena, "/nodes/%s", b->graph->nodes[node].name);
    ct_source_location location = {
        .file = b->from->file, .text = b->from->text, .pointer = pointer};
    ct_source_location_print(place, sizeof place, &location, key, false);
    return ct_error_add(b->err, CT_INVALID, "%s%s", place, sentence);
}

int ct_plan_edge_new(ct_plan_builder *b, const ct_array *array, const ct_layout *layout,
                     int64_t rows, int step, int port)
{
    ct_plan *plan = b->plan;
    int at = plan->edge_count++;
    ct_edge *edge = &plan->edges[at];
    edge->array = *array;
    edge->array.data = NULL;
    edge->array.layout = *layout;
    edge->rows = rows;
    edge->from = step;
    edge->port = port;
    edge->first = edge->last = step;
    b->source[at] = -1;
    return at;
}

ct_plan_step *ct_plan_step_new(ct_plan_builder *b, const char *name, int node)
{
    ct_plan_step *step = &b->plan->steps[b->plan->count++];
    step->node = node;
    step->reader = (ct_link){-1, -1};
    step->zeroed = -1;
    for (int p = 0; p < CT_PORTS; p++)
        step->edge[p] = -1;
    snprintf(step->name, sizeof step->name, "%s", name);
    return step;
}

static void make_outputs(ct_plan_builder *b, int n, int at)
{
    const ct_node *node = &b->graph->nodes[n];
    ct_plan_step *step = &b->plan->steps[at];
    const ct_array *ports = step->step->port;
    int outputs = 0;
    for (int p = 0; p < ct_step_ports(node->step); p++) {
        const ct_port *port = &node->step->stage->ports[p];
        if (port->direction != CT_OUT || node->step->port[p].type == CT_NONE) continue;
        ct_layout layout = b->choices[n].layout[p];
        if (layout.rank == 0) layout = ct_layout_natural(&ports[p]);
        int edge = ct_plan_edge_new(b, &ports[p], &layout, b->choices[n].rows[p], at, p);
        b->plan->edges[edge].name =
            outputs++ ? ct_arena_print(b->plan->arena, "%s.%s", node->name, port->name)
                      : node->name;
        b->written[n * CT_PORTS + p] = step->edge[p] = edge;
    }
}

static ct_status place_node(ct_plan_builder *b, int n)
{
    ct_status status = CT_OK;
    const ct_node *node = &b->graph->nodes[n];
    int edges[CT_PORTS];
    for (int p = 0; p < CT_PORTS; p++) {
        edges[p] = -1;
        if (node->input[p].node >= 0) CT_TRY(ct_plan_connect(b, n, p, &edges[p]));
    }
    int at = b->plan->count;
    ct_plan_step *step = ct_plan_step_new(b, node->name, n);
    step->clock = node->clock;
    CT_TRY(ct_plan_own_step(b, n, &step->step));
    step->partition = b->partition ? &b->partition[n] : NULL;
    step->input_partition = b->partition ? &b->input_partition[n] : NULL;
    for (int p = 0; p < CT_PORTS; p++) {
        step->reason[p] = b->choices[n].reason[p];
        step->rows[p] = b->choices[n].rows[p];
        if (edges[p] < 0) continue;
        step->edge[p] = edges[p];
        b->plan->edges[edges[p]].last = at;
        if (ct_step_has_history(node->step, p) &&
            node->step->overlap > b->plan->edges[edges[p]].before)
            b->plan->edges[edges[p]].before = node->step->overlap;
    }
    make_outputs(b, n, at);
out:
    return status;
}

static ct_status plan_rooms(ct_plan_builder *b)
{
    ct_plan *plan = b->plan;
    size_t inputs = 1;
    for (int n = 0; n < b->graph->count; n++)
        for (int p = 0; p < CT_PORTS; p++)
            inputs += b->graph->nodes[n].input[p].node >= 0;
    size_t steps = (size_t)b->graph->count + 3 * inputs;
    size_t edges = (size_t)b->graph->count * CT_PORTS + 3 * inputs;
    plan->steps = ct_arena_get(plan->arena, sizeof *plan->steps * steps);
    plan->edges = ct_arena_get(plan->arena, sizeof *plan->edges * edges);
    b->rooms = edges;
    b->source = ct_arena_get(plan->arena, sizeof *b->source * edges);
    size_t ports = (size_t)b->graph->count * CT_PORTS + 1;
    b->written = ct_arena_get(plan->arena, sizeof *b->written * ports);
    b->copied = ct_arena_get(plan->arena, sizeof *b->copied * ports);
    const ct_status status = ct_arena_check(plan->arena, b->err);
    if (status == CT_OK) memset(b->copied, -1, sizeof *b->copied * ports);
    return status;
}

ct_status ct_plan_build(ct_plan **out, const ct_graph *graph, const ct_choice *choices,
                        const ct_source_location *from, const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_plan *plan = ct_arena_begin(&arena, sizeof *plan);
    ct_plan_builder b = {.plan = plan,
                         .graph = graph,
                         .choices = choices,
                         .from = from,
                         .device = device,
                         .err = err};
    *out = NULL;
    if (graph->unknown)
        CT_TRY(ct_error_add(err, CT_USAGE,
                            "%s: nobody has waited for what its sources are sent "
                            "(ct_graph_check): there can be no plan",
                            graph->file));
    CT_NEED(plan, sizeof *plan, err);
    plan->arena = arena;
    plan->graph = ct_graph_retain(graph);
    plan->gpu = device && device->gpu;
    CT_TRY(plan_rooms(&b));
    CT_TRY(ct_default_split(&b));
    for (int n = 0; n < graph->count; n++)
        CT_TRY(place_node(&b, n));
    CT_TRY(ct_plan_finish_steps(&b));
    CT_TRY(ct_plan_zeroed(&b));
    ct_plan_overlap(plan);
    CT_TRY(ct_plan_memory(plan, err));
    *out = plan;
    plan = NULL;
out:
    ct_plan_free(plan);
    return status;
}

/* Plans are made above only, so none is const by nature. */
ct_plan *ct_plan_retain(const ct_plan *plan)
{
    ct_plan *retained = (ct_plan *)plan;
    ct_refcount_retain(&retained->refcount);
    return retained;
}

void ct_plan_free(ct_plan *plan)
{
    if (!plan || !ct_refcount_release(&plan->refcount)) return;
    for (int s = 0; s < plan->count; s++)
        ct_step_free(plan->steps[s].step);
    ct_graph_free(plan->graph);
    ct_arena_free(plan->arena);
}
