/* run_sums.h: where a firing's samples are in sums that take several firings. These are counted on
 * the stream, so that no sum depends on the block. Room: core/run. */
#ifndef CT_CORE_RUN_SUMS_H
#define CT_CORE_RUN_SUMS_H
#include "run.h"

/* A firing of a step: its samples from `end` on, if any, belong to the next output. */
typedef struct ct_sum_place {
    int64_t samples; /* that the step takes, history not counted */
    int64_t start;   /* the first one's place in the stream */
    int64_t number;  /* of the output that they are added to, or of the first one that is made */
    int64_t end;
    int64_t rest; /* samples of the firing before this one that began this output, and are at its
                     end */
    bool adds;    /* the output has begun before */
} ct_sum_place;

ct_sum_place ct_run_sum_place(const ct_run *run, int step);
/* Outputs that a step has completed so far. */
int64_t ct_run_sums_done(const ct_run *run, int step);

#endif
