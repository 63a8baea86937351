/* earth.h: places on the Earth: ITRF, and east, north, up at a site.
 * Room: core/sky. Knows the ellipsoid of WGS 84. Does not know directions on the sky. */
#ifndef CT_CORE_SKY_EARTH_H
#define CT_CORE_SKY_EARTH_H

/* Longitude (east) and latitude of the ellipsoid's normal, radians, and the height above it, m. */
typedef struct ct_earth_place {
    double longitude, latitude, height_m;
} ct_earth_place;
ct_earth_place ct_earth_place_of(const double itrf[3]);
/* `itrf` as seen from `site`: metres east, north and up. */
void ct_earth_local(const double site[3], const double itrf[3], double out[3]);

#endif
