/* job_thread.c: exchanges between ranks while other blocks are computed. The communication thread
 * transfers one after the other in the order in which they are posted, which is the same on all
 * ranks. Room: core/job. Knows how far steps lag, and which slots are in use. Does not know how
 * parts are sent (core/ranks). All calls of OpenCL, and all agreements of ranks, are the run's
 * thread's; this one only sends and receives. What is posted in one block is waited for in the next
 * one, at the same step; then steps that lag by one more have it, and the next block is posted. */
#include <pthread.h>

#include "clock.h"
#include "device_cl.h"
#include "exchange.h"
#include "fail.h"
#include "memory.h"
#include "run_job.h"
#include "run_memory.h"

/* One step's exchange. */
typedef struct transfer {
    void *exchange; /* NULL: the step is none */
    bool posted;    /* the thread has it, or it has not been waited for */
    bool there;     /* it has come, and nobody has looked at it */
    bool done;      /* by the thread; under the lock */
    int slot;       /* of what is sent */
    int64_t number; /* of what is brought */
    ct_status status;
    ct_error err;
} transfer;

struct ct_job_thread {
    transfer *transfer; /* [steps] */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t posted, done;
    int *list; /* steps that are posted, in a ring */
    int first, count, room;
    bool quit;
};

/* ---- the thread */

static void *thread_work(void *of)
{
    struct ct_job_thread *c = of;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->count == 0 && !c->quit)
            pthread_cond_wait(&c->posted, &c->lock);
        if (c->count == 0) break;
        transfer *t = &c->transfer[c->list[c->first]];
        c->first = (c->first + 1) % c->room;
        c->count--;
        pthread_mutex_unlock(&c->lock);
        t->status = ct_exchange_transfer_overlapped(t->exchange, &t->err);
        pthread_mutex_lock(&c->lock);
        t->done = true;
        pthread_cond_signal(&c->done);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static bool thread_start(struct ct_job_thread *c)
{
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->posted, NULL);
    pthread_cond_init(&c->done, NULL);
    return ct_run_stream_start(&c->thread, thread_work, c) == 0;
}

static void post(struct ct_job_thread *c, int s)
{
    transfer *t = &c->transfer[s];
    t->posted = true;
    t->done = false;
    t->err = (ct_error){0};
    pthread_mutex_lock(&c->lock);
    c->list[(c->first + c->count++) % c->room] = s;
    pthread_cond_signal(&c->posted);
    pthread_mutex_unlock(&c->lock);
}

/* Waits for a transfer, after which its memory is free again. */
static ct_status wait_for(ct_run *run, int s, ct_error *err)
{
    struct ct_job_thread *c = run->job->thread;
    transfer *t = &c->transfer[s];
    if (!t->posted) return CT_OK;
    const double start = ct_clock_now();
    pthread_mutex_lock(&c->lock);
    while (!t->done)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
    run->steps[s].seconds += ct_clock_now() - start;
    ct_job_times_add(run, s, ct_clock_now() - start);
    t->posted = false;
    t->there = true;
    const ct_status left = ct_exchange_unmap_arrays(t->exchange, t->status ? NULL : err);
    return t->status ? ct_error_pass(err, t->status, &t->err) : left;
}

/* ---- its life */

static ct_status thread_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t steps = (size_t)run->plan->count;
    struct ct_job_thread *c = ct_arena_get(run->arena, sizeof *c);
    CT_TRY(ct_arena_check(run->arena, err));
    c->room = run->plan->count;
    c->transfer = ct_arena_get(run->arena, sizeof *c->transfer * steps);
    c->list = ct_arena_get(run->arena, sizeof *c->list * steps);
    CT_TRY(ct_arena_check(run->arena, err));
    for (size_t s = 0; s < steps; s++)
        if (ct_exchange_is(run->steps[s].step))
            c->transfer[s].exchange = ct_program_engine(run->steps[s].program);
    if (thread_start(c)) run->job->thread = c;
out:
    return status;
}

/* Either all ranks have a thread, or none. A journal needs whole blocks, so that no step may lag.
 */
ct_status ct_job_thread_begin(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->resume || run->finished || !ct_plan_overlaps(run->plan)) return CT_OK;
    status = thread_new(run, err);
    int64_t all = run->job->thread != NULL;
    const ct_status met = ct_ranks_minimum(run->job->ranks, &all, 1, status ? NULL : err);
    if (!all) ct_job_thread_stop(run);
    run->lagging = run->job->thread != NULL;
    for (int s = 0; run->lagging && s < run->plan->count; s++)
        run->steps[s].background = run->job->thread->transfer[s].exchange != NULL;
    return status ? status : met;
}

void ct_job_thread_stop(ct_run *run)
{
    struct ct_job_thread *c = run->job->thread;
    if (!c) return;
    for (int s = 0; s < run->plan->count; s++)
        (void)wait_for(run, s, NULL);
    pthread_mutex_lock(&c->lock);
    c->quit = true;
    pthread_cond_signal(&c->posted);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->posted);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    run->job->thread = NULL;
    run->lagging = false;
    for (int s = 0; s < run->plan->count; s++)
        run->steps[s].background = false;
}

/* ---- a step */

/* What has come is in its slot; its history moves there, too. */
ct_status ct_job_thread_complete(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    transfer *t = &run->job->thread->transfer[s];
    const int e = run->plan->steps[s].edge[1];
    CT_TRY(wait_for(run, s, err));
    if (!t->there) return CT_OK;
    t->there = false;
    ct_run_slots_use(run, e, t->number);
    if (run->plan->edges[e].before > 0 && t->number > 0) CT_TRY(ct_run_history_move(run, e, err));
out:
    return status;
}

/* Whatever fails, it is posted: the other ranks wait for it. */
ct_status ct_job_thread_post(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    transfer *t = &run->job->thread->transfer[s];
    const int *edge = run->plan->steps[s].edge;
    const int from = ct_run_slots_of_block(run, edge[0], at->fired);
    const int to = ct_run_slots_of_block(run, edge[1], at->fired);
    void *mem[CT_PORTS] = {run->memory->slots[from].mem, run->memory->slots[to].mem};
    CT_TRY(ct_run_io_release(run, edge[1], to, err));
    CT_TRY(ct_exchange_agree(t->exchange, err));
    ct_run_buffers_settle(run);
    const double start = ct_clock_now();
    t->slot = from;
    t->number = at->fired;
    status = ct_exchange_map_arrays(t->exchange, run->device->queue, mem, err);
    post(run->job->thread, s);
    run->job->done[s] |= CT_JOB_SENT;
    at->seconds += ct_clock_now() - start;
out:
    return status;
}

void ct_job_thread_give_up(ct_run *run, int s)
{
    transfer *t = &run->job->thread->transfer[s];
    (void)wait_for(run, s, NULL);
    if (ct_exchange_agree(t->exchange, NULL) == CT_OK) post(run->job->thread, s);
}

ct_status ct_job_thread_release(ct_run *run, int slot, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; run->job->thread && s < run->plan->count; s++)
        if (run->job->thread->transfer[s].posted && run->job->thread->transfer[s].slot == slot)
            CT_TRY(wait_for(run, s, err));
out:
    return status;
}
