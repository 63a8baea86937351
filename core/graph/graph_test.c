/* graph_test.c: graphs, block sizes, stream lengths and plans with small stages of the test's own,
 * so that mechanism is tested apart from any algorithm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "file.h"
#include "layout.h"
#include "plan.h"
#include "text.h"

static ct_status make_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_add(out, 'S', 3);
    ct_array_add(out, 'T', 0);
    ct_array_add(out, 'C', 5);
    out->meta.total = ct_step_int(step, "total");
    out->meta.sample_time_s = 0.5;
    return CT_OK;
}

static ct_status sum_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = ct_step_int(step, "sum");
    step->overlap = ct_step_int(step, "overlap");
    step->overlap_kind = ct_step_bool(step, "valid") ? CT_VALID : CT_HISTORY;
    ct_step_port(step, "Y")->meta.sample_time_s *= (double)step->decimate;
    return CT_OK;
}

static const ct_param make_params[] = {{"total", CT_PARAM_INT, "100", NULL, 0, 1e9, "samples"},
                                       {0}};
static const ct_param sum_params[] = {{"sum", CT_PARAM_INT, "1", NULL, 1, 1e6, "samples added"},
                                      {"overlap", CT_PARAM_INT, "0", NULL, 0, 1e6, "history"},
                                      {"valid", CT_PARAM_BOOL, "false", NULL, 0, 0, "kind"},
                                      {0}};
static const ct_stage make = {.api = CT_API,
                              .name = "test.make",
                              .infer = make_infer,
                              .params = make_params,
                              .ports = {{"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}}};
static const ct_stage sum = {.api = CT_API,
                             .name = "test.sum",
                             .infer = sum_infer,
                             .params = sum_params,
                             .ports = {{"X", CT_IN, 0, "STC", "f32", "*", "CTS", NULL},
                                       {"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}}};
static const ct_stage gather = {
    .api = CT_API,
    .name = "test.gather",
    .infer = sum_infer,
    .params = sum_params,
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
              {"Y", CT_OUT, CT_PORT_ACCUMULATE, "STC", "f32", "*", NULL, NULL}}};
static const ct_stage take = {
    .api = CT_API, .name = "test.take", .ports = {{"X", CT_IN, 0, "*", "f32", "*", NULL, NULL}}};
static const ct_stage transpose = {.api = CT_API,
                                   .name = "transpose",
                                   .ports = {{"X", CT_IN, 0, "*", "*", "*", NULL, NULL},
                                             {"Y", CT_OUT, 0, "*", "=X", "*", NULL, NULL}}};

static const ct_stage both = {.api = CT_API,
                              .name = "test.both",
                              .infer = sum_infer,
                              .params = sum_params,
                              .fuses = "test.sum test.take2",
                              .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
                                        {"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}}};
static const ct_stage take2 = {.api = CT_API,
                               .name = "test.take2",
                               .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
                                         {"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}}};

static ct_context *context_new(void)
{
    const ct_stage *const stages[] = {&make, &sum, &gather, &take, &transpose, &both, &take2};
    ct_context *context = NULL;
    ct_error err = {0};
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (!ct_context_stage(context, stages[i]->name))
            assert_int_equal(ct_context_add_stage(context, stages[i], &err), CT_OK);
    return context;
}

static ct_status load(ct_context *context, const char *text, const char *const *settings,
                      ct_graph **graph, ct_error *err)
{
    char name[] = "/tmp/graph_test_XXXXXX";
    int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(ct_file_write(name, text, strlen(text), err), CT_OK);
    ct_status status = ct_graph_load(graph, context, name, settings, err);
    remove(name);
    fclose(fdopen(file, "r"));
    return status;
}

static const ct_node *node_of(const ct_graph *graph, const char *name)
{
    int n = ct_graph_find(graph, name);
    assert_true(n >= 0);
    return &graph->nodes[n];
}

static void block_is_the_whole_input(void **state)
{
    (void)state;
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_error err = {0};
    const char *text = "{\"cornerturn\": 1, \"constants\": {\"n\": 7}, \"nodes\": {"
                       "\"out\": {\"stage\": \"test.take\", \"input\": \"b\"},"
                       "\"b\": {\"stage\": \"test.sum\", \"input\": \"a\", \"sum\": 4},"
                       "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\", \"sum\": \"$n\"},"
                       "\"in\": {\"stage\": \"test.make\", \"total\": 100}}}";
    assert_int_equal(load(context, text, NULL, &graph, &err), CT_OK);
    assert_int_equal(graph->block, 112); /* the multiple of 28 that holds 100 */
    assert_int_equal(graph->blocks, 1);
    assert_int_equal(ct_array_extent(&node_of(graph, "b")->step->port[1], 'T'), 4);
    assert_int_equal(node_of(graph, "a")->length, 14);
    assert_int_equal(node_of(graph, "b")->length, 3);
    ct_graph_free(graph);
    ct_context_free(context);
}

