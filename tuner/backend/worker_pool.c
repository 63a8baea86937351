/* worker_pool.c: see worker_pool.h.
 * Room: tuner/backend. */
#include "worker_pool.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "memory.h"
#include "timing_rounds.h"
#include "worker.h"

#define POOL_TIMEOUT 30.0
enum { POOL_MOST = 16 };

struct ct_worker_pool {
    ct_worker *worker[POOL_MOST];
    int count;
    double timeout_s;
    ct_worker_pool_spent spent;
};

static int pool_workers(const ct_tune *options)
{
    const int64_t cores = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t jobs = options->jobs > 0 ? options->jobs : cores;
    if (!options->worker) return 1; /* this process */
    return jobs < 1 ? 1 : jobs > POOL_MOST ? POOL_MOST : (int)jobs;
}

ct_status ct_worker_pool_new(ct_worker_pool **out, ct_context *context, const ct_tune *options,
                             const char *hello, ct_error *err)
{
    ct_status status = CT_OK;
    ct_worker_pool *pool = ct_memory_get(sizeof *pool);
    CT_NEED(pool, sizeof *pool, err);
    pool->timeout_s = options->timeout_s > 0 ? options->timeout_s : POOL_TIMEOUT;
    const ct_worker_start start = {options->worker, context, hello, 4 * pool->timeout_s};
    for (; pool->count < pool_workers(options); pool->count++)
        CT_TRY(ct_worker_new(&pool->worker[pool->count], &start, err));
out:
    if (status != CT_OK) {
        ct_worker_pool_free(pool);
        pool = NULL;
    }
    *out = pool;
    return status;
}

void ct_worker_pool_free(ct_worker_pool *pool)
{
    if (!pool) return;
    for (int i = 0; i < pool->count; i++)
        ct_worker_free(pool->worker[i]);
    ct_memory_free(pool);
}

int ct_worker_pool_count(const ct_worker_pool *pool)
{
    return pool->count;
}

ct_status ct_worker_pool_hello(ct_worker_pool *pool, const ct_value **answer, ct_error *err)
{
    const ct_status status = ct_worker_ready(pool->worker[0], err);
    *answer = ct_worker_about(pool->worker[0]);
    return status;
}

ct_status ct_worker_pool_ask(ct_worker_pool *pool, const char *request, double patience,
                             ct_value **answer, ct_error *err)
{
    const double from = ct_clock_now();
    const ct_status status =
        ct_worker_ask(answer, pool->worker[0], request, patience * pool->timeout_s, err);
    pool->spent.asked += ct_clock_now() - from;
    return status;
}

ct_status ct_worker_pool_renew(ct_worker_pool *pool, ct_error *err)
{
    ct_worker_stop(pool->worker[0]);
    return ct_worker_ready(pool->worker[0], err);
}

ct_worker_pool_spent ct_worker_pool_account(const ct_worker_pool *pool)
{
    return pool->spent;
}

/* ---- many tasks */

/* Where a worker is with its task. */
typedef struct pool_slot {
    int task; /* -1: none */
    int stage;
    bool asked;  /* the stage's answer is not there yet */
    double from; /* when it was asked */
} pool_slot;

typedef struct pool_each {
    ct_worker_pool *pool;
    const ct_worker_tasks *tasks;
    int next;   /* task */
    int single; /* the worker at a last stage; -1: none */
    bool late;  /* no further task is begun */
    pool_slot post[POOL_MOST];
} pool_each;

static double *pool_spent(const pool_each *each)
{
    ct_worker_pool_spent *spent = &each->pool->spent;
    return each->single < 0 ? &spent->shared : &spent->single;
}

