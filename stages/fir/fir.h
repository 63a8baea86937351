/* fir.h: what the files of the FIR stage share.
 * Room: stages/fir. Knows the public header only. */
#ifndef CT_STAGES_FIR_H
#define CT_STAGES_FIR_H
#include "cornerturn_stage.h"

/* step->state, made by infer(): the prototype filter, tap k of channel c at h[k * channels + c],
 * signs of center_dc included. */
typedef struct fir_state {
    int64_t channels, taps;
    double *h;
} fir_state;

/* Fills state->h from the parameters window, beta, normalise, center_dc and file. */
ct_status ct_fir_window_fill(ct_step *step, fir_state *state, ct_error *err);
ct_status ct_fir_emit(const ct_step *step, ct_text *text, ct_error *err);
ct_status ct_fir_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
