/* warnings_test.c: what a library user reads of a pipeline that is valid and hardly meant, and of
 * samples that a run left out, whatever the block size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cornerturn_stage.h"

static const char add_cl[] = "kernel void add(CT_ARGS)\n"
                             "{\n"
                             "    Y_SAVE(ID_S, ID_P, ID_T, X_LOAD(ID_S, ID_P, ID_T) + "
                             "Z_LOAD(ID_S, ID_P, ID_T));\n"
                             "}\n";
static const ct_stage add = {
    .api = CT_API,
    .name = "test.add",
    .ports = {{"X", CT_IN, 0, "SPT", "ci8", "*", NULL, NULL},
              {"Z", CT_IN, 0, "SPT", "ci8", "*", NULL, NULL},
              {"Y", CT_OUT, 0, "SPT", "cf32", "*", NULL, NULL}},
    .kernel = {.text = add_cl, .name = "add.cl", .entry = "add"},
};

#define SOURCE(name, samples)                                                                      \
    "\"" name "\": {\"stage\": \"source.simulate\", \"stations\": 2, \"samples\": " samples        \
    ", \"clock_hz\": 1024e3},\n"
#define SINK(from)                                                                                 \
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"" from "\", \"file\": \"x.npy\"}"

static ct_status drop(void *state, const ct_array *block, int64_t first, int64_t count,
                      ct_error *err)
{
    (void)state, (void)block, (void)first, (void)count, (void)err;
    return CT_OK;
}

typedef struct fixture {
    ct_context *context;
    ct_device *device;
    ct_graph *graph;
} fixture;

static void parse(fixture *f, int block, const char *nodes)
{
    char text[2048];
    ct_error err = {0};
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\n%s\n}}",
             block, nodes);
    if (ct_graph_parse(&f->graph, f->context, text, "p.json", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
}

static void expect_of_graph(fixture *f, const char *nodes, const char *expected)
{
    parse(f, 64, nodes);
    assert_string_equal(ct_graph_warnings(f->graph), expected);
    ct_graph_free(f->graph);
}

/* most: how many blocks are run; 0: all. */
static void expect_of_run(fixture *f, int block, int most, const char *nodes, const char *expected)
{
    ct_error err = {0};
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    ct_status status = CT_OK;
    parse(f, block, nodes);
    assert_int_equal(ct_plan_default(&plan, f->graph, f->device, &err), CT_OK);
    assert_int_equal(ct_run_new(&run, plan, f->device, &err), CT_OK);
    assert_int_equal(ct_run_bind(run, "out", &(ct_io){sizeof(ct_io), NULL, NULL, drop, NULL}, &err),
                     CT_OK);
    for (int b = 0; status == CT_OK && (most == 0 || b < most); b++)
        status = ct_run_block(run, &err);
    assert_string_equal(ct_run_warnings(run), "");
    assert_int_equal(ct_run_finish(run, &err), CT_OK);
    assert_string_equal(ct_run_warnings(run), expected);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(f->graph);
}

static void a_node_that_nothing_reads(void **state)
{
    static const char fir[] =
        "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 4},\n";
    char nodes[1024];
    expect_of_graph(*state, SOURCE("in", "640") SINK("in"), "");
    snprintf(nodes, sizeof nodes, "%s%s%s", SOURCE("in", "640"), fir, SINK("in"));
    expect_of_graph(*state, nodes,
                    "p.json:3:1: /nodes/fir: nothing reads what this node gives; it is computed "
                    "all the same");
    snprintf(nodes, sizeof nodes, "%s%s%s%s", SOURCE("in", "640"), fir, SOURCE("spare", "64"),
             SINK("in"));
    expect_of_graph(*state, nodes,
                    "p.json:3:1: /nodes/fir: nothing reads what this node gives; it is computed "
                    "all the same\n"
                    "p.json:4:1: /nodes/spare: nothing reads what this node gives; it is computed "
                    "all the same");
}

