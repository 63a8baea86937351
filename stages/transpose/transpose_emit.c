/* transpose_emit.c: the copy's definitions before the kernel.
 * Room: stages/transpose. */
#include "transpose.h"

ct_status ct_transpose_stage_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const ct_transpose transpose = ct_transpose_stage_copy(step);
    (void)err;
    ct_transpose_emit(text, &transpose);
    return CT_OK;
}
