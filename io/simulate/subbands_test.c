/* subbands_test.c: voltages of many subbands against closed formulas: noise, steady sources, pulses
 * in each subband, tones, blocks; and the transform that they are made with. Room: tests of
 * io/simulate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "icrs.h"
#include "io/simulate/fourier.h"
#include "io/simulate/random.h"
#include "io/simulate/simulate.h"
#include "step.h"

#define TWO_PI 6.283185307179586477
#define LIGHT_M_S 299792458.0
#define WIDTH_HZ 195312.5
#define SAMPLE_S 5.12e-6
#define START_MJD 59759.0625

static const double site[3] = {3826577.462, 461022.624, 5064892.526};

typedef struct sky {
    ct_value *given;
    ct_step *step;
    ct_array all; /* S, P, T, C */
} sky;

static ct_status sky_try(sky *made, const char *params, ct_error *err)
{
    static const ct_observation said = {.site = site};
    const ct_source_location location = {.observation = &said};
    memset(made, 0, sizeof *made);
    assert_int_equal(ct_value_parse(&made->given, params, "test", err), CT_OK);
    ct_status status =
        ct_step_new(&made->step, &ct_stage_simulate, "sky", made->given, NULL, &location, err);
    return status == CT_OK ? ct_step_infer(made->step, err) : status;
}

/* All samples, read `each` at a time into a layout, then put in the natural order. */
static sky sky_read(const char *params, int64_t each, const char *layout)
{
    sky made;
    ct_error err = {0};
    ct_layout order;
    void *state;
    if (sky_try(&made, params, &err) != CT_OK) fail_msg("%s", err.text);
    made.all = made.step->port[0];
    ct_array_dense(&made.all, NULL);
    made.all.data = calloc(1, ct_array_bytes(&made.all));
    const int64_t total = made.all.meta.total;
    ct_array block = made.all;
    block.extent[2] = each;
    assert_int_equal(ct_layout_parse(&order, layout, &err), CT_OK);
    assert_true(ct_array_dense(&block, &order));
    block.data = malloc(ct_array_bytes(&block));
    assert_int_equal(ct_stage_simulate.io.open(made.step, &state, &err), CT_OK);
    for (int64_t t = 0, got = 0; t < total; t += got) {
        assert_int_equal(ct_stage_simulate.io.read(state, &block, NULL, &got, &err), CT_OK);
        ct_array from = ct_array_part(&block, 'T', 0, got);
        ct_array to = ct_array_part(&made.all, 'T', t, got);
        ct_copy_array(&to, &from);
    }
    assert_int_equal(ct_stage_simulate.io.close(state, true, &err), CT_OK);
    free(block.data);
    return made;
}

static sky sky_make(const char *params)
{
    return sky_read(params, 5000, "SCTP");
}

static void sky_free(sky *made)
{
    free(made->all.data);
    ct_step_free(made->step);
    ct_value_free(made->given);
}

static ct_complex voltage(const sky *made, int64_t s, int64_t p, int64_t t, int64_t c)
{
    const int64_t *by = made->all.stride;
    return ct_array_load(&made->all, s * by[0] + p * by[1] + t * by[2] + c * by[3]);
}

/* Mean of x conj(y) of two series over samples from `first` on. */
static ct_complex product(const sky *made, int64_t s, int64_t other, int64_t c, int64_t first,
                          int64_t count)
{
    ct_complex sum = {0, 0};
    for (int64_t t = first; t < first + count; t++) {
        const ct_complex x = voltage(made, s, 0, t, c), y = voltage(made, other, 0, t, c);
        sum.re += (x.re * y.re + x.im * y.im) / (double)count;
        sum.im += (x.im * y.re - x.re * y.im) / (double)count;
    }
    return sum;
}

static double channel_hz(const sky *made, int64_t c)
{
    return made->step->port[0].meta.frequency_hz[c];
}

/* ---- its parts */

