/* blocks.h: other blocks than the default's, with the plan that was found.
 * Room: tuner/pipeline. */
#ifndef CT_TUNER_BLOCKS_H
#define CT_TUNER_BLOCKS_H
#include "verdict.h"

/* Rehearses the plan with a few more or fewer samples per block, where the pipeline leaves that
 * open; the contender takes what is clearly faster per sample, and the verdict what that brings.
 * Not where the budget is spent. */
ct_status ct_blocks_try(ct_contender *contender, ct_verdict *verdict, ct_error *err);
/* What that takes, about, where a plan takes so many seconds to be rehearsed. */
double ct_blocks_seconds(double plan_s);

#endif