static ct_status pool_send(pool_each *each, int w, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text request = {0};
    const ct_worker_tasks *tasks = each->tasks;
    pool_slot *post = &each->post[w];
    post->from = ct_clock_now();
    CT_TRY(tasks->make(tasks->of, post->task, post->stage, &request, err));
    CT_TRY(ct_worker_send(each->pool->worker[w], request.data,
                          tasks->patience[post->stage] * each->pool->timeout_s, err));
    post->asked = true;
    *pool_spent(each) += ct_clock_now() - post->from; /* a worker without a process is done then */
out:
    ct_text_free(&request);
    return status;
}

static void pool_pause(const pool_each *each, bool pause)
{
    for (int w = 0; w < each->pool->count; w++) {
        if (w == each->single) continue;
        if (!pause)
            ct_worker_resume(each->pool->worker[w]);
        else if (each->post[w].asked)
            ct_worker_pause(each->pool->worker[w]);
    }
}

/* A worker that waits for its last stage comes first, and works by itself; otherwise each worker
 * that has nothing to do takes the next task. */
static ct_status pool_deal(pool_each *each, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_worker_tasks *tasks = each->tasks;
    for (int w = 0; w < each->pool->count && each->single < 0; w++) {
        pool_slot *post = &each->post[w];
        if (post->task < 0 || post->asked) continue;
        each->single = w;
        pool_pause(each, true);
        CT_TRY(pool_send(each, w, err));
    }
    for (int w = 0; w < each->pool->count && each->single < 0; w++) {
        pool_slot *post = &each->post[w];
        if (post->task >= 0 || each->next >= tasks->count || each->late) continue;
        each->late = tasks->more && !tasks->more(tasks->of, each->next);
        if (each->late) break;
        *post = (pool_slot){.task = each->next++};
        CT_TRY(pool_send(each, w, err));
    }
out:
    return status;
}

static int pool_at_work(const pool_each *each)
{
    int count = 0;
    for (int w = 0; w < each->pool->count; w++)
        count += each->post[w].task >= 0;
    return count;
}

static ct_status pool_told(pool_each *each, int w, const ct_value *answer, ct_error *err)
{
    bool done = false;
    const ct_worker_tasks *tasks = each->tasks;
    pool_slot *post = &each->post[w];
    const int task = post->task, stage = post->stage++;
    post->asked = false;
    if (w == each->single) {
        each->single = -1;
        pool_pause(each, false);
    } else {
        each->pool->spent.working +=
            ct_clock_now() - post->from - ct_worker_paused(each->pool->worker[w]);
    }
    const ct_status status = tasks->answered(tasks->of, task, stage, answer, &done, err);
    if (done || post->stage == tasks->stages) post->task = -1;
    return status;
}

/* The next answer, if it comes in time. */
static ct_status pool_wait(pool_each *each, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *answer = NULL;
    int which = -1;
    const double from = ct_clock_now(), until = each->tasks->until;
    const double most = until > 0 ? until - from : 2 * each->pool->timeout_s;
    CT_TRY(ct_worker_wait(&which, &answer, each->pool->worker, each->pool->count,
                          most > 0 ? most : 0, err));
    *pool_spent(each) += ct_clock_now() - from;
    if (which >= 0) CT_TRY(pool_told(each, which, answer, err));
out:
    ct_value_free(answer);
    return status;
}

/* Ends workers that still have a question. */
static void pool_leave(pool_each *each)
{
    for (int w = 0; w < each->pool->count; w++)
        if (each->post[w].asked) ct_worker_stop(each->pool->worker[w]);
    pool_pause(each, false);
}

ct_status ct_worker_pool_each(ct_worker_pool *pool, const ct_worker_tasks *tasks, ct_error *err)
{
    ct_status status = CT_OK;
    pool_each each = {.pool = pool, .tasks = tasks, .single = -1};
    for (int w = 0; w < pool->count; w++)
        each.post[w].task = -1;
    for (;;) {
        CT_TRY(pool_deal(&each, err));
        if (pool_at_work(&each) == 0) break;
        CT_TRY(pool_wait(&each, err));
        if (tasks->until > 0 && ct_clock_now() >= tasks->until) break;
    }
out:
    pool_leave(&each);
    return status;
}
