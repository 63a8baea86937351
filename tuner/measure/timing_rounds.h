/* timing_rounds.h: times things one after the other, round by round (A B A B), so that what
 * disturbs one disturbs all, and takes medians.
 * Room: tuner/measure. Knows seconds. Does not know what is timed. */
#ifndef CT_TUNER_TIMING_ROUNDS_H
#define CT_TUNER_TIMING_ROUNDS_H
#include "cornerturn_stage.h"

typedef struct ct_timed {
    ct_status (*run)(void *of, double *seconds, ct_error *err);
    void *of;
} ct_timed;

enum { CT_ROUNDS_MOST = 99 };

/* Runs it until it does not become faster; it has run for `spent` seconds just before. */
ct_status ct_rounds_warm(const ct_timed *thing, double spent, ct_error *err);
/* Warms each up, then runs all of them `rounds` times; seconds[i * rounds + r] is thing i in round
 * r. */
ct_status ct_rounds_run(double *seconds, const ct_timed things[], int count, int rounds,
                        ct_error *err);
double ct_rounds_median(const double *seconds, int rounds);
/* Median over the rounds of a / b: steadier than the ratio of the medians. */
double ct_rounds_ratio(const double *a, const double *b, int rounds);

#endif
