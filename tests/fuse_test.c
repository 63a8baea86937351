/* fuse_test.c: a pipeline with beam former and detection fused gives what the two give one after
 * the other, for I and IQUV, integrated or not, in one block or many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"

static void run(capture *out, const char *detect, const char *fuse, int block)
{
    static const char *const sinks[] = {"out", NULL};
    char json[2048];
    ct_error err = {0};
    snprintf(
        json, sizeof json,
        "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {"
        "\"in\": {\"stage\": \"source.simulate\", \"stations\": 5, \"samples\": 3000},"
        "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 6, \"taps\": 3},"
        "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
        "\"beams\": {\"stage\": \"beamformer\", \"input\": \"fft\", \"positions\": [[0, 0, 0], "
        "[30, 0, 0], [0, 40, 0], [25, 25, 1], [7, 50, 2]], \"directions\": [[40, 60], [10, 80], "
        "[200, 45]], \"layout\": {\"read\": \"STCP\"}},"
        "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", %s, \"fuse\": %s},"
        "\"out\": {\"stage\": \"sink.npy\", \"input\": \"power\", \"file\": \"never.npy\"}}}",
        block, detect, fuse);
    memset(out, 0, sizeof *out);
    ct_status status = capture_run(json, sinks, out, &err);
    if (status != CT_OK) print_error("%s\n", err.text);
    assert_int_equal(status, CT_OK);
}

static void same(const capture *a, const capture *b)
{
    double sum = 0;
    assert_true(a->samples > 100);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->count, b->count);
    assert_string_equal(a->each.dim, b->each.dim);
    for (int64_t i = 0; i < a->samples * a->count; i++)
        sum += a->value[i] * a->value[i];
    double rms = sqrt(sum / (double)(a->samples * a->count));
    for (int64_t i = 0; i < a->samples * a->count; i++)
        assert_true(fabs(a->value[i] - b->value[i]) <= 2e-6 * rms);
}

static void fused_is_the_same(void **state)
{
    static const char *const detect[] = {"\"stokes\": \"I\"", "\"stokes\": \"IQUV\"",
                                         "\"stokes\": \"I\", \"integrate\": 4"};
    (void)state;
    for (size_t i = 0; i < sizeof detect / sizeof *detect; i++) {
        capture apart, fused, blocks;
        run(&apart, detect[i], "false", 6 * 432);
        run(&fused, detect[i], "true", 6 * 432);
        run(&blocks, detect[i], "true", 6 * 36);
        assert_true(fabs(apart.meta.start_s - fused.meta.start_s) < 1e-12);
        assert_true(fabs(apart.meta.sample_time_s - fused.meta.sample_time_s) < 1e-12);
        same(&apart, &fused);
        same(&apart, &blocks);
        capture_free(&apart);
        capture_free(&fused);
        capture_free(&blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fused_is_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
