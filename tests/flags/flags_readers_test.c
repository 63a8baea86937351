/* flags_readers_test.c: what a stage leaves out stays in the array for all others that read it: a
 * sink gets the same bytes whether or not a correlator reads along, in any layouts and blocks, and
 * memory for the copy is the plan's. Room: tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "flags_groups.h"

#define NODE(name, stage, of, more)                                                                \
    "\"" name "\": {\"stage\": \"" stage "\", \"input\": \"" of "\"" more "},"
#define DATA "\"data\": {\"stage\": \"test.data\"},"

static const int blocks[] = {12, 240};

/* As the source gives it, what is missing too. */
static void is_as_written(const capture *found, const char *what)
{
    assert_int_equal(found->samples, SAMPLES);
    for (int64_t t = 0; t < SAMPLES; t++)
        for (int64_t i = 0; i < STATIONS * CHANNELS; i++) {
            const int64_t s = i / CHANNELS, c = i % CHANNELS;
            const double expected = is_missing(s, t, c) ? 1e6 : value(s, t, c);
            if (capture_at(found, t, i).re != expected)
                fail_msg("%s: sample %d of station %d, channel %d: found %g, expected %g", what,
                         (int)t, (int)s, (int)c, capture_at(found, t, i).re, expected);
        }
}

static bool is_left_out(int64_t s, int64_t t, int64_t c, bool loud)
{
    return t < 0 || is_missing(s, t, c) || (loud && is_loud(s, t, c));
}

/* `sum` samples each, from `before` samples earlier on. */
static void is_summed(const capture *found, int64_t sum, int64_t before, bool loud)
{
    assert_int_equal(found->samples, SAMPLES / sum);
    for (int64_t t = 0; t < found->samples; t++)
        for (int64_t i = 0; i < STATIONS * CHANNELS; i++) {
            const int64_t s = i / CHANNELS, c = i % CHANNELS;
            double expected = 0;
            for (int64_t k = t * sum - before; k < (t + 1) * sum - before; k++)
                expected += is_left_out(s, k, c, loud) ? 0 : value(s, k, c);
            assert_true(capture_at(found, t, i).re == expected);
        }
}

static void check(flags_session *s, const char *nodes, int64_t sum, int64_t before, bool loud)
{
    for (size_t i = 0; i < 2; i++) {
        capture out[2];
        char what[64];
        flags_run(s, nodes, blocks[i], i, out);
        snprintf(what, sizeof what, "blocks of %d, SEED=%d", blocks[i], (int)i);
        is_as_written(&out[0], what);
        is_summed(&out[1], sum, before, loud);
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
}

/* ---- tests */

static void a_sink_beside_a_sum(void **state)
{
    check(*state, DATA NODE("a", "test.sum", "data", ", \"sum\": 6") FLAGS_SINKS("data", "a"), 6, 0,
          false);
}

/* What is kept of the blocks before was flagged in them. */
static void sums_with_history(void **state)
{
    check(*state,
          DATA NODE("a", "test.sum", "data", ", \"sum\": 4, \"overlap\": 7")
              NODE("b", "test.sum", "data", ", \"sum\": 2, \"overlap\": 3")
                  FLAGS_SINKS("data", "a"),
          4, 7, false);
}

static void a_sink_beside_what_a_stage_flags(void **state)
{
    check(*state,
          DATA NODE("find", "test.find", "data", "") NODE("a", "test.sum", "find", ", \"sum\": 24")
              FLAGS_SINKS("find", "a"),
          24, 0, true);
}

/* A sink's bytes with others beside it that leave out, and without. */
static void the_same_with_and_without(void **state)
{
    static const char with_text[] = DATA NODE("beam", "test.beam", "data", "")
        NODE("vis", "test.sum", "data", ", \"sum\": 12") FLAGS_SINKS("data", "beam");
    static const char without_text[] = DATA FLAGS_SINKS("data", "data");
    capture with[2], without[2];
    for (uint64_t seed = 0; seed < 2; seed++) {
        flags_run(*state, with_text, 24, seed, with);
        flags_run(*state, without_text, 24, seed, without);
        assert_int_equal(with[0].samples, without[0].samples);
        assert_memory_equal(with[0].value, without[0].value,
                            sizeof(double) * (size_t)(with[0].samples * with[0].count));
        for (int k = 0; k < 2; k++) {
            capture_free(&with[k]);
            capture_free(&without[k]);
        }
    }
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static ct_status add_page(flags_session *s, const char *folder, const char *leaves_out,
                          ct_error *err)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "{ \"cornerturn\": 1, \"stage\": \"six\", \"source\": \"six.cl\", \"entry\": \"six\",\n"
        "  \"ports\": { \"X\": { \"is\": \"in\", \"dims\": \"STC\", \"types\": \"f32\" },\n"
        "    \"Y\": { \"is\": \"out\", \"dims\": \"STC\", \"types\": \"f32\", \"group\": "
        "{ \"T\": 6 } } },\n  \"parallel\": \"C, T, S\", \"leaves_out\": %s }\n",
        leaves_out);
    put(folder, "six.json", text);
    snprintf(text, sizeof text, "%s/six.json", folder);
    return ct_context_add_file(s->context, text, err);
}

