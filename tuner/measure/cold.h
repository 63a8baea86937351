/* cold.h: a work timed as it runs in a pipeline, where other steps have used the caches since.
 * Room: tuner/measure. Knows works. Does not know any stage. */
#ifndef CT_TUNER_COLD_H
#define CT_TUNER_COLD_H
#include "work.h"

enum { CT_COLD_SIZES = 8 };

/* Puts arrays past the caches: copies them onto themselves by stores that do not leave them there.
 * Of the sizes that were asked for last the programs stay. All 0 at first. */
typedef struct ct_cold {
    ct_work *copy[CT_COLD_SIZES];
    size_t bytes[CT_COLD_SIZES];
    int next;     /* whose place the next size takes */
    ct_pool pool; /* borrowed buffers */
} ct_cold;
void ct_cold_free(ct_cold *cold);

/* Before each run what the work reads and writes is put past the caches, where it is small enough
 * to be in one. A step that runs again and again finds its arrays there or not, as it, or who ran
 * before it, left them: half the time, or twice, and neither is what it takes in a pipeline. On
 * GPUs nothing is done, whose caches are small beside arrays. */
typedef struct ct_cold_work {
    ct_work *work;
    ct_cold *cold;
} ct_cold_work;
ct_timed ct_cold_timed(ct_cold_work *work);

#endif
