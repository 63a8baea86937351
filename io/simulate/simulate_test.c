/* simulate_test.c: what the simulator makes against closed formulas: envelope, dispersion,
 * geometry, quantisation, blocks. Its parts are in sky_test.c.
 * Room: tests of io/simulate. */
#include "sky_trial.h"

static ct_complex voltage(const ct_array *block, int64_t s, int64_t p, int64_t t)
{
    return ct_array_load(block, s * ct_array_stride(block, 'S') + p * ct_array_stride(block, 'P') +
                                    t * ct_array_stride(block, 'T'));
}

/* ---- voltages */

static void test_pulse_has_its_envelope(void **state)
{
    sky made = sky_open("{\"samples\": 60000, \"type\": \"cf32\", \"noise\": 0, \"pulses\": "
                        "[{\"time_s\": 0.15, \"width_s\": 0.01, \"amplitude\": 3}]}");
    ct_array all = sky_all(&made);
    double power = 0, first = 0, second = 0;
    (void)state;
    for (int64_t t = 0; t < 60000; t++) {
        ct_complex x = voltage(&all, 0, 0, t);
        double p = x.re * x.re + x.im * x.im, at = (double)t * 5.12e-6;
        power += p;
        first += p * at;
        second += p * (at - 0.15) * (at - 0.15);
    }
    /* power A^2 exp(-(t-t0)^2/w^2): integral A^2 w sqrt(pi), centre t0, variance w^2 / 2 */
    assert_true(fabs(power * 5.12e-6 / (9 * 0.01 * sqrt(TWO_PI / 2)) - 1) < 0.06);
    assert_true(fabs(first / power - 0.15) < 6e-4);
    assert_true(fabs(second / power / 0.5e-4 - 1) < 0.1);
    free(all.data);
    sky_close(&made);
}

/* Needs no room for what is outside. */
static void test_pulse_may_be_wider_than_all(void **state)
{
    sky made = sky_open("{\"samples\": 4096, \"type\": \"cf32\", \"noise\": 0, \"stations\": "
                        "[[0, 0, 0], [3000, 0, 0]], \"pulses\": "
                        "[{\"time_s\": 100, \"width_s\": 1e5, \"amplitude\": 3, \"dm\": 0.01, "
                        "\"az\": 90, \"el\": 20}]}");
    ct_array all = sky_all(&made);
    (void)state;
    for (int64_t s = 0; s < 2; s++)
        for (int64_t part = 0; part < 4; part++) {
            double power = 0;
            for (int64_t t = part * 1024; t < (part + 1) * 1024; t++) {
                ct_complex x = voltage(&all, s, 0, t);
                power += x.re * x.re + x.im * x.im;
            }
            assert_true(fabs(power / 1024 / 9 - 1) < 0.15);
        }
    free(all.data);
    sky_close(&made);
}

/* Power of one frequency (Hz from the centre) in Gaussian windows, and when it is strongest. */
static double strongest_s(const ct_array *all, int64_t total, double hz)
{
    enum { HALF = 400, STEP = 50 };
    double best = -1, at = 0;
    for (int64_t middle = HALF; middle + HALF < total; middle += STEP) {
        double re = 0, im = 0;
        for (int64_t t = middle - HALF; t < middle + HALF; t++) {
            double away = (double)(t - middle) / 150.0, weight = exp(-0.5 * away * away);
            double angle = -TWO_PI * hz * (double)t * 5.12e-6;
            ct_complex x = voltage(all, 0, 0, t);
            re += weight * (x.re * cos(angle) - x.im * sin(angle));
            im += weight * (x.re * sin(angle) + x.im * cos(angle));
        }
        if (re * re + im * im > best) {
            best = re * re + im * im;
            at = (double)middle * 5.12e-6;
        }
    }
    return at;
}

static void test_dispersion_delays_low_frequencies(void **state)
{
    /* 150 MHz, 195 kHz: DM 100 takes 48 ms from edge to edge */
    sky made = sky_open("{\"samples\": 40000, \"type\": \"cf32\", \"noise\": 0, \"pulses\": "
                        "[{\"time_s\": 0.05, \"width_s\": 0.0005, \"dm\": 100}]}");
    ct_array all = sky_all(&made);
    double top = 150e6 + 97656.25;
    (void)state;
    for (int k = -2; k <= 2; k++) {
        double hz = 40000.0 * k, mhz = (150e6 + hz) * 1e-6;
        double delay = 4.148808e3 * 100 * (1 / (mhz * mhz) - 1 / (top * top * 1e-12));
        assert_true(fabs(strongest_s(&all, 40000, hz) - 0.05 - delay) < 0.0015);
    }
    free(all.data);
    sky_close(&made);
}

