/* timing_pairs.h: two things timed in turn, A B A B, until it is plain which one is faster, or that
 * it is not worth more time.
 * Room: tuner/measure. Knows seconds. Does not know what is timed. */
#ifndef CT_TUNER_TIMING_PAIRS_H
#define CT_TUNER_TIMING_PAIRS_H
#include "timing_rounds.h"

enum { CT_PAIRS_LEAST = 3 };

typedef struct ct_pairs {
    int most;        /* pairs, up to CT_ROUNDS_MOST */
    double hopeless; /* A takes so many times as long as B in its first run: one pair is enough */
    int count;       /* pairs that were timed */
    double a[CT_ROUNDS_MOST], b[CT_ROUNDS_MOST];
} ct_pairs;

/* Both are warmed by time first. */
ct_status ct_pairs_run(ct_pairs *pairs, const ct_timed *a, const ct_timed *b, ct_error *err);

/* Whether the median of log(a / b) differs from 0: after each pair from the third to the thirtieth,
 * it is wrong in less than one series of twenty. */
bool ct_pairs_told(const double *a, const double *b, int count);

#endif
