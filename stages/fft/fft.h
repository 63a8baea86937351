/* fft.h: what the files of the FFT stage share: the shape of the work, and the list of engines.
 * Room: stages/fft. Knows the public header only; cl_ types stay inside the engines' files. */
#ifndef CT_STAGES_FFT_H
#define CT_STAGES_FFT_H
#include "cornerturn_stage.h"

enum { CT_FFT_X, CT_FFT_Y }; /* places in .ports */

/* All transforms of a block: `batch` has the first sample of each, `from` in the input and `to` in
 * the output, slowest in the output first. */
typedef struct fft_shape {
    int64_t length;  /* N */
    int64_t in, out; /* strides along C */
    ct_copy batch;
} fft_shape;

void ct_fft_shape_make(fft_shape *out, const ct_array *x, const ct_array *y);
int64_t ct_fft_shape_prime(int64_t length); /* the largest prime factor; 1 of 1 */

/* A library that transforms. The functions are those of ct_stage; largest_prime 0: any length. */
typedef struct fft_engine {
    int64_t largest_prime;
    ct_status (*prepare)(ct_step *, void **state, ct_error *);
    ct_status (*enqueue)(void *state, void *queue, void *const mem[], ct_error *);
    void (*release)(void *state);
} fft_engine;

/* How many engines the tunable ENGINE names, and whether one of them is in this build and can
 * transform this length. */
int ct_fft_engines(void);
bool ct_fft_can(int engine, int64_t length);
void ct_fft_suggest(ct_step *step);
bool ct_fft_legal(const ct_step *step);

extern const fft_engine ct_fft_fftw, ct_fft_clfft;

ct_status ct_fft_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
