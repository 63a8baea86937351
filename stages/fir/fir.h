/* fir.h: what the files of the FIR stage share.
 * Room: stages/fir. Knows the public header only. */
#ifndef CT_STAGES_FIR_H
#define CT_STAGES_FIR_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_fir; /* a line in stages/stages.c */

/* Prototype filters: name, function of one coefficient (NULL: read from a file), has a beta, is symmetric.
 * Functions are those of fir_window.c. */
/* clang-format off */
#define FIR_WINDOWS(ROW)                            \
    ROW(cobalt, window_make_cobalt, false, true)    \
    ROW(kaiser, window_make_kaiser, true, true)     \
    ROW(hamming, window_make_hamming, false, false) \
    ROW(hann, window_make_hann, false, false)       \
    ROW(rect, window_make_rect, false, false)       \
    ROW(file, NULL, false, false)

/* What the coefficients are divided by. */
#define FIR_NORMS(ROW)          \
    ROW(none, window_norm_none) \
    ROW(peak, window_norm_peak) \
    ROW(sum, window_norm_sum)   \
    ROW(energy, window_norm_energy)

/* Parameters of this stage, and of those that do more in the same pass. */
#define CT_FIR_PARAMS \
    {"channels", CT_PARAM_INT, "!", NULL, 1, 1 << 20, "channels N: spectra of N from rows of N"}, \
    {"taps", CT_PARAM_INT, "16", NULL, 1, 1024, "taps T: rows that meet in one output"}, \
    {"window", CT_PARAM_TEXT, "cobalt", CT_WORDS(FIR_WINDOWS), 0, 0, "prototype filter"}, \
    {"beta", CT_PARAM_REAL, "9.0695", NULL, 0, 100, "of the window kaiser"}, \
    {"normalise", CT_PARAM_TEXT, "none", CT_WORDS(FIR_NORMS), 0, 0, \
     "what of the prototype becomes 1: largest coefficient, sum, or sum of squares"}, \
    {"center_dc", CT_PARAM_BOOL, "true", NULL, 0, 0, \
     "negate odd channels' coefficients: the FFT then puts the input's DC in channel N/2"}, \
    {"file", CT_PARAM_FILE, NULL, NULL, 0, 0, "a .npy of N T coefficients, oldest sample first"}
/* clang-format on */

enum { CT_FIR_X, CT_FIR_Y, CT_FIR_W }; /* places in .ports */

/* step->state, made by infer(): the prototype filter, tap k of channel c at h[k * channels + c],
 * signs of center_dc included. */
typedef struct fir_state {
    int64_t channels, taps;
    double *h;
} fir_state;

/* The letter of the input's subbands, 0 where there are none; and how many: 1 then. */
char ct_fir_dim(const ct_array *x);
int64_t ct_fir_subbands(const ct_array *x);

/* Shapes and metadata; `merged`: channel c of subband f of the output is its channel f N + c, and
 * there is no F. */
ct_status ct_fir_infer(ct_step *step, bool merged, ct_error *err);
/* Fills state->h from the parameters window, beta, normalise, center_dc and file. */
ct_status ct_fir_window_fill(ct_step *step, fir_state *state, ct_error *err);
/* What `where` says of the tiles, which suggest() holds to. */
#define FIR_FITS "PACKED_BYTES + STORED_BYTES <= MOST_BYTES"

void ct_fir_suggest(ct_step *step);
ct_status ct_fir_emit(const ct_step *step, ct_text *text, ct_error *err);
/* In double precision; an output without F has subbands side by side along C. */
ct_status ct_fir_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
