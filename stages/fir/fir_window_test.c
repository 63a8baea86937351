/* fir_window_test.c: the prototype filters: published numbers, closed forms, files, bad parameters.
 * Room: stages/fir, tests. */
#include "stage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

extern const ct_stage ct_stage_fir;

/* The coefficient's place in table W, which is [K][C]. */
static double coefficient(const stage_case *fir, int64_t k)
{
    return ct_array_load(&fir->port[2], k).re;
}

static double sum_of(const stage_case *fir, int power)
{
    double sum = 0;
    for (int64_t k = 0; k < ct_array_count(&fir->port[2]); k++)
        sum += pow(coefficient(fir, k), power);
    return sum;
}

static void assert_digits(double found, double expected)
{
    if (fabs(found - expected) > 1e-7 * fabs(expected))
        fail_msg("expected %.10g, found %.10g", expected, found);
}

static void test_cobalt_has_the_published_numbers(void **state)
{
    (void)state;
    stage_case fir;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 256, \"taps\": 16, \"center_dc\": false}",
               "S=1 P=1 T=256", CT_CF32);
    assert_digits(coefficient(&fir, 0), -2.7795603e-5);
    assert_digits(coefficient(&fir, 1), -2.8698732e-5);
    assert_digits(coefficient(&fir, 256), 4.4220705e-4);
    assert_digits(coefficient(&fir, 1024), -1.04683208e-2);
    assert_digits(coefficient(&fir, 2047), 1);
    assert_digits(coefficient(&fir, 2048), 1);
    assert_digits(sum_of(&fir, 1), 264.265278);
    assert_digits(sum_of(&fir, 2), 246.432404);
    for (int64_t k = 0; k < 2048; k++)
        assert_digits(coefficient(&fir, k), coefficient(&fir, 4095 - k));
    stage_free(&fir);
}

static void test_cobalt_scales_with_channels(void **state)
{
    (void)state;
    stage_case fir;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 64, \"taps\": 16, \"center_dc\": false}",
               "S=1 P=1 T=64", CT_CF32);
    assert_digits(coefficient(&fir, 511), 4);
    assert_true(fabs(sum_of(&fir, 1) - 264.265278) < 0.05); /* the sum hardly depends on N */
    stage_free(&fir);
}

/* Window times sinc, independently: by hand from the definitions at one odd place. */
static void test_windowed_sincs(void **state)
{
    static const struct {
        const char *window;
        double value;
    } cases[] = {
        {"hamming", 0.54 - 0.46 * -0.80901699437494745}, /* cos(2 pi 12 / 20) */
        {"hann", 0.5 - 0.5 * -0.80901699437494745},
        {"rect", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stage_case fir;
        char params[128];
        snprintf(params, sizeof params,
                 "{\"channels\": 7, \"taps\": 3, \"window\": \"%s\", \"center_dc\": false}",
                 cases[i].window);
        stage_make(&fir, &ct_stage_fir, params, "S=1 P=1 T=7", CT_CF32);
        double x = PI * (12.0 / 7 - 1.5);
        assert_digits(coefficient(&fir, 12), cases[i].value * sin(x) / x);
        stage_free(&fir);
    }
}

static void test_kaiser_without_beta_is_a_sinc(void **state)
{
    (void)state;
    stage_case fir;
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 9, \"taps\": 3, \"window\": \"kaiser\", \"beta\": 0, "
               "\"center_dc\": false}",
               "S=1 P=1 T=9", CT_CF32);
    assert_digits(coefficient(&fir, 13), 1); /* the centre of 27 */
    assert_digits(coefficient(&fir, 0), sin(PI * 13 / 9) / (PI * 13 / 9));
    stage_free(&fir);
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 9, \"taps\": 3, \"window\": \"kaiser\", \"beta\": 5, "
               "\"center_dc\": false}",
               "S=1 P=1 T=9", CT_CF32);
    assert_digits(coefficient(&fir, 13), 1);
    /* at the edge the Kaiser window is 1 / I0(5) */
    assert_digits(coefficient(&fir, 0), sin(PI * 13 / 9) / (PI * 13 / 9) / 27.239871823604442);
    stage_free(&fir);
}

