/* fir.c: the poly-phase FIR filter: T taps over rows of N samples, one output per channel.
 * Room: stages/fir. Knows its ports, parameters, shapes and metadata. Does not know layouts.
 * Called by: the library, in the order infer, table, [reference | launches]. */
#include "fir.h"
#include "fir_cl.h"

enum { MOST = 1 << 24 }; /* coefficients */

static const ct_param fir_params[] = {
    {"channels", CT_PARAM_INT, "!", NULL, 1, 1 << 20, "channels N: spectra of N from rows of N"},
    {"taps", CT_PARAM_INT, "16", NULL, 1, 1024, "taps T: rows that meet in one output"},
    {"window", CT_PARAM_TEXT, "cobalt", "cobalt kaiser hamming hann rect file", 0, 0,
     "prototype filter"},
    {"beta", CT_PARAM_REAL, "9.0695", NULL, 0, 100, "of the window kaiser"},
    {"normalise", CT_PARAM_TEXT, "none", "none peak sum energy", 0, 0,
     "what of the prototype becomes 1: largest coefficient, sum, or sum of squares"},
    {"center_dc", CT_PARAM_BOOL, "true", NULL, 0, 0,
     "negate odd channels' coefficients: the FFT then puts the input's DC in channel N/2"},
    {"file", CT_PARAM_FILE, NULL, NULL, 0, 0, "a .npy of N T coefficients, oldest sample first"},
    {0},
};

static const ct_tunable fir_tunables[] = {
    {"TB", "1 2 4 8 16", "8", "4", "spectra that one work-item makes"},
    {"WG", "1 16 32 64 128 256", "16", "64", "work-items of a work-group, along the channels"},
    {0},
};

static const ct_case fir_cases[] = {
    {"{\"channels\": 7, \"taps\": 4, \"center_dc\": false}", "S=3 P=2 T=35", "ci8", NULL},
    {"{\"channels\": 10, \"taps\": 1}", "S=3 P=1 T=70", "ci4", NULL},
    {"{\"channels\": 16, \"taps\": 11, \"window\": \"kaiser\"}", "S=5 P=2 T=208", "ci16", NULL},
    {"{\"channels\": 18, \"taps\": 3, \"window\": \"hann\"}", "S=5 P=2 T=234", "cf32", NULL},
    {"{\"channels\": 6, \"taps\": 5, \"window\": \"rect\"}", "S=5 P=2 T=66", "i8", NULL},
    {"{\"channels\": 4, \"taps\": 7, \"normalise\": \"peak\"}", "S=5 P=3 T=44", "i16", NULL},
    {"{\"channels\": 2, \"taps\": 9, \"normalise\": \"sum\"}", "S=7 P=3 T=22", "f32", NULL},
    {0},
};

/* Frequency of a channel relative to the band's centre, in channels. */
static int64_t fir_order(int64_t c, int64_t channels, bool centred)
{
    if (centred) return c - channels / 2;
    return c < (channels + 1) / 2 ? c : c - channels;
}

static void fir_infer_meta(ct_step *step, const ct_array *x, ct_array *y)
{
    const fir_state *fir = step->state;
    bool centred = ct_step_bool(step, "center_dc");
    double spacing = x->meta.sample_time_s, width = x->meta.channel_width_hz;
    y->meta = x->meta;
    y->meta.sample_time_s = spacing * (double)fir->channels;
    y->meta.start_s += (1 - (double)fir->taps / 2) * (double)fir->channels * spacing;
    if (x->meta.total > 0) y->meta.total = x->meta.total / fir->channels;
    if (width == 0 && spacing > 0) width = 1 / spacing;
    y->meta.channel_width_hz = width / (double)fir->channels;
    y->meta.frequency_hz = NULL;
    y->meta.frequencies = 0;
    if (!x->meta.frequency_hz || width == 0) return;
    double *frequency = ct_step_alloc(step, sizeof(double) * (size_t)fir->channels);
    for (int64_t c = 0; c < fir->channels; c++)
        frequency[c] = x->meta.frequency_hz[0] +
                       (double)fir_order(c, fir->channels, centred) * y->meta.channel_width_hz;
    y->meta.frequency_hz = frequency;
    y->meta.frequencies = fir->channels;
}

static ct_status fir_check(const ct_step *step, int64_t channels, ct_error *err)
{
    if (ct_step_bool(step, "center_dc") && channels % 2 != 0 && channels > 1)
        return ct_step_fail(step, "channels", err,
                            "expected an even number, found %lld: with center_dc (the default) "
                            "the input's DC goes to channel N/2; \"center_dc\": false allows any "
                            "number",
                            (long long)channels);
    if (channels * ct_step_int(step, "taps") > MOST)
        return ct_step_fail(step, "taps", err,
                            "expected at most %d taps times channels, found %lld", MOST,
                            (long long)(channels * ct_step_int(step, "taps")));
    return CT_OK;
}

static ct_status fir_infer(ct_step *step, ct_error *err)
{
    ct_array *x = ct_step_port(step, "X"), *y = ct_step_port(step, "Y");
    ct_array *w = ct_step_port(step, "W");
    fir_state *fir = ct_step_alloc(step, sizeof *fir);
    fir->channels = ct_step_int(step, "channels");
    fir->taps = ct_step_int(step, "taps");
    ct_status status = fir_check(step, fir->channels, err);
    if (status != CT_OK) return status;
    fir->h = ct_step_alloc(step, sizeof(double) * (size_t)(fir->channels * fir->taps));
    status = ct_fir_window_fill(step, fir, err);
    if (status != CT_OK) return status;
    step->state = fir;
    step->decimate = fir->channels;
    step->overlap = (fir->taps - 1) * fir->channels;
    step->overlap_kind = CT_HISTORY;
    ct_array_add(y, 'C', fir->channels);
    ct_array_add(w, 'K', fir->taps);
    ct_array_add(w, 'C', fir->channels);
    fir_infer_meta(step, x, y);
    return CT_OK;
}

static ct_status fir_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const fir_state *fir = step->state;
    (void)port; /* W is the only one */
    (void)err;
    for (int64_t k = 0; k < fir->taps; k++)
        for (int64_t c = 0; c < fir->channels; c++)
            ct_array_save(fill, fill->offset + k * fill->stride[0] + c * fill->stride[1],
                          fir->h[k * fir->channels + c], 0);
    return CT_OK;
}

static double fir_flops(const ct_step *step)
{
    return 4.0 * (double)ct_step_int(step, "taps") *
           (double)ct_array_count(ct_step_array(step, "Y"));
}

const ct_stage ct_stage_fir = {
    .api = CT_API,
    .version = 1,
    .name = "fir",
    .summary = "poly-phase FIR filter: T taps, N channels; followed by fft it is a filter bank",
    .ports =
        {
            {"X", CT_IN, 0, "SPT", "ci8 ci4 ci16 i8 i16 f32 cf32", "*", "SPT", "voltages"},
            {"Y", CT_OUT, 0, "SPTC", "cf32", "*", "SPTC",
             "filtered rows, to be transformed over C"},
            {"W", CT_TABLE, 0, "KC", "f32", "KC", NULL, "coefficients"},
        },
    .params = fir_params,
    .tunables = fir_tunables,
    .cases = fir_cases,
    .parallel = "C:WG, T/TB, SP",
    .source = fir_cl,
    .source_name = "stages/fir/fir.cl",
    .entry = "fir",
    .tolerance = 1e-6,
    .infer = fir_infer,
    .table = fir_table,
    .reference = ct_fir_reference,
    .flops = fir_flops,
};
