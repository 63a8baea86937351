/* peer_fft.c: FFTW by itself: every station's and polarization's spectra, plans measured, the
 * batches shared out by OpenMP. --size is the length; there are as many samples at any. Room:
 * bench/peers. Knows FFTW. */
#include "peer.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = STATIONS * POLS, SHARES = 16, LONGEST = TIMES * CHANNELS / SHARES };

typedef struct fft {
    float complex *in, *out;
    size_t channels, times;       /* of one series */
    size_t series, time, channel; /* strides of `out` */
    fftwf_plan plan;              /* of one thread's share: all series, times / SHARES spectra */
} fft;

/* As many spectra as there are samples for, alike in all shares. */
static size_t fft_times(size_t channels)
{
    return (size_t)TIMES * CHANNELS / channels / SHARES * SHARES;
}

static void fft_plan(fft *state)
{
    const int channels = (int)state->channels;
    fftwf_iodim length = {channels, 1, (int)state->channel};
    fftwf_iodim batch[] = {{SERIES, (int)state->times * channels, (int)state->series},
                           {(int)state->times / SHARES, channels, (int)state->time}};
    state->plan = fftwf_plan_guru_dft(1, &length, 2, batch, (fftwf_complex *)state->in,
                                      (fftwf_complex *)state->out, FFTW_FORWARD,
                                      FFTW_MEASURE | FFTW_PRESERVE_INPUT);
}

static fft *fft_new(size_t channels)
{
    if (channels < 2 || channels > LONGEST) {
        fprintf(stderr, "peer: expected a length of 2 to %d, found %zu\n", LONGEST, channels);
        exit(2);
    }
    fft *state = calloc(1, sizeof *state);
    *state = (fft){.channels = channels, .times = fft_times(channels)};
    const size_t count = SERIES * state->times * channels;
    state->in = peer_pages(count * sizeof *state->in);
    state->out = peer_pages(count * sizeof *state->out);
    return state;
}

static void fft_fill(fft *state)
{
    const size_t count = SERIES * state->times * state->channels;
    for (size_t i = 0; i < count; i++)
        state->in[i] = CMPLXF(peer_number(2 * i), peer_number(2 * i + 1));
}

static void *fft_prepare(size_t channels)
{
    fft *state = fft_new(channels);
    state->series = state->times * channels;
    state->time = channels;
    state->channel = 1;
    fft_plan(state);
    fft_fill(state);
    return state;
}

/* Written as C T S P, the order that the correlator likes. */
static void *fft_prepare_transposed(size_t channels)
{
    fft *state = fft_new(channels);
    state->series = 1;
    state->time = SERIES;
    state->channel = state->times * SERIES;
    fft_plan(state);
    fft_fill(state);
    return state;
}

static void fft_round(void *given)
{
    fft *state = given;
#pragma omp parallel for schedule(static)
    for (size_t share = 0; share < SHARES; share++) {
        size_t first = share * state->times / SHARES;
        fftwf_execute_dft(state->plan, (fftwf_complex *)state->in + first * state->channels,
                          (fftwf_complex *)state->out + first * state->time);
    }
}

static double fft_error(void *given)
{
    const fft *state = given;
    const double angle = -2.0 * acos(-1.0) / (double)state->channels;
    double worst = 0.0, power = 0.0;
    for (size_t n = 0; n < 300; n++) {
        size_t s = n * 37 % SERIES, t = n * 29 % state->times, c = n * 53 % state->channels;
        const float complex *in = state->in + (s * state->times + t) * state->channels;
        double complex sum = 0.0;
        for (size_t k = 0; k < state->channels; k++)
            sum += in[k] * cexp(I * angle * (double)(k * c % state->channels));
        worst =
            fmax(worst,
                 cabs(sum - state->out[s * state->series + t * state->time + c * state->channel]));
        power += creal(sum * conj(sum));
    }
    return worst / sqrt(power / 300);
}

/* What peer_main will hand to prepare: operations and bytes depend on it. */
static size_t fft_asked(int argc, char **argv)
{
    for (int i = 2; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--size") == 0 && atol(argv[i + 1]) > 0)
            return (size_t)atol(argv[i + 1]);
    return CHANNELS;
}

int main(int argc, char **argv)
{
    const size_t channels = fft_asked(argc, argv);
    const double samples = (double)SERIES * (double)(fft_times(channels) * channels);
    const double flops = 5.0 * log2((double)channels) * samples; /* by custom */
    const peer peers[] = {{"fftw", "FFTW, measured, spectra contiguous", NULL, flops,
                           16.0 * samples, channels, fft_prepare, fft_round, fft_error, 1e-5},
                          {"fftw-transposed", "FFTW, measured, spectra written as CTSP", NULL,
                           flops, 16.0 * samples, channels, fft_prepare_transposed, fft_round,
                           fft_error, 1e-5},
                          {0}};
    return peer_main(argc, argv, peers);
}
