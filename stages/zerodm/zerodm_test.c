/* zerodm_test.c: what is special about zero-DM filters: what is common to channels goes, in closed
 * form; loops over plain arrays give the same; what is flagged has no say; mistakes are said. That
 * kernels agree with the reference is verify's part.
 * Room: stages/zerodm, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stage.h"
#include "stages/zerodm/zerodm.h"

enum { CHANNELS = 7, TIMES = 128 };
#define PARAMS_FIT "{\"mode\": \"fit\", \"window\": 64}"

static double noise(int64_t n)
{
    uint32_t x = (uint32_t)n * 2654435761u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)x / 4294967296.0 - 0.5;
}

static void make(stage_case *made, const char *params, double (*value)(int t, int c))
{
    stage_make(made, &ct_stage_zerodm, params, "T=128 C=7", CT_F32);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            ct_array_save(&made->port[CT_ZERODM_X], t * CHANNELS + c, value(t, c), 0);
}

static double left(const stage_case *made, int t, int c)
{
    return ct_array_load(&made->port[CT_ZERODM_Y], t * CHANNELS + c).re;
}

/* A signal at DM 0, received with another gain and offset in each channel. */
static double gained(int t, int c)
{
    return 100.0 + 5 * c + (0.5 + c) * 4096 * noise(t);
}

/* The fit takes all of it off, the mean leaves what gains differ by: with gains 0.5 + c, 3.5 on
 * average. */
static void what_channels_share_goes(void **state)
{
    stage_case made;
    (void)state;
    make(&made, PARAMS_FIT, gained);
    stage_reference(&made);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            assert_true(fabs(left(&made, t, c)) < 2e-3); /* of 32-bit input up to 13000 */
    stage_free(&made);
    make(&made, "{}", gained);
    stage_reference(&made);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++)
            assert_true(fabs(left(&made, t, c) - (5.0 * (c - 3) + (c - 3) * 4096 * noise(t))) <
                        2e-3);
    stage_free(&made);
}

/* Noise, and a pulse that comes to each channel later. */
static double swept(int t, int c)
{
    return 50 + c + noise(t * CHANNELS + c) + (t == 20 + 5 * c ? 8 : 0);
}

/* Of a sample in one of C channels the mean takes 1 / C. */
static void a_sweep_loses_its_part_of_the_mean(void **state)
{
    stage_case made;
    (void)state;
    make(&made, "{}", swept);
    stage_reference(&made);
    double sum = 0;
    for (int c = 0; c < CHANNELS; c++)
        sum += left(&made, 20 + 5 * c, c);
    assert_true(fabs(sum - CHANNELS * 8 * (1 - 1.0 / CHANNELS)) < CHANNELS);
    stage_free(&made);
}

/* As one would write it in a few lines, with sums of squares. */
static void fits_are_straight_lines(void **state)
{
    stage_case made;
    (void)state;
    make(&made, PARAMS_FIT, swept);
    stage_reference(&made);
    for (int first = 0; first < TIMES; first += 64)
        for (int c = 0; c < CHANNELS; c++) {
            double z[64] = {0}, sx = 0, sz = 0, szz = 0, sxz = 0;
            for (int k = 0; k < 64; k++) {
                const double x = (float)swept(first + k, c);
                for (int i = 0; i < CHANNELS; i++)
                    z[k] += (float)swept(first + k, i) / (double)CHANNELS;
                sx += x, sz += z[k], szz += z[k] * z[k], sxz += x * z[k];
            }
            const double slope = (64 * sxz - sx * sz) / (64 * szz - sz * sz);
            const double offset = (sx - slope * sz) / 64;
            for (int k = 0; k < 64; k++)
                assert_true(fabs((float)swept(first + k, c) - slope * z[k] - offset -
                                 left(&made, first + k, c)) < 1e-7);
        }
    stage_free(&made);
}

/* Channel 2 is flagged for a while, and as large as can be there; sample 9 is flagged in all. */
static void flagged_samples_have_no_say(void **state)
{
    (void)state;
    static const char *const params[] = {"{}", PARAMS_FIT};
    for (int mode = 0; mode < 2; mode++) {
        stage_case made[2];
        for (int i = 0; i < 2; i++) {
            make(&made[i], params[mode], swept);
            ct_array *m = &made[i].port[CT_ZERODM_M];
            *m = stage_array("S=1 T=128 C=7", CT_U8);
            m->data = calloc(1, ct_array_bytes(m));
            for (int n = 0; n < TIMES * CHANNELS; n++) {
                const int t = n / CHANNELS, c = n % CHANNELS;
                const bool flagged = t == 9 || (c == 2 && t >= 30 && t < 50);
                ct_array_save(m, n, flagged ? 1 : t == 10 ? 4 : 0, 0);
                if (flagged && i) ct_array_save(&made[i].port[CT_ZERODM_X], n, 1e30, 0);
            }
            stage_reference(&made[i]);
        }
        for (int n = 0; n < TIMES * CHANNELS; n++) {
            const double a = ct_array_load(&made[0].port[CT_ZERODM_Y], n).re;
            assert_true(a == ct_array_load(&made[1].port[CT_ZERODM_Y], n).re);
            if (ct_array_load(&made[0].port[CT_ZERODM_M], n).re == 1) assert_true(a == 0);
            if (n / CHANNELS == 10) assert_true(a != 0); /* a sum that lacks a part */
        }
        for (int i = 0; i < 2; i++)
            stage_free(&made[i]);
    }
}

static void types_are_as_asked_for(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_zerodm, "{\"type\": \"i8\", \"scale\": 2}", "T=1 C=4", CT_U8);
    assert_int_equal(made.step->port[CT_ZERODM_Y].type, CT_I8);
    made.port[CT_ZERODM_Y].type = CT_F64;
    static const double in[] = {10, 20, 30, 255};
    for (int c = 0; c < 4; c++)
        ct_array_save(&made.port[CT_ZERODM_X], c, in[c], 0);
    stage_reference(&made);
    for (int c = 0; c < 4; c++) /* their mean is 78.75 */
        assert_true(ct_array_load(&made.port[CT_ZERODM_Y], c).re == 2 * (in[c] - 78.75));
    stage_free(&made);
}

static void mistakes_are_named(void **state)
{
    stage_case made;
    ct_error err = {0};
    (void)state;
    ct_array input = stage_array("T=4 C=3", CT_F32);
    assert_false(
        stage_try(&made, &ct_stage_zerodm, "{\"mode\": \"fit\", \"window\": 1000}", &input, &err));
    assert_non_null(strstr(err.text, "expected a multiple of 64, found 1000"));
    stage_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_channels_share_goes),
        cmocka_unit_test(a_sweep_loses_its_part_of_the_mean),
        cmocka_unit_test(fits_are_straight_lines),
        cmocka_unit_test(flagged_samples_have_no_say),
        cmocka_unit_test(types_are_as_asked_for),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
