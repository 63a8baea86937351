/* peer_fir.c: the poly-phase filter's FIR half as OpenMP loops over 8-bit samples.
 * Room: bench/peers. Order S P T C on both sides. */
#include "peer.h"

#include <math.h>
#include <stdlib.h>

enum { SERIES = STATIONS * POLS, HISTORY = TAPS - 1, LANES = 2 * CHANNELS };

typedef struct fir {
    int8_t *in;  /* SERIES, HISTORY + TIMES, CHANNELS, 2 */
    float *taps; /* TAPS, CHANNELS */
    float *wide; /* TAPS, CHANNELS, 2: each tap twice, for real and imaginary parts */
    float *out;  /* SERIES, TIMES, CHANNELS, 2 */
} fir;

static void *fir_prepare(size_t size)
{
    (void)size;
    fir *state = calloc(1, sizeof *state);
    size_t count = (size_t)SERIES * (HISTORY + TIMES) * LANES;
    state->in = peer_pages(count);
    state->taps = peer_pages(sizeof(float) * TAPS * CHANNELS);
    state->wide = peer_pages(sizeof(float) * TAPS * LANES);
    state->out = peer_pages(sizeof(float) * SERIES * TIMES * LANES);
    for (size_t i = 0; i < count; i++)
        state->in[i] = (int8_t)lrintf(15.0f * peer_number(i));
    for (size_t i = 0; i < (size_t)TAPS * LANES; i++) {
        state->taps[i / 2] = peer_number(i / 2);
        state->wide[i] = peer_number(i / 2);
    }
    return state;
}

/* As the formula stands. */
static void fir_round(void *given)
{
    fir *state = given;
#pragma omp parallel for schedule(static) collapse(2)
    for (size_t s = 0; s < SERIES; s++) {
        for (size_t t = 0; t < TIMES; t++) {
            const int8_t *in = state->in + (s * (HISTORY + TIMES) + t) * LANES;
            float *out = state->out + (s * TIMES + t) * LANES;
            for (size_t c = 0; c < CHANNELS; c++) {
                float re = 0.0f, im = 0.0f;
                for (size_t k = 0; k < TAPS; k++) {
                    re += state->taps[k * CHANNELS + c] * in[k * LANES + 2 * c];
                    im += state->taps[k * CHANNELS + c] * in[k * LANES + 2 * c + 1];
                }
                out[2 * c] = re;
                out[2 * c + 1] = im;
            }
        }
    }
}

/* Real and imaginary parts as lanes of their own, so that the compiler fills its vectors. */
static void fir_round_wide(void *given)
{
    fir *state = given;
#pragma omp parallel for schedule(static) collapse(2)
    for (size_t s = 0; s < SERIES; s++) {
        for (size_t t = 0; t < TIMES; t++) {
            const int8_t *in = state->in + (s * (HISTORY + TIMES) + t) * LANES;
            float *out = state->out + (s * TIMES + t) * LANES;
#pragma omp simd
            for (size_t lane = 0; lane < LANES; lane++) {
                float sum = 0.0f;
                for (size_t k = 0; k < TAPS; k++)
                    sum += state->wide[k * LANES + lane] * in[k * LANES + lane];
                out[lane] = sum;
            }
        }
    }
}

static double fir_error(void *given)
{
    const fir *state = given;
    double worst = 0.0, power = 0.0;
    for (size_t n = 0; n < 5000; n++) {
        size_t s = n * 37 % SERIES, t = n * 29 % TIMES, lane = n * 53 % LANES;
        double sum = 0.0;
        for (size_t k = 0; k < TAPS; k++)
            sum += (double)state->taps[k * CHANNELS + lane / 2] *
                   state->in[(s * (HISTORY + TIMES) + t + k) * LANES + lane];
        worst = fmax(worst, fabs(sum - state->out[(s * TIMES + t) * LANES + lane]));
        power += sum * sum;
    }
    return worst / sqrt(power / 5000);
}

#define SAMPLES ((double)SERIES * TIMES * CHANNELS)

int main(int argc, char **argv)
{
    static const peer peers[] = {
        {"fir", "OpenMP loops as the formula stands", NULL, 4.0 * TAPS * SAMPLES, 10.0 * SAMPLES, 0,
         fir_prepare, fir_round, fir_error, 1e-5},
        {"fir-wide", "OpenMP loops, real and imaginary parts as lanes", NULL, 4.0 * TAPS * SAMPLES,
         10.0 * SAMPLES, 0, fir_prepare, fir_round_wide, fir_error, 1e-5},
        {0}};
    return peer_main(argc, argv, peers);
}
