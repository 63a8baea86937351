/* emit_test.c: the emitted text is a pure function of the step; `parallel` gives the launches and
 * the places of work-items; wrong ones are named.
 * Room: core/emit. */
#include "emit.h"
#include "step.h"
#include "text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const ct_param params[] = {
    {"scale", CT_PARAM_REAL, "3", NULL, 0, 0, ""},
    {"mode", CT_PARAM_TEXT, "mean", "none mean", 0, 0, ""},
    {0},
};

static const ct_tunable tunables[] = {
    {"WG", "4 16", "4", "16", ""},
    {"VECTOR_T", "1 2 4", "2", "1", ""},
    {"ENGINE", "plain fast", "fast", "plain", ""},
    {0},
};

static ct_status infer(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_add(ct_step_port(step, "Y"), 'C', 7);
    return CT_OK;
}

static ct_stage stage_with(const char *parallel)
{
    const ct_stage stage = {
        .api = CT_API,
        .name = "trial",
        .ports = {{"X", CT_IN, 0, "[BS]P?T", "ci8", "*", NULL, ""},
                  {"Y", CT_OUT, CT_PORT_ACCUMULATE, "[BS]P?TC", "cf32", "*", NULL, ""}},
        .params = params,
        .infer = infer,
        .tuning = {.tunables = tunables},
        .kernel = {.text = "kernel void trial(CT_ARGS) {}\n",
                   .name = "stages/trial/trial.cl",
                   .parallel = parallel},
    };
    return stage;
}

/* X is S=3 T=10, Y is S=3 T=10 C=7 in this layout. */
static ct_step *make(const ct_stage *stage, const char *layout)
{
    ct_step *step = NULL;
    ct_layout write;
    ct_error err = {0};
    assert_int_equal(ct_step_new(&step, stage, "trial", NULL, NULL, NULL, &err), CT_OK);
    step->port[0].type = CT_CI8;
    ct_array_add(&step->port[0], 'S', 3);
    ct_array_add(&step->port[0], 'T', 10);
    assert_int_equal(ct_step_infer(step, &err), CT_OK);
    ct_layout_parse(&write, layout, NULL);
    assert_int_equal(ct_step_set_layout(step, 1, &write, &err), CT_OK);
    ct_step_default_tunables(step);
    return step;
}

static void expect_launch(const char *parallel, const char *layout, const size_t global[3],
                          const size_t local[3], const char *const *texts)
{
    ct_stage stage = stage_with(parallel);
    ct_step *step = make(&stage, layout);
    ct_launch launch[CT_LAUNCHES];
    ct_text text = {0}, again = {0};
    ct_error err = {0};
    assert_int_equal(ct_emit_launches(step, launch, &err), 1);
    assert_memory_equal(launch[0].global, global, sizeof launch[0].global);
    assert_memory_equal(launch[0].local, local, sizeof launch[0].local);
    assert_int_equal(ct_emit_source(&text, step, &err), CT_OK);
    assert_int_equal(ct_emit_source(&again, step, &err), CT_OK);
    assert_string_equal(text.data, again.data);
    for (; *texts; texts++)
        if (!strstr(text.data, *texts)) fail_msg("\"%s\" is not in\n%s", *texts, text.data);
    ct_text_free(&text);
    ct_text_free(&again);
    ct_step_free(step);
}

static void parallel_gives_places(void **state)
{
    const size_t global[] = {8, 5, 3}, local[] = {4, 1, 1};
    const char *const texts[] = {
        "#define ID_C ((int)get_global_id(0))\n", "#define ID_T ((int)get_global_id(1))\n",
        "#define ID_B ((int)get_global_id(2))\n", "#define CT_OUTSIDE (get_global_id(0) >= 7)\n",
        "reqd_work_group_size(4, 1, 1)",          NULL};
    (void)state;
    expect_launch("C:WG, T/VECTOR_T, B", "STC", global, local, texts);
}

