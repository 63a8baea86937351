/* hold_test.c: nothing of the caller's is kept: a stage's descriptor, a context and a graph go away
 * as soon as the call is over, and the plan explains, prints, saves and runs as if they were there.
 * Room: core. Sharp under AddressSanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "context.h"
#include "file.h"
#include "graph.h"
#include "memory.h"
#include "plan.h"
#include "stage_check.h"

/* ---- a stage in memory that goes away */

enum { ROWS = 2 };

typedef struct lent {
    ct_arena *arena;
    ct_stage *stage;
    ct_param *params;
    ct_tunable *tunables;
    ct_tile *tiles;
    ct_case *cases;
} lent;

static const char *lend(lent *l, const char *text)
{
    return ct_arena_copy(l->arena, text);
}

#define LEND(text) lend(l, text)

static void lend_tables(lent *l)
{
    l->params = ct_arena_get(l->arena, ROWS * sizeof *l->params);
    l->tunables = ct_arena_get(l->arena, ROWS * sizeof *l->tunables);
    l->tiles = ct_arena_get(l->arena, ROWS * sizeof *l->tiles);
    l->cases = ct_arena_get(l->arena, ROWS * sizeof *l->cases);
    *l->params = (ct_param){.name = LEND("mode"),
                            .kind = CT_PARAM_TEXT,
                            .otherwise = LEND("keep"),
                            .choices = LEND("keep drop"),
                            .help = LEND("what is done")};
    *l->tunables = (ct_tunable){LEND("WG"), LEND("1 8"), LEND("8"), LEND("1"), LEND("items")};
    *l->tiles =
        (ct_tile){LEND("A"), LEND("X"), LEND("T"), LEND("4"), LEND("8"), LEND("float"), LEND("1")};
    *l->cases = (ct_case){LEND("{}"), LEND("S=3 T=5"), LEND("f32"), LEND("WG=1")};
}

static void lend_stage(lent *l)
{
    l->arena = ct_arena_new();
    l->stage = ct_arena_get(l->arena, sizeof *l->stage);
    lend_tables(l);
    *l->stage = (ct_stage){
        .api = CT_API,
        .version = 3,
        .name = LEND("test.twice"),
        .summary = LEND("twice its input"),
        .ports = {{LEND("X"), CT_IN, 0, LEND("*"), LEND("f32 cf32"), LEND("*"), LEND("T"),
                   LEND("in")},
                  {LEND("Y"), CT_OUT, 0, LEND("*"), LEND("=X"), LEND("=X"), NULL, LEND("out")}},
        .params = l->params,
        .tuning = {.tunables = l->tunables, .where = LEND("WG > 0")},
        .kernel = {.text = LEND("kernel void twice(CT_ARGS)\n{\n    if (CT_OUTSIDE) return;\n"
                                "    const int s = ID_S, p = ID_P, t = ID_T;\n"
                                "    Y(s, p, t) = X(s, p, t) + X(s, p, t);\n}\n"),
                   .name = LEND("twice.cl"),
                   .entry = LEND("twice")},
        .verify = {.cases = l->cases},
    };
    l->stage->ports[0].dims = LEND("SPT");
    l->stage->ports[1].dims = LEND("SPT");
}

static void give_back(lent *l)
{
    memset(l->stage, 0xA5, sizeof *l->stage);
    memset(l->params, 0xA5, ROWS * sizeof *l->params);
    memset(l->tunables, 0xA5, ROWS * sizeof *l->tunables);
    ct_arena_free(l->arena);
}

static void descriptors_are_copied(void **state)
{
    lent one, *l = &one;
    (void)state;
    lend_stage(l);
    l->stage->kernel.tiles = l->tiles;
    ct_arena *arena = ct_arena_new();
    const ct_stage *copy = ct_stage_copy(arena, l->stage);
    give_back(l);
    assert_int_equal(copy->version, 3);
    assert_string_equal(copy->summary, "twice its input");
    assert_string_equal(copy->ports[0].types, "f32 cf32");
    assert_string_equal(copy->ports[0].prefer, "T");
    assert_string_equal(copy->ports[1].help, "out");
    assert_null(copy->ports[2].name);
    assert_string_equal(copy->params[0].choices, "keep drop");
    assert_null(copy->params[1].name);
    assert_string_equal(copy->tuning.tunables[0].gpu, "1");
    assert_null(copy->tuning.tunables[1].name);
    assert_string_equal(copy->kernel.tiles[0].when, "1");
    assert_null(copy->kernel.tiles[1].name);
    assert_string_equal(copy->verify.cases[0].tunables, "WG=1");
    assert_null(copy->verify.cases[1].extents);
    assert_string_equal(copy->tuning.where, "WG > 0");
    assert_string_equal(copy->kernel.entry, "twice");
    ct_arena_free(arena);
}

