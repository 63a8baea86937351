/* worker_pool.h: the workers of a tuning. Each takes a task through all of its stages: what it has
 * built and compared it can time without making it again. While one is at a stage that must not be
 * disturbed, all others are stopped.
 * Room: tuner/backend. Knows workers. Does not know what they are asked. */
#ifndef CT_TUNER_WORKER_POOL_H
#define CT_TUNER_WORKER_POOL_H
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "text.h"

typedef struct ct_worker_pool ct_worker_pool;

/* `hello`: what every worker is told first; copied. */
ct_status ct_worker_pool_new(ct_worker_pool **out, ct_context *context, const ct_tune *options,
                             const char *hello, ct_error *err);
void ct_worker_pool_free(ct_worker_pool *pool);
int ct_worker_pool_count(const ct_worker_pool *pool); /* workers */
/* What the first worker has answered to it; lives as long as the pool. CT_FAILED with what it said.
 */
ct_status ct_worker_pool_hello(ct_worker_pool *pool, const ct_value **answer, ct_error *err);
/* Asks the first worker, which has `patience` times the options' timeout for it. One that dies or
 * does not answer has an answer, too: with "status" and "say". */
ct_status ct_worker_pool_ask(ct_worker_pool *pool, const char *request, double patience,
                             ct_value **answer, ct_error *err);
/* Gives the first worker a fresh process. */
ct_status ct_worker_pool_renew(ct_worker_pool *pool, ct_error *err);

/* Many tasks, each of which goes through all stages in order. */
typedef struct ct_worker_tasks {
    void *of;
    int count, stages;
    /* The request of a stage of task n. */
    ct_status (*make)(void *of, int n, int stage, ct_text *request, ct_error *err);
    /* *done: the task has no further stage. */
    ct_status (*answered)(void *of, int n, int stage, const ct_value *answer, bool *done,
                          ct_error *err);
    bool (*more)(void *of, int n); /* whether there is time for it; NULL: always */
    double patience[2];            /* of each stage, in timeouts */
    double until; /* on ct_clock_now: nothing is waited for after that; 0: no limit */
} ct_worker_tasks;
/* The last of several stages is the one that must not be disturbed. */
ct_status ct_worker_pool_each(ct_worker_pool *pool, const ct_worker_tasks *tasks, ct_error *err);

/* Seconds that went by, so far. */
typedef struct ct_worker_pool_spent {
    double single;  /* while one worker was at a last stage */
    double shared;  /* while workers were at other stages, side by side */
    double working; /* of all workers at those: more than `shared` where there were several */
    double asked;   /* for ct_worker_pool_ask */
} ct_worker_pool_spent;
ct_worker_pool_spent ct_worker_pool_account(const ct_worker_pool *pool);

#endif
