/* flags_out_test.c: flags that a stage gives on the device count in what stands behind it, beside
 * those of the source: before a filter with history, a correlator and a detector, through a stage
 * that averages, through sums of several blocks, and where a pipeline connects them by hand. Random
 * samples are flagged by their values, and counted once more in plain loops.
 * Room: tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "exhaustive.h"
#include "flags_run.h"

enum { STATIONS = 3, POLS = 2, SAMPLES = 240, CHANNELS = 4, TAPS = 3 };

/* ---- what is in the data */

static uint32_t noise(int64_t s, int64_t p, int64_t t, int64_t c)
{
    uint64_t x = (uint64_t)(((s * POLS + p) * SAMPLES + t) * CHANNELS + c);
    x = (x + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
    return (uint32_t)(x >> 40) & 255;
}

/* One value in 64 is interference. */
static bool is_loud(int64_t s, int64_t p, int64_t t, int64_t c)
{
    return noise(s, p, t, c) >= 252;
}

static bool is_missing(int64_t s, int64_t t)
{
    return (t / 7 + 3 * s) % 11 == 0 || t % 29 == 5;
}

static ct_status source_infer(ct_step *step, ct_error *err)
{
    static const double frequency[CHANNELS] = {150e6, 151e6, 152e6, 153e6};
    (void)err;
    ct_array *out = ct_step_port(step, "Y");
    out->type = CT_CI16;
    ct_array_add(out, 'S', STATIONS);
    ct_array_add(out, 'P', POLS);
    ct_array_add(out, 'T', 0);
    if (ct_step_bool(step, "channels")) ct_array_add(out, 'C', CHANNELS);
    out->meta.total = SAMPLES;
    out->meta.sample_time_s = 1e-3;
    out->meta.frequency_hz = frequency;
    out->meta.frequencies = ct_step_bool(step, "channels") ? CHANNELS : 1;
    out->meta.channel_width_hz = 1e3;
    return CT_OK;
}

static void fill(ct_array *block, int64_t s, int64_t t, int64_t at)
{
    for (int64_t p = 0; p < POLS; p++)
        for (int64_t c = 0; c < ct_array_extent(block, 'C'); c++)
            ct_array_save(block,
                          block->offset + s * ct_array_stride(block, 'S') +
                              p * ct_array_stride(block, 'P') + t * ct_array_stride(block, 'T') +
                              c * ct_array_stride(block, 'C'),
                          noise(s, p, at + t, c), 1);
}

static ct_status source_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                             ct_error *err)
{
    int64_t *at = state;
    const int64_t count = ct_array_extent(block, 'T');
    (void)err;
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < count; t++) {
            fill(block, s, t, *at);
            if (flags) flags[s * count + t] = is_missing(s, *at + t);
        }
    *got = SAMPLES - *at < count ? SAMPLES - *at : count;
    *at += *got;
    return CT_OK;
}

/* ---- stages */

/* Flags what is loud in any polarization and channel of any of the samples that become one. */
static const char find_cl[] =
    "kernel void find(CT_ARGS)\n"
    "{\n"
    "    int loud = 0;\n"
    "    for (int p = 0; p < X_N_P; p++)\n"
    "        for (int c = 0; c < X_N_C; c++) {\n"
    "            Y_SAVE(ID_S, p, ID_T, c, X_LOAD(ID_S, p, ID_T * P_SUM, c));\n"
    "            for (int k = 0; k < P_SUM; k++)\n"
    "                loud |= X_LOAD(ID_S, p, ID_T * P_SUM + k, c).x >= 252.0f;\n"
    "        }\n"
    "    F(ID_S, ID_T) = loud ? 255 : 0;\n"
    "}\n";
/* How many of the samples that an output needs are flagged. */
static const char count_cl[] = "kernel void count(CT_ARGS)\n"
                               "{\n"
                               "    int sum = CT_ADD ? Y(ID_S, ID_T) : 0;\n"
                               "    for (int k = 0; k < DECIMATE + OVERLAP; k++)\n"
                               "        sum += M(ID_S, ID_T * DECIMATE + k) != 0;\n"
                               "    Y(ID_S, ID_T) = sum;\n"
                               "}\n";

static ct_status sum_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = ct_step_int(step, "sum");
    step->overlap = ct_step_value(step, "overlap") ? ct_step_int(step, "overlap") : 0;
    step->overlap_kind = CT_HISTORY;
    return CT_OK;
}

static const ct_param source_params[] = {{"channels", CT_PARAM_BOOL, "false", NULL, 0, 0, ""}, {0}};
static const ct_param sum_params[] = {{"sum", CT_PARAM_INT, "1", NULL, 1, 1e6, "samples in one"},
                                      {"overlap", CT_PARAM_INT, "0", NULL, 0, 1e6, "history"},
                                      {0}};

