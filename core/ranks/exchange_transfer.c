/* exchange_transfer.c: one block's boxes between ranks: a few pieces of each box are under way at a
 * time. What has come is brought into the order that is read next while other pieces are under way;
 * so is what stays on the rank, from X to Y. Room: core/ranks. Knows messages. Does not know
 * devices. Between two ranks messages arrive as they were sent, so pieces are begun in order. */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "exchange_inner.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "copy_stream.h"

#define ADD(type)                                                                                  \
    for (size_t i = 0; i < bytes / sizeof(type); i++)                                              \
    ((type *)to)[i] = (type)(((type *)to)[i] + ((const type *)from)[i])

/* Wraps as the kernels' own sums would. */
static void add(void *to, const void *from, size_t bytes, ct_type type)
{
    switch (type) {
    case CT_F32:
    case CT_CF32:
        ADD(float);
        break;
    case CT_CI64:
        ADD(uint64_t);
        break;
    case CT_U8:
    case CT_I8:
    case CT_CI8:
        ADD(uint8_t);
        break;
    case CT_U16:
    case CT_I16:
    case CT_CI16:
        ADD(uint16_t);
        break;
    default:
        ADD(uint32_t);
        break;
    }
}

static char *place_of(const ct_exchange_flow *flow, int64_t n)
{
    return flow->buffer ? flow->buffer + n % CT_EXCHANGE_WINDOW * CT_EXCHANGE_PIECE : NULL;
}

static bool is_own(const ct_exchange *e, const ct_exchange_flow *flow)
{
    return flow->other == e->plan.ranks->rank;
}

/* ---- sending */

/* The receiver copies it out of the buffer, and says when it has. */
static int offer_piece(ct_exchange *e, ct_exchange_flow *flow, int64_t n, int slot)
{
    const ct_wire *wire = e->plan.ranks->wire;
    const ct_array view = ct_exchange_view(e, flow, n, &e->x, &e->plan.from);
    ct_array message = ct_exchange_message(e, flow, n, place_of(flow, n));
    if (view.data) ct_copy_array(&message, &view);
    atomic_thread_fence(memory_order_seq_cst);
    const int code = wire->notify(flow->other, false);
    return code ? code : wire->expect(slot, flow->other, true);
}

static int send_piece(ct_exchange *e, ct_exchange_flow *flow, int64_t n, int slot)
{
    const ct_array view = ct_exchange_view(e, flow, n, &e->x, &e->plan.from);
    ct_array message = ct_exchange_message(e, flow, n, place_of(flow, n));
    char *data = ct_exchange_straight(&view, &flow->order);
    if (flow->shared) return offer_piece(e, flow, n, slot);
    if (!view.data) data = e->filler;
    if (!data) {
        data = message.data;
        ct_copy_array(&message, &view);
    }
    return e->plan.ranks->wire->send(slot, data, (int)ct_array_bytes(&message), flow->other);
}

/* ---- receiving */

/* Where this piece is received: its place in Y, where it lies there as in the message. */
static char *target(const ct_exchange *e, const ct_exchange_flow *flow, int64_t n)
{
    const ct_array view = ct_exchange_view(e, flow, n, &e->y, &e->plan.to);
    char *straight = flow->box.addend == 0 ? ct_exchange_straight(&view, &flow->order) : NULL;
    return straight ? straight : place_of(flow, n);
}

static int receive_piece(ct_exchange *e, ct_exchange_flow *flow, int64_t n, int slot)
{
    const ct_array message = ct_exchange_message(e, flow, n, NULL);
    if (flow->shared) return e->plan.ranks->wire->expect(slot, flow->other, false);
    return e->plan.ranks->wire->receive(slot, target(e, flow, n), (int)ct_array_bytes(&message),
                                        flow->other);
}

/* Brings a piece to Y, or adds it to what is there. */
static void put_piece(ct_exchange *e, ct_exchange_flow *flow, int64_t n, ct_array *from)
{
    ct_array to = ct_exchange_view(e, flow, n, &e->y, &e->plan.to);
    if (!to.data || !from->data) return;
    if (flow->box.addend > 0) {
        ct_array sum = ct_exchange_message(e, flow, n, e->sum);
        ct_array next = ct_exchange_message(e, flow, n, place_of(flow, n));
        if (next.data != from->data) ct_copy_array(&next, from);
        ct_copy_array(&sum, &to);
        add(sum.data, next.data, ct_array_bytes(&sum), sum.type);
        *from = sum;
    }
    ct_copy_stream(&to, from);
}

static void take_piece(ct_exchange *e, ct_exchange_flow *flow, int64_t n)
{
    ct_array message = ct_exchange_message(e, flow, n, place_of(flow, n));
    if (target(e, flow, n) == message.data) put_piece(e, flow, n, &message);
}

/* Words come in the order of pieces, though which one was for which slot is not known: the next. */
static int take_offered(ct_exchange *e, ct_exchange_flow *flow)
{
    ct_array message = ct_exchange_message(e, flow, flow->done, place_of(flow, flow->done));
    atomic_thread_fence(memory_order_seq_cst);
    put_piece(e, flow, flow->done, &message);
    atomic_thread_fence(memory_order_seq_cst);
    return e->plan.ranks->wire->notify(flow->other, true);
}

