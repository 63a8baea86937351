/* step_test.c: parameters are checked and read, shapes inferred, layouts and tunables set; what is
 * wrong is said with its place, what was expected and what was found.
 * Room: core/step. */
#include "step.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const ct_param params[] = {
    {"channels", CT_PARAM_INT, "!", NULL, 1, 0, "how many channels"},
    {"taps", CT_PARAM_INT, "8", NULL, 1, 64, "taps"},
    {"beta", CT_PARAM_REAL, "2.5", NULL, 0, 0, "shape"},
    {"mode", CT_PARAM_TEXT, "none", "none mean", 0, 0, "scaling"},
    {"center", CT_PARAM_BOOL, "true", NULL, 0, 0, "centred"},
    {"weights", CT_PARAM_FILE, NULL, NULL, 0, 0, "a file"},
    {"dm", CT_PARAM_ANY, "[1, 2]", NULL, 0, 0, "trials"},
    {0},
};

static const ct_tunable tunables[] = {
    {"TILE_T", "1 2 4 8", "8", "2", "times"},
    {"WG", "1 16 64", "64", "64", "group"},
    {"ENGINE", "plain fast", "fast", "plain", "how"},
    {0},
};

static ct_status infer(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_add(ct_step_port(step, "Y"), 'C', ct_step_int(step, "channels"));
    ct_array_add(ct_step_port(step, "W"), 'K', ct_step_int(step, "taps"));
    step->decimate = ct_step_int(step, "channels");
    step->overlap = 3 * step->decimate;
    return CT_OK;
}

static const ct_stage stage = {
    .api = CT_API,
    .name = "filter",
    .ports = {{"X", CT_IN, 0, "[BS]P?T", "ci8 f32", "*", NULL, ""},
              {"F", CT_IN, CT_PORT_FLAGS, "[BS]T", "u8", "*", NULL, ""},
              {"Y", CT_OUT, CT_PORT_ACCUMULATE, "[BS]P?TC", "cf32", "*C", NULL, ""},
              {"W", CT_TABLE, 0, "K", "f32", "*", NULL, ""},
              {"Z", CT_OUT, CT_PORT_OPTIONAL, "[BS]P?T", "=X", "=X", NULL, ""}},
    .params = params,
    .infer = infer,
    .tuning = {.tunables = tunables,
               .where = "TILE_T * WG <= 256 && (ENGINE == 1 || TILE_T < P_TAPS)"},
};

static const char *const known[] = {"stage", "input", NULL};

typedef struct trial {
    ct_value *value;
    ct_step *step;
    ct_error err;
    ct_status status;
} trial;

static trial make(const char *text)
{
    trial one = {0};
    const ct_source_location location = {
        .file = "lofar.json", .text = text, .pointer = "/nodes/fir", .folder = "/data/run"};
    assert_int_equal(ct_value_parse(&one.value, text, "lofar.json", &one.err), CT_OK);
    const ct_value *node = ct_value_get(ct_value_get(one.value, "nodes"), "fir");
    one.status = ct_step_new(&one.step, &stage, "fir", node, known, &location, &one.err);
    return one;
}

static void unmake(trial *one)
{
    ct_step_free(one->step);
    ct_value_free(one->value);
}

static void expect_error(const char *text, const char *message)
{
    trial one = make(text);
    assert_int_equal(one.status, CT_INVALID);
    assert_null(one.step);
    assert_string_equal(one.err.text, message);
    unmake(&one);
}

static void parameters_are_read(void **state)
{
    trial one = make("{\"nodes\": {\"fir\": {\"stage\": \"filter\", \"channels\": 16, \"beta\": 1,"
                     " \"weights\": \"w.npy\"}}}");
    (void)state;
    assert_int_equal(one.status, CT_OK);
    assert_int_equal(ct_step_int(one.step, "channels"), 16);
    assert_int_equal(ct_step_int(one.step, "taps"), 8);
    assert_true(ct_step_real(one.step, "beta") == 1.0);
    assert_string_equal(ct_step_text(one.step, "mode"), "none");
    assert_true(ct_step_bool(one.step, "center"));
    assert_string_equal(ct_step_path(one.step, "weights"), "/data/run/w.npy");
    assert_string_equal(ct_step_resolve(one.step, "/x"), "/x");
    assert_int_equal(ct_value_count(ct_step_value(one.step, "dm")), 2);
    assert_null(ct_step_value(one.step, "taps"));
    unmake(&one);
}

