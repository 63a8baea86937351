/* exchange_step.c: the step. See exchange.h.
 * Room: core/ranks. Knows OpenCL's memory and when ranks agree. Does not know how boxes are sent.
 */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "exchange_inner.h"

#include <string.h>

#include "device_cl.h"
#include "fail.h"
#include "memory.h"

enum { X, Y };

/* ---- making it */

bool ct_exchange_is(const ct_step *step)
{
    return step->stage == &ct_exchange_stage;
}

ct_status ct_exchange_set(ct_step *step, const ct_ranks *ranks, const ct_array *whole,
                          const ct_partition *from, const ct_partition *to, ct_error *err)
{
    ct_exchange_plan *plan = ct_step_alloc(step, sizeof *plan);
    if (!plan) return ct_memory_fail(sizeof *plan, err);
    *plan = (ct_exchange_plan){ranks, *whole, *from, *to};
    step->state = plan;
    return CT_OK;
}

static void free_flows(ct_exchange_flow *flow, int count)
{
    for (int f = 0; flow && f < count; f++)
        if (!flow[f].shared) ct_memory_free(flow[f].buffer);
    ct_memory_free(flow);
}

static void exchange_release(void *state)
{
    ct_exchange *e = state;
    free_flows(e->out, e->outs);
    free_flows(e->in, e->ins);
    ct_memory_free(e->order);
    ct_memory_free(e->numbers);
    ct_memory_free(e->buffers);
    ct_memory_free(e->filler);
    ct_memory_free(e->sum);
    ct_memory_free(e);
}

static ct_status add_flow(ct_exchange_flow *flows, int *count, const ct_exchange_box *box,
                          int other, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = (size_t)CT_EXCHANGE_WINDOW * CT_EXCHANGE_PIECE;
    ct_exchange_flow *flow = &flows[*count];
    if (box->bytes == 0) return CT_OK;
    *flow = (ct_exchange_flow){.box = *box, .other = other};
    CT_NEED(flow->buffer = ct_memory_get(bytes), bytes, err);
    (*count)++;
out:
    return status;
}

/* From the next rank on, so that not all begin with the same one. */
static ct_status make_flows(ct_exchange *e, ct_error *err)
{
    ct_status status = CT_OK;
    const int ranks = e->plan.ranks->size, rank = e->plan.ranks->rank;
    const size_t bytes = sizeof *e->out * (size_t)ranks;
    CT_NEED(e->out = ct_memory_get(bytes), bytes, err);
    CT_NEED(e->in = ct_memory_get(bytes), bytes, err);
    CT_NEED(e->order = ct_memory_get(sizeof *e->order * (size_t)ranks), bytes, err);
    CT_NEED(e->numbers = ct_memory_get(4 * sizeof(int) * (size_t)ranks), bytes, err);
    CT_NEED(e->filler = ct_memory_get(CT_EXCHANGE_PIECE), CT_EXCHANGE_PIECE, err);
    CT_NEED(e->sum = ct_memory_get(CT_EXCHANGE_PIECE), CT_EXCHANGE_PIECE, err);
    for (int n = 1; n <= ranks; n++) {
        const int to = (rank + n) % ranks, from = (rank + ranks - n) % ranks;
        const ct_exchange_box out = ct_exchange_between(&e->plan, rank, to);
        const ct_exchange_box in = ct_exchange_between(&e->plan, from, rank);
        if (to != rank) CT_TRY(add_flow(e->out, &e->outs, &out, to, err));
        CT_TRY(add_flow(e->in, &e->ins, &in, from, err));
    }
out:
    return status;
}

static ct_status exchange_prepare(ct_step *step, void **state, ct_error *err)
{
    ct_status status = CT_OK;
    ct_exchange *e = ct_memory_get(sizeof *e);
    CT_NEED(e, sizeof *e, err);
    e->plan = *(const ct_exchange_plan *)step->state;
    e->x = step->port[X];
    e->y = step->port[Y];
    e->sends_any = ct_exchange_is_needed(&e->plan);
    CT_TRY(make_flows(e, err));
    *state = e;
    e = NULL;
out:
    if (e) exchange_release(e);
    return status;
}

/* ---- the first block */

