/* exchange_boxes.c: who sends what to whom. Room: core/ranks. Knows partitions. Does not know
 * memory.
 */
#include "exchange_inner.h"

/* Of all ranks that have the same, the receiver itself, else the lowest. */
static int sender_of(const ct_exchange_plan *plan, int source, int to)
{
    const int64_t key = ct_partition_key(&plan->from, &plan->whole, source);
    if (ct_partition_key(&plan->from, &plan->whole, to) == key) return to;
    for (int r = 0; r < source; r++)
        if (ct_partition_key(&plan->from, &plan->whole, r) == key) return r;
    return source;
}

ct_exchange_box ct_exchange_between(const ct_exchange_plan *plan, int source, int to)
{
    ct_exchange_box box = {.bytes = (int64_t)ct_type_bits(plan->whole.type) / 8,
                           .addend = ct_partition_addend(&plan->from, source)};
    int64_t a[2][CT_DIMS], b[2][CT_DIMS];
    if (sender_of(plan, source, to) != source) return (ct_exchange_box){0};
    ct_partition_box(&plan->from, &plan->whole, source, a[0], a[1]);
    ct_partition_box(&plan->to, &plan->whole, to, b[0], b[1]);
    for (int k = 0; k < plan->whole.rank; k++) {
        const int64_t enda = a[0][k] + a[1][k], endb = b[0][k] + b[1][k];
        const int64_t first = a[0][k] > b[0][k] ? a[0][k] : b[0][k],
                      end = enda < endb ? enda : endb;
        if (end <= first) return (ct_exchange_box){0};
        box.first[k] = first;
        box.count[k] = end - first;
        box.bytes *= end - first;
    }
    return box;
}

bool ct_exchange_is_needed(const ct_exchange_plan *plan)
{
    for (int a = 0; a < plan->ranks->size; a++)
        for (int b = 0; b < plan->ranks->size; b++)
            if (a != b && ct_exchange_between(plan, a, b).bytes > 0) return true;
    return false;
}

void ct_exchange_bytes(const ct_step *step, int64_t *sent, int64_t *received, int64_t *link)
{
    const ct_exchange_plan *plan = step->state;
    *sent = *received = *link = 0;
    for (int r = 0; r < plan->ranks->size; r++) {
        if (r == plan->ranks->rank) continue;
        const int64_t out = ct_exchange_between(plan, plan->ranks->rank, r).bytes;
        *sent += out;
        *received += ct_exchange_between(plan, r, plan->ranks->rank).bytes;
        if (out > *link) *link = out;
    }
}
