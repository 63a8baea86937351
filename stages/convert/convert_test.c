/* convert_test.c: what is special about conversions: rounding, clipping and counts in closed form,
 * levels as loops over plain arrays give them, flags, mistakes. That kernels agree with the
 * reference is verify's part. Room: stages/convert, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stage.h"
#include "stages/convert/convert.h"

enum { CHANNELS = 5, TIMES = 128 };

static double left(const stage_case *made, int64_t n)
{
    return ct_array_load(&made->port[CT_CONVERT_Y], n).re;
}

static void what_is_outside_is_clipped_and_counted(void **state)
{
    static const double in[] = {-1000, -3, 0, 3, 5, 7, 200, 1000};
    static const double out[] = {0, 48.5, 50, 51.5, 52.5, 53.5, 150, 255};
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_convert, "{\"type\": \"u8\", \"scale\": 0.5, \"offset\": 50}",
               "T=2 C=4", CT_I16);
    assert_int_equal(made.step->port[CT_CONVERT_Y].type, CT_U8);
    for (int n = 0; n < 8; n++)
        ct_array_save(&made.port[CT_CONVERT_X], n, in[n], 0);
    stage_reference(&made);
    for (int n = 0; n < 8; n++)
        assert_true(left(&made, n) == out[n]); /* rounded where it is stored */
    assert_true(ct_array_load(&made.port[CT_CONVERT_COUNTS], 0).re == 1);
    assert_true(ct_array_load(&made.port[CT_CONVERT_COUNTS], 1).re == 1);
    stage_free(&made);
}

static void a_range_may_be_smaller_than_its_type(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_convert, "{\"type\": \"i8\", \"low\": -3.5, \"high\": 2.9}",
               "T=3 C=1", CT_F32);
    for (int n = 0; n < 3; n++)
        ct_array_save(&made.port[CT_CONVERT_X], n, n == 2 ? NAN : 100 * n - 50, 0);
    stage_reference(&made);
    assert_true(left(&made, 0) == -3 && left(&made, 1) == 2 && left(&made, 2) == 0);
    stage_free(&made);
}

static double sample(int t, int c)
{
    const uint32_t x = (uint32_t)(t * 7919 + c * 104729) * 2654435761u;
    return c == 3 ? 17 : 1000 * c + (c + 1) * (double)(x >> 16) / 65536;
}

/* Of each channel and window by itself; channel 3 never changes, channel 1 is flagged for a while.
 */
static void channels_get_their_levels(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_convert,
               "{\"type\": \"u8\", \"levels\": \"channel\", \"window\": 64}", "T=128 C=5", CT_F32);
    ct_array *m = &made.port[CT_CONVERT_M];
    *m = stage_array("S=1 T=128 C=5", CT_U8);
    m->data = calloc(1, ct_array_bytes(m));
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++) {
            const bool flagged = c == 1 && t >= 30 && t < 40;
            ct_array_save(&made.port[CT_CONVERT_X], t * CHANNELS + c, flagged ? 1e9 : sample(t, c),
                          0);
            ct_array_save(m, t * CHANNELS + c, flagged, 0);
        }
    stage_reference(&made);
    for (int first = 0; first < TIMES; first += 64)
        for (int c = 0; c < CHANNELS; c++) {
            double n = 0, sum = 0, squares = 0;
            for (int t = first; t < first + 64; t++) {
                if (c == 1 && t >= 30 && t < 40) continue;
                const double x = (float)sample(t, c);
                n++, sum += x, squares += x * x;
            }
            const double deviation = sqrt(fmax(0, squares / n - sum / n * (sum / n)));
            for (int t = first; t < first + 64; t++) {
                const bool none = c == 3 || (c == 1 && t >= 30 && t < 40);
                const double right =
                    127.5 + (none ? 0 : 16 * ((float)sample(t, c) - sum / n) / deviation);
                assert_true(fabs(left(&made, t * CHANNELS + c) - right) < 1e-4);
            }
        }
    stage_free(&made);
}

static void expect_error(const char *params, const char *extents, const char *part)
{
    stage_case made;
    ct_error err = {0};
    const ct_array input = stage_array(extents, CT_F32);
    assert_false(stage_try(&made, &ct_stage_convert, params, &input, &err));
    if (strstr(err.text, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    stage_free(&made);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_error("{\"type\": \"u8\", \"levels\": \"channel\", \"window\": 100}", "T=4 C=3",
                 "expected a multiple of 64, found 100");
    expect_error("{\"type\": \"u8\", \"low\": 20, \"high\": 20}", "T=4 C=3",
                 "nothing is left between 20 and 20");
    expect_error("{\"type\": \"u8\"}", "T=4", "expected an input with channels or with trials");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_outside_is_clipped_and_counted),
        cmocka_unit_test(a_range_may_be_smaller_than_its_type),
        cmocka_unit_test(channels_get_their_levels),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
