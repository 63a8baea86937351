/* zerodm_emit.c: what stands before the kernel's text: vectors, and the kernel of a fit.
 * Room: stages/zerodm. Knows which texts there are. Does not know shapes. */
#include "zerodm.h"
#include "zerodm_fit_cl.h"
#include "zerodm_lanes_cl.h"

ct_status ct_zerodm_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)step;
    (void)err;
    ct_text_add(text, "#line 1 \"stages/zerodm/zerodm_lanes.cl\"\n%s\n", zerodm_lanes_cl);
    ct_text_add(text, "#line 1 \"stages/zerodm/zerodm_fit.cl\"\n%s\n", zerodm_fit_cl);
    return CT_OK;
}
