/* examples_test.c: the stages of examples/stages do what their pages say: what `rfi` flags is what
 * the correlator leaves out, in any block; `average` describes what it averages; `boxcar` finds a
 * burst that a telescope has seen. That they compute what they should is verify's to say. The burst
 * is in the folder that CORNERTURN_TEST_DATA names (default ../shared/data); without it that one is
 * left out.
 * Room: tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"

/* Runs a pipeline of the source tree's root; nodes: what is inside of "nodes". */
static void run(const char *stage, int block, const char *nodes, const char *const *sinks,
                capture *out)
{
    char text[4096], sizes[64] = "";
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *ran = NULL;
    ct_error err = {0};
    if (block > 0) snprintf(sizes, sizeof sizes, ", \"block\": {\"T\": %d}", block);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"stages\": [\"examples/stages/%s/%s.json\"], \"nodes\": {%s}%s}",
             stage, stage, nodes, sizes);
    ct_device *device = one_device(&err);
    ct_status status = device ? ct_context_open(&context, &err) : CT_NO_DEVICE;
    if (status == CT_OK) status = ct_graph_parse(&graph, context, text, "test.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, &err);
    if (status == CT_OK) status = ct_run_new(&ran, plan, device, &err);
    if (status == CT_OK) status = capture_blocks(ran, sinks, out, &err);
    ct_run_free(ran);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
    if (status != CT_OK) fail_msg("%s", err.text);
}

#define SINK(name, of)                                                                             \
    "\"" name "\": {\"stage\": \"sink.npy\", \"input\": \"" of "\", \"file\": \"" name ".npy\"}"

/* ---- rfi */

enum { STATIONS = 3, SPECTRA = 1024, INTEGRATE = 128 };

/* How many samples of an integration are flagged in neither of two stations. */
static int64_t kept(const capture *mask, int64_t i, int64_t j, int64_t integration)
{
    int64_t count = 0;
    for (int64_t t = 0; t < INTEGRATE; t++) {
        const int64_t at = integration * INTEGRATE + t;
        count += capture_at(mask, at, i).re == 0 && capture_at(mask, at, j).re == 0;
    }
    return count;
}

static int64_t check_counts(const capture *counts, const capture *mask)
{
    int64_t left_out = 0;
    assert_int_equal(mask->samples, SPECTRA);
    assert_int_equal(counts->samples, SPECTRA / INTEGRATE);
    for (int64_t t = 0; t < counts->samples; t++)
        for (int64_t j = 0, l = 0; j < STATIONS; j++)
            for (int64_t i = 0; i <= j; i++, l++) {
                assert_int_equal((int64_t)capture_at(counts, t, l).re, kept(mask, i, j, t));
                left_out += INTEGRATE - kept(mask, i, j, t);
            }
    return left_out;
}

static void rfi_is_what_the_correlator_leaves_out(void **state)
{
    static const char *const sinks[] = {"counts", "mask", NULL};
    static const int blocks[] = {1024, 4096, 16384};
    int64_t first = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        capture out[2] = {0};
        run("rfi", blocks[k],
            "\"sky\": {\"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 16384, "
            "\"pulses\": [{\"dm\": 0, \"time_s\": 0.03, \"width_s\": 0.0005, \"amplitude\": 2}]},"
            "\"fir\": {\"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, \"taps\": 1},"
            "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
            "\"rfi\": {\"stage\": \"rfi\", \"input\": \"fft\"},"
            "\"vis\": {\"stage\": \"correlator\", \"input\": \"rfi\", \"integrate\": 128}," SINK(
                "counts", "vis.COUNTS") "," SINK("mask", "rfi.F"),
            sinks, out);
        const int64_t left_out = check_counts(&out[0], &out[1]);
        if (k == 0) first = left_out;
        assert_true(left_out > 20 && left_out == first);
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
}

/* ---- average */

static void averages_are_described(void **state)
{
    static const char *const sinks[] = {"power", "mean", NULL};
    capture out[2] = {0};
    (void)state;
    run("average", 0,
        "\"sky\": {\"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 4096},"
        "\"fir\": {\"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, \"taps\": 1},"
        "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
        "\"detect\": {\"stage\": \"detect\", \"input\": \"fft\"},"
        "\"average\": {\"stage\": \"average\", \"input\": \"detect\", \"samples\": 8, "
        "\"channels\": 4}," SINK("power", "detect") "," SINK("mean", "average"),
        sinks, out);
    const ct_meta *of = &out[0].meta, *mean = &out[1].meta;
    assert_int_equal(mean->frequencies, 4);
    for (int64_t c = 0; c < 4; c++) {
        double sum = 0;
        for (int64_t k = 0; k < 4; k++)
            sum += of->frequency_hz[4 * c + k];
        assert_true(fabs(mean->frequency_hz[c] - sum / 4) < 1e-3);
    }
    assert_true(fabs(mean->channel_width_hz - 4 * of->channel_width_hz) < 1e-6);
    assert_true(fabs(mean->sample_time_s - 8 * of->sample_time_s) < 1e-15);
    assert_true(fabs(mean->start_s - of->start_s - 3.5 * of->sample_time_s) < 1e-12);
    double sum = 0;
    for (int64_t t = 0; t < 8; t++)
        for (int64_t c = 0; c < 4; c++)
            sum += capture_at(&out[0], 8 + t, c).re;
    assert_true(fabs(capture_at(&out[1], 1, 0).re / (sum / 32) - 1) < 1e-6);
    capture_free(&out[0]);
    capture_free(&out[1]);
}

