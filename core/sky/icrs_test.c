/* icrs_test.c: places and directions against numbers that others have computed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "earth.h"
#include "icrs.h"

#define DEGREE (3.14159265358979323846 / 180.0)
#define ARCSEC (DEGREE / 3600)

/* A station of LOFAR's core. */
static const double site[3] = {3826577.462, 461022.624, 5064892.526};

/* astropy 8.0.2: EarthLocation.from_geocentric(..).lon, .lat, .height. */
static void the_ellipsoids_normal_is_astropys(void **unused)
{
    (void)unused;
    const ct_earth_place at = ct_earth_place_of(site);
    assert_true(fabs(at.longitude / DEGREE - 6.869832836200029) < 1e-12);
    assert_true(fabs(at.latitude / DEGREE - 52.91511896798418) < 1e-12);
    assert_true(fabs(at.height_m - 49.35002954676998) < 1e-6);
}

static void local_axes_are_east_north_up(void **unused)
{
    (void)unused;
    const ct_earth_place at = ct_earth_place_of(site);
    const double l = at.longitude, b = at.latitude;
    const double axes[3][3] = {{-sin(l), cos(l), 0},
                               {-sin(b) * cos(l), -sin(b) * sin(l), cos(b)},
                               {cos(b) * cos(l), cos(b) * sin(l), sin(b)}};
    for (int axis = 0; axis < 3; axis++) {
        double local[3], there[3];
        for (int k = 0; k < 3; k++)
            there[k] = site[k] + 100 * axes[axis][k];
        ct_earth_local(site, there, local);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(local[k] - (k == axis ? 100 : 0)) < 1e-8);
    }
}

/* astropy 8.0.2: SkyCoord(ra, dec, frame="icrs").transform_to(AltAz(.., pressure=0)) with
 * delta_ut1_utc as given and polar motion put to 0. */
static void directions_are_astropys(void **unused)
{
    static const struct {
        double radec[2];
        ct_icrs_instant when;
        double u[3];
    } known[] = {
        {{299.8681525, 40.7339156},
         {59759.0625, 0, 0},
         {-0.084682722869, -0.206201761950, 0.974838278801}},
        {{83.633083, 22.0145},
         {60310.25, 1234.5, -0.2},
         {-0.815216405942, 0.578206199011, 0.033163276504}},
        {{123.4, 85.0}, {57754.5, 0, 0.35}, {-0.024805643960, 0.668125741819, 0.743634771340}},
        {{10.0, -20.0}, {60000.0, 21600.0, 0}, {0.825941488824, 0.153719006817, -0.542393882693}}};
    (void)unused;
    if (!ct_icrs_there()) skip();
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        double u[1][3];
        assert_int_equal(ct_icrs_directions(site, known[n].when, 1, &known[n].radec, u, NULL),
                         CT_OK);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(u[0][k] - known[n].u[k]) < 1e-3 * ARCSEC);
    }
}

/* Without the library's word for it: what goes round once a sidereal day, about an axis at the
 * latitude's height over north, by 15.041 seconds of arc in a second. */
static void the_sky_goes_round_the_pole(void **unused)
{
    static const double star[1][2] = {{299.8681525, 40.7339156}};
    const double day = 86164.0905, latitude = ct_earth_place_of(site).latitude;
    double begin[1][3], end[1][3], next[1][3];
    (void)unused;
    if (!ct_icrs_there()) skip();
    assert_int_equal(ct_icrs_directions(site, (ct_icrs_instant){60000, 0, 0}, 1, star, begin, NULL),
                     CT_OK);
    assert_int_equal(ct_icrs_directions(site, (ct_icrs_instant){60000, day, 0}, 1, star, end, NULL),
                     CT_OK);
    assert_int_equal(ct_icrs_directions(site, (ct_icrs_instant){60000, 0, 1}, 1, star, next, NULL),
                     CT_OK);
    const double pole[3] = {0, cos(latitude), sin(latitude)};
    double along = 0, moved = 0;
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(begin[0][k] - end[0][k]) < 1 * ARCSEC);
        along += begin[0][k] * pole[k];
        moved += (next[0][k] - begin[0][k]) * (next[0][k] - begin[0][k]);
    }
    assert_true(fabs(asin(along) / DEGREE - 40.7339156) < 0.13); /* precession since 2000 */
    assert_true(fabs(sqrt(moved) / ARCSEC / (15.0411 * sqrt(1 - along * along)) - 1) < 1e-4);
}

static void impossible_dates_are_refused(void **unused)
{
    static const double star[1][2] = {{0, 0}};
    double u[1][3];
    (void)unused;
    if (!ct_icrs_there()) skip();
    assert_int_equal(ct_icrs_directions(site, (ct_icrs_instant){-1e7, 0, 0}, 1, star, u, NULL),
                     CT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_ellipsoids_normal_is_astropys),
                                       cmocka_unit_test(local_axes_are_east_north_up),
                                       cmocka_unit_test(directions_are_astropys),
                                       cmocka_unit_test(the_sky_goes_round_the_pole),
                                       cmocka_unit_test(impossible_dates_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
