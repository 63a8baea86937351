/* regroup.c: gathers samples along T until the reader has as many as it takes: see regroup.h.
 * Room: core/regroup. Knows how many wait. Does not know who the reader is. */
#include "regroup.h"

#include "fail.h"
#include "memory.h"
#include "time_copy.h"

enum { X, Y };

typedef struct regrouping {
    ct_array x, whole; /* what is brought; the array of Y with its history, and what waits */
    int64_t before;    /* samples of history */
    int64_t way, rest;
    bool append, gpu;
    ct_time_mover *mover;
} regrouping;

static const char doing[] = "gathering samples";

static ct_status prepare(ct_step *step, void **state, ct_error *err)
{
    ct_status status = CT_OK;
    regrouping *r = ct_memory_get(sizeof *r);
    CT_NEED(r, sizeof *r, err);
    r->x = step->port[X];
    r->whole = step->port[Y];
    r->before = r->whole.offset / ct_array_stride(&r->whole, 'T');
    r->whole.offset = 0;
    r->gpu = step->gpu;
    *state = r;
out:
    return status;
}

void ct_regroup_next(void *engine, int64_t way, int64_t rest, bool append)
{
    regrouping *r = engine;
    r->way = way;
    r->rest = rest;
    r->append = append;
}

static ct_status enqueue(void *state, void *queue, void *const mem[], ct_error *err)
{
    ct_status status = CT_OK;
    regrouping *r = state;
    const int64_t kept = r->before + r->rest;
    const ct_time_place start = {mem[Y], &r->whole, 0}, old = {mem[Y], &r->whole, r->way};
    const ct_time_place end = {mem[Y], &r->whole, kept}, fresh = {mem[X], &r->x, 0};
    ct_time_mover **mover = r->gpu ? &r->mover : NULL;
    if (r->way > 0 && kept > 0) CT_TRY(ct_time_copy(mover, queue, start, old, kept, doing, err));
    if (r->append)
        CT_TRY(ct_time_copy(mover, queue, end, fresh, ct_array_extent(&r->x, 'T'), doing, err));
out:
    return status;
}

static void release(void *state)
{
    regrouping *r = state;
    if (r) ct_time_mover_free(r->mover);
    ct_memory_free(r);
}

bool ct_regroup_is(const ct_step *step)
{
    return step->stage == &ct_regroup_stage;
}

const ct_stage ct_regroup_stage = {
    .api = CT_API,
    .version = 1,
    .name = "regroup",
    .summary = "gathers samples until there are as many as a node takes",
    .ports = {[X] = {"X", CT_IN, 0, "*", "*", "*", NULL, "what is brought"},
              [Y] = {"Y", CT_OUT, 0, "*", "=X", "*", NULL, "what is taken"}},
    .engine = {.prepare = prepare, .enqueue = enqueue, .release = release},
};