static void test_tone_has_the_geometric_phase(void **state)
{
    sky made = sky_open("{\"samples\": 500, \"type\": \"cf32\", \"noise\": 0, \"stations\": "
                        "[[0, 0, 0], [31, -7, 2], [-40, 55, 0]], \"tones\": "
                        "[{\"frequency_hz\": 12345, \"amplitude\": 2, \"az\": 40, \"el\": 60}]}");
    ct_array all = sky_all(&made);
    const double position[3][3] = {{0, 0, 0}, {31, -7, 2}, {-40, 55, 0}};
    double u[3];
    (void)state;
    ct_sky_direction(40, 60, u);
    for (int s = 0; s < 3; s++) {
        double tau =
            -(position[s][0] * u[0] + position[s][1] * u[1] + position[s][2] * u[2]) / 299792458.0;
        for (int t = 0; t < 500; t++) {
            double cycles = 12345 * 5.12e-6 * t - (150e6 + 12345) * tau;
            ct_complex x = voltage(&all, s, 1, t);
            assert_true(fabs(x.re - 2 * cos(TWO_PI * cycles)) < 1e-5);
            assert_true(fabs(x.im - 2 * sin(TWO_PI * cycles)) < 1e-5);
        }
    }
    free(all.data);
    sky_close(&made);
}

/* A delayed pulse is the undelayed one times exp(-2 pi i f tau): stations differ by a phase. */
static void test_pulse_has_the_geometric_phase(void **state)
{
    sky made = sky_open("{\"samples\": 8000, \"type\": \"cf32\", \"noise\": 0, \"stations\": "
                        "[[0, 0, 0], [20, 10, 0]], \"pulses\": [{\"time_s\": 0.02, \"width_s\": "
                        "0.004, \"dm\": 10, \"az\": 40, \"el\": 60}]}");
    ct_array all = sky_all(&made);
    double u[3], re = 0, im = 0;
    (void)state;
    for (int64_t t = 0; t < 8000; t++) {
        ct_complex a = voltage(&all, 0, 0, t), b = voltage(&all, 1, 0, t);
        re += b.re * a.re + b.im * a.im;
        im += b.im * a.re - b.re * a.im;
    }
    ct_sky_direction(40, 60, u);
    double expected = TWO_PI * 150e6 * (20 * u[0] + 10 * u[1]) / 299792458.0;
    double residual = remainder(atan2(im, re) - expected, TWO_PI);
    assert_true(fabs(residual) < 0.5 / 57.3); /* the spectrum is not quite symmetric */
    free(all.data);
    sky_close(&made);
}

static void test_noise_is_scaled_and_clipped(void **state)
{
    sky made = sky_open("{\"samples\": 50000, \"noise\": 1, \"scale\": 20, \"seed\": 3}");
    sky loud = sky_open("{\"samples\": 5000, \"noise\": 1, \"scale\": 1000}");
    ct_array all = sky_all(&made), clipped = sky_all(&loud);
    double power = 0, cross = 0;
    int64_t at_limit = 0;
    (void)state;
    assert_int_equal(all.type, CT_CI8);
    for (int64_t t = 0; t < 50000; t++) {
        ct_complex x = voltage(&all, 0, 0, t), y = voltage(&all, 0, 1, t);
        power += (x.re * x.re + x.im * x.im) / 50000;
        cross += (x.re * y.re + x.im * y.im) / 50000;
    }
    assert_true(fabs(power - 400) < 10 && fabs(cross) < 10);
    for (int64_t t = 0; t < 5000; t++) {
        ct_complex x = voltage(&clipped, 0, 0, t);
        at_limit += x.re == 127 || x.re == -128;
    }
    assert_true(at_limit > 4000); /* sigma is 707 counts: 86 % lie beyond 127 */
    free(all.data);
    free(clipped.data);
    sky_close(&made);
    sky_close(&loud);
}

static void test_seeds_repeat(void **state)
{
    const char *params[] = {"{\"samples\": 300, \"seed\": 7}", "{\"samples\": 300, \"seed\": 7}",
                            "{\"samples\": 300, \"seed\": 8}"};
    ct_array all[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        sky made = sky_open(params[k]);
        all[k] = sky_all(&made);
        sky_close(&made);
    }
    assert_memory_equal(all[0].data, all[1].data, ct_array_bytes(&all[0]));
    assert_memory_not_equal(all[0].data, all[2].data, ct_array_bytes(&all[0]));
    for (int k = 0; k < 3; k++)
        free(all[k].data);
}

