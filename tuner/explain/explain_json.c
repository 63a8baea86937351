/* explain_json.c: a plan as a program reads it: what explain_plan.c prints, with all numbers whole.
 * Room: tuner/explain. Knows plans, steps and edges. */
#include "explain_inner.h"

#include "fuse.h"
#include "json_text.h"

static void add_reals(ct_text *json, const char *key, const double *values, int64_t count)
{
    if (!values) return;
    ct_json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++)
        ct_json_add_real(json, NULL, values[i]);
    ct_json_close(json, ']');
}

static void add_downsample(ct_text *json, const ct_meta *meta)
{
    if (!meta->downsample) return;
    ct_json_open(json, "downsample", '[');
    for (int64_t i = 0; i < meta->dms; i++)
        ct_json_add_int(json, NULL, meta->downsample[i]);
    ct_json_close(json, ']');
}

static void add_products(ct_text *json, const ct_products *products)
{
    if (!products) return;
    if (products->count > 0) ct_json_open(json, "products", '[');
    for (int64_t q = 0; q < products->count; q++)
        ct_json_add_text(json, NULL, products->of[q]->name);
    if (products->count > 0) ct_json_close(json, ']');
    if (products->feed != CT_FEED_UNKNOWN)
        ct_json_add_text(json, "feed", ct_product_feed(products->feed));
}

static void add_known(ct_text *json, const char *key, double value)
{
    if (value != 0) ct_json_add_real(json, key, value);
}

/* What is unknown is left out. */
static void add_meta(ct_text *json, const ct_meta *meta)
{
    ct_json_open(json, "meta", '{');
    add_known(json, "sample_time_s", meta->sample_time_s);
    ct_json_add_real(json, "start_s", meta->start_s);
    add_known(json, "start_mjd", meta->start_mjd);
    if (meta->total >= 0) ct_json_add_int(json, "total", meta->total);
    add_known(json, "channel_width_hz", meta->channel_width_hz);
    add_reals(json, "frequency_hz", meta->frequency_hz, meta->frequencies);
    add_reals(json, "dm", meta->dm, meta->dms);
    add_downsample(json, meta);
    if (meta->subbands > 0) {
        ct_json_add_int(json, "subbands", meta->subbands);
        ct_json_add_int(json, "smear", meta->smear);
    }
    add_products(json, meta->products);
    if (meta->source_name) ct_json_add_text(json, "source_name", meta->source_name);
    if (meta->telescope) ct_json_add_text(json, "telescope", meta->telescope);
    add_known(json, "src_raj", meta->src_raj);
    add_known(json, "src_dej", meta->src_dej);
    ct_json_close(json, '}');
}

static void add_numbers(ct_text *json, const char *key, const ct_array *array,
                        const int64_t values[CT_DIMS])
{
    ct_json_open(json, key, '{');
    for (int i = 0; i < array->rank; i++)
        ct_json_add_int(json, (char[]){array->dim[i], 0}, values[i]);
    ct_json_close(json, '}');
}

/* Members of an array; with strides once it has a layout. */
static void add_array(ct_text *json, const ct_array *array)
{
    ct_json_add_text(json, "type", ct_type_name(array->type));
    ct_json_add_text(json, "dims", array->dim);
    add_numbers(json, "extents", array, array->extent);
    if (array->layout.rank) {
        ct_json_add_text(json, "layout", array->layout.dim);
        add_numbers(json, "strides", array, array->stride);
        ct_json_add_int(json, "offset", array->offset);
        ct_json_add_int(json, "bytes", (int64_t)ct_array_bytes(array));
    }
    add_meta(json, &array->meta);
}

static void add_port(ct_text *json, const ct_plan *plan, const ct_plan_step *at, int p)
{
    static const char *const directions[] = {"in", "out", "table", "scratch"};
    const ct_port *port = &at->step->stage->ports[p];
    const int edge = at->edge[p];
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "port", port->name);
    ct_json_add_text(json, "direction", directions[port->direction]);
    if (edge >= 0) ct_json_add_text(json, "array", plan->edges[edge].name);
    if (at->reason[p]) ct_json_add_text(json, "because", at->reason[p]);
    add_array(json, &at->step->port[p]);
    ct_json_close(json, '}');
}

static void add_tunables(ct_text *json, const ct_step *step)
{
    char word[32];
    ct_json_open(json, "tunables", '{');
    for (int t = 0; t < ct_step_tunables(step); t++)
        ct_json_add_text(json, step->stage->tuning.tunables[t].name,
                         ct_step_tunable_word(step, t, word));
    ct_json_close(json, '}');
}

