/* predict.h: predicts a table's entries from those that were measured, and says how sure that is: a
 * Gaussian process over layouts.
 * Room: tuner/search. Knows layouts and numbers. Does not know what an entry stands for. Two
 * layouts are the more alike the more of their fastest dimensions they have in common: 1 - 2^-n. An
 * entry's value is a sum of what all have, what the layout on each axis adds (alike for like ones),
 * what layouts add together, and what is the entry's own. How large each part is, follows from the
 * points themselves: of a few mixtures the likeliest one. */
#ifndef CT_TUNER_PREDICT_H
#define CT_TUNER_PREDICT_H
#include "cornerturn_stage.h"
#include "memory.h"

typedef struct ct_predict ct_predict;

/* A table with an axis for each list; the last axis' layouts follow each other. The lists are
 * borrowed. */
typedef struct ct_predict_axis {
    int count;
    const ct_layout *list;
} ct_predict_axis;
ct_status ct_predict_new(ct_predict **out, const ct_predict_axis *axis, int axes, ct_error *err);
void ct_predict_free(ct_predict *predict); /* NULL is fine */

/* What is expected of each entry before anything is measured, with one standard deviation for all:
 * from here on, what was learned before and later says how far entries differ from that. How much
 * of it is believed follows from the points, too, once there are some: all of it, half, or nothing.
 * `mean` [entries] is copied; NULL: nothing is expected any more. */
ct_status ct_predict_expect_first(ct_predict *predict, const double *mean, double deviation,
                                  ct_error *err);
/* What was expected of the entry; false, and 0: nothing was. */
bool ct_predict_first(const ct_predict *predict, int64_t entry, double *mean);

/* A measured point, with the standard deviation of its noise. What there is no memory for is not
 * learned.
 */
void ct_predict_learn(ct_predict *predict, int64_t entry, double value, double noise);
/* The value that is expected, and its standard deviation, noise left out. Before the first point
 * 0, and not sure at all. */
double ct_predict_expect(ct_predict *predict, int64_t entry, double *deviation);
/* Whether layouts whose fastest dimensions are the same take alike, as far as one can tell. */
bool ct_predict_is_alike(ct_predict *predict);

#endif