static void wrong_parameters_are_named(void **state)
{
    (void)state;
    expect_error("{\"nodes\": {\"fir\": {\"channels\": \"x\"}}}",
                 "lofar.json:1:32: /nodes/fir/channels: expected a positive integer, found \"x\"");
    expect_error("{\"nodes\": {\"fir\": {\"channels\": 4, \"taps\": 65}}}",
                 "lofar.json:1:43: /nodes/fir/taps: expected an integer from 1 to 64, found 65");
    expect_error("{\"nodes\": {\"fir\": {\"channels\": 4, \"tabs\": 6}}}",
                 "lofar.json:1:35: /nodes/fir/tabs: filter has no parameter \"tabs\"; did you mean "
                 "\"taps\"?");
    expect_error("{\"nodes\": {\"fir\": {\"channels\": 4, \"mode\": \"meen\"}}}",
                 "lofar.json:1:43: /nodes/fir/mode: expected \"none\" or \"mean\", found \"meen\"; "
                 "did you mean \"mean\"?");
    expect_error("{\"nodes\": {\"fir\": {\"channels\": 4, \"center\": 1}}}",
                 "lofar.json:1:45: /nodes/fir/center: expected true or false, found 1");
    expect_error("{\"nodes\": {\"fir\": {}}}",
                 "lofar.json:1:12: /nodes/fir: \"channels\" is missing: how many channels");
}

static void all_errors_come_in_one_pass(void **state)
{
    trial one = make("{\"nodes\": {\"fir\": {\"taps\": 0, \"beta\": [], \"zzz\": 1}}}");
    (void)state;
    assert_int_equal(one.err.count, 4);
    unmake(&one);
}

static trial shaped(const char *dims, const int64_t *extents, ct_type type)
{
    trial one = make("{\"nodes\": {\"fir\": {\"input\": \"volts\", \"channels\": 4}}}");
    assert_int_equal(one.status, CT_OK);
    one.step->port[0].type = type;
    for (int i = 0; dims[i]; i++)
        ct_array_add(&one.step->port[0], dims[i], extents[i]);
    one.status = ct_step_infer(one.step, &one.err);
    return one;
}

static void shapes_are_inferred_in_the_ports_order(void **state)
{
    const int64_t extents[] = {20, 3};
    trial one = shaped("TS", extents, CT_CI8);
    (void)state;
    assert_int_equal(one.status, CT_OK);
    assert_string_equal(one.step->port[0].dim, "ST");
    assert_string_equal(one.step->port[2].dim, "STC");
    assert_int_equal(one.step->port[2].extent[1], 5);
    assert_int_equal(one.step->port[2].type, CT_CF32);
    assert_int_equal(one.step->port[1].type, CT_NONE);
    assert_int_equal(one.step->port[4].type, CT_CI8);
    assert_string_equal(one.step->port[3].dim, "K");
    ct_step_extend(one.step);
    assert_int_equal(one.step->port[0].extent[1], 32);
    assert_int_equal(one.step->port[0].stride[0], 32);
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    ct_step_letters(one.step, 2, letters, aliases);
    assert_string_equal(letters, "BPTC");
    assert_string_equal(aliases, "S-TC");
    unmake(&one);
}

static void an_integration_longer_than_a_block_gathers(void **state)
{
    const int64_t extents[] = {3, 2};
    trial one = shaped("ST", extents, CT_CI8);
    (void)state;
    assert_int_equal(one.status, CT_OK);
    assert_int_equal(one.step->accumulate, 2);
    assert_int_equal(one.step->port[2].extent[1], 1);
    assert_int_equal(ct_step_firing(one.step), 2);
    assert_int_equal(ct_step_per_firing(one.step), 2);
    one.step->accumulate = 3; /* a block is no whole part of an integration */
    assert_int_equal(ct_step_per_firing(one.step), 2);
    unmake(&one);
}

static void expect_shape_error(const char *dims, ct_type type, int64_t t, const char *message)
{
    const int64_t extents[] = {t, 3, 7, 11};
    trial one = shaped(dims, extents, type);
    assert_int_equal(one.status, CT_INVALID);
    assert_string_equal(one.err.text, message);
    unmake(&one);
}

static void wrong_shapes_are_named(void **state)
{
    static const char place[] = "lofar.json:1:29: /nodes/fir/input: ";
    char message[512];
    (void)state;
    snprintf(message, sizeof message,
             "%sinput \"volts\" has dimensions T,P; filter needs [BS],P?,T: missing B or S", place);
    expect_shape_error("TP", CT_CI8, 20, message);
    snprintf(message, sizeof message,
             "%sinput \"volts\" has dimensions T,S,C; filter needs [BS],P?,T: it does not take C",
             place);
    expect_shape_error("TSC", CT_CI8, 20, message);
    snprintf(message, sizeof message, "%sinput \"volts\" is u16; filter takes ci8 f32", place);
    expect_shape_error("TS", CT_U16, 20, message);
}

