/* dedisp_test.c: what is special about dedispersion: the law, rounding, masks, downsampling,
 * metadata, mistakes. That kernels agree with the reference is verify's part.
 * Room: stages/dedisp, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stage.h"
#include "stages/dedisp/dedisp.h"

/* Ascending channels 1 MHz apart from 150 MHz; 1 ms samples. */
static ct_array make_input(const char *extents, double *frequency)
{
    ct_array input = stage_array(extents, CT_U8);
    int64_t channels = ct_array_extent(&input, 'C');
    for (int64_t c = 0; c < channels; c++)
        frequency[c] = (150 + (double)c) * 1e6;
    input.meta = (ct_meta){.sample_time_s = 1e-3,
                           .total = 100000,
                           .frequency_hz = frequency,
                           .frequencies = channels,
                           .channel_width_hz = 1e6};
    return input;
}

static void make(stage_case *made, const char *params, const char *extents, double *frequency)
{
    ct_error err = {0};
    ct_array input = make_input(extents, frequency);
    if (!stage_try(made, &ct_stage_dedisp, params, &input, &err)) fail_msg("%s", err.text);
}

/* ---- the law */

static void test_shifts_follow_the_law(void **state)
{
    stage_case made;
    double frequency[8];
    (void)state;
    make(&made, "{\"dm\": {\"start\": 10, \"step\": 2.5, \"count\": 4}}", "T=100 C=8", frequency);
    const dedisp_trials *trials = made.step->state;
    for (int d = 0; d < 4; d++)
        for (int c = 0; c < 8; c++) {
            double mhz = 150 + c, dm = 10 + 2.5 * d;
            double samples = 4148.808 * dm * (pow(mhz, -2) - pow(157, -2)) / 1e-3;
            assert_int_equal(ct_trials_shift(trials, d, c), lround(samples));
        }
    /* 4148.808 * 17.5 * (150^-2 - 157^-2) = 0.28139 s */
    assert_int_equal(made.step->overlap, 281);
    assert_int_equal(made.step->decimate, 1);
    assert_int_equal(made.step->overlap_kind, CT_VALID);
    stage_free(&made);
}

static void test_constant_and_rounding(void **state)
{
    stage_case made;
    double frequency[2];
    (void)state;
    /* (150^-2 - 151^-2) = 5.86432e-7: at DM 10 and 1 ms, 24.33 samples; at constant 4190, 24.57 */
    make(&made, "{\"dm\": {\"start\": 10}}", "T=100 C=2", frequency);
    assert_int_equal(ct_trials_shift(made.step->state, 0, 0), 24);
    stage_free(&made);
    make(&made, "{\"dm\": {\"start\": 10}, \"dm_constant\": 4190}", "T=100 C=2", frequency);
    assert_int_equal(ct_trials_shift(made.step->state, 0, 0), 25);
    stage_free(&made);
    make(&made, "{\"dm\": {\"start\": 10}, \"dm_constant\": 4190, \"rounding\": \"truncate\"}",
         "T=100 C=2", frequency);
    assert_int_equal(ct_trials_shift(made.step->state, 0, 0), 24);
    stage_free(&made);
}

/* ---- scratch and tunables that follow from the shapes */

static bool keeps_scratch(const char *params, const char *order)
{
    stage_case made;
    double frequency[8];
    ct_layout layout;
    ct_error err = {0};
    make(&made, params, "T=100 C=8", frequency);
    assert_int_equal(ct_layout_parse(&layout, order, &err), CT_OK);
    assert_int_equal(ct_step_set_layout(made.step, PORT_X, &layout, &err), CT_OK);
    ct_step_settle(made.step);
    const bool keeps = made.step->port[PORT_R].type != CT_NONE;
    stage_free(&made);
    return keeps;
}

static void test_input_is_copied_where_time_is_not_contiguous(void **state)
{
    static const char each[] = "{\"dm\": {\"start\": 1}}";
    static const char sums[] = "{\"dm\": {\"start\": 1, \"downsample\": 2}}";
    (void)state;
    assert_false(keeps_scratch(each, "CT"));
    assert_true(keeps_scratch(each, "TC"));
    assert_false(keeps_scratch(sums, "CT"));
    assert_true(keeps_scratch(sums, "TC"));
}

