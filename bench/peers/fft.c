/* fft.c: FFTW by itself: every station's and polarization's spectra, plans measured, the batches
 * shared out by OpenMP. Room: bench/peers. Knows FFTW. */
#include "peer.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>

enum { SERIES = STATIONS * POLS };

typedef struct fft {
    float complex *in, *out;
    size_t series, time, channel; /* strides of `out` */
    fftwf_plan plan;              /* of one thread's share: all series, TIMES / SHARES spectra */
} fft;

enum { SHARES = 16 };

static void *fft_new(size_t series, size_t time, size_t channel)
{
    fft *state = calloc(1, sizeof *state);
    size_t count = (size_t)SERIES * TIMES * CHANNELS;
    *state = (fft){.series = series, .time = time, .channel = channel};
    state->in = peer_pages(count * sizeof *state->in);
    state->out = peer_pages(count * sizeof *state->out);
    fftwf_iodim length = {CHANNELS, 1, (int)channel};
    fftwf_iodim batch[] = {{SERIES, TIMES * CHANNELS, (int)series},
                           {TIMES / SHARES, CHANNELS, (int)time}};
    state->plan = fftwf_plan_guru_dft(1, &length, 2, batch, (fftwf_complex *)state->in,
                                      (fftwf_complex *)state->out, FFTW_FORWARD,
                                      FFTW_MEASURE | FFTW_PRESERVE_INPUT);
    for (size_t i = 0; i < count; i++)
        state->in[i] = CMPLXF(peer_number(2 * i), peer_number(2 * i + 1));
    return state;
}

static void *fft_prepare(size_t size)
{
    (void)size;
    return fft_new((size_t)TIMES * CHANNELS, CHANNELS, 1);
}

/* Written as C T S P, the order that the correlator likes. */
static void *fft_prepare_transposed(size_t size)
{
    (void)size;
    return fft_new(1, SERIES, (size_t)TIMES * SERIES);
}

static void fft_round(void *given)
{
    fft *state = given;
#pragma omp parallel for schedule(static)
    for (size_t share = 0; share < SHARES; share++) {
        size_t first = share * TIMES / SHARES;
        fftwf_execute_dft(state->plan, (fftwf_complex *)state->in + first * CHANNELS,
                          (fftwf_complex *)state->out + first * state->time);
    }
}

static double fft_error(void *given)
{
    const fft *state = given;
    const double angle = -2.0 * acos(-1.0) / CHANNELS;
    double worst = 0.0, power = 0.0;
    for (size_t n = 0; n < 300; n++) {
        size_t s = n * 37 % SERIES, t = n * 29 % TIMES, c = n * 53 % CHANNELS;
        const float complex *in = state->in + (s * TIMES + t) * CHANNELS;
        double complex sum = 0.0;
        for (size_t k = 0; k < CHANNELS; k++)
            sum += in[k] * cexp(I * angle * (double)(k * c % CHANNELS));
        worst =
            fmax(worst,
                 cabs(sum - state->out[s * state->series + t * state->time + c * state->channel]));
        power += creal(sum * conj(sum));
    }
    return worst / sqrt(power / 300);
}

#define SAMPLES ((double)SERIES * TIMES * CHANNELS)

int main(int argc, char **argv)
{
    /* 5 n log2 n operations, by custom. */
    static const peer peers[] = {
        {"fftw", "FFTW, measured, spectra contiguous", NULL, 5.0 * 8 * SAMPLES, 16.0 * SAMPLES, 0,
         fft_prepare, fft_round, fft_error, 1e-5},
        {"fftw-transposed", "FFTW, measured, spectra written as CTSP", NULL, 5.0 * 8 * SAMPLES,
         16.0 * SAMPLES, 0, fft_prepare_transposed, fft_round, fft_error, 1e-5},
        {0}};
    return peer_main(argc, argv, peers);
}
