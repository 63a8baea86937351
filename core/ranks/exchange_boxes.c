/* exchange_boxes.c: who gives what to whom. Room: core/ranks. Knows shares. Does not know memory.
 */
#include "exchange_inner.h"

/* Of all who have the same, the receiver itself, else the lowest rank. */
static int giver(const ct_exchange_plan *map, int source, int to)
{
    const int64_t cell = ct_partition_key(&map->from, &map->whole, source);
    if (ct_partition_key(&map->from, &map->whole, to) == cell) return to;
    for (int r = 0; r < source; r++)
        if (ct_partition_key(&map->from, &map->whole, r) == cell) return r;
    return source;
}

ct_exchange_box ct_exchange_between(const ct_exchange_plan *map, int source, int to)
{
    ct_exchange_box part = {.bytes = (int64_t)ct_type_bits(map->whole.type) / 8,
                            .addend = ct_partition_addend(&map->from, source)};
    int64_t a[2][CT_DIMS], b[2][CT_DIMS];
    if (giver(map, source, to) != source) return (ct_exchange_box){0};
    ct_partition_box(&map->from, &map->whole, source, a[0], a[1]);
    ct_partition_box(&map->to, &map->whole, to, b[0], b[1]);
    for (int k = 0; k < map->whole.rank; k++) {
        const int64_t enda = a[0][k] + a[1][k], endb = b[0][k] + b[1][k];
        const int64_t first = a[0][k] > b[0][k] ? a[0][k] : b[0][k],
                      end = enda < endb ? enda : endb;
        if (end <= first) return (ct_exchange_box){0};
        part.first[k] = first;
        part.count[k] = end - first;
        part.bytes *= end - first;
    }
    return part;
}

bool ct_exchange_is_needed(const ct_exchange_plan *map)
{
    for (int a = 0; a < map->ranks->size; a++)
        for (int b = 0; b < map->ranks->size; b++)
            if (a != b && ct_exchange_between(map, a, b).bytes > 0) return true;
    return false;
}

void ct_exchange_bytes(const ct_step *step, int64_t *sent, int64_t *received, int64_t *link)
{
    const ct_exchange_plan *map = step->state;
    *sent = *received = *link = 0;
    for (int r = 0; r < map->ranks->size; r++) {
        if (r == map->ranks->rank) continue;
        const int64_t out = ct_exchange_between(map, map->ranks->rank, r).bytes;
        *sent += out;
        *received += ct_exchange_between(map, r, map->ranks->rank).bytes;
        if (out > *link) *link = out;
    }
}
