/* crew.c: see crew.h.
 * Room: tuner/pipeline. */
#include "crew.h"

#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "memory.h"
#include "worker.h"

#define CREW_TIMEOUT 30.0
enum { CREW_MOST = 16 };

struct ct_crew {
    ct_worker *worker[CREW_MOST];
    int count;
    double timeout_s;
    ct_crew_spent spent;
};

static int crew_workers(const ct_tune *options)
{
    const int64_t cores = (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t jobs = options->jobs > 0 ? options->jobs : cores;
    if (!options->worker) return 1; /* this process */
    return jobs < 1 ? 1 : jobs > CREW_MOST ? CREW_MOST : (int)jobs;
}

ct_status ct_crew_new(ct_crew **out, ct_context *context, const ct_tune *options, const char *hello,
                      ct_error *err)
{
    ct_status status = CT_OK;
    ct_crew *crew = ct_memory_get(sizeof *crew);
    CT_NEED(crew, sizeof *crew, err);
    crew->timeout_s = options->timeout_s > 0 ? options->timeout_s : CREW_TIMEOUT;
    const ct_worker_start start = {options->worker, context, hello, 4 * crew->timeout_s};
    for (; crew->count < crew_workers(options); crew->count++)
        CT_TRY(ct_worker_new(&crew->worker[crew->count], &start, err));
out:
    if (status != CT_OK) {
        ct_crew_free(crew);
        crew = NULL;
    }
    *out = crew;
    return status;
}

void ct_crew_free(ct_crew *crew)
{
    if (!crew) return;
    for (int i = 0; i < crew->count; i++)
        ct_worker_free(crew->worker[i]);
    ct_memory_free(crew);
}

int ct_crew_count(const ct_crew *crew)
{
    return crew->count;
}

ct_status ct_crew_hello(ct_crew *crew, const ct_value **answer, ct_error *err)
{
    const ct_status status = ct_worker_ready(crew->worker[0], err);
    *answer = ct_worker_about(crew->worker[0]);
    return status;
}

ct_status ct_crew_ask(ct_crew *crew, const char *request, double patience, ct_value **answer,
                      ct_error *err)
{
    const double from = ct_crew_now();
    const ct_status status =
        ct_worker_ask(answer, crew->worker[0], request, patience * crew->timeout_s, err);
    crew->spent.asked += ct_crew_now() - from;
    return status;
}

ct_status ct_crew_renew(ct_crew *crew, ct_error *err)
{
    ct_worker_stop(crew->worker[0]);
    return ct_worker_ready(crew->worker[0], err);
}

double ct_crew_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

ct_crew_spent ct_crew_account(const ct_crew *crew)
{
    return crew->spent;
}

/* ---- many tasks */

/* Where a worker is with its task. */
typedef struct crew_post {
    int task; /* -1: none */
    int stage;
    bool asked;  /* the stage's answer is not there yet */
    double from; /* when it was asked */
} crew_post;

typedef struct crew_each {
    ct_crew *crew;
    const ct_crew_tasks *tasks;
    int next;   /* task */
    int single; /* the worker at a last stage; -1: none */
    bool late;  /* no further task is begun */
    crew_post post[CREW_MOST];
} crew_each;

static double *crew_spent(const crew_each *each)
{
    ct_crew_spent *spent = &each->crew->spent;
    return each->single < 0 ? &spent->shared : &spent->single;
}

static ct_status crew_send(crew_each *each, int w, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text request = {0};
    const ct_crew_tasks *tasks = each->tasks;
    crew_post *post = &each->post[w];
    post->from = ct_crew_now();
    CT_TRY(tasks->make(tasks->of, post->task, post->stage, &request, err));
    CT_TRY(ct_worker_send(each->crew->worker[w], request.data,
                          tasks->patience[post->stage] * each->crew->timeout_s, err));
    post->asked = true;
    *crew_spent(each) += ct_crew_now() - post->from; /* a worker without a process is done then */
out:
    ct_text_free(&request);
    return status;
}

static void crew_pause(const crew_each *each, bool pause)
{
    for (int w = 0; w < each->crew->count; w++) {
        if (w == each->single) continue;
        if (!pause)
            ct_worker_resume(each->crew->worker[w]);
        else if (each->post[w].asked)
            ct_worker_pause(each->crew->worker[w]);
    }
}

/* One that waits for its last stage goes first, and by itself; else whoever has nothing to do takes
 * the next task. */
static ct_status crew_deal(crew_each *each, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_crew_tasks *tasks = each->tasks;
    for (int w = 0; w < each->crew->count && each->single < 0; w++) {
        crew_post *post = &each->post[w];
        if (post->task < 0 || post->asked) continue;
        each->single = w;
        crew_pause(each, true);
        CT_TRY(crew_send(each, w, err));
    }
    for (int w = 0; w < each->crew->count && each->single < 0; w++) {
        crew_post *post = &each->post[w];
        if (post->task >= 0 || each->next >= tasks->count || each->late) continue;
        each->late = tasks->more && !tasks->more(tasks->of, each->next);
        if (each->late) break;
        *post = (crew_post){.task = each->next++};
        CT_TRY(crew_send(each, w, err));
    }
out:
    return status;
}

static int crew_at_work(const crew_each *each)
{
    int count = 0;
    for (int w = 0; w < each->crew->count; w++)
        count += each->post[w].task >= 0;
    return count;
}

static ct_status crew_told(crew_each *each, int w, const ct_value *answer, ct_error *err)
{
    bool done = false;
    const ct_crew_tasks *tasks = each->tasks;
    crew_post *post = &each->post[w];
    const int task = post->task, stage = post->stage++;
    post->asked = false;
    if (w == each->single) {
        each->single = -1;
        crew_pause(each, false);
    } else {
        each->crew->spent.working +=
            ct_crew_now() - post->from - ct_worker_paused(each->crew->worker[w]);
    }
    const ct_status status = tasks->told(tasks->of, task, stage, answer, &done, err);
    if (done || post->stage == tasks->stages) post->task = -1;
    return status;
}

/* The next answer, if it comes in time. */
static ct_status crew_wait(crew_each *each, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *answer = NULL;
    int which = -1;
    const double from = ct_crew_now(), until = each->tasks->until;
    const double most = until > 0 ? until - from : 2 * each->crew->timeout_s;
    CT_TRY(ct_worker_wait(&which, &answer, each->crew->worker, each->crew->count,
                          most > 0 ? most : 0, err));
    *crew_spent(each) += ct_crew_now() - from;
    if (which >= 0) CT_TRY(crew_told(each, which, answer, err));
out:
    ct_value_free(answer);
    return status;
}

/* What was asked and is not wanted any more. */
static void crew_leave(crew_each *each)
{
    for (int w = 0; w < each->crew->count; w++)
        if (each->post[w].asked) ct_worker_stop(each->crew->worker[w]);
    crew_pause(each, false);
}

ct_status ct_crew_each(ct_crew *crew, const ct_crew_tasks *tasks, ct_error *err)
{
    ct_status status = CT_OK;
    crew_each each = {.crew = crew, .tasks = tasks, .single = -1};
    for (int w = 0; w < crew->count; w++)
        each.post[w].task = -1;
    for (;;) {
        CT_TRY(crew_deal(&each, err));
        if (crew_at_work(&each) == 0) break;
        CT_TRY(crew_wait(&each, err));
        if (tasks->until > 0 && ct_crew_now() >= tasks->until) break;
    }
out:
    crew_leave(&each);
    return status;
}