static void valid_overlap_is_skipped(void **state)
{
    (void)state;
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_error err = {0};
    const char *text =
        "{\"cornerturn\": 1, \"block\": {\"T\": 30}, \"nodes\": {"
        "\"in\": {\"stage\": \"test.make\", \"total\": 100},"
        "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\", \"overlap\": 9, \"valid\": true},"
        "\"b\": {\"stage\": \"test.sum\", \"input\": \"a\", \"sum\": 2},"
        "\"out\": {\"stage\": \"test.take\", \"input\": \"b\"}}}";
    assert_int_equal(load(context, text, NULL, &graph, &err), CT_OK);
    assert_int_equal(graph->blocks, 4);
    assert_int_equal(node_of(graph, "a")->out_skip, 9);
    assert_int_equal(node_of(graph, "a")->step->port[1].meta.total, 91);
    assert_int_equal(node_of(graph, "b")->out_skip, 5);
    assert_int_equal(node_of(graph, "b")->step->port[1].meta.total, 45);
    /* b's first valid output starts at a's stream sample 10, one after its first valid one */
    assert_float_equal(node_of(graph, "b")->step->port[1].meta.start_s, 0.5, 1e-12);
    ct_graph_free(graph);
    ct_context_free(context);
}

static void small_blocks_are_gathered(void **state)
{
    (void)state;
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_error err = {0};
    const char *text = "{\"cornerturn\": 1, \"block\": {\"T\": 10}, \"nodes\": {"
                       "\"in\": {\"stage\": \"test.make\", \"total\": 200},"
                       "\"g\": {\"stage\": \"test.gather\", \"input\": \"in\", \"sum\": 40},"
                       "\"out\": {\"stage\": \"test.take\", \"input\": \"g\"}}}";
    assert_int_equal(load(context, text, NULL, &graph, &err), CT_OK);
    assert_int_equal(node_of(graph, "g")->step->accumulate, 4);
    assert_float_equal(ct_clock_table_period(&graph->clocks, node_of(graph, "g")->out_clock), 4, 0);
    assert_float_equal(ct_clock_table_period(&graph->clocks, node_of(graph, "out")->clock), 4, 0);
    assert_int_equal(ct_array_extent(&node_of(graph, "g")->step->port[1], 'T'), 1);
    ct_graph_free(graph);
    ct_context_free(context);
}

static void expect_errors(const char *text, const char *const *settings, unsigned count,
                          const char *part)
{
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_error err = {0};
    assert_int_not_equal(load(context, text, settings, &graph, &err), CT_OK);
    assert_null(graph);
    if (err.count != count || !strstr(err.text, part)) print_error("found: %s\n", err.text);
    assert_int_equal(err.count, count);
    assert_non_null(strstr(err.text, part));
    ct_context_free(context);
}

static void mistakes_are_said(void **state)
{
    (void)state;
    const char *settings[] = {"inn.total=3", NULL};
    const char *in = "\"in\": {\"stage\": \"test.make\"}";
    char text[1024];
    expect_errors("{\"cornerturn\": 1, \"nodes\": {\"a\": {\"stage\": \"test.sun\"},"
                  "\"b\": {\"stage\": \"test.sum\", \"sim\": 4}}}",
                  NULL, 2, "did you mean \"test.sum\"?");
    expect_errors("{\"cornerturn\": 1, \"nodes\": {\"a\": {\"stage\": \"test.sum\", "
                  "\"input\": \"b\"}, \"b\": {\"stage\": \"test.sum\", \"input\": \"a\"}}}",
                  NULL, 1, "cycle: ");
    expect_errors("{\"cornerturn\": 2, \"nods\": {}}", NULL, 3, "did you mean \"nodes\"?");
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {%s, \"s\": {\"stage\": "
             "\"test.sum\", \"input\": \"in.Z\"}}}",
             in);
    expect_errors(text, NULL, 1, "has no output \"Z\"");
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {%s, \"s\": {\"stage\": "
             "\"test.sum\", \"input\": \"in\", \"layout\": {\"read\": \"STT\"}}}}",
             in);
    expect_errors(text, NULL, 1, "/nodes/s/layout/read: ");
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {%s, \"s\": {\"stage\": "
             "\"test.sum\", \"input\": \"in\", \"sum\": \"$m\"}}}",
             in);
    expect_errors(text, NULL, 1, "/nodes/s/sum: found \"$m\"");
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"nodes\": {%s}}", in);
    expect_errors(text, settings, 1, "did you mean \"in\"?");
}

