/* transform.h: a discrete Fourier transform in double precision, lengths of powers of two.
 * Room: io/simulate. The simulator's own, so that it needs no FFT library. */
#ifndef CT_STAGES_SIMULATE_TRANSFORM_H
#define CT_STAGES_SIMULATE_TRANSFORM_H
#include "cornerturn_stage.h"

typedef struct sim_transform {
    const ct_step *step; /* tells whether to stop */
    int64_t length;
    ct_complex *twiddle; /* of powers of two n below `length`, at n + k: exp(-pi i k / n), k < n */
} sim_transform;

sim_transform ct_transform_new(ct_step *step, int64_t length); /* memory lives as the step */
/* In place; backward is not divided by the length. */
void ct_transform_forward(const sim_transform *transform, ct_complex *data);
void ct_transform_backward(const sim_transform *transform, ct_complex *data);

#endif