/* 1001 samples: 125 spectra of 8, 5 integrations of 24 and 5 spectra more. One sample of 1001 is
 * not worth a word. */
static void samples_that_fill_no_output(void **state)
{
    static const int blocks[] = {960, 192, 96, 64, 384};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        expect_of_run(*state, blocks[i], 0,
                      SOURCE("in", "1001") "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", "
                                           "\"channels\": 8, \"taps\": 3},\n"
                                           "\"vis\": {\"stage\": \"correlator\", \"input\": "
                                           "\"fir\", \"integrate\": 24},\n" SINK("vis"),
                      "p.json:4:1: /nodes/vis: the last 5 samples of \"fir\" (0.04 s) are left "
                      "out: an output takes 24");
}

static void all_samples_used(void **state)
{
    static const int blocks[] = {64, 192, 320, 960};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        expect_of_run(*state, blocks[i], 0,
                      SOURCE("in", "960") "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", "
                                          "\"channels\": 8, \"taps\": 3},\n" SINK("fir"),
                      "");
}

/* Of 800 samples the sweep of the largest DM is 45 long. */
static void samples_that_no_trial_reaches(void **state)
{
    static const int blocks[] = {64, 640, 1600, 6400};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        expect_of_run(
            *state, blocks[i], 0,
            "\"in\": {\"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 6400, "
            "\"clock_hz\": 1024e3, \"frequency_hz\": 10e6},\n"
            "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 8, \"taps\": 3},\n"
            "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},\n"
            "\"power\": {\"stage\": \"detect\", \"input\": \"fft\", \"stokes\": \"I\"},\n"
            "\"dd\": {\"stage\": \"dedisp\", \"input\": \"power\", \"dm\": {\"start\": 0, "
            "\"step\": "
            "25, \"count\": 3}},\n" SINK("dd"),
            "p.json:6:1: /nodes/dd: the last 45 samples of \"power\" (0.36 s) are left out: an "
            "output takes 46");
}

static void an_integration_that_was_stopped(void **state)
{
    expect_of_run(*state, 64, 4,
                  SOURCE("in", "960") "\"vis\": {\"stage\": \"fir\", \"input\": \"in\", "
                                      "\"channels\": 8, \"taps\": 3},\n"
                                      "\"sum\": {\"stage\": \"correlator\", \"input\": \"vis\", "
                                      "\"integrate\": 24},\n" SINK("sum"),
                  "p.json:4:1: /nodes/sum: the last 8 samples of \"vis\" (0.064 s) are left out: "
                  "an output takes 24");
}

static void a_source_that_ends_first(void **state)
{
    expect_of_run(
        *state, 64, 0,
        SOURCE("long", "960")
            SOURCE("short",
                   "700") "\"both\": {\"stage\": \"test.add\", \"input\": {\"X\": \"long\", \"Z\": "
                          "\"short\"}},\n" SINK("both"),
        "p.json:4:1: /nodes/both: the last 260 samples of \"long\" (0.26 s) are left "
        "out: \"short\" ended before");
}

static int open_all(void **state)
{
    static fixture f;
    ct_error err = {0};
    *state = &f;
    if (ct_context_open(&f.context, &err) == CT_OK &&
        ct_context_add_stage(f.context, &add, &err) == CT_OK &&
        ct_device_open(&f.device, NULL, &err) == CT_OK)
        return 0;
    print_error("%s\n", err.text);
    return 1;
}

static int close_all(void **state)
{
    fixture *f = *state;
    ct_device_free(f->device);
    ct_context_free(f->context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_nothing_reads),
        cmocka_unit_test(samples_that_fill_no_output),
        cmocka_unit_test(all_samples_used),
        cmocka_unit_test(samples_that_no_trial_reaches),
        cmocka_unit_test(an_integration_that_was_stopped),
        cmocka_unit_test(a_source_that_ends_first),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