static void add_step(ct_text *json, const ct_plan *plan, int s)
{
    const ct_plan_step *at = &plan->steps[s];
    const ct_stage *stage = at->step->stage;
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", at->name);
    ct_json_add_text(json, "stage", stage->name);
    ct_json_add_int(json, "version", stage->version);
    ct_json_add_bool(json, "inserted", at->node < 0);
    ct_json_add_real(json, "period", ct_plan_period(plan, at));
    ct_json_add_int(json, "decimate", at->step->decimate);
    ct_json_add_int(json, "overlap", at->step->overlap);
    ct_json_add_int(json, "gather", at->step->accumulate);
    ct_json_add_real(json, "flops", stage->flops ? stage->flops(at->step) : 0);
    ct_explain_forecast_step(json, plan, s);
    add_tunables(json, at->step);
    const char *note = stage->tuning.note ? stage->tuning.note(at->step) : NULL;
    if (note) ct_json_add_text(json, "note", note);
    if (at->zeroed >= 0) ct_json_add_text(json, "copy", plan->edges[at->zeroed].name);
    ct_json_open(json, "ports", '[');
    for (int p = 0; p < ct_step_ports(at->step); p++)
        if (at->step->port[p].type != CT_NONE) add_port(json, plan, at, p);
    ct_json_close(json, ']');
    ct_json_close(json, '}');
}

static void add_edge(ct_text *json, const ct_edge *edge)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", edge->name);
    ct_json_add_int(json, "history", edge->before);
    ct_json_add_int(json, "slot", edge->slot);
    if (edge->next >= 0) ct_json_add_int(json, "next_slot", edge->next);
    if (edge->places > 1) ct_json_add_int(json, "places", edge->places);
    add_array(json, &edge->array);
    ct_json_close(json, '}');
}

static void add_memory(ct_text *json, const ct_plan *plan)
{
    if (plan->lag > 0 || plan->no_overlap) ct_json_add_int(json, "levels", plan->lag);
    if (plan->no_overlap) ct_json_add_text(json, "in_step", plan->no_overlap);
    ct_json_open(json, "memory", '{');
    ct_json_add_int(json, "bytes", plan->device_bytes);
    ct_json_open(json, "slots", '[');
    for (int slot = 0; slot < plan->slots; slot++)
        ct_json_add_int(json, NULL, plan->slot_bytes[slot]);
    ct_json_close(json, ']');
    ct_json_close(json, '}');
}

static void add_fusions(ct_text *json, const ct_graph *graph)
{
    enum { MOST = 64 };
    ct_fusion fusions[MOST];
    size_t count;
    if (ct_fuse_list(graph, fusions, MOST, &count, NULL) != CT_OK) ct_text_lacks(json, 0);
    ct_json_open(json, "fusions", '[');
    for (size_t i = 0; i < count && i < MOST; i++) {
        ct_json_open(json, NULL, '{');
        ct_json_add_text(json, "producer", fusions[i].producer);
        ct_json_add_text(json, "consumer", fusions[i].consumer);
        ct_json_add_text(json, "stage", fusions[i].stage);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
}

static void add_graph(ct_text *json, const ct_graph *graph)
{
    ct_json_add_text(json, "pipeline", graph->file);
    ct_json_open(json, "block", '{');
    ct_json_add_int(json, "T", graph->block);
    ct_json_close(json, '}');
    add_known(json, "block_s", graph->block_s);
    if (graph->blocks >= 0) ct_json_add_int(json, "blocks", graph->blocks);
}

void ct_explain_json(ct_text *json, const ct_plan *plan)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_int(json, "cornerturn_explain", 1);
    add_graph(json, plan->graph);
    ct_json_add_bool(json, "gpu", plan->gpu);
    ct_explain_tuned_json(json, plan);
    ct_explain_forecast_json(json, plan);
    ct_json_open(json, "steps", '[');
    for (int s = 0; s < plan->count; s++)
        add_step(json, plan, s);
    ct_json_close(json, ']');
    ct_json_open(json, "arrays", '[');
    for (int e = 0; e < plan->edge_count; e++)
        add_edge(json, &plan->edges[e]);
    ct_json_close(json, ']');
    add_memory(json, plan);
    add_fusions(json, plan->graph);
    ct_error_list_add(json, "warnings", ct_graph_warnings(plan->graph));
    ct_json_close(json, '}');
    ct_text_add(json, "\n");
}
