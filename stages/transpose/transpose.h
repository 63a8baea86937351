/* transpose.h: what the transpose's files share.
 * Room: stages/transpose. */
#ifndef CT_STAGES_TRANSPOSE_H
#define CT_STAGES_TRANSPOSE_H
#include "cornerturn_stage.h"

enum { CT_TRANSPOSE_X, CT_TRANSPOSE_Y }; /* places in .ports */

ct_status ct_transpose_reference(const ct_step *step, ct_array ports[], ct_error *err);

#endif