/* Pieces in another layout hold the same numbers; the last one is short. */
static void test_blocks_and_layouts(void **state)
{
    const char *params = "{\"samples\": 1000, \"stations\": 3, \"type\": \"ci16\"}";
    sky whole = sky_open(params), parts = sky_open(params);
    ct_array all = sky_all(&whole);
    (void)state;
    for (int64_t from = 0; from < 1000; from += 300) {
        int64_t got, left = from + 300 <= 1000 ? 300 : 1000 - from;
        ct_array block = sky_read(&parts, 300, "TSP", &got);
        assert_int_equal(got, left);
        for (int64_t k = 0; k < 3 * 2 * left; k++) {
            int64_t s = k / (2 * left), p = k / left % 2, t = k % left;
            ct_complex x = voltage(&block, s, p, t), y = voltage(&all, s, p, from + t);
            assert_true(x.re == y.re && x.im == y.im);
        }
        free(block.data);
    }
    free(all.data);
    sky_close(&whole);
    sky_close(&parts);
}

/* ---- filterbank */

static void test_filterbank_pulse_arrives_channel_by_channel(void **state)
{
    sky made = sky_open("{\"kind\": \"filterbank\", \"samples\": 900, \"channels\": 7, \"type\": "
                        "\"f32\", \"frequency_hz\": 150e6, \"bandwidth_hz\": 7e6, \"noise\": 0, "
                        "\"level\": 0, \"pulses\": [{\"dm\": 20, \"time_s\": 0.1, \"width_s\": "
                        "0.004, \"amplitude\": 5}]}");
    ct_array all = sky_all(&made);
    (void)state;
    for (int c = 0; c < 7; c++) {
        double mhz = 147 + c, sum = 0, first = 0;
        double delay = 4.148808e3 * 20 * (1 / (mhz * mhz) - 1 / (153.0 * 153.0));
        for (int t = 0; t < 900; t++) {
            double x = ct_array_load(&all, t * 7 + c).re;
            sum += x * 1e-3;
            first += x * 1e-3 * t * 1e-3;
        }
        assert_true(fabs(sum - 5 * 0.004 * sqrt(TWO_PI)) < 1e-4);
        assert_true(fabs(first / sum - 0.1 - delay) < 1e-4);
        assert_true(fabs(made.step->port[0].meta.frequency_hz[c] - mhz * 1e6) < 1e-3);
    }
    free(all.data);
    sky_close(&made);
}

/* ---- mistakes */

static void test_mistakes_are_named(void **state)
{
    (void)state;
    expect_error("{}", "samples");
    expect_error("{\"samples\": 9, \"duration_s\": 1}", "both");
    expect_error("{\"samples\": 9, \"type\": \"u8\"}", "cannot hold voltages");
    expect_error("{\"samples\": 9, \"stations\": 0}", "0 stations");
    expect_error("{\"samples\": 9, \"stations\": [[1, 2]]}", "[east, north, up]");
    expect_error("{\"samples\": 9, \"stations\": \"none.parset\"}", "none.parset");
    expect_error("{\"samples\": 9, \"pulses\": [{\"width\": 1}]}", "unknown key \"width\"");
    expect_error("{\"samples\": 9, \"pulses\": [{\"width_s\": 0}]}",
                 "width_s is 0, expected 1e-12");
    expect_error("{\"samples\": 9, \"pulses\": [{\"dm\": -1}]}", "dm is -1, expected 0");
    expect_error("{\"samples\": 9, \"pulses\": [{\"dm\": 1e20}]}", "dm is 1e+20");
    expect_error("{\"samples\": 9, \"pulses\": [{\"dm\": 1e9}]}", "the longest sweep included");
    expect_error("{\"samples\": 9, \"pulsar\": {\"period_s\": 1e-9}}", "at least a sample");
    expect_error("{\"samples\": 9, \"pulses\": {\"dm\": 3}}", "a list of pulses");
    expect_error("{\"samples\": 9, \"tones\": [{\"frequency_hz\": 2e5}]}", "200000");
    expect_error("{\"samples\": 9, \"kind\": \"filterbank\", \"frequency_hz\": 1e6}", "above 0");
    expect_error("{\"samples\": 900000000000}", "GB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulse_has_its_envelope),
        cmocka_unit_test(test_pulse_may_be_wider_than_all),
        cmocka_unit_test(test_dispersion_delays_low_frequencies),
        cmocka_unit_test(test_tone_has_the_geometric_phase),
        cmocka_unit_test(test_pulse_has_the_geometric_phase),
        cmocka_unit_test(test_noise_is_scaled_and_clipped),
        cmocka_unit_test(test_seeds_repeat),
        cmocka_unit_test(test_blocks_and_layouts),
        cmocka_unit_test(test_filterbank_pulse_arrives_channel_by_channel),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
