/* exchange_memory.c: what ranks of one machine need not send each other. Where a box changes its
 * order on the way, so that it is packed and unpacked in any case, the sender packs it into
 * memory that both reach, and the receiver unpacks it from there: one copy less. Where it lies as
 * it will lie, a message is one copy, and stays one. Room: core/ranks. Knows who is on this
 * machine. Does not know what pieces are. */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "exchange_inner.h"

#include <string.h>

#include "fail.h"
#include "memory.h"

enum { BUFFER = CT_EXCHANGE_WINDOW * CT_EXCHANGE_PIECE };

static bool is_reordered(const ct_exchange *e, int from, int to)
{
    return strcmp(e->order[from].x, e->order[to].y) != 0;
}

/* How many buffers the sender has before that for this rank; to itself: in all. The answer is the
 * same on both. */
static int64_t buffers_before(const ct_exchange *e, int from, int to)
{
    const int ranks = e->plan.ranks->size;
    int64_t count = 0;
    for (int n = 1; (from + n) % ranks != to; n++) {
        const int other = (from + n) % ranks;
        if (is_reordered(e, from, other) && ct_exchange_between(&e->plan, from, other).bytes > 0)
            count++;
    }
    return count;
}

static void use_shared(const ct_exchange *e, ct_exchange_flow *flow, int from, int to)
{
    if (from == to || !e->buffers[flow->other] || !is_reordered(e, from, to)) return;
    ct_memory_free(flow->buffer);
    flow->buffer = (char *)e->buffers[from] + buffers_before(e, from, to) * BUFFER;
    flow->shared = true;
}

ct_status ct_exchange_share_memory(ct_exchange *e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_ranks *ranks = e->plan.ranks;
    const int rank = ranks->rank;
    const size_t bytes = sizeof *e->buffers * (size_t)ranks->size;
    const int64_t wanted = buffers_before(e, rank, rank) * BUFFER;
    CT_NEED(e->buffers = ct_memory_get(bytes), bytes, err);
    CT_TRY(ct_ranks_check(ranks, ranks->wire->shared_memory(wanted, e->buffers), err));
    for (int f = 0; f < e->outs; f++)
        use_shared(e, &e->out[f], rank, e->out[f].other);
    for (int f = 0; f < e->ins; f++)
        use_shared(e, &e->in[f], e->in[f].other, rank);
out:
    return status;
}