/* ---- the reference */

/* A sample in each channel, placed where the sweep of the trial has it, adds up to one value. */
static void test_a_sweep_becomes_one_sample(void **state)
{
    stage_case made;
    double frequency[8];
    (void)state;
    make(&made, "{\"dm\": {\"start\": 5, \"step\": 2.5, \"count\": 3}, \"mask\": [2, [4, 5]]}",
         "T=300 C=8", frequency);
    ct_step_extend(made.step);
    for (int i = 0; i < ct_step_ports(made.step); i++)
        stage_take_port(&made, i);
    ct_array *x = &made.port[0], *y = &made.port[1];
    for (int c = 0; c < 8; c++) {
        double samples = 4148.808 * 7.5 * (pow(150 + c, -2) - pow(157, -2)) / 1e-3;
        ct_array_save(x, (40 + lround(samples)) * ct_array_stride(x, 'T') + c, 3 + c, 0);
    }
    stage_reference(&made);
    int64_t row = ct_array_stride(y, 'D');
    assert_true(ct_array_load(y, row + 40).re == 3 + 4 + 6 + 9 + 10);
    for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++)
        if (t != 40) assert_true(ct_array_load(y, row + t).re <= 10);
    stage_free(&made);
}

/* One channel, no shifts: sums of four stand in four samples each, singles beside them. */
static void test_coarse_trials_hold_their_values(void **state)
{
    stage_case made;
    double frequency[1];
    (void)state;
    make(&made,
         "{\"dm\": [{\"start\": 0}, {\"start\": 0, \"downsample\": 4},"
         " {\"start\": 1, \"downsample\": 2}]}",
         "T=40 C=1", frequency);
    assert_int_equal(made.step->decimate, 1);
    assert_int_equal(made.step->grain, 4);
    ct_step_extend(made.step);
    for (int i = 0; i < ct_step_ports(made.step); i++)
        stage_take_port(&made, i);
    for (int64_t t = 0; t < ct_array_extent(&made.port[0], 'T'); t++)
        ct_array_save(&made.port[0], t, (double)(t % 50), 0);
    stage_reference(&made);
    for (int t = 0; t < 40; t++) {
        int four = 4 * (t - t % 4) + 6, two = 2 * (t - t % 2) + 1;
        assert_true(ct_array_load(&made.port[1], t).re == t);
        assert_true(ct_array_load(&made.port[1], 40 + t).re == four);
        assert_true(ct_array_load(&made.port[1], 80 + t).re == two);
    }
    stage_free(&made);
}

static void test_metadata(void **state)
{
    stage_case made;
    double frequency[8];
    (void)state;
    make(&made,
         "{\"dm\": [{\"start\": 1, \"step\": 0.5, \"count\": 3, \"downsample\": 2},"
         " {\"start\": 3, \"step\": 1, \"count\": 2, \"downsample\": 6}]}",
         "B=2 T=120 C=8", frequency);
    const ct_array *y = &made.step->port[1];
    const double dm[] = {1, 1.5, 2, 3, 4};
    const int64_t downsample[] = {2, 2, 2, 6, 6};
    assert_string_equal(y->dim, "BDT");
    assert_int_equal(ct_array_extent(y, 'T'), 60);
    assert_int_equal(y->meta.dms, 5);
    assert_memory_equal(y->meta.dm, dm, sizeof dm);
    assert_memory_equal(y->meta.downsample, downsample, sizeof downsample);
    assert_true(y->meta.sample_time_s == 2e-3 && fabs(y->meta.start_s - 0.5e-3) < 1e-15);
    assert_int_equal(y->meta.frequencies, 1); /* times are those of the highest channel */
    assert_true(y->meta.frequency_hz[0] == frequency[0] || y->meta.frequency_hz[0] == frequency[7]);
    assert_true(y->meta.frequency_hz[0] >= fmax(frequency[0], frequency[7]));
    assert_int_equal(y->meta.header->channels, 8);
    assert_int_equal(made.step->decimate, 2);
    assert_int_equal(made.step->overlap % 6, 0);
    stage_free(&made);
}