static void transforms_and_back(void **unused)
{
    ct_error err = {0};
    sky made;
    (void)unused;
    assert_int_equal(sky_try(&made, "{\"samples\": 9, \"subbands\": 1}", &err), CT_OK);
    for (int64_t n = 8; n <= 1024; n *= 2) {
        const sim_fourier fourier = ct_fourier_new(made.step, n);
        const sim_wave data = ct_fourier_wave(made.step, n), work = ct_fourier_wave(made.step, n);
        for (int64_t t = 0; t < n; t++) { /* two lines */
            data.re[t] = (float)(cos(TWO_PI * 3 * (double)t / (double)n) + 0.5);
            data.im[t] = (float)sin(TWO_PI * 3 * (double)t / (double)n);
        }
        ct_fourier_forward(&fourier, data, work);
        for (int64_t k = 0; k < n; k++) {
            const double is = (k == 3 ? (double)n : 0) + (k == 0 ? 0.5 * (double)n : 0);
            assert_true(hypot(data.re[k] - is, data.im[k]) < 1e-6 * (double)n);
        }
        ct_fourier_backward(&fourier, data, work);
        for (int64_t t = 0; t < n; t++) {
            const double angle = TWO_PI * 3 * (double)t / (double)n;
            assert_true(fabs(data.re[t] / (double)n - cos(angle) - 0.5) < 1e-6);
            assert_true(fabs(data.im[t] / (double)n - sin(angle)) < 1e-6);
        }
    }
    sky_free(&made);
}

/* The error function gives the part below each number of the table, which should lie in its own
 * row. */
static void table_is_normal(void **unused)
{
    float table[CT_RANDOM_ROWS];
    double mean = 0, power = 0, fourth = 0;
    (void)unused;
    ct_random_table(table);
    for (int k = 0; k < CT_RANDOM_ROWS; k++) {
        const double x = table[k], below = 0.5 * erfc(-x * sqrt(0.5)) * CT_RANDOM_ROWS;
        assert_true(below > k - 0.05 && below < k + 1.05);
        mean += x / CT_RANDOM_ROWS;
        power += x * x / CT_RANDOM_ROWS;
        fourth += x * x * x * x / CT_RANDOM_ROWS;
    }
    assert_true(fabs(mean) < 1e-6 && fabs(power - 1) < 1e-6 && fabs(fourth - 3) < 3e-3);
}

/* ---- what is made */

#define ALL_KINDS                                                                                  \
    "\"stations\": [[0, 0, 0], [1310, -700, 20], [-90, 40, 0]], \"subbands\": 5, \"sb\": 51, "     \
    "\"samples\": 41003, \"sources\": [{\"amplitude\": 0.3, \"az\": 10, \"el\": 50}], "            \
    "\"pulsar\": {\"dm\": 3, \"period_s\": 0.05, \"time_s\": 0.01, \"width_s\": 0.001}, "          \
    "\"tones\": [{\"frequency_hz\": -3e5, \"amplitude\": 0.2, \"az\": 90, \"el\": 20}]"

static void same_for(const sky *whole, const char *params, int64_t each, const char *layout)
{
    sky made = sky_read(params, each, layout);
    assert_memory_equal(made.all.data, whole->all.data, ct_array_bytes(&whole->all));
    sky_free(&made);
}

static void blocks_and_layouts_change_nothing(void **unused)
{
    (void)unused;
    sky whole = sky_read("{" ALL_KINDS "}", 41003, "SPTC");
    same_for(&whole, "{" ALL_KINDS "}", 997, "SCTP");
    same_for(&whole, "{" ALL_KINDS "}", 16384, "CSPT");
    same_for(&whole, "{" ALL_KINDS "}", 160, "TCSP");
    sky_free(&whole);
    sky words = sky_read("{\"type\": \"ci16\", " ALL_KINDS "}", 41003, "SPTC");
    same_for(&words, "{\"type\": \"ci16\", " ALL_KINDS "}", 5003, "TPSC");
    sky_free(&words);
}

