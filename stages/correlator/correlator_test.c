/* correlator_test.c: what is special of the correlator: closed forms, the sign of phases, flags
 * and counts, sums over blocks, its messages.
 * Room: stages/correlator, tests. The conformance call compares kernel and reference. */
#include "correlator_trial.h"
#include "vectors.h"
#include <math.h>

#define TWO_PI 6.28318530717958647692
#define LIGHT 299792458.0

/* ---------------------------------------------------------------- helpers */

static int64_t at4(const ct_array *array, int64_t a, int64_t b, int64_t c, int64_t d)
{
    return a * array->stride[0] + b * array->stride[1] + c * array->stride[2] +
           d * array->stride[3];
}

/* A case with flags connected; the stage's inference runs again with them. */
static void make_flagged(stage_case *made, const char *params, const char *extents, ct_type type)
{
    ct_error err = {0};
    stage_make(made, &ct_stage_correlator, params, extents, type);
    ct_array flags = {.type = CT_U8};
    ct_array_add(&flags, 'S', ct_array_extent(&made->port[X], 'S'));
    ct_array_add(&flags, 'T', ct_array_extent(&made->port[X], 'T'));
    made->step->port[M] = flags;
    assert_int_equal(ct_step_infer(made->step, &err), CT_OK);
    stage_take_port(made, M);
}

/* Input in double precision, only for the reference. */
static void make_double(stage_case *made, const char *params, const char *extents)
{
    ct_array *x = &made->port[X];
    stage_make(made, &ct_stage_correlator, params, extents, CT_CF32);
    free(x->data);
    x->type = CT_CF64;
    x->data = calloc(1, ct_array_bytes(x));
}

/* ---------------------------------------------------------------- the definition */

/* Equal voltages everywhere: every product is n |v|^2, imaginary part exactly zero. */
static void test_constant_input(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_correlator, "{\"integrate\": 7}", "S=3 P=2 T=14 C=5", CT_CF32);
    for (int64_t n = 0; n < ct_array_count(&made.port[X]); n++)
        ct_array_save(&made.port[X], n, 3, 4);
    stage_reference(&made);
    assert_string_equal(made.step->port[Y].dim, "TLCQ");
    assert_int_equal(ct_array_extent(&made.port[Y], 'T'), 2);
    assert_int_equal(ct_array_extent(&made.port[Y], 'L'), 6);
    assert_int_equal(ct_array_extent(&made.port[Y], 'Q'), 4);
    for (int64_t n = 0; n < ct_array_count(&made.port[Y]); n++) {
        assert_true(ct_array_load(&made.port[Y], n).re == 175);
        assert_true(ct_array_load(&made.port[Y], n).im == 0);
    }
    for (int64_t n = 0; n < ct_array_count(&made.port[COUNTS]); n++)
        assert_true(ct_array_load(&made.port[COUNTS], n).re == 7);
    stage_free(&made);
}

/* Station s, polarization p and channel c have the phase 0.3 s + 0.1 p + 0.07 s c (rad): each
 * visibility has the difference, second station minus first, and stands where l and q say. */
static void test_phase_gradient(void **state)
{
    stage_case made;
    (void)state;
    make_double(&made, "{\"integrate\": 3}", "S=5 P=2 T=3 C=7");
    ct_array *x = &made.port[X];
    for (int64_t s = 0; s < 5; s++)
        for (int64_t p = 0; p < 2; p++)
            for (int64_t t = 0; t < 3; t++)
                for (int64_t c = 0; c < 7; c++) {
                    double phase = 0.3 * (double)s + 0.1 * (double)p + 0.07 * (double)(s * c);
                    ct_array_save(x, at4(x, s, p, t, c), cos(phase), sin(phase));
                }
    stage_reference(&made);
    static const int pairs[15][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}, {0, 3}, {1, 3},
                                     {2, 3}, {3, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}, {4, 4}};
    for (int l = 0; l < 15; l++)
        for (int c = 0; c < 7; c++)
            for (int q = 0; q < 4; q++) { /* XX XY YX YY, the first letter for station i */
                int i = pairs[l][0], j = pairs[l][1], a = q / 2, b = q % 2;
                double phase = 0.3 * (j - i) + 0.1 * (b - a) + 0.07 * (j - i) * c;
                ct_complex v = ct_array_load(&made.port[Y], at4(&made.port[Y], 0, l, c, q));
                assert_true(fabs(v.re - 3 * cos(phase)) < 1e-12);
                assert_true(fabs(v.im - 3 * sin(phase)) < 1e-12);
            }
    stage_free(&made);
}

