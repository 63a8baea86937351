/* plan_adapt.c: see plan_adapt.h.
 * Room: tuner/store. */
#include "plan_adapt.h"

#include <stdio.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "fail.h"
#include "json_text.h"

/* What the plan's node is called here; NULL: it is not here, or nobody knows it. */
static const char *adapt_name(const ct_plan_adapt *adapt, const char *name)
{
    for (int n = 0; n < adapt->key->count; n++)
        if (strcmp(adapt->key->node[n].name, name) == 0)
            return adapt->other[n] < 0 ? NULL : adapt->here->node[adapt->other[n]].name;
    return NULL;
}

/* A sink that is not here; what nobody knows is left for the reader of the plan to refuse. */
static bool adapt_is_gone(const ct_plan_adapt *adapt, const char *name)
{
    for (int n = 0; n < adapt->key->count; n++)
        if (strcmp(adapt->key->node[n].name, name) == 0) return adapt->other[n] < 0;
    return false;
}

static const ct_plan_step *adapt_usual(const ct_plan_adapt *adapt, const char *name)
{
    for (int s = 0; s < adapt->usual->count; s++) {
        const ct_plan_step *at = &adapt->usual->steps[s];
        if (at->node >= 0 && strcmp(adapt->usual->graph->nodes[at->node].name, name) == 0)
            return at;
    }
    return NULL;
}

static void adapt_fuse(ct_text *out, const ct_value *names, const ct_plan_adapt *adapt)
{
    ct_json_open(out, "fuse", '[');
    for (size_t i = 0; i < ct_value_count(names); i++) {
        const char *was = ct_value_text(ct_value_at(names, i), ""), *is = adapt_name(adapt, was);
        ct_json_add_text(out, NULL, is ? is : was);
    }
    ct_json_close(out, ']');
}

/* "beams.X" with the name that the node has here; of a sink that is gone: a transpose of its own.
 */
static void adapt_shared(ct_text *out, const char *port, const char *shared,
                         const ct_plan_adapt *adapt)
{
    char name[CT_GRAPH_NAME + 1] = "", renamed[2 * CT_GRAPH_NAME];
    const char *dot = strrchr(shared, '.');
    if (dot && dot - shared < (long)sizeof name) memcpy(name, shared, (size_t)(dot - shared));
    const char *is = adapt_name(adapt, name);
    snprintf(renamed, sizeof renamed, "%s%s", is ? is : name, dot ? dot : "");
    ct_json_open(out, port, '{');
    if (!adapt_is_gone(adapt, name)) ct_json_add_text(out, "shared", renamed);
    ct_json_close(out, '}');
}

static void adapt_transposes(ct_text *out, const ct_value *ports, const ct_plan_adapt *adapt)
{
    ct_json_open(out, "transposes", '{');
    for (size_t i = 0; i < ct_value_count(ports); i++) {
        const ct_value *value = ct_value_at(ports, i);
        const char *shared = ct_value_text(ct_value_get(value, "shared"), NULL);
        if (shared)
            adapt_shared(out, ct_value_key(ports, i), shared, adapt);
        else
            ct_json_add_value(out, ct_value_key(ports, i), value);
    }
    ct_json_close(out, '}');
}

static bool adapt_is(const char *key, const char *const *list)
{
    while (*list && strcmp(*list, key) != 0)
        list++;
    return *list != NULL;
}

/* All members but those in `without`. */
static void adapt_members(ct_text *out, const ct_value *node, const char *const *without,
                          const ct_plan_adapt *adapt)
{
    for (size_t i = 0; i < ct_value_count(node); i++) {
        const char *key = ct_value_key(node, i);
        const ct_value *value = ct_value_at(node, i);
        if (adapt_is(key, without)) continue;
        if (strcmp(key, "fuse") == 0 && ct_value_kind(value) == CT_LIST)
            adapt_fuse(out, value, adapt);
        else if (strcmp(key, "transposes") == 0 && ct_value_kind(value) == CT_OBJECT)
            adapt_transposes(out, value, adapt);
        else
            ct_json_add_value(out, key, value);
    }
}

/* A plan changes no file: where the order is another one by default, that is taken. */
static bool adapt_keeps_order(const ct_value *node, const ct_plan_step *usual)
{
    const char *planned = ct_value_text(ct_value_get(ct_value_get(node, "layouts"), "X"), NULL);
    return !planned || strcmp(planned, usual->step->port[0].layout.dim) == 0;
}

static void adapt_end(ct_text *out, const ct_value *node, const ct_plan_step *usual,
                      const ct_plan_adapt *adapt)
{
    static const char *const source[] = {"stage", "version", "digest", NULL};
    static const char *const sink[] = {"layouts", "transposes", NULL};
    static const char *const none[] = {NULL};
    if (ct_role_of(usual->step) == CT_ROLE_SOURCE) {
        ct_json_add_text(out, "stage", usual->step->stage->name);
        ct_json_add_int(out, "version", usual->step->stage->version);
        if (usual->step->stage->digest) ct_json_add_text(out, "digest", usual->step->stage->digest);
        adapt_members(out, node, source, adapt);
    } else if (ct_role_of(usual->step) == CT_ROLE_SINK && !adapt_keeps_order(node, usual)) {
        adapt_members(out, node, sink, adapt);
        ct_json_open(out, "layouts", '{');
        ct_json_add_text(out, "X", usual->step->port[0].layout.dim);
        ct_json_close(out, '}');
    } else {
        adapt_members(out, node, none, adapt);
    }
}

static void adapt_nodes(ct_text *out, const ct_value *nodes, const ct_plan_adapt *adapt)
{
    static const char *const none[] = {NULL};
    ct_json_open(out, "nodes", '{');
    for (size_t i = 0; i < ct_value_count(nodes); i++) {
        const char *was = ct_value_key(nodes, i), *is = adapt_name(adapt, was);
        const ct_value *node = ct_value_at(nodes, i);
        if (adapt_is_gone(adapt, was)) continue;
        const ct_plan_step *usual = is ? adapt_usual(adapt, is) : NULL;
        ct_json_open(out, is ? is : was, '{');
        if (usual)
            adapt_end(out, node, usual, adapt);
        else
            adapt_members(out, node, none, adapt);
        ct_json_close(out, '}');
    }
    ct_json_close(out, '}');
}

ct_status ct_plan_adapt_text(ct_text *out, const ct_value *plan, const ct_plan_adapt *adapt,
                             ct_error *err)
{
    const bool object = ct_value_kind(plan) == CT_OBJECT;
    ct_json_open(out, NULL, '{');
    for (size_t i = 0; object && i < ct_value_count(plan); i++) {
        const char *key = ct_value_key(plan, i);
        const ct_value *value = ct_value_at(plan, i);
        if (strcmp(key, "nodes") == 0 && ct_value_kind(value) == CT_OBJECT)
            adapt_nodes(out, value, adapt);
        else
            ct_json_add_value(out, key, value);
    }
    ct_json_close(out, '}');
    return ct_text_check(out, err);
}
