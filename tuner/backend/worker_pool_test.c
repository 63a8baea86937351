/* worker_pool_test.c: workers that go through tasks side by side: a task stays with one worker,
 * nobody works beside a last stage, and what comes too late is not waited for. The workers are
 * shell scripts.
 * Room: tuner/backend. */
#include "clock.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "timing_rounds.h"
#include "worker.h"
#include "worker_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { TASKS = 12, WORKERS = 3 };

static const char *const script[] = {"bash", "-c",
                                     "while read -r question; do case $question in\n"
                                     "*build*) for i in 1 2 3 4 5; do sleep 0.01; done;;\n"
                                     "*hang*) sleep 1000;;\n"
                                     "*die*) exit 3;; esac\n"
                                     "echo '{\"status\": \"ok\", \"pid\": '$$'}'; done",
                                     NULL};

typedef struct fixture {
    ct_worker_pool *pool;
    int pid[TASKS]; /* who has built it */
    int worker[WORKERS], pids, jobs;
    int stage[TASKS], single, overtaken;
    int begun, built, answered, more;
} fixture;

static void open_fixture(fixture *f, int jobs)
{
    const ct_tune options = {.size = sizeof options, .worker = script, .jobs = jobs};
    *f = (fixture){.more = TASKS, .jobs = jobs};
    assert_int_equal(ct_worker_pool_new(&f->pool, NULL, &options, "{\"hello\": 1}", NULL), CT_OK);
}

static bool is_stopped(int pid)
{
    char name[64], line[256] = "";
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    FILE *file = fopen(name, "r");
    if (!file) return false;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    const char *state = strrchr(line, ')');
    return read && state && state[2] == 'T';
}

/* So many of them; a signal takes its time. */
static bool are_stopped_soon(const fixture *f, int wanted)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    int count = -1;
    for (int i = 0; i < 2000 && count != wanted; i++) {
        count = 0;
        for (int w = 0; w < f->pids; w++)
            count += is_stopped(f->worker[w]);
        nanosleep(&tick, NULL);
    }
    return count == wanted;
}

static ct_status make(void *of, int n, int stage, ct_text *request, ct_error *err)
{
    fixture *f = of;
    (void)err;
    if (stage == 1) {
        assert_int_equal(f->single, 0);
        f->single = 1;
        if (f->pids == f->jobs) assert_true(are_stopped_soon(f, f->begun - f->built));
    } else {
        f->begun++;
    }
    ct_text_add(request, stage == 0 ? "{\"build\": %d}" : "{\"time\": %d}", n);
    return CT_OK;
}

static ct_status answered(void *of, int n, int stage, const ct_value *answer, bool *done,
                          ct_error *err)
{
    fixture *f = of;
    const int pid = (int)ct_value_int(ct_value_get(answer, "pid"), 0);
    (void)done, (void)err;
    assert_int_equal(f->stage[n]++, stage);
    if (stage == 0) {
        f->overtaken += f->single; /* somebody has gone on beside a last stage */
        f->pid[n] = pid;
        f->built++;
        bool known = false;
        for (int i = 0; i < f->pids; i++)
            known |= f->worker[i] == pid;
        if (!known) f->worker[f->pids++] = pid;
        return CT_OK;
    }
    assert_int_equal(f->pid[n], pid);
    f->single = 0;
    f->answered++;
    return CT_OK;
}

static bool more(void *of, int n)
{
    return n < ((const fixture *)of)->more;
}

static void nobody_works_beside_a_last_stage(void **state)
{
    (void)state;
    for (int jobs = 1; jobs <= WORKERS; jobs++) {
        fixture f;
        open_fixture(&f, jobs);
        const ct_worker_tasks tasks = {.of = &f,
                                       .count = TASKS,
                                       .stages = 2,
                                       .make = make,
                                       .answered = answered,
                                       .more = more,
                                       .patience = {1, 1}};
        assert_int_equal(ct_worker_pool_each(f.pool, &tasks, NULL), CT_OK);
        assert_int_equal(f.answered, TASKS);
        assert_int_equal(f.overtaken, 0);
        assert_true(are_stopped_soon(&f, 0));
        const ct_worker_pool_spent spent = ct_worker_pool_account(f.pool);
        assert_true(spent.single > 0 && spent.shared > 0 && spent.working >= TASKS * 0.05);
        ct_worker_pool_free(f.pool);
    }
}

