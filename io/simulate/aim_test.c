/* aim_test.c: signals on the sky, beneath which the Earth rotates, against directions at the
 * instant itself.
 * Room: tests of io/simulate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "icrs.h"
#include "io/simulate/simulate.h"
#include "step.h"

#define TWO_PI 6.283185307179586477
#define SAMPLE_S 5.12e-6
#define CENTRE_HZ 150e6
#define START_MJD 59759.0625
#define LIGHT_M_S 299792458.0
#define CYG_A "\"ra_deg\": 299.8681525, \"dec_deg\": 40.7339156"

static const double site[3] = {3826577.462, 461022.624, 5064892.526};
static const double radec[2] = {299.8681525, 40.7339156};

typedef struct sky {
    ct_value *given;
    ct_step *step;
    ct_array all;
} sky;

static ct_status sky_try(sky *made, const char *params, const ct_observation *said, ct_error *err)
{
    const ct_source_location location = {.observation = said};
    memset(made, 0, sizeof *made);
    assert_int_equal(ct_value_parse(&made->given, params, "test", err), CT_OK);
    ct_status status =
        ct_step_new(&made->step, &ct_stage_simulate, "sky", made->given, NULL, &location, err);
    return status == CT_OK ? ct_step_infer(made->step, err) : status;
}

/* All samples, in the order S, P, T. */
static sky sky_make(const char *params)
{
    static const ct_observation said = {.site = site};
    sky made;
    ct_error err = {0};
    void *state;
    int64_t got;
    if (sky_try(&made, params, &said, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(ct_stage_simulate.io.open(made.step, &state, &err), CT_OK);
    made.all = made.step->port[0];
    ct_array_dense(&made.all, NULL);
    made.all.data = calloc(1, ct_array_bytes(&made.all));
    assert_int_equal(ct_stage_simulate.io.read(state, &made.all, NULL, &got, &err), CT_OK);
    assert_int_equal(ct_stage_simulate.io.close(state, true, &err), CT_OK);
    return made;
}

static void sky_free(sky *made)
{
    free(made->all.data);
    ct_step_free(made->step);
    ct_value_free(made->given);
}

static ct_complex voltage(const sky *made, int64_t s, int64_t t)
{
    return ct_array_load(&made->all, s * made->all.stride[0] + t * made->all.stride[2]);
}

/* The delay of a station `east_m` to the east of the site. */
static double delay_s(double east_m, int64_t t)
{
    double u[1][3];
    const ct_icrs_instant when = {START_MJD, ((double)t + 0.5) * SAMPLE_S, 0};
    assert_int_equal(ct_icrs_directions(site, when, 1, &radec, u, NULL), CT_OK);
    return -east_m * u[0][0] / LIGHT_M_S;
}

static double degrees_apart(double radians)
{
    return 360 / TWO_PI * fabs(remainder(radians, TWO_PI));
}

static void tones_follow_the_sky(void **unused)
{
    double worst = 0;
    (void)unused;
    if (!ct_icrs_there()) skip();
    sky made = sky_make("{\"samples\": 200000, \"type\": \"cf32\", \"noise\": 0, \"stations\": "
                        "[[0, 0, 0], [100000, 0, 0]], \"start_mjd\": 59759.0625, \"tones\": "
                        "[{\"frequency_hz\": 12345, " CYG_A "}]}");
    for (int64_t t = 0; t < 200000; t += 9999) {
        const ct_complex a = voltage(&made, 0, t), b = voltage(&made, 1, t);
        const double found = atan2(b.im, b.re) - atan2(a.im, a.re);
        const double expected = -TWO_PI * (CENTRE_HZ + 12345) * delay_s(100000, t);
        worst = fmax(worst, degrees_apart(found - expected));
    }
    if (!(worst < 0.1)) fail_msg("tones are off by %g degrees", worst);
    const double moved = (delay_s(100000, 200000) - delay_s(100000, 0)) * CENTRE_HZ;
    assert_true(fabs(moved) > 1); /* cycles: there was something to follow */
    sky_free(&made);
}

/* x at an instant between samples, by a windowed sinc. */
static ct_complex between(const sky *made, double at)
{
    enum { TAPS = 1024 };
    ct_complex sum = {0, 0};
    const int64_t middle = (int64_t)floor(at);
    for (int64_t t = middle - TAPS; t <= middle + TAPS; t++) {
        const double away = at - (double)t,
                     window = 0.5 + 0.5 * cos(TWO_PI / 2 * away / (TAPS + 1));
        const double weight = away == 0 ? 1 : window * sin(TWO_PI / 2 * away) / (TWO_PI / 2 * away);
        const ct_complex x = voltage(made, 0, t);
        sum.re += weight * x.re;
        sum.im += weight * x.im;
    }
    return sum;
}

/* So far away that the delay changes by a part of a sample: noise is what the first station gets,
 * as it was that much earlier. */
static void noise_follows_the_sky(void **unused)
{
    enum { TOTAL = 200000, EAST_M = 3000000 };
    double wrong = 0, power = 0;
    (void)unused;
    if (!ct_icrs_there()) skip();
    sky made = sky_make("{\"samples\": 200000, \"type\": \"cf32\", \"noise\": 0, \"stations\": "
                        "[[0, 0, 0], [3000000, 0, 0]], \"start_mjd\": 59759.0625, \"pulses\": "
                        "[{\"time_s\": 0.5, \"width_s\": 0.05, " CYG_A "}]}");
    assert_true(fabs(delay_s(EAST_M, TOTAL) - delay_s(EAST_M, 0)) > SAMPLE_S / 20);
    for (int64_t t = 70000; t < 130000; t += 997) {
        const double late_s = delay_s(EAST_M, t), cycles = -CENTRE_HZ * late_s;
        const double c = cos(TWO_PI * cycles), s = sin(TWO_PI * cycles);
        const ct_complex x = between(&made, (double)t - late_s / SAMPLE_S);
        const ct_complex y = voltage(&made, 1, t);
        wrong += pow(x.re * c - x.im * s - y.re, 2) + pow(x.re * s + x.im * c - y.im, 2);
        power += y.re * y.re + y.im * y.im;
    }
    if (!(wrong < 0.05 * 0.05 * power)) fail_msg("noise is off by %g", sqrt(wrong / power));
    sky_free(&made);
}

static void expect_error(const char *params, const ct_observation *said, const char *part)
{
    sky made;
    ct_error err = {0};
    assert_int_equal(sky_try(&made, params, said, &err), CT_INVALID);
    if (!strstr(err.text, part)) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    sky_free(&made);
}

static void mistakes_are_named(void **unused)
{
    static const ct_observation said = {.site = site};
    (void)unused;
    expect_error("{\"samples\": 9, \"pulses\": [{\"ra_deg\": 3}]}", &said, "ra_deg needs dec_deg");
    expect_error("{\"samples\": 9, \"tones\": [{\"dec_deg\": 3}]}", &said, "dec_deg needs ra_deg");
    expect_error("{\"samples\": 9, \"tones\": [{" CYG_A ", \"el\": 90}]}", &said, "found both");
    expect_error("{\"samples\": 9, \"tones\": [{\"ra_deg\": 361, \"dec_deg\": 1}]}", &said,
                 "ra_deg is 361, expected 0 to 360");
    expect_error("{\"samples\": 9, \"tones\": [{" CYG_A "}]}", NULL,
                 "says neither \"site\" nor \"stations\"");
    expect_error("{\"samples\": 9, \"start_mjd\": 0, \"tones\": [{" CYG_A "}]}", &said,
                 "directions on the sky need the date");
}

/* Those of the observation, where the source names none. */
static void stations_are_the_observations(void **unused)
{
    static const double station[2][3] = {{3826577.462, 461022.624, 5064892.526},
                                         {3826600.3, 460953.4, 5064881.1}};
    static const ct_observation said = {.site = site, .stations = 2, .station = station};
    sky made;
    ct_error err = {0};
    (void)unused;
    assert_int_equal(sky_try(&made, "{\"samples\": 9}", &said, &err), CT_OK);
    assert_int_equal(ct_array_extent(&made.step->port[0], 'S'), 2);
    const simulation *sim = made.step->state;
    const double *r = sim->position[1];
    const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    assert_true(fabs(length - sqrt(22.838 * 22.838 + 69.224 * 69.224 + 11.426 * 11.426)) < 1e-3);
    sky_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tones_follow_the_sky), cmocka_unit_test(noise_follows_the_sky),
        cmocka_unit_test(mistakes_are_named), cmocka_unit_test(stations_are_the_observations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
