/* peer_pipeline.c: whole pipelines as a good engineer writes them by hand for one CPU and one
 * telescope: filter bank, beam former, and a correlator of the beams, with FFTW, a BLAS and OpenMP.
 *
 * The filter reads each sample once and has the last TAPS of them in registers; FFTW transforms a
 * tile of spectra of one series in the cache; 16 x 16 transposes in registers and non-temporal
 * stores write it channel by channel, real and imaginary parts apart. So a channel's beams are one
 * product of real matrices, whose weights are [re, -im; im, re], and their visibilities one
 * symmetric product of what is still in the cache.
 * Room: bench/peers. Knows FFTW and BLAS. */
#include "peer.h"

#include <cblas.h>
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* Spectra of a series that a thread has at a time; lanes of a vector. */
enum { SPECTRA = 32, VECTOR = 16 };

enum {
    SERIES = STATIONS * POLS,
    HISTORY = TAPS - 1,
    LANES = 2 * CHANNELS,
    COLUMNS = POLS * TIMES,
    PARTS = 2 * BEAMS * POLS, /* rows of a channel's beams: beam, part, polarization */
    BASELINES = BEAMS * (BEAMS + 1) / 2,
    WEIGHTS = 4 * BEAMS * STATIONS /* of a channel: beam, part, station, part */
};

typedef float pipeline_vector __attribute__((vector_size(4 * VECTOR)));
typedef int32_t pipeline_lanes __attribute__((vector_size(4 * VECTOR)));

typedef struct pipeline {
    int8_t *in;                  /* SERIES, HISTORY + TIMES, CHANNELS, 2 */
    float *taps;                 /* TAPS, CHANNELS, 2: each twice, for real and imaginary parts */
    float *tile;                 /* of each thread: SPECTRA, CHANNELS, 2 */
    fftwf_plan plan;             /* of one tile, in place */
    float *voltages;             /* CHANNELS, STATIONS, 2, POLS, TIMES */
    float *weights;              /* CHANNELS, BEAMS, 2, STATIONS, 2 */
    float *parts;                /* of each thread: BEAMS, 2, POLS, TIMES */
    float *square;               /* of each thread: PARTS, PARTS */
    float complex *beams;        /* CHANNELS, BEAMS, POLS, TIMES */
    float complex *visibilities; /* CHANNELS, BASELINES, POLS of the lower beam, POLS */
} pipeline;

static float complex pipeline_weight(size_t c, size_t b, size_t s)
{
    const size_t i = (c * BEAMS + b) * STATIONS + s;
    return CMPLXF(peer_number(3 * i), peer_number(3 * i + 2));
}

static void pipeline_weights(float *to, size_t c)
{
    for (size_t b = 0; b < BEAMS; b++)
        for (size_t s = 0; s < STATIONS; s++) {
            const float complex weight = pipeline_weight(c, b, s);
            float *re = to + 4 * b * STATIONS + 2 * s, *im = re + 2 * STATIONS;
            re[0] = crealf(weight);
            re[1] = -cimagf(weight);
            im[0] = cimagf(weight);
            im[1] = crealf(weight);
        }
}

static void pipeline_plan(pipeline *state)
{
    const int length = CHANNELS;
    fftwf_complex *tile = (fftwf_complex *)state->tile;
    state->plan = fftwf_plan_many_dft(1, &length, SPECTRA, tile, NULL, 1, CHANNELS, tile, NULL, 1,
                                      CHANNELS, FFTW_FORWARD, FFTW_PATIENT);
}

static void *pipeline_prepare(size_t size)
{
    (void)size;
    pipeline *state = calloc(1, sizeof *state);
    const size_t count = (size_t)SERIES * (HISTORY + TIMES) * LANES;
    const size_t threads = (size_t)omp_get_max_threads();
    state->in = peer_pages(count);
    state->taps = peer_pages(sizeof(float) * TAPS * LANES);
    state->tile = peer_pages(sizeof(float) * SPECTRA * LANES * threads);
    state->voltages = peer_pages(sizeof(float complex) * CHANNELS * SERIES * TIMES);
    state->weights = peer_pages(sizeof(float) * CHANNELS * WEIGHTS);
    state->parts = peer_pages(sizeof(float) * PARTS * TIMES * threads);
    state->square = peer_pages(sizeof(float) * PARTS * PARTS * threads);
    state->beams = peer_pages(sizeof(float complex) * CHANNELS * BEAMS * COLUMNS);
    state->visibilities = peer_pages(sizeof(float complex) * CHANNELS * BASELINES * POLS * POLS);
    pipeline_plan(state);
    for (size_t i = 0; i < count; i++)
        state->in[i] = (int8_t)lrintf(15.0f * peer_number(i));
    for (size_t i = 0; i < (size_t)TAPS * LANES; i++)
        state->taps[i] = peer_number(i / 2);
    for (size_t c = 0; c < CHANNELS; c++)
        pipeline_weights(state->weights + c * WEIGHTS, c);
    return state;
}

/* ---------------------------------------------------------------- vectors */

