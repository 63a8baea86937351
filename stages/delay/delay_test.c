/* delay_test.c: what is special about delays: they follow the sky for hours, blocks do not matter,
 * mistakes are said. That kernels agree with the reference is verify's part.
 * Room: stages/delay, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "icrs.h"
#include "stage.h"
#include "stages/delay/delay.h"

#define LIGHT_M_S 299792458.0
#define SAMPLE_S 0.00131072
#define START_MJD 59759.0625

/* A hundred kilometres between the stations, the first in LOFAR's core. */
static const double station[2][3] = {{3826577.462, 461022.624, 5064892.526},
                                     {3763677.462, 519022.624, 5116892.526}};
static const double radec[2] = {299.8681525, 40.7339156}, dut1_s = -0.1;
static const ct_observation observation = {
    .stations = 2, .station = station, .site = station[0], .radec = radec, .dut1_s = &dut1_s};
static const double frequency_hz[2] = {60e6, 200e6};

static bool make(stage_case *made, const char *params, const ct_observation *said, ct_error *err)
{
    const ct_source_location location = {.observation = said};
    memset(made, 0, sizeof *made);
    ct_array input = stage_array("S=2 P=2 T=64 C=2", CT_CF32);
    input.meta = (ct_meta){.sample_time_s = SAMPLE_S,
                           .start_mjd = START_MJD,
                           .start_s = 0.000653,
                           .total = -1,
                           .frequency_hz = frequency_hz,
                           .frequencies = 2};
    assert_int_equal(ct_value_parse(&made->given, params, "test", err), CT_OK);
    if (ct_step_new(&made->step, &ct_stage_delay, "delay", made->given, ct_step_keys(), &location,
                    err) != CT_OK)
        return false;
    made->step->port[0] = input;
    return ct_step_infer(made->step, err) == CT_OK;
}

/* A table of the block that begins with this sample of the stream. */
static ct_array table(const stage_case *made, const char *port, int64_t begin)
{
    ct_array fill = *ct_step_port(made->step, port);
    ct_error err = {0};
    ct_array_dense(&fill, NULL);
    fill.data = calloc(1, ct_array_bytes(&fill));
    fill.meta = made->step->port[0].meta;
    fill.meta.start_s += (double)begin * SAMPLE_S;
    assert_int_equal(ct_stage_delay.table(made->step, port, &fill, &err), CT_OK);
    return fill;
}

/* What the kernel makes of the tables: cycles of a sample of the block. */
static float cycles_of(const ct_array *lines, const ct_array *places, int64_t s, int64_t c,
                       int64_t t)
{
    int64_t k = 0;
    while (k + 1 < ct_array_count(places) && ct_array_load(places, k + 1).re <= (double)t)
        k++;
    const ct_complex line = ct_array_load(lines, s * lines->stride[0] + k * lines->stride[2] + c);
    return (float)line.re + (float)line.im * ((float)t - (float)ct_array_load(places, k).re);
}

/* The definition, from the sky at the instant itself. */
static double exact_cycles(int64_t sample, int64_t s, double hz)
{
    double u[1][3], local[3] = {0};
    const ct_icrs_instant when = {START_MJD, 0.000653 + (double)sample * SAMPLE_S, dut1_s};
    stage_case made;
    ct_error err = {0};
    assert_true(make(&made, "{}", &observation, &err));
    assert_int_equal(ct_step_local(made.step, station[s], local, &err), CT_OK);
    assert_int_equal(ct_icrs_directions(observation.site, when, 1, &radec, u, &err), CT_OK);
    stage_free(&made);
    return -hz * (local[0] * u[0][0] + local[1] * u[0][1] + local[2] * u[0][2]) / LIGHT_M_S;
}

static double degrees_apart(double cycles)
{
    return 360 * fabs(cycles - rint(cycles));
}

/* Twenty moments of six hours, 100 km, 200 MHz: what is left of the fringe. */
static void fringes_stay_for_six_hours(void **unused)
{
    stage_case made;
    ct_error err = {0};
    double worst = 0, slowest = 1e9;
    (void)unused;
    if (!ct_icrs_there()) skip();
    if (!make(&made, "{}", &observation, &err)) fail_msg("%s", err.text);
    assert_true(made.step->port[CT_DELAY_Y].meta.phase_centre[0] == radec[0]);
    for (int moment = 0; moment < 20; moment++) {
        const int64_t begin = (int64_t)(6 * 3600 / SAMPLE_S) * moment / 19;
        ct_array lines = table(&made, "D", begin), places = table(&made, "N", begin);
        for (int64_t t = 0; t < 64; t += 9) {
            const double expected = exact_cycles(begin + t, 1, frequency_hz[1]);
            const double found = cycles_of(&lines, &places, 1, 1, t);
            worst = fmax(worst, degrees_apart(found - expected));
        }
        const double moves =
            exact_cycles(begin + 763, 1, frequency_hz[1]) - exact_cycles(begin, 1, frequency_hz[1]);
        slowest = fmin(slowest, fabs(moves));
        free(lines.data);
        free(places.data);
    }
    stage_free(&made);
    if (!(worst < 0.1)) fail_msg("fringes move by %g degrees", worst);
    assert_true(slowest > 0.01); /* cycles in a second: there was something to follow */
}

