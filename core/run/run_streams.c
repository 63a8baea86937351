/* run_streams.c: a thread for each source and sink that may have one: what it is asked for is read
 * or written while the run computes other blocks. Room: core/run. Knows threads. Does not know
 * formats, or what a block is: the host's arrays in a request are the thread's until it is waited
 * for. */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "clock.h"
#include "fail.h"
#include "memory.h"
#include "run_io.h"

struct ct_run_stream {
    ct_run_step *at;
    void (*serve)(ct_run_step *at); /* what the request is */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the request has changed hands; one of two waits for it */
    bool busy;              /* the request is the thread's */
    bool quit;
};

static void *stream_work(void *of)
{
    struct ct_run_stream *stream = of;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (!stream->busy && !stream->quit)
            pthread_cond_wait(&stream->changed, &stream->lock);
        if (!stream->busy) break;
        pthread_mutex_unlock(&stream->lock);
        stream->serve(stream->at);
        pthread_mutex_lock(&stream->lock);
        stream->busy = false;
        pthread_cond_signal(&stream->changed);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

int ct_run_stream_start(pthread_t *thread, void *work(void *of), void *of)
{
    /* What it does itself: where these are blocked, no handler can say what has crashed. */
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int code = pthread_create(thread, NULL, work, of);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

ct_status ct_run_stream_new(ct_run *run, ct_run_step *at, ct_error *err)
{
    ct_status status = CT_OK;
    struct ct_run_stream *stream = ct_arena_get(run->arena, sizeof *stream);
    CT_NEED(stream, sizeof *stream, err);
    stream->at = at;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->changed, NULL);
    const int code = ct_run_stream_start(&stream->thread, stream_work, stream);
    if (code != 0)
        CT_TRY(ct_error_add(err, CT_FAILED, "node \"%s\": a thread cannot be started: %s",
                            at->step->name, strerror(code)));
    at->stream = stream;
    at->threaded = true;
out:
    return status;
}

void ct_run_stream_move(ct_run_step *at)
{
    struct ct_run_stream *stream = at->stream;
    if (!stream) return;
    pthread_mutex_lock(&stream->lock);
    stream->at = at;
    pthread_mutex_unlock(&stream->lock);
}

void ct_run_stream_ask(ct_run_step *at, void (*serve)(ct_run_step *at))
{
    struct ct_run_stream *stream = at->stream;
    at->request->asked = true;
    if (!stream) {
        serve(at);
        at->stood += at->request->seconds;
        return;
    }
    pthread_mutex_lock(&stream->lock);
    stream->serve = serve;
    stream->busy = true;
    pthread_cond_signal(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
}

void ct_run_stream_wait(ct_run_step *at)
{
    struct ct_run_stream *stream = at->stream;
    at->request->asked = false;
    if (!stream) return;
    const double start = ct_clock_now();
    pthread_mutex_lock(&stream->lock);
    while (stream->busy)
        pthread_cond_wait(&stream->changed, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
    const double waited = ct_clock_now() - start;
    at->waited += waited;
    at->stood += waited;
}

bool ct_run_stream_busy(const ct_run_step *at)
{
    struct ct_run_stream *stream = at->stream;
    if (!stream) return false;
    pthread_mutex_lock(&stream->lock);
    const bool busy = stream->busy;
    pthread_mutex_unlock(&stream->lock);
    return busy;
}

bool ct_run_stream_is_mine(const ct_run_step *at)
{
    return pthread_equal(at->stream->thread, pthread_self()) != 0;
}

static void stream_end(ct_run_step *at)
{
    struct ct_run_stream *stream = at->stream;
    ct_run_stream_wait(at);
    pthread_mutex_lock(&stream->lock);
    stream->quit = true;
    pthread_cond_signal(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    pthread_cond_destroy(&stream->changed);
    pthread_mutex_destroy(&stream->lock);
    at->stream = NULL;
}

void ct_run_streams_stop(ct_run *run)
{
    for (int s = 0; run->steps && s < run->plan->count; s++)
        if (run->steps[s].stream) stream_end(&run->steps[s]);
}
