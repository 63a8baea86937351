/* flag_voltages_test.c: flags of voltages by default tunables, whose tile may have more channels
 * than there are: each is the reference's. Room: stages/flag, tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stage_device.h"
#include "stages/flag/flag.h"

/* Sums of eight even numbers, nearly normal. */
static void fill(ct_array *x)
{
    int8_t *to = x->data;
    uint32_t random = 12345;
    for (size_t n = 0; n < ct_array_bytes(x); n++) {
        int sum = 0;
        for (int k = 0; k < 8; k++) {
            random = random * 1664525u + 1013904223u;
            sum += (int)(random >> 27) - 15;
        }
        to[n] = (int8_t)(sum / 2);
    }
}

static int count_wrong(const ct_array *found, const ct_array *expected)
{
    const uint8_t *f = found->data;
    const double *e = expected->data;
    const size_t count = ct_array_bytes(found);
    int wrong = 0, flagged = 0;
    assert_int_equal(ct_array_bytes(expected), count * sizeof *e);
    for (size_t n = 0; n < count; n++) {
        wrong += (double)f[n] != e[n];
        flagged += f[n] != 0;
    }
    assert_true(flagged > 0 && (size_t)flagged < count);
    return wrong;
}

/* Skips where there is no device. */
static void compare(int channels)
{
    char extents[64];
    stage_case made;
    stage_device on;
    snprintf(extents, sizeof extents, "S=2 P=2 T=132 C=%d", channels);
    stage_make(&made, &ct_stage_flag, "{\"window\": 66, \"false_alarms\": 0.3}", extents, CT_CI8);
    ct_step_default_tunables(made.step);
    fill(&made.port[CT_FLAG_X]);
    stage_reference(&made);
    const bool is = stage_device_open(&on, &made);
    if (is) {
        stage_device_fire(&on, false);
        ct_array f = stage_device_read(&on, CT_FLAG_F);
        const int wrong = count_wrong(&f, &made.port[CT_FLAG_F]);
        if (wrong) fail_msg("%d channels: %d flags are wrong", channels, wrong);
        free(f.data);
        stage_device_close(&on);
    }
    stage_free(&made);
    if (!is) skip();
}

static void each_flag_is_the_references(void **state)
{
    static const int channels[] = {5, 16, 37, 40, 65};
    (void)state;
    for (size_t n = 0; n < sizeof channels / sizeof *channels; n++)
        compare(channels[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_flag_is_the_references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
