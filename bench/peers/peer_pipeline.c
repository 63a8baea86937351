/* peer_pipeline.c: whole pipelines as one writes them by hand for one telescope: filter bank, beam
 * former, and a correlator of the beams, with FFTW, a BLAS and OpenMP. Every order is chosen so
 * that no library has to copy: a thread filters and transforms spectra of one series while they
 * are in its cache, writes them as C S P T, and each channel is then one cgemm and one cherk.
 * Room: bench/peers. Knows FFTW and BLAS. */
#include "peer.h"

#include <cblas.h>
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* Spectra of a series that a thread holds at a time. */
enum { SPECTRA = 32 };

enum {
    SERIES = STATIONS * POLS,
    HISTORY = TAPS - 1,
    LANES = 2 * CHANNELS,
    COLUMNS = POLS * TIMES,
    ROWS = BEAMS * POLS
};

typedef struct pipeline {
    int8_t *in;                  /* SERIES, HISTORY + TIMES, CHANNELS, 2 */
    float *taps;                 /* TAPS, CHANNELS, 2: each twice, for real and imaginary parts */
    float *tile;                 /* of each thread: SPECTRA, CHANNELS, 2 */
    fftwf_plan plan;             /* of one tile, in place */
    float complex *voltages;     /* CHANNELS, STATIONS, POLS, TIMES */
    float complex *weights;      /* CHANNELS, BEAMS, STATIONS */
    float complex *beams;        /* CHANNELS, BEAMS, POLS, TIMES */
    float complex *visibilities; /* CHANNELS, ROWS, ROWS */
} pipeline;

static void pipeline_plan(pipeline *state)
{
    const int length = CHANNELS;
    fftwf_complex *tile = (fftwf_complex *)state->tile;
    state->plan = fftwf_plan_many_dft(1, &length, SPECTRA, tile, NULL, 1, CHANNELS, tile, NULL, 1,
                                      CHANNELS, FFTW_FORWARD, FFTW_MEASURE);
}

static void *pipeline_prepare(size_t size)
{
    (void)size;
    pipeline *state = calloc(1, sizeof *state);
    const size_t count = (size_t)SERIES * (HISTORY + TIMES) * LANES;
    const size_t weights = (size_t)CHANNELS * BEAMS * STATIONS;
    state->in = peer_pages(count);
    state->taps = peer_pages(sizeof(float) * TAPS * LANES);
    state->tile = peer_pages(sizeof(float) * SPECTRA * LANES * (size_t)omp_get_max_threads());
    state->voltages = peer_pages(sizeof(float complex) * CHANNELS * SERIES * TIMES);
    state->weights = peer_pages(sizeof(float complex) * weights);
    state->beams = peer_pages(sizeof(float complex) * CHANNELS * ROWS * TIMES);
    state->visibilities = peer_pages(sizeof(float complex) * CHANNELS * ROWS * ROWS);
    pipeline_plan(state);
    for (size_t i = 0; i < count; i++)
        state->in[i] = (int8_t)lrintf(15.0f * peer_number(i));
    for (size_t i = 0; i < (size_t)TAPS * LANES; i++)
        state->taps[i] = peer_number(i / 2);
    for (size_t i = 0; i < weights; i++)
        state->weights[i] = CMPLXF(peer_number(3 * i), peer_number(3 * i + 2));
    return state;
}

/* ---------------------------------------------------------------- one block */

static void pipeline_filter(const pipeline *state, size_t series, size_t first, float *tile)
{
    for (size_t t = 0; t < SPECTRA; t++) {
        const int8_t *in = state->in + (series * (HISTORY + TIMES) + first + t) * LANES;
#pragma omp simd
        for (size_t lane = 0; lane < LANES; lane++) {
            float sum = 0.0f;
            for (size_t k = 0; k < TAPS; k++)
                sum += state->taps[k * LANES + lane] * in[k * LANES + lane];
            tile[t * LANES + lane] = sum;
        }
    }
}

/* From spectra to runs of times, one of each channel. */
static void pipeline_transpose(const pipeline *state, size_t series, size_t first,
                               const float *tile)
{
    const float complex *from = (const float complex *)(const void *)tile;
    for (size_t c = 0; c < CHANNELS; c++) {
        float complex *to = state->voltages + (c * SERIES + series) * TIMES + first;
        for (size_t t = 0; t < SPECTRA; t++)
            to[t] = from[t * CHANNELS + c];
    }
}

static void pipeline_spectra(const pipeline *state)
{
#pragma omp parallel for schedule(static) collapse(2)
    for (size_t series = 0; series < SERIES; series++)
        for (size_t first = 0; first < TIMES; first += SPECTRA) {
            float *tile = state->tile + (size_t)omp_get_thread_num() * SPECTRA * LANES;
            pipeline_filter(state, series, first, tile);
            fftwf_execute_dft(state->plan, (fftwf_complex *)tile, (fftwf_complex *)tile);
            pipeline_transpose(state, series, first, tile);
        }
}

static void pipeline_form(const pipeline *state, size_t c)
{
    const float complex one = 1.0f, zero = 0.0f;
    cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, BEAMS, COLUMNS, STATIONS, &one,
                state->weights + c * BEAMS * STATIONS, STATIONS,
                state->voltages + c * SERIES * TIMES, COLUMNS, &zero,
                state->beams + c * ROWS * TIMES, COLUMNS);
}

static void pipeline1_round(void *given)
{
    const pipeline *state = given;
    pipeline_spectra(state);
#pragma omp parallel for schedule(dynamic)
    for (size_t c = 0; c < CHANNELS; c++)
        pipeline_form(state, c);
}

