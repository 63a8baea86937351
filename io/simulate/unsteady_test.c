/* unsteady_test.c: bursts, interference and few bits of a simulated filterbank, against closed
 * formulas. Room: tests of io/simulate. */
#include "sky_trial.h"

/* A burst that is shorter than a sample and smeared over several: each sample has the mean over its
 * own length of a normal distribution that is spread over the smear, here by summing finely. */
static void test_filterbank_samples_are_means(void **state)
{
    sky made = sky_open("{\"kind\": \"filterbank\", \"samples\": 400, \"channels\": 3, \"type\": "
                        "\"f32\", \"frequency_hz\": 150e6, \"bandwidth_hz\": 3e6, \"noise\": 0, "
                        "\"level\": 0, \"pulses\": [{\"dm\": 2.5, \"time_s\": 0.1003, \"width_s\": "
                        "0.0003, \"amplitude\": 5}]}");
    ct_array all = sky_all(&made);
    const double top = 151, fine = 1000;
    (void)state;
    for (int c = 0; c < 3; c++) {
        const double mhz = 149 + c, half = 0.5;
        const double k = 4.148808e3 * 2.5, delay = k * (1 / (mhz * mhz) - 1 / (top * top));
        const double smear = k * (1 / pow(mhz - half, 2) - 1 / pow(mhz + half, 2));
        for (int t = 0; t < 400; t++) {
            double sum = 0;
            for (int n = 0; n < (int)fine; n++) {
                const double x = (t - 0.5 + (n + 0.5) / fine) * 1e-3 - 0.1003 - delay;
                const double w = 0.0003 * sqrt(2);
                sum += (erf((x + 0.5 * smear) / w) - erf((x - 0.5 * smear) / w)) / smear;
            }
            sum *= 5 * 0.0003 * sqrt(TWO_PI) * 0.5 / fine;
            assert_true(fabs(ct_array_load(&all, t * 3 + c).re - sum) < 1e-5);
        }
    }
    free(all.data);
    sky_close(&made);
}

/* On for 0.3 of every 2.3 s, in the three channels that it covers; a step of the gain multiplies
 * all. */
static void test_filterbank_interference_comes_and_goes(void **state)
{
    sky made = sky_open(
        "{\"kind\": \"filterbank\", \"samples\": 7001, \"channels\": 9, \"type\": \"f32\", "
        "\"frequency_hz\": 1e9, \"bandwidth_hz\": 9e6, \"noise\": 0, \"level\": 10, \"tones\": "
        "[{\"frequency_hz\": 1e6, \"width_hz\": 2e6, \"amplitude\": 4, \"time_s\": 0.4, "
        "\"period_s\": 2.3, \"on_s\": 0.3}, {\"frequency_hz\": -4e6, \"amplitude\": 2, \"time_s\": "
        "3}], "
        "\"gains\": [{\"amplitude\": 0.5, \"time_s\": 2.0}, {\"amplitude\": 0.1, \"period_s\": "
        "0.7}]}");
    ct_array all = sky_all(&made);
    (void)state;
    for (int t = 0; t < 7001; t++)
        for (int c = 0; c < 9; c++) {
            const int since = t - 400;
            const bool on = c >= 4 && c <= 6 && since >= 0 && since % 2300 < 300;
            const double power = 10 + (on ? 4 : 0) + (c == 0 && t >= 3000 ? 2 : 0);
            const double gain = (t >= 2000 ? 1.5 : 1) * (1 + 0.1 * sin(TWO_PI * t / 700));
            if (fabs(ct_array_load(&all, t * 9 + c).re - power * gain) > 1e-4)
                fail_msg("sample %d, channel %d: %g", t, c, ct_array_load(&all, t * 9 + c).re);
        }
    free(all.data);
    sky_close(&made);
}

/* Where it is on is drawn anew in each period, and the same in all channels; it lasts as long as
 * said. */
static void test_filterbank_tone_jitters(void **state)
{
    sky made =
        sky_open("{\"kind\": \"filterbank\", \"samples\": 100000, \"channels\": 3, \"type\": "
                 "\"f32\", \"frequency_hz\": 1e9, \"bandwidth_hz\": 3e6, \"noise\": 0, \"level\": "
                 "0, \"tones\": [{\"width_hz\": 3e6, \"period_s\": 1, \"on_s\": 0.25, "
                 "\"jitter\": 1}]}");
    ct_array all = sky_all(&made);
    double sum = 0, squares = 0;
    (void)state;
    for (int period = 0; period < 100; period++) {
        int count = 0, first = -1;
        for (int t = 1000 * period; t < 1000 * period + 1000; t++) {
            const double x = ct_array_load(&all, 3 * t).re;
            assert_true(x == ct_array_load(&all, 3 * t + 1).re);
            if (x > 0 && first < 0) first = t - 1000 * period;
            count += x > 0;
        }
        assert_in_range(count, 249, 251);
        sum += first;
        squares += (double)first * first;
    }
    /* evenly between 0 and 750: mean 375, variance 750^2 / 12 */
    assert_true(fabs(sum / 100 - 375) < 75);
    assert_true(fabs(squares / 100 - sum / 100 * sum / 100 - 46875) < 15000);
    free(all.data);
    sky_close(&made);
}

static void test_few_bits(void **state)
{
    static const struct {
        const char *how;
        double most, mean;
    } few[] = {{"\"bits\": 1, \"scale\": 1, \"level\": 0.5", 1, 0.5},
               {"\"bits\": 2, \"scale\": 1, \"level\": 24, \"offset\": -22.5", 3, 1.5},
               {"\"bits\": 4, \"scale\": 3, \"level\": 2.5", 15, 7.5}};
    (void)state;
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        char params[256];
        snprintf(params, sizeof params,
                 "{\"kind\": \"filterbank\", \"samples\": 10007, \"channels\": 5, %s}", few[k].how);
        sky made = sky_open(params);
        ct_array all = sky_all(&made);
        double sum = 0, highest = 0;
        for (int64_t i = 0; i < 50035; i++) {
            const double x = ct_array_load(&all, i).re;
            sum += x;
            highest = fmax(highest, x);
        }
        assert_true(highest == few[k].most);
        assert_true(fabs(sum / 50035 - few[k].mean) < 0.02 * few[k].mean);
        free(all.data);
        sky_close(&made);
    }
}

#define POWER "{\"kind\": \"filterbank\", \"samples\": 9, "

static void test_mistakes_are_named(void **state)
{
    (void)state;
    expect_error("{\"samples\": 9, \"gains\": []}", "only the kind \"filterbank\"");
    expect_error("{\"samples\": 9, \"tones\": [{\"on_s\": 1}]}", "unknown key \"on_s\"");
    expect_error(POWER "\"tones\": [{\"on_s\": 1}]}", "expected a part of a period_s");
    expect_error(POWER "\"tones\": [{\"period_s\": 1}]}", "on for 0 s of every 1");
    expect_error(POWER "\"tones\": [{\"period_s\": 1e-6, \"on_s\": 1e-6}]}", "at least a sample");
    expect_error(POWER "\"gains\": {}}", "a list of gains");
    expect_error(POWER "\"gains\": [{\"width_s\": 1}]}", "unknown key \"width_s\"");
    expect_error(POWER "\"bits\": 2, \"type\": \"f32\"}", "2 bits of f32, expected of u8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filterbank_samples_are_means),
        cmocka_unit_test(test_filterbank_interference_comes_and_goes),
        cmocka_unit_test(test_filterbank_tone_jitters),
        cmocka_unit_test(test_few_bits),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
