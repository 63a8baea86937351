/* transpose.h: what the transpose's files share.
 * Room: stages/transpose. */
#ifndef CT_STAGES_TRANSPOSE_H
#define CT_STAGES_TRANSPOSE_H
#include "cornerturn_stage.h"

enum { CT_TRANSPOSE_X, CT_TRANSPOSE_Y }; /* places in .ports */

ct_transpose ct_transpose_stage_copy(const ct_step *step);
ct_status ct_transpose_stage_emit(const ct_step *step, ct_text *text, ct_error *err);
int ct_transpose_stage_launch(const ct_step *step, ct_launch *out);
ct_status ct_transpose_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
