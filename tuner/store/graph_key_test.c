/* graph_key_test.c: what changes the key of a pipeline, and what does not.
 * Room: tuner/store (test). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_key.h"

#define HEAD "{ \"cornerturn\": 1, \"block\": { \"T\": 1024 }, \"nodes\": {"
#define SKY "\"sky\": { \"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 4096 }"
#define FIR "\"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 8, \"taps\": 4 }"
#define FFT "\"fft\": { \"stage\": \"fft\", \"input\": \"fir\" }"
#define OUT "\"out\": { \"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"a.npy\" }"
#define END "} }"

static const char usual[] = HEAD SKY "," FIR "," FFT "," OUT END;

static void make(ct_graph_key *key, void **state, const char *pipeline)
{
    ct_error err = {0};
    ct_graph *graph = NULL;
    if (ct_graph_parse(&graph, *state, pipeline, "p.json", NULL, &err) != CT_OK ||
        ct_graph_key_make(key, graph, &err) != CT_OK)
        fail_msg("%s", err.text);
    ct_graph_free(graph);
}

/* Of the usual one: whether all is the same, and whether the graph of stages is. */
static void compare(void **state, const char *pipeline, bool same, bool stages)
{
    ct_graph_key a, b;
    char one[CT_GRAPH_KEY_WORD], other[CT_GRAPH_KEY_WORD];
    make(&a, state, usual);
    make(&b, state, pipeline);
    assert_int_equal(ct_graph_key_digest(one, &a, NULL), CT_OK);
    assert_int_equal(ct_graph_key_digest(other, &b, NULL), CT_OK);
    if ((strcmp(one, other) == 0) != same || (strcmp(a.stages, b.stages) == 0) != stages)
        fail_msg("%s and %s, %s and %s of %s", one, other, a.stages, b.stages, pipeline);
    ct_graph_key_free(&a);
    ct_graph_key_free(&b);
}

static void text_does_not_matter(void **state)
{
    compare(state, HEAD OUT "," FFT "," FIR "," SKY END, true, true);
    compare(state,
            HEAD "\"comment\": { \"stage\": \"source.simulate\", \"samples\": 9999, \"stations\""
                 ": 3, \"comment\": 7 }, \"a\": { \"taps\": 4, \"channels\": 8, \"window\": "
                 "\"hamming\", \"stage\": \"fir\", \"input\": \"comment\" }, \"b\": { \"stage\": "
                 "\"fft\", \"input\": \"a\" }, \"c\": { \"stage\": \"sink.npy\", \"file\": "
                 "\"b.npy\", \"input\": \"b\" }" END,
            true, true);
}

static void sizes_and_pins_do(void **state)
{
    compare(state,
            HEAD
            "\"sky\": { \"stage\": \"source.simulate\", \"stations\": 4, \"samples\": 4096 }," FIR
            "," FFT "," OUT END,
            false, true);
    compare(state,
            HEAD SKY ", \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, "
                     "\"taps\": 4 }," FFT "," OUT END,
            false, true);
    compare(state,
            HEAD SKY ", \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 8, "
                     "\"taps\": 5 }," FFT "," OUT END,
            false, true);
    compare(state,
            HEAD SKY "," FIR ", \"fft\": { \"stage\": \"fft\", \"input\": \"fir\", \"layout\": "
                     "{ \"read\": \"SPTC\" } }," OUT END,
            false, true);
    compare(state,
            HEAD SKY "," FIR "," FFT ", \"out\": { \"stage\": \"sink.npy\", \"input\": \"fft\", "
                     "\"file\": \"a.npy\", \"layout\": \"SPTC\" }" END,
            false, true);
    compare(state,
            HEAD SKY "," FIR "," FFT "," OUT ", \"two\": { \"stage\": \"sink.npy\", \"input\": "
                     "\"fir\", \"file\": \"b.npy\" }" END,
            false, true);
    compare(state,
            "{ \"cornerturn\": 1, \"block\": { \"T\": 2048 }, \"nodes\": {" SKY "," FIR "," FFT
            "," OUT END,
            false, true);
    compare(state,
            HEAD SKY "," FIR ", \"out\": { \"stage\": \"sink.npy\", \"input\": \"fir\", "
                     "\"file\": \"a.npy\" }" END,
            false, false);
    compare(state,
            HEAD "\"sky\": { \"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 4096, "
                 "\"type\": \"ci16\" }," FIR "," FFT "," OUT END,
            false, false);
}

/* Which node is which is told by what it does, not by its name. */
static void nodes_find_each_other(void **state)
{
    static const char *const pipelines[] = {
        HEAD SKY
        "," FIR "," FFT ", \"x\": { \"stage\": \"detect\", \"input\": \"fft\" },"
        "\"a\": { \"stage\": \"sink.npy\", \"input\": \"x\", \"file\": \"x.npy\" }," OUT END,
        HEAD SKY
        ", \"x\": "
        "{ \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, \"taps\": 4 },"
        "\"fir\": { \"stage\": \"fft\", \"input\": \"x\" }, \"fft\": { \"stage\": \"detect\", "
        "\"input\": \"fir\" }, \"out\": { \"stage\": \"sink.npy\", \"input\": \"fft\", "
        "\"file\": \"a.npy\" }" END};
    static const char *const expected[][2] = {{"sky", "sky"}, {"fir", "x"}, {"fft", "fir"},
                                              {"x", "fft"},   {"a", "out"}, {"out", NULL}};
    ct_graph_key a, b;
    ct_graph_key_match match;
    int other[8];
    ct_error err = {0};
    make(&a, state, pipelines[0]);
    make(&b, state, pipelines[1]);
    if (ct_graph_key_compare(&match, other, &a, &b, &err) != CT_OK) fail_msg("%s", err.text);
    for (int n = 0; n < a.count; n++)
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
            if (strcmp(a.node[n].name, expected[i][0]) != 0) continue;
            const char *found = other[n] < 0 ? NULL : b.node[other[n]].name;
            if (!expected[i][1])
                assert_null(found);
            else
                assert_string_equal(found, expected[i][1]);
        }
    assert_false(match.same);
    assert_string_equal(match.why, "C=8 of \"x\", here C=16");
    /* every C is 8 there and 16 here */
    assert_true(match.distance > 0 &&
                fabs(match.distance / log(2.0) - rint(match.distance / log(2.0))) < 1e-9);
    ct_graph_key_free(&a);
    ct_graph_key_free(&b);
}

static int open_context(void **state)
{
    ct_context *context = NULL;
    ct_status status = ct_context_open(&context, NULL);
    *state = context;
    return status;
}

static int close_context(void **state)
{
    ct_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_does_not_matter),
                                       cmocka_unit_test(sizes_and_pins_do),
                                       cmocka_unit_test(nodes_find_each_other)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