static void noise_is_each_one_s_own(void **unused)
{
    (void)unused;
    sky made = sky_make("{\"stations\": 2, \"subbands\": 2, \"sb\": 99, \"samples\": 40000}");
    for (int64_t row = 0; row < 8; row++)
        for (int64_t other = 0; other <= row; other++) {
            double re = 0, im = 0, square = 0;
            for (int64_t t = 0; t < 40000; t++) {
                const ct_complex x = voltage(&made, row / 4, row / 2 % 2, t, row % 2);
                const ct_complex y = voltage(&made, other / 4, other / 2 % 2, t, other % 2);
                const double part = x.re * y.re + x.im * y.im;
                re += part / 40000;
                im += (x.im * y.re - x.re * y.im) / 40000;
                square += part * part / 40000;
            }
            /* 16 counts for a unit; an integer's rounding adds 1/12 in each part */
            const double is = row == other ? 256 + 1.0 / 6 : 0;
            assert_true(fabs(re - is) < 256 * 0.025 && fabs(im) < 256 * 0.025);
            if (row == other) assert_true(fabs(square / (is * is) - 2) < 0.1);
        }
    sky_free(&made);
}

/* White noise over a band: the mean product is A^2 sinc(B (tau' - tau)) exp(-2 pi i f_c (tau' -
 * tau)). */
static void steady_source_has_its_place(void **unused)
{
    static const double at[3][3] = {{0, 0, 0}, {61, -70, 20}, {1190, 240, 0}};
    double u[3];
    (void)unused;
    sky made =
        sky_make("{\"type\": \"cf32\", \"noise\": 0, \"subbands\": 3, \"sb\": 211, \"samples\": "
                 "120000, \"stations\": [[0, 0, 0], [61, -70, 20], [1190, 240, 0]], "
                 "\"sources\": [{\"amplitude\": 1.5, \"az\": 40, \"el\": 60}]}");
    ct_sky_direction(40, 60, u);
    for (int64_t c = 0; c < 3; c++)
        for (int64_t s = 0; s < 3; s++) {
            const double tau = -(at[s][0] * u[0] + at[s][1] * u[1] + at[s][2] * u[2]) / LIGHT_M_S;
            const double x = TWO_PI / 2 * WIDTH_HZ * tau, high = x == 0 ? 1 : sin(x) / x;
            const double angle = -TWO_PI * channel_hz(&made, c) * tau;
            const ct_complex is = product(&made, s, 0, c, 0, 120000);
            assert_true(hypot(is.re - 2.25 * high * cos(angle), is.im - 2.25 * high * sin(angle)) <
                        0.03);
        }
    for (int64_t part = 0; part < 30; part++) /* as strong where windows meet as elsewhere */
        assert_true(fabs(product(&made, 1, 1, 1, part * 4000, 4000).re / 2.25 - 1) < 0.08);
    sky_free(&made);
}

static void earth_rotates_beneath_a_source(void **unused)
{
    static const double radec[2] = {299.8681525, 40.7339156};
    (void)unused;
    sky made =
        sky_make("{\"type\": \"cf32\", \"noise\": 0, \"subbands\": 1, \"sb\": 400, \"samples\": "
                 "400000, \"start_mjd\": 59759.0625, \"stations\": [[0, 0, 0], [9000, 0, 0]], "
                 "\"sources\": [{\"ra_deg\": 299.8681525, \"dec_deg\": 40.7339156}]}");
    double before = 0, moved = 0;
    for (int64_t t = 0; t + 10000 <= 400000; t += 10000) {
        double u[1][3];
        const ct_icrs_instant when = {START_MJD, ((double)t + 5000) * SAMPLE_S, 0};
        assert_int_equal(ct_icrs_directions(site, when, 1, &radec, u, NULL), CT_OK);
        const double angle = TWO_PI * channel_hz(&made, 0) * 9000 * u[0][0] / LIGHT_M_S;
        const ct_complex is = product(&made, 1, 0, 0, t, 10000);
        const double off = remainder(atan2(is.im, is.re) - angle, TWO_PI);
        assert_true(fabs(off) < 0.03);
        moved += t > 0 ? remainder(angle - before, TWO_PI) : 0;
        before = angle;
    }
    assert_true(fabs(moved) > 1); /* the Earth has rotated enough to be seen */
    sky_free(&made);
}

/* A pulse of width w has the energy A^2 w sqrt(pi) in each subband, about its delay in the middle.
 */
