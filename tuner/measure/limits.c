/* limits.c: measures what a device can do at most: arithmetic per type, copies, local memory.
 * Room: tuner/measure. Knows limits.cl as a stage. Does not know other stages. */
#include "limits.h"

#include "device.h"
#include "fail.h"
#include "layout.h"
#include "limits_cl.h"
#include "memory.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 9, CHAINS = 12, TILE = 256 };

static const ct_param limits_params[] = {
    {"kind", CT_PARAM_TEXT, "!", "fma_f32 dot_i8 dot_i16 copy nt_copy local_read", 0, 0,
     "what is measured"},
    {"loops", CT_PARAM_INT, "1", NULL, 1, 0x7fffffff, "rounds of the inner loop"},
    {0}};

static const ct_tunable limits_tunables[] = {
    {"VECTOR_T", "1 2 4 8 16", "16", "1", "elements of a vector"},
    {"WG", "1 256", "1", "256", "work-items of a work-group"},
    {"TILE_T", "1 2 4 8 16 64 4096", "4096", "4", "elements of a tile, which a work-item takes"},
    {0}};

static double limits_amount(const ct_step *step)
{
    const char *kind = ct_step_text(step, "kind");
    double elements = (double)ct_array_extent(&step->port[0], 'T');
    double loops = (double)ct_step_int(step, "loops");
    double vector_bytes = (double)ct_step_tunable(step, "VECTOR_T") * sizeof(float);
    if (strstr(kind, "copy") != NULL) return 2 * sizeof(float) * elements;
    if (strcmp(kind, "dot_i8") == 0) return 8 * CHAINS * loops * elements;
    if (strcmp(kind, "dot_i16") == 0) return 4 * CHAINS * loops * elements;
    if (strcmp(kind, "fma_f32") == 0) return 2 * CHAINS * loops * elements;
    return vector_bytes * TILE * loops * elements / (double)ct_step_tunable(step, "TILE_T");
}

/* 32-bit lanes of a CPU's integer dot product; to use an instruction that it lacks would end the
 * program. */
static int64_t limits_dot_width(bool gpu)
{
    if (gpu) return 1;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512vnni")) return 16;
#endif
    return 0;
}

static ct_status limits_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    ct_text_add(text, "#define DOT_WIDTH %lld\n", (long long)limits_dot_width(step->gpu));
    return CT_OK;
}

/* One stage per kernel of limits.cl. */
#define LIMITS_STAGE(which)                                                                        \
    {                                                                                              \
        .api = CT_API, .version = 1, .name = "limits", .summary = "measures the device",           \
        .ports = {{"X", CT_IN, 0, "T", "f32", "*", NULL, "numbers"},                               \
                  {"Y", CT_OUT, 0, "T", "f32", "*", NULL, "numbers"}},                             \
        .params = limits_params, .flops = limits_amount, .tuning = {.tunables = limits_tunables},  \
        .kernel = {                                                                                \
            .text = limits_cl,                                                                     \
            .name = "tuner/measure/limits.cl",                                                     \
            .entry = (which),                                                                      \
            .parallel = "T/TILE_T:WG",                                                             \
            .emit = limits_emit                                                                    \
        }                                                                                          \
    }

static const ct_stage limits_stages[] = {LIMITS_STAGE("fma_f32"), LIMITS_STAGE("dot_integer"),
                                         LIMITS_STAGE("copy"), LIMITS_STAGE("local_read")};

/* Enough work for a few milliseconds of a desktop CPU or a large GPU. */
typedef struct limits_row {
    const char *name;
    int stage;
    bool copies;                   /* TILE_T stays; else each work-item has one vector */
    int64_t elements[2], loops[2]; /* CPU, GPU */
} limits_row;

static const limits_row limits_rows[CT_LIMITS] = {
    [CT_LIMIT_FMA_F32] = {"fma_f32", 0, false, {1024, 1 << 20}, {100000, 8192}},
    [CT_LIMIT_DOT_I8] = {"dot_i8", 1, false, {1024, 1 << 20}, {100000, 8192}},
    [CT_LIMIT_DOT_I16] = {"dot_i16", 1, false, {1024, 1 << 20}, {100000, 8192}},
    [CT_LIMIT_COPY] = {"copy", 2, true, {20971520, 1 << 26}, {1, 1}},
    [CT_LIMIT_NT_COPY] = {"nt_copy", 2, true, {20971520, 1 << 26}, {1, 1}},
    [CT_LIMIT_LOCAL] = {"local_read", 3, false, {1024, 1 << 20}, {3000, 128}}};

const char *ct_limits_name(ct_limit limit)
{
    return limits_rows[limit].name;
}

double ct_limits_amount(const ct_timed_step *timed)
{
    return timed->flops;
}

static ct_status limits_tunables_set(ct_step *step, bool copies, int64_t width, ct_error *err)
{
    ct_status status = CT_OK;
    char word[32];
    snprintf(word, sizeof word, "%lld", (long long)width);
    ct_step_default_tunables(step);
    CT_TRY(ct_step_set_tunable(step, "VECTOR_T", word, err));
    if (!copies || ct_step_tunable(step, "TILE_T") < width)
        CT_TRY(ct_step_set_tunable(step, "TILE_T", word, err));
out:
    return status;
}

