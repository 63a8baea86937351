/* fir.c: the poly-phase FIR filter: T taps over rows of N samples, one output per channel.
 * Room: stages/fir. Knows its ports, parameters, shapes and metadata. Does not know layouts.
 * Called by: the library, in the order infer, table, [reference | launches]. */
#include "fir.h"
#include "fir_cl.h"

enum { MOST = 1 << 24 }; /* coefficients */
enum { SLIDING = 8 };    /* most taps whose samples stay in registers */

static const ct_param fir_params[] = {
    {"channels", CT_PARAM_INT, "!", NULL, 1, 1 << 20, "channels N: spectra of N from rows of N"},
    {"taps", CT_PARAM_INT, "16", NULL, 1, 1024, "taps T: rows that meet in one output"},
    {"window", CT_PARAM_TEXT, "cobalt", CT_WORDS(FIR_WINDOWS), 0, 0, "prototype filter"},
    {"beta", CT_PARAM_REAL, "9.0695", NULL, 0, 100, "of the window kaiser"},
    {"normalise", CT_PARAM_TEXT, "none", CT_WORDS(FIR_NORMS), 0, 0,
     "what of the prototype becomes 1: largest coefficient, sum, or sum of squares"},
    {"center_dc", CT_PARAM_BOOL, "true", NULL, 0, 0,
     "negate odd channels' coefficients: the FFT then puts the input's DC in channel N/2"},
    {"file", CT_PARAM_FILE, NULL, NULL, 0, 0, "a .npy of N T coefficients, oldest sample first"},
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
    {"WG", "1 16 32 64 128 256", "1", "64", "work-items of a work-group"},
    {"PREFETCH", "0 1 2 4", "1", "0", "how many tiles ahead samples are prefetched; 0: not"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {0},
};

/* One row of samples, as they are; results. */
static const ct_tile fir_tiles[] = {
    {"A", "X", "SPT", "TILE_S,TILE_P,TILE_C", NULL, "char2", "X_IS_ci4 || X_IS_ci8"},
    {"A", "X", "SPT", "TILE_S,TILE_P,TILE_C", NULL, "short2", "X_IS_ci16"},
    {"A", "X", "SPT", "TILE_S,TILE_P,TILE_C", NULL, "float2", "X_IS_cf32"},
    {"A", "X", "SPT", "TILE_S,TILE_P,TILE_C", NULL, "char", "X_IS_i8"},
    {"A", "X", "SPT", "TILE_S,TILE_P,TILE_C", NULL, "short", "X_IS_i16"},
    {"A", "X", "SPT", "TILE_S,TILE_P,TILE_C", NULL, "float", "X_IS_f32"},
    {"R", "Y", "SPTC", "TILE_S,TILE_P,TILE_T,TILE_C", "8", "float2", NULL},
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
#define FIR_FITS "PACKED_BYTES + STORED_BYTES <= MOST_BYTES"

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
    {0},
};

/* ---------------------------------------------------------------- tunables and shapes */

static int64_t fir_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t fir_power_above(int64_t n)
{
    int64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* The tunable that says how far a tile reaches along a dimension, and its largest value. */
typedef struct fir_side {
    char dim;
    const char *tunable;
    int64_t most;
} fir_side;

/* The side whose dimension is the n-th fastest of the array. */
static const fir_side *fir_find_side(const ct_array *array, int n)
{
    static const fir_side sides[] = {
        {'T', "TILE_T", 32}, {'C', "TILE_C", 256}, {'S', "TILE_S", 32}, {'P', "TILE_P", 4}};
    for (int i = 0; i < 4; i++) {
        int faster = 0;
        if (ct_array_find(array, sides[i].dim) < 0) continue;
        for (int j = 0; j < array->rank; j++)
            faster += array->stride[j] < ct_array_stride(array, sides[i].dim);
        if (faster == n) return &sides[i];
    }
    return NULL;
}

/* Lengthens the block along an array's fastest dimensions until `wanted` elements lie together. */
static void fir_grow(ct_step *step, const ct_array *array, int64_t wanted)
{
    int64_t together = 1;
    for (int n = 0; n < array->rank && together < wanted; n++) {
        const fir_side *side = fir_find_side(array, n);
        if (!side) continue; /* dimensions of extent 1 share their stride with others */
        if (side->dim == 'T' && ct_array_find(array, 'C') < 0)
            break; /* samples: TILE_C reaches there */
        int64_t reach = fir_smaller(wanted / together, side->most);
        reach = fir_smaller(reach, fir_power_above(ct_array_extent(array, side->dim)));
        if (ct_step_tunable(step, side->tunable) < reach)
            ct_step_suggest(step, side->tunable, reach);
        together *= fir_smaller(reach, ct_array_extent(array, side->dim));
    }
}

/* A power of two that is no more than twice the extent. */
static void fir_fit(ct_step *step, const char *tunable, int64_t extent)
{
    int64_t most = fir_power_above(extent);
    ct_step_suggest(step, tunable, fir_smaller(ct_step_tunable(step, tunable), most));
}

/* How many channels and spectra a tile has, by which sides are contiguous; measured on a CPU. */
static void fir_suggest_tile(ct_step *step, const ct_array *x, const ct_array *y)
{
    int64_t between = ct_array_stride(x, 'T'), line = 512 / ct_type_bits(x->type); /* samples */
    bool rows_out = ct_array_stride(y, 'C') == 1;
    if (step->gpu) return;
    ct_step_suggest(step, "TILE_C", rows_out && between <= 4 ? 256 : line);
    if (between == 1) return;
    ct_step_suggest(step, "TILE_T", between <= 4 ? 16 : 32);
    if (between > 4) ct_step_suggest(step, "TILE_C", 16);
}

/* Halves a side of the tile until its bytes fit, down to `least`. */
static void fir_halve(ct_step *step, const char *tunable, int64_t least)
{
    while (!ct_step_holds(step, FIR_FITS) && ct_step_tunable(step, tunable) > least)
        ct_step_suggest(step, tunable, ct_step_tunable(step, tunable) / 2);
}

/* Halves the tile's sides until it fits: channels first, stations last. A group's work-items stand
 * along the channels, so there channels are kept and spectra go first. */
static void fir_shrink(ct_step *step)
{
    if (step->gpu) {
        fir_halve(step, "TILE_T", 4);
        fir_fit(step, "CELL_T", ct_step_tunable(step, "TILE_T"));
        fir_halve(step, "TILE_S", 1);
    }
    fir_halve(step, "TILE_C", step->gpu ? 16 : ct_step_tunable(step, "VECTOR_C"));
    fir_halve(step, "TILE_T", ct_step_tunable(step, "CELL_T"));
    fir_halve(step, "TILE_S", 1);
}

/* Spectra of a cell: as many as registers hold next to the taps. */
static void fir_suggest_cell(ct_step *step)
{
    int64_t taps = ct_step_int(step, "taps");
    if (taps > SLIDING) ct_step_suggest(step, "SLIDE", 0);
    if (step->gpu && taps > 16) ct_step_suggest(step, "CELL_T", 8);
    if (step->gpu || ct_step_tunable(step, "SLIDE")) return;
    ct_step_suggest(step, "CELL_T", 16);
    ct_step_suggest(step, "TILE_T", 16);
}

static void fir_suggest(ct_step *step)
{
    const ct_array *x = ct_step_array(step, "X"), *y = ct_step_array(step, "Y");
    int64_t channels = ct_array_extent(y, 'C');
    bool copies = ct_array_stride(x, 'T') != 1;
    while (channels % ct_step_tunable(step, "VECTOR_C") != 0)
        ct_step_suggest(step, "VECTOR_C", ct_step_tunable(step, "VECTOR_C") / 2);
    fir_suggest_cell(step);
    fir_suggest_tile(step, x, y);
    fir_fit(step, "TILE_C", channels);
    fir_fit(step, "TILE_T", ct_array_extent(y, 'T'));
    fir_fit(step, "CELL_T", ct_step_tunable(step, "TILE_T"));
    if (copies) ct_step_suggest(step, "PREFETCH", 0);
    if (copies) fir_grow(step, x, 512 / ct_type_bits(x->type));
    if (ct_array_stride(y, 'C') != 1) fir_grow(step, y, step->gpu ? 16 : 32);
    fir_shrink(step);
    channels = ct_step_tunable(step, "TILE_C");
    if (ct_step_tunable(step, "WG") > channels)
        ct_step_suggest(step, "WG", channels < 16 ? 1 : channels);
}

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
            [CT_FIR_X] = {"X", CT_IN, 0, "SPT", "ci8 ci4 ci16 i8 i16 f32 cf32", "*", "SPT",
                          "voltages"},
            [CT_FIR_Y] = {"Y", CT_OUT, 0, "SPTC", "cf32", "*", "SPTC",
                          "filtered rows, to be transformed over C"},
            [CT_FIR_W] = {"W", CT_TABLE, 0, "KC", "cf32", "KC", NULL,
                          "coefficients, each as real and as imaginary part"},
        },
    .params = fir_params,
    .tunables = fir_tunables,
    .cases = fir_cases,
    .tiles = fir_tiles,
    .terms = fir_terms,
    .where = "TILE_T % CELL_T == 0 && TILE_C % VECTOR_C == 0 && TILE_C % WG == 0 && "
             "N_C % VECTOR_C == 0 && "
             "(WG == 1 || (VECTOR_C == 1 && PREFETCH == 0)) && (NONTEMPORAL == 0 || WG == 1) && "
             "TILE_T < 2 * Y_N_T + CELL_T && TILE_C < 2 * N_C && TILE_S < 2 * N_S && TILE_P < 2 * "
             "N_P && "
             "(PREFETCH == 0 || X_STRIDE_T == 1) && " FIR_FITS,
    .parallel = "T/TILE_T, C/(TILE_C/WG):WG, S/TILE_S P/TILE_P",
    .source = fir_cl,
    .source_name = "stages/fir/fir.cl",
    .entry = "fir",
    .tolerance = 3e-6,
    .infer = fir_infer,
    .table = fir_table,
    .suggest = fir_suggest,
    .emit = ct_fir_emit,
    .reference = ct_fir_reference,
    .flops = fir_flops,
};
