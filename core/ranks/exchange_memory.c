/* exchange_memory.c: what ranks of one machine need not send each other. Where a part changes its
 * order on the way, so that it is packed and unpacked whatever carries it, the sender packs it into
 * memory that both reach, and the receiver unpacks it from there: one copy less. Where it lies as
 * it will lie, a message is one copy, and stays one. Room: core/ranks. Knows who is on this
 * machine. Does not know what pieces are. */
#include "exchange_inner.h"

#include <string.h>

#include "fail.h"
#include "memory.h"

enum { ROOM = CT_EXCHANGE_WINDOW * CT_EXCHANGE_PIECE };

static bool is_turned(const ct_exchange *e, int from, int to)
{
    return strcmp(e->order[from].x, e->order[to].y) != 0;
}

/* How many rooms the sender has before that of what goes to this rank; to itself: in all. Both come
 * to the same answer. */
static int64_t rooms_before(const ct_exchange *e, int from, int to)
{
    const int ranks = e->map.ranks->size;
    int64_t rooms = 0;
    for (int n = 1; (from + n) % ranks != to; n++) {
        const int other = (from + n) % ranks;
        if (is_turned(e, from, other) && ct_exchange_between(&e->map, from, other).bytes > 0)
            rooms++;
    }
    return rooms;
}

static void move_in(const ct_exchange *e, ct_exchange_flow *flow, int from, int to)
{
    if (from == to || !e->rooms[flow->other] || !is_turned(e, from, to)) return;
    ct_memory_free(flow->room);
    flow->room = (char *)e->rooms[from] + rooms_before(e, from, to) * ROOM;
    flow->shared = true;
}

ct_status ct_exchange_share_memory(ct_exchange *e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_ranks *ranks = e->map.ranks;
    const int rank = ranks->rank;
    const size_t bytes = sizeof *e->rooms * (size_t)ranks->size;
    const int64_t wanted = rooms_before(e, rank, rank) * ROOM;
    CT_NEED(e->rooms = ct_memory_get(bytes), bytes, err);
    CT_TRY(ct_ranks_check(ranks, ranks->wire->shared_memory(wanted, e->rooms), err));
    for (int f = 0; f < e->outs; f++)
        move_in(e, &e->out[f], rank, e->out[f].other);
    for (int f = 0; f < e->ins; f++)
        move_in(e, &e->in[f], e->in[f].other, rank);
out:
    return status;
}
