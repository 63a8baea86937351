/* worker_inner.h: what the parts of a worker share.
 * Room: tuner/worker. Private to worker.c (life, asking) and worker_hear.c (listening). */
#ifndef CT_TUNER_WORKER_INNER_H
#define CT_TUNER_WORKER_INNER_H
#include "process.h"
#include "serve.h"
#include "worker.h"

enum { CT_WORKER_ARGUMENTS = 64, CT_WORKER_TAIL = 1024 };

struct ct_worker {
    char *argv[CT_WORKER_ARGUMENTS + 1]; /* [0] NULL: in this process */
    char *hello;
    double hello_s;
    ct_serve *serve; /* in this process */
    bool greeted;    /* the process that runs now */
    ct_value *about;
    ct_process process;
    bool busy;
    double until, seconds;     /* for its answer */
    double paused_at, paused;  /* 0: it is not stopped; seconds that it was */
    ct_text heard;             /* of the answer so far */
    char tail[CT_WORKER_TAIL]; /* the last that it has complained of */
};

double ct_worker_now(void); /* seconds */
/* The answer of a worker that is asked, or what takes its place; NULL where neither is there yet.
 */
ct_status ct_worker_hear(ct_value **answer, ct_worker *worker, ct_error *err);

#endif
