/* run_build_test.c: what is built before the first block changes nothing but when it is built: the
 * same bytes, whatever a run keeps from block to block. Room: core/run, tests. */
#include "cornerturn_stage.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char folder[] = "/tmp/ct_build_XXXXXX";

/* History (fir, dedisp), flags, sums over three blocks, beams that move with time. */
static const char pipeline[] =
    "{\"cornerturn\": 1, \"block\": {\"T\": 4096}, "
    "\"observation\": {\"telescope\": \"LOFAR\", \"dut1_s\": 0, \"ra_deg\": 350, \"dec_deg\": 58}, "
    "\"nodes\": {"
    "\"sky\": {\"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 50000, \"sb\": 300},"
    "\"fir\": {\"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, \"taps\": 8},"
    "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
    "\"good\": {\"stage\": \"flag\", \"input\": \"fft\", \"window\": 64},"
    "\"vis\": {\"stage\": \"correlator\", \"input\": \"good\", \"integrate\": 768},"
    "\"sum\": {\"stage\": \"beamformer\", \"input\": \"good\", \"mode\": \"incoherent\"},"
    "\"power\": {\"stage\": \"detect\", \"input\": \"sum\", \"stokes\": \"I\", \"integrate\": 4},"
    "\"trials\": {\"stage\": \"dedisp\", \"input\": \"power\", \"dm\": {\"start\": 0.01, \"step\": "
    "0.01, "
    "\"count\": 5}},"
    "\"a\": {\"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"vis.npy\"},"
    "\"n\": {\"stage\": \"sink.npy\", \"input\": \"vis.COUNTS\", \"file\": \"counts.npy\"},"
    "\"d\": {\"stage\": \"sink.npy\", \"input\": \"trials\", \"file\": \"trials.npy\"}}}";

/* Borrowed from the first file on. */
static const char *const names[] = {"vis.npy", "counts.npy", "trials.npy"};
enum { FILES = sizeof names / sizeof names[0], MOST = 1 << 22 };

typedef struct outcome {
    size_t bytes[FILES];
    char *data[FILES];
} outcome;

static void keep(outcome *out)
{
    for (int i = 0; i < FILES; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        out->data[i] = malloc(MOST);
        out->bytes[i] = fread(out->data[i], 1, MOST, file);
        fclose(file);
        assert_true(out->bytes[i] > 200 && out->bytes[i] < MOST);
        assert_int_equal(remove(path), 0);
    }
}

static void must(ct_status status, const ct_error *err)
{
    if (status != CT_OK) fail_msg("%s", err->text);
}

static void run_once(ct_context *context, ct_device *device, bool build, outcome *out)
{
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    ct_error err = {0};
    ct_progress before = {.size = sizeof before}, after = before;
    char name[256];
    snprintf(name, sizeof name, "%s/p.json", folder);
    must(ct_graph_parse(&graph, context, pipeline, name, NULL, &err), &err);
    must(ct_plan_default(&plan, graph, device, &err), &err);
    must(ct_run_new(&run, plan, device, &err), &err);
    if (build) must(ct_run_build(run, &err), &err);
    must(ct_run_progress(run, &before, &err), &err);
    ct_status status = ct_run_block(run, &err);
    assert_int_equal(ct_run_build(run, &err), CT_USAGE);
    assert_non_null(strstr(err.text, "ct_run_build: expected it before the first block"));
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    assert_int_equal(status, CT_EOF);
    must(ct_run_progress(run, &after, &err), &err);
    assert_int_equal(after.build_s > before.build_s, !build);
    must(ct_run_finish(run, &err), &err);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    keep(out);
}

static void building_first_changes_nothing(void **state)
{
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_error err = {0};
    outcome lazy, built;
    (void)state;
    must(ct_context_open(&context, &err), &err);
    must(ct_device_open(&device, NULL, &err), &err);
    run_once(context, device, false, &lazy);
    run_once(context, device, true, &built);
    for (int i = 0; i < FILES; i++) {
        assert_int_equal(lazy.bytes[i], built.bytes[i]);
        if (memcmp(lazy.data[i], built.data[i], lazy.bytes[i]) != 0)
            fail_msg("%s: other bytes", names[i]);
        free(lazy.data[i]);
        free(built.data[i]);
    }
    ct_device_free(device);
    ct_context_free(context);
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(building_first_changes_nothing, remove_folder)};
    return mkdtemp(folder) ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
