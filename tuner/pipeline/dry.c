/* dry.c: what a tuning would choose from, without measuring anything.
 * Room: tuner/pipeline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "device.h"
#include "fail.h"
#include "plan.h"
#include "space.h"
#include "struct_version.h"
#include "text.h"

typedef struct dry {
    ct_plan *plan;
    const ct_space *space;
    ct_text *out;
    double plans; /* product of all choices, and its relative variance */
    double variance;
    double cells;
} dry;

static ct_step *dry_step(const dry *d, const char *name)
{
    for (int s = 0; s < d->plan->count; s++)
        if (d->plan->steps[s].node >= 0 && !strcmp(d->plan->steps[s].name, name))
            return d->plan->steps[s].step;
    return NULL;
}

static void dry_number(ct_text *out, ct_count count)
{
    if (count.error > 0)
        ct_text_add(out, "about %.3g (+- %.1g)", count.number, count.error);
    else
        ct_text_add(out, "%.15g", count.number);
}

static void dry_axes(const dry *d, const ct_site *site)
{
    ct_text_add(d->out, "%-14s", site->name);
    for (int a = 0; a < site->axes; a++) {
        const ct_axis *axis = &site->axis[a];
        ct_text_add(d->out, "  %s %s", axis->out ? "writes" : "reads",
                    site->step->stage->ports[axis->port].name);
        if (axis->count == 1)
            ct_text_add(d->out, " %s", axis->list[0].dim);
        else
            ct_text_add(d->out, " in %d layouts", axis->count);
    }
    ct_text_add(d->out, "\n");
}

static void dry_site(dry *d, const ct_site *site)
{
    ct_step *step = dry_step(d, site->name);
    double allowed = 0;
    dry_axes(d, site);
    if (!site->free || !step) return;
    for (int64_t cell = 0; cell < site->cells; cell++)
        allowed += ct_space_allows(site, cell);
    const ct_count count = ct_count_tunables(step);
    ct_text_add(d->out, "%-14s  %.15g pairs of layouts; as by default ", "", allowed);
    dry_number(d->out, count);
    ct_text_add(d->out, " legal combinations of tunables\n");
    d->plans *= allowed * fmax(count.number, 1);
    d->cells += allowed;
    if (count.number > 0) d->variance += pow(count.error / count.number, 2);
}

static void dry_all(dry *d)
{
    for (int s = 0; s < d->space->sites; s++)
        dry_site(d, &d->space->site[s]);
    ct_text_add(d->out, "\n%.15g cells to measure; ", d->cells);
    if (d->variance > 0)
        ct_text_add(d->out, "about %.3g plans (+- %.0f %%)\n", d->plans, 100 * sqrt(d->variance));
    else
        ct_text_add(d->out, "%.15g plans\n", d->plans);
}

static ct_status dry_plan(dry *d, const ct_graph *graph, const ct_device *device, ct_value **usual,
                          ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    CT_TRY(ct_plan_default(&d->plan, graph, device, err));
    CT_TRY(ct_plan_print(&text, d->plan, err));
    CT_TRY(ct_value_parse(usual, text, "the default plan", err));
    for (int s = 0; s < d->plan->count; s++)
        ct_step_set_device(d->plan->steps[s].step, device);
out:
    free(text);
    return status;
}

ct_status ct_tune_describe(char **out, const ct_graph *graph, const char *device_name,
                           const ct_tune *options, ct_error *err)
{
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_tune, of);
    ct_status status = CT_OK;
    ct_device *device = NULL;
    ct_value *usual = NULL;
    ct_space *space = NULL;
    ct_text text = {0};
    ct_tune own;
    dry d = {.out = &text, .plans = 1};
    *out = NULL;
    CT_TRY(ct_struct_take(&own, &kind, options, err));
    CT_TRY(ct_device_open(&device, device_name, err));
    CT_TRY(dry_plan(&d, graph, device, &usual, err));
    CT_TRY(ct_space_new(&space, graph, usual, own.only, err));
    d.space = space;
    dry_all(&d);
    CT_TRY(ct_text_take(out, &text, err));
out:
    ct_text_free(&text);
    ct_space_free(space);
    ct_value_free(usual);
    ct_plan_free(d.plan);
    ct_device_free(device);
    return status;
}
