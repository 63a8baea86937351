/* arrival.h: when waves arrive at stations: what stages that follow the sky have in common.
 * Room: stages/shared. Knows the pipeline's observation, positions and directions. Does not know
 * what is done with a delay. */
#ifndef CT_STAGES_ARRIVAL_H
#define CT_STAGES_ARRIVAL_H
#include "cornerturn_stage.h"

#define CT_ARRIVAL_EARTH_RAD_S 7.2921159e-5 /* rotation */

/* tau = -(r . u)/c: seconds by which a wave from u reaches r after the origin; negative for a
 * station nearer to the source. */
double ct_arrival_s(const double position[3], const double toward[3]);
/* What light takes from the origin to the farthest station, s. */
double ct_arrival_longest_s(const double (*position)[3], int64_t stations);

/* The observation's stations, which must be as many: east, north, up. Lives as the step. */
ct_status ct_arrival_positions(ct_step *step, int64_t stations, const double (**out)[3],
                               ct_error *err);
/* [right ascension, declination] in degrees, as the n-th of `param` where n is not negative. */
ct_status ct_arrival_radec(const ct_step *step, const char *param, const ct_value *given, int64_t n,
                           double out[2], ct_error *err);

#endif