/* A source at direction u reaches a station at r earlier by r.u/c: its voltage is rotated by
 * exp(-2 pi i f tau), tau = -r.u/c, and V of (i, j) has the phase +2 pi f (r_j - r_i).u/c, the sign
 * that places it at u with UVW = r_j - r_i. */
static void test_source_position(void **state)
{
    static const double r[3][3] = {{0, 0, 0}, {31, -12, 1}, {-44, 27, -2}};
    static const double u[3] = {0.36, 0.48, 0.8}, f = 142e6;
    stage_case made;
    (void)state;
    make_double(&made, "{\"integrate\": 11}", "S=3 P=1 T=11 C=1");
    for (int64_t s = 0; s < 3; s++)
        for (int64_t t = 0; t < 11; t++) {
            double tau = -(r[s][0] * u[0] + r[s][1] * u[1] + r[s][2] * u[2]) / LIGHT;
            double phase = TWO_PI * ((double)(t * t) * 0.13 - f * tau);
            ct_array_save(&made.port[X], s * 11 + t, cos(phase), sin(phase));
        }
    stage_reference(&made);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i <= j; i++) {
            double path = 0;
            for (int axis = 0; axis < 3; axis++)
                path += (r[j][axis] - r[i][axis]) * u[axis];
            ct_complex v = ct_array_load(&made.port[Y], ct_correlator_baseline(i, j));
            double phase = TWO_PI * f * path / LIGHT;
            assert_true(fabs(v.re - 11 * cos(phase)) < 1e-6);
            assert_true(fabs(v.im - 11 * sin(phase)) < 1e-6);
        }
    stage_free(&made);
}

/* Every third sample is missing; the others lack a part. */
static void flag_thirds(ct_array *m)
{
    for (int64_t s = 0; s < ct_array_extent(m, 'S'); s++)
        for (int64_t t = 0; t < ct_array_extent(m, 'T'); t++)
            ct_array_save(m, s * ct_array_stride(m, 'S') + t * ct_array_stride(m, 'T'),
                          t % 3 ? 4 : 1, 0);
}

/* Beams are correlated as if they were stations that are flagged together. */
static void test_beams(void **state)
{
    stage_case beams, stations;
    (void)state;
    make_flagged(&stations, "{\"integrate\": 7}", "S=3 P=2 T=14 C=5", CT_CI8);
    make_flagged(&beams, "{\"integrate\": 7}", "B=3 P=2 T=14 C=5", CT_CI8);
    assert_int_equal(ct_array_extent(&beams.port[M], 'S'), 1);
    flag_thirds(&stations.port[M]);
    flag_thirds(&beams.port[M]);
    assert_string_equal(beams.step->port[Y].dim, "TLCQ");
    fill_integers(&stations.port[X]);
    fill_integers(&beams.port[X]);
    stage_reference(&stations);
    stage_reference(&beams);
    for (int p = Y; p <= COUNTS; p++) {
        assert_int_equal(ct_array_bytes(&beams.port[p]), ct_array_bytes(&stations.port[p]));
        assert_memory_equal(beams.port[p].data, stations.port[p].data,
                            ct_array_bytes(&stations.port[p]));
    }
    assert_true(ct_array_load(&beams.port[COUNTS], 0).re == 4);
    stage_free(&beams);
    stage_free(&stations);
}

/* ---------------------------------------------------------------- the kernel */

/* Flagged samples hold what must not matter; sums and counts leave them out, and keep what is a sum
 * that lacks a part. */
