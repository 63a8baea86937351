/* ppf.c: the poly-phase filter bank in one pass: fir's taps, then fft's transform, so that the
 * filtered rows never reach memory.
 * Room: stages/ppf. Knows the two stages whose work it does: parameters, shapes and coefficients
 * are fir's, passes are fft's. A pipeline chooses it by "fuse": true on its fft node. */
#include "ppf.h"
#include "fft_group.h"
#include "fir.h"
#include "ppf_cl.h"
#include <math.h>

static const ct_param ppf_params[] = {CT_FIR_PARAMS, {0}};

static const ct_tunable ppf_tunables[] = {
    {"VECTOR_C", "1 16", "16", "1", "channels of a vector"},
    {"VECTOR_SPT", "1 16", "1", "1", "spectra of a vector, where that is not of channels"},
    {"TILE_S", "1 2 4 8 16 32", "1", "1", "stations of a tile"},
    {"TILE_P", "1 2", "1", "1", "polarizations of a tile"},
    {"TILE_T", "1 2 4 8 16 32", "16", "1", "spectra of a tile along T"},
    {"TILES_T", "1 2 4 8 16 32", "8", "1", "tiles that a work-item takes one after the other"},
    {"TILE_C", "16 64 256", "16", "16",
     "channels that are read together, where samples are not contiguous"},
    {"CELL_T", "1 2 4 8 16", "8", "16", "spectra in registers at a time"},
    {"SLIDE", "0 1", "1", "0", "1: samples stay in registers from one cell to the next"},
    {"WG", "1 32 64 128 256 512", "1", "64", "work-items of a work-group"},
    {"PREFETCH", "0 1 2", "1", "0", "how many tiles ahead samples are prefetched; 0: not"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {0},
};

static const ct_term ppf_terms[] = {
    {"VECTOR", "VECTOR_C * VECTOR_SPT", "lanes; 1: no vectors"},
    {"ROWS", "TILE_S * TILE_P * TILE_T", "spectra of a tile"},
    {"INNER_C", "W_N_C % 16 == 0 ? 16 : W_N_C",
     "channels of a tile that follow each other without a gap"},
    {"WHOLE", "VECTOR_C > 1 && Y_STRIDE_C == 1 && W_N_C >= 256",
     "each spectrum is transformed and leaves by itself"},
    {"ITEM_BYTES",
     "VECTOR_C > 1 ? 16 * ROWS * (W_N_C + 16) + 8 * (TILE_T + P_TAPS) * TILE_S * TILE_P * TILE_C + "
     "8 * (TILES_T > 1 ? P_TAPS * TILE_S * TILE_P * W_N_C : 0)"
     " : VECTOR_SPT > 1 ? 24 * ROWS * W_N_C + 8 * (TILE_T + P_TAPS) * TILE_S * TILE_P * W_N_C"
     " : 0",
     "samples, numbers between passes and results of a work-item, at most"},
    {"GROUP_BYTES", "GPU ? " FFT_GROUP_BYTES("W_N_C") " : 0",
     "local memory of a work-group, at most"},
    {0},
};

/* Samples as they are: of VECTOR_C one row after the other (G), of VECTOR_SPT all (U), so that
 * those of one tap lie together; spectra in between (A) and results (R). */
#define SAMPLES(type, when)                                                                        \
    {"G", "X", "SPT", "TILE_S, TILE_P, TILE_C", NULL, type, "VECTOR_C > 1 && " when},              \
    {                                                                                              \
        "U", "X", "tTSP", "W_N_C, TILE_T + P_TAPS - 1, TILE_S, TILE_P", "T:16", type,              \
            "VECTOR_SPT > 1 && " when                                                              \
    }
#define SPECTRA "W_N_C / INNER_C, INNER_C, TILE_T, TILE_S, TILE_P"
static const ct_tile ppf_tiles[] = {
    SAMPLES("char2", "(X_IS_ci4 || X_IS_ci8)"),
    SAMPLES("short2", "X_IS_ci16"),
    SAMPLES("float2", "X_IS_cf32"),
    SAMPLES("char", "X_IS_i8"),
    SAMPLES("short", "X_IS_i16"),
    SAMPLES("float", "X_IS_f32"),
    {"A", "Y", "CcTSP", SPECTRA, "c:8", "float2", "VECTOR_SPT > 1"},
    {"R", "Y", "CcTSP", SPECTRA, "c:8", "float2", "VECTOR_SPT > 1"},
    {"R", "Y", "CTSP", "W_N_C, TILE_T, TILE_S, TILE_P", "T:8", "float2", "VECTOR_C > 1"},
    {0},
};

static const ct_case ppf_cases[] = {
    {"{\"channels\": 32, \"taps\": 4}", "S=3 P=2 T=544", "ci8",
     "TILE_T=4 TILE_S=2 TILE_P=2 CELL_T=4 TILES_T=2"},
    {"{\"channels\": 14, \"taps\": 4}", "S=3 P=2 T=238", "ci8", NULL},
    {"{\"channels\": 256, \"taps\": 5, \"window\": \"hann\"}", "S=2 P=1 T=4864", "cf32", NULL},
    {"{\"channels\": 48, \"taps\": 1, \"center_dc\": false}", "S=5 P=2 T=528", "i8", NULL},
    {"{\"channels\": 16, \"taps\": 11, \"window\": \"kaiser\"}", "S=5 P=2 T=208", "ci16", NULL},
    {"{\"channels\": 64, \"taps\": 5}", "S=1 P=1 T=1088", "ci4", NULL}, /* T is contiguous */
    {"{\"channels\": 512, \"taps\": 7, \"normalise\": \"peak\"}", "S=1 P=3 T=5632", "i16", NULL},
    {"{\"channels\": 2, \"taps\": 70, \"normalise\": \"sum\"}", "S=7 P=3 T=22", "f32", NULL},
    {"{\"channels\": 32, \"taps\": 4}", "S=3 P=2 T=544 C=5", "ci8", NULL},
    {"{\"channels\": 14, \"taps\": 3}", "S=5 P=2 T=154 C=3", "ci16", NULL},
    {"{\"channels\": 16, \"taps\": 3}", "S=27 P=2 T=240", "ci8",
     NULL}, /* a last tile of 11, or 3 */
    {0},
};

/* Lengths that a kernel can transform; all else is fir's. */
static ct_status ppf_infer(ct_step *step, ct_error *err)
{
    const int64_t channels = ct_step_int(step, "channels");
    int radix[FFT_PASSES];
    if (ct_fft_radices(channels, radix) == 0)
        return ct_step_fail(step, "channels", err,
                            "one pass makes 2 to %d channels, a product of 2, 3, 5 and 7, found "
                            "%lld; without \"fuse\" there are others",
                            FFT_MOST, (long long)channels);
    const int64_t factors = ct_fft_factors(channels);
    ct_array_add(ct_step_port(step, "F"), 'J', factors ? factors : 1);
    return ct_fir_infer(step, true, err);
}

static ct_status ppf_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    if (port[0] != 'F') return ct_stage_fir.table(step, port, fill, err);
    ct_fft_table_fill(fill, ct_step_int(step, "channels"));
    return CT_OK;
}

