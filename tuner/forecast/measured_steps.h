/* measured_steps.h: what was measured of a plan's nodes on one machine.
 * Room: tuner/forecast. */
#ifndef CT_TUNER_MEASURED_STEPS_H
#define CT_TUNER_MEASURED_STEPS_H
#include "forecast.h"

/* From a tune's journal or a run's trace, `file`, and of `network`, "100Gb/s,2us", as `found`;
 * either may be NULL. What *out points to is the arena's and the caller's. */
ct_status ct_measured_read(ct_forecast_known *out, ct_network *found, const ct_plan *plan,
                           const char *network, const char *file, struct ct_arena *arena,
                           ct_error *err);

#endif
