/* step_digest.h: digests (SHA-256) of what a device is given: two steps with the same one need not
 * be measured twice.
 * Room: tuner/store. Knows generated text and arrays' strides. Does not run anything. */
#ifndef CT_TUNER_STEP_DIGEST_H
#define CT_TUNER_STEP_DIGEST_H
#include "digest.h"
#include "plan.h"

/* Of the text that is generated for the step; its name, and parameters that the text does not use,
 * are left out. */
ct_status ct_step_digest_source(char out[CT_DIGEST_SIZE], const ct_plan_step *step, ct_error *err);
/* Equal where two steps are the same work for the device: see docs/worker.md. */
ct_status ct_step_digest_same(char out[CT_DIGEST_SIZE], const ct_plan_step *step, ct_error *err);

#endif
