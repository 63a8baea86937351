/* flags_groups.h: a source whose groups of channels lose packets, and stages that take flags, give
 * them or leave out what is flagged, for tests. What is flagged holds numbers that
 * would show. Room: tests. */
#ifndef CT_TESTS_FLAGS_GROUPS_H
#define CT_TESTS_FLAGS_GROUPS_H
#include "flags_run.h"

enum { STATIONS = 3, SAMPLES = 240, CHANNELS = 5, GROUPS = 3 };

static const int32_t group_of[CHANNELS] = {0, 2, 0, 1, 2};

/* ---- what is in the data */

static uint32_t noise(int64_t s, int64_t t, int64_t c, uint64_t salt)
{
    uint64_t x = (uint64_t)((s * SAMPLES + t) * CHANNELS + c) + salt * 1000003u;
    x = (x + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
    return (uint32_t)(x >> 40) & 63;
}

/* Packets of 4 samples are lost, of a group at a time. */
static bool is_missing(int64_t s, int64_t t, int64_t c)
{
    return noise(s, t / 4, group_of[c], 1) < 12;
}

static bool is_loud(int64_t s, int64_t t, int64_t c)
{
    return noise(s, t, c, 2) >= 60;
}

static ct_status source_infer(ct_step *step, ct_error *err)
{
    static const ct_groups groups = {GROUPS, CHANNELS, group_of};
    static const double frequency[CHANNELS] = {150e6, 151e6, 152e6, 153e6, 154e6};
    ct_array *out = flags_source_shape(step, STATIONS, SAMPLES);
    (void)err;
    ct_array_add(out, 'C', CHANNELS);
    if (out->type != CT_U8) out->meta.groups = &groups;
    out->meta.sample_time_s = 1e-3;
    out->meta.start_mjd = 59000;
    out->meta.frequency_hz = frequency;
    out->meta.frequencies = CHANNELS;
    out->meta.channel_width_hz = 1e6;
    return CT_OK;
}

static double value(int64_t s, int64_t t, int64_t c)
{
    return 1 + noise(s, t, c, 2);
}

static void fill(ct_array *block, uint8_t *flags, int64_t s, int64_t t, int64_t at)
{
    const int64_t count = ct_array_extent(block, 'T');
    for (int64_t c = 0; c < CHANNELS; c++) {
        const bool lost = is_missing(s, at + t, c);
        ct_array_save(block,
                      block->offset + s * ct_array_stride(block, 'S') +
                          t * ct_array_stride(block, 'T') + c * ct_array_stride(block, 'C'),
                      block->type == CT_U8 ? is_loud(s, at + t, c)
                      : lost               ? 1e6
                                           : value(s, at + t, c),
                      0);
        if (flags && block->type != CT_U8) flags[(s * GROUPS + group_of[c]) * count + t] = lost;
    }
}

static ct_status source_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                             ct_error *err)
{
    int64_t *at = state;
    const int64_t count = ct_array_extent(block, 'T');
    (void)err;
    *got = SAMPLES - *at < count ? SAMPLES - *at : count;
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < *got; t++)
            fill(block, flags, s, t, *at);
    *at += *got;
    return CT_OK;
}

/* ---- stages */

/* How many of the samples that an output needs are flagged (FROM: what counts as that). */
static const char count_cl[] =
    "kernel void count(CT_ARGS)\n"
    "{\n"
    "    for (int c = 0; c < Y_N_C; c++) {\n"
    "        int sum = CT_ADD ? Y(ID_S, ID_T, c) : 0;\n"
    "        for (int k = 0; k < DECIMATE + OVERLAP; k++)\n"
    "            sum += (M(ID_S, ID_T * DECIMATE + k, c) & P_BITS) != 0;\n"
    "        Y(ID_S, ID_T, c) = sum;\n"
    "    }\n"
    "}\n";
/* The same of what knows stations only. */
static const char old_cl[] = "kernel void old(CT_ARGS)\n"
                             "{\n"
                             "    for (int c = 0; c < Y_N_C; c++)\n"
                             "        Y_SAVE(ID_S, ID_T, c, M(ID_S, ID_T) != 0);\n"
                             "}\n";
/* Leaves out what is flagged, since that is 0. */
static const char sum_cl[] = "kernel void sum(CT_ARGS)\n"
                             "{\n"
                             "    for (int c = 0; c < X_N_C; c++) {\n"
                             "        float all = CT_ADD ? Y(ID_S, ID_T, c) : 0;\n"
                             "        for (int k = 0; k < DECIMATE; k++)\n"
                             "            all += X_LOAD(ID_S, ID_T * DECIMATE + k, c);\n"
                             "        Y(ID_S, ID_T, c) = all;\n"
                             "    }\n"
                             "}\n";
