/* fuse_test.c: a pipeline with beam former and detection fused gives what the two give one after
 * the other, for I and IQUV, integrated or not, in one block or many; what the list of possible
 * fusions names is possible and gives the same, and what is not possible is not in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "fuse.h"

static void run(capture *out, const char *detect, const char *fuse, int block)
{
    static const char *const sinks[] = {"out", NULL};
    char json[2048];
    ct_error err = {0};
    snprintf(
        json, sizeof json,
        "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {"
        "\"in\": {\"stage\": \"source.simulate\", \"stations\": 5, \"samples\": 3000},"
        "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 6, \"taps\": 3},"
        "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
        "\"beams\": {\"stage\": \"beamformer\", \"input\": \"fft\", \"positions\": [[0, 0, 0], "
        "[30, 0, 0], [0, 40, 0], [25, 25, 1], [7, 50, 2]], \"directions\": [[40, 60], [10, 80], "
        "[200, 45]], \"layout\": {\"read\": \"STCP\"}},"
        "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", %s, \"fuse\": %s},"
        "\"out\": {\"stage\": \"sink.npy\", \"input\": \"power\", \"file\": \"never.npy\"}}}",
        block, detect, fuse);
    memset(out, 0, sizeof *out);
    ct_status status = capture_run(json, sinks, out, &err);
    if (status != CT_OK) print_error("%s\n", err.text);
    assert_int_equal(status, CT_OK);
}

static void same(const capture *a, const capture *b)
{
    double sum = 0;
    if (!a->value || !b->value) abort();
    assert_true(a->samples > 100);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->count, b->count);
    assert_string_equal(a->each.dim, b->each.dim);
    for (int64_t i = 0; i < a->samples * a->count; i++)
        sum += a->value[i] * a->value[i];
    double rms = sqrt(sum / (double)(a->samples * a->count));
    for (int64_t i = 0; i < a->samples * a->count; i++)
        assert_true(fabs(a->value[i] - b->value[i]) <= 2e-6 * rms);
}

static void fused_is_the_same(void **state)
{
    static const char *const detect[] = {"\"stokes\": \"I\"", "\"stokes\": \"IQUV\"",
                                         "\"stokes\": \"I\", \"integrate\": 4"};
    (void)state;
    for (size_t i = 0; i < sizeof detect / sizeof *detect; i++) {
        capture apart, fused, blocks;
        run(&apart, detect[i], "false", 6 * 432);
        run(&fused, detect[i], "true", 6 * 432);
        run(&blocks, detect[i], "true", 6 * 36);
        assert_true(fabs(apart.meta.start_s - fused.meta.start_s) < 1e-12);
        assert_true(fabs(apart.meta.sample_time_s - fused.meta.sample_time_s) < 1e-12);
        same(&apart, &fused);
        same(&apart, &blocks);
        capture_free(&apart);
        capture_free(&fused);
        capture_free(&blocks);
    }
}

/* ---- the list */

#define SKY                                                                                        \
    "\"positions\": [[0, 0, 0], [30, 0, 0], [0, 40, 0]], \"directions\": [[40, 60], [10, 80]]"

/* Two beam formers with a detection behind each, and one that another node reads too. */
static void print_pipeline(char out[4096], const char *beams, const char *power)
{
    snprintf(out, 4096,
             "{\"cornerturn\": 1, \"block\": {\"T\": 480}, "
             "\"observation\": {\"telescope\": \"LOFAR\"}, \"nodes\": {"
             "\"in\": {\"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 8640},"
             "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 6, \"taps\": 3},"
             "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
             "\"beams\": {\"stage\": \"beamformer\", \"input\": \"fft\", %s},"
             "\"power\": {\"stage\": \"detect\", \"input\": \"beams\" %s},"
             "\"mean\": {\"stage\": \"beamformer\", \"input\": \"fft\", \"normalise\": "
             "\"mean\", %s},"
             "\"stokes\": {\"stage\": \"detect\", \"input\": \"mean\", \"stokes\": \"IQUV\", "
             "\"integrate\": 8},"
             "\"both\": {\"stage\": \"beamformer\", \"input\": \"fft\", %s},"
             "\"one\": {\"stage\": \"detect\", \"input\": \"both\"},"
             "\"out0\": {\"stage\": \"sink.npy\", \"input\": \"power\", \"file\": \"0.npy\"},"
             "\"out1\": {\"stage\": \"sink.npy\", \"input\": \"stokes\", \"file\": \"1.npy\"},"
             "\"out2\": {\"stage\": \"sink.npy\", \"input\": \"one\", \"file\": \"2.npy\"},"
             "\"out3\": {\"stage\": \"sink.npy\", \"input\": \"both\", \"file\": \"3.npy\"}}}",
             beams, power, SKY, SKY);
}

static void parse(ct_graph **out, ct_context *context, const char *beams, const char *power)
{
    char text[4096];
    ct_error err = {0};
    print_pipeline(text, beams, power);
    if (ct_graph_parse(out, context, text, "f.json", NULL, &err) != CT_OK) fail_msg("%s", err.text);
}

enum { SINKS = 4 };

static int fusions_of(const ct_graph *graph, ct_fusion fusions[4])
{
    size_t count = 0;
    assert_int_equal(ct_fuse_list(graph, fusions, 4, &count, NULL), CT_OK);
    return (int)count;
}

