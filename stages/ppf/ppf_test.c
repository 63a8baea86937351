/* ppf_test.c: what is special of the filter bank in one pass: it gives what fir and fft give one
 * after the other, numbers, flags, frequencies and times, in a whole pipeline of any layouts and
 * blocks. Room: stages/ppf, tests. The conformance call compares kernel and reference. */
#include "capture.h"
#include "exhaustive.h"
#include "stage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

extern const ct_stage ct_stage_fir, ct_stage_ppf;

/* ---------------------------------------------------------------- a pipeline, fused and not */

enum { BEAMS, COUNTS, SINKS };
static const char *const sinks[] = {"out", "counted", NULL};

/* Voltages to beams and visibilities, whose counts say which samples were flagged. */
static void run(capture out[SINKS], const char *read, const char *write, const char *fuse,
                int block)
{
    char json[2048];
    ct_error err = {0};
    snprintf(json, sizeof json,
             "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {"
             "\"sky\": {\"stage\": \"source.simulate\", \"stations\": 5, \"samples\": 12000},"
             "\"fir\": {\"stage\": \"fir\", \"input\": \"sky\", \"channels\": 32, \"taps\": 8, "
             "\"layout\": {\"read\": \"%s\"}},"
             "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\", \"layout\": {\"write\": \"%s\"}, "
             "\"fuse\": %s},"
             "\"beams\": {\"stage\": \"beamformer\", \"input\": \"fft\", \"positions\": "
             "[[0, 0, 0], [30, 0, 0], [0, 40, 0], [25, 25, 1], [7, 50, 2]], \"directions\": "
             "[[40, 60], [10, 80], [200, 45]]},"
             "\"vis\": {\"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 12},"
             "\"out\": {\"stage\": \"sink.npy\", \"input\": \"beams\", \"file\": \"a.npy\"},"
             "\"counted\": {\"stage\": \"sink.npy\", \"input\": \"vis.COUNTS\", \"file\": "
             "\"b.npy\"}}}",
             block, read, write, fuse);
    memset(out, 0, SINKS * sizeof *out);
    if (capture_run(json, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
}

/* To a part of the rms. */
static void assert_same(const capture *a, const capture *b, double part)
{
    double sum = 0;
    assert_true(a->samples > 20 && a->value && b->value);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->count, b->count);
    const int64_t numbers = 2 * a->samples * a->count;
    for (int64_t i = 0; i < numbers; i++)
        sum += a->value[i] * a->value[i];
    const double most = part * sqrt(2 * sum / (double)numbers);
    for (int64_t i = 0; i < numbers; i++)
        if (fabs(a->value[i] - b->value[i]) > most)
            fail_msg("number %d: %g and %g", (int)i, a->value[i], b->value[i]);
}

static void assert_same_meta(const ct_meta *a, const ct_meta *b)
{
    assert_true(a->start_s == b->start_s && a->sample_time_s == b->sample_time_s);
    assert_true(a->channel_width_hz == b->channel_width_hz && a->total == b->total);
    assert_int_equal(a->frequencies, b->frequencies);
    for (int64_t c = 0; c < a->frequencies; c++)
        assert_true(a->frequency_hz[c] == b->frequency_hz[c]);
}

static void test_a_pipeline_is_the_same(void **state)
{
    static const struct {
        const char *read, *write;
        int block;
    } cases[] = {{"SPT", "SPTC", 384 * 3}, {"TSP", "CTSP", 384},      {"PTS", "CPST", 384 * 7},
                 {"SPT", "SPCT", 384 * 2}, {"SPT", "TCPS", 384 * 40}, {"STP", "PTSC", 384 * 5}};
    capture apart[SINKS], fused[SINKS];
    (void)state;
    run(apart, "auto", "auto", "false", 384 * 4);
    assert_true(apart[COUNTS].value[0] < 12); /* what comes before the first sample is flagged */
    for (int64_t i = 0; i < few_or_all(2, 6); i++) {
        run(fused, cases[i].read, cases[i].write, "true", cases[i].block);
        assert_same(&apart[BEAMS], &fused[BEAMS], 3e-6);
        assert_same(&apart[COUNTS], &fused[COUNTS], 0);
        for (int k = 0; k < SINKS; k++) {
            assert_same_meta(&apart[k].meta, &fused[k].meta);
            capture_free(&fused[k]);
        }
    }
    capture_free(&apart[BEAMS]);
    capture_free(&apart[COUNTS]);
}

/* ---------------------------------------------------------------- shapes and mistakes */

static void test_shapes_are_those_of_fir(void **state)
{
    static const char params[] = "{\"channels\": 48, \"taps\": 5, \"window\": \"hann\"}";
    const double band = 150e6;
    stage_case fir, ppf;
    ct_error err = {0};
    ct_array input = stage_array("S=5 P=2 T=480", CT_CI8);
    (void)state;
    input.meta = (ct_meta){.sample_time_s = 5.12e-6,
                           .start_s = 2,
                           .total = 4800,
                           .frequency_hz = &band,
                           .frequencies = 1};
    assert_true(stage_try(&fir, &ct_stage_fir, params, &input, &err));
    assert_true(stage_try(&ppf, &ct_stage_ppf, params, &input, &err));
    assert_same_meta(&fir.step->port[1].meta, &ppf.step->port[1].meta);
    assert_string_equal(fir.step->port[1].dim, ppf.step->port[1].dim);
    assert_int_equal(fir.step->overlap, ppf.step->overlap);
    assert_int_equal(fir.step->overlap_kind, ppf.step->overlap_kind);
    assert_int_equal(fir.step->decimate, ppf.step->decimate);
    stage_free(&fir);
    stage_free(&ppf);
}

static void test_mistakes_are_explained(void **state)
{
    static const struct {
        const char *params, *sentence;
    } cases[] = {
        {"{\"channels\": 22}", "a product of 2, 3, 5 and 7, found 22; without \"fuse\""},
        {"{\"channels\": 8192}", "2 to 4096 channels"},
        {"{\"channels\": 1}", "2 to 4096 channels"},
        {"{\"channels\": 7}", "expected an even number, found 7"},
        {"{\"channels\": 8, \"window\": \"hann\", \"file\": \"x.npy\"}", "found \"hann\""},
        {"{\"channels\": 8, \"beta\": 3}", "only the window \"kaiser\" has a beta"},
    };
    ct_array input = stage_array("S=1 P=1 T=16", CT_CI8);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stage_case ppf;
        ct_error err = {0};
        assert_false(stage_try(&ppf, &ct_stage_ppf, cases[i].params, &input, &err));
        if (!strstr(err.text, cases[i].sentence)) fail_msg("%s", err.text);
        stage_free(&ppf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pipeline_is_the_same),
        cmocka_unit_test(test_shapes_are_those_of_fir),
        cmocka_unit_test(test_mistakes_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
