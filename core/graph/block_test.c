/* block_test.c: the default block: as much as fits the caches, whatever the length of a long input;
 * of a short one a part; what does not grow with it does not shrink it, and a long history
 * lengthens it. Room: tests of core/graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph.h"

#define MIB (1 << 20)

static ct_graph *parse(const char *text)
{
    ct_context *context;
    ct_graph *graph;
    ct_error err = {0};
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    if (ct_graph_parse(&graph, context, text, "block_test.json", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    ct_context_free(context);
    return graph;
}

static ct_graph *dedisperse(int channels, int trials, double frequency_hz, double width_hz,
                            long long samples)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\"sky\": {\"stage\": \"source.simulate\", \"kind\": "
             "\"filterbank\", \"channels\": %d, \"samples\": %lld, \"sample_time_s\": 1e-3, "
             "\"frequency_hz\": %.17g, \"bandwidth_hz\": %.17g}, \"dd\": {\"stage\": \"dedisp\", "
             "\"input\": \"sky\", \"dm\": {\"start\": 0, \"step\": 0.5, \"count\": %d}}, \"out\": "
             "{\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"/tmp/none.npy\"}}}",
             channels, samples, frequency_hz, width_hz, trials);
    return parse(text);
}

static int64_t bytes_of(const ct_graph *graph, const char *node, int port)
{
    const ct_array *array = &graph->nodes[ct_graph_find(graph, node)].step->port[port];
    return ct_array_count(array) * ct_type_bits(array->type) / 8;
}

/* The table of shifts has channels times trials numbers, whatever the block. */
static void test_tables_do_not_shrink_it(void **state)
{
    (void)state;
    static const int trials[] = {64, 1024, 4096};
    for (int i = 0; i < 3; i++) {
        ct_graph *graph = dedisperse(1024, trials[i], 1.4e9, 3e8, 10000000);
        const int64_t bytes = bytes_of(graph, "sky", 0) + bytes_of(graph, "dd", 1);
        assert_true(bytes >= 6 * MIB && bytes <= 1024 * MIB);
        ct_graph_free(graph);
    }
}

static void test_beams(void **state)
{
    (void)state;
    char text[16384];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "{\"cornerturn\": 1, \"nodes\": {\"sky\": {\"stage\": \"source.simulate\", \"stations\": "
        "64, \"samples\": 20000000}, \"fir\": {\"stage\": \"fir\", \"input\": \"sky\", "
        "\"channels\": 256, \"taps\": 8}, \"fft\": {\"stage\": \"fft\", \"input\": \"fir\"}, "
        "\"beams\": {\"stage\": \"beamformer\", \"input\": \"fft\", \"positions\": [");
    for (int s = 0; s < 64; s++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%d, %d, 0]", s ? "," : "",
                                 s * 7, s * s % 31);
    used += (size_t)snprintf(text + used, sizeof text - used, "], \"directions\": [");
    for (int b = 0; b < 100; b++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%d, 60]", b ? "," : "", b);
    snprintf(text + used, sizeof text - used,
             "]}, \"out\": {\"stage\": \"sink.npy\", \"input\": \"beams\", \"file\": "
             "\"/tmp/none.npy\"}}}");
    ct_graph *graph = parse(text);
    assert_int_equal(graph->block % 256, 0);
    assert_true(graph->block / 256 >= 16); /* spectra; the weights have 13 MB */
    assert_true(bytes_of(graph, "beams",
                         ct_step_first_output(graph->nodes[ct_graph_find(graph, "beams")].step)) <=
                256 * MIB);
    ct_graph_free(graph);
}

/* At 150 MHz the sweep is much longer than what fits the caches: a block is several times as long.
 */
static void test_history_lengthens_it(void **state)
{
    (void)state;
    ct_graph *graph = dedisperse(64, 2048, 150e6, 20e6, 100000000);
    const int64_t overlap = graph->nodes[ct_graph_find(graph, "dd")].step->overlap;
    const int64_t history = overlap * 64,
                  all = bytes_of(graph, "sky", 0) + bytes_of(graph, "dd", 1);
    assert_true(overlap > 20000);
    assert_true(all >= 3 * history || all > 900 * MIB);
    assert_true(all <= 1024 * MIB);
    ct_graph_free(graph);
}

static void test_length_does_not_change_it(void **state)
{
    (void)state;
    ct_graph *hour = dedisperse(1024, 64, 1.4e9, 3e8, 3600000);
    ct_graph *longer = dedisperse(1024, 64, 1.4e9, 3e8, 9000000);
    assert_int_equal(hour->block, longer->block);
    assert_true(hour->blocks > 10);
    ct_graph_free(hour);
    ct_graph_free(longer);
}

/* The last of a few blocks is nearly full. */
static void test_short_input_is_divided(void **state)
{
    (void)state;
    static const int samples[] = {20011, 25013, 30011, 40009, 60013, 99991};
    const int64_t most = 64 * (int64_t)MIB; /* two arrays */
    for (int i = 0; i < 6; i++) {
        ct_graph *graph = dedisperse(1024, 64, 1.4e9, 3e8, samples[i]);
        const int64_t lacks = graph->block * graph->blocks - samples[i];
        assert_true(bytes_of(graph, "sky", 0) + bytes_of(graph, "dd", 1) <= most);
        assert_true(graph->blocks > 1 && lacks * 12 <= samples[i]);
        ct_graph_free(graph);
    }
}

static void test_least_input_is_one_block(void **state)
{
    (void)state;
    ct_graph *graph = dedisperse(128, 64, 1.4e9, 3e8, 1321);
    assert_int_equal(graph->block, 1321);
    assert_int_equal(graph->blocks, 1);
    ct_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables_do_not_shrink_it),
                                       cmocka_unit_test(test_beams),
                                       cmocka_unit_test(test_history_lengthens_it),
                                       cmocka_unit_test(test_length_does_not_change_it),
                                       cmocka_unit_test(test_short_input_is_divided),
                                       cmocka_unit_test(test_least_input_is_one_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
