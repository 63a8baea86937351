/* newcomer.h: a stage as a newcomer writes it from docs/kernels.md: a FIR filter in coordinates.
 * Room: tests. Knows only cornerturn_stage.h. */
#ifndef CT_TESTS_NEWCOMER_H
#define CT_TESTS_NEWCOMER_H
#include "cornerturn_stage.h"

static const ct_param newcomer_params[] = {
    {"channels", CT_PARAM_INT, "!", NULL, 1, 0, "channels of the filter bank"},
    {"taps", CT_PARAM_INT, "4", NULL, 1, 0, "rows that meet in one output"},
    {0},
};

static const ct_tunable newcomer_tunables[] = {
    {"WG", "1 4 16", "1", "16", "work-items of a work-group"},
    {"ORDER", "up down", "up", "up", "in which order the taps are added"},
    {0},
};

static const ct_case newcomer_cases[] = {
    {"{\"channels\": 7, \"taps\": 3}", "S=3 P=2 T=35", "ci8", "WG=4"},
    {"{\"channels\": 5}", "S=2 P=3 T=55", "cf32", NULL},
    {0},
};

static const char newcomer_cl[] = "kernel void newcomer(CT_ARGS)\n"
                                  "{\n"
                                  "    const int s = ID_S, p = ID_P, t = ID_T, c = ID_C;\n"
                                  "    float2 sum = 0.0f;\n"
                                  "    if (CT_OUTSIDE)\n"
                                  "        return;\n"
                                  "    for (int k = 0; k < N_K; k++) {\n"
                                  "        const int tap = ORDER_IS_up ? k : N_K - 1 - k;\n"
                                  "        sum += W(tap, c) * X_LOAD(s, p, (t + tap) * N_C + c);\n"
                                  "    }\n"
                                  "    Y_SAVE(s, p, t, c, sum);\n"
                                  "}\n";

static ct_status newcomer_infer(ct_step *step, ct_error *err)
{
    int64_t channels = ct_step_int(step, "channels"), taps = ct_step_int(step, "taps");
    (void)err;
    ct_array_add(ct_step_port(step, "Y"), 'C', channels);
    ct_array_add(ct_step_port(step, "W"), 'K', taps);
    ct_array_add(ct_step_port(step, "W"), 'C', channels);
    step->decimate = channels;
    step->overlap = (taps - 1) * channels;
    return CT_OK;
}

static ct_status newcomer_table(const ct_step *step, const char *port, ct_array *fill,
                                ct_error *err)
{
    (void)step, (void)port, (void)err;
    for (int64_t i = 0; i < ct_array_count(fill); i++)
        ct_array_save(fill, i, 1.0 / (double)(i + 1), 0);
    return CT_OK;
}

static ct_status newcomer_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    int64_t channels = ct_step_int(step, "channels"), taps = ct_step_int(step, "taps");
    int64_t rows = ports[1].extent[2], series = ports[1].extent[0] * ports[1].extent[1];
    (void)err;
    for (int64_t out = 0; out < series * rows * channels; out++) {
        int64_t c = out % channels, t = out / channels % rows, sp = out / channels / rows;
        double re = 0, im = 0;
        for (int64_t k = 0; k < taps; k++) {
            int64_t in = (sp * (rows + taps - 1) + t + k) * channels + c;
            ct_complex x = ct_array_load(&ports[0], in);
            double w = ct_array_load(&ports[2], k * channels + c).re;
            re += w * x.re;
            im += w * x.im;
        }
        ct_array_save(&ports[1], out, re, im);
    }
    return CT_OK;
}

static const ct_stage newcomer = {
    .api = CT_API,
    .version = 1,
    .name = "newcomer",
    .summary = "a FIR filter in coordinates",
    .ports =
        {
            {"X", CT_IN, 0, "SPT", "ci8 cf32", "*", NULL, "voltages"},
            {"Y", CT_OUT, 0, "SPTC", "cf32", "*", NULL, "filtered rows"},
            {"W", CT_TABLE, 0, "KC", "f32", "*", NULL, "coefficients"},
        },
    .params = newcomer_params,
    .infer = newcomer_infer,
    .table = newcomer_table,
    .tuning = {.tunables = newcomer_tunables, .where = "WG <= 4 || GPU || N_C > 4"},
    .kernel = {.text = newcomer_cl,
               .name = "tests/newcomer.cl",
               .entry = "newcomer",
               .parallel = "C:WG, T, SP"},
    .verify = {.cases = newcomer_cases, .tolerance = 1e-6, .reference = newcomer_reference},
};

#endif