static void letters_share_an_axis(void **state)
{
    const size_t global[] = {105, 3, 1}, local[] = {0, 0, 0};
    const char *const texts[] = {"#define ID_C ((int)get_global_id(0) / 15)\n",
                                 "#define ID_B ((int)get_global_id(0) / 5 % 3)\n",
                                 "#define ID_T ((int)get_global_id(0) % 5)\n",
                                 "#define ID_P ((int)get_global_id(1) / 3)\n",
                                 "#define CT_OUTSIDE (0)\n",
                                 "#define CT_GROUP\n",
                                 NULL};
    (void)state;
    expect_launch("C B T/(VECTOR_T * 1), PB", "STC", global, local, texts);
}

static void without_parallel_the_layout_decides(void **state)
{
    const size_t global[] = {3, 7, 10}, local[] = {0, 0, 0};
    const char *const texts[] = {"#define ID_B ((int)get_global_id(0))\n",
                                 "#define ID_C ((int)get_global_id(1))\n",
                                 "#define ID_T ((int)get_global_id(2))\n",
                                 "#define ID_P ((int)get_global_id(2) % 1)\n", NULL};
    (void)state;
    expect_launch(NULL, "TCS", global, local, texts);
}

static void facts_are_literals(void **state)
{
    const size_t global[] = {7, 10, 3}, local[] = {0, 0, 0};
    const char *const texts[] = {
        "#define N_C 7\n",
        "#define N_T 10\n",
        "#define N_B 3\n",
        "#define WG 4\n",
        "#define ENGINE 1\n",
        "#define ENGINE_IS_fast 1\n",
        "#define ENGINE_IS_plain 0\n",
        "#define P_SCALE (3.0f)\n",
        "#define P_MODE_IS_mean 1\n",
        "#define P_MODE_IS_none 0\n",
        "#define HAVE_X 1\n",
        "#define GPU 0\n",
        "#define CT_ARGS global const char2 *restrict X_data, global float2 *restrict Y_data, "
        "const "
        "int CT_ADD\n",
        "#line 1 \"stages/trial/trial.cl\"\nkernel void trial(CT_ARGS) {}\n",
        NULL};
    (void)state;
    expect_launch("C, T, B", "STC", global, local, texts);
}

/* A kernel whose sums may begin and end inside a firing is told where. */
static void sums_that_are_carried_on(void **state)
{
    ct_stage stage = stage_with("C, T, B");
    ct_text text = {0};
    ct_error err = {0};
    (void)state;
    stage.ports[1].flags |= CT_PORT_CARRY;
    ct_step *step = make(&stage, "STC");
    assert_int_equal(ct_emit_source(&text, step, &err), CT_OK);
    assert_non_null(strstr(text.data, "*restrict Y_data, const int CT_ADD, const int CT_FIRST, "
                                      "const int CT_END, const long CT_START\n"));
    ct_text_free(&text);
    ct_step_free(step);
}

static void expect_error(const char *parallel, const char *message)
{
    ct_stage stage = stage_with(parallel);
    ct_step *step = make(&stage, "STC");
    ct_launch launch[CT_LAUNCHES];
    ct_error err = {0};
    assert_int_equal(ct_emit_launches(step, launch, &err), -1);
    if (!strstr(err.text, message)) fail_msg("\"%s\" is not in \"%s\"", message, err.text);
    ct_step_free(step);
}

static void wrong_parallel_is_named(void **state)
{
    (void)state;
    expect_error("C:WG, t", "stage trial: parallel \"C:WG, t\": column 7: expected a dimension's "
                            "letter, found \"t\"");
    expect_error("C, Z", "column 4: no port has a dimension Z");
    expect_error("C/ZZ", "stage trial: parallel \"C/ZZ\": column 3: expression \"ZZ\", column 1: "
                         "expected the name of a number, found \"ZZ\"");
    expect_error("C/0", "column 3: 0 is 0 here, expected at least 1");
    expect_error("C, T, B, P", "column 8: expected at most three axes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_gives_places),
        cmocka_unit_test(letters_share_an_axis),
        cmocka_unit_test(without_parallel_the_layout_decides),
        cmocka_unit_test(facts_are_literals),
        cmocka_unit_test(sums_that_are_carried_on),
        cmocka_unit_test(wrong_parallel_is_named),
    };
    return cmocka_run_group_tests_name("emit", tests, NULL, NULL);
}
