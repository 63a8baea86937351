/* dedup.h: results that are reused: two steps that are the same work for the device
 * (docs/worker.md) are measured once.
 * Room: tuner/search. Knows digests and answers. Does not know what makes two steps the same. */
#ifndef CT_TUNER_DEDUP_H
#define CT_TUNER_DEDUP_H
#include "backend.h"
#include "memory.h"

typedef struct ct_dedup_row ct_dedup_row;

/* What was measured, by the node that it counts for: ratios are to that node's default. Transposes,
 * whose ratios are to a copy, have one place for all arrays. Zeroed: nothing. */
typedef struct ct_dedup {
    ct_dedup_row *rows;
} ct_dedup;

/* Keeps only what would have the same result again; without memory for it, nothing. `digest` NULL
 * or "": not known. */
void ct_dedup_keep(ct_dedup *dedup, int node, const char *digest, const ct_answer *answer,
                   ct_arena *arena);
const ct_answer *ct_dedup_find(const ct_dedup *dedup, int node,
                               const char *digest); /* NULL: none */
/* Takes what `from` has of the same node with the same default; -1: of transposes. */
void ct_dedup_learn(ct_dedup *dedup, int node, const ct_dedup *from, int other, ct_arena *arena);

#endif
