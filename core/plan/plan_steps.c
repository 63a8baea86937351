/* plan_steps.c: once all arrays are known: their strides, what each step sees of them, the layouts
 * of tables and scratch, and tunables. Room: core/plan. Knows steps, edges and what was decided.
 * Does not know what is fast. */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "device.h"
#include "fail.h"
#include "layout.h"
#include "plan_builder.h"
#include "row_stride.h"
#include "text.h"

/* ---- where a decision stands: the node whose choice it is, and the key in its object */

static int node_of(const ct_plan_step *step)
{
    return step->node >= 0 ? step->node : step->reader.node;
}

/* "tunables/WG"; of the transpose before port X: "transposes/X/tunables/WG". */
static void key_of(char out[128], const ct_plan_builder *b, const ct_plan_step *step,
                   const char *key, const char *name)
{
    char copy[64] = "";
    if (step->node < 0) {
        const ct_stage *reader = b->graph->nodes[step->reader.node].step->stage;
        snprintf(copy, sizeof copy, "transposes/%s/", reader->ports[step->reader.port].name);
    }
    snprintf(out, 128, "%s%s%s%s", copy, key, name ? "/" : "", name ? name : "");
}

static const ct_tuning *tuning_of(const ct_plan_builder *b, const ct_plan_step *step)
{
    return step->node >= 0 ? &b->choices[step->node].tuning
                           : &b->choices[step->reader.node].copy[step->reader.port].tuning;
}

/* ---- arrays */

static ct_status check_rows(const ct_plan_builder *b, const ct_plan_step *step, int port,
                            const ct_array *array, int64_t rows)
{
    char key[128];
    int64_t least, most;
    if (rows == CT_ROWS_PADDED || rows == CT_ROWS_DENSE) return CT_OK;
    ct_rows_range(array, &least, &most);
    if (rows >= least && rows <= most) return CT_OK;
    if (step->node >= 0)
        key_of(key, b, step, "row_strides", step->step->stage->ports[port].name);
    else
        key_of(key, b, step, "row_stride", NULL);
    if (most < least)
        return ct_plan_fail(b, node_of(step), key,
                            "found %lld, but the array has one row only, of %lld elements",
                            (long long)rows, (long long)least);
    return ct_plan_fail(b, node_of(step), key,
                        "found %lld elements, expected %lld (a row along %c) to %lld, \"padded\" "
                        "or \"dense\"",
                        (long long)rows, (long long)least,
                        array->layout.dim[array->layout.rank - 1], (long long)most);
}

/* The edge's strides, history included. */
static ct_status shape_edge(const ct_plan_builder *b, ct_edge *edge)
{
    int t = ct_array_find(&edge->array, 'T');
    if (t >= 0) edge->array.extent[t] += edge->before + edge->after;
    ct_plan_regroup_rows(b->plan, edge);
    ct_status status =
        check_rows(b, &b->plan->steps[edge->from], edge->port, &edge->array, edge->rows);
    if (status == CT_OK) ct_rows_set(&edge->array, edge->rows);
    return status;
}

/* A step's port is a view of its edge: the same strides, an offset along T. */
static void view_edge(ct_plan_step *step, int p, const ct_edge *edge)
{
    ct_array *array = &step->step->port[p];
    const ct_meta meta = array->meta;
    bool input = step->step->stage->ports[p].direction == CT_IN;
    int64_t overlap = input && ct_step_has_history(step->step, p) ? step->step->overlap : 0;
    int t = ct_array_find(&edge->array, 'T');
    *array = edge->array;
    array->meta = meta;
    if (t < 0) return;
    array->offset = (edge->before - overlap) * edge->array.stride[t];
    array->extent[t] = edge->array.extent[t] - edge->before - edge->after + overlap;
}

