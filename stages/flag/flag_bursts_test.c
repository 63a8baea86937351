/* flag_bursts_test.c: what the kernels do to bursts, carriers, and to one beside the other, in
 * noise of bytes. Room: stages/flag, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stage_device.h"
#include "stages/flag/flag.h"

enum { TIMES = 2048, CHANNELS = 97, DEVIATION = 12, WIDTH = 3 };

static double unit(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* Sums of twelve even numbers: a mean of 60 and a deviation of 12. */
static void fill_noise(uint8_t *x)
{
    uint64_t state = 88172645463325252u;
    for (int n = 0; n < TIMES * CHANNELS; n++) {
        double sum = -6;
        for (int k = 0; k < 12; k++)
            sum += unit(&state);
        x[n] = (uint8_t)(60.5 + DEVIATION * sum);
    }
}

static void add(uint8_t *x, int t, int c, double deviations)
{
    const double sum = x[t * CHANNELS + c] + DEVIATION * deviations;
    x[t * CHANNELS + c] = (uint8_t)(sum > 255 ? 255 : sum);
}

/* Where the burst is in a channel: later by 3 samples for 2 channels, across the windows' end. */
static int burst_at(int c)
{
    return 970 + 3 * c / 2;
}

static void add_burst(uint8_t *x, double deviations)
{
    for (int c = 0; c < CHANNELS; c++)
        for (int k = 0; k < WIDTH; k++)
            add(x, burst_at(c) + k, c, deviations);
}

static bool has_carrier(int t, int c)
{
    return c >= 40 && c < 43 && t >= 200 && t < 500;
}

static void add_carrier(uint8_t *x, double deviations)
{
    for (int t = 200; t < 500; t++)
        for (int c = 40; c < 43; c++)
            add(x, t, c, deviations);
}

/* Parts that are flagged, of the burst, of the carrier and of all else. */
typedef struct parts {
    double burst, carrier, rest;
} parts;

static parts parts_of(const uint8_t *f)
{
    parts flagged = {0}, of = {0};
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++) {
            const bool in = t >= burst_at(c) && t < burst_at(c) + WIDTH, on = has_carrier(t, c);
            double *to = in ? &flagged.burst : on ? &flagged.carrier : &flagged.rest;
            *(in ? &of.burst : on ? &of.carrier : &of.rest) += 1;
            *to += f[t * CHANNELS + c];
        }
    return (parts){flagged.burst / of.burst, flagged.carrier / of.carrier, flagged.rest / of.rest};
}

static void compare(const stage_device *on, const uint8_t *x, parts *out)
{
    ct_array y = stage_device_read((stage_device *)on, CT_FLAG_Y);
    ct_array f = stage_device_read((stage_device *)on, CT_FLAG_F);
    assert_memory_equal(y.data, x, TIMES * CHANNELS);
    *out = parts_of(f.data);
    free(y.data);
    free(f.data);
}

/* Of a burst and a carrier of so many deviations in each channel. Skips where there is no device.
 */
static parts flag(double burst, double carrier)
{
    stage_case made;
    stage_device on;
    parts out = {0};
    stage_make(&made, &ct_stage_flag, "{}", "T=2048 C=97", CT_U8);
    ct_step_default_tunables(made.step);
    uint8_t *x = made.port[CT_FLAG_X].data;
    fill_noise(x);
    add_burst(x, burst);
    add_carrier(x, carrier);
    const bool is = stage_device_open(&on, &made);
    if (is) {
        stage_device_fire(&on, false);
        compare(&on, x, &out);
        stage_device_close(&on);
    }
    stage_free(&made);
    if (!is) skip();
    return out;
}

/* Of noise IQRM takes a channel in a hundred. */
static void noise_is_kept(void **state)
{
    (void)state;
    const parts part = flag(0, 0);
    assert_true(part.rest < 0.03 && part.burst < 0.03);
}

static void bursts_are_kept(void **state)
{
    static const double deviations[] = {2, 3, 4, 5, 6, 8, 10};
    (void)state;
    for (int n = 0; n < 7; n++) {
        const parts part = flag(deviations[n], 0);
        if (part.burst > 0.04) fail_msg("%g: %g is flagged", deviations[n], part.burst);
        assert_true(part.rest < 0.03);
    }
}

static void carriers_are_flagged(void **state)
{
    static const double deviations[] = {3, 5, 8, 12};
    (void)state;
    for (int n = 0; n < 4; n++) {
        const parts part = flag(0, deviations[n]);
        if (part.carrier < 0.98) fail_msg("%g: only %g is flagged", deviations[n], part.carrier);
        assert_true(part.rest < 0.05);
    }
}

static void one_does_not_hide_the_other(void **state)
{
    (void)state;
    const parts part = flag(8, 8);
    assert_true(part.burst < 0.06 && part.carrier > 0.98);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_kept),
        cmocka_unit_test(bursts_are_kept),
        cmocka_unit_test(carriers_are_flagged),
        cmocka_unit_test(one_does_not_hide_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
