/* fft.c: the forward FFT over the channel dimension, by what the tunable ENGINE names.
 * Room: stages/fft. Knows its ports and which engines are compiled in. Does not know how they
 * work. */
#include "fft.h"
#include "fft_cl.h"
#include "fft_group.h"
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
#define NATIVE &ct_fft_native
#define ENGINES(ROW) ROW(fftw, FFTW) ROW(clfft, CLFFT) ROW(native, NATIVE)

static const struct {
    const char *name;
    const fft_engine *of;
} engines[] = {ENGINES(CT_ROW)};
enum { ENGINE_COUNT = sizeof engines / sizeof engines[0] };

static const ct_tunable fft_tunables[] = {
    {"ENGINE", CT_WORDS(ENGINES), "native", "native", "what transforms: a library, or a kernel"},
    {"TILE_SPT", "4 8 16 32", "16", "16",
     "fftw: transforms of a tile, gathered and scattered together"},
    {"NONTEMPORAL", "0 1", "1", "1", "fftw, native: 1: stores bypass the caches"},
    {"VECTOR_C", "1 16", "1", "1", "native: channels of a vector; 1: its lanes are spectra"},
    {"TILE_S", "1 2 4 8 16 32 64", "1", "1", "native: stations of a tile"},
    {"TILE_P", "1 2", "1", "1", "native: polarizations of a tile"},
    {"TILE_T", "1 2 4 8 16 32 64 128", "16", "16", "native: times of a tile"},
    {"PREFETCH", "0 1 2", "1", "0",
     "native, by channels: how many rounds of spectra ahead they are prefetched"},
    {"WG", "1 32 64 128 256 512", "1", "64", "native, on GPUs: work-items of a work-group"},
    {0},
};

static const ct_term fft_terms[] = {
    {"ROWS", "TILE_S * TILE_P * TILE_T", "native: spectra of a tile"},
    {"BY_ROWS", "!GPU && (VECTOR_C == 1 || X_STRIDE_C > 1 || Y_STRIDE_C > 1)",
     "native: lanes are spectra on one side at least"},
    {"INNER_C", "X_N_C % 16 == 0 ? 16 : X_N_C",
     "native: channels of a tile that follow each other without a gap"},
    {"GROUP_BYTES", FFT_GROUP_BYTES("X_N_C"), "local memory of a work-group, at most"},
    {0},
};

/* Of spectra side by side. */
#define WHEN "!GPU && ENGINE_IS_native && VECTOR_C == 1"
static const ct_tile fft_tiles[] = {
    {.name = "A",
     .port = "X",
     .order = "CcSPT",
     .extents = "X_N_C / INNER_C, INNER_C, TILE_S, TILE_P, TILE_T",
     .padding = "c:8",
     .type = "float2",
     .when = "!GPU && ENGINE_IS_native && (VECTOR_C == 1 || X_STRIDE_C > 1)"},
    {.name = "R",
     .port = "Y",
     .order = "CcSPT",
     .extents = "X_N_C / INNER_C, INNER_C, TILE_S, TILE_P, TILE_T",
     .padding = "c:8",
     .type = "float2",
     .when = WHEN},
    {0},
};

static const ct_case fft_cases[] = {
    {NULL, "S=3 P=2 T=17 C=8", "cf32", NULL},
    {NULL, "S=5 P=2 T=11 C=21", "cf32", NULL},
    {NULL, "S=3 P=1 T=5 C=1", "cf32", NULL},
    {NULL, "S=3 P=2 T=19 C=256", "cf32", "TILE_T=4"},
    {NULL, "S=2 P=1 T=3 C=480", "cf32", NULL},
    {NULL, "S=3 P=2 T=17 F=5 C=256", "cf32", NULL},
    {NULL, "S=21 P=1 T=3 C=64", "cf32", NULL}, /* stations fastest: the last tile has five */
    {NULL, "S=5 P=2 T=11 F=3 C=14", "cf32", NULL},
#ifdef CT_HAVE_FFTW
    {NULL, "S=2 P=3 T=5 C=34", "cf32", NULL},
#endif
    {0},
};

int64_t ct_fft_length(const ct_step *step)
{
    return ct_array_extent(&step->port[CT_FFT_X], 'C');
}

int ct_fft_engines(void)
{
    return ENGINE_COUNT;
}

bool ct_fft_can(int engine, int64_t length)
{
    const fft_engine *of = engines[engine].of;
    return of && length >= of->least && (of->most == 0 || length <= of->most) &&
           (of->largest_prime == 0 || ct_fft_shape_prime(length) <= of->largest_prime);
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
    ct_array *y = ct_step_port(step, "Y");
    const int64_t length = ct_array_extent(x, 'C'), factors = ct_fft_factors(length);
    y->meta = x->meta;
    ct_array_set(y, 'C', length * ct_array_extent(x, 'F'));
    ct_array_add(ct_step_port(step, "W"), 'K', factors ? factors : 1);
    return fft_check(step, length, err);
}

/* The customary count for a complex transform. */
static double fft_flops(const ct_step *step)
{
    const ct_array *y = ct_step_array(step, "Y");
    return 5 * log2((double)ct_fft_length(step)) * (double)ct_array_count(y);
}

typedef struct fft_state {
    const fft_engine *engine;
    void *inner;
} fft_state;

static ct_status fft_prepare(ct_step *step, void **state, ct_error *err)
{
    const fft_engine *engine = engines[ct_step_tunable(step, "ENGINE")].of;
    *state = NULL;
    if (!engine->prepare) return CT_OK; /* the kernel */
    fft_state *made = ct_step_alloc(step, sizeof *made);
    if (!made) return CT_FAILED;
    made->engine = engine;
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
    .summary = "forward FFT over the channels",
    .ports =
        {
            [CT_FFT_X] = {"X", CT_IN, 0, "SPTF?C", "cf32", "*", "SPFTC",
                          "rows of samples, as fir leaves them"},
            [CT_FFT_Y] = {"Y", CT_OUT, 0, "SPTC", "cf32", "*", "SPTC",
                          "spectra, those of subbands side by side"},
            [CT_FFT_W] = {"W", CT_TABLE, 0, "K", "f32", "*", NULL,
                          "native: the factors between passes"},
        },
    .split = "S P T",
    .table = ct_fft_table,
    .infer = fft_infer,
    .flops = fft_flops,
    .tuning =
        {.tunables = fft_tunables,
         .terms = fft_terms,
         .where =
             "(WG == 1 || GPU) && (!ENGINE_IS_native || !GPU || VECTOR_C == 1 && PREFETCH == 0 && "
             "NONTEMPORAL == 0 && WG >= 32) && "
             "(!ENGINE_IS_native || !GPU || " FFT_GROUP_FITS ") && "
             "(!ENGINE_IS_native || !BY_ROWS || ROWS % 16 == 0) && "
             "(!ENGINE_IS_native || !BY_ROWS || ROWS * X_N_C <= " FFT_TILE_TEXT ")",
         .legal = ct_fft_legal,
         .legal_why =
             "which engines are in this build, and clfft's only primes, 2 to 13, are known to C",
         .suggest = ct_fft_suggest},
    .kernel = {.text = fft_cl,
               .name = "stages/fft/fft.cl",
               .entry = "fft",
               .launch = ct_fft_launch,
               .emit = ct_fft_emit,
               .tiles = fft_tiles},
    .verify = {.cases = fft_cases, .tolerance = 1e-6, .reference = ct_fft_reference},
    .engine = {.prepare = fft_prepare, .enqueue = fft_enqueue, .release = fft_release},
};
