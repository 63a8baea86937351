/* candidate_plan.h: candidates and questions as plan files' JSON, which workers are asked with.
 * Room: tuner/search. Knows the form of a plan (docs/plans.md). Does not know what anything costs.
 */
#ifndef CT_TUNER_CANDIDATE_PLAN_H
#define CT_TUNER_CANDIDATE_PLAN_H
#include "backend.h"

/* The plan that takes these choices; what is left open takes the defaults of the device. */
ct_status ct_candidate_plan(ct_text *out, const ct_candidate *candidate, ct_error *err);
/* The default plan with what the question asks for, and the name of the step in it. */
ct_status ct_candidate_plan_question(ct_text *out, char step[CT_SPACE_NAME], const ct_space *space,
                                     const ct_question *question, ct_error *err);

#endif
