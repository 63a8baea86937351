/* beamformer_mma_test.c: products of matrices are as near to the sums as floats are, in any layout
 * of lanes, from any type; and where they are chosen. Room: stages/beamformer, tests. Oracle: the
 * reference, in double precision. On a device without the instruction the same parts of numbers are
 * multiplied one by one. */
#include "beamformer.h"
#include "stage_device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { X = CT_BEAMFORMER_X, W = CT_BEAMFORMER_W, Y = CT_BEAMFORMER_Y };

static const double frequency[3] = {141e6, 142e6, 143.5e6};

/* So many stations and beams here and there. */
static void make_params(char *out, size_t size, int64_t stations, int64_t beams)
{
    int at = snprintf(out, size, "{\"positions\": [");
    for (int64_t s = 0; s < stations; s++)
        at += snprintf(out + at, size - (size_t)at, "%s[%d, %d, %d]", s ? ", " : "",
                       (int)(s * 37 % 101), (int)(s * 53 % 89), (int)(s % 3));
    at += snprintf(out + at, size - (size_t)at, "], \"directions\": [");
    for (int64_t b = 0; b < beams; b++)
        at += snprintf(out + at, size - (size_t)at, "%s[%d, %d]", b ? ", " : "",
                       (int)(b * 71 % 360), (int)(20 + b * 7 % 70));
    snprintf(out + at, size - (size_t)at, "]}");
}

static void make(stage_case *made, const char *extents, ct_type type, int64_t beams)
{
    char params[8192];
    ct_error err = {0};
    ct_array input = stage_array(extents, type);
    input.meta.frequency_hz = frequency;
    input.meta.frequencies = 3;
    make_params(params, sizeof params, ct_array_extent(&input, 'S'), beams);
    if (!stage_try(made, &ct_stage_beamformer, params, &input, &err)) fail_msg("%s", err.text);
    for (int i = 0; i < ct_step_ports(made->step); i++)
        stage_take_port(made, i);
}

/* Between -1 and 1. */
static double chance(uint64_t seed)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    return (double)(int64_t)(z ^ (z >> 32)) * 0x1p-63;
}

/* As large as the type has them, and floats of all their bits. */
static void fill(ct_array *x)
{
    const double most = x->type == CT_CI16  ? 32767.0
                        : x->type == CT_CI8 ? 127.0
                        : x->type == CT_CI4 ? 7.0
                                            : 1.0;
    for (int64_t n = 0; n < ct_array_count(x); n++)
        ct_array_save(x, n, most * chance(2 * (uint64_t)n), most * chance(2 * (uint64_t)n + 1));
}

static void set_tunables(ct_step *step, const char *words)
{
    char name[16], value[16];
    int length;
    ct_error err = {0};
    ct_step_default_tunables(step);
    for (; sscanf(words, " %15[A-Z_]=%15s%n", name, value, &length) == 2; words += length)
        assert_int_equal(ct_step_set_tunable(step, name, value, &err), CT_OK);
    if (!ct_step_is_legal(step)) fail_msg("not legal: %s", words);
}

/* The largest difference over the largest sum of magnitudes that there could be. */
static double worst(const ct_array *found, const ct_array *wanted, double magnitude)
{
    double most = 0;
    for (int64_t n = 0; n < ct_array_count(found); n++) {
        const ct_complex is = ct_array_load(found, n), was = ct_array_load(wanted, n);
        const double off = hypot(is.re - was.re, is.im - was.im);
        if (!(off <= most)) most = off;
    }
    return most / magnitude;
}

/* The stations' largest samples together: weights are of length 1. */
static double magnitude(const ct_array *x)
{
    double most = 0;
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        const ct_complex one = ct_array_load(x, n);
        most = fmax(most, hypot(one.re, one.im));
    }
    return most * (double)ct_array_extent(x, 'S');
}

