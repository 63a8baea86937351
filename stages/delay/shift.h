/* shift.h: what the files of the shift by whole samples use together.
 * Room: stages/delay. Private to shift*.c. */
#ifndef CT_STAGES_DELAY_SHIFT_H
#define CT_STAGES_DELAY_SHIFT_H
#include "cornerturn_stage.h"

enum { CT_SHIFT_X, CT_SHIFT_H, CT_SHIFT_N, CT_SHIFT_Y };

/* shift_tune.c */
void ct_shift_suggest(ct_step *step);
ct_status ct_shift_emit(const ct_step *step, ct_text *text, ct_error *err);
int ct_shift_launch(const ct_step *step, ct_launch *out);

#endif