/* ---- a plan whose makers are gone */

static const char pipeline[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 480}, \"nodes\": {"
    "\"in\": {\"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 960, "
    "\"layout\": \"TPS\"},"
    "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 6, \"taps\": 3},"
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fir\", \"file\": \"never.npy\", "
    "\"layout\": \"SPTC\"}}}";

/* All that can be asked of a plan, as one text. */
static char *told(const ct_plan *plan)
{
    char *part[3] = {NULL}, name[] = "/tmp/hold_test_XXXXXX", *saved = NULL;
    size_t length;
    ct_error err = {0};
    const int made = mkstemp(name);
    assert_int_equal(ct_explain_plan(&part[0], plan, CT_FORM_TEXT, &err), CT_OK);
    assert_int_equal(ct_explain_plan(&part[1], plan, CT_FORM_DOT, &err), CT_OK);
    assert_int_equal(ct_plan_source(&part[2], plan, &err), CT_OK);
    assert_int_equal(ct_plan_save(plan, name, &err), CT_OK);
    assert_int_equal(ct_file_read(&saved, &length, name, &err), CT_OK);
    remove(name);
    close(made);
    size_t size = length + strlen(part[0]) + strlen(part[1]) + strlen(part[2]) + 1;
    char *all = ct_memory_get(size);
    snprintf(all, size, "%s%s%s%s", part[0], part[1], part[2], saved);
    for (int i = 0; i < 3; i++)
        free(part[i]);
    ct_memory_free(saved);
    return all;
}

static ct_status keep_block(void *of, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    (void)block, (void)first, (void)err;
    *(int64_t *)of += count;
    return CT_OK;
}

static void run_through(const ct_plan *plan)
{
    ct_error err = {0};
    ct_device *device = NULL;
    ct_run *run = NULL;
    int64_t samples = 0;
    const ct_io sink = {sizeof sink, &samples, NULL, keep_block, NULL};
    if (ct_device_open(&device, NULL, &err) != CT_OK) return; /* a machine without any */
    ct_status status = ct_run_new(&run, plan, device, &err);
    if (status == CT_OK) status = ct_run_bind(run, "out", &sink, &err);
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status == CT_EOF) status = ct_run_finish(run, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(samples, 160);
    ct_run_free(run);
    ct_device_free(device);
}

static void plans_outlive_their_makers(void **state)
{
    ct_error err = {0};
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL, *second = NULL;
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    if (ct_graph_parse(&graph, context, pipeline, "hold.json", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    ct_context_free(context);
    if (ct_plan_default(&plan, graph, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(ct_plan_default(&second, graph, NULL, &err), CT_OK);
    char *before = told(plan);
    ct_graph_free(graph);
    ct_plan_free(second);
    char *after = told(plan);
    assert_string_equal(before, after);
    run_through(plan);
    ct_plan_free(plan);
    ct_memory_free(before);
    ct_memory_free(after);
}

static void plans_outlive_lent_stages(void **state)
{
    lent one, *l = &one;
    ct_error err = {0};
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    lend_stage(l);
    if (ct_context_add_stage(context, l->stage, &err) != CT_OK) fail_msg("%s", err.text);
    give_back(l);
    const ct_status made = ct_graph_parse(
        &graph, context,
        "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"source.simulate\", \"stations\": "
        "2, \"samples\": 96, \"type\": \"cf32\"}, \"a\": {\"stage\": \"test.twice\", \"input\": "
        "\"in\", \"mode\": \"drop\"}}}",
        "lent", NULL, &err);
    ct_context_free(context);
    if (made != CT_OK) fail_msg("%s", err.text);
    if (ct_plan_default(&plan, graph, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    ct_graph_free(graph);
    char *all = told(plan);
    assert_non_null(strstr(all, "#line 1 \"twice.cl\""));
    ct_memory_free(all);
    ct_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(descriptors_are_copied),
                                       cmocka_unit_test(plans_outlive_their_makers),
                                       cmocka_unit_test(plans_outlive_lent_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