static void check(const char *extents, ct_type type, int64_t beams, const char *tunables)
{
    stage_case made;
    stage_device on;
    make(&made, extents, type, beams);
    fill(&made.port[X]);
    stage_reference(&made);
    set_tunables(made.step, tunables);
    if (!stage_device_open(&on, &made)) skip();
    stage_device_fire(&on, false);
    ct_array y = stage_device_read(&on, Y);
    const double off = worst(&y, &made.port[Y], magnitude(&made.port[X]));
    /* One part of 11 bits would be off by 2^-13 and more. */
    if (!(off < 0x1p-21)) fail_msg("%s, %s: off by %g", extents, tunables, off);
    free(y.data);
    stage_device_close(&on);
    stage_free(&made);
}

static void test_sums_are_those_of_floats(void **state)
{
    static const ct_type types[] = {CT_CF32, CT_CI16, CT_CI8, CT_CI4};
    static const struct {
        const char *extents, *tunables;
        int64_t beams;
    } cases[] = {{"S=13 P=2 T=37 C=3",
                  "DOT=2 CELL_B=8 VECTORS_TP=4 TILE_T=32 TILE_S=8 " CT_BEAMFORMER_UNITS, 67},
                 {"S=5 P=1 T=37 C=3",
                  "DOT=2 CELL_B=2 VECTORS_TP=4 TILE_T=64 TILE_S=16 " CT_BEAMFORMER_UNITS, 7},
                 {"S=20 P=4 T=9 C=3",
                  "DOT=2 CELL_B=4 VECTORS_TP=2 TILE_T=8 TILE_S=16 " CT_BEAMFORMER_UNITS, 17},
                 {"S=3 P=2 T=11 C=3",
                  "DOT=2 CELL_B=6 VECTORS_TP=1 TILE_T=8 TILE_S=8 " CT_BEAMFORMER_UNITS, 16}};
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (size_t k = n % 2; k < sizeof types / sizeof *types; k += 2)
            check(cases[n].extents, types[k], cases[n].beams, cases[n].tunables);
}

/* ---------------------------------------------------------------- what is chosen */

static int64_t chosen(const ct_device *device, const char *extents, int64_t beams, bool note)
{
    stage_case made;
    make(&made, extents, CT_CI8, beams);
    ct_step_set_device(made.step, device);
    ct_step_default_tunables(made.step);
    assert_true(ct_step_is_legal(made.step));
    const int64_t dot = ct_step_tunable(made.step, "DOT");
    if (note)
        set_tunables(made.step,
                     "DOT=2 CELL_B=2 VECTORS_TP=2 TILE_T=16 TILE_S=8 " CT_BEAMFORMER_UNITS);
    assert_true((ct_beamformer_note(made.step) != NULL) == note);
    stage_free(&made);
    return dot;
}

static void test_where_they_are_chosen(void **state)
{
    ct_device *h200 = NULL, *mi210 = NULL;
    ct_error err = {0};
    (void)state;
    if (ct_device_open(&h200, "file:examples/devices/h200.json", &err) != CT_OK ||
        ct_device_open(&mi210, "file:examples/devices/mi210.json", &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(chosen(h200, "S=13 P=2 T=512 C=3", 64, false), 2);
    assert_int_equal(chosen(h200, "S=13 P=1 T=512 C=3", 100, false), 2);
    assert_int_equal(chosen(h200, "S=13 P=2 T=2 C=3", 9, false), 2);
    assert_int_equal(chosen(h200, "S=13 P=2 T=512 C=3", 8, false), 0);
    assert_int_equal(chosen(h200, "S=13 P=3 T=512 C=3", 64, false), 0);
    assert_int_equal(chosen(mi210, "S=13 P=2 T=512 C=3", 64, true), 0);
    assert_int_equal(chosen(NULL, "S=13 P=2 T=512 C=3", 64, true), 0);
    ct_device_free(h200);
    ct_device_free(mi210);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_those_of_floats),
        cmocka_unit_test(test_where_they_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
