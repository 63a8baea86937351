/* worker.c: see worker.h. One loop polls all workers that were asked; deadlines are times of a
 * clock that is never set.
 * Room: tuner/backend. Knows questions and answers as texts. Does not know what they mean. */
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "json_text.h"
#include "memory.h"
#include "timing_rounds.h"
#include "worker_inner.h"

/* ---------------------------------------------------------------- its life */

static ct_status worker_copy(ct_worker *worker, const ct_worker_start *start, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; start->argv && start->argv[i]; i++) {
        if (i == CT_WORKER_ARGUMENTS)
            CT_TRY(ct_error_add(err, CT_USAGE, "a worker takes at most %d arguments",
                                CT_WORKER_ARGUMENTS));
        worker->argv[i] = ct_memory_copy(start->argv[i]);
        CT_NEED(worker->argv[i], strlen(start->argv[i]) + 1, err);
    }
    worker->hello = ct_memory_copy(start->hello);
    CT_NEED(worker->hello, strlen(start->hello) + 1, err);
    worker->hello_s = start->hello_s;
    if (!worker->argv[0]) CT_TRY(ct_server_new(&worker->server, start->context, err));
out:
    return status;
}

ct_status ct_worker_new(ct_worker **out, const ct_worker_start *start, ct_error *err)
{
    ct_status status = CT_OK;
    ct_worker *worker = ct_memory_get(sizeof *worker);
    *out = NULL;
    CT_NEED(worker, sizeof *worker, err);
    worker->process = (ct_process){.talk = -1, .complaints = -1};
    CT_TRY(worker_copy(worker, start, err));
    *out = worker;
    worker = NULL;
out:
    ct_worker_free(worker);
    return status;
}

void ct_worker_stop(ct_worker *worker)
{
    ct_process_end(&worker->process, 0, NULL);
    ct_text_free(&worker->received);
    worker->busy = worker->greeted = false;
    worker->paused_at = 0;
}

void ct_worker_pause(ct_worker *worker)
{
    if (worker->server || worker->paused_at > 0 || worker->process.pid == 0) return;
    ct_process_pause(&worker->process, true);
    worker->paused_at = ct_clock_now();
}

void ct_worker_resume(ct_worker *worker)
{
    if (worker->paused_at <= 0) return;
    const double paused = ct_clock_now() - worker->paused_at;
    worker->paused_at = 0;
    worker->paused += paused;
    worker->until += paused;
    ct_process_pause(&worker->process, false);
}

double ct_worker_paused(const ct_worker *worker)
{
    return worker->paused;
}

void ct_worker_free(ct_worker *worker)
{
    if (!worker) return;
    ct_worker_stop(worker);
    ct_server_free(worker->server);
    ct_value_free(worker->about);
    for (int i = 0; i < CT_WORKER_ARGUMENTS; i++)
        ct_memory_free(worker->argv[i]);
    ct_memory_free(worker->hello);
    ct_memory_free(worker);
}

const ct_value *ct_worker_about(const ct_worker *worker)
{
    return worker->about;
}

bool ct_worker_is_busy(const ct_worker *worker)
{
    return worker->busy;
}

/* ---------------------------------------------------------------- waiting */

/* Waits until one of them answers or is late, or `until`. EINTR where a signal came. */
static int worker_poll(ct_worker *const workers[], int count, double until, struct pollfd *polled)
{
    int handles = 0;
    for (int i = 0; i < count; i++) {
        if (!workers[i]->busy || workers[i]->server || workers[i]->paused_at > 0) continue;
        polled[handles++] = (struct pollfd){.fd = workers[i]->process.talk, .events = POLLIN};
        polled[handles++] = (struct pollfd){.fd = workers[i]->process.complaints, .events = POLLIN};
        if (workers[i]->until < until) until = workers[i]->until;
    }
    const double left = until - ct_clock_now();
    const int milliseconds = left <= 0 ? 0 : left > 3600 ? 3600000 : (int)(left * 1e3) + 1;
    return poll(polled, (nfds_t)handles, milliseconds) < 0 ? errno : 0;
}

ct_status ct_worker_wait(int *which, ct_value **answer, ct_worker *const workers[], int count,
                         double seconds, ct_error *err)
{
    ct_status status = CT_OK;
    const double until = ct_clock_now() + seconds;
    struct pollfd *polled = ct_memory_get(sizeof *polled * 2 * (size_t)count);
    int code = 0;
    *which = -1;
    *answer = NULL;
    CT_NEED(polled, sizeof *polled * 2 * (size_t)count, err);
    for (;;) {
        for (int i = 0; i < count && !*answer; i++) {
            if (workers[i]->busy && workers[i]->paused_at <= 0)
                CT_TRY(ct_worker_receive(answer, workers[i], err));
            if (*answer) *which = i;
        }
        if (*answer || code == EINTR || ct_clock_now() >= until) break;
        code = worker_poll(workers, count, until, polled);
    }
out:
    ct_memory_free(polled);
    return status;
}

