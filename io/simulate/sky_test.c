/* sky_test.c: the parts of the simulator against closed formulas: transform, random numbers,
 * directions, station positions.
 * Room: tests of io/simulate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/simulate/random.h"
#include "io/simulate/simulate.h"
#include "io/simulate/transform.h"
#include "step.h"

#define TWO_PI 6.283185307179586477

typedef struct sky {
    ct_value *given;
    ct_step *step;
} sky;

static sky sky_open(const char *params)
{
    sky made = {NULL, NULL};
    ct_error err = {0};
    assert_int_equal(ct_value_parse(&made.given, params, "test", &err), CT_OK);
    assert_int_equal(
        ct_step_new(&made.step, &ct_stage_simulate, "sky", made.given, NULL, NULL, &err), CT_OK);
    if (ct_step_infer(made.step, &err) != CT_OK) fail_msg("%s", err.text);
    return made;
}

static void sky_close(sky *made)
{
    ct_step_free(made->step);
    ct_value_free(made->given);
}

static void test_transform_is_the_sum(void **state)
{
    enum { N = 64 };
    sky made = sky_open("{\"samples\": 1}");
    sim_transform transform = ct_transform_new(made.step, N);
    sim_random random = ct_random_new(5, 0);
    ct_complex data[N], kept[N];
    (void)state;
    for (int t = 0; t < N; t++) {
        double normal[2];
        ct_random_normal(&random, normal);
        data[t] = kept[t] = (ct_complex){normal[0], normal[1]};
    }
    ct_transform_forward(&transform, data);
    for (int f = 0; f < N; f++) {
        double re = 0, im = 0;
        for (int t = 0; t < N; t++) {
            double angle = -TWO_PI * f * t / N;
            re += kept[t].re * cos(angle) - kept[t].im * sin(angle);
            im += kept[t].re * sin(angle) + kept[t].im * cos(angle);
        }
        assert_true(fabs(data[f].re - re) < 1e-11 && fabs(data[f].im - im) < 1e-11);
    }
    ct_transform_backward(&transform, data);
    for (int t = 0; t < N; t++)
        assert_true(fabs(data[t].re / N - kept[t].re) < 1e-13);
    sky_close(&made);
}

static void test_random_numbers_are_normal(void **state)
{
    enum { N = 200000 };
    sim_random random = ct_random_new(1, 2), other = ct_random_new(1, 3);
    double sum = 0, square = 0, fourth = 0, cross = 0;
    (void)state;
    for (int k = 0; k < N; k++) {
        double a[2], b[2];
        ct_random_normal(&random, a);
        ct_random_normal(&other, b);
        sum += a[0] + a[1];
        square += a[0] * a[0] + a[1] * a[1];
        fourth += a[0] * a[0] * a[0] * a[0];
        cross += a[0] * a[1] + a[0] * b[0];
    }
    assert_true(fabs(sum / (2 * N)) < 0.008); /* 5 standard deviations */
    assert_true(fabs(square / (2 * N) - 1) < 0.012);
    assert_true(fabs(fourth / N - 3) < 0.12);
    assert_true(fabs(cross / N) < 0.016);
}

static void test_directions_and_delays(void **state)
{
    double u[3];
    const double east[3] = {299792.458, 0, 0}, up[3] = {0, 0, 299792.458};
    (void)state;
    ct_sky_direction(90, 0, u); /* the east's horizon */
    assert_true(fabs(u[0] - 1) < 1e-15 && fabs(u[1]) < 1e-15 && fabs(u[2]) < 1e-15);
    assert_true(fabs(ct_sky_delay(east, u) + 1e-3) < 1e-15); /* 300 km nearer: 1 ms earlier */
    ct_sky_direction(40, 60, u);
    assert_true(fabs(u[0] - 0.3213938) < 1e-7 && fabs(u[1] - 0.3830222) < 1e-7);
    assert_true(fabs(ct_sky_delay(up, u) + 0.8660254e-3) < 1e-9);
}

/* Two stations 100 m apart along the meridian of Greenwich's equator, whose vertical is x. */
static void test_parameter_sets_become_local(void **state)
{
    char name[] = "/tmp/ct_parset_XXXXXX", params[128];
    const char *text = "# comment\n"
                       "PIC.Core.AA001HBA.phaseCenter = [6378137.0, 0.0, -50.0]\n"
                       "PIC.Core.AA001HBA0.phaseCenter = [1, 2, 3]\n"
                       "PIC.Core.AA002HBA.phaseCenter = [6378137.0, 30.0, 50.0]\n"
                       "PIC.Core.BB001HBA.phaseCenter = [9, 9, 9]\n"
                       "PIC.Core.AA002LBA.phaseCenter = [4, 5, 6]\n";
    int file = mkstemp(name);
    (void)state;
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    snprintf(params, sizeof params, "{\"samples\": 1, \"stations\": \"%s\", \"select\": \"AA\"}",
             name);
    sky made = sky_open(params);
    const simulation *sim = made.step->state;
    const double expected[2][3] = {{-15, -50, 0}, {15, 50, 0}};
    assert_int_equal(sim->stations, 2);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(sim->position[s][k] - expected[s][k]) < 1e-3);
    sky_close(&made);
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transform_is_the_sum),
        cmocka_unit_test(test_random_numbers_are_normal),
        cmocka_unit_test(test_directions_and_delays),
        cmocka_unit_test(test_parameter_sets_become_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
