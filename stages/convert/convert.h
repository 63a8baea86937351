/* convert.h: what the files of `convert` share.
 * Room: stages/convert. Knows only cornerturn_stage.h. */
#ifndef CT_CONVERT_H
#define CT_CONVERT_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_convert; /* its line is in stages/stages.c */

enum { CT_CONVERT_X, CT_CONVERT_M, CT_CONVERT_Y, CT_CONVERT_COUNTS }; /* places in .ports */

enum { CT_CONVERT_WINDOW = 64 }; /* windows are a multiple of this */

/* Where the output ends: the type's limits, or nearer ones that the user gives. */
typedef struct ct_convert_range {
    double low, high;
} ct_convert_range;
ct_convert_range ct_convert_range_of(const ct_step *step);

bool ct_convert_measures(const ct_step *step); /* "levels": "channel" */
ct_status ct_convert_reference(const ct_step *step, ct_array ports[], ct_error *err);
void ct_convert_suggest(ct_step *step);
int ct_convert_launch(const ct_step *step, ct_launch *out);
ct_status ct_convert_emit(const ct_step *step, ct_text *text, ct_error *err);

#endif
