/* server_resolve.c: a plan in full: all decisions, its memory, its steps and their tunables.
 * Room: tuner/server. Knows plans. Does not run anything. */
#include <string.h>

#include "fail.h"
#include "server_inner.h"
#include "text.h"

/* The largest buffer. */
static int64_t resolve_largest(const ct_plan *plan)
{
    int64_t largest = 0;
    for (int slot = 0; slot < plan->slots; slot++)
        if (plan->slot_bytes[slot] > largest) largest = plan->slot_bytes[slot];
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < ct_step_ports(plan->steps[s].step); p++) {
            const ct_array *array = &plan->steps[s].step->port[p];
            const bool own = plan->steps[s].edge[p] < 0 && array->type != CT_NONE;
            const int64_t bytes = own ? (int64_t)ct_array_bytes(array) : 0;
            if (bytes > largest) largest = bytes;
        }
    return largest;
}

/* ---------------------------------------------------------------- tunables */

/* Declared values, and the present one if it is not among them. */
static int resolve_values(const ct_step *step, int tunable)
{
    const bool declared = ct_step_tunable_declared(step, tunable, step->tunable[tunable]);
    return ct_step_tunable_count(step, tunable) + !declared;
}

static int64_t resolve_value(const ct_step *step, int tunable, int n)
{
    const int count = ct_step_tunable_count(step, tunable);
    return n < count ? ct_step_tunable_value(step, tunable, n) : step->tunable[tunable];
}

static void resolve_add_tunables(ct_text *json, const ct_step *step)
{
    ct_json_open(json, "tunables", '[');
    for (int t = 0; t < ct_step_tunables(step); t++) {
        ct_json_open(json, NULL, '{');
        ct_json_add_text(json, "name", step->stage->tuning.tunables[t].name);
        ct_server_add_value(json, "value", step, t, step->tunable[t]);
        ct_json_open(json, "values", '[');
        for (int n = 0; n < resolve_values(step, t); n++)
            ct_server_add_value(json, NULL, step, t, resolve_value(step, t, n));
        ct_json_close(json, ']');
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
}

/* ---------------------------------------------------------------- the whole plan */

static ct_status resolve_step(ct_text *json, const ct_plan *plan, const ct_plan_step *at,
                              ct_error *err)
{
    ct_status status = CT_OK;
    char source[CT_DIGEST_SIZE], same[CT_DIGEST_SIZE];
    const ct_step *step = at->step;
    CT_TRY(ct_step_digest_source(source, at, err));
    CT_TRY(ct_step_digest_same(same, at, err));
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", at->name);
    if (at->node >= 0) ct_json_add_text(json, "node", plan->graph->nodes[at->node].name);
    ct_json_add_text(json, "stage", step->stage->name);
    ct_json_add_text(json, "source", source);
    ct_json_add_text(json, "same", same);
    ct_json_add_real(json, "bytes", ct_timed_step_bytes(step));
    ct_json_add_real(json, "flops", step->stage->flops ? step->stage->flops(step) : 0);
    resolve_add_tunables(json, step);
    ct_json_close(json, '}');
out:
    return status;
}

ct_status ct_server_resolve(ct_server *server, const ct_value *question, ct_text *json,
                            ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plan = NULL;
    CT_TRY(ct_server_plan(&plan, server, ct_value_get(question, "plan"), err));
    ct_server_add_plan(json, "plan", plan);
    ct_json_add_int(json, "device_bytes", plan->device_bytes);
    ct_json_add_int(json, "largest_bytes", resolve_largest(plan));
    ct_json_open(json, "steps", '[');
    for (int s = 0; s < plan->count; s++)
        if (ct_role_of(plan->steps[s].step) == CT_ROLE_KERNEL)
            CT_TRY(resolve_step(json, plan, &plan->steps[s], err));
    ct_json_close(json, ']');
out:
    ct_plan_free(plan);
    return status;
}

/* ---------------------------------------------------------------- one step's digest */

ct_status ct_server_same(ct_server *server, const ct_value *question, ct_text *json, ct_error *err)
{
    ct_status status = CT_OK;
    char same[CT_DIGEST_SIZE];
    ct_plan *plan = NULL;
    const ct_plan_step *at = NULL;
    CT_TRY(ct_server_plan(&plan, server, ct_value_get(question, "plan"), err));
    server->word = "usage";
    CT_TRY(ct_server_step(&at, plan, question, err));
    CT_TRY(ct_step_digest_same(same, at, err));
    ct_json_add_text(json, "same", same);
out:
    ct_plan_free(plan);
    return status;
}

/* ---------------------------------------------------------------- which values are legal */

/* With the other tunables as they are; a tunable that the pipeline pins has one value. */
static bool resolve_is_legal(ct_step *step, const ct_node *node, int tunable, int64_t value)
{
    const int64_t before = step->tunable[tunable];
    if (node && node->pinned[tunable]) return value == before;
    step->tunable[tunable] = value;
    const bool legal = ct_step_is_legal(step);
    step->tunable[tunable] = before;
    return legal;
}

/* The other tunables that have to change with it, where it is not legal by itself. */
static void resolve_add_with(ct_text *json, ct_step *step, const ct_node *node, int tunable,
                             int64_t value)
{
    int64_t before[CT_TUNABLES];
    if (node && node->pinned[tunable]) return;
    memcpy(before, step->tunable, sizeof before);
    step->tunable[tunable] = value;
    if (ct_step_mend_around(step, tunable, node ? node->pinned : NULL)) {
        ct_json_open(json, "with", '{');
        for (int t = 0; t < ct_step_tunables(step); t++)
            if (t != tunable && step->tunable[t] != before[t])
                ct_server_add_value(json, step->stage->tuning.tunables[t].name, step, t,
                                    step->tunable[t]);
        ct_json_close(json, '}');
    }
    memcpy(step->tunable, before, sizeof before);
}

static void resolve_add_legal(ct_text *json, ct_step *step, const ct_node *node, int t)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", step->stage->tuning.tunables[t].name);
    ct_server_add_value(json, "value", step, t, step->tunable[t]);
    ct_json_open(json, "values", '[');
    for (int n = 0; n < resolve_values(step, t); n++) {
        const int64_t value = resolve_value(step, t, n);
        ct_json_open(json, NULL, '{');
        ct_server_add_value(json, "value", step, t, value);
        const bool legal = resolve_is_legal(step, node, t, value);
        ct_json_add_bool(json, "legal", legal);
        if (!legal) resolve_add_with(json, step, node, t, value);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
    ct_json_close(json, '}');
}

ct_status ct_server_tunables(ct_server *server, const ct_value *question, ct_text *json,
                             ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plan = NULL;
    ct_step *step = NULL;
    const ct_plan_step *at = NULL;
    CT_TRY(ct_server_plan(&plan, server, ct_value_get(question, "plan"), err));
    server->word = "usage";
    CT_TRY(ct_server_step(&at, plan, question, err));
    CT_TRY(ct_step_copy(&step, at->step, err));
    ct_step_set_device(step, server->device);
    ct_json_open(json, "tunables", '[');
    for (int t = 0; t < ct_step_tunables(step); t++)
        resolve_add_legal(json, step, at->node >= 0 ? &plan->graph->nodes[at->node] : NULL, t);
    ct_json_close(json, ']');
out:
    ct_step_free(step);
    ct_plan_free(plan);
    return status;
}
