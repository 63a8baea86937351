/* fft_threads.h: the host's threads that share a block's tiles, each on a core of its own.
 * Room: stages/fft. Knows threads and cores. Does not know transforms. */
#ifndef CT_STAGES_FFT_THREADS_H
#define CT_STAGES_FFT_THREADS_H
#include "cornerturn_stage.h"

enum { FFT_THREADS = 64 }; /* most of them */

typedef struct fft_threads fft_threads;

/* Takes tiles until none is left; `number` tells those apart that run at the same time. */
typedef void fft_job(void *work, int number);

/* So many, on the cores that the process may use now. They live as long as the step. */
fft_threads *ct_fft_threads_new(ct_step *step, int64_t count);
int ct_fft_threads_count(const fft_threads *threads);

/* Runs the job on the caller's thread and on as many others as can be had, each with its own number
 * below the count, and waits for all. */
void ct_fft_threads_run(const fft_threads *threads, fft_job *job, void *work);

#endif
