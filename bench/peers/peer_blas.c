/* peer_blas.c: the correlator and the beam former as OpenBLAS calls, one per channel, channels
 * shared out by OpenMP. OpenBLAS takes Zen 5 for a Haswell; the rows "-avx512" force its SkylakeX
 * kernels. Room: bench/peers. Knows BLAS. Input orders are those in which BLAS needs no copy. */
#include "peer.h"

#include <cblas.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { ROWS = STATIONS * POLS };

typedef struct blas {
    float complex *in, *weights, *out;
} blas;

static blas *blas_new(size_t in, size_t weights, size_t out)
{
    blas *state = calloc(1, sizeof *state);
    state->in = peer_pages(in * sizeof *state->in);
    state->weights = peer_pages(weights * sizeof *state->weights);
    state->out = peer_pages(out * sizeof *state->out);
    for (size_t i = 0; i < in; i++)
        state->in[i] = CMPLXF(peer_number(2 * i), peer_number(2 * i + 1));
    for (size_t i = 0; i < weights; i++)
        state->weights[i] = CMPLXF(peer_number(3 * i), peer_number(3 * i + 2));
    return state;
}

/* ---------------------------------------------------------------- correlator: C T (SP) -> C
 * (SP)(SP) */

static void *cherk_prepare(size_t size)
{
    (void)size;
    return blas_new((size_t)CHANNELS * TIMES * ROWS, 0, (size_t)CHANNELS * ROWS * ROWS);
}

/* V_ij = sum_t x_i conj(x_j); the lower triangle. */
static void cherk_round(void *given)
{
    blas *state = given;
#pragma omp parallel for schedule(dynamic)
    for (int c = 0; c < CHANNELS; c++)
        cblas_cherk(CblasColMajor, CblasLower, CblasNoTrans, ROWS, TIMES, 1.0f,
                    state->in + (size_t)c * TIMES * ROWS, ROWS, 0.0f,
                    state->out + (size_t)c * ROWS * ROWS, ROWS);
}

static double cherk_error(void *given)
{
    const blas *state = given;
    double worst = 0.0, power = 0.0;
    for (int n = 0; n < 500; n++) {
        int c = n * 37 % CHANNELS, i = n * 53 % ROWS, j = n * 29 % (i + 1);
        const float complex *in = state->in + (size_t)c * TIMES * ROWS;
        double complex sum = 0.0;
        for (int t = 0; t < TIMES; t++)
            sum += (double complex)in[t * ROWS + i] * conj((double complex)in[t * ROWS + j]);
        double error = cabs(sum - state->out[((size_t)c * ROWS + (size_t)j) * ROWS + (size_t)i]);
        worst = fmax(worst, error);
        power += creal(sum * conj(sum));
    }
    return worst / sqrt(power / 500);
}

/* ---------------------------------------------------------------- beam former: C S (TP) -> C B
 * (TP) */

enum { COLUMNS = TIMES * POLS };

static void *cgemm_prepare(size_t size)
{
    (void)size;
    return blas_new((size_t)CHANNELS * STATIONS * COLUMNS, (size_t)CHANNELS * BEAMS * STATIONS,
                    (size_t)CHANNELS * BEAMS * COLUMNS);
}

static void cgemm_round(void *given)
{
    blas *state = given;
    const float complex one = 1.0f, zero = 0.0f;
#pragma omp parallel for schedule(dynamic)
    for (int c = 0; c < CHANNELS; c++)
        cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, BEAMS, COLUMNS, STATIONS, &one,
                    state->weights + (size_t)c * BEAMS * STATIONS, STATIONS,
                    state->in + (size_t)c * STATIONS * COLUMNS, COLUMNS, &zero,
                    state->out + (size_t)c * BEAMS * COLUMNS, COLUMNS);
}

static double cgemm_error(void *given)
{
    const blas *state = given;
    double worst = 0.0, power = 0.0;
    for (size_t n = 0; n < 500; n++) {
        size_t c = n * 37 % CHANNELS, b = n * 53 % BEAMS, t = n * 29 % COLUMNS;
        double complex sum = 0.0;
        for (size_t s = 0; s < STATIONS; s++)
            sum += (double complex)state->weights[(c * BEAMS + b) * STATIONS + s] *
                   (double complex)state->in[(c * STATIONS + s) * COLUMNS + t];
        worst = fmax(worst, cabs(sum - state->out[(c * BEAMS + b) * COLUMNS + t]));
        power += creal(sum * conj(sum));
    }
    return worst / sqrt(power / 500);
}

/* Useful operations: a complex multiply and add is 8; all baselines with autocorrelations, all four
 * products. */
#define CORRELATOR_FLOPS (8.0 * (STATIONS * (STATIONS + 1) / 2) * 4 * CHANNELS * TIMES)
#define CORRELATOR_BYTES (8.0 * CHANNELS * (ROWS * TIMES + 4.0 * STATIONS * (STATIONS + 1) / 2))
#define BEAMS_FLOPS (8.0 * BEAMS * STATIONS * COLUMNS * CHANNELS)
#define BEAMS_BYTES (8.0 * CHANNELS * COLUMNS * (STATIONS + BEAMS))
#define AVX512 "OPENBLAS_CORETYPE=SKYLAKEX"

int main(int argc, char **argv)
{
    static const peer peers[] = {
        {"cherk", "OpenBLAS cherk, kernels as detected", NULL, CORRELATOR_FLOPS, CORRELATOR_BYTES,
         0, cherk_prepare, cherk_round, cherk_error, 1e-5},
        {"cherk-avx512", "OpenBLAS cherk, AVX-512 kernels forced", AVX512, CORRELATOR_FLOPS,
         CORRELATOR_BYTES, 0, cherk_prepare, cherk_round, cherk_error, 1e-5},
        {"cgemm", "OpenBLAS cgemm, kernels as detected", NULL, BEAMS_FLOPS, BEAMS_BYTES, 0,
         cgemm_prepare, cgemm_round, cgemm_error, 1e-5},
        {"cgemm-avx512", "OpenBLAS cgemm, AVX-512 kernels forced", AVX512, BEAMS_FLOPS, BEAMS_BYTES,
         0, cgemm_prepare, cgemm_round, cgemm_error, 1e-5},
        {0}};
    return peer_main(argc, argv, peers);
}
