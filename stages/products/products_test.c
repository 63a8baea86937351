/* products_test.c: what the sums mean: Stokes parameters of both feeds are those that stage detect
 * makes of the same voltages, a linear polarization's are its closed form; what cannot be made is
 * said. Room: stages/products, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stage.h"
#include "stages/correlator/correlator.h"
#include "stages/detect/detect.h"
#include "stages/products/products.h"

enum { SAMPLES = 7 };

/* Voltages of two receptors. */
typedef struct pair {
    ct_complex a[SAMPLES], b[SAMPLES];
} pair;

static pair random_pair(void)
{
    pair out;
    uint32_t seed = 5;
    double *numbers = (double *)&out;
    for (size_t i = 0; i < sizeof out / sizeof *numbers; i++) {
        seed = seed * 1664525u + 1013904223u;
        numbers[i] = (double)(seed >> 16) / 65536 - 0.5;
    }
    return out;
}

/* (x + sign i y) / sqrt(2) */
static ct_complex rotated(ct_complex x, ct_complex y, double sign)
{
    return (ct_complex){(x.re - sign * y.im) * M_SQRT1_2, (x.im + sign * y.re) * M_SQRT1_2};
}

/* R = (x + iy) / sqrt(2) and L = (x - iy) / sqrt(2), in this order. */
static pair circular(const pair *linear)
{
    pair out;
    for (int t = 0; t < SAMPLES; t++) {
        out.a[t] = rotated(linear->a[t], linear->b[t], 1);
        out.b[t] = rotated(linear->a[t], linear->b[t], -1);
    }
    return out;
}

static void fill(ct_array *x, const pair *of)
{
    for (int t = 0; t < SAMPLES; t++) {
        const int64_t at = x->offset + t * ct_array_stride(x, 'T');
        ct_array_save(x, at, of->a[t].re, of->a[t].im);
        ct_array_save(x, at + ct_array_stride(x, 'P'), of->b[t].re, of->b[t].im);
    }
}

/* Stage detect's sums over all samples. */
static void detected(const pair *of, double out[4])
{
    stage_case made;
    stage_make(&made, &ct_stage_detect, "{\"stokes\": \"IQUV\", \"integrate\": 7}", "P=2 T=7 C=1",
               CT_CF32);
    made.port[0].type = CT_CF64, free(made.port[0].data);
    made.port[0].data = calloc(1, ct_array_bytes(&made.port[0]));
    fill(&made.port[0], of);
    stage_reference(&made);
    for (int q = 0; q < 4; q++)
        out[q] = ct_array_load(&made.port[CT_DETECT_Y], q).re;
    stage_free(&made);
}

static void convert(const char *params, ct_type type, const ct_complex in[4], ct_complex out[4])
{
    stage_case made;
    stage_make(&made, &ct_stage_products, params, "Q=4 T=1 C=1", type);
    made.port[0].type = ct_type_complex(type) ? CT_CF64 : CT_F64, free(made.port[0].data);
    made.port[0].data = calloc(1, ct_array_bytes(&made.port[0]));
    for (int q = 0; q < 4; q++)
        ct_array_save(&made.port[0], q, in[q].re, in[q].im);
    stage_reference(&made);
    for (int q = 0; q < 4; q++)
        out[q] = ct_array_load(&made.port[1], q);
    stage_free(&made);
}

/* The correlator's products of one station with itself. */
static void correlated(const pair *of, ct_complex out[4])
{
    stage_case made;
    stage_make(&made, &ct_stage_correlator, "{\"integrate\": 7}", "S=1 P=2 T=7 C=1", CT_CF32);
    made.port[0].type = CT_CF64, free(made.port[0].data);
    made.port[0].data = calloc(1, ct_array_bytes(&made.port[0]));
    fill(&made.port[0], of);
    stage_reference(&made);
    const ct_array *y = ct_step_array(made.step, "Y");
    const ct_array *found = &made.port[y - made.step->port];
    for (int q = 0; q < 4; q++)
        out[q] = ct_array_load(found, found->offset + q * ct_array_stride(found, 'Q'));
    stage_free(&made);
}

/* AA, BB, CR, CI: powers and conj(A) B. */
static void powers(const pair *of, ct_complex out[4])
{
    memset(out, 0, 4 * sizeof *out);
    for (int t = 0; t < SAMPLES; t++) {
        const ct_complex a = of->a[t], b = of->b[t];
        out[0].re += a.re * a.re + a.im * a.im;
        out[1].re += b.re * b.re + b.im * b.im;
        out[2].re += a.re * b.re + a.im * b.im;
        out[3].re += a.re * b.im - a.im * b.re;
    }
}

static void expect(const ct_complex found[4], const double stokes[4], double sign_of_v)
{
    for (int q = 0; q < 4; q++) {
        assert_float_equal(found[q].re, (q == 3 ? sign_of_v : 1) * stokes[q], 1e-12);
        assert_float_equal(found[q].im, 0, 1e-12);
    }
}

/* V of PSRFITS is left minus right, that of stage detect right minus left. */
static void expect_all(const pair *linear, const double stokes[4])
{
    const pair feed = circular(linear);
    pair left_first;
    ct_complex products[4], found[4];
    memcpy(left_first.a, feed.b, sizeof feed.b);
    memcpy(left_first.b, feed.a, sizeof feed.a);
    correlated(linear, products);
    convert("{\"products\": \"IQUV\", \"from\": \"XX XY YX YY\"}", CT_CF32, products, found);
    expect(found, stokes, 1);
    correlated(&feed, products);
    convert("{\"products\": \"IQUV\", \"from\": \"RR RL LR LL\"}", CT_CF32, products, found);
    expect(found, stokes, 1);
    powers(linear, products);
    convert("{\"products\": \"IQUV\", \"from\": \"AABBCRCI\", \"feed\": \"linear\"}", CT_F32,
            products, found);
    expect(found, stokes, -1);
    powers(&left_first, products);
    convert("{\"products\": \"IQUV\", \"from\": \"AABBCRCI\", \"feed\": \"circular\"}", CT_F32,
            products, found);
    expect(found, stokes, -1);
}

