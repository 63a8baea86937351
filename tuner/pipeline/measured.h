/* measured.h: what was measured of a plan's nodes on one machine.
 * Room: tuner/pipeline. */
#ifndef CT_TUNER_MEASURED_H
#define CT_TUNER_MEASURED_H
#include "plan_cost.h"

/* From a tune's journal or a run's trace, `file`, and of `network`, "100Gb/s,2us", as `cost`;
 * either may be NULL. What it points to is the arena's and the caller's. */
ct_status ct_measured_read(ct_plan_known *out, ct_ranks_cost *cost, const ct_plan *plan,
                           const char *network, const char *file, struct ct_arena *arena,
                           ct_error *err);

#endif