/* ---- mistakes */

static void expect_error(const char *params, const char *part)
{
    stage_case made;
    ct_error err = {0};
    double frequency[8];
    ct_array input = make_input("T=1000 C=8", frequency);
    assert_false(stage_try(&made, &ct_stage_dedisp, params, &input, &err));
    if (strstr(err.text, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    stage_free(&made);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    expect_error("{\"dm\": 5}", "expected a range such as {\"start\"");
    expect_error("{\"dm\": []}", "empty");
    expect_error("{\"dm\": {\"strat\": 5}}", "unknown key \"strat\"");
    expect_error("{\"dm\": {\"start\": \"a\"}}", "must be numbers");
    expect_error("{\"dm\": {\"start\": 1, \"count\": 0}}", "whole numbers");
    expect_error("{\"dm\": {\"start\": 1, \"count\": 2.5}}", "whole numbers");
    expect_error("{\"dm\": {\"start\": 1, \"count\": 3}}", "step of 0");
    expect_error("{\"dm\": {\"start\": 1, \"step\": -1, \"count\": 3}}", "0 or more");
    expect_error("{\"dm\": {\"start\": 1e5}}", "1607600 samples (1607.6 s)");
    expect_error("{\"dm\": {\"start\": 1e9}}", "expected fewer than 1073741823");
    expect_error("{\"dm\": {\"start\": 1e20}}", "expected at most 1e+09");
    expect_error("{\"dm\": {\"start\": 1, \"step\": 1e308, \"count\": 9}}",
                 "expected at most 1e+09");
    expect_error("{\"dm\": {\"start\": 1, \"count\": 1, \"downsample\": 100000}}", "at most");
    expect_error("{\"dm\": {\"start\": 1}, \"mask\": 3}", "a list of channel numbers");
    expect_error("{\"dm\": {\"start\": 1}, \"mask\": [8]}", "within 0 to 7");
    expect_error("{\"dm\": {\"start\": 1}, \"mask\": [[0, 7]]}", "all 8 channels");
    expect_error("{\"dm\": {\"start\": 1}, \"mask\": [\"a\"]}", "channel numbers");
}

static void test_unknown_metadata_is_named(void **state)
{
    stage_case made;
    ct_error err = {0}, other = {0};
    double frequency[8];
    ct_array input = make_input("T=1000 C=8", frequency);
    (void)state;
    input.meta.sample_time_s = 0;
    assert_false(stage_try(&made, &ct_stage_dedisp, "{\"dm\": {\"start\": 1}}", &input, &err));
    assert_non_null(strstr(err.text, "sample_time_s"));
    stage_free(&made);
    input = make_input("T=1000 C=8", frequency);
    input.meta.frequency_hz = NULL;
    assert_false(stage_try(&made, &ct_stage_dedisp, "{\"dm\": {\"start\": 1}}", &input, &other));
    assert_non_null(strstr(other.text, "frequency_hz"));
    stage_free(&made);
}

/* Whose squares or inverses are no numbers, from any source. */
static void test_frequencies_beyond_numbers(void **state)
{
    static const double beyond[] = {1e-164, 1e300, -1e8, 0, INFINITY, NAN};
    double frequency[8];
    (void)state;
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        stage_case made;
        ct_error err = {0};
        ct_array input = make_input("T=1000 C=8", frequency);
        frequency[3] = beyond[i];
        assert_false(stage_try(&made, &ct_stage_dedisp, "{\"dm\": {\"start\": 1}}", &input, &err));
        assert_non_null(strstr(err.text, "channel 3 has a frequency of"));
        stage_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifts_follow_the_law),
        cmocka_unit_test(test_constant_and_rounding),
        cmocka_unit_test(test_a_sweep_becomes_one_sample),
        cmocka_unit_test(test_coarse_trials_hold_their_values),
        cmocka_unit_test(test_input_is_copied_where_time_is_not_contiguous),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_unknown_metadata_is_named),
        cmocka_unit_test(test_frequencies_beyond_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
