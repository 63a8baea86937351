/* explain_plan.c: a plan as a person reads it: the flow as a table, the memory, a graph for dot.
 * Room: tuner/explain. Knows plans, steps and edges. Does not know why a choice was made (the plan
 * says it). */
#include <stdio.h>
#include <string.h>

#include "choose.h"
#include "exchange.h"
#include "explain_inner.h"
#include "fail.h"
#include "fuse.h"
#include "graph_warnings.h"
#include "partition.h"
#include "row_stride.h"
#include "text.h"

enum { STEP, STAGE, PORT, SIZES, TYPE, LAYOUT, WHY, BYTES, SLOT, FLOPS, NOTE, COLUMNS };

static void print_flops(char out[32], double flops)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    int unit = 0;
    while (flops >= 1000.0 && unit < 4) {
        flops /= 1000.0;
        unit++;
    }
    ct_number_print(out, 32, unit > 0 ? "%.1f%s" : "%.0f%s", flops, units[unit]);
}

/* "S=64 P=2 T=512 C=256"; an input that keeps history: "T=512+15". */
static void print_sizes(char *out, size_t size, const ct_array *array, int64_t overlap)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < array->rank && used < size; i++) {
        const bool history = array->dim[i] == 'T' && overlap > 0;
        const long long extent = (long long)(array->extent[i] - (history ? overlap : 0));
        used += (size_t)snprintf(out + used, size - used, "%s%c=%lld", i > 0 ? " " : "",
                                 array->dim[i], extent);
        if (history && used < size)
            used += (size_t)snprintf(out + used, size - used, "+%lld", (long long)overlap);
    }
}

static bool is_unread(const ct_plan *plan, const ct_plan_step *at)
{
    return at->node >= 0 && ct_graph_unread(&plan->graph->nodes[at->node]);
}

/* What a rank sends and gets in a block, and what goes over its busiest link. */
static size_t explain_exchange(char *out, size_t size, const ct_step *step)
{
    int64_t sent, received, link;
    char bytes[3][32];
    ct_exchange_bytes(step, &sent, &received, &link);
    ct_explain_bytes(bytes[0], (double)sent);
    ct_explain_bytes(bytes[1], (double)received);
    ct_explain_bytes(bytes[2], (double)link);
    return (size_t)snprintf(out, size, "sends %s, %s at most to one rank, gets %s", bytes[0],
                            bytes[2], bytes[1]);
}

/* What the first output holds along Q, or of which receptors it is; "" unknown. */
static void print_products(char out[CT_PRODUCTS_TEXT], const ct_step *step, int p)
{
    const ct_products *products = step->port[p].meta.products;
    int first = 0;
    while (step->stage->ports[first].direction != CT_OUT && first < p)
        first++;
    out[0] = 0;
    const bool fits = products && products->count == ct_array_extent(&step->port[p], 'Q');
    if (first == p && step->stage->ports[p].direction == CT_OUT && fits)
        ct_products_print(out, products);
}

