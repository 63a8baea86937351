/* workers_time_steps.c: choices and transposes: workers build and compare them side by side, then
 * one at a time is timed.
 * Room: tuner/backend. Knows what workers are asked (docs/worker.md). */
#include <stdio.h>
#include <string.h>

#include "candidate_plan.h"
#include "clock.h"
#include "fail.h"
#include "journal_lines.h"
#include "workers_inner.h"

/* A worker that was started just now first has to compile the default. */
#define STEPS_FIRST 4

/* ---- requests and answers */

static double steps_patience(const ct_backend_workers *workers)
{
    if (!workers->quiet || workers->patience_s <= 0) return 0;
    return workers->patience_s < workers->wait_s ? workers->patience_s : workers->wait_s;
}

static void steps_waited(ct_backend_workers *workers, const ct_answer *answer)
{
    workers->patience_s -= answer->waited_s;
    workers->waited_s += answer->waited_s;
    workers->quiet = !answer->disturbed;
}

static ct_status steps_request(ct_text *out, const char *verb, const ct_workers_backend *backend,
                               const ct_question *q, ct_error *err)
{
    ct_status status = CT_OK;
    char step[CT_SPACE_NAME];
    ct_text plan = {0};
    CT_TRY(ct_candidate_plan_question(&plan, step, backend->space, q, err));
    ct_text_add(out, "{\"do\":\"%s\",\"step\":", verb);
    ct_text_add_json(out, step);
    if (!strcmp(verb, "time"))
        ct_text_add(out, ",\"pairs\":%d,\"checked\":true,\"patience\":%.3g",
                    q->pairs ? q->pairs : CT_BACKEND_PAIRS, steps_patience(backend->workers));
    if (!strcmp(verb, "build") && q->again) ct_text_add(out, ",\"checked\":true");
    ct_text_add(out, ",\"plan\":%s}", plan.data);
    CT_TRY(ct_text_check(out, err));
out:
    ct_text_free(&plan);
    return status;
}

/* ---- choices and transposes: built and compared side by side, timed one at a time */

enum { STEPS_BUILD, STEPS_TIME, STEPS_STAGES };

typedef struct steps_batch {
    const ct_workers_backend *backend;
    const ct_question *questions;
    double *from, *build_s; /* when each was begun */
    int answers;
    ct_answered *answered;
    void *to;
} steps_batch;

static ct_status steps_make(void *of, int n, int stage, ct_text *request, ct_error *err)
{
    const steps_batch *batch = of;
    if (stage == STEPS_BUILD) batch->from[n] = ct_clock_now();
    return steps_request(request, stage == STEPS_BUILD ? "build" : "time", batch->backend,
                         &batch->questions[n], err);
}

static ct_status steps_answered(void *of, int n, int stage, const ct_value *json, bool *done,
                                ct_error *err)
{
    steps_batch *batch = of;
    ct_backend_workers *workers = batch->backend->workers;
    ct_answer answer;
    ct_journal_lines_read_answer(json, &answer);
    const bool timed = stage == STEPS_TIME && answer.end == CT_END_correct;
    if (answer.end == CT_ENDS || (timed && answer.count == 0)) answer.end = CT_END_runtime;
    if (stage == STEPS_BUILD) workers->build_s += batch->build_s[n] = answer.build_s;
    *done = stage == STEPS_TIME || answer.end != CT_END_correct;
    if (!*done) return CT_OK;
    if (stage == STEPS_TIME) steps_waited(workers, &answer);
    const double took = ct_clock_now() - batch->from[n];
    workers->pace = workers->pace > 0 ? 0.75 * workers->pace + 0.25 * took : took;
    answer.build_s = batch->build_s[n];
    batch->answers++;
    return batch->answered(batch->to, &batch->questions[n], &answer, err);
}

static bool steps_more(void *of, int n)
{
    const ct_backend_workers *workers = ((const steps_batch *)of)->backend->workers;
    (void)n;
    return workers->due <= 0 || ct_clock_now() + workers->pace < workers->due;
}

ct_status ct_workers_ask(void *of, const ct_question *questions, int count, ct_answered *answered,
                         void *to, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_workers_backend *backend = of;
    double *from = ct_memory_get(sizeof *from * (size_t)count);
    double *build_s = ct_memory_get(sizeof *build_s * (size_t)count);
    steps_batch batch = {.backend = backend,
                         .questions = questions,
                         .from = from,
                         .build_s = build_s,
                         .answered = answered,
                         .to = to};
    const ct_worker_tasks tasks = {.of = &batch,
                                   .count = count,
                                   .stages = STEPS_STAGES,
                                   .make = steps_make,
                                   .answered = steps_answered,
                                   .more = steps_more,
                                   .patience = {1, STEPS_FIRST},
                                   .until = backend->workers->end};
    CT_NEED(from, sizeof *from * (size_t)count, err);
    CT_NEED(build_s, sizeof *build_s * (size_t)count, err);
    CT_TRY(ct_worker_pool_each(backend->workers->pool, &tasks, err));
    if (batch.answers < count) status = CT_EOF;
out:
    ct_memory_free(from);
    ct_memory_free(build_s);
    return status;
}

/* ---- what is the same work */

typedef struct steps_digests {
    const ct_workers_backend *backend;
    const ct_question *questions;
    char (*digests)[CT_BACKEND_DIGEST];
} steps_digests;

static ct_status steps_make_digest(void *of, int n, int stage, ct_text *request, ct_error *err)
{
    const steps_digests *all = of;
    (void)stage;
    return steps_request(request, "same", all->backend, &all->questions[n], err);
}

static ct_status steps_digested(void *of, int n, int stage, const ct_value *answer, bool *done,
                                ct_error *err)
{
    const steps_digests *all = of;
    (void)stage, (void)done, (void)err;
    snprintf(all->digests[n], CT_BACKEND_DIGEST, "%s",
             ct_value_text(ct_value_get(answer, "same"), ""));
    return CT_OK;
}

ct_status ct_workers_digests(void *of, const ct_question *questions, int count,
                             char (*digests)[CT_BACKEND_DIGEST], ct_error *err)
{
    const ct_workers_backend *backend = of;
    steps_digests all = {backend, questions, digests};
    const ct_worker_tasks tasks = {.of = &all,
                                   .count = count,
                                   .stages = 1,
                                   .make = steps_make_digest,
                                   .answered = steps_digested,
                                   .patience = {1}};
    return ct_worker_pool_each(backend->workers->pool, &tasks, err);
}
