/* icrs.h: where sources of the sky's catalogue stand above a site at an instant.
 * Room: core/sky. Knows time scales, the Earth's motion, ERFA. Does not know stations. */
#ifndef CT_CORE_SKY_ICRS_H
#define CT_CORE_SKY_ICRS_H
#include "cornerturn_stage.h"

/* An instant: a Modified Julian Date and seconds after it (both UTC), and UT1 - UTC. */
typedef struct ct_icrs_instant {
    double mjd, seconds, dut1_s;
} ct_icrs_instant;

/* Whether this build can: ERFA is optional. */
bool ct_icrs_there(void);
/* Unit vectors east, north, up at `site` (ITRF) towards `count` right ascensions and declinations
 * (ICRS, degrees): precession, nutation, aberration and light deflection counted, no refraction, no
 * polar motion. CT_INVALID: no such date; CT_FAILED: the build is without ERFA. */
ct_status ct_icrs_directions(const double site[3], ct_icrs_instant when, int64_t count,
                             const double (*radec)[2], double (*out)[3], ct_error *err);

#endif
