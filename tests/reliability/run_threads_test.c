/* run_threads_test.c: what is said of threads in cornerturn.h: devices are opened by several at
 * once, from the first in the process on; each has a run, of its own plan or of one plan; one stops
 * another's. A sanitizer for threads finds nothing in our own code. Room: tests. Knows only
 * cornerturn.h. */
#include "capture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { OPENERS = 8, RUNS = 2 };

/* A block has 15 spectra, which the FFT's tiles do not divide. */
static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {"
    "  \"radio\": { \"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 36000 },"
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"radio\", \"channels\": 24, \"taps\": 4 },"
    "  \"fft\": { \"stage\": \"fft\", \"input\": \"fir\","
    "           \"layout\": { \"write\": \"SPCT\" }, \"tunables\": { \"TILE_SPT\": 4 } },"
    "  \"out\": { \"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"never-written\" } },"
    "  \"block\": { \"T\": 360 } }";

/* What a thread does, and what came of it: assertions are the first thread's. */
typedef struct job {
    void (*work)(struct job *);
    pthread_barrier_t *start, *stopped;
    const ct_plan *plan; /* of the runs that share one */
    ct_run *run;
    ct_device *device;
    capture out;
    int blocks; /* that reached the sink */
    ct_status status;
    ct_error err;
} job;

static void *job_start(void *argument)
{
    job *one = argument;
    pthread_barrier_wait(one->start);
    one->work(one);
    return NULL;
}

/* All at once. */
static void jobs_run(job *jobs, unsigned count)
{
    pthread_barrier_t start;
    pthread_t thread[OPENERS];
    pthread_barrier_init(&start, NULL, count);
    for (unsigned i = 0; i < count; i++) {
        jobs[i].start = &start;
        if (pthread_create(&thread[i], NULL, job_start, &jobs[i]) != 0) abort();
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&start);
}

static void work_open(job *one)
{
    char *list = NULL;
    one->status = ct_device_open(&one->device, NULL, &one->err);
    if (one->status == CT_OK) one->status = ct_describe_devices(&list, CT_FORM_TEXT, &one->err);
    free(list);
}

typedef struct shared {
    ct_context *context;
    ct_graph *graph;
    ct_device *device;
    ct_plan *plan;
} shared;

static ct_status shared_make(shared *one, ct_error *err)
{
    ct_status status = ct_context_open(&one->context, err);
    if (status == CT_OK)
        status = ct_graph_parse(&one->graph, one->context, pipeline, "p", NULL, err);
    if (status == CT_OK) status = ct_device_open(&one->device, NULL, err);
    if (status == CT_OK) status = ct_plan_default(&one->plan, one->graph, one->device, err);
    return status;
}

static void shared_free(shared *one)
{
    ct_plan_free(one->plan);
    ct_device_free(one->device);
    ct_graph_free(one->graph);
    ct_context_free(one->context);
}

static void work_shared(job *one)
{
    static const char *const sinks[] = {"out", NULL};
    one->status = ct_run_new(&one->run, one->plan, one->device, &one->err);
    if (one->status == CT_OK) one->status = capture_blocks(one->run, sinks, &one->out, &one->err);
    ct_run_free(one->run);
}

/* All of its own. */
static void work_run(job *one)
{
    shared own = {0};
    one->status = shared_make(&own, &one->err);
    one->plan = own.plan;
    one->device = own.device;
    if (one->status == CT_OK) work_shared(one);
    shared_free(&own);
}

/* In the middle of the stream, and of a block. */
static ct_status write_stopped(void *state, const ct_array *block, int64_t first, int64_t count,
                               ct_error *err)
{
    job *one = state;
    (void)block, (void)first, (void)count, (void)err;
    for (int i = 0; one->blocks == 0 && i < 2; i++) /* here, and stopped */
        pthread_barrier_wait(one->stopped);
    one->blocks++;
    return CT_OK;
}

static void work_until_stopped(job *one)
{
    while (one->status == CT_OK)
        one->status = ct_run_block(one->run, &one->err);
}

static void work_stop(job *one)
{
    pthread_barrier_wait(one->stopped);
    ct_run_cancel(one->run);
    pthread_barrier_wait(one->stopped);
}

static void jobs_same(job *jobs)
{
    for (int i = 0; i < RUNS; i++) {
        if (jobs[i].status != CT_OK) fail_msg("%s", jobs[i].err.text);
        assert_true(jobs[i].out.samples > 0);
        assert_int_equal(jobs[i].out.samples, jobs[0].out.samples);
        assert_memory_equal(jobs[i].out.value, jobs[0].out.value,
                            sizeof(double) * 2 * (size_t)(jobs[0].out.samples * jobs[0].out.count));
    }
    for (int i = 0; i < RUNS; i++)
        capture_free(&jobs[i].out);
}

/* ---------------------------------------------------------------- the tests */

/* This comes first: nothing has asked for a device in this process. */
static void test_several_threads_open_the_first_device(void **state)
{
    job jobs[OPENERS] = {{0}};
    (void)state;
    for (int i = 0; i < OPENERS; i++)
        jobs[i].work = work_open;
    jobs_run(jobs, OPENERS);
    for (int i = 0; i < OPENERS; i++) {
        if (jobs[i].status != jobs[0].status) fail_msg("%s%s", jobs[0].err.text, jobs[i].err.text);
        ct_device_free(jobs[i].device);
    }
    if (jobs[0].status != CT_OK) skip();
}

static void test_two_threads_have_a_run_each(void **state)
{
    job jobs[RUNS] = {{.work = work_run}, {.work = work_run}};
    (void)state;
    jobs_run(jobs, RUNS);
    jobs_same(jobs);
}

static void test_two_threads_run_one_plan(void **state)
{
    shared of = {0};
    ct_error err = {0};
    job jobs[RUNS] = {{0}};
    (void)state;
    if (shared_make(&of, &err) != CT_OK) fail_msg("%s", err.text);
    for (int i = 0; i < RUNS; i++)
        jobs[i] = (job){.work = work_shared, .plan = of.plan, .device = of.device};
    jobs_run(jobs, RUNS);
    jobs_same(jobs);
    shared_free(&of);
}

static void test_one_thread_stops_anothers_run(void **state)
{
    shared of = {0};
    ct_error err = {0};
    pthread_barrier_t stopped;
    ct_run *run = NULL;
    (void)state;
    if (shared_make(&of, &err) != CT_OK) fail_msg("%s", err.text);
    pthread_barrier_init(&stopped, NULL, RUNS);
    assert_int_equal(ct_run_new(&run, of.plan, of.device, &err), CT_OK);
    job jobs[RUNS] = {{.work = work_until_stopped, .run = run, .stopped = &stopped},
                      {.work = work_stop, .run = run, .stopped = &stopped}};
    const ct_io io = {sizeof io, &jobs[0], NULL, write_stopped, NULL};
    assert_int_equal(ct_run_bind(run, "out", &io, &err), CT_OK);
    jobs_run(jobs, RUNS);
    assert_int_equal(jobs[0].status, CT_INTERRUPTED);
    assert_int_equal(jobs[0].blocks, 1);
    pthread_barrier_destroy(&stopped);
    ct_run_free(run);
    shared_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_threads_open_the_first_device),
        cmocka_unit_test(test_two_threads_have_a_run_each),
        cmocka_unit_test(test_two_threads_run_one_plan),
        cmocka_unit_test(test_one_thread_stops_anothers_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
