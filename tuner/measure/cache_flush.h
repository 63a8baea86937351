/* cache_flush.h: a step timed as it runs in a pipeline, where other steps have used the caches
 * since.
 * Room: tuner/measure. Knows steps that are ready to be timed. Does not know any stage. */
#ifndef CT_TUNER_CACHE_FLUSH_H
#define CT_TUNER_CACHE_FLUSH_H
#include "timed_step.h"

enum { CT_CACHE_FLUSH_SIZES = 8 };

/* Puts arrays past the caches: copies them onto themselves by stores that do not leave them there.
 * Keeps the programs of the last sizes. All 0 at first. */
typedef struct ct_cache_flush {
    ct_timed_step *copy[CT_CACHE_FLUSH_SIZES];
    size_t bytes[CT_CACHE_FLUSH_SIZES];
    int next;            /* whose place the next size takes */
    ct_buffer_pool pool; /* borrowed buffers */
} ct_cache_flush;
void ct_cache_flush_free(ct_cache_flush *flush);

/* Before each run what the step reads and writes is put past the caches, where it is small enough
 * to be in one. A step that runs again and again may find its arrays in caches or not: it takes
 * half the time, or twice, and neither is what it takes in a pipeline. Does nothing on GPUs, whose
 * caches are small compared with arrays. */
typedef struct ct_flushed_step {
    ct_timed_step *timed;
    ct_cache_flush *flush;
} ct_flushed_step;
ct_timed ct_cache_flush_timed(ct_flushed_step *timed);

#endif