static void layouts_follow_the_ports_patterns(void **state)
{
    const int64_t extents[] = {20, 3};
    trial one = shaped("TS", extents, CT_CI8);
    ct_layout layout;
    (void)state;
    ct_layout_parse(&layout, "TSC", NULL);
    assert_int_equal(ct_step_set_layout(one.step, 2, &layout, &one.err), CT_OK);
    assert_int_equal(ct_array_stride(&one.step->port[2], 'T'), 12);
    ct_layout_parse(&layout, "TCS", NULL);
    assert_int_equal(ct_step_set_layout(one.step, 2, &layout, &one.err), CT_INVALID);
    assert_string_equal(one.err.text,
                        "step fir: port Y of filter cannot have layout TCS: it takes *C");
    ct_layout_parse(&layout, "TS", NULL);
    assert_int_equal(ct_step_set_layout(one.step, 0, &layout, NULL), CT_OK);
    assert_int_equal(ct_step_set_layout(one.step, 4, &layout, NULL), CT_OK);
    ct_layout_parse(&layout, "ST", NULL);
    assert_int_equal(ct_step_set_layout(one.step, 4, &layout, NULL), CT_INVALID);
    ct_layout_parse(&layout, "SQ", NULL);
    assert_int_equal(ct_step_set_layout(one.step, 0, &layout, NULL), CT_INVALID);
    unmake(&one);
}

static void tunables_are_words_and_numbers(void **state)
{
    const int64_t extents[] = {20, 3};
    trial one = shaped("TS", extents, CT_CI8);
    char word[32];
    (void)state;
    ct_step_default_tunables(one.step);
    assert_true(ct_step_is_legal(one.step)); /* TILE_T=8 WG=64 is not: the nearest legal one is */
    assert_int_equal(ct_step_tunable(one.step, "TILE_T"), 4);
    assert_int_equal(ct_step_tunable(one.step, "WG"), 64);
    assert_string_equal(ct_step_tunable_word(one.step, 2, word), "fast");
    assert_int_equal(ct_step_set_tunable(one.step, "ENGINE", "plain", NULL), CT_OK);
    assert_int_equal(ct_step_tunable(one.step, "ENGINE"), 0);
    assert_int_equal(ct_step_set_tunable(one.step, "TILE_T", "3", NULL), CT_OK);
    assert_int_equal(ct_step_tunable(one.step, "TILE_T"), 3);
    assert_int_equal(ct_step_set_tunable(one.step, "TILE_T", "9", NULL), CT_INVALID);
    assert_int_equal(ct_step_set_tunable(one.step, "TILE_T", "0", NULL), CT_INVALID);
    assert_int_equal(ct_step_set_tunable(one.step, "TILE_T", "2x", NULL), CT_INVALID);
    assert_int_equal(ct_step_set_tunable(one.step, "ENGINE", "1", NULL), CT_INVALID);
    assert_int_equal(ct_step_set_tunable(one.step, "ENGINE", "slow", &one.err), CT_INVALID);
    assert_string_equal(one.err.text, "tunable ENGINE: expected one of plain fast, found slow");
    unmake(&one);
}

static void expressions_know_the_step(void **state)
{
    const int64_t extents[] = {20, 3};
    trial one = shaped("TS", extents, CT_CI8);
    int64_t value = 0;
    (void)state;
    ct_step_default_tunables(one.step);
    assert_int_equal(
        ct_step_evaluate(one.step, "N_C * 1000 + X_N_T + taps * 100000 + HAVE_F + N_B * 10000000",
                         &value, &one.err),
        CT_OK);
    assert_int_equal(value, 4 * 1000 + 20 + 8 * 100000 + 3 * 10000000);
    assert_int_equal(ct_step_evaluate(one.step, "N_T", &value, NULL), CT_INVALID); /* X 20, Y 5 */
    unmake(&one);
}

/* ---- scratch */

static bool when_many(const ct_step *step, int port)
{
    assert_int_equal(port, 1);
    return ct_step_tunable(step, "TILE_T") > 4;
}

static void scratch_goes_where_it_is_not_needed(void **state)
{
    const ct_stage stage_of = {
        .ports = {{"X", CT_IN, 0, "T", "f32", "*", NULL, ""},
                  {"Z", CT_SCRATCH, CT_PORT_OPTIONAL, "T", "f32", "*", NULL, ""},
                  {"V", CT_SCRATCH, 0, "T", "f32", "*", NULL, ""}},
        .needs = when_many,
        .tuning = {.tunables = tunables}};
    ct_step step = {.stage = &stage_of};
    (void)state;
    for (int tb = 4; tb <= 8; tb += 4) {
        for (int p = 0; p < 3; p++)
            step.port[p].type = CT_F32;
        step.tunable[0] = tb;
        ct_step_settle(&step);
        assert_int_equal(step.port[0].type, CT_F32);
        assert_int_equal(step.port[1].type, tb > 4 ? CT_F32 : CT_NONE);
        assert_int_equal(step.port[2].type, CT_F32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_read),
        cmocka_unit_test(wrong_parameters_are_named),
        cmocka_unit_test(all_errors_come_in_one_pass),
        cmocka_unit_test(shapes_are_inferred_in_the_ports_order),
        cmocka_unit_test(an_integration_longer_than_a_block_gathers),
        cmocka_unit_test(wrong_shapes_are_named),
        cmocka_unit_test(layouts_follow_the_ports_patterns),
        cmocka_unit_test(tunables_are_words_and_numbers),
        cmocka_unit_test(expressions_know_the_step),
        cmocka_unit_test(scratch_goes_where_it_is_not_needed),
    };
    return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}