static void explain_note(ct_columns *columns, const ct_plan *plan, const ct_plan_step *at)
{
    const ct_step *step = at->step;
    char note[256] = "";
    size_t used = 0;
    if (is_unread(plan, at)) used = (size_t)snprintf(note, sizeof note, "nothing reads it");
    if (step->overlap > 0)
        used += (size_t)snprintf(note + used, sizeof note - used, "%skeeps %lld samples%s",
                                 used > 0 ? "; " : "", (long long)step->overlap,
                                 step->overlap_kind == CT_VALID ? ", first ones dropped" : "");
    if (at->zeroed >= 0)
        used +=
            (size_t)snprintf(note + used, sizeof note - used,
                             "%scopies what it reads where some is flagged", used > 0 ? "; " : "");
    if (step->decimate > 1)
        used += (size_t)snprintf(note + used, sizeof note - used, "%s1 of %lld samples",
                                 used > 0 ? "; " : "", (long long)step->decimate);
    if (step->accumulate > 1)
        used += (size_t)snprintf(note + used, sizeof note - used, "%sgathers %lld blocks",
                                 used > 0 ? "; " : "", (long long)step->accumulate);
    if (at->reader.node >= 0 && at->node < 0 &&
        ct_array_extent(&step->port[0], 'T') != ct_array_extent(&step->port[1], 'T'))
        used +=
            (size_t)snprintf(note + used, sizeof note - used, "%s%lld samples become %lld",
                             used > 0 ? "; " : "", (long long)ct_array_extent(&step->port[0], 'T'),
                             (long long)ct_array_extent(&step->port[1], 'T'));
    if (at->clock > 0)
        used += (size_t)ct_number_print(note + used, sizeof note - used, "%severy %g blocks",
                                        used > 0 ? "; " : "", ct_plan_period(plan, at));
    if (ct_exchange_is(step)) used += explain_exchange(note + used, sizeof note - used, step);
    char products[CT_PRODUCTS_TEXT];
    print_products(products, step, 0);
    if (products[0] && used < sizeof note)
        used += (size_t)snprintf(note + used, sizeof note - used, "%s%s", used > 0 ? "; " : "",
                                 products);
    const char *said = step->stage->tuning.note ? step->stage->tuning.note(step) : NULL;
    if (said && used < sizeof note)
        snprintf(note + used, sizeof note - used, "%s%s", used > 0 ? "; " : "", said);
    ct_columns_cell(columns, NOTE, "%s", note);
}

static void explain_step(ct_columns *columns, const ct_plan *plan, const ct_plan_step *at)
{
    const ct_stage *stage = at->step->stage;
    ct_columns_cell(columns, STEP, "%s", at->name);
    ct_columns_cell(columns, STAGE, "%s%s", stage->name, at->node < 0 ? " (inserted)" : "");
    const double flops = stage->flops != NULL ? stage->flops(at->step) : 0.0;
    if (flops > 0.0) {
        char text[32];
        print_flops(text, flops);
        ct_columns_cell(columns, FLOPS, "%s", text);
    }
    explain_note(columns, plan, at);
}

/* With the row stride of what is written, where that is not the usual one. */
static void explain_layout(ct_columns *columns, const ct_plan *plan, const ct_plan_step *at, int p)
{
    const char *layout = at->step->port[p].layout.dim;
    const int64_t rows = at->edge[p] >= 0 ? plan->edges[at->edge[p]].rows : at->rows[p];
    if (at->step->stage->ports[p].direction == CT_IN || rows == CT_ROWS_PADDED)
        ct_columns_cell(columns, LAYOUT, "%s", layout);
    else if (rows == CT_ROWS_DENSE)
        ct_columns_cell(columns, LAYOUT, "%s dense", layout);
    else
        ct_columns_cell(columns, LAYOUT, "%s rows of %lld", layout, (long long)rows);
}

static void explain_port(ct_columns *columns, const ct_plan *plan, const ct_plan_step *at, int p)
{
    static const char *const directions[] = {"reads", "writes", "table", "scratch"};
    const ct_step *step = at->step;
    const ct_port *port = &step->stage->ports[p];
    const ct_array *array = &step->port[p];
    char sizes[256];
    const bool in = port->direction == CT_IN;
    print_sizes(sizes, sizeof sizes, array, in && p == 0 ? step->overlap : 0);
    ct_columns_cell(columns, PORT, "%s %s", directions[port->direction], port->name);
    ct_columns_cell(columns, SIZES, "%s", sizes);
    ct_columns_cell(columns, TYPE, "%s", ct_type_name(array->type));
    explain_layout(columns, plan, at, p);
    ct_columns_cell(columns, WHY, "%s", at->reason[p] != NULL ? at->reason[p] : "");
    if (in) return;
    char products[CT_PRODUCTS_TEXT];
    print_products(products, step, p);
    if (p > 0) ct_columns_cell(columns, NOTE, "%s", products);
    const int edge = at->edge[p];
    ct_explain_bytes_cell(columns, BYTES,
                          (double)ct_array_bytes(edge >= 0 ? &plan->edges[edge].array : array));
    if (edge >= 0) ct_columns_cell(columns, SLOT, "%d", plan->edges[edge].slot);
}

