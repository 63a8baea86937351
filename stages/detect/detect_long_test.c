/* detect_long_test.c: integrations of millions of samples against closed formulas, where one float
 * for a sum would stand still.
 * Room: tests of stages/detect. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stage_device.h"
#include "stages/detect/detect.h"

enum { X = CT_DETECT_X, Y = CT_DETECT_Y, LARGE = 32767, PERIOD = 5 };

/* One way of adding up: the extents hold whole integrations, of a multiple of PERIOD samples. */
typedef struct trial {
    const char *params, *extents;
    ct_type type;
    const char *read; /* order of the input's dimensions; the output's is the natural one */
    const char *tunable;
    int64_t value;
    bool large; /* each integration begins with a sample that all others together do not reach */
} trial;

/* Sample t of an integration, in all channels and polarizations: powers 1, 2, 5, 10, 17. */
static ct_complex voltage(const trial *one, int64_t t)
{
    if (one->large && t == 0) return (ct_complex){LARGE, LARGE};
    return (ct_complex){(double)(t % PERIOD), 1};
}

static double power(const trial *one, int64_t samples)
{
    double sum = (double)samples / PERIOD * (1 + 2 + 5 + 10 + 17);
    return one->large ? sum - 1 + 2.0 * LARGE * LARGE : sum;
}

static void fill(const trial *one, ct_array *x, int64_t samples)
{
    int64_t times = ct_array_extent(x, 'T'), channels = ct_array_extent(x, 'C');
    int64_t pols = ct_array_extent(x, 'P');
    for (int64_t n = 0; n < pols * times * channels; n++) {
        ct_complex v = voltage(one, n / channels % times % samples);
        ct_array_save(x, n, v.re, v.im);
    }
}

static void set_layout(stage_case *made, const char *order)
{
    ct_layout layout = ct_layout_natural(&made->step->port[X]);
    ct_error err = {0};
    memcpy(layout.dim, order, strlen(order));
    stage_device_must(ct_step_set_layout(made->step, X, &layout, &err), &err);
    layout = ct_layout_natural(&made->step->port[Y]);
    stage_device_must(ct_step_set_layout(made->step, Y, &layout, &err), &err);
}

/* Both polarizations are alike: I and U are twice one's power, Q and V are 0. */
static void check(const ct_array *y, double of_one, int64_t pols)
{
    const double expected[4] = {(double)pols * of_one, 0, 2 * of_one, 0};
    int64_t each = ct_array_extent(y, 'T') * ct_array_extent(y, 'C');
    for (int64_t n = 0; n < ct_array_count(y); n++) {
        double found = ct_array_load(y, n).re, wanted = expected[n / each];
        if (!(fabs(found - wanted) <= ct_stage_detect.verify.tolerance * expected[0]))
            fail_msg("element %lld: %.9g instead of %.9g", (long long)n, found, wanted);
    }
}

static void try(const trial *one)
{
    stage_case made;
    stage_device on;
    stage_make(&made, &ct_stage_detect, one->params, one->extents, one->type);
    int64_t pols = ct_array_extent(&made.port[X], 'P'), samples = made.step->decimate;
    assert_int_equal(samples % PERIOD, 0);
    fill(one, &made.port[X], samples);
    set_layout(&made, one->read);
    ct_step_default_tunables(made.step);
    if (one->tunable) ct_step_suggest(made.step, one->tunable, one->value);
    assert_true(ct_step_is_legal(made.step));
    if (!stage_device_open(&on, &made)) skip();
    stage_device_fire(&on, false);
    ct_array y = stage_device_read(&on, Y);
    check(&y, power(one, samples), pols);
    free(y.data);
    stage_device_close(&on);
    stage_free(&made);
}

static void test_long_sums(void **state)
{
    static const trial trials[] = {
        {"{\"integrate\": 33554435}", "P=1 T=33554435 C=1", CT_CI8, "PTC", "VECTOR_X", 1, false},
        {"{\"integrate\": 33554435}", "P=1 T=33554435 C=1", CT_CI8, "PTC", NULL, 0, false},
        {"{\"integrate\": 262145}", "P=2 T=524290 C=11", CT_CI16, "PTC", NULL, 0, true},
        {"{\"integrate\": 262145}", "P=2 T=524290 C=11", CT_CI16, "TCP", NULL, 0, true},
        {"{\"integrate\": 262145}", "P=2 T=524290 C=11", CT_CI16, "CPT", NULL, 0, true},
        {"{\"integrate\": 262145}", "P=2 T=524290 C=11", CT_CI16, "PCT", "TILED", 1, true},
        {"{\"integrate\": 131075, \"stokes\": \"IQUV\"}", "P=2 T=131075 C=9", CT_CI16, "CTP", NULL,
         0, true},
        {"{\"integrate\": 131075, \"stokes\": \"IQUV\"}", "P=2 T=131075 C=9", CT_CI16, "PTC", NULL,
         0, true},
    };
    (void)state;
    for (size_t n = 0; n < sizeof trials / sizeof trials[0]; n++)
        try(&trials[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
