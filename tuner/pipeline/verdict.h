/* verdict.h: which of the contenders is to be believed, and how good it is.
 * Room: tuner/pipeline. Knows whole plans' times. Does not know how contenders were found. */
#ifndef CT_TUNER_VERDICT_H
#define CT_TUNER_VERDICT_H
#include "tuner.h"

/* How a plan compares with the default: the median of ratios in pairs, and where it lies with 95 %.
 */
typedef struct ct_verdict {
    double seconds, usual; /* medians, per block */
    double ratio, low, high;
} ct_verdict;

/* A pick, and whose. */
typedef struct ct_contender {
    ct_tuner *tuner;
    ct_pick pick;
} ct_contender;

/* By how much a plan's time is above the bound: as far as the spread of its own timings may be the
 * reason, and the rest, which is the model's. Both 0 where there is no bound. */
typedef struct ct_verdict_gap {
    double noise_s, model_s;
} ct_verdict_gap;
ct_verdict_gap ct_verdict_above(const ct_verdict *verdict, double bound_s);

/* CT_INVALID where there is no room even for the plan with the least copies: all would be measured
 * for nothing. */
ct_status ct_verdict_room(ct_tuner *const *tuners, int count, ct_error *err);

double ct_verdict_median(const double *values, int count); /* NAN of none */
ct_verdict ct_verdict_compare(const double *seconds, const double *usual, int count);

/* What choose() probably takes, where a plan takes so many seconds to be rehearsed. */
double ct_verdict_seconds(double plan_s, int tuners);

/* Tuners of one pipeline, fused in different ways; the first one's default is compared with.
 * choose: in fresh processes; what is clearly better than the default, which else is taken. Fewer
 * contenders, and then fewer processes, where the budget is nearly spent.
 * guess: as far as was measured, not confirmed. */
ct_status ct_verdict_choose(ct_tuner *const *tuners, int count, ct_contender *chosen,
                            ct_verdict *verdict, ct_error *err);
ct_status ct_verdict_guess(ct_tuner *const *tuners, int count, ct_contender *chosen,
                           ct_verdict *verdict, ct_error *err);

#endif
