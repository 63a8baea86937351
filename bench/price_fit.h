/* price_fit.h: weights of features, fitted to measured times by least squares that prefer small
 * weights.
 * Room: bench. Knows rows of numbers. Does not know where they are from. */
#ifndef CT_BENCH_PRICE_FIT_H
#define CT_BENCH_PRICE_FIT_H
#include "price_rows.h"

/* weight[rows->names]; rows of which leave[row->table] is set are left out. */
ct_status price_fit(double *weight, const price_rows *rows, const bool *leave, ct_error *err);

/* How well weights predict the rows of one table, node by node: printed as lines of Markdown. Adds
 * to *count and *slower what choosing each node's best by prediction would cost. */
void price_fit_judge(const double *weight, const price_rows *rows, int table, int *count,
                     double *slower);

#endif
