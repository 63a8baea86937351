/* baseline.h: what the files of `baseline` share.
 * Room: stages/baseline. Knows only cornerturn_stage.h. */
#ifndef CT_BASELINE_H
#define CT_BASELINE_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_baseline; /* its line is in stages/stages.c */

enum { CT_BASELINE_X, CT_BASELINE_M, CT_BASELINE_LEVELS, CT_BASELINE_Y }; /* places in .ports */

enum {
    CT_BASELINE_PARTS = 16,   /* of a window, whose means its level is the median of */
    CT_BASELINE_WINDOW = 256, /* windows are a multiple of this, parts of 16 */
    CT_BASELINE_BEFORE = 2    /* windows of history */
};

ct_status ct_baseline_reference(const ct_step *step, ct_array ports[], ct_error *err);
void ct_baseline_suggest(ct_step *step);
int ct_baseline_launch(const ct_step *step, ct_launch *out);
ct_status ct_baseline_emit(const ct_step *step, ct_text *text, ct_error *err);

#endif
