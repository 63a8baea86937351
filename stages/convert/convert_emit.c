/* convert_emit.c: definitions before the kernel.
 * Room: stages/convert. Knows the range of the output. */
#include <math.h>

#include "columns.h"
#include "convert.h"

ct_status ct_convert_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    const ct_convert_range range = ct_convert_range_of(step);
    (void)err;
    ct_columns_emit(step, text);
    ct_text_add(text, "#define LOW %s%.9ef\n#define HIGH %.9ef\n", isfinite(range.low) ? "" : "-",
                isfinite(range.low) ? range.low : 3.4028234e38,
                isfinite(range.high) ? range.high : 3.4028234e38);
    ct_text_add(text, "#line 1 \"stages/convert/convert.cl\"\n");
    return CT_OK;
}