/* A layout that the port's pattern forbids is reported where it stands: in the plan, or pinned. */
static ct_status check_pattern(const ct_plan_builder *b, const ct_plan_step *step, int p,
                               const ct_layout *layout)
{
    char own[CT_STEP_PATTERN], key[128];
    const ct_port *port = &step->step->stage->ports[p];
    const char *pattern = port->layout, *reason = step->reason[p];
    if (!pattern) return CT_OK;
    if (*pattern == '=') {
        int other = ct_step_find_port(step->step, pattern + 1);
        if (ct_layout_equal(layout, &step->step->port[other].layout)) return CT_OK;
    } else if (ct_layout_matches(layout, ct_step_pattern(step->step, p, own))) {
        return CT_OK;
    }
    if (!b->from || (reason && strcmp(reason, "pinned") == 0))
        return ct_step_fail(step->step, "layout", b->err,
                            "stage %s cannot use layout %s for its port %s, only %s",
                            step->step->stage->name, layout->dim, port->name, pattern);
    key_of(key, b, step, "layouts", port->name);
    return ct_plan_fail(b, node_of(step), key,
                        "stage %s cannot use layout %s for its port %s, only %s",
                        step->step->stage->name, layout->dim, port->name, pattern);
}

/* Tables, scratch and flags are the step's own. */
static ct_status lay_side(const ct_plan_builder *b, ct_plan_step *step, int p)
{
    ct_array *array = &step->step->port[p];
    const ct_port *port = &step->step->stage->ports[p];
    if (ct_port_takes_flags(port)) /* as long as port 0, history too */
        array->extent[ct_array_find(array, 'T')] += step->step->overlap;
    const ct_layout *wanted = step->node >= 0 ? &b->choices[step->node].layout[p] : NULL;
    const ct_layout liked =
        ct_port_takes_flags(port) ? ct_step_prefer(step->step, p) : (ct_layout){0};
    const ct_layout usual = liked.rank ? liked : ct_layout_natural(array);
    const ct_layout layout = wanted && wanted->rank ? *wanted : usual;
    ct_status status = CT_OK;
    CT_TRY(check_pattern(b, step, p, &layout));
    CT_TRY(ct_step_set_layout(step->step, p, &layout, b->err));
    if (port->direction != CT_SCRATCH) return CT_OK;
    CT_TRY(check_rows(b, step, p, array, step->rows[p]));
    ct_rows_set(array, step->rows[p]);
out:
    return status;
}

static ct_status lay_port(const ct_plan_builder *b, ct_plan_step *step, int p)
{
    if (step->step->port[p].type == CT_NONE) return CT_OK;
    if (step->edge[p] < 0) return lay_side(b, step, p);
    view_edge(step, p, &b->plan->edges[step->edge[p]]);
    return check_pattern(b, step, p, &step->step->port[p].layout);
}

/* ---- tunables */

/* Says it where the value stands: in the pipeline that pins it, or in the plan. */
static ct_status fail_tunables(const ct_plan_builder *b, const ct_plan_step *at, const char *name,
                               bool pinned, const char *sentence)
{
    char key[128];
    if (pinned) {
        snprintf(key, sizeof key, "tunables%s%s", name ? "/" : "", name ? name : "");
        return ct_step_fail(at->step, key, b->err, "%s", sentence);
    }
    key_of(key, b, at, "tunables", name);
    return ct_plan_fail(b, node_of(at), key, "%s", sentence);
}

/* Declared values, and those that the stage itself suggests here: no others have been tried. */
static ct_status take_tunable(const ct_plan_builder *b, const ct_plan_step *at, int t,
                              int64_t wanted, bool pinned)
{
    char sentence[512];
    ct_step *step = at->step;
    const int64_t usual = step->tunable[t];
    const ct_tunable *declared = &step->stage->tuning.tunables[t];
    step->tunable[t] = wanted;
    if (wanted == usual || ct_step_tunable_declared(step, t, wanted)) return CT_OK;
    snprintf(sentence, sizeof sentence, "expected one of %s, or %lld as by default, found %lld",
             declared->values, (long long)usual, (long long)wanted);
    return fail_tunables(b, at, declared->name, pinned, sentence);
}