/* Taps, and the customary count for a complex transform. */
static double ppf_flops(const ct_step *step)
{
    const ct_array *y = &step->port[CT_PPF_Y];
    return (4.0 * (double)ct_step_int(step, "taps") +
            5 * log2((double)ct_step_int(step, "channels"))) *
           (double)ct_array_count(y);
}

const ct_stage ct_stage_ppf = {
    .api = CT_API,
    .version = 1,
    .name = "ppf",
    .summary = "poly-phase filter bank in one pass: fir and fft",
    .fuses = "fir fft",
    .ports =
        {
            [CT_PPF_X] = {"X", CT_IN, 0, "SPT[FC]?", "ci8 ci4 ci16 i8 i16 f32 cf32", "*", "SPFT",
                          "voltages; their channels are subbands"},
            [CT_PPF_Y] = {"Y", CT_OUT, 0, "SPTC", "cf32", "*", "SPTC",
                          "spectra, those of subbands side by side"},
            [CT_PPF_W] = {"W", CT_TABLE, 0, "KC", "f32", "KC", NULL, "coefficients of the filter"},
            [CT_PPF_F] = {"F", CT_TABLE, CT_PORT_FIXED, "J", "f32", "*", NULL,
                          "factors between passes of the transform"},
        },
    .params = ppf_params,
    .split = "S P",
    .infer = ppf_infer,
    .table = ppf_table,
    .flops = ppf_flops,
    .tuning =
        {.tunables = ppf_tunables,
         .terms = ppf_terms,
         .where =
             "(VECTOR_C == 1 || VECTOR_SPT == 1) && (VECTOR == 1 || !GPU) && (VECTOR == 1 || WG == "
             "1) && (GPU ? WG >= 32 : WG == 1 || WG == 64) && (GPU || CELL_T != 2) && "
             "(!GPU || TILE_T % CELL_T == 0) && "
             "(VECTOR_C == 1 || W_N_C >= 16 && 4096 % W_N_C == 0) && "
             "(VECTOR_C == 1 || TILE_T % CELL_T == 0) && (VECTOR_C == 1 || TILE_C <= W_N_C) && "
             "(VECTOR_C > 1 || GPU || CELL_T == 1) && (VECTOR_C > 1 || SLIDE == 0) && "
             "(SLIDE || TILES_T == 1) && "
             "(TILE_C == 16 || VECTOR_C > 1 && X_STRIDE_T != 1) && "
             "(PREFETCH == 0 || VECTOR_C > 1 && X_STRIDE_T == 1) && "
             "(VECTOR > 1 || GPU || ROWS == 1) && (VECTOR > 1 || NONTEMPORAL == 0) && "
             "(VECTOR == 1 || WHOLE || ROWS % 16 == 0) && "
             "(VECTOR == 1 || ROWS * W_N_C <= " FFT_TILE_TEXT ") && " FFT_GROUP_FITS
             " && " PPF_FITS,
         .suggest = ct_ppf_suggest},
    .kernel = {.text = ppf_cl,
               .name = "stages/ppf/ppf.cl",
               .entry = "ppf",
               .launch = ct_ppf_launch,
               .emit = ct_ppf_emit,
               .tiles = ppf_tiles},
    .verify = {.cases = ppf_cases, .tolerance = 3e-6, .reference = ct_ppf_reference},
};
