/* run_streams_test.c: threads of sources and sinks: how far one reads ahead, who calls whom, which
 * failure is the first, and that a run ends while its source waits. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "stages_fixture.h"

enum { BLOCK = 4, BLOCKS = 6 };

/* What the stages do in a test, and what they have seen. */
static struct {
    int waits_at, source_fails_at, sink_fails_at; /* block; -1: never */
    bool slow_sink;
    int open_ms, read_ms; /* what these take */
    atomic_int reads, writes;
    pthread_t reader, writer;
    const ct_step *step;
} now;

static void pause_ms(long ms)
{
    const struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

static ct_status source_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_add(out, 'T', 0);
    out->meta.total = -1;
    return CT_OK;
}

static ct_status any_open(ct_step *step, void **state, ct_error *err)
{
    (void)err;
    *state = &now;
    pause_ms(now.open_ms);
    if (step->stage->ports[0].direction == CT_OUT) now.step = step;
    return CT_OK;
}

static ct_status source_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                             ct_error *err)
{
    const int number = atomic_load(&now.reads);
    (void)state, (void)flags;
    now.reader = pthread_self();
    pause_ms(now.read_ms);
    while (number == now.waits_at) {
        pause_ms(1);
        if (ct_step_stopped(now.step)) return CT_INTERRUPTED;
    }
    if (number == now.source_fails_at)
        return ct_error_add(err, CT_DATA, "the source fails at %d", number);
    for (int64_t t = 0; t < BLOCK; t++)
        ct_array_save(block, block->offset + t, (double)(number * BLOCK + t), 0);
    *got = number < BLOCKS ? BLOCK : 0;
    atomic_fetch_add(&now.reads, 1);
    return CT_OK;
}

static ct_status sink_write(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    const int number = atomic_load(&now.writes);
    (void)state;
    now.writer = pthread_self();
    if (now.slow_sink) pause_ms(20);
    if (number == now.sink_fails_at)
        return ct_error_add(err, CT_DATA, "the sink fails at %d", number);
    for (int64_t t = first; t < first + count; t++)
        if ((int)ct_array_load(block, block->offset + t).re != number * BLOCK + (int)t)
            return ct_error_add(err, CT_MISMATCH, "block %d: wrong at %d", number, (int)t);
    atomic_fetch_add(&now.writes, 1);
    return CT_OK;
}

#define STAGES(suffix, with)                                                                       \
    {.api = CT_API,                                                                                \
     .name = "test.source" suffix,                                                                 \
     .infer = source_infer,                                                                        \
     .io = {.open = any_open, .read = source_read},                                                \
     .traits = with,                                                                               \
     .ports = {{"Y", CT_OUT, 0, "T", "f32", "*", NULL, NULL}}},                                    \
    {                                                                                              \
        .api = CT_API, .name = "test.sink" suffix, .io = {.open = any_open, .write = sink_write},  \
        .traits = with, .ports = {                                                                 \
            {"X", CT_IN, 0, "T", "f32", "*", NULL, NULL}                                           \
        }                                                                                          \
    }

static const ct_stage stages[] = {STAGES("", CT_STAGE_THREAD), STAGES(".here", 0)};

static int open_all(void **state)
{
    const ct_stage *list[sizeof stages / sizeof *stages + 1] = {NULL};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        list[i] = &stages[i];
    return fixture_open(state, list);
}

/* A source and two sinks of one array. */
static ct_run *begin(fixture *f, const char *suffix)
{
    char text[512];
    ct_error err = {0};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    memset(&now, 0, sizeof now);
    now.waits_at = now.source_fails_at = now.sink_fails_at = -1;
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"in\": {\"stage\": "
             "\"test.source%s\"}, \"out\": {\"stage\": \"test.sink%s\", \"input\": \"in\"}}}",
             BLOCK, suffix, suffix);
    ct_status status = ct_graph_parse(&graph, f->context, text, "test.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, f->device, &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, f->device, &err);
    if (status != CT_OK) print_error("%s\n", err.text);
    assert_int_equal(status, CT_OK);
    ct_plan_free(plan);
    ct_graph_free(graph);
    return run;
}

static ct_status all_blocks(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    while (status == CT_OK)
        status = ct_run_block(run, err);
    return status == CT_EOF ? ct_run_finish(run, err) : status;
}

static void until_reads(int count)
{
    for (int i = 0; i < 5000 && atomic_load(&now.reads) < count; i++)
        pause_ms(1);
}

static void one_block_is_read_ahead(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, "");
    assert_int_equal(ct_run_block(run, &err), CT_OK);
    until_reads(2);
    pause_ms(20);
    assert_int_equal(atomic_load(&now.reads), 2);
    assert_int_equal(all_blocks(run, &err), CT_OK);
    assert_int_equal(atomic_load(&now.writes), BLOCKS);
    assert_false(pthread_equal(now.reader, pthread_self()));
    assert_false(pthread_equal(now.writer, pthread_self()));
    assert_false(pthread_equal(now.writer, now.reader));
    ct_run_free(run);
}

static void without_the_trait_nothing_is_called_elsewhere(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, ".here");
    assert_int_equal(ct_run_block(run, &err), CT_OK);
    assert_int_equal(atomic_load(&now.reads), 1);
    assert_int_equal(atomic_load(&now.writes), 1);
    assert_int_equal(all_blocks(run, &err), CT_OK);
    assert_int_equal(atomic_load(&now.writes), BLOCKS);
    assert_true(pthread_equal(now.reader, pthread_self()));
    assert_true(pthread_equal(now.writer, pthread_self()));
    ct_run_free(run);
}

