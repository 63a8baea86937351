/* verdict.h: how a candidate compares with the default, and with the bound.
 * Room: tuner/confirm. Knows times. Does not know how candidates were found. */
#ifndef CT_TUNER_VERDICT_H
#define CT_TUNER_VERDICT_H
#include "tuner.h"

/* The median of ratios to the default in pairs, and where it lies with 95 %. */
typedef struct ct_verdict {
    double seconds, default_s; /* medians, for as many samples as the default's block has */
    double ratio, low, high;
    int64_t samples; /* how many these are, and how long they last; 0 not known */
    double signal_s;
} ct_verdict;
/* Per sample: blocks may have different lengths. Of too little to compare, or without memory for
 * it: no difference. */
ct_verdict ct_verdict_compare(const ct_plan_timing *own, const ct_plan_timing *defaults);

/* By how much a plan's time is above the bound: the part that the spread of its own timings may
 * explain, and the rest, which is the model's. Both 0 where there is no bound. */
typedef struct ct_verdict_gap {
    double noise_s, model_s;
} ct_verdict_gap;
ct_verdict_gap ct_verdict_above(const ct_verdict *verdict, double bound_s);

/* A block that was chosen in place of the default's, and what the plan takes with it, of what it
 * takes with the default's, per sample. samples 0: none was. */
typedef struct ct_verdict_block {
    int64_t samples, defaults;
    double ratio, low, high;
} ct_verdict_block;

#endif
