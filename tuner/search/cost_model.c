/* cost_model.c: see cost_model.h.
 * Room: tuner/search. */
#include "cost_model.h"

#include <math.h>

#include "fail.h"
#include "space_problem.h"

struct ct_cost_model {
    const ct_space *space;
    ct_space_problem *problem;
};

ct_status ct_cost_model_new(ct_cost_model **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    ct_cost_model *model = *out = ct_memory_get(sizeof *model);
    CT_NEED(model, sizeof *model, err);
    model->space = space;
    CT_TRY(ct_space_problem_new(&model->problem, space, err));
out:
    if (status != CT_OK) {
        ct_cost_model_free(model);
        *out = NULL;
    }
    return status;
}

void ct_cost_model_free(ct_cost_model *model)
{
    if (!model) return;
    ct_space_problem_free(model->problem);
    ct_memory_free(model);
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
    for (int from = 0; from < layouts; from++)
        for (int to = 0; to < layouts; to++)
            CT_TRY(ct_space_problem_set_transpose(
                model->problem, i, from, to, model_transpose(model, results, i, from, to, price),
                err));
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
        CT_TRY(ct_space_problem_set_choice(model->problem, s, choice,
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

ct_status ct_cost_model_best(const ct_cost_model *model, ct_candidate *candidate, ct_error *err)
{
    return ct_space_problem_best(model->problem, candidate->choice, &candidate->seconds, err);
}

ct_status ct_cost_model_rank(ct_ranking **out, const ct_cost_model *model, ct_error *err)
{
    return ct_space_problem_rank(out, model->problem, err);
}

ct_status ct_cost_model_next(const ct_cost_model *model, ct_ranking *ranking,
                             ct_candidate *candidate, ct_error *err)
{
    return ct_space_problem_next(model->problem, ranking, candidate->choice, &candidate->seconds,
                                 err);
}
