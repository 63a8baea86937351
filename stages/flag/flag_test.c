/* flag_test.c: how often noise is flagged, how seldom a steady tone is not; mistakes are said. That
 * kernels agree with the reference is verify's part.
 * Room: stages/flag, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stage.h"
#include "stages/flag/flag.h"

enum { SAMPLES = 1000 };

static double unit(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* Of `samples` voltages: noise of power 1, with a tone of this power. */
static double kurtosis_of(uint64_t *state, int samples, double tone)
{
    const double n = samples;
    double sum = 0, squares = 0;
    for (int k = 0; k < samples; k++) {
        double power = -log(unit(state));
        if (tone > 0) {
            const double phase = 6.283185307179586 * unit(state), of = sqrt(power);
            const double re = of * cos(phase) + sqrt(tone), im = of * sin(phase);
            power = re * re + im * im;
        }
        sum += power;
        squares += power * power;
    }
    return (n + 1) / (n - 1) * (n * squares / (sum * sum) - 1);
}

static double outside(int windows, int samples, double tone, ct_flag_range range)
{
    uint64_t state = 88172645463325252u;
    int found = 0;
    for (int k = 0; k < windows; k++) {
        const double value = kurtosis_of(&state, samples, tone);
        found += value < range.low || value > range.high;
    }
    return (double)found / windows;
}

static void noise_is_flagged_as_often_as_asked(void **state)
{
    (void)state;
    const ct_flag_range range = ct_flag_kurtosis(SAMPLES, 1, 0.0027);
    assert_true(fabs(range.low - 0.835) < 0.005 && fabs(range.high - 1.224) < 0.006);
    assert_true(fabs(outside(60000, SAMPLES, 0, range) - 0.0027) < 0.0003);
    assert_true(fabs(outside(60000, 100, 0, ct_flag_kurtosis(100, 1, 0.02)) - 0.02) < 0.002);
}

static void steady_tones_are_flagged(void **state)
{
    (void)state;
    assert_true(outside(1000, SAMPLES, 1.5, ct_flag_kurtosis(SAMPLES, 1, 0.0027)) >= 0.99);
}

/* The fewer samples, the wider; with almost none everything passes. */
static void few_samples_have_wide_limits(void **state)
{
    (void)state;
    ct_flag_range last = {-INFINITY, INFINITY};
    for (int64_t samples = CT_FLAG_LEAST; samples <= 65536; samples *= 2) {
        const ct_flag_range range = ct_flag_kurtosis(samples, 1, 0.0027);
        assert_true(range.low > last.low && range.high < last.high);
        assert_true(range.low > 0 && range.low < 1 && range.high > 1);
        last = range;
    }
}

/* Of powers that are sums of eight: their kurtosis has other limits, as often passed as asked. */
static double outside_of_sums(int windows, int samples, int each, ct_flag_range range)
{
    uint64_t state = 1442695040888963407u;
    int found = 0;
    for (int k = 0; k < windows; k++) {
        const double n = samples, shape = each;
        double sum = 0, squares = 0;
        for (int t = 0; t < samples; t++) {
            double product = 1;
            for (int i = 0; i < each; i++)
                product *= unit(&state);
            sum -= log(product);
            squares += log(product) * log(product);
        }
        const double value = (n * shape + 1) / (n - 1) * (n * squares / (sum * sum) - 1);
        found += value < range.low || value > range.high;
    }
    return (double)found / windows;
}

static void noise_of_sums_is_flagged_as_often_as_asked(void **state)
{
    (void)state;
    assert_true(fabs(outside_of_sums(10000, 200, 8, ct_flag_kurtosis(200, 8, 0.02)) - 0.02) <
                0.005);
    assert_true(fabs(outside_of_sums(4000, 300, 32, ct_flag_kurtosis(300, 32, 0.05)) - 0.05) <
                0.012);
}

/* Many powers in each sample make it Gaussian: the variance is that of a variance, 2 / (M - 1). */
static void many_powers_have_the_limits_of_a_variance(void **state)
{
    (void)state;
    const ct_flag_range range = ct_flag_kurtosis(4096, 1e6, 0.0027);
    assert_true(fabs(range.high - range.low - 6 * sqrt(2.0 / 4095)) < 0.002);
}

/* Masks of the package iqrm 0.2.0 (iqrm_mask, radius 4, threshold 3): a ramp with three high
 * channels, one that is low, and one that is no number. */
static void masks_are_those_of_iqrm(void **state)
{
    (void)state;
    static const ct_flag_nearby nearby = {.lags = 4, .lag = {1, 2, 3, 4}};
    double x[61], room[3 * 61];
    bool mask[61] = {false};
    uint64_t random = 88172645463325252u;
    for (int c = 0; c < 61; c++)
        x[c] = 0.1 * c + unit(&random);
    x[0] += 9;
    x[17] += 7;
    x[18] += 8;
    x[60] += 6;
    x[40] -= 30;
    x[50] = NAN;
    ct_flag_iqrm(&nearby, 3, 0, x, 61, room, mask);
    for (int c = 0; c < 61; c++)
        assert_int_equal(mask[c], c == 0 || c == 17 || c == 18 || c == 60);
    memset(mask, 0, sizeof mask);
    ct_flag_iqrm(&nearby, 3, 7.5, x, 61, room, mask); /* of those the ones that are so far above */
    for (int c = 0; c < 61; c++)
        assert_int_equal(mask[c], c == 0 || c == 18);
}

static void windows_of_power_have_an_end(void **state)
{
    (void)state;
    ct_error err = {0};
    const ct_source_location location = {0};
    ct_value *given = NULL;
    ct_step *step = NULL;
    assert_int_equal(ct_value_parse(&given, "{\"window\": 4097}", "test", &err), CT_OK);
    assert_int_equal(
        ct_step_new(&step, &ct_stage_flag, "flag", given, ct_step_keys(), &location, &err), CT_OK);
    step->port[0] = stage_array("B=2 T=4097 C=3", CT_F32);
    assert_int_not_equal(ct_step_infer(step, &err), CT_OK);
    assert_non_null(strstr(err.text, "expected at most 4096 samples of power, found 4097"));
    ct_step_free(step);
    ct_value_free(given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_flagged_as_often_as_asked),
        cmocka_unit_test(steady_tones_are_flagged),
        cmocka_unit_test(few_samples_have_wide_limits),
        cmocka_unit_test(noise_of_sums_is_flagged_as_often_as_asked),
        cmocka_unit_test(many_powers_have_the_limits_of_a_variance),
        cmocka_unit_test(masks_are_those_of_iqrm),
        cmocka_unit_test(windows_of_power_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
