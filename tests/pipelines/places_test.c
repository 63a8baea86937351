/* places_test.c: arrays with history that lie a block further in their slot each time: the same
 * bits as where history is moved before each block, with time fastest, in between and slowest, over
 * more blocks than there are places, and where samples are flagged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "choose.h"
#include "cornerturn_stage.h"
#include "memory.h"
#include "plan.h"

enum { BLOCK = 1024, BLOCKS = 41, PER_SAMPLE = 5 * 3 };

typedef struct stream {
    float values[BLOCKS * BLOCK * PER_SAMPLE];
    int64_t count;
} stream;

typedef struct session {
    ct_context *context;
    ct_device *device;
} session;

static ct_status keep(void *state, const ct_array *block, int64_t first, int64_t count,
                      ct_error *err)
{
    stream *out = state;
    (void)err;
    for (int64_t t = first; t < first + count; t++)
        for (int64_t b = 0; b < ct_array_extent(block, 'B'); b++)
            for (int64_t d = 0; d < ct_array_extent(block, 'D'); d++) {
                const int64_t at = block->offset + t * ct_array_stride(block, 'T') +
                                   b * ct_array_stride(block, 'B') +
                                   d * ct_array_stride(block, 'D');
                assert_true(out->count < BLOCKS * BLOCK * PER_SAMPLE);
                out->values[out->count++] = (float)ct_array_load(block, at).re;
            }
    return CT_OK;
}

static const char nodes[] =
    "{\"cornerturn\": 1, \"nodes\": {"
    "\"in\": {\"stage\": \"source.simulate\", \"stations\": 3, \"samples\": %d, \"seed\": 5},"
    "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 4, \"taps\": 5},"
    "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
    "%s"
    "\"beams\": {\"stage\": \"beamformer\", \"input\": \"%s\", \"positions\": [[0, 0, 0], "
    "[30, 0, 0], [0, 40, 0]], \"directions\": [[40, 60], [10, 80], [200, 45]]},"
    "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", \"stokes\": \"I\", \"layout\": "
    "{\"write\": \"%s\"}},"
    "\"dd\": {\"stage\": \"dedisp\", \"input\": \"power\", \"layout\": {\"read\": \"%s\"}, \"dm\": "
    "{\"start\": 0, \"step\": %g, \"count\": 5}},"
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"never.npy\"}}, "
    "\"block\": {\"T\": %d}}";

static const char flag[] = "\"flag\": {\"stage\": \"flag\", \"input\": \"fft\", \"window\": 32, "
                           "\"false_alarms\": 0.2},";

/* The edge that dd reads. */
static ct_edge *history_of(ct_plan *plan)
{
    for (int e = 0; e < plan->edge_count; e++)
        if (strcmp(plan->edges[e].name, "power") == 0) return &plan->edges[e];
    fail();
    return NULL;
}

static void run_plan(session *s, ct_plan *plan, stream *out)
{
    ct_error err = {0};
    ct_run *run = NULL;
    const ct_io io = {sizeof io, out, NULL, keep, NULL};
    out->count = 0;
    ct_status status = ct_run_new(&run, plan, s->device, &err);
    if (status == CT_OK) status = ct_run_bind(run, "out", &io, &err);
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status != CT_EOF) print_error("%s\n", err.text);
    assert_int_equal(status, CT_EOF);
    assert_int_equal(ct_run_finish(run, &err), CT_OK);
    ct_run_free(run);
}

static void compare(session *s, const char *layout, double step, bool flagged)
{
    char text[2048];
    ct_error err = {0};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    stream *moved = ct_memory_get(sizeof *moved), *placed = ct_memory_get(sizeof *placed);
    snprintf(text, sizeof text, nodes, BLOCKS * BLOCK - 77, flagged ? flag : "",
             flagged ? "flag" : "fft", layout, layout, step, BLOCK);
    ct_status status = ct_graph_parse(&graph, s->context, text, "test", NULL, &err);
    if (status == CT_OK) status = ct_choose_plan(&plan, graph, s->device, false, &err);
    if (status != CT_OK) print_error("%s\n", err.text);
    assert_int_equal(status, CT_OK);
    ct_edge *edge = history_of(plan);
    assert_true(edge->before > 0);
    assert_in_range(edge->places, 2, BLOCKS / 2);
    assert_int_equal(plan->spare_bytes, (edge->places - 1) * edge->way);
    run_plan(s, plan, placed);
    edge->places = 1;
    run_plan(s, plan, moved);
    assert_true(moved->count > BLOCKS / 4 * (BLOCK / 4) * PER_SAMPLE);
    assert_int_equal(placed->count, moved->count);
    assert_memory_equal(placed->values, moved->values, sizeof(float) * (size_t)moved->count);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_memory_free(moved);
    ct_memory_free(placed);
}

static void time_is_anywhere(void **state)
{
    compare(*state, "BCT", 2, false);
    compare(*state, "CTB", 2, false);
    compare(*state, "TBC", 2, false);
}

/* History of more than a block. */
static void history_is_long(void **state)
{
    compare(*state, "BCT", 40, false);
    compare(*state, "TBC", 40, false);
}

static void samples_are_missing(void **state)
{
    compare(*state, "CBT", 2, true);
}

static int set_up(void **state)
{
    static session s;
    ct_error err = {0};
    assert_int_equal(ct_context_open(&s.context, &err), CT_OK);
    assert_int_equal(ct_device_open(&s.device, NULL, &err), CT_OK);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    session *s = *state;
    ct_device_free(s->device);
    ct_context_free(s->context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_is_anywhere),
                                       cmocka_unit_test(history_is_long),
                                       cmocka_unit_test(samples_are_missing)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