static const char beam_cl[] = "kernel void beam(CT_ARGS)\n"
                              "{\n"
                              "    float all = 0;\n"
                              "    for (int s = 0; s < X_N_S; s++)\n"
                              "        all += X_LOAD(s, ID_T, ID_C);\n"
                              "    Y_SAVE(0, ID_T, ID_C, all);\n"
                              "}\n";
static const char series_cl[] = "kernel void series(CT_ARGS)\n"
                                "{\n"
                                "    float all = 0;\n"
                                "    for (int c = 0; c < X_N_C; c++)\n"
                                "        all += X_LOAD(ID_S, ID_T, c);\n"
                                "    Y_SAVE(ID_S, ID_T, all);\n"
                                "}\n";
static const char find_cl[] = "kernel void find(CT_ARGS)\n"
                              "{\n"
                              "    const float x = X_LOAD(ID_S, ID_T, ID_C);\n"
                              "    Y_SAVE(ID_S, ID_T, ID_C, x);\n"
                              "    F(ID_S, ID_T, ID_C) = x < 1e5f && x >= 61 ? 255 : 0;\n"
                              "}\n";

static ct_status sum_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = ct_step_int(step, "sum");
    step->overlap = ct_step_int(step, "overlap");
    step->overlap_kind = CT_HISTORY;
    return CT_OK;
}

static ct_status beam_infer(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_set(ct_step_port(step, "Y"), 'B', 1);
    return CT_OK;
}

static const ct_param sum_params[] = {{"sum", CT_PARAM_INT, "1", NULL, 1, 1e6, "samples in one"},
                                      {"overlap", CT_PARAM_INT, "0", NULL, 0, 1e6, "history"},
                                      {"bits", CT_PARAM_INT, "7", NULL, 1, 7, "what counts"},
                                      {0}};

#define IN(dims)                                                                                   \
    {                                                                                              \
        "X", CT_IN, 0, dims, "f32 u8", "*", NULL, NULL                                             \
    }
#define OUT(dims, flags)                                                                           \
    {                                                                                              \
        "Y", CT_OUT, flags, dims, "f32", "*", NULL, NULL                                           \
    }
#define TEXT(its) .text = its##_cl, .name = #its ".cl", .entry = #its

static const ct_stage stages[] = {
    {
        .api = CT_API,
        .name = "test.data",
        .ports = {{"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}},
        .infer = source_infer,
        .io = {.open = flags_source_open, .read = source_read},
    },
    {
        .api = CT_API,
        .name = "test.mask",
        .ports = {{"Y", CT_OUT, 0, "STC", "u8", "*", NULL, NULL}},
        .infer = source_infer,
        .io = {.open = flags_source_open, .read = source_read},
    },
    {
        .api = CT_API,
        .name = "test.count",
        .ports = {IN("[SB]?TC?"),
                  {"M", CT_IN, CT_PORT_FLAGS, "STC?", "u8", "*", "SCT", NULL},
                  OUT("[SB]?TC?", CT_PORT_ACCUMULATE)},
        .params = sum_params,
        .infer = sum_infer,

        .kernel = {TEXT(count), .parallel = "T, S"},
    },
    {
        .api = CT_API,
        .name = "test.old",
        .ports = {IN("STC"),
                  {"M", CT_IN, CT_PORT_FLAGS, "ST", "u8", "*", NULL, NULL},
                  OUT("STC", 0)},

        .kernel = {TEXT(old), .parallel = "T, S"},
    },
    {
        .api = CT_API,
        .name = "test.sum",
        .ports = {IN("STC"), OUT("STC", CT_PORT_ACCUMULATE)},
        .params = sum_params,
        .infer = sum_infer,
        .traits = CT_STAGE_LEAVES_OUT,

        .kernel = {TEXT(sum), .parallel = "T, S"},
    },
    {
        .api = CT_API,
        .name = "test.beam",
        .ports = {IN("STC"), OUT("BTC", 0)},
        .infer = beam_infer,
        .traits = CT_STAGE_LEAVES_OUT,

        .kernel = {TEXT(beam), .parallel = "C, T"},
    },
    {
        .api = CT_API,
        .name = "test.series",
        .ports = {IN("STC"), OUT("ST", 0)},
        .traits = CT_STAGE_LEAVES_OUT,

        .kernel = {TEXT(series), .parallel = "T, S"},
    },
    {
        .api = CT_API,
        .name = "test.find",
        .ports = {IN("STC"),
                  OUT("STC", 0),
                  {"F", CT_OUT, CT_PORT_FLAGS, "STC", "u8", "*", NULL, NULL}},

        .kernel = {TEXT(find), .parallel = "C, T, S"},
    },
};

#endif
