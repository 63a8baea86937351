/* fft.c: the forward FFT over the channel dimension, by the library that the tunable ENGINE names.
 * Room: stages/fft. Knows its ports and which engines are compiled in. Does not know how they
 * work. */
#include "fft.h"
#include <math.h>

/* NULL where the library is not in this build. */
#ifdef CT_HAVE_FFTW
#define FFTW &ct_fft_fftw
#else
#define FFTW NULL
#endif
#ifdef CT_HAVE_CLFFT
#define CLFFT &ct_fft_clfft
#else
#define CLFFT NULL
#endif
#define ENGINES(ROW) ROW(fftw, FFTW) ROW(clfft, CLFFT)

static const struct {
    const char *name;
    const fft_engine *of;
} engines[] = {ENGINES(CT_ROW)};
enum { ENGINE_COUNT = sizeof engines / sizeof engines[0] };

static const ct_tunable fft_tunables[] = {
    {"ENGINE", CT_WORDS(ENGINES), "fftw", "clfft", "library that transforms"},
    {"TILE_SPT", "4 8 16 32", "16", "16",
     "fftw: transforms of a tile, gathered and scattered together"},
    {"NONTEMPORAL", "0 1", "1", "1", "fftw: 1: stores bypass the caches"},
    {0},
};

static const ct_case fft_cases[] = {
    {NULL, "S=3 P=2 T=17 C=8", "cf32", NULL},
    {NULL, "S=5 P=2 T=11 C=21", "cf32", NULL},
    {NULL, "S=3 P=1 T=5 C=1", "cf32", NULL},
#ifdef CT_HAVE_FFTW
    {NULL, "S=2 P=3 T=5 C=34", "cf32", NULL},
#endif
    {0},
};

int ct_fft_engines(void)
{
    return ENGINE_COUNT;
}

bool ct_fft_can(int engine, int64_t length)
{
    const fft_engine *of = engines[engine].of;
    return of && (of->largest_prime == 0 || ct_fft_shape_prime(length) <= of->largest_prime);
}

static ct_status fft_check(const ct_step *step, int64_t length, ct_error *err)
{
    for (int i = 0; i < ENGINE_COUNT; i++)
        if (ct_fft_can(i, length)) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "expected a number of channels made of the primes 2 to 13, which is what "
                        "clfft can transform, found %lld, which has the factor %lld",
                        (long long)length, (long long)ct_fft_shape_prime(length));
}

static ct_status fft_infer(ct_step *step, ct_error *err)
{
    const ct_array *x = ct_step_array(step, "X");
    ct_step_port(step, "Y")->meta = x->meta;
    return fft_check(step, ct_array_extent(x, 'C'), err);
}

/* The customary count for a complex transform. */
static double fft_flops(const ct_step *step)
{
    const ct_array *y = ct_step_array(step, "Y");
    return 5 * log2((double)ct_array_extent(y, 'C')) * (double)ct_array_count(y);
}

typedef struct fft_state {
    const fft_engine *engine;
    void *inner;
} fft_state;

static ct_status fft_prepare(ct_step *step, void **state, ct_error *err)
{
    fft_state *made = ct_step_alloc(step, sizeof *made);
    if (!made) return CT_FAILED;
    made->engine = engines[ct_step_tunable(step, "ENGINE")].of;
    ct_status status = made->engine->prepare(step, &made->inner, err);
    *state = status == CT_OK ? made : NULL;
    return status;
}

static ct_status fft_enqueue(void *state, void *queue, void *const mem[], ct_error *err)
{
    fft_state *fft = state;
    return fft->engine->enqueue(fft->inner, queue, mem, err);
}

static void fft_release(void *state)
{
    fft_state *fft = state;
    if (fft) fft->engine->release(fft->inner);
}

const ct_stage ct_stage_fft = {
    .api = CT_API,
    .version = 1,
    .name = "fft",
    .summary = "forward FFT over the channels, by FFTW or clFFT",
    .ports =
        {
            [CT_FFT_X] = {"X", CT_IN, 0, "SPTC", "cf32", "*", "SPTC",
                          "rows of samples, as fir leaves them"},
            [CT_FFT_Y] = {"Y", CT_OUT, 0, "SPTC", "cf32", "*", "SPTC", "spectra"},
        },
    .tunables = fft_tunables,
    .cases = fft_cases,
    .tolerance = 1e-6,
    .infer = fft_infer,
    .suggest = ct_fft_suggest,
    .legal = ct_fft_legal,
    .legal_why =
        "which engines are in this build, and clfft's only primes, 2 to 13, are known to C",
    .reference = ct_fft_reference,
    .flops = fft_flops,
    .prepare = fft_prepare,
    .enqueue = fft_enqueue,
    .release = fft_release,
};
