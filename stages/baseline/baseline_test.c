/* baseline_test.c: what is special about baselines: straight drifts go without a rest and without a
 * step, a pulse keeps its height, in closed form; flags have no say; mistakes are said. That
 * kernels agree with the reference is verify's part. Room: stages/baseline, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stage.h"
#include "stages/baseline/baseline.h"

enum { WINDOW = 256, BEFORE = 2 * WINDOW, TIMES = 4 * WINDOW, CHANNELS = 3 };
#define PARAMS "{\"window\": 256}"

/* t counts from the block's first sample; history is below 0. */
static void set(stage_case *made, int t, int c, double value)
{
    ct_array_save(&made->port[CT_BASELINE_X], (t + BEFORE) * CHANNELS + c, value, 0);
}

static double left(const stage_case *made, int t, int c)
{
    return ct_array_load(&made->port[CT_BASELINE_Y], t * CHANNELS + c).re;
}

/* Flags of all samples, of which those before `first` are outside of the stream. */
static ct_array *make(stage_case *made, int first)
{
    stage_make(made, &ct_stage_baseline, PARAMS, "T=1024 C=3", CT_F32);
    ct_array *m = &made->port[CT_BASELINE_M];
    *m = stage_array("S=1 T=1536 C=3", CT_U8);
    m->data = calloc(1, ct_array_bytes(m));
    for (int n = 0; n < (first + BEFORE) * CHANNELS; n++)
        ct_array_save(m, n, 3, 0);
    return m;
}

/* Slopes of 0, 1 and 2 sixteenths. */
static double drift(int t, int c)
{
    return 100.0 * c + t * c / 16.0;
}

static void a_drift_goes(void **state)
{
    stage_case made;
    (void)state;
    (void)make(&made, -BEFORE);
    for (int t = -BEFORE; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            set(&made, t, c, drift(t, c));
    stage_reference(&made);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            assert_true(fabs(left(&made, t, c)) < 1e-9);
    stage_free(&made);
}

/* What is left of a slope c / 16 where a stream begins: the first window has its level only, the
 * second one a line from there to its end, where the slope is right. */
static void a_stream_begins_with_its_level(void **state)
{
    stage_case made;
    (void)state;
    (void)make(&made, 0);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            set(&made, t, c, drift(t, c));
    stage_reference(&made);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++) {
            const double slope = c / 16.0, middle = WINDOW / 2;
            const double x = slope * t, level = slope * (middle - 0.5);
            const double line = level + 1.5 * slope * (t + 0.5 - WINDOW);
            const double right = t < WINDOW ? x - level : t < 2 * WINDOW ? x - line : 0;
            assert_true(fabs(left(&made, t, c) - right) < 1e-9);
        }
    stage_free(&made);
}

/* 7 of 16 parts, 112 of 256 samples, may be higher by whatever: the level stays. */
static void a_pulse_keeps_its_height(void **state)
{
    stage_case made;
    (void)state;
    (void)make(&made, -BEFORE);
    for (int t = -BEFORE; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            set(&made, t, c, 50 + (t >= 320 && t < 432 ? 1000.0 * c : 0));
    stage_reference(&made);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            assert_true(left(&made, t, c) == (t >= 320 && t < 432 ? 1000.0 * c : 0));
    stage_free(&made);
}

/* Channel 1 lacks a whole window, channel 2 the greater part of one; what is there is the same. */
static void flagged_samples_have_no_say(void **state)
{
    stage_case made;
    (void)state;
    ct_array *m = make(&made, -BEFORE);
    for (int t = -BEFORE; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++) {
            const bool flagged = (c == 1 && t >= 256 && t < 512) || (c == 2 && t >= 256 && t < 500);
            set(&made, t, c, flagged ? 1e30 : 7);
            ct_array_save(m, (t + BEFORE) * CHANNELS + c, flagged, 0);
        }
    stage_reference(&made);
    for (int n = 0; n < TIMES * CHANNELS; n++)
        assert_true(left(&made, n / CHANNELS, n % CHANNELS) == 0);
    stage_free(&made);
}

/* A level that jumps by 1 at the end of a window: after it the line ends 1.5 above, then at 1.
 * Without a step of its own: the line is the same on both sides. */
static void lines_join(void **state)
{
    stage_case made;
    (void)state;
    (void)make(&made, -BEFORE);
    for (int t = -BEFORE; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            set(&made, t, c, t >= WINDOW ? 1 : 0);
    stage_reference(&made);
    static const double knot[] = {0, 0, 1.5, 1, 1};
    for (int t = 0; t < TIMES; t++) {
        const int n = t / WINDOW;
        const double k = (t % WINDOW + 0.5) / WINDOW, line = knot[n] + k * (knot[n + 1] - knot[n]);
        assert_true(fabs(left(&made, t, 1) - ((t >= WINDOW ? 1 : 0) - line)) < 1e-12);
    }
    stage_free(&made);
}

static void mistakes_are_named(void **state)
{
    stage_case made;
    ct_error err = {0};
    (void)state;
    ct_array input = stage_array("T=4 C=3", CT_F32);
    assert_false(stage_try(&made, &ct_stage_baseline, "{\"window\": 1000}", &input, &err));
    assert_non_null(strstr(err.text, "expected a multiple of 256, found 1000"));
    stage_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drift_goes),
        cmocka_unit_test(a_stream_begins_with_its_level),
        cmocka_unit_test(a_pulse_keeps_its_height),
        cmocka_unit_test(flagged_samples_have_no_say),
        cmocka_unit_test(lines_join),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
