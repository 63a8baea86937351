/* products.h: which products of the input make each of the output, shared by the files of this
 * folder. Room: stages/products. Knows names. Does not know layouts or other stages. */
#ifndef CT_STAGES_PRODUCTS_H
#define CT_STAGES_PRODUCTS_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_products; /* its line is in stages/stages.c */

enum { CT_PRODUCTS_X, CT_PRODUCTS_Y, CT_PRODUCTS_TERMS = 2 };

/* A factor of one product of the input. */
typedef struct ct_products_term {
    int64_t q;
    ct_complex factor;
} ct_products_term;

/* One product of the output. */
typedef struct ct_products_sum {
    int terms;
    ct_products_term term[CT_PRODUCTS_TERMS];
} ct_products_sum;

/* What infer() has found out: step->state. */
typedef struct ct_products_matrix {
    ct_products from, to;
    ct_products_sum sum[CT_PRODUCTS]; /* of to.of[] */
} ct_products_matrix;

/* Fills sum[]. CT_INVALID names the first of to.of[] that cannot be made, and why. */
ct_status ct_products_solve(const ct_step *step, ct_products_matrix *matrix, ct_error *err);
void ct_products_suggest(ct_step *step);
int ct_products_launch(const ct_step *step, ct_launch *out);
ct_status ct_products_emit(const ct_step *step, ct_text *text, ct_error *err);
ct_status ct_products_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