/* *given: some are; *pinned: by the pipeline only. */
static ct_status take_tunables(const ct_plan_builder *b, const ct_plan_step *at, bool of_plan,
                               bool *given, bool *pinned)
{
    ct_status status = CT_OK;
    const ct_tuning none = {{0}, {0}}, *tuning = of_plan ? tuning_of(b, at) : &none;
    const ct_node *node = at->node >= 0 ? &b->graph->nodes[at->node] : NULL;
    *given = false;
    *pinned = true;
    for (int t = 0; t < ct_step_tunables(at->step); t++) {
        const bool pin = node && node->pinned[t];
        if (!pin && !tuning->given[t]) continue;
        *given = true;
        *pinned = *pinned && !tuning->given[t];
        CT_TRY(take_tunable(b, at, t, pin ? node->tunable[t] : tuning->value[t], pin));
    }
out:
    return status;
}

/* Where nothing is given, the defaults and all that is near them are illegal here. */
static ct_status check_tunables(const ct_plan_builder *b, const ct_plan_step *at, bool given,
                                bool pinned)
{
    if (ct_step_is_legal(at->step)) return CT_OK;
    ct_text why = {0};
    if (given)
        ct_text_add(&why, "the %s tunables are not legal together", pinned ? "pinned" : "plan's");
    else
        ct_text_add(&why, "no tunables of stage %s are legal here", at->step->stage->name);
    ct_step_say_illegal(at->step, &why);
    ct_status status = fail_tunables(b, at, NULL, pinned, why.data);
    ct_text_free(&why);
    return status;
}

static ct_status give_tunables(const ct_plan_builder *b, const ct_plan_step *at, bool of_plan)
{
    bool given, pinned;
    ct_step_default_tunables(at->step);
    const ct_status status = take_tunables(b, at, of_plan, &given, &pinned);
    return status == CT_OK ? check_tunables(b, at, given, pinned) : status;
}

/* A plan is written for the first rank, or for one process. Where this rank has a longer or a
 * shorter part and what is good there cannot be here, it takes the defaults. */
static bool is_for_others(const ct_plan_builder *b, const ct_plan_step *at)
{
    const int node = at->node >= 0 ? at->node : at->reader.node;
    if (!b->partition) return false;
    return ct_ranks_rank(b->graph->ranks) > 0 || (node >= 0 && b->choices[node].of_one);
}

static ct_status tune_step(const ct_plan_builder *b, ct_plan_step *at)
{
    ct_error why = {0};
    ct_plan_builder quiet = *b;
    quiet.err = &why;
    ct_step_set_device(at->step, b->device);
    int *misfits = b->choices[node_of(at)].misfits;
    const bool other = misfits || is_for_others(b, at);
    ct_status status = give_tunables(other ? &quiet : b, at, true);
    if (status != CT_OK && other) {
        if (misfits) ++*misfits;
        status = give_tunables(b, at, false);
    }
    ct_step_set_device(at->step, NULL); /* a plan keeps no device */
    at->step->gpu = b->plan->gpu;
    ct_step_settle(at->step);
    if (status == CT_OK) status = ct_step_complaint(at->step, b->err);
    if (status == CT_OK)
        status = ct_step_check_values(
            at->step, ct_context_description(b->graph->context, at->step->stage), b->err);
    return status;
}

static ct_status finish_step(const ct_plan_builder *b, ct_plan_step *step)
{
    ct_status status = CT_OK;
    for (int p = 0; p < ct_step_ports(step->step); p++)
        CT_TRY(lay_port(b, step, p));
    CT_TRY(tune_step(b, step));
out:
    return status;
}

ct_status ct_plan_finish_steps(ct_plan_builder *b)
{
    ct_status status = CT_OK;
    for (int e = 0; e < b->plan->edge_count; e++)
        CT_TRY(shape_edge(b, &b->plan->edges[e]));
    for (int s = 0; s < b->plan->count; s++)
        CT_TRY(finish_step(b, &b->plan->steps[s]));
out:
    return status;
}
