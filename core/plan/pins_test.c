/* pins_test.c: pinned layouts win over a file's, plans may leave tunables open, and inputs that do
 * not run alongside each other are refused. Room: core/plan. */
#include "file.h"
#include "graph.h"
#include "plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A file that has the channels slowest. */
static ct_status file_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_add(out, 'S', 3);
    ct_array_add(out, 'T', 0);
    ct_array_add(out, 'C', 5);
    out->meta.total = 96;
    return ct_layout_parse(&out->layout, "CST", err);
}

static ct_status sum_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = ct_step_int(step, "sum");
    return CT_OK;
}

static const ct_param sum_params[] = {{"sum", CT_PARAM_INT, "1", NULL, 1, 1e6, "samples"}, {0}};
static const ct_tunable tunables[] = {
    {"TILE_T", "1 4 16", "4", "1", ""}, {"WG", "1 8", "8", "1", ""}, {0}};
static const ct_stage file = {.api = CT_API,
                              .name = "test.file",
                              .infer = file_infer,
                              .ports = {{"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}}};
static const ct_stage sum = {
    .api = CT_API,
    .name = "test.sum",
    .infer = sum_infer,
    .params = sum_params,
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
              {"Y", CT_OUT, CT_PORT_ACCUMULATE, "STC", "f32", "*", NULL, NULL}},
    .tuning = {.tunables = tunables},
};
static const ct_stage join = {.api = CT_API,
                              .name = "test.join",
                              .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
                                        {"W", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
                                        {"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}}};

static int open_context(void **state)
{
    const ct_stage *const stages[] = {&file, &sum, &join};
    ct_error err = {0};
    ct_context *context = NULL;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        assert_int_equal(ct_context_add_stage(context, stages[i], &err), CT_OK);
    *state = context;
    return 0;
}

static int close_context(void **state)
{
    ct_context_free(*state);
    return 0;
}

static ct_graph *parsed(ct_context *context, const char *text)
{
    ct_graph *graph = NULL;
    ct_error err = {0};
    if (ct_graph_parse(&graph, context, text, "pins", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    return graph;
}

/* How the first step's output lies. */
static void expect_layout(ct_context *context, const char *pin, const char *layout)
{
    char text[512], name[] = "/tmp/pins_test_XXXXXX";
    ct_plan *plan = NULL, *again = NULL;
    ct_error err = {0};
    const int made = mkstemp(name);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.file\"%s}, \"a\": "
             "{\"stage\": \"test.sum\", \"input\": \"in\"}}}",
             pin);
    ct_graph *graph = parsed(context, text);
    assert_int_equal(ct_plan_default(&plan, graph, NULL, &err), CT_OK);
    assert_string_equal(plan->edges[0].array.layout.dim, layout);
    assert_int_equal(ct_plan_save(plan, name, &err), CT_OK);
    if (ct_plan_load(&again, graph, name, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_string_equal(again->edges[0].array.layout.dim, layout);
    ct_plan_free(again);
    ct_plan_free(plan);
    ct_graph_free(graph);
    remove(name);
    close(made);
}

static void pins_win_over_files(void **state)
{
    expect_layout(*state, "", "CST");
    expect_layout(*state, ", \"layout\": \"STC\"", "STC");
    expect_layout(*state, ", \"layout\": {\"write\": \"TCS\"}", "TCS");
}

static void plan_left_open(ct_context *context, const char *pipeline, const char *layout)
{
    static const char plan_text[] =
        "{\"cornerturn_plan\": 2, \"nodes\": {\"in\": {\"stage\": \"test.file\", \"version\": 0, "
        "\"shape\": \"f32 S=3 C=5\"}, \"a\": {\"stage\": \"test.sum\", \"version\": 0, "
        "\"shape\": \"f32 S=3 C=5\", \"tunables\": {\"TILE_T\": 16}}}}";
    char name[] = "/tmp/pins_test_XXXXXX";
    ct_plan *plan = NULL;
    ct_error err = {0};
    const int made = mkstemp(name);
    ct_graph *graph = parsed(context, pipeline);
    assert_int_equal(ct_file_write(name, plan_text, strlen(plan_text), &err), CT_OK);
    if (ct_plan_load(&plan, graph, name, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(ct_step_tunable(plan->steps[1].step, "TILE_T"), 16);
    assert_int_equal(ct_step_tunable(plan->steps[1].step, "WG"), 8);
    assert_string_equal(plan->edges[0].array.layout.dim, layout);
    ct_plan_free(plan);
    ct_graph_free(graph);
    remove(name);
    close(made);
}

/* Pinned, and else as the file has it. */
static void plans_leave_choices_open(void **state)
{
    plan_left_open(*state,
                   "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.file\", "
                   "\"layout\": \"TSC\"}, \"a\": {\"stage\": \"test.sum\", \"input\": \"in\"}}}",
                   "TSC");
    plan_left_open(*state,
                   "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.file\"}, \"a\": "
                   "{\"stage\": \"test.sum\", \"input\": \"in\"}}}",
                   "CST");
}

/* A pin holds by default and in a plan that leaves it open; a plan may not contradict it. */
static void tunables_are_pinned(void **state)
{
    static const char plan_text[] =
        "{\"cornerturn_plan\": 2, \"nodes\": {\"in\": {\"stage\": \"test.file\", \"version\": 0, "
        "\"shape\": \"f32 S=3 C=5\"}, \"a\": {\"stage\": \"test.sum\", \"version\": 0, "
        "\"shape\": \"f32 S=3 C=5\", \"tunables\": {\"%s\": 1}}}}";
    char name[] = "/tmp/pins_test_XXXXXX", text[512];
    ct_plan *plan = NULL;
    ct_error err = {0};
    const int made = mkstemp(name);
    ct_graph *graph = parsed(
        *state, "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.file\"}, \"a\": "
                "{\"stage\": \"test.sum\", \"input\": \"in\", \"tunables\": {\"TILE_T\": 16}}}}");
    assert_int_equal(ct_plan_default(&plan, graph, NULL, &err), CT_OK);
    assert_int_equal(ct_step_tunable(plan->steps[1].step, "TILE_T"), 16);
    ct_plan_free(plan);
    snprintf(text, sizeof text, plan_text, "WG");
    assert_int_equal(ct_file_write(name, text, strlen(text), &err), CT_OK);
    if (ct_plan_load(&plan, graph, name, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(ct_step_tunable(plan->steps[1].step, "TILE_T"), 16);
    assert_int_equal(ct_step_tunable(plan->steps[1].step, "WG"), 1);
    ct_plan_free(plan);
    snprintf(text, sizeof text, plan_text, "TILE_T");
    assert_int_equal(ct_file_write(name, text, strlen(text), &err), CT_OK);
    assert_int_equal(ct_plan_load(&plan, graph, name, NULL, &err), CT_INVALID);
    assert_non_null(
        strstr(err.text, "/nodes/a/tunables/TILE_T: found 1, but the pipeline pins 16"));
    ct_graph_free(graph);
    remove(name);
    close(made);
}

static void expect_error(ct_context *context, int block, int sum_by, const char *part)
{
    char text[1024];
    ct_graph *graph = NULL;
    ct_error err = {0};
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"in\": {\"stage\": "
             "\"test.file\"}, \"a\": {\"stage\": \"test.sum\", \"input\": \"in\", \"sum\": %d}, "
             "\"b\": {\"stage\": \"test.sum\", \"input\": \"in\", \"sum\": %d}, \"both\": "
             "{\"stage\": \"test.join\", \"input\": {\"X\": \"a\", \"W\": \"b\"}}}}",
             block, block, sum_by);
    const ct_status status = ct_graph_parse(&graph, context, text, "pins", NULL, &err);
    if (part == NULL && status != CT_OK) fail_msg("%s", err.text);
    if (part != NULL && (status != CT_INVALID || strstr(err.text, part) == NULL))
        fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    ct_graph_free(graph);
}

/* One sample every block beside one every fourth block. */
static void inputs_run_alongside(void **state)
{
    expect_error(*state, 8, 8, NULL);
    expect_error(*state, 8, 32,
                 "\"a\" brings 1 sample a block and \"b\" brings 1 sample every 4 blocks");
    expect_error(*state, 8, 4, "\"a\" brings 1 sample a block and \"b\" brings 2 samples a block");
}

/* Conditions that hold for no values are said, not passed over. */
static void nothing_is_legal(void **state)
{
    ct_context *context = *state;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_error err = {0};
    ct_stage never = sum;
    never.name = "test.never";
    never.tuning.where = "TILE_T > 4 * N_T";
    assert_int_equal(ct_context_add_stage(context, &never, &err), CT_OK);
    assert_int_equal(ct_graph_parse(&graph, context,
                                    "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": "
                                    "\"test.file\"}, \"no\": {\"stage\": \"test.never\", "
                                    "\"input\": \"in\"}}}",
                                    "never.json", NULL, &err),
                     CT_OK);
    assert_int_equal(ct_plan_default(&plan, graph, NULL, &err), CT_INVALID);
    assert_null(plan);
    assert_non_null(strstr(err.text, "no tunables of stage test.never are legal here"));
    assert_non_null(strstr(err.text, "TILE_T > 4 * N_T"));
    ct_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_win_over_files), cmocka_unit_test(plans_leave_choices_open),
        cmocka_unit_test(tunables_are_pinned), cmocka_unit_test(inputs_run_alongside),
        cmocka_unit_test(nothing_is_legal)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
