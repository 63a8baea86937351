/* candidate_plan.c: see candidate_plan.h.
 * Room: tuner/search. */
#include "candidate_plan.h"

#include <stdio.h>
#include <string.h>

#include "expand.h"
#include "fail.h"
#include "json_text.h"
#include "tuner.h"

typedef struct candidate {
    ct_text *out;
    const ct_space *space;
    const ct_results *results; /* NULL: default tunables */
    const int64_t *choices;
    int64_t block;            /* 0: the default's */
    const ct_question *asked; /* whose tunables count; NULL: the results' */
    ct_error *err;
} candidate;

static ct_status candidate_value(const candidate *c, const char *key, const ct_value *value)
{
    if (!value) return CT_OK;
    ct_text_add(c->out, ",");
    ct_text_add_json(c->out, key);
    ct_text_add(c->out, ":");
    return ct_expand_value(c->out, value, c->err);
}

/* ---- layouts: the choice's, and of tables and scratch the default's */

static const char *candidate_layout(const candidate *c, const ct_space_node *node, const char *port)
{
    int places[CT_PORTS];
    ct_space_places(node, c->choices[node->index], places);
    for (int a = 0; a < node->axes; a++)
        if (!strcmp(node->step->stage->ports[node->axis[a].port].name, port))
            return node->axis[a].list[places[a]].dim;
    return NULL;
}

static void candidate_layouts(const candidate *c, const ct_space_node *node,
                              const ct_value *defaults)
{
    const ct_value *layouts = ct_value_get(defaults, "layouts");
    ct_text_add(c->out, ",\"layouts\":{");
    for (size_t i = 0; i < ct_value_count(layouts); i++) {
        const char *port = ct_value_key(layouts, i);
        const char *layout = candidate_layout(c, node, port);
        if (!layout) layout = ct_value_text(ct_value_at(layouts, i), "");
        ct_text_add(c->out, "%s", i ? "," : "");
        ct_text_add_json(c->out, port);
        ct_text_add(c->out, ":\"%s\"", layout);
    }
    ct_text_add(c->out, "}");
}

/* ---- tunables */

static const char *candidate_tunables(const candidate *c, int node)
{
    if (c->asked) return c->asked->node == node ? c->asked->tunables : NULL;
    return c->results ? c->results->of_node[node].choice[c->choices[node]].tunables : NULL;
}

/* The number in the edge of the layout that a node has on an axis. */
static int candidate_number(const candidate *c, int node, int axis)
{
    int places[CT_PORTS];
    const ct_space_node *at = &c->space->node[node];
    const ct_space_axis *of = &at->axis[axis];
    ct_space_places(at, c->choices[node], places);
    return c->space->edge[of->edge].number[of->place + 1][places[axis]];
}

/* Whether this input is the first that needs this copy: it makes it, the others share it. */
static bool candidate_makes(const candidate *c, const ct_space_axis *axis, int from, int to)
{
    const ct_space_edge *edge = &c->space->edge[axis->edge];
    if (from == to) return false;
    for (int r = 0; r < axis->place; r++)
        if (candidate_number(c, edge->reader_node[r], edge->reader_axis[r]) == to) return false;
    return true;
}

static const char *candidate_copy(const candidate *c, const ct_space_axis *axis, int from, int to)
{
    const ct_question *q = c->asked;
    if (!candidate_makes(c, axis, from, to)) return NULL;
    if (q) return q->node < 0 && q->edge == axis->edge && q->to == to ? q->tunables : NULL;
    if (!c->results) return NULL;
    return c->results->transpose[axis->edge][from * c->space->edge[axis->edge].layouts + to]
        .tunables;
}

static void candidate_copies(const candidate *c, int s)
{
    const ct_space_node *node = &c->space->node[s];
    bool any = false;
    for (int a = 0; a < node->inputs; a++) {
        const ct_space_axis *axis = &node->axis[a];
        const ct_space_edge *edge = &c->space->edge[axis->edge];
        const char *tunables =
            candidate_copy(c, axis, candidate_number(c, edge->writer, edge->writer_axis),
                           candidate_number(c, s, a));
        if (!tunables) continue;
        ct_text_add(c->out, "%s\"%s\":{\"tunables\":%s}", any ? "," : ",\"transposes\":{",
                    node->step->stage->ports[axis->port].name, tunables);
        any = true;
    }
    if (any) ct_text_add(c->out, "}");
}

/* ---- the whole */

