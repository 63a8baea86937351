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

static void check_transform(int length)
{
    sky made = sky_open("{\"samples\": 1}");
    sim_transform transform = ct_transform_new(made.step, length);
    sim_random random = ct_random_new(5, 0);
    ct_complex data[128], kept[128];
    double a[CT_POLAR_COUNT], b[CT_POLAR_COUNT];
    ct_random_normals(&random, a, b, length);
    for (int t = 0; t < length; t++)
        data[t] = kept[t] = (ct_complex){a[t], b[t]};
    ct_transform_forward(&transform, data);
    for (int f = 0; f < length; f++) {
        double re = 0, im = 0;
        for (int t = 0; t < length; t++) {
            double angle = -TWO_PI * f * t / length;
            re += kept[t].re * cos(angle) - kept[t].im * sin(angle);
            im += kept[t].re * sin(angle) + kept[t].im * cos(angle);
        }
        assert_true(fabs(data[f].re - re) < 1e-11 && fabs(data[f].im - im) < 1e-11);
    }
    ct_transform_backward(&transform, data);
    for (int t = 0; t < length; t++)
        assert_true(fabs(data[t].re / length - kept[t].re) < 1e-13);
    sky_close(&made);
}

static void test_transform_is_the_sum(void **state)
{
    (void)state;
    for (int length = 1; length <= 128; length *= 2)
        check_transform(length);
}

/* Three tones, in arrays that are longer than what is transformed at a time. */
static void test_long_transform(void **state)
{
    (void)state;
    for (int64_t length = 1 << 15; length <= 1 << 17; length *= 2) {
        const int64_t bin[3] = {1, length / 2 + 77, length - 5};
        sky made = sky_open("{\"samples\": 1}");
        sim_transform transform = ct_transform_new(made.step, length);
        ct_complex *data = calloc((size_t)length, sizeof *data);
        for (int64_t t = 0; t < length; t++)
            for (int k = 0; k < 3; k++) {
                const double angle = TWO_PI * (double)(bin[k] * t % length) / (double)length;
                data[t].re += (k + 1) * cos(angle);
                data[t].im += (k + 1) * sin(angle);
            }
        ct_transform_forward(&transform, data);
        for (int k = 0; k < 3; k++)
            data[bin[k]].re -= (double)((k + 1) * length);
        for (int64_t f = 0; f < length; f++)
            assert_true(hypot(data[f].re, data[f].im) < 1e-8);
        free(data);
        sky_close(&made);
    }
}

static void test_random_numbers_are_normal(void **state)
{
    enum { N = 200000, PIECE = 250 };
    sim_random random = ct_random_new(1, 2), other = ct_random_new(1, 3);
    double sum = 0, square = 0, fourth = 0, cross = 0;
    (void)state;
    for (int n = 0; n < N; n += PIECE) {
        double a[CT_POLAR_COUNT], b[CT_POLAR_COUNT], c[CT_POLAR_COUNT], d[CT_POLAR_COUNT];
        ct_random_normals(&random, a, b, PIECE);
        ct_random_normals(&other, c, d, PIECE);
        for (int k = 0; k < PIECE; k++) {
            sum += a[k] + b[k];
            square += a[k] * a[k] + b[k] * b[k];
            fourth += a[k] * a[k] * a[k] * a[k];
            cross += a[k] * b[k] + a[k] * c[k];
        }
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
        cmocka_unit_test(test_long_transform),
        cmocka_unit_test(test_random_numbers_are_normal),
        cmocka_unit_test(test_directions_and_delays),
        cmocka_unit_test(test_parameter_sets_become_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
