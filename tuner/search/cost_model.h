/* cost_model.h: a space with its costs, as results know them.
 * Room: tuner/search. Knows spaces and results. Does not know what is measured next. */
#ifndef CT_TUNER_COST_MODEL_H
#define CT_TUNER_COST_MODEL_H
#include "problem.h"
#include "results.h"

typedef struct ct_cost_model ct_cost_model;

ct_status ct_cost_model_new(ct_cost_model **out, const ct_space *space, ct_error *err);
void ct_cost_model_free(ct_cost_model *model);
/* Which costs count: the least that are possible; measured ones only; or bytes of transposes. */
typedef enum ct_price { CT_PRICE_LEAST, CT_PRICE_MEASURED, CT_PRICE_BYTES } ct_price;
ct_status ct_cost_model_price(ct_cost_model *model, const ct_results *results, ct_price price,
                              ct_error *err);
/* The cheapest candidate; its choices are the caller's, [nodes]. CT_INVALID: there is none. */
ct_status ct_cost_model_best(const ct_cost_model *model, ct_candidate *candidate, ct_error *err);

/* Candidates in ascending order of their price; prices stay as they are until it is freed with
 * ct_ranking_free. CT_EOF after the last. */
ct_status ct_cost_model_rank(ct_ranking **out, const ct_cost_model *model, ct_error *err);
ct_status ct_cost_model_next(const ct_cost_model *model, ct_ranking *ranking,
                             ct_candidate *candidate, ct_error *err);

#endif
