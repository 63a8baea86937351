/* detect_test.c: what is special about detection: signs, polarization states, instants, mistakes.
 * That kernels agree with the reference is verify's part.
 * Room: stages/detect, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stage.h"
#include "stages/detect/detect.h"

/* Detects one sample of X and Y. */
static void detect_pair(ct_complex x, ct_complex y, double out[4])
{
    stage_case made;
    stage_make(&made, &ct_stage_detect, "{\"stokes\": \"IQUV\"}", "P=2 T=1 C=1", CT_CF32);
    ct_array_save(&made.port[0], 0, x.re, x.im);
    ct_array_save(&made.port[0], 1, y.re, y.im);
    stage_reference(&made);
    assert_string_equal(made.step->port[1].dim, "QTC");
    for (int q = 0; q < 4; q++)
        out[q] = ct_array_load(&made.port[1], q).re;
    stage_free(&made);
}

static void expect(ct_complex x, ct_complex y, double i, double q, double u, double v)
{
    double out[4];
    detect_pair(x, y, out);
    assert_true(out[0] == i && out[1] == q && out[2] == u && out[3] == v);
}

static void test_polarization_states(void **state)
{
    const ct_complex none = {0, 0}, one = {1, 0}, minus = {-1, 0}, plus_i = {0, 1};
    (void)state;
    expect(one, none, 1, 1, 0, 0);
    expect(none, one, 1, -1, 0, 0);
    expect(one, one, 2, 0, 2, 0);
    expect(one, minus, 2, 0, -2, 0);
    expect(plus_i, one, 2, 0, 0, 2); /* V = 2 (Xi Yr - Xr Yi) */
    expect(one, plus_i, 2, 0, 0, -2);
    expect((ct_complex){3, 4}, (ct_complex){1, -2}, 30, 20, -10, 20);
}

static void test_integration_adds_and_moves_the_instant(void **state)
{
    stage_case made;
    ct_error err = {0};
    ct_array input = stage_array("S=2 P=1 T=12 C=3", CT_CI8);
    (void)state;
    input.meta.sample_time_s = 0.5;
    input.meta.start_s = 7;
    input.meta.total = 100;
    assert_true(stage_try(&made, &ct_stage_detect, "{\"integrate\": 4}", &input, &err));
    const ct_array *y = &made.step->port[1];
    assert_string_equal(y->dim, "STC");
    assert_int_equal(ct_array_extent(y, 'T'), 3);
    assert_true(y->meta.sample_time_s == 2 && y->meta.start_s == 7.75 && y->meta.total == 25);
    stage_free(&made);
}

static void test_powers_are_added(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_detect, "{\"integrate\": 2}", "B=1 P=2 T=4 C=1", CT_F32);
    for (int i = 0; i < 8; i++) /* 1 2 3 4 and 10 20 30 40 */
        ct_array_save(&made.port[0], i, i < 4 ? i + 1 : 10 * (i - 3), 0);
    stage_reference(&made);
    assert_string_equal(made.step->port[1].dim, "BTC");
    assert_true(ct_array_load(&made.port[1], 0).re == 33);
    assert_true(ct_array_load(&made.port[1], 1).re == 77);
    stage_free(&made);
}

static void expect_error_of(ct_type type, const char *params, const char *extents, const char *part)
{
    stage_case made;
    ct_error err = {0};
    ct_array input = stage_array(extents, type);
    input.meta.total = 50;
    assert_false(stage_try(&made, &ct_stage_detect, params, &input, &err));
    if (strstr(err.text, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    stage_free(&made);
}

static void expect_error(const char *params, const char *extents, const char *part)
{
    expect_error_of(CT_CF32, params, extents, part);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    expect_error("{\"stokes\": \"IQUV\"}", "P=1 T=4 C=3", "both polarizations");
    expect_error("{}", "P=3 T=4 C=3", "3 polarizations");
    expect_error_of(CT_F32, "{\"stokes\": \"IQUV\"}", "P=2 T=4 C=3", "holds powers");
    expect_error("{\"integrate\": 64}", "P=2 T=64 C=3", "has 50 in all");
}

static void set_layout(ct_step *step, int port, const char *order)
{
    ct_layout layout;
    assert_int_equal(ct_layout_parse(&layout, order, NULL), CT_OK);
    assert_int_equal(ct_step_set_layout(step, port, &layout, NULL), CT_OK);
}

/* On GPUs neighbours take what lies side by side in the array of which there is more to touch. */
static void test_neighbours_touch_few_sectors(void **state)
{
    static const struct {
        const char *params, *extents, *read, *write;
        int64_t wg, vector;
        int first;
    } cases[] = {
        {"{\"stokes\": \"IQUV\"}", "B=2 P=2 T=256 C=64", "BCTP", "BQTC", 64, 1, DETECT_C},
        {"{\"stokes\": \"IQUV\"}", "B=2 P=2 T=256 C=64", "BCTP", "BQCT", 64, 1, DETECT_T},
        {"{\"stokes\": \"IQUV\"}", "B=2 P=2 T=256 C=16", "BCTP", "BQTC", 64, 1, DETECT_T}, /* few */
        {"{\"stokes\": \"IQUV\"}", "B=2 P=2 T=256 C=64", "BCTP", "BQTC", 64, 4, DETECT_T},
        {"{\"stokes\": \"IQUV\"}", "B=2 P=2 T=256 C=64", "BCTP", "BQTC", 1, 1, DETECT_T},
        {"{\"integrate\": 16}", "B=2 P=2 T=256 C=64", "BTCP", "BCT", 64, 1, DETECT_C},
        {"{}", "B=2 P=2 T=256 C=64", "BPTC", "BCT", 64, 1,
         DETECT_C}, /* 16 + 32 bytes against 64 + 4 */
        {"{}", "B=2 P=1 T=256 C=64", "BTCP", "BCT", 64, 1, DETECT_T}, /* 32 + 4 against 8 + 32 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage_case made;
        stage_make(&made, &ct_stage_detect, cases[i].params, cases[i].extents, CT_CF32);
        set_layout(made.step, CT_DETECT_X, cases[i].read);
        set_layout(made.step, CT_DETECT_Y, cases[i].write);
        ct_step_suggest(made.step, "WG", cases[i].wg);
        ct_step_suggest(made.step, "VECTOR_X", cases[i].vector);
        assert_int_equal(ct_detect_walk(made.step).axis[0], cases[i].first);
        stage_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polarization_states),
        cmocka_unit_test(test_integration_adds_and_moves_the_instant),
        cmocka_unit_test(test_powers_are_added),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_neighbours_touch_few_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
