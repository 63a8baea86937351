/* fourier.h: a fast Fourier transform in single precision, lengths of powers of two from 8 on.
 * Room: io/simulate. For what is made while it is read; transform.h is the one in double precision.
 */
#ifndef CT_STAGES_SIMULATE_FOURIER_H
#define CT_STAGES_SIMULATE_FOURIER_H
#include "cornerturn_stage.h"

/* Real and imaginary parts apart, so that the compiler makes vectors of them. */
typedef struct sim_wave {
    float *re, *im;
} sim_wave;

typedef struct sim_fourier {
    int64_t length;
    sim_wave twiddle;  /* exp(-2 pi i k / length), all k */
    sim_wave first[3]; /* those of the first pass, one after another */
} sim_fourier;

sim_wave ct_fourier_wave(ct_step *step, int64_t length);     /* re NULL: there is no memory */
sim_fourier ct_fourier_new(ct_step *step, int64_t length);   /* memory lives as the step */
static inline bool ct_fourier_is(const sim_fourier *fourier) /* whether there was memory */
{
    return fourier->first[2].re != NULL;
}
/* From `data` to `data`; `work` is as long. Backward is not divided by the length. */
void ct_fourier_forward(const sim_fourier *fourier, sim_wave data, sim_wave work);
void ct_fourier_backward(const sim_fourier *fourier, sim_wave data, sim_wave work);

#endif