/* What the two kernels share. */
#define KERNEL(its)                                                                                \
    .params = sum_params, .infer = sum_infer,                                                      \
    .kernel = {.text = its##_cl, .name = #its ".cl", .entry = #its, .parallel = "T, S"}

static const ct_stage stages[] = {
    {
        .api = CT_API,
        .name = "test.data",
        .ports = {{"Y", CT_OUT, 0, "SPTC?", "ci16", "*", NULL, NULL}},
        .params = source_params,
        .infer = source_infer,
        .io = {.open = flags_source_open, .read = source_read},
    },
    {.api = CT_API,
     .name = "test.find",
     .ports = {{"X", CT_IN, 0, "SPTC?", "ci16 cf32", "*", NULL, NULL},
               {"Y", CT_OUT, 0, "SPTC?", "=X", "*", NULL, NULL},
               {"F", CT_OUT, CT_PORT_FLAGS, "ST", "u8", "*", NULL, NULL}},
     KERNEL(find)},
    {.api = CT_API,
     .name = "test.count",
     .ports = {{"X", CT_IN, 0, "SP?TC?", "ci16 cf32 f32 u8", "*", NULL, NULL},
               {"M", CT_IN, CT_PORT_FLAGS, "ST", "u8", "*", NULL, NULL},
               {"Y", CT_OUT, CT_PORT_ACCUMULATE, "ST", "f32", "*", NULL, NULL}},
     KERNEL(count)},
};

/* ---- the same in plain loops: flags of each station's samples, over the whole stream */

typedef struct mask {
    bool is[STATIONS][SAMPLES];
    int64_t samples;
} mask;

static mask loud_mask(int64_t channels, int64_t sum)
{
    mask out = {.samples = SAMPLES / sum};
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < out.samples * sum; t++)
            for (int64_t i = 0; i < POLS * channels; i++)
                out.is[s][t / sum] |= is_loud(s, i % POLS, t, i / POLS);
    return out;
}

static mask missing_mask(void)
{
    mask out = {.samples = SAMPLES};
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < SAMPLES; t++)
            out.is[s][t] = is_missing(s, t);
    return out;
}

static mask joined(mask a, mask b)
{
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < a.samples; t++)
            a.is[s][t] |= b.is[s][t];
    return a;
}

/* How many are flagged of the samples that one output needs; before the start all are. */
static int64_t flagged(const mask *in, int64_t s, int64_t t, int64_t decimate, int64_t overlap)
{
    int64_t count = 0;
    for (int64_t k = t * decimate - overlap; k < (t + 1) * decimate; k++)
        count += k < 0 || in->is[s][k];
    return count;
}

static mask behind(mask in, int64_t decimate, int64_t overlap)
{
    mask out = {.samples = in.samples / decimate};
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < out.samples; t++)
            out.is[s][t] = flagged(&in, s, t, decimate, overlap) > 0;
    return out;
}

/* ---- running */

static void check_counts(const capture *found, const mask *in, int64_t decimate, int64_t overlap,
                         const char *what)
{
    assert_int_equal(found->samples, in->samples / decimate);
    for (int64_t t = 0; t < found->samples; t++)
        for (int64_t s = 0; s < STATIONS; s++) {
            const int64_t expected = flagged(in, s, t, decimate, overlap);
            const double got = capture_at(found, t, s).re;
            if (got != (double)expected)
                fail_msg("%s: sample %d of station %d: found %g, expected %d", what, (int)t, (int)s,
                         got, (int)expected);
        }
}

/* ---- tests */

static void check_baselines(const capture *found, const mask *spectra, int64_t integrate)
{
    assert_int_equal(found->samples, spectra->samples / integrate);
    for (int64_t t = 0; t < found->samples; t++)
        for (int64_t j = 0, l = 0; j < STATIONS; j++)
            for (int64_t i = 0; i <= j; i++, l++) {
                int64_t expected = 0;
                for (int64_t k = t * integrate; k < (t + 1) * integrate; k++)
                    expected += !spectra->is[i][k] && !spectra->is[j][k];
                assert_int_equal((int64_t)capture_at(found, t, l).re, expected);
            }
}

