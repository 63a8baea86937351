/* time_copy.h: samples along time, copied on the device between arrays of one layout.
 * Room: core/regroup. */
#ifndef CT_CORE_TIME_COPY_H
#define CT_CORE_TIME_COPY_H
#include "device.h"

/* A place in an array in device memory: `mem` is a cl_mem, and the array's first sample is at the
 * array's offset. */
typedef struct ct_time_place {
    void *mem;
    const ct_array *array;
    int64_t sample;
} ct_time_place;

/* A GPU's kernels for this, built for the first copy. */
typedef struct ct_time_mover ct_time_mover;
void ct_time_mover_free(ct_time_mover *mover); /* NULL is fine */

/* Enqueues the copy of `count` samples along T. Arrays may have other extents along T. In one
 * memory the samples move towards the start, as far as they do, and may overlap themselves.
 * `mover`: where a GPU's kernels are kept, NULL for a CPU. `doing`: for messages. */
ct_status ct_time_copy(ct_time_mover **mover, void *queue, ct_time_place to, ct_time_place from,
                       int64_t count, const char *doing, ct_error *err);

#endif
