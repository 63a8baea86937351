/* warm_start.h: a tuning begins from what journals of other sizes and devices say, and leaves its
 * own one for others.
 * Room: tuner/pipeline. */
#ifndef CT_TUNER_WARM_START_H
#define CT_TUNER_WARM_START_H
#include "tune_inner.h"

/* Adds ,"steps":{"fir":"fir",..}: the stage of each node that runs on the device. */
void ct_warm_start_add_steps(ct_text *json, const ct_graph *graph);
/* Gives all variants what the options' journals, and kept ones, let expect. CT_INVALID: one that
 * the options name has nothing about this pipeline. */
ct_status ct_warm_start_begin(ct_tune_state *t, ct_error *err);
/* Keeps a copy of the tuning's own journal. That this fails does not matter. */
void ct_warm_start_end(const ct_tune_state *t);

#endif
