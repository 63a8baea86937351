/* cost_model.c: see cost_model.h.
 * Room: tuner/search. */
#include "cost_model.h"

#include <math.h>

#include "fail.h"

struct ct_cost_model {
    const ct_space *space;
    ct_problem *problem;
    int *variable; /* [node * CT_PORTS + axis] */
    int *table;    /* [node]: the factor */
    int *copies;   /* [edge] */
    int *values;   /* [variables] */
    ct_arena *arena;
};

static int model_variable(const ct_cost_model *model, int node, int axis)
{
    return model->variable[node * CT_PORTS + axis];
}

static ct_status model_node(ct_cost_model *model, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_space_node *node = &model->space->node[s];
    int *variables = &model->variable[s * CT_PORTS];
    for (int a = 0; a < node->axes; a++)
        CT_TRY(ct_problem_variable(model->problem, node->axis[a].count, &variables[a], err));
    double *none = ct_arena_get(model->arena, sizeof *none * (size_t)node->choices);
    CT_NEED(none, sizeof *none * (size_t)node->choices, err);
    CT_TRY(ct_problem_table(model->problem, variables, node->axes, none, &model->table[s], err));
out:
    return status;
}

static ct_status model_edge(ct_cost_model *model, int i, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_space_edge *edge = &model->space->edge[i];
    int readers[CT_SPACE_READERS];
    const size_t layouts = (size_t)edge->layouts;
    double *none = ct_arena_get(model->arena, sizeof *none * layouts * layouts);
    CT_NEED(none, sizeof *none * layouts * layouts, err);
    for (int r = 0; r < edge->readers; r++)
        readers[r] = model_variable(model, edge->reader_node[r], edge->reader_axis[r]);
    const ct_problem_array array = {.writer =
                                        model_variable(model, edge->writer, edge->writer_axis),
                                    .layout_of_writer = edge->number[0],
                                    .readers = edge->readers,
                                    .reader = readers,
                                    .layout_of_reader = (const int *const *)&edge->number[1],
                                    .layouts = edge->layouts,
                                    .transpose = none};
    CT_TRY(ct_problem_copies(model->problem, &array, &model->copies[i], err));
out:
    return status;
}

ct_status ct_cost_model_new(ct_cost_model **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t axes = (size_t)space->nodes * CT_PORTS;
    ct_arena *arena = NULL;
    ct_cost_model *model = ct_arena_begin(&arena, sizeof *model);
    CT_NEED(model, sizeof *model, err);
    *model = (ct_cost_model){.space = space, .arena = arena};
    model->variable = ct_arena_get(arena, sizeof(int) * axes);
    model->values = ct_arena_get(arena, sizeof(int) * axes);
    model->table = ct_arena_get(arena, sizeof(int) * (size_t)space->nodes);
    model->copies = ct_arena_get(arena, sizeof(int) * (size_t)(space->edges + 1));
    CT_TRY(ct_arena_check(arena, err));
    CT_TRY(ct_problem_new(&model->problem, err));
    for (int s = 0; s < space->nodes; s++)
        CT_TRY(model_node(model, s, err));
    for (int i = 0; i < space->edges; i++)
        CT_TRY(model_edge(model, i, err));
out:
    if (status != CT_OK) {
        ct_cost_model_free(model);
        model = NULL;
    }
    *out = model;
    return status;
}

void ct_cost_model_free(ct_cost_model *model)
{
    if (!model) return;
    ct_problem_free(model->problem);
    ct_arena_free(model->arena);
}

/* Under CT_PRICE_MEASURED nothing is predicted. */
static double model_transpose(const ct_cost_model *model, const ct_results *results, int i,
                              int from, int to, ct_price price)
{
    const ct_space_edge *edge = &model->space->edge[i];
    double least;
    if (from == to) return 0;
    if (price == CT_PRICE_BYTES) return edge->bytes;
    if (price == CT_PRICE_MEASURED && !results->transpose[i][from * edge->layouts + to].known)
        return INFINITY;
    const double expected = ct_results_transpose(results, i, from, to, &least);
    return price == CT_PRICE_LEAST ? least : expected;
}

static ct_status model_price_edge(ct_cost_model *model, const ct_results *results, int i,
                                  ct_price price, ct_error *err)
{
    ct_status status = CT_OK;
    const int layouts = model->space->edge[i].layouts;
    for (int entry = 0; entry < layouts * layouts; entry++)
        CT_TRY(ct_problem_set(
            model->problem, model->copies[i], (size_t)entry,
            model_transpose(model, results, i, entry / layouts, entry % layouts, price), err));
out:
    return status;
}

static double model_choice(const ct_cost_model *model, const ct_results *results, int s,
                           int64_t choice, ct_price price)
{
    const ct_space_node *node = &model->space->node[s];
    double least;
    if (price == CT_PRICE_BYTES) return ct_space_allows(node, choice) ? 0 : INFINITY;
    if (price == CT_PRICE_MEASURED && node->free && !results->of_node[s].choice[choice].known)
        return INFINITY;
    const double expected = ct_results_choice(results, s, choice, &least);
    return price == CT_PRICE_LEAST ? least : expected;
}

static ct_status model_price_node(ct_cost_model *model, const ct_results *results, int s,
                                  ct_price price, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t choice = 0; choice < model->space->node[s].choices; choice++)
        CT_TRY(ct_problem_set(model->problem, model->table[s], (size_t)choice,
                              model_choice(model, results, s, choice, price), err));
out:
    return status;
}

ct_status ct_cost_model_price(ct_cost_model *model, const ct_results *results, ct_price price,
                              ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < model->space->nodes; s++)
        CT_TRY(model_price_node(model, results, s, price, err));
    for (int i = 0; i < model->space->edges; i++)
        CT_TRY(model_price_edge(model, results, i, price, err));
out:
    return status;
}

static void model_choices(const ct_cost_model *model, ct_candidate *candidate)
{
    for (int s = 0; s < model->space->nodes; s++) {
        int places[CT_PORTS] = {0};
        for (int a = 0; a < model->space->node[s].axes; a++)
            places[a] = model->values[model_variable(model, s, a)];
        candidate->choice[s] = ct_space_choice(&model->space->node[s], places);
    }
}

ct_status ct_cost_model_best(const ct_cost_model *model, ct_candidate *candidate, ct_error *err)
{
    ct_status status = ct_problem_best(model->problem, model->values, &candidate->seconds, err);
    if (status == CT_OK) model_choices(model, candidate);
    return status;
}

ct_status ct_cost_model_rank(ct_ranking **out, const ct_cost_model *model, ct_error *err)
{
    return ct_ranking_new(out, model->problem, err);
}

ct_status ct_cost_model_next(const ct_cost_model *model, ct_ranking *ranking,
                             ct_candidate *candidate, ct_error *err)
{
    const ct_status status = ct_ranking_next(ranking, model->values, &candidate->seconds, err);
    if (status == CT_OK) model_choices(model, candidate);
    return status;
}
