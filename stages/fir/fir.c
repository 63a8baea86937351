/* fir.c: the poly-phase FIR filter: T taps over rows of N samples, one output per channel.
 * Room: stages/fir. Knows its ports, parameters, shapes and metadata. Does not know layouts. */
#include "fir.h"
#include "fir_cl.h"

enum { MOST = 1 << 24 }; /* coefficients */

static const ct_param fir_params[] = {
    CT_FIR_PARAMS,
    {0},
};

static const ct_tunable fir_tunables[] = {
    {"TILE_T", "1 2 4 8 16 32 64 128", "8", "16", "spectra of a tile"},
    {"CELL_T", "1 2 4 8 16", "8", "16", "spectra in registers at a time"},
    {"SLIDE", "0 1", "1", "0", "1: samples stay in registers from one cell to the next"},
    {"VECTOR_C", "1 2 4 8", "8", "1", "channels of a vector"},
    {"TILE_C", "1 2 4 8 16 32 64 128 256 512 1024", "256", "64", "channels of a tile"},
    {"TILE_S", "1 2 4 8 16 32", "1", "1", "stations of a tile"},
    {"TILE_P", "1 2 4", "1", "1", "polarizations of a tile"},
    {"TILE_F", "1 2 4 8 16 32", "1", "1", "subbands of a tile"},
    {"WG", "1 16 32 64 128 256", "1", "64", "work-items of a work-group"},
    {"PREFETCH", "0 1 2 4", "1", "0", "how many tiles ahead samples are prefetched; 0: not"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {0},
};

/* One row of samples, as they are; results. */
static const ct_tile fir_tiles[] = {
    {"A", "X", "SPFT", "TILE_S,TILE_P,TILE_F,TILE_C", NULL, "char2", "X_IS_ci4 || X_IS_ci8"},
    {"A", "X", "SPFT", "TILE_S,TILE_P,TILE_F,TILE_C", NULL, "short2", "X_IS_ci16"},
    {"A", "X", "SPFT", "TILE_S,TILE_P,TILE_F,TILE_C", NULL, "float2", "X_IS_cf32"},
    {"A", "X", "SPFT", "TILE_S,TILE_P,TILE_F,TILE_C", NULL, "char", "X_IS_i8"},
    {"A", "X", "SPFT", "TILE_S,TILE_P,TILE_F,TILE_C", NULL, "short", "X_IS_i16"},
    {"A", "X", "SPFT", "TILE_S,TILE_P,TILE_F,TILE_C", NULL, "float", "X_IS_f32"},
    {"R", "Y", "SPFTC", "TILE_S,TILE_P,TILE_F,TILE_T,TILE_C", "8", "float2", NULL},
    {0},
};

/* What the layouts need. Only samples that are read in place are prefetched. */
static const ct_term fir_terms[] = {
    {"PACKED_BYTES", "X_STRIDE_T == 1 ? 0 : (TILE_T + P_TAPS - 1) * A_SIZE * 8",
     "samples, where they are not contiguous"},
    {"STORED_BYTES", "Y_STRIDE_C == 1 ? 0 : R_BYTES", "results, where channels are not contiguous"},
    {"MOST_BYTES", "GPU ? 32768 : 524288", "of both together"},
    {0},
};

static const ct_case fir_cases[] = {
    {"{\"channels\": 14, \"taps\": 4}", "S=3 P=2 T=70", "ci8",
     "TILE_T=2 CELL_T=2 VECTOR_C=2 TILE_C=8 TILE_S=2 TILE_P=2"},
    {"{\"channels\": 7, \"taps\": 1, \"center_dc\": false}", "S=3 P=1 T=35", "ci4",
     "TILE_T=4 CELL_T=4 VECTOR_C=1 TILE_C=4 TILE_S=2 TILE_P=1"},
    {"{\"channels\": 16, \"taps\": 11, \"window\": \"kaiser\"}", "S=5 P=2 T=208", "ci16",
     "TILE_T=8 CELL_T=4 VECTOR_C=8 TILE_C=8 TILE_S=2 TILE_P=2"},
    {"{\"channels\": 18, \"taps\": 3, \"window\": \"hann\"}", "S=5 P=2 T=234", "cf32",
     "TILE_T=8 CELL_T=2 VECTOR_C=1 TILE_C=16 TILE_S=4 TILE_P=1 WG=16 PREFETCH=0 NONTEMPORAL=0"},
    {"{\"channels\": 8, \"taps\": 5}", "S=1 P=1 T=136", "ci8", NULL}, /* T is contiguous */
    {"{\"channels\": 6, \"taps\": 5, \"window\": \"rect\"}", "S=5 P=2 T=66", "i8", NULL},
    {"{\"channels\": 4, \"taps\": 7, \"normalise\": \"peak\"}", "S=5 P=3 T=44", "i16", NULL},
    {"{\"channels\": 2, \"taps\": 70, \"normalise\": \"sum\"}", "S=7 P=3 T=22", "f32", NULL},
    {"{\"channels\": 8, \"taps\": 3}", "S=3 P=2 T=88 C=5", "ci8",
     "TILE_T=4 CELL_T=2 VECTOR_C=4 TILE_C=8 TILE_S=2 TILE_P=2 TILE_F=2"},
    {0},
};

/* The input's channels, or bands, are the subbands. */
char ct_fir_dim(const ct_array *x)
{
    if (ct_array_find(x, 'F') >= 0) return 'F';
    return ct_array_find(x, 'C') >= 0 ? 'C' : 0;
}

int64_t ct_fir_subbands(const ct_array *x)
{
    const char dim = ct_fir_dim(x);
    return dim ? ct_array_extent(x, dim) : 1;
}

/* Frequency of a channel relative to the band's centre, in channels. */
static int64_t fir_order(int64_t c, int64_t channels, bool centred)
{
    if (centred) return c - channels / 2;
    return c < (channels + 1) / 2 ? c : c - channels;
}

/* Each subband's channels around its own centre, subband after subband: NULL, not known. */
static const double *fir_frequencies(ct_step *step, const ct_meta *in, int64_t subbands,
                                     double width)
{
    const fir_state *fir = step->state;
    const bool centred = ct_step_bool(step, "center_dc");
    if (!in->frequency_hz || in->frequencies < subbands || width == 0) return NULL;
    double *frequency =
        ct_step_alloc(step, sizeof(double) * (size_t)subbands * (size_t)fir->channels);
    for (int64_t n = 0; frequency && n < subbands * fir->channels; n++)
        frequency[n] = in->frequency_hz[n / fir->channels] +
                       (double)fir_order(n % fir->channels, fir->channels, centred) * width;
    return frequency; /* the step knows where there is none */
}

/* A subband's channels are flagged together with it; NULL: all are, or there is no memory. */
static const ct_groups *fir_groups(ct_step *step, const ct_array *x, int64_t subbands)
{
    const fir_state *fir = step->state;
    const int64_t channels = subbands * fir->channels;
    if (ct_array_groups(x) < 2) return NULL;
    ct_groups *groups = ct_step_alloc(step, sizeof *groups);
    int32_t *of = ct_step_alloc(step, sizeof *of * (size_t)channels);
    if (!groups || !of) return NULL;
    for (int64_t n = 0; n < channels; n++)
        of[n] = (int32_t)ct_array_group(x, n / fir->channels);
    *groups = (ct_groups){.count = ct_array_groups(x), .channels = channels, .of = of};
    return groups;
}

static void fir_infer_meta(ct_step *step, const ct_array *x, ct_array *y)
{
    const fir_state *fir = step->state;
    const int64_t subbands = ct_fir_subbands(x);
    double spacing = x->meta.sample_time_s, width = x->meta.channel_width_hz;
    y->meta = x->meta;
    y->meta.sample_time_s = spacing * (double)fir->channels;
    /* the middle of the samples that the filter covers */
    y->meta.start_s += ((1 - (double)fir->taps / 2) * (double)fir->channels - 0.5) * spacing;
    if (x->meta.total > 0) y->meta.total = x->meta.total / fir->channels;
    if (width == 0 && spacing > 0) width = 1 / spacing;
    y->meta.channel_width_hz = width / (double)fir->channels;
    y->meta.frequency_hz = fir_frequencies(step, &x->meta, subbands, y->meta.channel_width_hz);
    y->meta.frequencies = y->meta.frequency_hz ? subbands * fir->channels : 0;
    y->meta.groups = fir_groups(step, x, subbands);
}

static ct_status fir_check(const ct_step *step, int64_t channels, ct_error *err)
{
    int64_t count = channels * ct_step_int(step, "taps");
    if (ct_step_bool(step, "center_dc") && channels % 2 != 0 && channels > 1)
        return ct_step_fail(step, "channels", err,
                            "expected an even number, found %lld: with center_dc (the default) "
                            "the input's DC goes to channel N/2; \"center_dc\": false allows any "
                            "number",
                            (long long)channels);
    if (count > MOST)
        return ct_step_fail(step, "taps", err,
                            "expected at most %d taps times channels, found %lld", MOST,
                            (long long)count);
    return CT_OK;
}

/* Subbands and their channels, as two dimensions or one. */
static void fir_infer_channels(ct_step *step, const ct_array *x, ct_array *y, bool merged)
{
    const fir_state *fir = step->state;
    const int64_t subbands = ct_fir_subbands(x);
    if (ct_fir_dim(x) && !merged) ct_array_set(y, 'F', subbands);
    ct_array_set(y, 'C', merged ? subbands * fir->channels : fir->channels);
}

ct_status ct_fir_infer(ct_step *step, bool merged, ct_error *err)
{
    ct_array *x = ct_step_port(step, "X"), *y = ct_step_port(step, "Y");
    ct_array *w = ct_step_port(step, "W");
    fir_state *fir = ct_step_alloc(step, sizeof *fir);
    if (!fir) return CT_FAILED;
    fir->channels = ct_step_int(step, "channels");
    fir->taps = ct_step_int(step, "taps");
    ct_status status = fir_check(step, fir->channels, err);
    if (status != CT_OK) return status;
    fir->h = ct_step_alloc(step, sizeof(double) * (size_t)(fir->channels * fir->taps));
    if (!fir->h) return CT_FAILED;
    status = ct_fir_window_fill(step, fir, err);
    if (status != CT_OK) return status;
    step->state = fir;
    step->decimate = fir->channels;
    step->overlap = (fir->taps - 1) * fir->channels;
    step->overlap_kind = CT_HISTORY;
    fir_infer_channels(step, x, y, merged);
    ct_array_add(w, 'K', fir->taps);
    ct_array_add(w, 'C', fir->channels);
    fir_infer_meta(step, x, y);
    return CT_OK;
}

static ct_status fir_infer(ct_step *step, ct_error *err)
{
    return ct_fir_infer(step, false, err);
}

static ct_status fir_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const fir_state *fir = step->state;
    (void)port; /* W is the only one */
    (void)err;
    for (int64_t k = 0; k < fir->taps; k++)
        for (int64_t c = 0; c < fir->channels; c++)
            ct_array_save(fill, fill->offset + k * fill->stride[0] + c * fill->stride[1],
                          fir->h[k * fir->channels + c], fir->h[k * fir->channels + c]);
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
            [CT_FIR_X] = {"X", CT_IN, 0, "SPT[FC]?", "ci8 ci4 ci16 i8 i16 f32 cf32", "*", "SPFT",
                          "voltages; their channels are subbands"},
            [CT_FIR_Y] = {"Y", CT_OUT, 0, "SPTF?C", "cf32", "*", "SPFTC",
                          "filtered rows, to be transformed over C"},
            [CT_FIR_W] = {"W", CT_TABLE, 0, "KC", "cf32", "KC", NULL,
                          "coefficients, each as real and as imaginary part"},
        },
    .params = fir_params,
    .split = "S P",
    .infer = fir_infer,
    .table = fir_table,
    .flops = fir_flops,
    .tuning =
        {.tunables = fir_tunables,
         .terms = fir_terms,
         .where =
             "TILE_T % CELL_T == 0 && TILE_C % VECTOR_C == 0 && TILE_C % WG == 0 && "
             "N_C % VECTOR_C == 0 && "
             "(WG == 1 || (VECTOR_C == 1 && PREFETCH == 0)) && (NONTEMPORAL == 0 || WG == 1) && "
             "TILE_T < 2 * Y_N_T + CELL_T && TILE_C < 2 * N_C && TILE_S < 2 * N_S && TILE_P < 2 * "
             "N_P && TILE_F < 2 * N_F && "
             "(PREFETCH == 0 || X_STRIDE_T == 1) && " FIR_FITS,
         .suggest = ct_fir_suggest},
    .kernel = {.text = fir_cl,
               .name = "stages/fir/fir.cl",
               .entry = "fir",
               .parallel = "T/TILE_T, C/(TILE_C/WG):WG, S/TILE_S P/TILE_P F/TILE_F",
               .emit = ct_fir_emit,
               .tiles = fir_tiles},
    .verify = {.cases = fir_cases, .tolerance = 3e-6, .reference = ct_fir_reference},
};
