/* output_sample.h: some of what a step writes, to tell whether another one writes the same: a
 * kernel that writes nothing is the fastest of all, and must not win. Room: tuner/measure. Knows
 * buffers and types. Does not know any stage. */
#ifndef CT_TUNER_OUTPUT_SAMPLE_H
#define CT_TUNER_OUTPUT_SAMPLE_H
#include "timed_step.h"

typedef struct ct_sample {
    ct_array array; /* what was written, in the order of its memory */
    size_t bytes;
    unsigned char *data;
    double seconds; /* that it took, the first time after the build */
} ct_sample;

/* Poisons pieces of the first output, runs the step once and reads them back. */
ct_status ct_sample_take(ct_sample *out, ct_timed_step *work, ct_error *err);
/* Integers exactly; floats within a thousandth of their size, since sums may be reordered. */
bool ct_sample_same(const ct_sample *a, const ct_sample *b);
void ct_sample_free(ct_sample *sample);

#endif