static void test_normalise(void **state)
{
    stage_case fir;
    (void)state;
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 16, \"normalise\": \"sum\", \"center_dc\": false}", "S=1 P=1 T=16",
               CT_CF32);
    assert_true(fabs(sum_of(&fir, 1) - 1) < 1e-6);
    stage_free(&fir);
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 16, \"normalise\": \"energy\"}", "S=1 P=1 T=16",
               CT_CF32);
    assert_true(fabs(sum_of(&fir, 2) - 1) < 1e-6);
    stage_free(&fir);
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 16, \"normalise\": \"peak\"}", "S=1 P=1 T=16",
               CT_CF32);
    assert_true(fabs(coefficient(&fir, 128) - 1) < 1e-7); /* one of the two at the centre, c even */
    stage_free(&fir);
}

static void test_center_dc_negates_odd_channels(void **state)
{
    stage_case plain, centred;
    (void)state;
    stage_make(&plain, &ct_stage_fir, "{\"channels\": 6, \"taps\": 3, \"center_dc\": false}",
               "S=1 P=1 T=6", CT_CF32);
    stage_make(&centred, &ct_stage_fir, "{\"channels\": 6, \"taps\": 3}", "S=1 P=1 T=6", CT_CF32);
    for (int64_t k = 0; k < 18; k++)
        assert_true(coefficient(&centred, k) == (k % 2 ? -1 : 1) * coefficient(&plain, k));
    stage_free(&plain);
    stage_free(&centred);
}

/* ---------------------------------------------------------------- files of coefficients */

static void write_npy(const char *file, const char *descr, const char *shape, const void *data,
                      size_t bytes)
{
    FILE *out = fopen(file, "wb");
    char header[118 + 1];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr,
             shape);
    assert_non_null(out);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, out);
    fprintf(out, "%-117s\n", header);
    fwrite(data, 1, bytes, out);
    fclose(out);
}

static void test_coefficients_from_a_file(void **state)
{
    const double h[6] = {0.5, -1, 2, 3, 4.25, -8};
    stage_case fir;
    ct_error err = {0};
    ct_array input = stage_array("S=1 P=1 T=4", CT_CI8);
    (void)state;
    write_npy("/tmp/ct_fir_test.npy", "<f8", "(3, 2)", h, sizeof h);
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 2, \"taps\": 3, \"file\": \"/tmp/ct_fir_test.npy\"}", "S=1 P=1 T=4",
               CT_CI8);
    for (int64_t k = 0; k < 6; k++)
        assert_true(coefficient(&fir, k) == (k % 2 ? -h[k] : h[k]));
    stage_free(&fir);
    assert_false(stage_try(&fir, &ct_stage_fir,
                           "{\"channels\": 4, \"taps\": 2, \"file\": \"/tmp/ct_fir_test.npy\"}",
                           &input, &err));
    assert_non_null(strstr(err.text, "8 real numbers"));
    assert_non_null(strstr(err.text, "found 6 f64"));
    stage_free(&fir);
    remove("/tmp/ct_fir_test.npy");
}

/* ---------------------------------------------------------------- mistakes */

static void test_mistakes_are_explained(void **state)
{
    static const struct {
        const char *params, *sentence;
    } cases[] = {
        {"{\"channels\": 7}", "expected an even number, found 7"},
        {"{\"channels\": 8, \"window\": \"file\"}", "\"file\" needs the parameter file"},
        {"{\"channels\": 8, \"window\": \"hann\", \"file\": \"x.npy\"}", "found \"hann\""},
        {"{\"channels\": 8, \"file\": \"nowhere.npy\"}", "nowhere.npy"},
        {"{\"channels\": 2, \"taps\": 1, \"window\": \"hann\", \"normalise\": \"peak\"}",
         "cannot be normalised by their peak"},
        {"{\"channels\": 1048576, \"taps\": 1024}", "16777216"},
    };
    ct_array input = stage_array("S=1 P=1 T=16", CT_CI8);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stage_case fir;
        ct_error err = {0};
        assert_false(stage_try(&fir, &ct_stage_fir, cases[i].params, &input, &err));
        if (!strstr(err.text, cases[i].sentence)) fail_msg("%s", err.text);
        stage_free(&fir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cobalt_has_the_published_numbers),
        cmocka_unit_test(test_cobalt_scales_with_channels),
        cmocka_unit_test(test_windowed_sincs),
        cmocka_unit_test(test_kaiser_without_beta_is_a_sinc),
        cmocka_unit_test(test_normalise),
        cmocka_unit_test(test_center_dc_negates_odd_channels),
        cmocka_unit_test(test_coefficients_from_a_file),
        cmocka_unit_test(test_mistakes_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
