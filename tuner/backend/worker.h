/* worker.h: the tuner's side of a conversation with processes that measure. What a process does
 * instead of answering becomes an answer, too: it is too late ("timeout"), it dies or its text is
 * no answer ("runtime"). It is ended then, and the next question starts another one.
 * Room: tuner/backend. Knows questions and answers as texts. Does not know what they mean. Order:
 * new, then ask, or send and wait as often as wanted, free. Several workers may be at work at once,
 * each at one question. */
#ifndef CT_TUNER_WORKER_H
#define CT_TUNER_WORKER_H
#include "graph.h"
#include "text.h"

typedef struct ct_worker ct_worker;

typedef struct ct_worker_start {
    const char *const *argv; /* of the process: {"cornerturn", "serve", NULL}; NULL: answers come
                                from this process, which nothing protects */
    ct_context *context;     /* only for that */
    const char *hello;       /* the first question; see ct_worker_print_hello */
    double hello_s;          /* how long its answer may take */
} ct_worker_start;

/* The question with which a conversation about this graph begins. device NULL: the first CPU. The
 * graph was made from a text. */
ct_status ct_worker_print_hello(ct_text *out, const ct_graph *graph, const char *device,
                                ct_error *err);

/* Starts nothing yet. What `start` names is copied. */
ct_status ct_worker_new(ct_worker **out, const ct_worker_start *start, ct_error *err);
/* Starts it, where it does not run, and says hello. CT_FAILED, or the status that hello's answer
 * has as its "code": asking it again makes no sense. */
ct_status ct_worker_ready(ct_worker *worker, ct_error *err);
/* Its answer to hello; NULL before ct_worker_ready. It lives as long as the worker, and is that of
 * its first process. */
const ct_value *ct_worker_about(const ct_worker *worker);

/* Asks, one line, for an answer in so many seconds. As ct_worker_ready first. */
ct_status ct_worker_send(ct_worker *worker, const char *question, double seconds, ct_error *err);
bool ct_worker_is_busy(const ct_worker *worker); /* was asked and has not answered */
/* Waits for the first answer: *which is its worker's place, -1 where there was none in so many
 * seconds, or where a signal came between. *answer has a "status"; released by the caller. */
ct_status ct_worker_wait(int *which, ct_value **answer, ct_worker *const workers[], int count,
                         double seconds, ct_error *err);
/* Stops its process while another one must not be disturbed; that time does not count against its
 * answer's. One that is stopped is not waited for. */
void ct_worker_pause(ct_worker *worker);
void ct_worker_resume(ct_worker *worker);
double ct_worker_paused(const ct_worker *worker); /* seconds, since it was asked */
/* Both for one worker; signals do not end the wait. */
ct_status ct_worker_ask(ct_value **answer, ct_worker *worker, const char *question, double seconds,
                        ct_error *err);
/* Ends its process, and forgets what it was asked. */
void ct_worker_stop(ct_worker *worker);
void ct_worker_free(ct_worker *worker);

#endif
