/* model.h: a space and its costs as a problem for the solver: a variable for each axis, a table for
 * each site, copies for each spot.
 * Room: tuner/pipeline. Knows spaces, books and problems. Does not know what is measured next. */
#ifndef CT_TUNER_MODEL_H
#define CT_TUNER_MODEL_H
#include "book.h"
#include "problem.h"

typedef struct ct_model ct_model;

ct_status ct_model_new(ct_model **out, const ct_space *space, ct_error *err);
void ct_model_free(ct_model *model);
/* Which costs count: the least that are possible; measured ones only; or bytes of transposes. */
typedef enum ct_price { CT_PRICE_LEAST, CT_PRICE_MEASURED, CT_PRICE_BYTES } ct_price;
ct_status ct_model_price(ct_model *model, const ct_book *book, ct_price price, ct_error *err);
/* The cheapest pick; its cells are the caller's, [sites]. CT_INVALID: there is none. */
ct_status ct_model_best(const ct_model *model, ct_pick *pick, ct_error *err);

/* Picks in ascending order of their price; prices stay as they are until it is freed with
 * ct_ranking_free. CT_EOF after the last. */
ct_status ct_model_rank(ct_ranking **out, const ct_model *model, ct_error *err);
ct_status ct_model_next(const ct_model *model, ct_ranking *ranking, ct_pick *pick, ct_error *err);

#endif