/* In one instruction, which GCC 12 does not find for itself. */
static inline pipeline_vector vector_of_bytes(const int8_t *from)
{
#ifdef __AVX512F__
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    return (pipeline_vector)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
#else
    pipeline_vector vector;
    for (int i = 0; i < VECTOR; i++)
        vector[i] = from[i];
    return vector;
#endif
}

/* Past the caches where the compiler's target has such stores. */
static inline void vector_stream(float *to, pipeline_vector vector)
{
#ifdef __AVX512F__
    _mm512_stream_ps(to, (__m512)vector);
#else
    *(pipeline_vector *)(void *)to = vector;
#endif
}

/* Lanes whose number has the bit `step` change places with those of the row `step` further on. */
#define SWAP(step, lane) ((lane) & (step) ? VECTOR + (lane) - (step) : (lane))
#define KEEP(step, lane) ((lane) & (step) ? VECTOR + (lane) : (lane) + (step))
#define ALL(what, step)                                                                            \
    (pipeline_lanes)                                                                               \
    {                                                                                              \
        what(step, 0), what(step, 1), what(step, 2), what(step, 3), what(step, 4), what(step, 5),  \
            what(step, 6), what(step, 7), what(step, 8), what(step, 9), what(step, 10),            \
            what(step, 11), what(step, 12), what(step, 13), what(step, 14), what(step, 15)         \
    }
#define EXCHANGE(step)                                                                             \
    _Pragma("GCC unroll 16") for (int i = 0; i < VECTOR; i++) if (!(i & (step)))                   \
    {                                                                                              \
        const pipeline_vector a = row[i], b = row[i + (step)];                                     \
        row[i] = __builtin_shuffle(a, b, ALL(SWAP, step));                                         \
        row[i + (step)] = __builtin_shuffle(a, b, ALL(KEEP, step));                                \
    }

static inline void vector_transpose(pipeline_vector row[VECTOR])
{
    EXCHANGE(1)
    EXCHANGE(2)
    EXCHANGE(4)
    EXCHANGE(8)
}

/* ---------------------------------------------------------------- one block */

/* TAPS spectra after each other have the samples in the same registers. */
static void pipeline_filter(const pipeline *state, size_t series, size_t first, float *tile)
{
    const int8_t *in = state->in + (series * (HISTORY + TIMES) + first) * LANES;
    for (size_t lane = 0; lane < LANES; lane += VECTOR) {
        pipeline_vector tap[TAPS], x[TAPS];
        for (int k = 0; k < TAPS; k++)
            memcpy(&tap[k], state->taps + (size_t)k * LANES + lane, sizeof tap[k]);
        for (int k = 0; k < HISTORY; k++)
            x[k] = vector_of_bytes(in + (size_t)k * LANES + lane);
        for (size_t t = 0; t < SPECTRA; t += TAPS)
#pragma GCC unroll 8
            for (int u = 0; u < TAPS; u++) {
                const int8_t *at = in + (t + (size_t)u + HISTORY) * LANES + lane;
                if (lane % 64 == 0) __builtin_prefetch(at + SPECTRA * LANES);
                x[(u + HISTORY) % TAPS] = vector_of_bytes(at);
                pipeline_vector even = tap[0] * x[u % TAPS], odd = tap[1] * x[(u + 1) % TAPS];
#pragma GCC unroll 8
                for (int k = 2; k < TAPS; k += 2) {
                    even += tap[k] * x[(u + k) % TAPS];
                    odd += tap[k + 1] * x[(u + k + 1) % TAPS];
                }
                even += odd;
                memcpy(tile + (t + (size_t)u) * LANES + lane, &even, sizeof even);
            }
    }
}