/* A stage of a page adds up what is there, as one of C does. */
static void a_page_leaves_out(void **state)
{
    static const char *const files[] = {"six.json", "six.cl"};
    char folder[] = "/tmp/ct_six_XXXXXX", path[64];
    ct_error err = {0};
    assert_non_null(mkdtemp(folder));
    put(folder, "six.cl",
        "kernel void six(CT_ARGS)\n"
        "{\n"
        "    if (CT_OUTSIDE) return;\n"
        "    float all = 0;\n"
        "    for (int k = 0; k < 6; k++)\n"
        "        all += X_LOAD(ID_S, ID_T * 6 + k, ID_C);\n"
        "    Y_SAVE(ID_S, ID_T, ID_C, all);\n"
        "}\n");
    assert_int_equal(add_page(*state, folder, "1", &err), CT_INVALID);
    assert_non_null(strstr(err.text, "six.json:4:"));
    assert_non_null(strstr(err.text, "/leaves_out: expected true or false, found "));
    err = (ct_error){0};
    if (add_page(*state, folder, "true", &err) != CT_OK) fail_msg("%s", err.text);
    check(*state, DATA NODE("a", "six", "data", "") FLAGS_SINKS("data", "a"), 6, 0, false);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

static int lent(flags_session *s, const char *nodes)
{
    char text[1024];
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_error err = {0};
    int count = 0;
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"nodes\": {%s}}", nodes);
    ct_status status = ct_graph_parse(&graph, s->context, text, "flags.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, s->device, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    for (int e = 0; e < plan->edge_count; e++) {
        const ct_edge *edge = &plan->edges[e];
        if (!edge->temporary) continue;
        assert_string_equal(edge->name, "data for a");
        assert_true(plan->slot_bytes[edge->slot] >= (int64_t)ct_array_bytes(&edge->array));
        count++;
    }
    ct_plan_free(plan);
    ct_graph_free(graph);
    return count;
}

/* Only where others read along, and something may be flagged. */
static void only_where_needed(void **state)
{
    static const char sum[] = DATA NODE("a", "test.sum", "data", "") FLAGS_SINKS("data", "a"),
                      sums[] = DATA NODE("a", "test.sum", "data", "")
                          NODE("b", "test.beam", "data", "") FLAGS_SINKS("b", "a"),
                      sky[] = "\"sky\": {\"stage\": \"source.simulate\", \"samples\": 960},"
                              "\"fir\": {\"stage\": \"fir\", \"input\": \"sky\", "
                              "\"channels\": 4, \"taps\": 2}," NODE("data", "fft", "fir", "")
                                  NODE("a", "detect", "data", "") FLAGS_SINKS("data", "a");
    assert_int_equal(lent(*state, sum), 1);
    assert_int_equal(lent(*state, sums), 0);
    assert_int_equal(lent(*state, sky), 0);
}

FLAGS_SESSION

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sink_beside_a_sum),
        cmocka_unit_test(sums_with_history),
        cmocka_unit_test(a_sink_beside_what_a_stage_flags),
        cmocka_unit_test(the_same_with_and_without),
        cmocka_unit_test(only_where_needed),
        cmocka_unit_test(a_page_leaves_out),
    };
    return cmocka_run_group_tests(tests, open_session, flags_close);
}