static void check_flags(const char *tunables, const char *params, const char *extents)
{
    stage_case made;
    stage_device on;
    make_flagged(&made, params, extents, CT_CF32);
    ct_array *x = &made.port[X], *m = &made.port[M];
    for (int64_t n = 0; n < ct_array_count(x); n++)
        ct_array_save(x, n, (double)(scramble(n) % 201 - 100), (double)(scramble(~n) % 201 - 100));
    for (int64_t s = 0; s < 5; s++)
        for (int64_t t = 0; t < m->extent[1]; t++) {
            if (scramble(s * 57 + t) % 4 == 1)
                ct_array_save(m, s * m->stride[0] + t * m->stride[1], 4, 0);
            if (scramble(s * 57 + t) % 4 || (s == 2 && t < 128)) continue;
            ct_array_save(m, s * m->stride[0] + t * m->stride[1], 1, 0);
            ct_array_save(x, at4(x, s, t % 2, t, t % 3), NAN, INFINITY);
        }
    stage_reference(&made);
    set_tunables(&made, tunables);
    if (!stage_device_open(&on, &made)) skip();
    stage_device_fire(&on, false);
    ct_array y = stage_device_read(&on, Y), counts = stage_device_read(&on, COUNTS);
    for (int64_t n = 0; n < ct_array_count(&y); n++) { /* integers of this size are exact in f32 */
        assert_true(ct_array_load(&y, n).re == ct_array_load(&made.port[Y], n).re);
        assert_true(ct_array_load(&y, n).im == ct_array_load(&made.port[Y], n).im);
    }
    for (int64_t n = 0; n < ct_array_count(&counts); n++) {
        assert_true(ct_array_load(&counts, n).re == ct_array_load(&made.port[COUNTS], n).re);
        assert_true(ct_array_load(&counts, n).re <= (double)made.step->decimate);
    }
    free(y.data);
    free(counts.data);
    stage_device_close(&on);
    stage_free(&made);
}

static void test_flags(void **state)
{
    (void)state;
    static const char short_one[] = "{\"integrate\": 19}", few[] = "S=5 P=2 T=57 C=3";
    check_flags(NULL, short_one, few);
    check_flags(NULL, "{\"integrate\": 139}", "S=5 P=2 T=278 C=3");
    check_flags("TILE_T=32 TILE_C=2", short_one, few);
    check_flags("VECTOR_SP=1 VECTORS_SP=2 CELL_SP=2 TILE_T=4 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
                short_one, few);
    check_flags("VECTOR_SP=2 VECTORS_SP=2 CELL_SP=4 TILE_T=32 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
                short_one, few);
}

/* With CT_ADD a firing adds to what stands there; the first one overwrites. */
static void test_sums_over_blocks(void **state)
{
    stage_case made;
    stage_device on;
    (void)state;
    stage_make(&made, &ct_stage_correlator, "{\"integrate\": 33}", "S=3 P=2 T=11 C=5", CT_CI8);
    fill_integers(&made.port[X]);
    stage_reference(&made);
    assert_int_equal(made.step->accumulate, 3);
    set_tunables(&made, NULL);
    if (!stage_device_open(&on, &made)) skip();
    for (int block = 0; block < 3; block++)
        stage_device_fire(&on, block > 0);
    ct_array y = stage_device_read(&on, Y), counts = stage_device_read(&on, COUNTS);
    assert_int_equal(ct_array_count(&y), ct_array_count(&made.port[Y]));
    for (int64_t n = 0; n < ct_array_count(&y); n++)
        assert_true(ct_array_load(&y, n).re == 3 * ct_array_load(&made.port[Y], n).re);
    for (int64_t n = 0; n < ct_array_count(&counts); n++)
        assert_true(ct_array_load(&counts, n).re == 33);
    free(y.data);
    free(counts.data);
    stage_device_close(&on);
    stage_free(&made);
}

/* Partial sums of floats are of 32 samples, so firings that have a part of an integration are of
 * multiples of them. */
