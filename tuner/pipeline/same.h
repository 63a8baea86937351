/* same.h: measurements that another one stands for: two steps that are the same work for the device
 * (docs/worker.md) are measured once.
 * Room: tuner/pipeline. Knows digests and answers. Does not know what makes two steps the same. */
#ifndef CT_TUNER_SAME_H
#define CT_TUNER_SAME_H
#include "memory.h"
#include "meter.h"

typedef struct ct_same_row ct_same_row;

/* What was measured, by the site that it counts for: ratios are to that site's default. Transposes,
 * whose ratios are to a copy, have one place for all arrays. Zeroed: nothing. */
typedef struct ct_same {
    ct_same_row *rows;
} ct_same;

/* Only what would come out alike again is kept; without memory for it, nothing. `digest` NULL or
 * "": not known. */
void ct_same_keep(ct_same *same, int site, const char *digest, const ct_answer *answer,
                  ct_arena *arena);
const ct_answer *ct_same_find(const ct_same *same, int site, const char *digest); /* NULL: none */
/* What another one knows of a site of the same node and default; -1: of transposes. */
void ct_same_learn(ct_same *same, int site, const ct_same *from, int other, ct_arena *arena);

#endif
