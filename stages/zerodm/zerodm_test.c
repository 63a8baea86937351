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

static void make_long(stage_case *made, const char *params, int times,
                      double (*value)(int t, int c))
{
    char dims[32];
    snprintf(dims, sizeof dims, "T=%d C=%d", times, CHANNELS);
    stage_make(made, &ct_stage_zerodm, params, dims, CT_F32);
    for (int t = 0; t < times; t++)
        for (int c = 0; c < CHANNELS; c++)
            ct_array_save(&made->port[CT_ZERODM_X], t * CHANNELS + c, value(t, c), 0);
}

static void make(stage_case *made, const char *params, double (*value)(int t, int c))
{
    make_long(made, params, TIMES, value);
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

/* As `swept`, but a thousand times as strong as the noise. */
static double bright(int t, int c)
{
    return 50 + c + noise(t * CHANNELS + c) + (t == 20 + 5 * c ? 300 : 0);
}

/* Its mean would be 300 / 1024 lower than without the pulse, which is one rms. */
static void a_bright_pulse_leaves_other_times_alone(void **state)
{
    stage_case made;
    (void)state;
    make_long(&made, "{\"mode\": \"fit\"}", 1024, bright);
    stage_reference(&made);
    for (int c = 0; c < CHANNELS; c++) {
        double sum = 0;
        for (int t = 64; t < 1024; t++)
            sum += left(&made, t, c);
        assert_true(fabs(sum / 960) < 0.02);
    }
    stage_free(&made);
}

/* Of the second of four parts a channel lacks so many samples. */
static bool lacks(int t, int c, int missing)
{
    return c == 2 && t >= 64 && t < 64 + missing;
}

/* The line's value where z is 0, of some samples of channel 2. */
static double value_at_zero(const double *z, int first, int end, int missing, double slope)
{
    double sum = 0;
    int count = 0;
    for (int t = first; t < end; t++) {
        if (lacks(t, 2, missing)) continue;
        sum += (float)swept(t, 2) - slope * z[t];
        count++;
    }
    return sum / count;
}

static double slope_of(const double *z, int missing)
{
    double n = 0, sx = 0, sz = 0, szz = 0, sxz = 0;
    for (int t = 0; t < 256; t++) {
        const double x = (float)swept(t, 2);
        if (lacks(t, 2, missing)) continue;
        n++, sx += x, sz += z[t], szz += z[t] * z[t], sxz += x * z[t];
    }
    return (n * sxz - sx * sz) / (n * szz - sz * sz);
}

/* Variance of what is left of channel 2. */
static double variance_of(const double *z, int missing, double slope)
{
    const double middle = value_at_zero(z, 0, 256, missing, slope);
    double sum = 0;
    int count = 0;
    for (int t = 0; t < 256; t++) {
        if (lacks(t, 2, missing)) continue;
        const double left = (float)swept(t, 2) - slope * z[t] - middle;
        sum += left * left;
        count++;
    }
    return sum / count;
}

/* How many of n numbers are below. */
static int rank_of(const double *level, int n, double x)
{
    int below = 0;
    for (int p = 0; p < n; p++)
        below += level[p] < x;
    return below;
}

/* The mean of numbers, which are known to 1 / `weight`: those beyond 3 of that from the median are
 * left out, between 2 and 3 more and more. */
static double mean_of_most(const double *level, int n, double weight)
{
    double middle = 0, sum = 0, weights = 0;
    for (int p = 0; p < n; p++) {
        const int rank = rank_of(level, n, level[p]);
        middle += (rank == n / 2 ? 0.5 : 0) * level[p] + (rank == (n - 1) / 2 ? 0.5 : 0) * level[p];
    }
    for (int p = 0; p < n; p++) {
        const double far = fabs(level[p] - middle) * weight;
        const double part = far < 2 ? 1 : far > 3 ? 0 : 3 - far;
        sum += part * level[p];
        weights += part;
    }
    return sum / weights;
}

static void flag_some(stage_case *made, int missing)
{
    ct_array *m = &made->port[CT_ZERODM_M];
    *m = stage_array("S=1 T=256 C=7", CT_U8);
    m->data = calloc(1, ct_array_bytes(m));
    for (int n = 0; n < 256 * CHANNELS; n++)
        ct_array_save(m, n, lacks(n / CHANNELS, n % CHANNELS, missing), 0);
}

/* Of four parts; then of three, as one has less than half of its samples. */
static void the_level_is_what_most_parts_have(void **state)
{
    (void)state;
    for (int missing = 32; missing <= 33; missing++) {
        stage_case made;
        double z[256] = {0}, level[4];
        make_long(&made, "{\"mode\": \"fit\", \"window\": 256}", 256, swept);
        flag_some(&made, missing);
        stage_reference(&made);
        for (int t = 0; t < 256; t++)
            for (int c = 0; c < CHANNELS; c++)
                if (!lacks(t, c, missing))
                    z[t] += (float)swept(t, c) / (lacks(t, 2, missing) ? CHANNELS - 1.0 : CHANNELS);
        const double slope = slope_of(z, missing),
                     weight = 8 / sqrt(variance_of(z, missing, slope));
        int n = 0;
        for (int p = 0; p < 4; p++)
            if (p != 1 || missing <= 32)
                level[n++] = value_at_zero(z, 64 * p, 64 * p + 64, missing, slope);
        const double line = mean_of_most(level, n, weight);
        for (int t = 128; t < 256; t++)
            assert_true(fabs((float)swept(t, 2) - slope * z[t] - line - left(&made, t, 2)) < 1e-7);
        stage_free(&made);
    }
}

enum { MANY = 256, SWEEP = 2 * MANY, WIDE = 16 };

/* Noise of an rms of 0.29, and a burst that is in each of many channels two samples later than in
 * the one before. */
static double burst(int t, int c)
{
    const int since = t - 100 - 2 * c;
    return 50 + c % 5 + noise(t * MANY + c) + (since >= 0 && since < WIDE ? 5 : 0);
}

static void make_many(stage_case *made, double (*value)(int t, int c))
{
    stage_make(made, &ct_stage_zerodm, "{\"mode\": \"fit\"}", "T=1024 C=256", CT_F32);
    for (int t = 0; t < 1024; t++)
        for (int c = 0; c < MANY; c++)
            ct_array_save(&made->port[CT_ZERODM_X], t * MANY + c, value(t, c), 0);
    stage_reference(made);
}

/* In the mean over channels the burst is 5 * WIDE / SWEEP = 0.16, for as long as the sweep. */
static void a_sweep_leaves_other_channels_alone(void **state)
{
    stage_case made;
    double sum[2] = {0};
    int64_t count[2] = {0};
    (void)state;
    make_many(&made, burst);
    for (int t = 0; t < 1024; t++)
        for (int c = 0; c < MANY; c++) {
            const int during = t >= 100 && t < 100 + SWEEP, since = t - 100 - 2 * c;
            if (since >= 0 && since < WIDE) continue;
            sum[during] += ct_array_load(&made.port[CT_ZERODM_Y], t * MANY + c).re;
            count[during]++;
        }
    assert_true(fabs(sum[0] / (double)count[0]) < 0.01);
    assert_true(fabs(sum[1] / (double)count[1]) < 0.02);
    stage_free(&made);
}

/* Noise, and for 8 samples as much as its rms in all channels. */
static double impulse(int t, int c)
{
    return 50 + noise(t * MANY + c) + (t >= 500 && t < 508 ? 0.29 : 0);
}

/* Slopes over medians, which scatter, would leave a seventh of it: 0.04. */
static void a_weak_impulse_goes(void **state)
{
    stage_case made;
    double sum = 0;
    (void)state;
    make_many(&made, impulse);
    for (int t = 500; t < 508; t++)
        for (int c = 0; c < MANY; c++)
            sum += ct_array_load(&made.port[CT_ZERODM_Y], t * MANY + c).re;
    assert_true(fabs(sum / (8 * MANY)) < 0.02);
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
        cmocka_unit_test(a_bright_pulse_leaves_other_times_alone),
        cmocka_unit_test(the_level_is_what_most_parts_have),
        cmocka_unit_test(a_sweep_leaves_other_channels_alone),
        cmocka_unit_test(a_weak_impulse_goes),
        cmocka_unit_test(flagged_samples_have_no_say),
        cmocka_unit_test(types_are_as_asked_for),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
