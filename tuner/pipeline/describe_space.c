/* describe_space.c: what a tuning would choose from, without measuring anything.
 * Room: tuner/pipeline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "count_tunables.h"
#include "device.h"
#include "fail.h"
#include "plan.h"
#include "search_space.h"
#include "struct_version.h"
#include "text.h"

typedef struct describe {
    ct_plan *plan;
    const ct_space *space;
    ct_text *out;
    double plans; /* product of all choices, and its relative variance */
    double variance;
    double choices;
} describe;

static ct_step *describe_step(const describe *d, const char *name)
{
    for (int s = 0; s < d->plan->count; s++)
        if (d->plan->steps[s].node >= 0 && !strcmp(d->plan->steps[s].name, name))
            return d->plan->steps[s].step;
    return NULL;
}

static void describe_number(ct_text *out, ct_tunables_count count)
{
    if (count.error > 0)
        ct_text_add(out, "about %.3g (+- %.1g)", count.number, count.error);
    else
        ct_text_add(out, "%.15g", count.number);
}

static void describe_axes(const describe *d, const ct_space_node *node)
{
    ct_text_add(d->out, "%-14s", node->name);
    for (int a = 0; a < node->axes; a++) {
        const ct_space_axis *axis = &node->axis[a];
        ct_text_add(d->out, "  %s %s", axis->out ? "writes" : "reads",
                    node->step->stage->ports[axis->port].name);
        if (axis->count == 1)
            ct_text_add(d->out, " %s", axis->list[0].dim);
        else
            ct_text_add(d->out, " in %d layouts", axis->count);
    }
    ct_text_add(d->out, "\n");
}

static void describe_node(describe *d, const ct_space_node *node)
{
    ct_step *step = describe_step(d, node->name);
    double allowed = 0;
    describe_axes(d, node);
    if (!node->free || !step) return;
    for (int64_t choice = 0; choice < node->choices; choice++)
        allowed += ct_space_allows(node, choice);
    const ct_tunables_count count = ct_count_tunables(step);
    ct_text_add(d->out, "%-14s  %.15g pairs of layouts; as by default ", "", allowed);
    describe_number(d->out, count);
    ct_text_add(d->out, " legal combinations of tunables\n");
    d->plans *= allowed * fmax(count.number, 1);
    d->choices += allowed;
    if (count.number > 0) d->variance += pow(count.error / count.number, 2);
}

static void describe_all(describe *d)
{
    for (int s = 0; s < d->space->nodes; s++)
        describe_node(d, &d->space->node[s]);
    ct_text_add(d->out, "\n%.15g cells to measure; ", d->choices);
    if (d->variance > 0)
        ct_text_add(d->out, "about %.3g plans (+- %.0f %%)\n", d->plans, 100 * sqrt(d->variance));
    else
        ct_text_add(d->out, "%.15g plans\n", d->plans);
}

static ct_status describe_plan(describe *d, const ct_graph *graph, const ct_device *device,
                               ct_value **defaults, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    CT_TRY(ct_choose_plan(&d->plan, graph, device, ct_choose_has_prices(device), err));
    CT_TRY(ct_plan_print(&text, d->plan, err));
    CT_TRY(ct_value_parse(defaults, text, "the default plan", err));
    for (int s = 0; s < d->plan->count; s++)
        ct_step_set_device(d->plan->steps[s].step, device);
out:
    free(text);
    return status;
}

ct_status ct_tune_describe(char **out, const ct_graph *graph, const char *device_name,
                           const ct_tune *options, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph);
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_tune, of);
    ct_status status = CT_OK;
    ct_device *device = NULL;
    ct_value *defaults = NULL;
    ct_space *space = NULL;
    ct_text text = {0};
    ct_tune own;
    describe d = {.out = &text, .plans = 1};
    *out = NULL;
    CT_TRY(ct_struct_take(&own, &kind, options, err));
    CT_TRY(ct_device_open(&device, device_name, err));
    CT_TRY(describe_plan(&d, graph, device, &defaults, err));
    CT_TRY(ct_space_new(&space, graph, NULL, defaults, own.only, err));
    d.space = space;
    describe_all(&d);
    CT_TRY(ct_text_take(out, &text, err));
out:
    ct_text_free(&text);
    ct_space_free(space);
    ct_value_free(defaults);
    ct_plan_free(d.plan);
    ct_device_free(device);
    return status;
}