static void copy_own_piece(ct_exchange *e, ct_exchange_flow *flow)
{
    ct_array from = ct_exchange_view(e, flow, flow->begun, &e->x, &e->plan.from);
    put_piece(e, flow, flow->begun++, &from);
    flow->done++;
}

/* ---- all of them */

/* A slot of the wire is a place of a flow; those that send come first. */
static int slot_of(int flow, int64_t n)
{
    return flow * CT_EXCHANGE_WINDOW + (int)(n % CT_EXCHANGE_WINDOW);
}

static int begin(ct_exchange *e, int number)
{
    const bool sends = number < e->outs;
    ct_exchange_flow *flow = sends ? &e->out[number] : &e->in[number - e->outs];
    int code = 0;
    while (code == 0 && flow->begun < flow->pieces &&
           !flow->busy[flow->begun % CT_EXCHANGE_WINDOW]) {
        const int64_t n = flow->begun++;
        flow->busy[n % CT_EXCHANGE_WINDOW] = true;
        code = (sends ? send_piece : receive_piece)(e, flow, n, slot_of(number, n));
    }
    return code;
}

/* The piece under way in this place of the flow. */
static int64_t piece_in(const ct_exchange_flow *flow, int place)
{
    int64_t n = flow->begun - 1;
    while (n % CT_EXCHANGE_WINDOW != place)
        n--;
    return n;
}

static int finish(ct_exchange *e, int slot)
{
    const int number = slot / CT_EXCHANGE_WINDOW, place = slot % CT_EXCHANGE_WINDOW;
    const bool sends = number < e->outs;
    ct_exchange_flow *flow = sends ? &e->out[number] : &e->in[number - e->outs];
    int code = 0;
    if (!sends && flow->shared)
        code = take_offered(e, flow);
    else if (!sends)
        take_piece(e, flow, piece_in(flow, place));
    flow->busy[place] = false;
    flow->done++;
    return code ? code : begin(e, number);
}

/* Flows of this addend are begun when those before have come, so that a sum is the same each time;
 * -1: all have come. */
static int64_t lowest_addend(const ct_exchange *e)
{
    int64_t lowest = -1;
    for (int f = 0; f < e->ins; f++)
        if (e->in[f].done < e->in[f].pieces && (lowest < 0 || e->in[f].box.addend < lowest))
            lowest = e->in[f].box.addend;
    return lowest;
}

static int begin_addend(ct_exchange *e, int64_t addend)
{
    int code = 0;
    for (int f = 0; f < e->ins && code == 0; f++)
        if (e->in[f].box.addend == addend && !is_own(e, &e->in[f])) code = begin(e, e->outs + f);
    return code;
}

/* What stays on the rank and may be copied now, NULL where there is none. */
static ct_exchange_flow *own_flow(ct_exchange *e, int64_t addend)
{
    for (int f = 0; f < e->ins; f++)
        if (is_own(e, &e->in[f]) && e->in[f].box.addend == addend &&
            e->in[f].done < e->in[f].pieces)
            return &e->in[f];
    return NULL;
}

static bool is_sending(const ct_exchange *e)
{
    for (int f = 0; f < e->outs; f++)
        if (e->out[f].done < e->out[f].pieces) return true;
    return false;
}

/* A wire waits by polling, which would take the time of threads that compute meanwhile. */
static void nap(ct_exchange *e)
{
    enum { SHORT_NS = 20000, LONG_NS = 100000 };
    nanosleep(&(struct timespec){.tv_nsec = e->nap_ns}, NULL);
    e->nap_ns = e->nap_ns * 2 < LONG_NS ? e->nap_ns * 2 : LONG_NS;
    if (e->nap_ns < SHORT_NS) e->nap_ns = SHORT_NS;
}

/* One thing that can be done now, or is waited for. */
static int advance(ct_exchange *e, int64_t addend)
{
    ct_exchange_flow *own = own_flow(e, addend);
    int slot = -1;
    const int code = e->sends_any ? e->plan.ranks->wire->next(!own && !e->overlapped, &slot) : 0;
    if (code != 0) return code;
    if (!own && slot < 0 && e->overlapped) {
        nap(e);
        return 0;
    }
    e->nap_ns = 0;
    if (slot >= 0) return finish(e, slot);
    if (own) copy_own_piece(e, own);
    return 0;
}

static void forget(ct_exchange_flow *flow, int count)
{
    for (int f = 0; f < count; f++) {
        flow[f].begun = flow[f].done = 0;
        memset(flow[f].busy, 0, sizeof flow[f].busy);
    }
}

ct_status ct_exchange_transfer(ct_exchange *e, ct_error *err)
{
    const ct_ranks *ranks = e->plan.ranks;
    int64_t addend = -1;
    int code = e->sends_any ? ranks->wire->slots((e->outs + e->ins) * CT_EXCHANGE_WINDOW) : 0;
    forget(e->out, e->outs);
    forget(e->in, e->ins);
    for (int f = 0; f < e->outs && code == 0; f++)
        code = begin(e, f);
    while (code == 0) {
        const int64_t now = lowest_addend(e);
        if (now < 0 && !is_sending(e)) break;
        if (now != addend && now >= 0) code = begin_addend(e, now);
        addend = now;
        if (code == 0) code = advance(e, now);
    }
    return ct_ranks_check(ranks, code, err);
}