/* ---------------------------------------------------------------- asking */

/* A process that does not read its question is found when its answer is late. */
static void worker_write(const ct_worker *worker, const char *text, size_t length)
{
    while (length > 0 && ct_clock_now() < worker->until) {
        const ssize_t count = send(worker->process.talk, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        struct pollfd room = {.fd = worker->process.talk, .events = POLLOUT};
        if (count > 0) {
            text += count;
            length -= (size_t)count;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            (void)poll(&room, 1, 100);
        } else if (errno != EINTR) {
            return;
        }
    }
}

static ct_status worker_say(ct_worker *worker, const char *question, double seconds, ct_error *err)
{
    ct_status status = CT_OK;
    char *line = NULL, *one = ct_memory_copy(question);
    CT_NEED(one, strlen(question) + 1, err);
    ct_json_one_line(one);
    ct_text_free(&worker->received);
    worker->tail[0] = '\0';
    worker->seconds = seconds;
    worker->paused = 0;
    worker->until = ct_clock_now() + seconds;
    worker->busy = true;
    if (worker->server) {
        CT_TRY(ct_server_answer(&line, worker->server, question, err));
        ct_text_add(&worker->received, "%s", line);
    } else {
        worker_write(worker, one, strlen(one));
        worker_write(worker, "\n", 1);
    }
out:
    ct_memory_free(one);
    free(line);
    return status;
}

/* A worker that has answered before it was asked cannot be used any more. */
static bool worker_is_out_of_step(ct_worker *worker)
{
    char byte;
    if (worker->server || worker->process.pid == 0) return false;
    return recv(worker->process.talk, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

static ct_status worker_greet(ct_worker *worker, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *answer = NULL;
    int which = -1;
    CT_TRY(worker_say(worker, worker->hello, worker->hello_s, err));
    while (which < 0)
        CT_TRY(ct_worker_wait(&which, &answer, &worker, 1, worker->hello_s, err));
    if (strcmp(ct_value_text(ct_value_get(answer, "status"), ""), "ok") != 0) {
        const int64_t code = ct_value_int(ct_value_get(answer, "code"), CT_FAILED);
        CT_TRY(
            ct_error_add(err, (ct_status)code, "%s",
                         ct_value_text(ct_value_get(answer, "say"), "the worker has no answer")));
    }
    if (!worker->server && worker->process.pid == 0)
        CT_TRY(ct_error_add(err, CT_FAILED, "the worker says more than it is asked"));
    worker->greeted = true;
    if (!worker->about) {
        worker->about = answer;
        answer = NULL;
    }
out:
    ct_value_free(answer);
    if (status != CT_OK) ct_worker_stop(worker);
    return status;
}

ct_status ct_worker_ready(ct_worker *worker, ct_error *err)
{
    ct_status status = CT_OK;
    if (worker->greeted && !worker_is_out_of_step(worker)) return CT_OK;
    ct_worker_stop(worker);
    if (!worker->server)
        CT_TRY(ct_process_start(&worker->process, (const char *const *)worker->argv, err));
    CT_TRY(worker_greet(worker, err));
out:
    return status;
}

ct_status ct_worker_send(ct_worker *worker, const char *question, double seconds, ct_error *err)
{
    ct_status status = CT_OK;
    if (worker->busy) return ct_error_add(err, CT_USAGE, "the worker has not answered yet");
    CT_TRY(ct_worker_ready(worker, err));
    CT_TRY(worker_say(worker, question, seconds, err));
out:
    return status;
}

ct_status ct_worker_ask(ct_value **answer, ct_worker *worker, const char *question, double seconds,
                        ct_error *err)
{
    ct_status status = CT_OK;
    int which = -1;
    *answer = NULL;
    CT_TRY(ct_worker_send(worker, question, seconds, err));
    while (which < 0)
        CT_TRY(ct_worker_wait(&which, answer, &worker, 1, seconds, err));
out:
    return status;
}

ct_status ct_worker_print_hello(ct_text *out, const ct_graph *graph, const char *device,
                                ct_error *err)
{
    ct_status status = CT_OK;
    ct_text_add(out, "{\"hello\": 1, \"name\": ");
    ct_text_add_json(out, graph->file);
    ct_text_add(out, ", \"pipeline\": ");
    CT_TRY(ct_graph_print(out, graph, err));
    if (device) ct_text_add(out, ", \"device\": ");
    if (device) ct_text_add_json(out, device);
    ct_text_add(out, "}");
    CT_TRY(ct_text_check(out, err));
out:
    return status;
}
