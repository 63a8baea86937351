/* touched_test.c: memory is touched once and used again: once a run has warmed up, its blocks take
 * no fresh pages from the system, for arrays, flags, sources and sinks alike. Room: tests. */
#include "cornerturn_stage.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { WARM = 6, BLOCKS = 30, MOST = 4 * BLOCKS }; /* a block has some thousand pages */

/* Flagged samples, windows, sums over blocks, sinks with threads. */
static const char pipeline[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 16384}, \"nodes\": {"
    "\"sky\": {\"stage\": \"source.simulate\", \"stations\": 5, \"samples\": 1048576},"
    "\"fir\": {\"stage\": \"fir\", \"input\": \"sky\", \"channels\": 64, \"taps\": 8},"
    "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
    "\"good\": {\"stage\": \"flag\", \"input\": \"fft\", \"window\": 64},"
    "\"vis\": {\"stage\": \"correlator\", \"input\": \"good\", \"integrate\": 128},"
    "\"power\": {\"stage\": \"detect\", \"input\": \"fft\", \"stokes\": \"I\", \"integrate\": 4},"
    "\"a\": {\"stage\": \"sink.raw\", \"input\": \"vis\", \"file\": \"/dev/null\"},"
    "\"b\": {\"stage\": \"sink.raw\", \"input\": \"power\", \"file\": \"/dev/null\"}}}";

static long faults(void)
{
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return use.ru_minflt;
}

static void blocks(ct_run *run, int count, ct_error *err)
{
    for (int i = 0; i < count; i++)
        if (ct_run_block(run, err) != CT_OK) fail_msg("block %d: %s", i, err->text);
}

static void blocks_take_no_fresh_pages(void **state)
{
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    ct_error err = {0};
    (void)state;
    ct_status status = ct_context_open(&context, &err);
    if (status == CT_OK) status = ct_device_open(&device, NULL, &err);
    if (status == CT_OK) status = ct_graph_parse(&graph, context, pipeline, "p", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    blocks(run, WARM, &err);
    const long before = faults();
    blocks(run, BLOCKS, &err);
    const long more = faults() - before;
    if (more > MOST) fail_msg("%ld pages were fresh in %d blocks", more, BLOCKS);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_device_free(device);
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_take_no_fresh_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
