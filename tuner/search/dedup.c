/* dedup.c: see dedup.h.
 * Room: tuner/search. */
#include "dedup.h"

#include <string.h>

struct ct_dedup_row {
    int node;
    const char *digest;
    ct_answer answer;
    ct_dedup_row *next;
};

/* A process that died or took too long may succeed the next time. */
static bool dedup_would_last(const ct_answer *answer)
{
    return answer->end != CT_END_runtime && answer->end != CT_END_timeout;
}

void ct_dedup_keep(ct_dedup *dedup, int node, const char *digest, const ct_answer *answer,
                   ct_arena *arena)
{
    if (!digest || !*digest || !dedup_would_last(answer) || ct_dedup_find(dedup, node, digest))
        return;
    ct_dedup_row *row = ct_arena_get(arena, sizeof *row);
    const char *own = ct_arena_copy(arena, digest);
    if (!row || !own) return;
    *row = (ct_dedup_row){node, own, *answer, dedup->rows};
    dedup->rows = row;
}

const ct_answer *ct_dedup_find(const ct_dedup *dedup, int node, const char *digest)
{
    const ct_dedup_row *row = digest && *digest ? dedup->rows : NULL;
    while (row && (row->node != node || strcmp(row->digest, digest) != 0))
        row = row->next;
    return row ? &row->answer : NULL;
}

void ct_dedup_learn(ct_dedup *dedup, int node, const ct_dedup *from, int other, ct_arena *arena)
{
    for (const ct_dedup_row *row = from->rows; row; row = row->next)
        if (row->node == other) ct_dedup_keep(dedup, node, row->digest, &row->answer, arena);
}