static void explain_steps(ct_text *out, const ct_plan *plan)
{
    static const char *const titles[COLUMNS] = {
        "step", "stage", "", "sizes", "type", "layout", "because", "bytes", "slot", "flops", ""};
    ct_columns columns = {.columns = COLUMNS, .right = "789"};
    ct_columns_row(&columns);
    for (int c = 0; c < COLUMNS; c++)
        ct_columns_cell(&columns, c, "%s", titles[c]);
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        bool first = true;
        for (int p = 0; p < ct_step_ports(at->step); p++) {
            if (at->step->port[p].type == CT_NONE) continue;
            ct_columns_row(&columns);
            if (first) explain_step(&columns, plan, at);
            explain_port(&columns, plan, at, p);
            first = false;
        }
    }
    ct_columns_print(out, &columns);
    ct_columns_free(&columns);
}

static void explain_tunables(ct_text *out, const ct_plan *plan)
{
    ct_columns columns = {.columns = 2};
    for (int s = 0; s < plan->count; s++) {
        const ct_step *step = plan->steps[s].step;
        char line[480] = "";
        size_t used = 0;
        for (int t = 0; t < ct_step_tunables(step) && used < sizeof line; t++) {
            char word[32];
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s=%s", t > 0 ? " " : "",
                                     step->stage->tuning.tunables[t].name,
                                     ct_step_tunable_word(step, t, word));
        }
        if (used == 0) continue;
        ct_columns_row(&columns);
        ct_columns_cell(&columns, 0, "  %s", plan->steps[s].name);
        ct_columns_cell(&columns, 1, "%s", line);
    }
    if (columns.count > 0) ct_text_add(out, "\ntunables\n");
    ct_columns_print(out, &columns);
    ct_columns_free(&columns);
}

static void explain_memory(ct_text *out, const ct_plan *plan)
{
    char bytes[32];
    ct_explain_bytes(bytes, (double)plan->device_bytes);
    ct_text_add(out, "\nmemory: %s on the device\n", bytes);
    for (int slot = 0; slot < plan->slots; slot++) {
        ct_explain_bytes(bytes, (double)plan->slot_bytes[slot]);
        ct_text_add(out, "  slot %d, %s:", slot, bytes);
        for (int e = 0; e < plan->edge_count; e++)
            if (plan->edges[e].slot == slot || plan->edges[e].next == slot) {
                ct_text_add(out, " %s%s", plan->edges[e].name,
                            plan->edges[e].next == slot ? " (in turn)" : "");
                if (plan->edges[e].places > 1)
                    ct_text_add(out, " (in %d places)", plan->edges[e].places);
            }
        ct_text_add(out, "\n");
    }
}

/* Of several ranks: whether a block travels between them while others are computed. */
static void explain_overlap(ct_text *out, const ct_plan *plan)
{
    if (ct_plan_overlaps(plan))
        ct_text_add(out,
                    "exchanges travel while other blocks are computed: steps work on up to %d "
                    "blocks at a time\n",
                    plan->lag + 1);
    else if (plan->no_overlap)
        ct_text_add(out, "exchanges do not travel while other blocks are computed: %s\n",
                    plan->no_overlap);
}

/* Of several ranks: who writes what. */
static void explain_files(ct_text *out, const ct_plan *plan)
{
    char text[CT_PARTITION_TEXT];
    const char *before = "files: ";
    if (!plan->partition) return;
    for (int root = 0; root < 2; root++) {
        const char *who = root ? "rank 0 all of" : "each rank writes its part of";
        for (int s = 0; s < plan->count; s++) {
            const ct_plan_step *at = &plan->steps[s];
            if (ct_role_of(at->step) != CT_ROLE_SINK || at->partition->root != root) continue;
            ct_text_add(out, "%s%s %s", who ? before : ",", who ? who : "", at->name);
            if (!root) ct_text_add(out, " (%s)", ct_partition_print(text, at->partition));
            who = NULL;
            before = "; ";
        }
    }
    if (*before == ';') ct_text_add(out, "\n");
}

