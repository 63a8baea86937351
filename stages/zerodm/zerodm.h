/* zerodm.h: what the files of `zerodm` share.
 * Room: stages/zerodm. Knows only cornerturn_stage.h. */
#ifndef CT_ZERODM_H
#define CT_ZERODM_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_zerodm; /* its line is in stages/stages.c */

enum { CT_ZERODM_X, CT_ZERODM_M, CT_ZERODM_Z, CT_ZERODM_Y }; /* places in .ports */

enum { CT_ZERODM_WINDOW = 64 }; /* windows are a multiple of this */

bool ct_zerodm_fits(const ct_step *step); /* "mode": "fit" */
int64_t ct_zerodm_series(const ct_array *x);
ct_status ct_zerodm_reference(const ct_step *step, ct_array ports[], ct_error *err);
void ct_zerodm_suggest(ct_step *step);
ct_status ct_zerodm_emit(const ct_step *step, ct_text *text, ct_error *err);
int ct_zerodm_launch(const ct_step *step, ct_launch *out);

#endif