/* The sink is slow, so that the source fails first by the clock. */
static void the_failure_of_the_earlier_block_counts(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, "");
    now.slow_sink = true;
    now.sink_fails_at = 2;
    now.source_fails_at = 3;
    assert_int_equal(all_blocks(run, &err), CT_DATA);
    assert_string_equal(err.text, "the sink fails at 2");
    ct_run_free(run);
    run = begin(*state, "");
    now.source_fails_at = 3;
    err = (ct_error){0};
    assert_int_equal(all_blocks(run, &err), CT_DATA);
    assert_string_equal(err.text, "the source fails at 3");
    assert_int_equal(atomic_load(&now.writes), 3);
    ct_run_free(run);
}

static void the_last_block_may_fail(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, "");
    now.slow_sink = true;
    now.sink_fails_at = BLOCKS - 1;
    assert_int_equal(all_blocks(run, &err), CT_DATA);
    assert_string_equal(err.text, "the sink fails at 5");
    ct_run_free(run);
}

/* Nobody wants the block that is being read. */
static void a_run_ends_while_its_source_waits(void **state)
{
    ct_error err = {0};
    ct_run *run = begin(*state, "");
    now.waits_at = 2;
    assert_int_equal(ct_run_block(run, &err), CT_OK);
    assert_int_equal(ct_run_block(run, &err), CT_OK);
    assert_int_equal(ct_run_finish(run, &err), CT_OK);
    assert_int_equal(atomic_load(&now.writes), 2);
    ct_run_free(run);
    run = begin(*state, "");
    now.waits_at = 2;
    assert_int_equal(ct_run_block(run, &err), CT_OK);
    ct_run_free(run);
}

static void *cancel_soon(void *run)
{
    pause_ms(20);
    ct_run_cancel(run);
    return NULL;
}

static void who_cancels_wakes_the_source(void **state)
{
    ct_error err = {0};
    pthread_t other;
    ct_run *run = begin(*state, "");
    now.waits_at = 2;
    assert_int_equal(pthread_create(&other, NULL, cancel_soon, run), 0);
    assert_int_equal(all_blocks(run, &err), CT_INTERRUPTED);
    assert_string_equal(err.text, "interrupted: no output was written");
    pthread_join(other, NULL);
    ct_run_free(run);
}

/* What the trace says of all blocks, in seconds. */
typedef struct traced {
    double wall, source, sink, rest;
} traced;

static traced trace_of(const ct_run *run)
{
    char *json = NULL;
    ct_value *all = NULL;
    assert_int_equal(ct_run_trace(&json, run, CT_FORM_JSON, NULL), CT_OK);
    assert_int_equal(ct_value_parse(&all, json, "the trace", NULL), CT_OK);
    const ct_value *steps = ct_value_get(all, "steps");
    const traced found = {
        ct_value_real(ct_value_get(all, "wall_s"), 0),
        ct_value_real(ct_value_get(ct_value_at(steps, 0), "held_s"), 0),
        ct_value_real(ct_value_get(ct_value_at(steps, 1), "held_s"), 0),
        ct_value_real(ct_value_get(all, "rest_s"), 0),
    };
    ct_value_free(all);
    free(json);
    return found;
}

typedef struct slow_case {
    int open_ms, read_ms;
    bool slow_sink;
    double source, sink; /* at least */
} slow_case;

static traced trace_slow(fixture *f, const char *suffix, const slow_case *slow)
{
    ct_error err = {0};
    ct_run *run = begin(f, suffix);
    now.open_ms = slow->open_ms;
    now.read_ms = slow->read_ms;
    now.slow_sink = slow->slow_sink;
    assert_int_equal(all_blocks(run, &err), CT_OK);
    const traced t = trace_of(run);
    assert_true(t.source >= 0.9 * slow->source);
    assert_true(t.sink >= 0.9 * slow->sink);
    assert_true(fabs(t.source + t.sink + t.rest - t.wall) < 0.01 * t.wall);
    ct_run_free(run);
    return t;
}

/* A source that makes its data in open(), and one that makes them in its thread, have a row for
 * that; so has a sink that is slow, as far as the run waits for it. The rows are the time of the
 * blocks; that of source and sink is nearly all here, where a machine with other work lets the run
 * have its core. */
static void the_trace_adds_up_to_the_blocks(void **state)
{
    static const slow_case cases[] = {{200, 0, false, 0.2, 0.2},
                                      {0, 40, false, 0.04 * BLOCKS, 0},
                                      {0, 0, true, 0, 0.02 * BLOCKS},
                                      {50, 60, true, 0.05 + 0.06 * BLOCKS, 0.05}};
    static const char *const suffixes[] = {"", ".here"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases * 2; i++) {
        double most = 0;
        for (int again = 0; again < 8 && most < 0.8; again++) {
            const traced t = trace_slow(*state, suffixes[i % 2], &cases[i / 2]);
            most = fmax(most, (t.source + t.sink) / t.wall);
        }
        assert_true(most > 0.6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_is_read_ahead),
        cmocka_unit_test(without_the_trait_nothing_is_called_elsewhere),
        cmocka_unit_test(the_failure_of_the_earlier_block_counts),
        cmocka_unit_test(the_last_block_may_fail),
        cmocka_unit_test(a_run_ends_while_its_source_waits),
        cmocka_unit_test(the_trace_adds_up_to_the_blocks),
        cmocka_unit_test(who_cancels_wakes_the_source)};
    return cmocka_run_group_tests(tests, open_all, fixture_close);
}