static void explain_blocks(ct_text *out, const ct_graph *graph, int steps)
{
    ct_error name = {0}; /* as in sentences: letters only */
    (void)ct_error_add(&name, CT_OK, "%s", graph->file);
    ct_text_add(out, "%s: %d nodes, %d steps; blocks of %lld samples", name.text, graph->count,
                steps, (long long)graph->block);
    if (graph->block_s > 0.0) ct_text_add(out, " (%.6g s)", graph->block_s);
    if (graph->blocks >= 0)
        ct_text_add(out, ", %lld block%s\n\n", (long long)graph->blocks,
                    graph->blocks == 1 ? "" : "s");
    else
        ct_text_add(out, ", stream without known end\n\n");
}

static const char *stage_name(const ct_graph *graph, const char *node)
{
    return graph->nodes[ct_graph_find(graph, node)].step->stage->name;
}

static void explain_fusions(ct_text *out, const ct_graph *graph)
{
    ct_fusion fusions[64];
    size_t count;
    if (ct_fuse_list(graph, fusions, 64, &count, NULL) != CT_OK) ct_text_lacks(out, 0);
    for (size_t i = 0; i < count && i < 64; i++) {
        const ct_fusion *one = &fusions[i];
        if (i == 0) ct_text_add(out, "\nfusions that are possible (\"fuse\": true)\n");
        ct_text_add(out, "  %s \"%s\" into %s \"%s\", as %s\n", stage_name(graph, one->consumer),
                    one->consumer, stage_name(graph, one->producer), one->producer, one->stage);
    }
}

static void explain_text(ct_text *text, const ct_plan *plan)
{
    explain_blocks(text, plan->graph, plan->count);
    ct_explain_tuned(text, plan);
    explain_steps(text, plan);
    explain_tunables(text, plan);
    ct_choose_say(text, plan);
    explain_memory(text, plan);
    explain_overlap(text, plan);
    explain_files(text, plan);
    ct_explain_forecast(text, plan);
    explain_fusions(text, plan->graph);
}

static void dot_step(ct_text *out, const ct_plan *plan, int s)
{
    const ct_plan_step *at = &plan->steps[s];
    ct_text_add(out, "  s%d [label=\"%s\\n%s%s", s, at->name, at->step->stage->name,
                is_unread(plan, at) ? "\\nnothing reads it" : "");
    ct_explain_forecast_dot(out, plan, s);
    ct_text_add(out, "\"%s];\n", at->node < 0 ? ", style=dashed" : "");
    for (int p = 0; p < ct_step_ports(at->step); p++) {
        const int e = at->edge[p];
        if (e < 0 || at->step->stage->ports[p].direction != CT_IN) continue;
        char sizes[256], bytes[32];
        const ct_array *array = &plan->edges[e].array;
        print_sizes(sizes, sizeof sizes, array, plan->edges[e].before);
        ct_explain_bytes(bytes, (double)ct_array_bytes(array));
        ct_text_add(out, "  s%d -> s%d [label=\"%s %s\\n%s\\n%s\"];\n", plan->edges[e].from, s,
                    array->layout.dim, ct_type_name(array->type), sizes, bytes);
    }
}

static void explain_dot(ct_text *text, const ct_plan *plan)
{
    ct_text_add(text, "digraph cornerturn {\n  node [shape=box];\n");
    for (int s = 0; s < plan->count; s++)
        dot_step(text, plan, s);
    ct_text_add(text, "}\n");
}

ct_status ct_explain_plan(char **out, const ct_plan *plan, ct_form form, ct_error *err)
{
    CT_GIVEN_OUT(err, out, plan);
    static void (*const forms[])(ct_text *, const ct_plan *) = {[CT_FORM_TEXT] = explain_text,
                                                                [CT_FORM_JSON] = ct_explain_json,
                                                                [CT_FORM_DOT] = explain_dot};
    ct_text text = {0};
    if ((size_t)form >= sizeof forms / sizeof *forms)
        return ct_error_add(err, CT_USAGE, "ct_explain_plan: there is no form %d", (int)form);
    forms[form](&text, plan);
    return ct_text_take(out, &text, err);
}