static void tasks_for_which_there_is_no_time_are_left(void **state)
{
    fixture f;
    (void)state;
    open_fixture(&f, 2);
    f.more = 5;
    const ct_worker_tasks tasks = {.of = &f,
                                   .count = TASKS,
                                   .stages = 2,
                                   .make = make,
                                   .answered = answered,
                                   .more = more,
                                   .patience = {1, 1}};
    assert_int_equal(ct_worker_pool_each(f.pool, &tasks, NULL), CT_OK);
    assert_int_equal(f.answered, 5);
    ct_worker_pool_free(f.pool);
}

static ct_status make_hang(void *of, int n, int stage, ct_text *request, ct_error *err)
{
    (void)of, (void)stage, (void)err;
    ct_text_add(request, n == 0 ? "{\"quick\": 1}" : "{\"hang\": 1}");
    return CT_OK;
}

static ct_status told_hang(void *of, int n, int stage, const ct_value *answer, bool *done,
                           ct_error *err)
{
    fixture *f = of;
    (void)stage, (void)done, (void)err;
    assert_string_equal(ct_value_text(ct_value_get(answer, "status"), ""), "ok");
    f->answered += n == 0;
    return CT_OK;
}

/* What it was at is forgotten, and the worker works again. */
static void what_comes_too_late_is_not_waited_for(void **state)
{
    fixture f;
    (void)state;
    open_fixture(&f, 2);
    const double from = ct_clock_now();
    ct_worker_tasks tasks = {.of = &f,
                             .count = 2,
                             .stages = 1,
                             .make = make_hang,
                             .answered = told_hang,
                             .patience = {1},
                             .until = from + 0.3};
    assert_int_equal(ct_worker_pool_each(f.pool, &tasks, NULL), CT_OK);
    assert_true(ct_clock_now() < from + 5);
    assert_int_equal(f.answered, 1);
    tasks.count = 1;
    tasks.until = 0;
    assert_int_equal(ct_worker_pool_each(f.pool, &tasks, NULL), CT_OK);
    assert_int_equal(f.answered, 2);
    ct_worker_pool_free(f.pool);
}

/* That time is not its own: it is not late for it, and it says nothing. */
static void one_that_is_stopped_is_not_late(void **state)
{
    int which;
    ct_value *answer = NULL;
    ct_worker *worker = NULL;
    (void)state;
    const ct_worker_start start = {.argv = script, .hello = "{\"hello\": 1}", .hello_s = 20};
    assert_int_equal(ct_worker_new(&worker, &start, NULL), CT_OK);
    assert_int_equal(ct_worker_send(worker, "build", 0.5, NULL), CT_OK);
    ct_worker_pause(worker);
    assert_int_equal(ct_worker_wait(&which, &answer, &worker, 1, 0.7, NULL), CT_OK);
    assert_int_equal(which, -1);
    ct_worker_resume(worker);
    assert_true(ct_worker_paused(worker) >= 0.7);
    assert_int_equal(ct_worker_wait(&which, &answer, &worker, 1, 20, NULL), CT_OK);
    assert_int_equal(which, 0);
    assert_string_equal(ct_value_text(ct_value_get(answer, "status"), ""), "ok");
    ct_value_free(answer);
    assert_int_equal(ct_worker_send(worker, "hang", 20, NULL), CT_OK);
    ct_worker_pause(worker);
    ct_worker_free(worker); /* it can be ended, too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_is_stopped_is_not_late),
                                       cmocka_unit_test(nobody_works_beside_a_last_stage),
                                       cmocka_unit_test(tasks_for_which_there_is_no_time_are_left),
                                       cmocka_unit_test(what_comes_too_late_is_not_waited_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