/* A channel's beams are correlated while they are in the cache. */
static void pipeline2_round(void *given)
{
    const pipeline *state = given;
    pipeline_spectra(state);
#pragma omp parallel for schedule(dynamic)
    for (size_t c = 0; c < CHANNELS; c++) {
        pipeline_form(state, c);
        cblas_cherk(CblasRowMajor, CblasLower, CblasNoTrans, ROWS, TIMES, 1.0f,
                    state->beams + c * ROWS * TIMES, TIMES, 0.0f,
                    state->visibilities + c * ROWS * ROWS, ROWS);
    }
}

/* ---------------------------------------------------------------- against the definition */

static double complex voltage(const pipeline *state, size_t series, size_t t, size_t c)
{
    const double angle = -2.0 * acos(-1.0) / CHANNELS;
    const int8_t *in = state->in + (series * (HISTORY + TIMES) + t) * LANES;
    double complex sum = 0.0;
    for (size_t i = 0; i < CHANNELS; i++) {
        double re = 0.0, im = 0.0;
        for (size_t k = 0; k < TAPS; k++) {
            const double tap = state->taps[k * LANES + 2 * i];
            re += tap * in[k * LANES + 2 * i];
            im += tap * in[k * LANES + 2 * i + 1];
        }
        sum += (re + I * im) * cexp(I * angle * (double)(i * c % CHANNELS));
    }
    return sum;
}

static double complex beam(const pipeline *state, size_t b, size_t p, size_t t, size_t c)
{
    double complex sum = 0.0;
    for (size_t s = 0; s < STATIONS; s++)
        sum += (double complex)state->weights[(c * BEAMS + b) * STATIONS + s] *
               voltage(state, s * POLS + p, t, c);
    return sum;
}

static double pipeline1_error(void *given)
{
    const pipeline *state = given;
    double worst = 0.0, power = 0.0;
    enum { CHECKS = 60 };
    for (size_t n = 0; n < CHECKS; n++) {
        const size_t b = n * 53 % BEAMS, p = n % POLS, t = n * 29 % TIMES, c = n * 37 % CHANNELS;
        const double complex sum = beam(state, b, p, t, c);
        worst = fmax(worst, cabs(sum - state->beams[(c * ROWS + b * POLS + p) * TIMES + t]));
        power += creal(sum * conj(sum));
    }
    return worst / sqrt(power / CHECKS);
}

/* Beams are right (above): visibilities are compared with these. */
static double pipeline2_error(void *given)
{
    const pipeline *state = given;
    double worst = 0.0, power = 0.0;
    enum { CHECKS = 300 };
    for (size_t n = 0; n < CHECKS; n++) {
        const size_t c = n * 37 % CHANNELS, i = n * 53 % ROWS, j = n * 29 % (i + 1);
        const float complex *a = state->beams + (c * ROWS + i) * TIMES;
        const float complex *b = state->beams + (c * ROWS + j) * TIMES;
        double complex sum = 0.0;
        for (size_t t = 0; t < TIMES; t++)
            sum += (double complex)a[t] * conj((double complex)b[t]);
        worst = fmax(worst, cabs(sum - state->visibilities[(c * ROWS + i) * ROWS + j]));
        power += creal(sum * conj(sum));
    }
    return fmax(worst / sqrt(power / CHECKS), pipeline1_error(given));
}

/* Useful operations: 4 for each tap and sample, 5 n log2 n for a transform, 8 for a complex
 * multiply and add; all baselines with autocorrelations, all four products. */
#define SAMPLES ((double)SERIES * TIMES * CHANNELS)
#define BANK_FLOPS ((4.0 * TAPS + 5.0 * 8) * SAMPLES)
#define BEAMS_FLOPS (8.0 * BEAMS * SAMPLES)
#define PRODUCTS_FLOPS (8.0 * (BEAMS * (BEAMS + 1) / 2) * 4 * CHANNELS * TIMES)
#define PIPELINE1_BYTES (2.0 * SAMPLES + 8.0 * CHANNELS * TIMES * ROWS)
#define PIPELINE2_BYTES (2.0 * SAMPLES + 8.0 * CHANNELS * 4 * (BEAMS * (BEAMS + 1) / 2))
#define AVX512 "OPENBLAS_CORETYPE=SKYLAKEX"

int main(int argc, char **argv)
{
    static const peer peers[] = {
        {"pipeline1", "filter bank and beam former by hand", NULL, BANK_FLOPS + BEAMS_FLOPS,
         PIPELINE1_BYTES, 0, pipeline_prepare, pipeline1_round, pipeline1_error, 1e-5},
        {"pipeline1-avx512", "the same, OpenBLAS with its AVX-512 kernels", AVX512,
         BANK_FLOPS + BEAMS_FLOPS, PIPELINE1_BYTES, 0, pipeline_prepare, pipeline1_round,
         pipeline1_error, 1e-5},
        {"pipeline2", "and a correlator of the beams by hand", NULL,
         BANK_FLOPS + BEAMS_FLOPS + PRODUCTS_FLOPS, PIPELINE2_BYTES, 0, pipeline_prepare,
         pipeline2_round, pipeline2_error, 1e-5},
        {"pipeline2-avx512", "the same, OpenBLAS with its AVX-512 kernels", AVX512,
         BANK_FLOPS + BEAMS_FLOPS + PRODUCTS_FLOPS, PIPELINE2_BYTES, 0, pipeline_prepare,
         pipeline2_round, pipeline2_error, 1e-5},
        {0}};
    return peer_main(argc, argv, peers);
}
