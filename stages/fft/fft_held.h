/* fft_held.h: FFTW's choice among its own ways, which is the same in every process.
 * Room: stages/fft. Knows FFTW. Does not know steps or tiles. */
#ifndef CT_STAGES_FFT_HELD_H
#define CT_STAGES_FFT_HELD_H
#include <fftw3.h>
#include <stdint.h>

/* `rows` forward transforms of `length`; elements from one row to the next. */
typedef struct fft_rows {
    int64_t length, rows, from, to;
} fft_rows;

/* Plans rows, or only one row where that is held to be as good: then it sets rows to 1. Two
 * different addresses, aligned as those that it will run on; nothing there is touched. NULL where
 * FFTW has no plan. */
fftwf_plan ct_fft_held_plan(fft_rows *rows, void *from, void *to);

#endif
