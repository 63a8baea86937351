/* baseline_emit.c: definitions before the kernels.
 * Room: stages/baseline. Knows what columns.cl needs. */
#include "baseline.h"
#include "columns.h"

ct_status ct_baseline_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    ct_columns_emit(step, text);
    ct_text_add(text,
                "#define PARTS %d\n#define BEFORE %d\n"
                "#line 1 \"stages/baseline/baseline.cl\"\n",
                CT_BASELINE_PARTS, CT_BASELINE_BEFORE);
    return CT_OK;
}
