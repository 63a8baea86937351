/* prior.c: see prior.h.
 * Room: tuner/search. */
#include "prior.h"

#include <math.h>

#include "fail.h"

/* Of fewer results nothing is made. */
enum { PRIOR_LEAST = 4 };

typedef struct prior_table {
    ct_predict *predict;
    int64_t entries;
    int count;
    double squares; /* of the deviations, summed */
} prior_table;

struct ct_prior {
    const ct_space *space;
    prior_table *node, *edge;
    ct_arena *arena;
};

static ct_status prior_node(ct_prior *prior, int s, ct_error *err)
{
    ct_predict_axis axis[CT_PORTS];
    const ct_space_node *node = &prior->space->node[s];
    for (int a = 0; a < node->axes; a++)
        axis[a] = (ct_predict_axis){node->axis[a].count, node->axis[a].list};
    prior->node[s].entries = node->choices;
    return ct_predict_new(&prior->node[s].predict, axis, node->axes, err);
}

static ct_status prior_edge(ct_prior *prior, int i, ct_error *err)
{
    const ct_space_edge *edge = &prior->space->edge[i];
    const ct_predict_axis axis[2] = {{edge->layouts, edge->list}, {edge->layouts, edge->list}};
    prior->edge[i].entries = (int64_t)edge->layouts * edge->layouts;
    return ct_predict_new(&prior->edge[i].predict, axis, 2, err);
}

ct_status ct_prior_new(ct_prior **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_prior *prior = ct_arena_begin(&arena, sizeof *prior);
    *out = NULL;
    CT_NEED(prior, sizeof *prior, err);
    *prior = (ct_prior){.space = space, .arena = arena};
    prior->node = ct_arena_get(arena, sizeof *prior->node * (size_t)space->nodes);
    prior->edge = ct_arena_get(arena, sizeof *prior->edge * (size_t)(space->edges + 1));
    CT_TRY(ct_arena_check(arena, err));
    for (int s = 0; s < space->nodes; s++)
        CT_TRY(prior_node(prior, s, err));
    for (int i = 0; i < space->edges; i++)
        CT_TRY(prior_edge(prior, i, err));
    *out = prior;
    prior = NULL;
out:
    ct_prior_free(prior);
    return status;
}

void ct_prior_free(ct_prior *prior)
{
    if (!prior) return;
    for (int s = 0; prior->node && s < prior->space->nodes; s++)
        ct_predict_free(prior->node[s].predict);
    for (int i = 0; prior->edge && i < prior->space->edges; i++)
        ct_predict_free(prior->edge[i].predict);
    ct_arena_free(prior->arena);
}

void ct_prior_add(ct_prior *prior, const ct_question *q, double ratio, double deviation)
{
    const bool node = q->node >= 0;
    prior_table *table = node ? &prior->node[q->node] : &prior->edge[q->edge];
    if (!isfinite(ratio) || ratio <= 0) return;
    const int64_t entry =
        node ? q->choice : (int64_t)q->from * prior->space->edge[q->edge].layouts + q->to;
    ct_predict_learn(table->predict, entry, log(node ? ratio : ratio / CT_RESULTS_TRANSPOSE),
                     deviation);
    table->count++;
    table->squares += deviation * deviation;
}

/* Of a node the default is what all others are compared with. */
static ct_status prior_give_table(const prior_table *from, ct_predict *to, bool against,
                                  ct_error *err)
{
    ct_status status = CT_OK;
    double ignored;
    if (from->count < PRIOR_LEAST) return CT_OK;
    double *mean = ct_memory_get(sizeof *mean * (size_t)from->entries);
    CT_NEED(mean, sizeof *mean * (size_t)from->entries, err);
    for (int64_t i = from->entries - 1; i >= 0; i--)
        mean[i] = ct_predict_expect(from->predict, i, &ignored);
    const double first = against ? mean[0] : 0;
    for (int64_t i = 0; i < from->entries; i++)
        mean[i] -= first;
    CT_TRY(ct_predict_expect_first(to, mean, sqrt(from->squares / from->count), err));
out:
    ct_memory_free(mean);
    return status;
}

ct_status ct_prior_give(const ct_prior *prior, ct_results *results, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < prior->space->nodes; s++)
        if (prior->space->node[s].free)
            CT_TRY(prior_give_table(&prior->node[s], results->of_node[s].predict, true, err));
    for (int i = 0; i < prior->space->edges; i++)
        CT_TRY(prior_give_table(&prior->edge[i], results->predict[i], false, err));
out:
    return status;
}
