/* visibility_sky.c: see visibility.h: the array's place on the Earth, and the axes of u, v, w at an
 * instant. Room: io/shared. Knows east, north, up at the site, and sidereal time. Does not know
 * formats. */
#include "visibility.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DEGREE (PI / 180)
#define ARCSEC (DEGREE / 3600)
#define DAY_S 86400.0
#define MJD_2000 51544.5
#define CENTURY 36525.0
#define EQUATOR_M 6378137.0 /* WGS 84 */
#define FLATTENING (1 / 298.257223563)

static double sky_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void sky_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The part of `along` at a right angle to `axis`, of length 1. */
static void sky_upright(const double along[3], const double axis[3], double out[3])
{
    const double part = sky_dot(along, axis);
    for (int k = 0; k < 3; k++)
        out[k] = along[k] - part * axis[k];
    const double length = sqrt(sky_dot(out, out));
    for (int k = 0; k < 3; k++)
        out[k] /= length;
}

/* ---- the site */

/* Up, seen along ITRF's axes, is the ellipsoid's normal. */
ct_status ct_visibility_site_of(const ct_step *step, ct_visibility_site *out, ct_error *err)
{
    ct_status status = CT_OK;
    const double *site = ct_step_observation(step)->site;
    double up[3] = {0}, local[3];
    for (int k = 0; status == CT_OK && k < 3; k++) {
        double there[3] = {0};
        if (site) memcpy(there, site, sizeof there);
        there[k] += 1;
        status = ct_step_local(step, there, local, err);
        up[k] = local[2];
    }
    if (status != CT_OK) return status;
    const double squared = FLATTENING * (2 - FLATTENING);
    const double flat = hypot(site[0], site[1]);
    out->latitude = atan2(up[2], hypot(up[0], up[1]));
    out->longitude = atan2(up[1], up[0]);
    out->altitude_m =
        flat * cos(out->latitude) + site[2] * up[2] - EQUATOR_M * sqrt(1 - squared * up[2] * up[2]);
    return CT_OK;
}

/* ---- sidereal time */

/* Of the true equinox, good to 0.1 seconds of arc: the Earth's rotation angle, precession, and
 * nutation in longitude by its four largest terms. [IERS Conventions 2010; Capitaine et al. 2003;
 * Meeus 1998] */
static double sky_sidereal(double mjd, double seconds, double dut1_s, double longitude)
{
    const double day = floor(mjd);
    const double part = mjd - day + (seconds + dut1_s) / DAY_S; /* UT1 */
    const double whole = day - MJD_2000, days = whole + part, t = days / CENTURY;
    const double rounds = 0.7790572732640 + 0.00273781191135448 * days + fmod(whole, 1) +
                          part; /* whole ones dropped */
    const double precession = (0.014506 + (4612.156534 + 1.3915817 * t) * t) * ARCSEC;
    const double node = (125.04452 - 1934.136261 * t) * DEGREE;
    const double sun = (280.4665 + 36000.7698 * t) * DEGREE;
    const double moon = (218.3165 + 481267.8813 * t) * DEGREE;
    const double nutation =
        (-17.20 * sin(node) - 1.32 * sin(2 * sun) - 0.23 * sin(2 * moon) + 0.21 * sin(2 * node)) *
        ARCSEC;
    const double tilt = (23.4392911 - 0.0130042 * t) * DEGREE;
    return rounds * 2 * PI + precession + nutation * cos(tilt) + longitude;
}

static double sky_round(double angle)
{
    const double rest = fmod(angle, 2 * PI);
    return rest < 0 ? rest + 2 * PI : rest;
}

/* ---- axes */

/* The centre, and a place a little to its north, across the pole where that is near. */
static void sky_places(const double centre[2], double out[2][2])
{
    const double step = 0.01;
    out[0][0] = out[1][0] = centre[0] / DEGREE;
    out[0][1] = centre[1] / DEGREE;
    out[1][1] = out[0][1] + step;
    if (out[1][1] <= 90) return;
    out[1][0] = fmod(out[1][0] + 180, 360);
    out[1][1] = 180 - out[1][1];
}

/* Where w points to, in hours and degrees of the day's equator, and how far v is from its north. */
static void sky_apparent(const ct_visibility_site *site, double sidereal, ct_visibility_axes *axes)
{
    const double pole[3] = {0, cos(site->latitude), sin(site->latitude)};
    const double meridian[3] = {0, -pole[2], pole[1]};
    double north[3], east[3];
    const double hour = atan2(-axes->w[0], sky_dot(axes->w, meridian));
    sky_upright(pole, axes->w, north);
    sky_cross(north, axes->w, east);
    axes->app_dec = atan2(sky_dot(axes->w, pole), hypot(axes->w[0], sky_dot(axes->w, meridian)));
    axes->app_ra = sky_round(sidereal - hour);
    axes->frame_pa = atan2(sky_dot(axes->v, east), sky_dot(axes->v, north));
}

ct_status ct_visibility_axes_at(const ct_step *step, const ct_visibility_header *header,
                                double start_mjd, double seconds, ct_visibility_axes *out,
                                ct_error *err)
{
    const double *dut1_s = ct_step_observation(step)->dut1_s;
    const double sidereal =
        sky_sidereal(start_mjd, seconds, dut1_s ? *dut1_s : 0, header->site.longitude);
    double place[2][2], direction[2][3];
    *out = (ct_visibility_axes){.u = {1, 0, 0},
                                .v = {0, 1, 0},
                                .w = {0, 0, 1},
                                .app_ra = sky_round(sidereal),
                                .app_dec = header->site.latitude};
    if (!header->projected) return CT_OK;
    sky_places(header->centre, place);
    const ct_status status =
        ct_step_directions(step, start_mjd, seconds, 2, (const double(*)[2])place, direction, err);
    if (status != CT_OK) return status;
    memcpy(out->w, direction[0], sizeof out->w);
    sky_upright(direction[1], out->w, out->v);
    sky_cross(out->v, out->w, out->u);
    sky_apparent(&header->site, sidereal, out);
    return CT_OK;
}
