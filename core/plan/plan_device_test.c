/* plan_device_test.c: a plan is refused for a device that cannot take it, before a run is made.
 * Room: core/plan, tests. */
#include "device.h"
#include "plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char pipeline[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 64}, \"nodes\": {"
    "\"in\": {\"stage\": \"source.simulate\", \"stations\": 9, \"samples\": 4096},"
    "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 16, \"taps\": 4},"
    "\"vis\": {\"stage\": \"correlator\", \"input\": \"fir\", \"integrate\": 4,"
    " \"layout\": {\"read\": \"TCSP\"}}}}";

/* A GPU that is not there: plans are made for it, nothing is built. */
static ct_device gpu(int64_t group, int64_t bytes, int64_t largest)
{
    return (ct_device){.gpu = true,
                       .name = "small",
                       .work_group = group,
                       .global_bytes = bytes,
                       .largest_buffer = largest};
}

static void expect(const ct_plan *plan, ct_device device, const char *sentence)
{
    ct_error err = {0};
    const ct_status status = ct_plan_check(plan, &device, &err);
    assert_int_equal(status, sentence ? CT_INVALID : CT_OK);
    if (sentence && !strstr(err.text, sentence)) fail_msg("%s", err.text);
}

static void devices_that_are_too_small(void **state)
{
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_error err = {0};
    ct_device large = gpu(1024, 1 << 30, 1 << 30);
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    if (ct_graph_parse(&graph, context, pipeline, "small", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_plan_default(&plan, graph, &large, &err), CT_OK);
    expect(plan, large, NULL);
    expect(plan, gpu(8, 1 << 30, 1 << 30),
           "/nodes/fir/tunables: step fir has 16 work-items in a group; "
           "device \"small\" takes at most 8");
    expect(plan, gpu(1024, plan->device_bytes - 1, 1 << 30), "the pipeline takes");
    expect(plan, gpu(1024, plan->device_bytes, 100), "but the device allows");
    expect(plan, gpu(1024, plan->device_bytes, 1 << 30), NULL);
    assert_int_equal(ct_plan_check(plan, NULL, &err), CT_USAGE);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_that_are_too_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
