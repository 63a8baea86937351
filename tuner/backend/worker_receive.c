/* worker_receive.c: what a worker answers, and what takes the answer's place where it is late, ends
 * or sends something else.
 * Room: tuner/backend. Knows answers as texts. Does not know what they mean. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "memory.h"
#include "timing_rounds.h"
#include "worker_inner.h"

/* A process that ends by itself has so long before it is killed. */
#define PATIENCE_S 1.0

enum {
    READS = 16,       /* at a time, so that a process that writes without end is late like others */
    LONGEST = 1 << 26 /* bytes of an answer */
};

/* ---------------------------------------------------------------- listening */

/* Keeps the end of the old text and the new one. */
static void worker_keep_tail(char *tail, const char *text, size_t count)
{
    const size_t most = CT_WORKER_TAIL - 1;
    if (count > most) {
        text += count - most;
        count = most;
    }
    const size_t had = strlen(tail), keep = had + count > most ? most - count : had;
    memmove(tail, tail + had - keep, keep);
    for (size_t i = 0; i < count; i++)
        tail[keep + i] = text[i] ? text[i] : ' ';
    tail[keep + count] = '\0';
}

static void worker_receive_complaints(ct_worker *worker)
{
    char text[4096];
    ssize_t count = 1;
    for (int n = 0; n < READS && count > 0 && worker->process.complaints >= 0; n++) {
        count = read(worker->process.complaints, text, sizeof text);
        if (count > 0) worker_keep_tail(worker->tail, text, (size_t)count);
    }
    if (count != 0 || worker->process.complaints < 0) return;
    close(worker->process.complaints); /* or poll would report it for ever */
    worker->process.complaints = -1;
}

/* *line: the answer, once it is whole; NULL. False: it is dead. */
static bool worker_receive_line(ct_worker *worker, char **line)
{
    char text[65536];
    *line = NULL;
    for (int n = 0; n < READS; n++) {
        const ssize_t count = read(worker->process.talk, text, sizeof text - 1);
        if (count <= 0)
            return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
        text[count] = '\0';
        if (strlen(text) != (size_t)count) text[0] = '\n'; /* a byte of value 0: no answer */
        ct_text_add(&worker->received, "%s", text);
        if (strchr(text, '\n') || worker->received.length > LONGEST) {
            *line = worker->received.data;
            return true;
        }
    }
    return true;
}

/* ---------------------------------------------------------------- answers in its place */

/* {"status": "runtime", "say": ".."} */
static ct_status worker_answer(ct_value **answer, const char *status, const ct_text *say,
                               ct_error *err)
{
    ct_status done = CT_OK;
    ct_text json = {0};
    ct_text_add(&json, "{\"status\": \"%s\", \"say\": ", status);
    ct_text_add_json(&json, say->data ? say->data : "");
    ct_text_add(&json, "}");
    done = ct_text_check(&json, err);
    if (done == CT_OK) done = ct_value_parse(answer, json.data, "answer", err);
    ct_text_free(&json);
    return done;
}

/* The last line that says something. */
static void worker_add_complaint(ct_text *say, char *tail)
{
    for (char *line = strrchr(tail, '\n');; line = strrchr(tail, '\n')) {
        const char *words = line ? line + 1 : tail;
        if (words[strspn(words, " \t\r")] != '\0') {
            ct_text_add(say, "; the last that it said: %s", words);
            return;
        }
        if (!line) return;
        *line = '\0';
    }
}

static ct_status worker_died(ct_worker *worker, ct_value **answer, ct_error *err)
{
    ct_text say = {0};
    ct_text_add(&say, "the worker ");
    worker_receive_complaints(worker);
    ct_process_end(&worker->process, PATIENCE_S, &say);
    worker_add_complaint(&say, worker->tail);
    ct_worker_stop(worker);
    const ct_status status = worker_answer(answer, "runtime", &say, err);
    ct_text_free(&say);
    return status;
}

static ct_status worker_is_late(ct_worker *worker, ct_value **answer, ct_error *err)
{
    ct_text say = {0};
    ct_text_add(&say, "no answer in %.3g s", worker->seconds);
    ct_worker_stop(worker);
    const ct_status status = worker_answer(answer, "timeout", &say, err);
    ct_text_free(&say);
    return status;
}

/* An answer is an object with a status; anything else ends the worker. */
static ct_status worker_understand(ct_worker *worker, const char *line, ct_value **answer,
                                   ct_error *err)
{
    ct_status status = CT_OK;
    ct_text say = {0};
    if (ct_value_parse(answer, line, "answer", NULL) == CT_OK &&
        ct_value_text(ct_value_get(*answer, "status"), NULL))
        return CT_OK;
    ct_value_free(*answer);
    ct_text_add(&say, "the worker's answer is none: %.200s", line);
    ct_worker_stop(worker);
    status = worker_answer(answer, "runtime", &say, err);
    ct_text_free(&say);
    return status;
}

/* Its answer, if it has come, or what takes its place. */
ct_status ct_worker_receive(ct_value **answer, ct_worker *worker, ct_error *err)
{
    ct_status status = CT_OK;
    char *line = NULL;
    if (worker->server) {
        line = worker->received.data;
    } else {
        worker_receive_complaints(worker);
        if (!worker_receive_line(worker, &line)) return worker_died(worker, answer, err);
    }
    CT_TRY(ct_text_check(&worker->received, err));
    if (line) {
        const size_t length = strcspn(line, "\n");
        const bool more = line[length] && line[length + 1]; /* more than was asked */
        line[length] = '\0';
        worker->busy = false;
        CT_TRY(worker_understand(worker, line, answer, err));
        if (more) ct_worker_stop(worker);
        ct_text_free(&worker->received);
    } else if (ct_clock_now() >= worker->until) {
        CT_TRY(worker_is_late(worker, answer, err));
    }
out:
    return status;
}
