/* exchange_pieces.c: how a box is divided into messages. A piece is a box that is long along what
 * is fastest in the sender's memory, so that packing copies long runs (or nothing), and long along
 * what is fastest in the receiver's, so that it writes whole cache lines. Room: core/ranks. Knows
 * orders of dimensions. Does not know who sends what, or when. */
#include "exchange_inner.h"

#include <string.h>

/* Bytes that shall lie together on either side, where the box has them. */
enum { RUN_SENDER = 1024, RUN_RECEIVER = 128 };

/* Makes the box longer along what is fastest in this order, until so many bytes lie together. */
static void grow(ct_exchange_flow *flow, const ct_array *whole, const char *order, int64_t bytes)
{
    const int64_t size = (int64_t)ct_type_bits(whole->type) / 8;
    int64_t run = size, all = size;
    for (int k = 0; k < whole->rank; k++)
        all *= flow->each[k];
    for (int n = whole->rank - 1; n >= 0 && run < bytes; n--) {
        const int k = ct_array_find(whole, order[n]);
        const int64_t others = all / flow->each[k], most = CT_EXCHANGE_PIECE / others;
        int64_t wanted = (bytes + run - 1) / run;
        if (wanted > most) wanted = most;
        if (wanted > flow->box.count[k]) wanted = flow->box.count[k];
        if (wanted > flow->each[k]) flow->each[k] = wanted;
        all = others * flow->each[k];
        run *= flow->each[k];
        if (flow->each[k] < flow->box.count[k]) break;
    }
}

/* As many pieces, of about the same length. */
static void balance(ct_exchange_flow *flow, int rank)
{
    flow->pieces = 1;
    for (int k = 0; k < rank; k++) {
        const int64_t pieces = ct_divide_up(flow->box.count[k], flow->each[k]);
        flow->each[k] = ct_divide_up(flow->box.count[k], pieces);
        flow->pieces *= ct_divide_up(flow->box.count[k], flow->each[k]);
    }
}

void ct_exchange_divide(ct_exchange_flow *flow, const ct_array *whole, const char *sender,
                        const char *receiver)
{
    flow->order = (ct_layout){.rank = whole->rank};
    memcpy(flow->order.dim, sender, (size_t)whole->rank);
    for (int k = 0; k < whole->rank; k++)
        flow->each[k] = 1;
    grow(flow, whole, sender, RUN_SENDER);
    grow(flow, whole, receiver, RUN_RECEIVER);
    grow(flow, whole, sender, CT_EXCHANGE_PIECE);
    balance(flow, whole->rank);
}

/* The box of piece n, as indices of the whole array: the sender's slowest dimension comes last. */
static void piece_box(const ct_exchange_flow *flow, const ct_array *whole, int64_t n,
                      int64_t first[CT_DIMS], int64_t count[CT_DIMS])
{
    for (int d = whole->rank - 1; d >= 0; d--) {
        const int k = ct_array_find(whole, flow->order.dim[d]);
        const int64_t pieces = ct_divide_up(flow->box.count[k], flow->each[k]);
        const int64_t at = n % pieces * flow->each[k], left = flow->box.count[k] - at;
        n /= pieces;
        first[k] = flow->box.first[k] + at;
        count[k] = left < flow->each[k] ? left : flow->each[k];
    }
}

ct_array ct_exchange_message(const ct_exchange *e, const ct_exchange_flow *flow, int64_t n,
                             char *data)
{
    int64_t first[CT_DIMS];
    ct_array box = e->plan.whole;
    piece_box(flow, &e->plan.whole, n, first, box.extent);
    ct_array_dense(&box, &flow->order);
    box.data = data;
    return box;
}

ct_array ct_exchange_view(const ct_exchange *e, const ct_exchange_flow *flow, int64_t n,
                          const ct_array *own, const ct_partition *partition)
{
    int64_t first[CT_DIMS], count[CT_DIMS], has[2][CT_DIMS];
    const ct_array *whole = &e->plan.whole;
    ct_array box = *own;
    piece_box(flow, whole, n, first, count);
    ct_partition_box(partition, whole, e->plan.ranks->rank, has[0], has[1]);
    for (int k = 0; k < whole->rank; k++)
        box = ct_array_part(&box, whole->dim[k], first[k] - has[0][k], count[k]);
    return box;
}

char *ct_exchange_straight(const ct_array *view, const ct_layout *order)
{
    int64_t stride = 1;
    if (!view->data) return NULL;
    for (int d = order->rank - 1; d >= 0; d--) {
        const int k = ct_array_find(view, order->dim[d]);
        if (view->extent[k] == 1) continue;
        if (view->stride[k] != stride) return NULL;
        stride *= view->extent[k];
    }
    return (char *)view->data + view->offset * ((int64_t)ct_type_bits(view->type) / 8);
}
