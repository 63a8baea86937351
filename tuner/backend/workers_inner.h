/* workers_inner.h: what the parts of the backend of workers share.
 * Room: tuner/backend. Private to backend_workers.c (life, limits, where the time went),
 * workers_time_steps.c (choices and transposes) and workers_time_plans.c (whole plans). */
#ifndef CT_TUNER_WORKERS_INNER_H
#define CT_TUNER_WORKERS_INNER_H
#include "backend_workers.h"
#include "timing_rounds.h"
#include "worker_pool.h"

/* What ct_backend's `of` is. */
typedef struct ct_workers_backend {
    ct_backend_workers *workers;
    const ct_space *space;
} ct_workers_backend;

struct ct_backend_workers {
    ct_worker_pool *pool;
    double began;
    double patience_s; /* that is left for waiting for other processes */
    double wait_s;     /* of that at a time */
    bool quiet;        /* the last measurement was not disturbed: waiting is worth it */
    double pace;       /* what a measurement took from beginning to end, lately; 0 not known */
    double build_s;    /* workers' seconds, side by side */
    double waited_s, rehearsed_s;
    double due, end; /* see ct_backend's limit; on ct_clock_now, 0: never */
    ct_arena *arena;
};

/* Three of ct_backend's functions. */
ct_status ct_workers_ask(void *of, const ct_question *questions, int count, ct_answered *answered,
                         void *to, ct_error *err);
ct_status ct_workers_digests(void *of, const ct_question *questions, int count,
                             char (*digests)[CT_BACKEND_DIGEST], ct_error *err);
ct_status ct_workers_time_plans(void *of, const ct_candidate *candidates, const char *const *texts,
                                int count, int rounds, int fresh, ct_plan_timing *out,
                                ct_arena *arena, ct_error *err);

#endif
