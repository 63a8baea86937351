/* worker_inner.h: what the parts of a worker share.
 * Room: tuner/backend. Private to worker.c (life, asking) and worker_receive.c (listening). */
#ifndef CT_TUNER_WORKER_INNER_H
#define CT_TUNER_WORKER_INNER_H
#include "process.h"
#include "server.h"
#include "worker.h"

enum { CT_WORKER_ARGUMENTS = 64, CT_WORKER_TAIL = 1024 };

struct ct_worker {
    char *argv[CT_WORKER_ARGUMENTS + 1]; /* [0] NULL: in this process */
    char *hello;
    double hello_s;
    ct_server *server; /* in this process */
    bool greeted;      /* the process that runs now */
    ct_value *about;
    ct_process process;
    bool busy;
    double until, seconds;     /* for its answer */
    double paused_at, paused;  /* 0: it is not stopped; seconds that it was */
    ct_text received;          /* of the answer so far */
    char tail[CT_WORKER_TAIL]; /* the end of its standard error */
};

/* The answer of a worker that was asked, or what takes its place; NULL where there is none yet. */
ct_status ct_worker_receive(ct_value **answer, ct_worker *worker, ct_error *err);

#endif