static void before_a_filter_and_a_correlator(void **state)
{
    static const int blocks[] = {48, 8, 240};
    const mask raw = joined(loud_mask(1, 1), missing_mask());
    const mask spectra = behind(raw, CHANNELS, (TAPS - 1) * CHANNELS);
    for (int64_t i = 0; i < few_or_all(1, 3); i++) {
        capture out[2];
        flags_run(
            *state,
            "\"data\": {\"stage\": \"test.data\"},"
            "\"find\": {\"stage\": \"test.find\", \"input\": \"data\"},"
            "\"fir\": {\"stage\": \"fir\", \"input\": \"find\", \"channels\": 4, \"taps\": 3},"
            "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
            "\"vis\": {\"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": "
            "12}," FLAGS_SINKS("vis.COUNTS", "find.F"),
            blocks[i], i, out);
        check_baselines(&out[0], &spectra, 12);
        const mask loud = loud_mask(1, 1);
        for (int64_t t = 0; t < SAMPLES; t++)
            for (int64_t s = 0; s < STATIONS; s++)
                assert_true(capture_at(&out[1], t, s).re == (loud.is[s][t] ? 255 : 0));
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
}

/* The stage averages by 2, the detector adds 2, a sum of 5 needs several blocks, and what is behind
 * that has history. */
static void through_averages_and_sums_of_blocks(void **state)
{
    static const int blocks[] = {20, 4, 120};
    const mask found = joined(loud_mask(CHANNELS, 2), behind(missing_mask(), 2, 0));
    const mask powers = behind(found, 2, 0), sums = behind(powers, 5, 0);
    for (int64_t i = 0; i < few_or_all(1, 3); i++) {
        capture out[2];
        flags_run(*state,
                  "\"data\": {\"stage\": \"test.data\", \"channels\": true},"
                  "\"find\": {\"stage\": \"test.find\", \"input\": \"data\", \"sum\": 2},"
                  "\"power\": {\"stage\": \"detect\", \"input\": \"find\", \"integrate\": 2},"
                  "\"sum\": {\"stage\": \"test.count\", \"input\": \"power\", \"sum\": 5},"
                  "\"again\": {\"stage\": \"test.count\", \"input\": \"sum\", \"overlap\": "
                  "2}," FLAGS_SINKS("sum", "again"),
                  blocks[i], i, out);
        check_counts(&out[0], &powers, 5, 0, "sum");
        check_counts(&out[1], &sums, 1, 2, "again");
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
}

/* The data do not come through the stage that finds; behind their reader what it found counts, and
 * behind the flags themselves it does not. */
static void connected_by_hand(void **state)
{
    static const int blocks[] = {48, 6, 240};
    const mask both = joined(loud_mask(CHANNELS, 1), missing_mask());
    const mask reader = behind(both, 2, 3);
    for (int64_t i = 0; i < few_or_all(1, 3); i++) {
        capture out[2];
        flags_run(*state,
                  "\"data\": {\"stage\": \"test.data\", \"channels\": true},"
                  "\"find\": {\"stage\": \"test.find\", \"input\": \"data\"},"
                  "\"count\": {\"stage\": \"test.count\", \"input\": {\"X\": \"data\", \"M\": "
                  "\"find.F\"}, \"sum\": 2, \"overlap\": 3},"
                  "\"next\": {\"stage\": \"test.count\", \"input\": \"count\", \"sum\": 3},"
                  "\"through\": {\"stage\": \"test.count\", \"input\": \"find\"},"
                  "\"own\": {\"stage\": \"test.count\", \"input\": \"find.F\"}," FLAGS_SINKS("next",
                                                                                             "own"),
                  blocks[i], i, out);
        const mask missing = missing_mask();
        check_counts(&out[0], &reader, 3, 0, "next");
        check_counts(&out[1], &missing, 1, 0, "own");
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
}

/* In one pass and in two: the same powers, and as many samples in them. */
static void beams_and_powers_in_one_pass(void **state)
{
    static const char *const fuse[] = {"false", "true"};
    static const int blocks[] = {24, 240};
    for (int64_t i = 0; i < few_or_all(1, 2); i++) {
        capture out[2][2];
        char nodes[1024];
        for (int one = 0; one < 2; one++) {
            snprintf(nodes, sizeof nodes,
                     "\"data\": {\"stage\": \"test.data\", \"channels\": true},"
                     "\"beams\": {\"stage\": \"beamformer\", \"input\": \"data\", \"positions\": "
                     "[[0,0,0],[30,4,0],[-8,20,1]], \"directions\": [[0,0,1],[0.1,0,0.995]]},"
                     "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", \"integrate\": 8, "
                     "\"fuse\": %s}," FLAGS_SINKS("power", "power.COUNTS"),
                     fuse[one]);
            flags_run(*state, nodes, blocks[i], 0, out[one]);
        }
        assert_int_equal(out[1][0].samples, SAMPLES / 8);
        assert_int_equal(out[1][1].count, 2);
        for (int64_t t = 0; t < out[1][0].samples; t++) {
            int64_t expected = 0;
            for (int64_t k = 8 * t; k < 8 * t + 8; k++)
                expected += !is_missing(0, k) || !is_missing(1, k) || !is_missing(2, k);
            for (int64_t b = 0; b < 2; b++) {
                assert_int_equal((int64_t)capture_at(&out[0][1], t, b).re, expected);
                assert_int_equal((int64_t)capture_at(&out[1][1], t, b).re, expected);
            }
            for (int64_t n = 0; n < out[1][0].count; n++) {
                const double two = capture_at(&out[0][0], t, n).re;
                assert_true(fabs(capture_at(&out[1][0], t, n).re - two) <= 1e-4 * two);
            }
        }
        for (int k = 0; k < 4; k++)
            capture_free(&out[k / 2][k % 2]);
    }
}

FLAGS_SESSION

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_a_filter_and_a_correlator),
        cmocka_unit_test(through_averages_and_sums_of_blocks),
        cmocka_unit_test(connected_by_hand),
        cmocka_unit_test(beams_and_powers_in_one_pass),
    };
    return cmocka_run_group_tests(tests, open_session, flags_close);
}