static void both_feeds_give_what_detect_gives(void **state)
{
    double stokes[4];
    const pair linear = random_pair();
    (void)state;
    detected(&linear, stokes);
    assert_true(fabs(stokes[1]) > 0.01 && fabs(stokes[2]) > 0.01 && fabs(stokes[3]) > 0.01);
    expect_all(&linear, stokes);
}

/* At an angle of 0.3 from X: Q = I cos 0.6, U = I sin 0.6, V = 0. Turning right (IEEE) as seen by
 * who receives: Y follows X by 90 degrees, V = I. */
static void polarized_signals_have_closed_forms(void **state)
{
    pair linear, right;
    (void)state;
    for (int t = 0; t < SAMPLES; t++) {
        const double phase = 0.7 * t;
        const ct_complex e = {cos(phase), sin(phase)};
        linear.a[t] = (ct_complex){e.re * cos(0.3), e.im * cos(0.3)};
        linear.b[t] = (ct_complex){e.re * sin(0.3), e.im * sin(0.3)};
        right.a[t] = e;
        right.b[t] = (ct_complex){e.im, -e.re};
    }
    expect_all(&linear, (double[4]){SAMPLES, SAMPLES * cos(0.6), SAMPLES * sin(0.6), 0});
    expect_all(&right, (double[4]){2 * SAMPLES, 0, 0, 2 * SAMPLES});
}

/* ---- names and mistakes */

static void infer(stage_case *made, const char *params, const char *extents, ct_type type,
                  const char *names, ct_feed feed)
{
    ct_array input = stage_array(extents, type);
    static ct_products known;
    ct_error err = {0};
    known = (ct_products){.feed = feed};
    if (names) assert_int_equal(ct_products_parse(&known, names, &err), CT_OK);
    if (names) input.meta.products = &known;
    if (!stage_try(made, &ct_stage_products, params, &input, &err)) fail_msg("%s", err.text);
}

static void what_comes_out_is_named(void **state)
{
    stage_case made;
    char text[CT_PRODUCTS_TEXT];
    (void)state;
    infer(&made, "{\"products\": \"I\"}", "Q=2 T=5 C=3", CT_U8, "AABB", CT_FEED_UNKNOWN);
    const ct_array *y = &made.step->port[1];
    assert_string_equal(y->dim, "TC");
    assert_int_equal(y->type, CT_F32);
    assert_string_equal(ct_products_print(text, y->meta.products), "I");
    stage_free(&made);
    infer(&made, "{\"products\": \"BB, AA\"}", "B=3 Q=4 T=5", CT_F32, "AABBCRCI", CT_FEED_CIRCULAR);
    y = &made.step->port[1];
    assert_string_equal(y->dim, "BQT");
    assert_int_equal(ct_array_extent(y, 'Q'), 2);
    assert_string_equal(ct_products_print(text, y->meta.products), "BB AA of circular receptors");
    stage_free(&made);
    infer(&made, "{\"products\": \"V\"}", "L=3 Q=4 T=5 C=2", CT_CI32, "RRRLLRLL", CT_FEED_UNKNOWN);
    assert_int_equal(made.step->port[1].type, CT_CF32);
    stage_free(&made);
}

static void expect_error(const char *params, const char *extents, ct_type type, const char *part)
{
    stage_case made;
    ct_array input = stage_array(extents, type);
    ct_error err = {0};
    assert_false(stage_try(&made, &ct_stage_products, params, &input, &err));
    if (!strstr(err.text, part)) fail_msg("expected %s, found %s", part, err.text);
    stage_free(&made);
}

static void what_cannot_be_made_is_said(void **state)
{
    (void)state;
    expect_error("{\"products\": \"I\"}", "Q=4 T=4 C=3", CT_F32,
                 "what the 4 along Q are is not known");
    expect_error("{\"products\": \"I\", \"from\": \"AABB\"}", "Q=4 T=4 C=3", CT_F32,
                 "from: expected a name for each of 4 along Q, found 2");
    expect_error("{\"products\": \"Q\", \"from\": \"AABB\"}", "Q=2 T=4 C=3", CT_F32,
                 "if it is known what A and B are");
    expect_error("{\"products\": \"V\", \"from\": \"AABB\", \"feed\": \"linear\"}", "Q=2 T=4 C=3",
                 CT_F32, "V cannot be made of what is along Q: AA BB of linear receptors");
    expect_error("{\"products\": \"XX\", \"from\": \"IQUV\"}", "Q=4 T=4 C=3", CT_F32,
                 "XX cannot be made");
    expect_error("{\"products\": \"U\", \"from\": \"XX XY YX YY\"}", "Q=4 T=4 C=3", CT_F32,
                 "U is made of complex products, the input is f32");
    expect_error("{\"products\": \"W\", \"from\": \"IQUV\"}", "Q=4 T=4 C=3", CT_F32, "found \"W\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_feeds_give_what_detect_gives),
        cmocka_unit_test(polarized_signals_have_closed_forms),
        cmocka_unit_test(what_comes_out_is_named),
        cmocka_unit_test(what_cannot_be_made_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
