/* same.c: see same.h.
 * Room: tuner/pipeline. */
#include "same.h"

#include <string.h>

struct ct_same_row {
    int site;
    const char *digest;
    ct_answer answer;
    ct_same_row *next;
};

/* A process that died or took too long may fare better the next time. */
static bool same_would_last(const ct_answer *answer)
{
    return answer->end != CT_END_runtime && answer->end != CT_END_timeout;
}

void ct_same_keep(ct_same *same, int site, const char *digest, const ct_answer *answer,
                  ct_arena *arena)
{
    if (!digest || !*digest || !same_would_last(answer) || ct_same_find(same, site, digest)) return;
    ct_same_row *row = ct_arena_get(arena, sizeof *row);
    const char *own = ct_arena_copy(arena, digest);
    if (!row || !own) return;
    *row = (ct_same_row){site, own, *answer, same->rows};
    same->rows = row;
}

const ct_answer *ct_same_find(const ct_same *same, int site, const char *digest)
{
    const ct_same_row *row = digest && *digest ? same->rows : NULL;
    while (row && (row->site != site || strcmp(row->digest, digest) != 0))
        row = row->next;
    return row ? &row->answer : NULL;
}

void ct_same_learn(ct_same *same, int site, const ct_same *from, int other, ct_arena *arena)
{
    for (const ct_same_row *row = from->rows; row; row = row->next)
        if (row->site == other) ct_same_keep(same, site, row->digest, &row->answer, arena);
}
