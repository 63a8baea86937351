/* transpose.h: what the transpose's files share.
 * Room: stages/transpose. */
#ifndef CT_STAGES_TRANSPOSE_H
#define CT_STAGES_TRANSPOSE_H
#include "cornerturn_stage.h"

ct_status ct_transpose_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