/* ---- boxcar */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of one trial: the median, and the noise of a sample from the median distance to it. */
static void noise_of(const capture *all, int64_t trial, double *middle, double *noise)
{
    const size_t count = (size_t)all->samples;
    double *value = malloc(sizeof *value * count);
    for (size_t t = 0; t < count; t++)
        value[t] = capture_at(all, (int64_t)t, trial).re;
    qsort(value, count, sizeof *value, ascending);
    *middle = 0.5 * (value[(count - 1) / 2] + value[count / 2]);
    for (size_t t = 0; t < count; t++)
        value[t] = fabs(value[t] - *middle);
    qsort(value, count, sizeof *value, ascending);
    *noise = 1.4826 * 0.5 * (value[(count - 1) / 2] + value[count / 2]);
    free(value);
}

static double highest(const capture *sums, int64_t trial)
{
    double most = -INFINITY;
    for (int64_t t = 0; t < sums->samples; t++)
        most = fmax(most, capture_at(sums, t, trial).re);
    return most;
}

enum { WIDTHS = 3, WIDTH_2 = 1 };

/* The best of each width over all trials, and where it is. */
typedef struct burst {
    double snr[WIDTHS], dm[WIDTHS];
} burst;

static void burst_take(burst *to, int k, double snr, double dm)
{
    if (snr <= to->snr[k]) return;
    to->snr[k] = snr;
    to->dm[k] = dm;
}

/* By the noise of one sample, as a search has it; by that of the sums, as a sink behind them has
 * it. */
static void find_burst(const capture out[WIDTHS], burst *by_sample, burst *by_sum)
{
    for (int64_t d = 0; d < out[0].count; d++) {
        double middle, noise, its_middle, its_noise;
        noise_of(&out[0], d, &middle, &noise);
        for (int k = 0; k < WIDTHS; k++) {
            const double dm = out[0].meta.dm[d], most = highest(&out[k], d);
            noise_of(&out[k], d, &its_middle, &its_noise);
            burst_take(by_sample, k, (most - sqrt(1 << k) * middle) / noise, dm);
            burst_take(by_sum, k, (most - its_middle) / its_noise, dm);
        }
    }
}

static void a_burst_is_found(void **state)
{
    static const char *const sinks[] = {"one", "two", "four", NULL};
    const char *given = getenv("CORNERTURN_TEST_DATA");
    const char *folder = given && *given ? given : "../shared/data";
    char nodes[2048], file[512];
    capture out[WIDTHS] = {0};
    burst by_sample = {0}, by_sum = {0};
    (void)state;
    snprintf(file, sizeof file, "%s/fil/28.fil", folder);
    if (access(file, R_OK) != 0) skip();
    snprintf(nodes, sizeof nodes,
             "\"fil\": {\"stage\": \"source.sigproc\", \"file\": \"%s\"},"
             "\"dd\": {\"stage\": \"dedisp\", \"input\": \"fil\", \"dm\": {\"start\": 450, "
             "\"step\": 0.4, \"count\": 128}},"
             "\"b2\": {\"stage\": \"boxcar\", \"input\": \"dd\", \"width\": 2},"
             "\"b4\": {\"stage\": \"boxcar\", \"input\": \"dd\", \"width\": 4}," SINK(
                 "one", "dd") "," SINK("two", "b2") "," SINK("four", "b4"),
             file);
    run("boxcar", 0, nodes, sinks, out);
    find_burst(out, &by_sample, &by_sum);
    for (int k = 0; k < WIDTHS; k++)
        print_message("width %d: S/N %.2f at %g by a sample's noise, %.2f at %g by the sums'\n",
                      1 << k, by_sample.snr[k], by_sample.dm[k], by_sum.snr[k], by_sum.dm[k]);
    const double best = by_sample.snr[WIDTH_2], own = by_sum.snr[WIDTH_2];
    assert_true(best > by_sample.snr[0] && best > by_sample.snr[2]);
    assert_true(own > by_sum.snr[0] && own > by_sum.snr[2]);
    assert_true(best >= 16 && best <= 17.2 && fabs(by_sample.dm[WIDTH_2] - 475.6) <= 2);
    assert_true(own > 15.7 && own < best && fabs(by_sum.dm[WIDTH_2] - 475.6) <= 2);
    for (int k = 0; k < WIDTHS; k++)
        capture_free(&out[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rfi_is_what_the_correlator_leaves_out),
                                       cmocka_unit_test(averages_are_described),
                                       cmocka_unit_test(a_burst_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
