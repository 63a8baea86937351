/* peer_dedisp.c: brute-force dedispersion as OpenMP loops, for the two set-ups of Sclocco et al.
 * 2014 (Astronomy and Computing 14, 1): Apertif and LOFAR, one second, 64 trials. Room:
 * bench/peers. Order C T in, D T out. */
#include "peer.h"

#include <math.h>
#include <stdlib.h>

enum { TRIALS = 64 };

typedef struct survey {
    double low_mhz, width_mhz; /* lowest channel centre, channel width */
    size_t channels, samples;  /* per second */
} survey;

static const survey apertif = {1425.0, 0.29296875, 1024, 20000};
static const survey lofar = {138.0, 0.1953125, 32, 200000};

typedef struct dedisp {
    const survey *setup;
    size_t row_stride; /* samples per channel: one second and the longest shift */
    size_t *shift;     /* TRIALS, channels */
    float *in, *out;
} dedisp;

static size_t shift_of(const survey *setup, size_t trial, size_t channel)
{
    double top = setup->low_mhz + setup->width_mhz * (double)(setup->channels - 1);
    double f = setup->low_mhz + setup->width_mhz * (double)channel;
    double delay = 4148.808 * 0.25 * (double)trial * (1.0 / (f * f) - 1.0 / (top * top));
    return (size_t)lrint(delay * (double)setup->samples);
}

static void *dedisp_new(const survey *setup)
{
    dedisp *state = calloc(1, sizeof *state);
    state->setup = setup;
    state->row_stride = setup->samples + shift_of(setup, TRIALS - 1, 0);
    state->row_stride = (state->row_stride + 15) / 16 * 16;
    state->shift = calloc(TRIALS * setup->channels, sizeof *state->shift);
    for (size_t i = 0; i < TRIALS * setup->channels; i++)
        state->shift[i] = shift_of(setup, i / setup->channels, i % setup->channels);
    state->in = peer_pages(setup->channels * state->row_stride * sizeof *state->in);
    state->out = peer_pages(TRIALS * setup->samples * sizeof *state->out);
    for (size_t i = 0; i < setup->channels * state->row_stride; i++)
        state->in[i] = peer_number(i);
    return state;
}

static void *apertif_prepare(size_t size)
{
    (void)size;
    return dedisp_new(&apertif);
}

static void *lofar_prepare(size_t size)
{
    (void)size;
    return dedisp_new(&lofar);
}

/* out[first .. first + count] of one trial. */
static void dedisp_part(const dedisp *state, size_t trial, size_t first, size_t count)
{
    const size_t *shift = state->shift + trial * state->setup->channels;
    float *out = state->out + trial * state->setup->samples + first;
    for (size_t t = 0; t < count; t++)
        out[t] = 0.0f;
    for (size_t c = 0; c < state->setup->channels; c++) {
        const float *in = state->in + c * state->row_stride + shift[c] + first;
        for (size_t t = 0; t < count; t++)
            out[t] += in[t];
    }
}

/* A trial per thread, each over the whole second. */
static void dedisp_round(void *given)
{
    const dedisp *state = given;
#pragma omp parallel for schedule(dynamic)
    for (size_t d = 0; d < TRIALS; d++)
        dedisp_part(state, d, 0, state->setup->samples);
}

/* Trials share a piece of the second while it is in the cache. */
static void dedisp_round_blocked(void *given)
{
    const dedisp *state = given;
    const size_t block = 2000, blocks = state->setup->samples / block;
#pragma omp parallel for schedule(dynamic)
    for (size_t b = 0; b < blocks; b++)
        for (size_t d = 0; d < TRIALS; d++)
            dedisp_part(state, d, b * block, block);
}

static double dedisp_error(void *given)
{
    const dedisp *state = given;
    double worst = 0.0, power = 0.0;
    for (size_t n = 0; n < 2000; n++) {
        size_t d = n * 37 % TRIALS, t = n * 7919 % state->setup->samples;
        double sum = 0.0;
        for (size_t c = 0; c < state->setup->channels; c++)
            sum +=
                state->in[c * state->row_stride + t + state->shift[d * state->setup->channels + c]];
        worst = fmax(worst, fabs(sum - state->out[d * state->setup->samples + t]));
        power += sum * sum;
    }
    return worst / sqrt(power / 2000);
}

#define FLOPS(samples, channels) ((double)TRIALS * (samples) * (channels))
#define BYTES(samples, channels) (4.0 * (samples) * ((channels) + (double)TRIALS))

int main(int argc, char **argv)
{
    static const peer peers[] = {
        {"dedisp-apertif", "OpenMP loops, Apertif", NULL, FLOPS(20000, 1024), BYTES(20000, 1024), 0,
         apertif_prepare, dedisp_round, dedisp_error, 1e-4},
        {"dedisp-apertif-blocked", "OpenMP loops in blocks of time, Apertif", NULL,
         FLOPS(20000, 1024), BYTES(20000, 1024), 0, apertif_prepare, dedisp_round_blocked,
         dedisp_error, 1e-4},
        {"dedisp-lofar", "OpenMP loops, LOFAR", NULL, FLOPS(200000, 32), BYTES(200000, 32), 0,
         lofar_prepare, dedisp_round, dedisp_error, 1e-4},
        {"dedisp-lofar-blocked", "OpenMP loops in blocks of time, LOFAR", NULL, FLOPS(200000, 32),
         BYTES(200000, 32), 0, lofar_prepare, dedisp_round_blocked, dedisp_error, 1e-4},
        {0}};
    return peer_main(argc, argv, peers);
}