static ct_status candidate_node(const candidate *c, int s)
{
    ct_status status = CT_OK;
    const ct_space_node *node = &c->space->node[s];
    const ct_value *defaults =
        ct_value_get(ct_value_get(c->space->default_plan, "nodes"), node->name);
    const char *tunables = candidate_tunables(c, s);
    ct_text_add(c->out, "%s", s ? "," : "");
    ct_text_add_json(c->out, node->name);
    ct_text_add(c->out, ":{\"comment\":0");
    CT_TRY(candidate_value(c, "stage", ct_value_get(defaults, "stage")));
    CT_TRY(candidate_value(c, "version", ct_value_get(defaults, "version")));
    CT_TRY(candidate_value(c, "digest", ct_value_get(defaults, "digest")));
    CT_TRY(candidate_value(c, "shape", ct_value_get(defaults, "shape")));
    CT_TRY(candidate_value(c, "fuse", ct_value_get(defaults, "fuse")));
    candidate_layouts(c, node, defaults);
    candidate_copies(c, s);
    if (tunables) ct_text_add(c->out, ",\"tunables\":%s", tunables);
    ct_text_add(c->out, "}");
out:
    return status;
}

static ct_status candidate_print(const candidate *c)
{
    ct_status status = CT_OK;
    const ct_value *defaults = c->space->default_plan;
    ct_text_add(c->out, "{\"comment\":0");
    CT_TRY(candidate_value(c, "cornerturn_plan", ct_value_get(defaults, "cornerturn_plan")));
    if (c->block > 0)
        ct_text_add(c->out, ",\"block\":{\"T\":%lld}", (long long)c->block);
    else
        CT_TRY(candidate_value(c, "block", ct_value_get(defaults, "block")));
    ct_text_add(c->out, ",\"nodes\":{");
    for (int s = 0; s < c->space->nodes; s++)
        CT_TRY(candidate_node(c, s));
    ct_text_add(c->out, "}}");
    CT_TRY(ct_text_check(c->out, c->err));
out:
    return status;
}

ct_status ct_candidate_plan(ct_text *out, const ct_candidate *from, ct_error *err)
{
    const candidate c = {.out = out,
                         .space = from->tuner->space,
                         .results = from->tuned ? from->tuner->results : NULL,
                         .choices = from->choice,
                         .block = from->block,
                         .err = err};
    return candidate_print(&c);
}

/* Some choice of the node that has this layout of the edge on the axis; the default's on the others
 * where the stage's patterns allow that. -1: none. */
static int64_t candidate_find(const ct_space *space, int s, int a, int layout)
{
    const ct_space_node *node = &space->node[s];
    const ct_space_axis *axis = &node->axis[a];
    const int *number = space->edge[axis->edge].number[axis->place + 1];
    for (int64_t choice = 0; choice < node->choices; choice++) {
        int places[CT_PORTS];
        ct_space_places(node, choice, places);
        if (number[places[a]] == layout && ct_space_allows(node, choice)) return choice;
    }
    return -1;
}

static ct_status candidate_ends(const ct_space *space, const ct_question *q, int64_t *choices,
                                ct_error *err)
{
    const ct_space_edge *edge = &space->edge[q->edge];
    const int reader = edge->reader_node[q->reader];
    choices[edge->writer] = candidate_find(space, edge->writer, edge->writer_axis, q->from);
    choices[reader] = candidate_find(space, reader, edge->reader_axis[q->reader], q->to);
    if (choices[edge->writer] >= 0 && choices[reader] >= 0) return CT_OK;
    return ct_error_add(err, CT_FAILED, "no plan has a transpose from %s to %s of %s",
                        edge->list[q->from].dim, edge->list[q->to].dim,
                        space->node[edge->writer].name);
}

ct_status ct_candidate_plan_question(ct_text *out, char step[CT_SPACE_NAME], const ct_space *space,
                                     const ct_question *q, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = sizeof(int64_t) * (size_t)space->nodes;
    int64_t *choices = ct_memory_get(bytes);
    const candidate c = {.out = out, .space = space, .choices = choices, .asked = q, .err = err};
    CT_NEED(choices, bytes, err);
    if (q->node >= 0) {
        choices[q->node] = q->choice;
        snprintf(step, CT_SPACE_NAME, "%s", space->node[q->node].name);
    } else {
        char array[CT_SPACE_NAME];
        CT_TRY(candidate_ends(space, q, choices, err));
        ct_space_edge_name(array, space, q->edge);
        ct_number_print(step, CT_SPACE_NAME, "%.100s>%s", array,
                        space->edge[q->edge].list[q->to].dim);
    }
    CT_TRY(candidate_print(&c));
out:
    ct_memory_free(choices);
    return status;
}
