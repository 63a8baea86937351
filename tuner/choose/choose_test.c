/* choose_test.c: who decides the layout of an array where there are no prices: pins, then readers,
 * then the writer.
 * Room: tuner/choose, tests. */
#include "choose.h"
#include "graph.h"
#include "plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static ct_status beams_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_set(out, ct_step_bool(step, "beams") ? 'B' : 'S', 3);
    ct_array_set(out, 'T', 0);
    ct_array_set(out, 'C', 5);
    out->meta.total = 64;
    return CT_OK;
}

static const ct_param beams_params[] = {
    {"beams", CT_PARAM_BOOL, "false", NULL, 0, 0, "B in the place of S"}, {0}};

/* A source without a wish, and stages that have one on either side or on none. */
static const ct_stage stages[] = {
    {.api = CT_API,
     .name = "test.source",
     .params = beams_params,
     .infer = beams_infer,
     .ports = {{"Y", CT_OUT, 0, "[SB]TC", "f32", "*", NULL, NULL}}},
    {.api = CT_API,
     .name = "test.writer",
     .ports = {{"X", CT_IN, 0, "[SB]TC", "f32", "*", NULL, NULL},
               {"Y", CT_OUT, 0, "[SB]TC", "f32", "*", "TSC", NULL}}},
    {.api = CT_API,
     .name = "test.reader",
     .ports = {{"X", CT_IN, 0, "[SB]TC", "f32", "*", "CST", NULL},
               {"Y", CT_OUT, 0, "[SB]TC", "f32", "*", NULL, NULL}}},
    {.api = CT_API,
     .name = "test.sink",
     .ports = {{"X", CT_IN, 0, "[SB]TC", "f32", "*", NULL, NULL}}},
};

static int open_context(void **state)
{
    ct_error err = {0};
    ct_context *context = NULL;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (ct_context_add_stage(context, &stages[i], &err) != CT_OK) fail_msg("%s", err.text);
    *state = context;
    return 0;
}

static int close_context(void **state)
{
    ct_context_free(*state);
    return 0;
}

/* What is written by the node `in`, the second of the pipeline, and why. */
static void expect(ct_context *context, const char *nodes, const char *layout, const char *reason)
{
    char text[1024];
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_error err = {0};
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"block\": {\"T\": 16}, \"nodes\": {%s}}",
             nodes);
    if (ct_graph_parse(&graph, context, text, "choose", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_choose_plan(&plan, graph, NULL, false, &err), CT_OK);
    const ct_plan_step *step = &plan->steps[1];
    const int port = ct_step_first_output(step->step);
    assert_string_equal(plan->edges[step->edge[port]].array.layout.dim, layout);
    assert_string_equal(step->reason[port], reason);
    ct_plan_free(plan);
    ct_graph_free(graph);
}

#define SOURCE "\"from\": {\"stage\": \"test.source\"}, "
#define BEAMS "\"from\": {\"stage\": \"test.source\", \"beams\": true}, "
#define WRITER "\"in\": {\"stage\": \"test.writer\", \"input\": \"from\"}"
#define SINK(more) ", \"out\": {\"stage\": \"test.sink\", \"input\": \"in\"" more "}"
#define READER ", \"then\": {\"stage\": \"test.reader\", \"input\": \"in\"}"

static void the_writer_decides_last(void **state)
{
    expect(*state, SOURCE WRITER SINK(""), "TSC", "the writer prefers it");
    expect(*state, SOURCE WRITER, "TSC", "the writer prefers it");
    expect(*state, SOURCE WRITER READER, "CST", "the reader prefers it");
    expect(*state, SOURCE WRITER SINK("") READER, "CST", "the reader prefers it");
    expect(*state, SOURCE WRITER SINK(", \"layout\": \"SCT\"") READER, "SCT",
           "the reader's is pinned");
}

/* A wish names a port's letters; the array may have another one in the same place. */
static void wishes_are_of_the_ports_place(void **state)
{
    expect(*state, BEAMS WRITER SINK(""), "TBC", "the writer prefers it");
    expect(*state, BEAMS WRITER READER, "CBT", "the reader prefers it");
}

static void nobody_has_a_wish(void **state)
{
    expect(*state, SOURCE "\"in\": {\"stage\": \"test.reader\", \"input\": \"from\"}" SINK(""),
           "STC", "natural order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_writer_decides_last, open_context, close_context),
        cmocka_unit_test_setup_teardown(wishes_are_of_the_ports_place, open_context, close_context),
        cmocka_unit_test_setup_teardown(nobody_has_a_wish, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
