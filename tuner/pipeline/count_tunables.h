/* count_tunables.h: how many combinations of tunables are legal for a step.
 * Room: tuner/pipeline. Knows declared values and legality. Does not know what is fast. */
#ifndef CT_TUNER_COUNT_TUNABLES_H
#define CT_TUNER_COUNT_TUNABLES_H
#include "step.h"

/* A number, and its standard error: 0 where it was counted. */
typedef struct ct_tunables_count {
    double number, error;
} ct_tunables_count;

/* Walks through all values of one tunable after the other and leaves what is not legal whatever
 * follows. Where that takes too long, the number is estimated from random walks (D. E. Knuth,
 * "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975), 121).
 * The step's tunables are as they were when this returns. */
ct_tunables_count ct_count_tunables(ct_step *step);

#endif