static void test_firings_of_floats(void **state)
{
    static const struct {
        const char *params;
        ct_type type;
        int64_t grain;
    } all[] = {{"{\"integrate\": 65}", CT_CF32, 32},
               {"{\"integrate\": 65, \"sums\": \"float\"}", CT_CI8, 32},
               {"{\"integrate\": 64}", CT_CF32, 1},
               {"{\"integrate\": 65}", CT_CI8, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        stage_case made;
        ct_error err = {0};
        const ct_array input = stage_array("S=2 P=1 T=64 C=3", all[i].type);
        assert_true(stage_try(&made, &ct_stage_correlator, all[i].params, &input, &err));
        assert_int_equal(made.step->grain, all[i].grain);
        stage_free(&made);
    }
}

/* An integration lasts as long as its samples and is labelled with their middle. */
static void test_instants(void **state)
{
    stage_case made;
    ct_error err = {0};
    ct_array input = stage_array("S=2 P=1 T=12 C=3", CT_CI8);
    (void)state;
    input.meta.sample_time_s = 0.5;
    input.meta.start_s = 7;
    assert_true(stage_try(&made, &ct_stage_correlator, "{\"integrate\": 4}", &input, &err));
    for (int port = Y; port <= COUNTS; port++) {
        const ct_meta *meta = &made.step->port[port].meta;
        assert_true(meta->sample_time_s == 2 && meta->start_s == 7.75);
    }
    stage_free(&made);
}

/* ---------------------------------------------------------------- messages */

/* Up to 64 rows no more than to the next eight are filled up, and whole panels of 16 are not
 * halved. */
static void test_few_rows_are_filled_up(void **state)
{
    static const struct {
        const char *extents;
        int64_t most;
    } cases[] = {{"S=13 P=2 T=64 C=3", 32},
                 {"S=20 P=2 T=64 C=3", 40},
                 {"S=11 P=2 T=64 C=3", 24},
                 {"S=53 P=1 T=64 C=3", 56},
                 {"S=32 P=2 T=64 C=3", 64}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage_case made;
        int64_t rows = 0;
        stage_make(&made, &ct_stage_correlator, "{\"integrate\": 64}", cases[i].extents, CT_CF32);
        ct_step_default_tunables(made.step);
        assert_int_equal(ct_step_evaluate(made.step, "PANELS * ROWS", &rows, NULL), CT_OK);
        assert_in_range(rows, 1, cases[i].most);
        if (cases[i].most % 16 == 0 && ct_vectors_are_wide())
            assert_int_equal(ct_step_tunable(made.step, "VECTORS_SP"), 2);
        stage_free(&made);
    }
}

static void test_messages(void **state)
{
    stage_case made;
    ct_error err = {0};
    ct_array input = stage_array("S=3 P=2 T=64 C=5", CT_CI8);
    (void)state;
    assert_false(stage_try(&made, &ct_stage_correlator, "{}", &input, &err));
    assert_non_null(strstr(err.text, "\"integrate\" is missing"));
    memset(&err, 0, sizeof err);
    stage_free(&made);
    assert_false(stage_try(&made, &ct_stage_correlator, "{\"integrate\": 65536}", &input, &err));
    assert_non_null(strstr(err.text, "at most 65535 samples of type ci8"));
    memset(&err, 0, sizeof err);
    stage_free(&made);
    input = stage_array("S=2 P=33 T=4 C=1", CT_CI8);
    assert_false(stage_try(&made, &ct_stage_correlator, "{\"integrate\": 4}", &input, &err));
    assert_non_null(strstr(err.text, "expected at most 32 polarizations, found 33"));
    stage_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_input),   cmocka_unit_test(test_phase_gradient),
        cmocka_unit_test(test_source_position),  cmocka_unit_test(test_flags),
        cmocka_unit_test(test_sums_over_blocks), cmocka_unit_test(test_firings_of_floats),
        cmocka_unit_test(test_instants),         cmocka_unit_test(test_beams),
        cmocka_unit_test(test_messages),         cmocka_unit_test(test_few_rows_are_filled_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