static void pulse_sweeps_through_subbands(void **unused)
{
    (void)unused;
    sky made =
        sky_make("{\"type\": \"cf32\", \"noise\": 0, \"subbands\": 4, \"sb\": 100, \"samples\": "
                 "60000, \"pulses\": [{\"time_s\": 0.06, \"width_s\": 0.002, \"amplitude\": 3, "
                 "\"dm\": 40}]}");
    const double top = channel_hz(&made, 3) + 0.5 * WIDTH_HZ;
    for (int64_t c = 0; c < 4; c++) {
        const double hz = channel_hz(&made, c);
        const double late = 4.148808e15 * 40 * (1 / (hz * hz) - 1 / (top * top));
        double power = 0, first = 0;
        for (int64_t t = 0; t < 60000; t++) {
            const ct_complex x = voltage(&made, 0, 1, t, c);
            const double p = x.re * x.re + x.im * x.im;
            power += p;
            first += p * (double)t * SAMPLE_S;
        }
        assert_true(fabs(power * SAMPLE_S / (9 * 0.002 * sqrt(TWO_PI / 2)) - 1) < 0.15);
        assert_true(fabs(first / power - 0.06 - late) < 0.001);
    }
    sky_free(&made);
}

static void tone_is_in_its_subband(void **unused)
{
    (void)unused;
    sky made =
        sky_make("{\"type\": \"cf32\", \"noise\": 0, \"subbands\": 3, \"sb\": 100, \"samples\": "
                 "700, \"stations\": [[0, 0, 0], [0, 55, 0]], \"tones\": [{\"frequency_hz\": "
                 "-150000, \"amplitude\": 2, \"az\": 0, \"el\": 0}]}");
    const double hz = channel_hz(&made, 1) - 150000, tau = -55 / LIGHT_M_S;
    for (int64_t t = 0; t < 700; t++)
        for (int64_t s = 0; s < 2; s++)
            for (int64_t c = 0; c < 3; c++) {
                const double at = (hz - channel_hz(&made, c)) * (double)t * SAMPLE_S;
                const double angle = TWO_PI * (at - (s == 1 ? hz * tau : 0)), high = c == 0 ? 2 : 0;
                const ct_complex x = voltage(&made, s, 0, t, c);
                assert_true(hypot(x.re - high * cos(angle), x.im - high * sin(angle)) < 1e-4);
            }
    sky_free(&made);
}

static void mistakes_are_named(void **unused)
{
    static const char *const given[][2] = {
        {"{\"samples\": 9, \"subbands\": 300, \"sb\": 300}", "end at 599, expected at most 511"},
        {"{\"samples\": 9, \"sources\": []}", "expected \"subbands\", too"},
        {"{\"samples\": 9, \"subbands\": 2, \"sources\": 3}", "a list of sources"},
        {"{\"samples\": 9, \"subbands\": 2, \"sources\": [{\"rms\": 1}]}", "unknown key \"rms\""},
        {"{\"samples\": 9, \"subbands\": 2, \"kind\": \"filterbank\"}", "subbands: only the kind"},
        {"{\"samples\": 9, \"subbands\": 2, \"pulses\": [{\"width_s\": 100}]}",
         "\"sources\" are steady"},
        {"{\"samples\": 9, \"subbands\": 488, \"sb\": 12, \"pulses\": [{\"dm\": 20000}]}",
         "pulses would take"}};
    (void)unused;
    for (size_t k = 0; k < sizeof given / sizeof given[0]; k++) {
        sky made;
        ct_error err = {0};
        assert_int_equal(sky_try(&made, given[k][0], &err), CT_INVALID);
        if (!strstr(err.text, given[k][1])) fail_msg("\"%s\" lacks \"%s\"", err.text, given[k][1]);
        sky_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_and_back),
        cmocka_unit_test(table_is_normal),
        cmocka_unit_test(blocks_and_layouts_change_nothing),
        cmocka_unit_test(noise_is_each_one_s_own),
        cmocka_unit_test(steady_source_has_its_place),
        cmocka_unit_test(earth_rotates_beneath_a_source),
        cmocka_unit_test(pulse_sweeps_through_subbands),
        cmocka_unit_test(tone_is_in_its_subband),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
