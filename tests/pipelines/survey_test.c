/* survey_test.c: a filterbank search as one pipeline: a simulated pulsar is found, ranges of trials
 * with different downsampling agree with plain sums, whatever the blocks.
 * Room: tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"

enum { CHANNELS = 50, SAMPLES = 6001, BAND_MHZ = 25, PERIOD = 250 };

#define SKY                                                                                        \
    "\"sky\": {\"stage\": \"source.simulate\", \"kind\": \"filterbank\", \"samples\": 6001,"       \
    " \"channels\": 50, \"frequency_hz\": 150e6, \"bandwidth_hz\": 25e6, \"sample_time_s\": 1e-3," \
    " \"type\": \"%s\", \"seed\": 5, \"pulsar\": {\"dm\": 12, \"period_s\": 0.25, \"time_s\": "    \
    "0.07, \"width_s\": 0.003, \"amplitude\": 1}}"

static void run(const char *const nodes, const char *type, const char *const *sinks, capture *out,
                int block)
{
    char text[8192], filled[2048], sizes[64] = "";
    ct_error err = {0};
    if (block > 0) snprintf(sizes, sizeof sizes, ", \"block\": {\"T\": %d}", block);
    snprintf(filled, sizeof filled, SKY, type);
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"nodes\": {%s, %s}%s}", filled, nodes, sizes);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
}

static double channel_mhz(int c)
{
    return 150 + (c - 0.5 * (CHANNELS - 1)) * BAND_MHZ / CHANNELS;
}

/* ---- ranges against plain sums */

static const double trial_dm[] = {0, 3, 6, 9, 12, 16, 20};
static const int trial_n[] = {1, 1, 1, 1, 2, 2, 6};

#define RANGES                                                                                     \
    "\"dd\": {\"stage\": \"dedisp\", \"input\": \"sky\", \"mask\": [3, [10, 12]], \"dm\": ["       \
    "{\"start\": 0, \"step\": 3, \"count\": 4}, {\"start\": 12, \"step\": 4, \"count\": 2,"        \
    " \"downsample\": 2}, {\"start\": 20, \"downsample\": 6}]},"                                   \
    "\"raw\": {\"stage\": \"sink.npy\", \"input\": \"sky\", \"file\": \"raw.npy\"},"               \
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"dd.npy\"}"

static double plain_sum(const capture *raw, int trial, int64_t sample)
{
    int n = trial_n[trial];
    double sum = 0, top = channel_mhz(CHANNELS - 1);
    for (int c = 0; c < CHANNELS; c++) {
        double mhz = channel_mhz(c);
        double delay = 4148.808 * trial_dm[trial] * (1 / (mhz * mhz) - 1 / (top * top));
        int64_t shift = lround(delay / (1e-3 * n));
        if (c == 3 || (c >= 10 && c <= 12)) continue;
        for (int k = 0; k < n; k++)
            sum += capture_at(raw, (sample / n + shift) * n + k, c).re;
    }
    return sum;
}

static void check_ranges(const char *type, int block, double tolerance)
{
    static const char *const sinks[] = {"raw", "out", NULL};
    capture both[2] = {{.count = 0}};
    run(RANGES, type, sinks, both, block);
    assert_int_equal(both[0].samples, SAMPLES);
    assert_int_equal(both[1].count, 7);
    /* the longest sweep is 1.22 s; at most two groups of 6 more are kept back */
    assert_in_range(both[1].samples, 4750, SAMPLES - 1220);
    for (int64_t t = 0; t < both[1].samples; t++)
        for (int d = 0; d < 7; d++) {
            double found = capture_at(&both[1], t, d).re, expected = plain_sum(&both[0], d, t);
            if (fabs(found - expected) > tolerance * expected)
                fail_msg("block %d, sample %lld, trial %d: found %g, expected %g", block,
                         (long long)t, d, found, expected);
        }
    capture_free(&both[0]);
    capture_free(&both[1]);
}

static void test_ranges_are_plain_sums(void **state)
{
    (void)state;
    check_ranges("u8", 0, 0);
    check_ranges("u8", 1500, 0);
    check_ranges("u16", 606, 0);
    check_ranges("f32", 600, 1e-6);
}

/* Blocks of 1000 split groups of 6: samples are gathered. */
static void test_a_block_may_split_groups(void **state)
{
    (void)state;
    check_ranges("u8", 1000, 0);
}

/* ---- the pulsar */

/* How far the strongest phase of the series folded at the period stands out. */
static double folded_peak(const capture *series, int trial, int *phase)
{
    double sum[PERIOD] = {0}, hits[PERIOD] = {0}, mean = 0, best = -1;
    for (int64_t t = 0; t < series->samples; t++) {
        sum[t % PERIOD] += capture_at(series, t, trial).re;
        hits[t % PERIOD]++;
    }
    for (int k = 0; k < PERIOD; k++)
        mean += sum[k] / hits[k] / PERIOD;
    for (int k = 0; k < PERIOD; k++)
        if (sum[k] / hits[k] - mean > best) {
            best = sum[k] / hits[k] - mean;
            *phase = k;
        }
    return best;
}

static void test_the_pulsar_is_found(void **state)
{
    static const char *const sinks[] = {"out", NULL};
    capture series = {.count = 0};
    double best = -1;
    int trial = 0, phase = 0;
    (void)state;
    run("\"dd\": {\"stage\": \"dedisp\", \"input\": \"sky\", \"dm\": {\"start\": 8, \"step\": 0.25,"
        " \"count\": 33}},"
        "\"out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"dd.npy\"}",
        "u8", sinks, &series, 2000);
    for (int d = 0; d < 33; d++) {
        int at;
        double peak = folded_peak(&series, d, &at);
        if (peak > best) {
            best = peak;
            trial = d;
            phase = at;
        }
    }
    print_message("DM %g, phase %d ms\n", series.meta.dm[trial], phase);
    assert_true(fabs(series.meta.dm[trial] - 12) <= 0.25);
    assert_in_range(phase, 68, 72);
    capture_free(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_are_plain_sums),
        cmocka_unit_test(test_a_block_may_split_groups),
        cmocka_unit_test(test_the_pulsar_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