static void run_graph(const ct_graph *graph, ct_device *device, capture out[SINKS])
{
    static const char *const sinks[] = {"out0", "out1", "out2", "out3", NULL};
    ct_error err = {0};
    ct_plan *plan = NULL;
    ct_run *ran = NULL;
    memset(out, 0, SINKS * sizeof *out);
    ct_status status = ct_plan_default(&plan, graph, device, &err);
    if (status == CT_OK) status = ct_run_new(&ran, plan, device, &err);
    if (status == CT_OK) status = capture_blocks(ran, sinks, out, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    ct_run_free(ran);
    ct_plan_free(plan);
}

static void check_fusion(const ct_graph *graph, const ct_fusion *fusion, ct_device *device,
                         const capture apart[SINKS])
{
    ct_graph *fused = NULL;
    ct_error err = {0};
    capture together[SINKS];
    if (ct_fuse_apply(&fused, graph, fusion->consumer, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(fused->count, graph->count - 1);
    assert_int_equal(ct_graph_find(fused, fusion->producer), -1);
    const ct_node *node = &fused->nodes[ct_graph_find(fused, fusion->consumer)];
    assert_string_equal(node->step->stage->name, fusion->stage);
    run_graph(fused, device, together);
    for (int i = 0; i < SINKS; i++) {
        same(&apart[i], &together[i]);
        capture_free(&together[i]);
    }
    ct_graph_free(fused);
}

static void listed_fusions_give_the_same(void **state)
{
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_graph *graph = NULL, *first = NULL;
    ct_error err = {0};
    ct_fusion fusions[4];
    capture apart[SINKS];
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_device_open(&device, NULL, &err), CT_OK);
    parse(&graph, context, SKY, ", \"integrate\": 4");
    run_graph(graph, device, apart);
    assert_int_equal(fusions_of(graph, fusions), 3);
    assert_string_equal(fusions[0].producer, "fir");
    assert_string_equal(fusions[0].consumer, "fft");
    assert_string_equal(fusions[1].producer, "beams");
    assert_string_equal(fusions[1].consumer, "power");
    assert_string_equal(fusions[2].consumer, "stokes");
    for (int i = 0; i < 3; i++)
        check_fusion(graph, &fusions[i], device, apart);
    assert_int_equal(ct_fuse_apply(&first, graph, "power", &err), CT_OK);
    assert_int_equal(fusions_of(first, fusions), 2);
    for (int i = 0; i < 2; i++)
        check_fusion(first, &fusions[i], device, apart);
    ct_graph_free(first);
    ct_graph_free(graph);
    for (int i = 0; i < SINKS; i++)
        capture_free(&apart[i]);
    ct_device_free(device);
    ct_context_free(context);
}

/* Only "fft" and "stokes" are left where "power" cannot be fused. */
static void impossible_fusions_are_not_listed(void **state)
{
    static const char *const cases[][2] = {
        {SKY, ", \"integrate\": 5"},
        {"\"mode\": \"incoherent\"", ""},
        {SKY ", \"layout\": {\"write\": \"BTCP\"}", ""},
        {SKY, ", \"layout\": {\"read\": \"BTCP\"}"},
        {SKY, ", \"fuse\": true"},
    };
    ct_context *context = NULL;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_graph *graph = NULL, *fused = NULL;
        ct_fusion fusions[4];
        parse(&graph, context, cases[i][0], cases[i][1]);
        assert_int_equal(fusions_of(graph, fusions), 2);
        assert_string_equal(fusions[0].consumer, "fft");
        assert_string_equal(fusions[1].consumer, "stokes");
        assert_int_not_equal(ct_fuse_apply(&fused, graph, "power", NULL), CT_OK);
        assert_null(fused);
        ct_graph_free(graph);
    }
    ct_context_free(context);
}

/* Names tell graphs apart: a fusion does away with one. */
static bool has_same_nodes(const ct_graph *a, const ct_graph *b)
{
    bool same = a->count == b->count;
    for (int n = 0; same && n < a->count; n++)
        same = ct_graph_find(b, a->nodes[n].name) >= 0;
    return same;
}

static void every_combination_is_there_once(void **state)
{
    enum { ROOM = 16 };
    ct_context *context = NULL;
    ct_graph *graphs[ROOM] = {0};
    ct_fusion fusions[4];
    int count = 1, others = 0;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    parse(&graphs[0], context, SKY, "");
    assert_int_equal(fusions_of(graphs[0], fusions), 3);
    assert_int_equal(ct_fuse_all(graphs[0], graphs, ROOM, &count, &err), CT_OK);
    assert_int_equal(count, 8); /* each of the three, or not */
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            others += !has_same_nodes(graphs[i], graphs[j]);
    assert_int_equal(others, 8 * 7 / 2);
    for (int i = 0; i < count; i++) { /* nothing else of the pipeline is lost */
        const ct_step *in = graphs[i]->nodes[ct_graph_find(graphs[i], "in")].step;
        assert_string_equal(ct_step_observation(in)->telescope, "LOFAR");
        assert_int_equal(graphs[i]->block, 480);
        ct_graph_free(graphs[i]);
    }
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_is_the_same),
        cmocka_unit_test(listed_fusions_give_the_same),
        cmocka_unit_test(impossible_fusions_are_not_listed),
        cmocka_unit_test(every_combination_is_there_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
