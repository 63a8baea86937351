/* caller_test.c: source.caller and sink.caller: what a program brings and takes is what files would
 * hold, whatever the block, the layout, and who says how long it is. */
#include "caller.h"

enum { SAMPLES = 960, POLS = 3, UNIT = 2 * POLS }; /* ci8 */

#define P3 ", \"sizes\": {\"P\": 3}"

static char data[SAMPLES * UNIT];

static void open_pipeline(contract *c, int block, const char *source)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {"
             "\"in\": {\"stage\": \"source.caller\", \"dims\": \"TP\", \"type\": \"ci8\", "
             "\"sample_time_s\": 1e-3%s},"
             "\"raw\": {\"stage\": \"sink.raw\", \"input\": \"in\", \"file\": \"raw.raw\", "
             "\"layout\": \"TP\"},"
             "\"rows\": {\"stage\": \"sink.raw\", \"input\": \"in\", \"file\": "
             "\"rows.raw\", \"layout\": \"PT\"},"
             "\"out\": {\"stage\": \"sink.caller\", \"input\": \"in\"}}}",
             block, source);
    contract_open(c, text);
}

/* Runs it on `count` samples; `expected` come out. */
static void expect(int block, const char *source, int64_t count, int64_t expected, int calls)
{
    contract c;
    char taken[sizeof data] = {0}, rows[sizeof data];
    caller_samples from = {.data = data, .count = count}, to = {.taken = taken, .count = expected};
    open_pipeline(&c, block, source);
    caller_bind(c.run, "in", &from);
    caller_bind(c.run, "out", &to);
    caller_run(c.run);
    assert_int_equal(to.at, expected);
    assert_int_equal(from.calls, calls);
    assert_memory_equal(taken, data, (size_t)expected * UNIT);
    caller_compare(&c, "raw.raw", data, (size_t)expected * UNIT);
    for (int64_t t = 0; t < expected; t++)
        for (int64_t p = 0; p < POLS; p++)
            memcpy(&rows[2 * (p * expected + t)], &data[2 * (t * POLS + p)], 2);
    caller_compare(&c, "rows.raw", rows, (size_t)expected * UNIT);
    contract_close(&c);
}

/* More than a file has room for: it grows as it comes. */
static void promises_beyond_files(void **state)
{
    (void)state;
    expect(150, P3 ", \"samples\": 1000000000000000000", SAMPLES, SAMPLES, 7);
}

/* 960 samples: 7 blocks of 150, 15 of 64, one that is just so long, one that is longer. */
static void blocks_and_lengths(void **state)
{
    static const int blocks[] = {150, 64, 960, 1000}, known[] = {7, 15, 1, 1};
    static const int unknown[] = {7, 16, 2,
                                  1}; /* the end is found out where the last one was full */
    (void)state;
    for (int i = 0; i < 4; i++) {
        expect(blocks[i], P3 ", \"samples\": 960", SAMPLES, SAMPLES, known[i]);
        expect(blocks[i], P3, SAMPLES, SAMPLES, unknown[i]);
    }
    expect(64, ", \"sizes\": {\"P\": 3, \"T\": 960}", SAMPLES, SAMPLES, 15);
}

static void layouts(void **state)
{
    (void)state;
    expect(150, P3 ", \"layout\": \"PT\"", SAMPLES, SAMPLES, 7);
    expect(150, P3 ", \"layout\": \"TP\"", SAMPLES, SAMPLES, 7);
}

/* What is promised is not exceeded, and who gives less than a block is not asked again. */
static void promises(void **state)
{
    (void)state;
    expect(150, P3 ", \"samples\": 900", SAMPLES, 900, 6);
    expect(150, P3 ", \"samples\": 800", SAMPLES, 800, 6);
    expect(150, P3 ", \"samples\": 960", 500, 500, 4);
    expect(150, P3, 0, 0, 1);
}

static void lengths_are_listed(void **state)
{
    contract c;
    (void)state;
    open_pipeline(&c, 150, P3);
    assert_int_equal(ct_step_array(ct_graph_step_at(c.graph, 0), "Y")->meta.total, -1);
    contract_close(&c);
    open_pipeline(&c, 150, P3 ", \"samples\": 7000000000000");
    assert_true(ct_step_array(ct_graph_step_at(c.graph, 0), "Y")->meta.total == 7000000000000);
    contract_close(&c);
}

static int hidden_files(const contract *c)
{
    int count = 0;
    DIR *folder = opendir(c->folder);
    for (struct dirent *file; (file = readdir(folder)) != NULL;)
        count += strncmp(file->d_name, ".cornerturn", 11) == 0;
    closedir(folder);
    return count;
}

/* Said of both, before any file is made; then there is still time to bind them. */
static void nothing_is_bound(void **state)
{
    contract c;
    char taken[sizeof data];
    caller_samples from = {.data = data, .count = SAMPLES}, to = {.taken = taken, .count = SAMPLES};
    ct_error err = {0}, again = {0}, one = {0};
    (void)state;
    open_pipeline(&c, 150, P3);
    assert_int_equal(ct_run_block(c.run, &err), CT_USAGE);
    assert_int_equal(err.count, 2);
    assert_non_null(strstr(err.text,
                           "node \"in\": nothing is bound to this source.caller: expected "
                           "ct_run_bind to give it a read() before the first block"));
    assert_non_null(strstr(err.text, "node \"out\": nothing is bound to this sink.caller: expected "
                                     "ct_run_bind to give it a write() before the first block"));
    assert_int_equal(hidden_files(&c), 0);
    caller_bind(c.run, "in", &from);
    assert_int_equal(ct_run_block(c.run, &one), CT_USAGE);
    assert_int_equal(one.count, 1);
    assert_int_equal(from.calls, 0);
    assert_int_equal(ct_run_finish(c.run, &again), CT_USAGE);
    assert_string_equal(again.text, one.text);
    assert_int_equal(contract_files(&c) + hidden_files(&c), 0);
    contract_close(&c);
    open_pipeline(&c, 150, P3);
    assert_int_equal(ct_run_block(c.run, &err), CT_USAGE);
    caller_bind(c.run, "in", &from);
    caller_bind(c.run, "out", &to);
    caller_run(c.run);
    assert_int_equal(to.at, SAMPLES);
    contract_close(&c);
}

/* A stream without an end: what it takes stays as it was, until somebody stops it. */
static void without_an_end(void **state)
{
    contract c;
    char taken[SAMPLES * UNIT];
    caller_samples from = {.data = data, .count = SAMPLES}, to = {.taken = taken, .count = SAMPLES};
    ct_error err = {0};
    ct_progress all = {.size = sizeof all};
    (void)state;
    open_pipeline(&c, 96, P3);
    caller_bind(c.run, "in", &from);
    caller_bind(c.run, "out", &to);
    for (int block = 0; block < 1000; block++) {
        contract_must(ct_run_block(c.run, &err), &err);
        from.at %= SAMPLES;
        to.at %= SAMPLES;
    }
    contract_must(ct_run_progress(c.run, &all, &err), &err);
    assert_int_equal(all.block, 1000);
    assert_int_equal(all.blocks, -1);
    assert_memory_equal(taken, data, sizeof data);
    ct_run_cancel(c.run);
    assert_int_equal(ct_run_block(c.run, &err), CT_INTERRUPTED);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_lengths),
        cmocka_unit_test(layouts),
        cmocka_unit_test(promises),
        cmocka_unit_test(lengths_are_listed),
        cmocka_unit_test(promises_beyond_files),
        cmocka_unit_test(nothing_is_bound),
        cmocka_unit_test(without_an_end),
    };
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 37 + i / 251);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