static void settings_replace_and_add(void **state)
{
    (void)state;
    const char *settings[] = {"in.total=58", "a.sum=3",
                              "+more={\"stage\": \"test.take\", \"input\": \"a\"}", NULL};
    ct_context *context = context_new();
    ct_graph *graph = NULL, *again = NULL;
    ct_text printed = {0};
    ct_error err = {0};
    const char *text = "{\"cornerturn\": 1, \"comment\": \"$$5\", \"nodes\": {"
                       "\"in\": {\"stage\": \"test.make\", \"total\": 100},"
                       "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\"}}}";
    assert_int_equal(load(context, text, settings, &graph, &err), CT_OK);
    assert_int_equal(node_of(graph, "a")->length, 19);
    assert_string_equal(node_of(graph, "more")->step->stage->name, "test.take");
    assert_int_equal(ct_graph_print(&printed, graph, &err), CT_OK); /* settings included */
    assert_non_null(strstr(printed.data, "\"comment\":\"$$5\""));
    assert_int_equal(load(context, printed.data, NULL, &again, &err), CT_OK);
    assert_int_equal(node_of(again, "a")->length, 19);
    assert_string_equal(node_of(again, "more")->step->stage->name, "test.take");
    ct_text_free(&printed);
    ct_graph_free(again);
    ct_graph_free(graph);
    ct_context_free(context);
}

static void two_nodes_fuse(void **state)
{
    (void)state;
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_error err = {0};
    const char *text = "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.make\"},"
                       "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\", \"sum\": 7},"
                       "\"b\": {\"stage\": \"test.take2\", \"input\": \"a\", \"fuse\": true},"
                       "\"c\": {\"stage\": \"test.take\", \"input\": \"b\"}}}";
    assert_int_equal(load(context, text, NULL, &graph, &err), CT_OK);
    assert_int_equal(graph->count, 3);
    assert_string_equal(node_of(graph, "b")->step->stage->name, "test.both");
    assert_int_equal(node_of(graph, "b")->step->decimate, 7);
    ct_graph_free(graph);
    ct_context_free(context);
    expect_errors("{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.make\"},"
                  "\"b\": {\"stage\": \"test.take2\", \"input\": \"in\", \"fuse\": true}}}",
                  NULL, 1, "no stage does test.make and test.take2 in one pass");
    expect_errors("{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.make\"},"
                  "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\"},"
                  "\"b\": {\"stage\": \"test.take2\", \"input\": \"a\", \"fuse\": true},"
                  "\"c\": {\"stage\": \"test.take\", \"input\": \"a\"}}}",
                  NULL, 1, "\"a\" feeds other nodes too");
}

static void mismatches_are_bridged(void **state)
{
    (void)state;
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_error err = {0};
    const char *text =
        "{\"cornerturn\": 1, \"block\": {\"T\": 20}, \"nodes\": {"
        "\"in\": {\"stage\": \"test.make\", \"layout\": \"SCT\"},"
        "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\", \"overlap\": 30,"
        " \"layout\": {\"read\": \"TCS\", \"write\": \"STC\"}},"
        "\"b\": {\"stage\": \"test.sum\", \"input\": \"in\", \"layout\": {\"read\": \"TCS\"}},"
        "\"x\": {\"stage\": \"test.take\", \"input\": \"a\"},"
        "\"y\": {\"stage\": \"test.take\", \"input\": \"b\", \"layout\": \"CST\"}}}";
    assert_int_equal(load(context, text, NULL, &graph, &err), CT_OK);
    assert_int_equal(ct_plan_default(&plan, graph, NULL, &err), CT_OK);
    assert_int_equal(plan->count, 6); /* one transpose serves both readers; y's wish is written */
    const ct_plan_step *bridge = &plan->steps[1], *a = &plan->steps[2], *b = &plan->steps[3];
    assert_int_equal(bridge->node, -1);
    assert_int_equal(a->edge[0], b->edge[0]);
    const ct_edge *edge = &plan->edges[a->edge[0]];
    assert_int_equal(edge->before, 30);
    assert_string_equal(edge->array.layout.dim, "TCS");
    assert_int_equal(ct_array_extent(&edge->array, 'T'), 50);
    assert_int_equal(a->step->port[0].offset, 0);
    assert_int_equal(ct_array_extent(&a->step->port[0], 'T'), 50);
    assert_int_equal(b->step->port[0].offset, 30 * 5 * 3);
    assert_int_equal(ct_array_extent(&b->step->port[0], 'T'), 20);
    assert_int_equal(bridge->step->port[1].offset, 30 * 5 * 3);
    assert_string_equal(plan->edges[b->edge[1]].array.layout.dim, "CST");
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
}