/* From spectra to runs of times, one of each channel and part. */
static void pipeline_transpose(const pipeline *state, size_t series, size_t first,
                               const float *tile)
{
    const size_t s = series / POLS, p = series % POLS;
    for (size_t c = 0; c < CHANNELS; c += VECTOR / 2)
        for (size_t t = 0; t < SPECTRA; t += VECTOR) {
            pipeline_vector row[VECTOR];
#pragma GCC unroll 16
            for (size_t i = 0; i < VECTOR; i++)
                memcpy(&row[i], tile + (t + i) * LANES + 2 * c, sizeof row[i]);
            vector_transpose(row);
#pragma GCC unroll 16
            for (size_t i = 0; i < VECTOR; i++) {
                const size_t at = ((c + i / 2) * STATIONS + s) * 2 + i % 2;
                vector_stream(state->voltages + (at * POLS + p) * TIMES + first + t, row[i]);
            }
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

static const float *pipeline_form(const pipeline *state, size_t c)
{
    float *parts = state->parts + (size_t)omp_get_thread_num() * PARTS * TIMES;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2 * BEAMS, COLUMNS, 2 * STATIONS, 1.0f,
                state->weights + c * WEIGHTS, 2 * STATIONS,
                state->voltages + c * 2 * SERIES * TIMES, COLUMNS, 0.0f, parts, COLUMNS);
    return parts;
}

/* Real and imaginary parts together again. */
static void pipeline_join(const float *parts, float complex *beams)
{
    const pipeline_lanes low = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
    const pipeline_lanes high = low + VECTOR / 2;
    for (size_t b = 0; b < BEAMS; b++)
        for (size_t i = 0; i < COLUMNS; i += VECTOR) {
            pipeline_vector re, im;
            float *to = (float *)(beams + b * COLUMNS + i);
            memcpy(&re, parts + 2 * b * COLUMNS + i, sizeof re);
            memcpy(&im, parts + (2 * b + 1) * COLUMNS + i, sizeof im);
            vector_stream(to, __builtin_shuffle(re, im, low));
            vector_stream(to + VECTOR, __builtin_shuffle(re, im, high));
        }
}

static void pipeline1_round(void *given)
{
    const pipeline *state = given;
    pipeline_spectra(state);
#pragma omp parallel for schedule(dynamic)
    for (size_t c = 0; c < CHANNELS; c++)
        pipeline_join(pipeline_form(state, c), state->beams + c * BEAMS * COLUMNS);
}

/* Of a symmetric matrix of which there is the lower half. */
static inline float pipeline_at(const float *square, size_t i, size_t j)
{
    return i > j ? square[i * PARTS + j] : square[j * PARTS + i];
}

/* x conj(y) = re re + im im + i (im re - re im), of the beams j and i <= j. */
static void pipeline_products(const float *square, float complex *to)
{
    for (size_t j = 0; j < BEAMS; j++)
        for (size_t i = 0; i <= j; i++)
            for (size_t a = 0; a < POLS; a++)
                for (size_t b = 0; b < POLS; b++) {
                    const size_t x = 2 * POLS * j + b, y = 2 * POLS * i + a;
                    const float re =
                        pipeline_at(square, x, y) + pipeline_at(square, x + POLS, y + POLS);
                    const float im =
                        pipeline_at(square, x + POLS, y) - pipeline_at(square, x, y + POLS);
                    *to++ = CMPLXF(re, im);
                }
}

/* A channel's beams are correlated while they are in the cache. */
static void pipeline2_round(void *given)
{
    const pipeline *state = given;
    pipeline_spectra(state);
#pragma omp parallel for schedule(dynamic)
    for (size_t c = 0; c < CHANNELS; c++) {
        float *square = state->square + (size_t)omp_get_thread_num() * PARTS * PARTS;
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, PARTS, TIMES, 1.0f,
                    pipeline_form(state, c), TIMES, 0.0f, square, PARTS);
        pipeline_products(square, state->visibilities + c * BASELINES * POLS * POLS);
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
        sum += (double complex)pipeline_weight(c, b, s) * voltage(state, s * POLS + p, t, c);
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
        worst = fmax(worst, cabs(sum - state->beams[(c * BEAMS + b) * COLUMNS + p * TIMES + t]));
        power += creal(sum * conj(sum));
    }
    return worst / sqrt(power / CHECKS);
}

/* Beams by the other pipeline, which are right (above): visibilities are compared with these. */
static double pipeline2_error(void *given)
{
    const pipeline *state = given;
    double worst = 0.0, power = 0.0;
    enum { CHECKS = 300 };
    pipeline1_round(given);
    for (size_t n = 0; n < CHECKS; n++) {
        const size_t c = n * 37 % CHANNELS, j = n * 53 % BEAMS, i = n * 29 % (j + 1);
        const size_t a = n % POLS, b = n / POLS % POLS, l = j * (j + 1) / 2 + i;
        const float complex *x = state->beams + (c * BEAMS + j) * COLUMNS + b * TIMES;
        const float complex *y = state->beams + (c * BEAMS + i) * COLUMNS + a * TIMES;
        double complex sum = 0.0;
        for (size_t t = 0; t < TIMES; t++)
            sum += (double complex)x[t] * conj((double complex)y[t]);
        worst =
            fmax(worst,
                 cabs(sum - state->visibilities[(c * BASELINES + l) * POLS * POLS + a * POLS + b]));
        power += creal(sum * conj(sum));
    }
    return fmax(worst / sqrt(power / CHECKS), pipeline1_error(given));
}

/* Useful operations: 4 for each tap and sample, 5 n log2 n for a transform, 8 for a complex
 * multiply and add; all baselines with autocorrelations, all four products. */
#define SAMPLES ((double)SERIES * TIMES * CHANNELS)
#define BANK_FLOPS ((4.0 * TAPS + 5.0 * 8) * SAMPLES)
#define BEAMS_FLOPS (8.0 * BEAMS * SAMPLES)
#define PRODUCTS_FLOPS (8.0 * BASELINES * POLS * POLS * CHANNELS * TIMES)
#define PIPELINE1_BYTES (2.0 * SAMPLES + 8.0 * CHANNELS * BEAMS * COLUMNS)
#define PIPELINE2_BYTES (2.0 * SAMPLES + 8.0 * CHANNELS * BASELINES * POLS * POLS)
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
