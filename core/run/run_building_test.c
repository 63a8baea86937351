/* run_building_test.c: what building kernels takes is said apart, wherever the driver does it; the
 * first block's time is that of its work. With a kernel cache of its own, which is empty.
 * Room: core/run, tests. */
#include "cornerturn_stage.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char cache[] = "/tmp/ct_building_XXXXXX";

static const char pipeline[] =
    "{\"cornerturn\": 1, \"nodes\": {"
    "\"sky\": {\"stage\": \"source.simulate\", \"kind\": \"filterbank\", \"channels\": 8, "
    "\"type\": \"f32\", \"samples\": 256},"
    "\"dd\": {\"stage\": \"dedisp\", \"input\": \"sky\", \"dm\": {\"start\": 1}}}}";

static ct_status run(ct_context *context, ct_device *device, ct_progress *out, char **trace,
                     ct_error *err)
{
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *ran = NULL;
    ct_status status = ct_graph_parse(&graph, context, pipeline, "building", NULL, err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, err);
    if (status == CT_OK) status = ct_run_new(&ran, plan, device, err);
    while (status == CT_OK)
        status = ct_run_block(ran, err);
    if (status == CT_EOF) status = ct_run_progress(ran, out, err);
    if (status == CT_OK) status = ct_run_trace(trace, ran, CT_FORM_JSON, err);
    ct_run_free(ran);
    ct_plan_free(plan);
    ct_graph_free(graph);
    return status;
}

static void building_stands_apart(void **state)
{
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_value *root = NULL;
    ct_error err = {0};
    char *trace = NULL;
    ct_progress all = {.size = sizeof all};
    (void)state;
    ct_status status = ct_context_open(&context, &err);
    if (status == CT_OK) status = ct_device_open(&device, NULL, &err);
    if (status == CT_OK) status = run(context, device, &all, &trace, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    assert_true(all.build_s > 0);
    if (!(all.wall_s > 0 && all.wall_s < 0.5 * all.build_s))
        fail_msg("blocks took %g s, building %g s", all.wall_s, all.build_s);
    assert_int_equal(ct_value_parse(&root, trace, "trace", &err), CT_OK);
    assert_true(ct_value_real(ct_value_get(root, "build_s"), 0) > 0);
    ct_value_free(root);
    free(trace);
    ct_device_free(device);
    ct_context_free(context);
}

static int remove_cache(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(building_stands_apart, remove_cache)};
    if (!mkdtemp(cache) || setenv("POCL_CACHE_DIR", cache, 1) != 0) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
