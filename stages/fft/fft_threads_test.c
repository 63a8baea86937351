/* fft_threads_test.c: threads get cores of their own although the one that starts them is pinned.
 * Room: stages/fft, tests. */
#define _GNU_SOURCE 1 /* cpu_set_t */
#include "fft_threads.h"
#include "stage.h"
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

extern const ct_stage ct_stage_fft;

enum { FEW = 3 };

typedef struct seen {
    cpu_set_t cores[FFT_THREADS]; /* that the job of this number may use */
    int runs[FFT_THREADS];
} seen;

static void look(void *of, int number)
{
    seen *at = of;
    at->runs[number]++;
    sched_getaffinity(0, sizeof at->cores[number], &at->cores[number]);
}

typedef struct caller {
    ct_step *step;
    int core, count; /* core -1: not pinned */
    seen at;
} caller;

/* As a driver's thread: pinned, and not the first of the process. */
static void *call(void *argument)
{
    caller *one = argument;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (one->core >= 0) CPU_SET(one->core, &own);
    if (one->core >= 0) sched_setaffinity(0, sizeof own, &own);
    ct_fft_threads_run(ct_fft_threads_new(one->step, one->count), look, &one->at);
    return NULL;
}

static void call_from(caller *one, int core, int count)
{
    pthread_t thread;
    stage_case fft;
    stage_make(&fft, &ct_stage_fft, "{}", "S=1 P=1 T=1 C=4", CT_CF32);
    *one = (caller){.step = fft.step, .core = core, .count = count};
    assert_int_equal(pthread_create(&thread, NULL, call, one), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = 0; i < FFT_THREADS; i++)
        assert_int_equal(one->at.runs[i], i < count);
    stage_free(&fft);
}

static int process_cores(cpu_set_t *cores)
{
    CPU_ZERO(cores);
    assert_int_equal(sched_getaffinity(0, sizeof *cores, cores), 0);
    return CPU_COUNT(cores);
}

/* No core is taken twice as long as there are others. */
static void test_a_pinned_caller_gets_help_from_the_other_cores(void **state)
{
    cpu_set_t cores, taken;
    caller one;
    int count = process_cores(&cores), first = 0;
    (void)state;
    if (count > FFT_THREADS) skip();
    while (!CPU_ISSET(first, &cores))
        first++;
    call_from(&one, first, count);
    CPU_ZERO(&taken);
    for (int i = 0; i < count; i++) {
        assert_int_equal(CPU_COUNT(&one.at.cores[i]), 1);
        CPU_OR(&taken, &taken, &one.at.cores[i]);
    }
    assert_true(CPU_EQUAL(&taken, &cores));
}

static void test_more_threads_than_cores_go_round(void **state)
{
    cpu_set_t cores;
    caller one;
    int count = process_cores(&cores) + FEW, first = 0;
    (void)state;
    if (count > FFT_THREADS) skip();
    while (!CPU_ISSET(first, &cores))
        first++;
    call_from(&one, first, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(CPU_COUNT(&one.at.cores[i]), 1);
}

static void test_threads_of_a_free_caller_are_free(void **state)
{
    cpu_set_t cores;
    caller one;
    (void)state;
    process_cores(&cores);
    call_from(&one, -1, FEW);
    for (int i = 0; i < FEW; i++)
        assert_true(CPU_EQUAL(&one.at.cores[i], &cores));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pinned_caller_gets_help_from_the_other_cores),
        cmocka_unit_test(test_more_threads_than_cores_go_round),
        cmocka_unit_test(test_threads_of_a_free_caller_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