/* No two edges that live at once may share a slot, and memory is reused along a chain. */
static void memory_is_reused(void **state)
{
    (void)state;
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_error err = {0};
    const char *text = "{\"cornerturn\": 1, \"nodes\": {"
                       "\"in\": {\"stage\": \"test.make\"},"
                       "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\"},"
                       "\"b\": {\"stage\": \"test.sum\", \"input\": \"a\"},"
                       "\"c\": {\"stage\": \"test.sum\", \"input\": \"b\"},"
                       "\"d\": {\"stage\": \"test.sum\", \"input\": \"c\"}}}";
    assert_int_equal(load(context, text, NULL, &graph, &err), CT_OK);
    assert_int_equal(ct_plan_default(&plan, graph, NULL, &err), CT_OK);
    assert_int_equal(plan->edge_count, 5);
    assert_true(plan->slots < 5);
    for (int i = 0; i < plan->edge_count; i++)
        for (int j = 0; j < i; j++)
            if (plan->edges[i].slot == plan->edges[j].slot)
                assert_true(plan->edges[i].first > plan->edges[j].last ||
                            plan->edges[j].first > plan->edges[i].last);
    assert_int_equal(ct_plan_fits(plan, plan->device_bytes, plan->device_bytes, &err), CT_OK);
    assert_int_equal(ct_plan_fits(plan, plan->device_bytes - 1, plan->device_bytes, &err),
                     CT_INVALID);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
}

static void plans_survive_a_file(void **state)
{
    (void)state;
    ct_context *context = context_new();
    ct_graph *graph = NULL;
    ct_plan *plan = NULL, *again = NULL;
    ct_error err = {0};
    char name[] = "/tmp/plan_test_XXXXXX";
    int file = mkstemp(name);
    const char *text = "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"test.make\"},"
                       "\"a\": {\"stage\": \"test.sum\", \"input\": \"in\","
                       " \"layout\": {\"read\": \"TSC\", \"write\": \"CST\"}}}}";
    assert_true(file >= 0);
    assert_int_equal(load(context, text, NULL, &graph, &err), CT_OK);
    assert_int_equal(ct_plan_default(&plan, graph, NULL, &err), CT_OK);
    assert_int_equal(ct_plan_save(plan, name, &err), CT_OK);
    assert_int_equal(ct_plan_load(&again, graph, name, NULL, &err), CT_OK);
    assert_int_equal(again->count, plan->count);
    for (int e = 0; e < plan->edge_count; e++)
        assert_true(ct_layout_equal(&again->edges[e].array.layout, &plan->edges[e].array.layout));
    ct_plan_free(again);
    ct_plan_free(plan);
    ct_graph_free(graph);
    assert_int_equal(load(context, text, (const char *[]){"in.total=7", NULL}, &graph, &err),
                     CT_OK);
    assert_int_equal(graph->block, 7);
    assert_int_equal(ct_plan_load(&again, graph, name, NULL, &err), CT_OK);
    assert_int_equal(again->graph->block, 100); /* the pipeline leaves it open */
    ct_plan_free(again);
    ct_graph_free(graph);
    ct_context_free(context);
    remove(name);
    fclose(fdopen(file, "r"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_is_the_whole_input),  cmocka_unit_test(valid_overlap_is_skipped),
        cmocka_unit_test(small_blocks_are_gathered), cmocka_unit_test(mistakes_are_said),
        cmocka_unit_test(settings_replace_and_add),  cmocka_unit_test(two_nodes_fuse),
        cmocka_unit_test(mismatches_are_bridged),    cmocka_unit_test(memory_is_reused),
        cmocka_unit_test(plans_survive_a_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
