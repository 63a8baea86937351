/* random_source.h: a source of any shape and type whose samples, and which of them are missing,
 * follow from a key and their coordinates.
 *
 * Room: tests. Knows only cornerturn_stage.h. */
#ifndef CT_TESTS_RANDOM_SOURCE_H
#define CT_TESTS_RANDOM_SOURCE_H
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "layout.h"

static inline uint64_t random_bits(uint64_t key, uint64_t n)
{
    uint64_t x = key * 0x9E3779B97F4A7C15u ^ (n + 1) * 0xC2B2AE3D27D4EB4Fu;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* The whole range of integers up to 16 bits; multiples of 2^-10 between -1 and 1, which every type
 * of floats holds. */
static inline double random_number(ct_type type, uint64_t bits)
{
    const int width = (int)ct_type_bits(type) / (ct_type_complex(type) ? 2 : 1);
    const bool below = type != CT_U8 && type != CT_U16 && type != CT_U32;
    const int64_t range = (int64_t)1 << (width < 16 ? width : 16);
    if (!ct_type_integer(type)) return ((double)(bits >> 40) / 0x1p13 - 1024) / 1024;
    return (double)((int64_t)(bits >> 8) & (range - 1)) - (double)(below ? range / 2 : 0);
}

/* The element at these indices (of the array's dimensions, in their order). */
static inline ct_complex random_sample(const ct_array *array, uint64_t key, const int64_t *index)
{
    uint64_t n = key;
    for (int k = 0; k < array->rank; k++)
        n = random_bits(n, (uint64_t)index[k]);
    const double re = floor(1024 * random_number(array->type, random_bits(n, 1))) / 1024;
    const double im = floor(1024 * random_number(array->type, random_bits(n, 2))) / 1024;
    return (ct_complex){re, ct_type_complex(array->type) ? im : 0};
}

/* Stretches of a few samples. */
static inline bool random_missing(uint64_t key, int64_t station, int64_t t)
{
    return random_bits(key + 7, (uint64_t)(t / 5 * 64 + station)) % 6 == 0;
}

/* ---- the stage */

static const ct_param random_params[] = {
    {"shape", CT_PARAM_TEXT, "!", NULL, 0, 0, "S=3 P=2 T=0 C=5"},
    {"type", CT_PARAM_TEXT, "!", NULL, 0, 0, "of its samples"},
    {"total", CT_PARAM_INT, "!", NULL, 1, 0, "samples along T"},
    {"key", CT_PARAM_INT, "!", NULL, 0, 0, "makes the samples others"},
    {"missing", CT_PARAM_BOOL, "false", NULL, 0, 0, "some are flagged"},
    {0}};

static ct_status random_infer(ct_step *step, ct_error *err)
{
    static const double first = 150e6, width = 0.5e6;
    ct_array *y = ct_step_port(step, "Y");
    const char *at = ct_step_text(step, "shape");
    char dim;
    long long extent;
    int length;
    (void)err;
    y->type = ct_type_parse(ct_step_text(step, "type"));
    y->rank = 0;
    for (; sscanf(at, " %c=%lld%n", &dim, &extent, &length) == 2; at += length)
        ct_array_add(y, dim, extent);
    const int64_t channels = ct_array_find(y, 'C') < 0 ? 0 : ct_array_extent(y, 'C');
    double *frequency = ct_step_alloc(step, sizeof(double) * (size_t)(channels + 1));
    for (int64_t c = 0; c <= channels; c++)
        frequency[c] = first + width * (double)c;
    y->meta.frequency_hz = frequency;
    y->meta.frequencies = channels ? channels : 1;
    y->meta.channel_width_hz = channels ? width : 0;
    y->meta.sample_time_s = channels ? 1e-3 : 5e-6;
    y->meta.total = ct_step_int(step, "total");
    return CT_OK;
}

typedef struct random_state {
    uint64_t key;
    int64_t at, total;
    bool missing;
} random_state;

static ct_status random_open(ct_step *step, void **state, ct_error *err)
{
    random_state *own = ct_step_alloc(step, sizeof *own);
    (void)err;
    own->key = (uint64_t)ct_step_int(step, "key");
    own->total = ct_step_int(step, "total");
    own->missing = ct_step_bool(step, "missing");
    *state = own;
    return CT_OK;
}

static void random_fill(const random_state *own, ct_array *block, int64_t got)
{
    int64_t index[CT_DIMS] = {0};
    const int t = ct_array_find(block, 'T');
    for (int64_t n = ct_array_count(block); n > 0; n--) {
        int64_t place = block->offset, of[CT_DIMS];
        for (int k = 0; k < block->rank; k++)
            place += index[k] * block->stride[k];
        memcpy(of, index, sizeof of);
        of[t] += own->at;
        if (index[t] < got) {
            const ct_complex x = random_sample(block, own->key, of);
            ct_array_save(block, place, x.re, x.im);
        }
        for (int k = block->rank - 1; k >= 0 && ++index[k] == block->extent[k]; k--)
            index[k] = 0;
    }
}

static ct_status random_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                             ct_error *err)
{
    random_state *own = state;
    const int64_t samples = ct_array_extent(block, 'T'), rest = own->total - own->at;
    (void)err;
    *got = rest < samples ? rest : samples;
    random_fill(own, block, *got);
    for (int64_t s = 0; own->missing && flags && s < ct_array_extent(block, 'S'); s++)
        for (int64_t t = 0; t < *got; t++)
            flags[s * samples + t] = random_missing(own->key, s, own->at + t);
    own->at += *got;
    return CT_OK;
}

static ct_status random_close(void *state, bool complete, ct_error *err)
{
    (void)state, (void)complete, (void)err;
    return CT_OK;
}

static const ct_stage random_source = {
    .api = CT_API,
    .name = "source.random",
    .ports = {{"Y", CT_OUT, 0, "*", "ci8 ci4 ci16 ci32 cf16 cf32 u8 u16 u32 i8 i16 i32 f16 f32",
               "*", NULL, NULL}},
    .params = random_params,
    .infer = random_infer,
    .io = {.open = random_open, .read = random_read, .close = random_close},
};

#endif
