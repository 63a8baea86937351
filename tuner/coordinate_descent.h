/* coordinate_descent.h: looks for better tunables of one step, at its layouts, one tunable at a
 * time.
 * Room: tuner. Knows declared values. Does not know what they mean. */
#ifndef CT_TUNER_COORDINATE_DESCENT_H
#define CT_TUNER_COORDINATE_DESCENT_H
#include "timed_step.h"

/* `step` begins with tunables that build and ends with the best that were found in `seconds`. */
ct_status ct_coordinate_descent_run(ct_step *step, ct_device *device, ct_buffer_pool *pool,
                                    double seconds, ct_error *err);

#endif