/* The same sample of the stream, wherever its block begins, to the bit. */
static void blocks_do_not_matter(void **unused)
{
    stage_case made;
    ct_error err = {0};
    (void)unused;
    if (!ct_icrs_there()) skip();
    if (!make(&made, "{}", &observation, &err)) fail_msg("%s", err.text);
    for (int64_t begin = 1000; begin < 1064; begin += 7) {
        ct_array lines = table(&made, "D", begin), places = table(&made, "N", begin);
        ct_array others = table(&made, "D", 1000), other_places = table(&made, "N", 1000);
        for (int64_t sample = begin; sample < 1064; sample++)
            assert_true(cycles_of(&lines, &places, 1, 0, sample - begin) ==
                        cycles_of(&others, &other_places, 1, 0, sample - 1000));
        free(lines.data);
        free(places.data);
        free(others.data);
        free(other_places.data);
    }
    stage_free(&made);
}

/* Straight lines between rows, whatever instants samples have; the sign is the arrival delay's. */
static void tables_are_linear_in_between(void **unused)
{
    stage_case made;
    ct_error err = {0};
    (void)unused;
    const char *params = "{\"delays\": [[0, 0], [1e-8, 3e-8]], \"step_s\": 10}";
    if (!make(&made, params, NULL, &err)) fail_msg("%s", err.text);
    ct_array lines = table(&made, "D", 0), places = table(&made, "N", 0);
    const double at_s = 0.000653 + 50 * SAMPLE_S;
    const double expected = 200e6 * (1e-8 + 2e-8 * at_s / 10);
    assert_true(degrees_apart(cycles_of(&lines, &places, 1, 1, 50) - expected) < 1e-3);
    free(lines.data);
    free(places.data);
    assert_null(made.step->port[CT_DELAY_Y].meta.phase_centre);
    stage_free(&made);
}

static void mistakes_are_said(void **unused)
{
    static const struct {
        const char *params, *sentence;
        bool observed;
    } wrong[] = {{"{}", "expected \"radec\", \"delays\", or \"ra_deg\" and \"dec_deg\"", false},
                 {"{\"radec\": [1, 2]}",
                  "the input has 2 stations, \"observation\" 0 in \"stations\"", false},
                 {"{\"radec\": [1]}", "expected [right ascension, declination] in degrees", true},
                 {"{\"radec\": [1, 91]}", "found [1, 91]", true},
                 {"{\"radec\": [1, 2], \"delays\": [[0], [0]]}", "found both", true},
                 {"{\"delays\": [[0]]}", "seconds for each of the 2 stations", false},
                 {"{\"delays\": [[0], [0, 1]]}", "seconds for each of the 2 stations", false},
                 {"{\"delays\": \"none.npy\"}", "none.npy", false}};
    (void)unused;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        stage_case made;
        ct_error err = {0};
        assert_false(make(&made, wrong[n].params, wrong[n].observed ? &observation : NULL, &err));
        if (!strstr(err.text, wrong[n].sentence))
            fail_msg("expected \"%s\", found \"%s\"", wrong[n].sentence, err.text);
        stage_free(&made);
    }
}

/* ---- defaults */

/* Few streams where channels are fastest on both sides, of CPUs. */
static void tiles_have_few_rows_of_long_ones(void **state)
{
    static const struct {
        const char *extents, *read, *write;
        bool gpu;
        int64_t times;
    } cases[] = {{"S=2 P=2 T=640 C=256", "SPTC", "SPTC", false, 1},
                 {"S=2 P=2 T=640 C=256", "SPTC", "PSTC", false, 1},
                 {"S=2 P=2 T=640 C=256", "STPC", "SPTC", false, 4},
                 {"S=2 P=2 T=640 C=61", "SPTC", "SPTC", false, 4},
                 {"S=2 P=2 T=640 C=16", "SPTC", "SPTC", false, 16},
                 {"S=2 P=2 T=640 C=256", "SPCT", "SPTC", false, 16},
                 {"S=2 P=2 T=640 C=256", "SPTC", "SPCT", false, 16},
                 {"S=2 P=2 T=640 C=256", "SPTC", "SPTC", true, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage_case made;
        ct_layout layout;
        ct_error err = {0};
        assert_true(make(&made, "{\"delays\": [[1e-6], [2e-6]]}", NULL, &err));
        made.step->port[CT_DELAY_X] = stage_array(cases[i].extents, CT_CF32);
        made.step->port[CT_DELAY_Y] = stage_array(cases[i].extents, CT_CF32);
        assert_int_equal(ct_layout_parse(&layout, cases[i].read, NULL), CT_OK);
        assert_int_equal(ct_step_set_layout(made.step, CT_DELAY_X, &layout, NULL), CT_OK);
        assert_int_equal(ct_layout_parse(&layout, cases[i].write, NULL), CT_OK);
        assert_int_equal(ct_step_set_layout(made.step, CT_DELAY_Y, &layout, NULL), CT_OK);
        made.step->gpu = cases[i].gpu;
        ct_step_default_tunables(made.step);
        assert_int_equal(ct_step_tunable(made.step, "TILE_T"), cases[i].times);
        stage_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fringes_stay_for_six_hours), cmocka_unit_test(blocks_do_not_matter),
        cmocka_unit_test(tables_are_linear_in_between), cmocka_unit_test(mistakes_are_said),
        cmocka_unit_test(tiles_have_few_rows_of_long_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
