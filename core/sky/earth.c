/* earth.c: the ellipsoid's normal at a place, and positions about it; see earth.h.
 * Room: core/sky. */
#include "earth.h"

#include <math.h>

#define EQUATOR_M 6378137.0
#define FLATTENING (1 / 298.257223563)
#define ECCENTRICITY_2 (FLATTENING * (2 - FLATTENING))

/* The latitude follows from itself; each pass brings two digits more even high above ground. */
ct_earth_place ct_earth_place_of(const double itrf[3])
{
    enum { PASSES = 12 };
    const double flat = hypot(itrf[0], itrf[1]);
    ct_earth_place place = {.longitude = atan2(itrf[1], itrf[0])};
    double radius = EQUATOR_M;
    place.latitude = atan2(itrf[2], flat * (1 - ECCENTRICITY_2));
    for (int pass = 0; pass < PASSES; pass++) {
        const double up = sin(place.latitude);
        radius = EQUATOR_M / sqrt(1 - ECCENTRICITY_2 * up * up);
        place.latitude = atan2(itrf[2] + ECCENTRICITY_2 * radius * up, flat);
    }
    const double up = sin(place.latitude);
    place.height_m =
        flat * cos(place.latitude) + itrf[2] * up - EQUATOR_M * sqrt(1 - ECCENTRICITY_2 * up * up);
    return place;
}

void ct_earth_local(const double site[3], const double itrf[3], double out[3])
{
    const ct_earth_place at = ct_earth_place_of(site);
    const double x = itrf[0] - site[0], y = itrf[1] - site[1], z = itrf[2] - site[2];
    const double east = -x * sin(at.longitude) + y * cos(at.longitude);
    const double away = x * cos(at.longitude) + y * sin(at.longitude);
    out[0] = east;
    out[1] = -away * sin(at.latitude) + z * cos(at.latitude);
    out[2] = away * cos(at.latitude) + z * sin(at.latitude);
}