static ct_status limits_step(ct_step **out, const ct_device *device, const limits_row *row,
                             int64_t elements, int64_t width, const ct_value *given, ct_error *err)
{
    ct_status status = CT_OK;
    ct_layout layout = {.rank = 1, .dim = "T"};
    CT_TRY(ct_step_new(out, &limits_stages[row->stage], row->name, given, NULL, NULL, err));
    ct_step_set_device(*out, device);
    (*out)->port[0].type = CT_F32;
    ct_array_add(&(*out)->port[0], 'T', elements);
    CT_TRY(ct_step_infer(*out, err));
    for (int port = 0; port < 2; port++)
        CT_TRY(ct_step_set_layout(*out, port, &layout, err));
    CT_TRY(limits_tunables_set(*out, row->copies, width, err));
out:
    return status;
}

static ct_status limits_work(ct_timed_step **out, ct_device *device, const limits_row *row,
                             int64_t elements, int64_t width, ct_buffer_pool *pool, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *given = NULL;
    ct_step *step = NULL;
    char text[96];
    *out = NULL;
    snprintf(text, sizeof text, "{\"kind\": \"%s\", \"loops\": %lld}", row->name,
             (long long)row->loops[device->gpu]);
    CT_TRY(ct_value_parse(&given, text, row->name, err));
    CT_TRY(limits_step(&step, device, row, elements, width, given, err));
    CT_TRY(ct_timed_step_new(out, device, step, pool, err));
    (*out)->given = given;
    given = NULL;
out:
    ct_step_free(step);
    ct_value_free(given);
    return status;
}

ct_status ct_limits_work(ct_timed_step **out, ct_device *device, ct_limit limit, int64_t width,
                         ct_buffer_pool *pool, ct_error *err)
{
    const limits_row *row = &limits_rows[limit];
    return limits_work(out, device, row, row->elements[device->gpu], width, pool, err);
}

/* The kernel knows only whole tiles. */
ct_status ct_limits_copy(ct_timed_step **out, ct_device *device, int64_t bytes,
                         ct_buffer_pool *pool, ct_error *err)
{
    enum { WIDEST = 16, WIDEST_GPU = 4, WHOLE = 4096 };
    const int64_t elements = ct_divide_up(bytes, WHOLE * (int64_t)sizeof(float)) * WHOLE;
    ct_status status = CT_FAILED;
    for (int64_t width = device->gpu ? WIDEST_GPU : WIDEST; status != CT_OK && width > 0;
         width /= 2)
        status = limits_work(out, device, &limits_rows[CT_LIMIT_NT_COPY], elements, width, pool,
                             width == 1 ? err : NULL);
    return status;
}

/* ---------------------------------------------------------------- all of them */

typedef struct limits_trial {
    ct_limit limit;
    int64_t width;
    ct_timed_step *timed;
} limits_trial;

enum { WIDTHS = 3, TRIALS = CT_LIMITS * WIDTHS };

/* A width or an instruction that the device does not know fails to build, and is left out. */
static int limits_try_all(limits_trial trials[TRIALS], ct_device *device, ct_buffer_pool *pool)
{
    static const int64_t widths[2][WIDTHS] = {{4, 8, 16}, {1, 2, 4}};
    int count = 0;
    for (int limit = 0; limit < CT_LIMITS; limit++)
        for (int i = 0; i < WIDTHS; i++) {
            limits_trial *trial = &trials[count];
            bool dots = limit == CT_LIMIT_DOT_I8 || limit == CT_LIMIT_DOT_I16;
            if (dots && widths[device->gpu][i] != limits_dot_width(device->gpu)) continue;
            *trial = (limits_trial){(ct_limit)limit, widths[device->gpu][i], NULL};
            if (ct_limits_work(&trial->timed, device, trial->limit, trial->width, pool, NULL) ==
                CT_OK)
                count++;
        }
    return count;
}

static void limits_keep(ct_limits *out, const limits_trial *trial, const double *seconds)
{
    double rate = ct_limits_amount(trial->timed) / ct_rounds_median(seconds, ROUNDS);
    if (rate <= out->rate[trial->limit]) return;
    out->rate[trial->limit] = rate;
    out->width[trial->limit] = trial->width;
}

ct_status ct_limits_measure(ct_limits *out, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_buffer_pool pool = {0};
    limits_trial trials[TRIALS];
    ct_timed things[TRIALS];
    double seconds[TRIALS * ROUNDS];
    *out = (ct_limits){0};
    int count = limits_try_all(trials, device, &pool);
    for (int i = 0; i < count; i++)
        things[i] = ct_timed_step_timing(trials[i].timed);
    CT_TRY(ct_rounds_run(seconds, things, count, ROUNDS, err));
    for (int i = 0; i < count; i++)
        limits_keep(out, &trials[i], &seconds[(size_t)i * ROUNDS]);
    if (out->rate[CT_LIMIT_FMA_F32] == 0 || out->rate[CT_LIMIT_COPY] == 0)
        CT_TRY(ct_error_add(err, CT_FAILED, "device \"%s\" cannot run the kernels that measure it",
                            device->name));
out:
    for (int i = 0; i < count; i++)
        ct_timed_step_free(trials[i].timed);
    ct_timed_step_pool_free(&pool);
    return status;
}
