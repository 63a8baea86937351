/* run_courier.c: exchanges between ranks that travel while other blocks are computed. A thread, the
 * courier, carries them one after the other in the order in which they are handed over, which is
 * the same on all ranks. Room: core/run. Knows steps' levels and who has hold of which slot. Does
 * not know how parts travel (core/ranks). All calls of OpenCL, and all meetings of ranks, are the
 * run's thread's; the courier only sends and receives. What is handed over in one block is waited
 * for in the next one, at the same step; then steps of the next level have it, and the next block
 * is handed over. */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "device_cl.h"
#include "exchange.h"
#include "fail.h"
#include "memory.h"
#include "ranks.h"
#include "run.h"

/* One step's exchange. */
typedef struct parcel {
    void *exchange; /* NULL: the step is none */
    bool handed;    /* the courier has it, or it has not been taken back */
    bool there;     /* it has come, and nobody has looked at it */
    bool done;      /* by the courier; under the lock */
    int slot;       /* of what is sent */
    int64_t number; /* of what is brought */
    ct_status status;
    ct_error err;
} parcel;

struct ct_run_courier {
    parcel *parcel; /* [steps] */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t handed, done;
    int *list; /* steps that are handed over, in a ring */
    int first, count, room;
    bool quit;
};

/* ---- the thread */

static void *courier_work(void *of)
{
    struct ct_run_courier *c = of;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->count == 0 && !c->quit)
            pthread_cond_wait(&c->handed, &c->lock);
        if (c->count == 0) break;
        parcel *p = &c->parcel[c->list[c->first]];
        c->first = (c->first + 1) % c->room;
        c->count--;
        pthread_mutex_unlock(&c->lock);
        p->status = ct_exchange_transfer_overlapped(p->exchange, &p->err);
        pthread_mutex_lock(&c->lock);
        p->done = true;
        pthread_cond_signal(&c->done);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Signals are the program's. */
static bool courier_start(struct ct_run_courier *c)
{
    sigset_t all, before;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->handed, NULL);
    pthread_cond_init(&c->done, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int code = pthread_create(&c->thread, NULL, courier_work, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0;
}

static void hand(struct ct_run_courier *c, int s)
{
    parcel *p = &c->parcel[s];
    p->handed = true;
    p->done = false;
    p->err = (ct_error){0};
    pthread_mutex_lock(&c->lock);
    c->list[(c->first + c->count++) % c->room] = s;
    pthread_cond_signal(&c->handed);
    pthread_mutex_unlock(&c->lock);
}

/* Waits for one, and has its memory back. */
static ct_status take_back(ct_run *run, int s, ct_error *err)
{
    struct ct_run_courier *c = run->courier;
    parcel *p = &c->parcel[s];
    if (!p->handed) return CT_OK;
    const double start = ct_run_clock();
    pthread_mutex_lock(&c->lock);
    while (!p->done)
        pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
    run->steps[s].seconds += ct_run_clock() - start;
    ct_run_waits_add(run, s, ct_run_clock() - start);
    p->handed = false;
    p->there = true;
    const ct_status left = ct_exchange_unmap_arrays(p->exchange, p->status ? NULL : err);
    return p->status ? ct_error_pass(err, p->status, &p->err) : left;
}

/* ---- its life */

static ct_status courier_make(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t steps = (size_t)run->plan->count;
    struct ct_run_courier *c = ct_arena_get(run->arena, sizeof *c);
    CT_TRY(ct_arena_check(run->arena, err));
    c->room = run->plan->count;
    c->parcel = ct_arena_get(run->arena, sizeof *c->parcel * steps);
    c->list = ct_arena_get(run->arena, sizeof *c->list * steps);
    CT_TRY(ct_arena_check(run->arena, err));
    for (size_t s = 0; s < steps; s++)
        if (ct_exchange_is(run->steps[s].step))
            c->parcel[s].exchange = ct_program_engine(run->steps[s].program);
    if (courier_start(c)) run->courier = c;
out:
    return status;
}

/* A rank that has no thread for it does as before, and so do all. */
ct_status ct_run_courier_begin(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->started || !ct_plan_overlaps(run->plan)) return CT_OK;
    if (!run->resume) status = courier_make(run, err);
    int64_t all = run->courier != NULL;
    const ct_status met = ct_ranks_minimum(run->plan->graph->ranks, &all, 1, status ? NULL : err);
    if (!all) ct_run_courier_stop(run);
    return status ? status : met;
}

void ct_run_courier_stop(ct_run *run)
{
    struct ct_run_courier *c = run->courier;
    if (!c) return;
    for (int s = 0; s < run->plan->count; s++)
        (void)take_back(run, s, NULL);
    pthread_mutex_lock(&c->lock);
    c->quit = true;
    pthread_cond_signal(&c->handed);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->handed);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    run->courier = NULL;
}

/* ---- a step */

bool ct_run_courier_has(const ct_run *run, int s)
{
    return run->courier && run->courier->parcel[s].exchange;
}

/* What has come lies in its slot; history goes there, too. */
ct_status ct_run_courier_take(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    parcel *p = &run->courier->parcel[s];
    const int e = run->plan->steps[s].edge[1];
    CT_TRY(take_back(run, s, err));
    if (!p->there) return CT_OK;
    p->there = false;
    ct_run_pairs_take(run, e, p->number);
    if (run->plan->edges[e].before > 0 && p->number > 0)
        CT_TRY(ct_run_buffers_move_history(run, e, err));
out:
    return status;
}

/* Whatever fails, it is handed over: the other ranks wait for it. */
ct_status ct_run_courier_fire(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    parcel *p = &run->courier->parcel[s];
    const int *edge = run->plan->steps[s].edge;
    const int from = ct_run_pairs_slot(run, edge[0], at->fired);
    const int to = ct_run_pairs_slot(run, edge[1], at->fired);
    void *mem[CT_PORTS] = {run->slots[from].mem, run->slots[to].mem};
    CT_TRY(ct_run_io_release(run, edge[1], to, err));
    CT_TRY(ct_exchange_agree(p->exchange, err));
    ct_run_buffers_settle(run);
    const double start = ct_run_clock();
    p->slot = from;
    p->number = at->fired;
    status = ct_exchange_map_arrays(p->exchange, run->device->queue, mem, err);
    hand(run->courier, s);
    at->met |= CT_RUN_MET_SENT;
    at->seconds += ct_run_clock() - start;
out:
    return status;
}

void ct_run_courier_drain(ct_run *run, int s)
{
    parcel *p = &run->courier->parcel[s];
    (void)take_back(run, s, NULL);
    if (ct_exchange_agree(p->exchange, NULL) == CT_OK) hand(run->courier, s);
}

ct_status ct_run_courier_release(ct_run *run, int slot, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; run->courier && s < run->plan->count; s++)
        if (run->courier->parcel[s].handed && run->courier->parcel[s].slot == slot)
            CT_TRY(take_back(run, s, err));
out:
    return status;
}