/* From each to all. */
static ct_status allgather_orders(ct_exchange *e, ct_error *err)
{
    const ct_ranks *ranks = e->plan.ranks;
    const ct_exchange_order own = e->order[ranks->rank];
    int *numbers = e->numbers;
    for (int r = 0; r < ranks->size; r++) {
        numbers[r] = numbers[2 * ranks->size + r] = (int)sizeof own;
        numbers[3 * ranks->size + r] = r * (int)sizeof own;
    }
    return ct_ranks_alltoall(ranks, &own, e->order, numbers, err);
}

/* Ranks may lay out their arrays in different ways, so each has to know the others' orders; not
 * before all have come to the first block. */
static ct_status agree(ct_exchange *e, ct_error *err)
{
    ct_status status = CT_OK;
    ct_exchange_order *own = &e->order[e->plan.ranks->rank];
    memcpy(own->x, e->x.layout.dim, sizeof own->x);
    memcpy(own->y, e->y.layout.dim, sizeof own->y);
    if (e->sends_any) {
        CT_TRY(allgather_orders(e, err));
        CT_TRY(ct_exchange_share_memory(e, err));
    }
    for (int f = 0; f < e->outs; f++)
        ct_exchange_divide(&e->out[f], &e->plan.whole, own->x, e->order[e->out[f].other].y);
    for (int f = 0; f < e->ins; f++)
        ct_exchange_divide(&e->in[f], &e->plan.whole, e->order[e->in[f].other].x, own->y);
    e->agreed = true;
out:
    return status;
}

/* ---- one block */

static void *map_memory(cl_command_queue queue, cl_mem mem, cl_map_flags flags, cl_int *code)
{
    size_t bytes = 0;
    *code = clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (*code != CL_SUCCESS) return NULL;
    return clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, 0, bytes, 0, NULL, NULL, code);
}

static cl_int unmap_memory(const ct_exchange *e, int port, ct_array *array)
{
    void *data = array->data;
    array->data = NULL;
    return data ? clEnqueueUnmapMemObject(e->queue, e->mem[port], data, 0, NULL, NULL) : CL_SUCCESS;
}

static ct_status answer(cl_int first, cl_int last, ct_error *err)
{
    if (first == CL_SUCCESS && last == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, first != CL_SUCCESS ? first : last, "reaching what ranks exchange");
}

ct_status ct_exchange_agree(void *state, ct_error *err)
{
    ct_exchange *e = state;
    return e->agreed ? CT_OK : agree(e, err);
}

/* What lies around the new samples in Y, its history for one, stays. */
ct_status ct_exchange_map_arrays(void *state, void *queue, void *const mem[], ct_error *err)
{
    ct_exchange *e = state;
    cl_int first, last;
    e->queue = queue;
    e->mem[X] = mem[X];
    e->mem[Y] = mem[Y];
    e->x.data = map_memory(queue, mem[X], CL_MAP_READ, &first);
    e->y.data = map_memory(queue, mem[Y], CL_MAP_READ | CL_MAP_WRITE, &last);
    return answer(first, last, err);
}

ct_status ct_exchange_transfer_overlapped(void *state, ct_error *err)
{
    ct_exchange *e = state;
    e->overlapped = true;
    return ct_exchange_transfer(e, err);
}

ct_status ct_exchange_unmap_arrays(void *state, ct_error *err)
{
    ct_exchange *e = state;
    const cl_int first = unmap_memory(e, X, &e->x), last = unmap_memory(e, Y, &e->y);
    return answer(first, last, err);
}

/* Whatever fails here, the others wait for what this rank sends. */
static ct_status exchange_enqueue(void *state, void *queue, void *const mem[], ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_exchange_agree(state, err));
    const ct_status mapped = ct_exchange_map_arrays(state, queue, mem, err);
    status = ct_exchange_transfer(state, mapped ? NULL : err);
    const ct_status unmapped = ct_exchange_unmap_arrays(state, mapped || status ? NULL : err);
    status = mapped ? mapped : status ? status : unmapped;
out:
    return status;
}

const ct_stage ct_exchange_stage = {
    .api = CT_API,
    .version = 1,
    .name = "exchange",
    .summary = "from the parts that ranks have to other parts",
    .ports = {[X] = {"X", CT_IN, 0, "*", "*", "*", NULL, "what this rank has"},
              [Y] = {"Y", CT_OUT, 0, "*", "=X", "*", NULL, "what it gets"}},
    .engine = {.prepare = exchange_prepare,
               .enqueue = exchange_enqueue,
               .release = exchange_release},
};
