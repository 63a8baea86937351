/* zerodm_emit.c: what stands before the kernel's text: vectors, and the kernels of a fit.
 * Room: stages/zerodm. Knows which texts there are. Does not know shapes. */
#include "zerodm.h"
#include "zerodm_common_cl.h"
#include "zerodm_fit_cl.h"
#include "zerodm_lanes_cl.h"
#include "zerodm_median_cl.h"

/* How many things there are, and what is done with each: EACH_GROUP(DO), SORT_GROUPS(ORDER). */
static void emit_each(ct_text *text, const char *one, const char *many, int64_t count)
{
    char sort[32];
    ct_text_add(text, "#define %s %lld\n#define EACH_%s(DO)", many, (long long)count, one);
    for (int64_t p = 0; p < count; p++)
        ct_text_add(text, " DO(%lld)", (long long)p);
    ct_text_add(text, "\n");
    (void)ct_number_print(sort, sizeof sort, "SORT_%s", many);
    ct_text_add_sort(text, sort, 1, (int)count);
}

static void emit_fit(const ct_step *step, ct_text *text)
{
    const int64_t window = ct_step_int(step, "window"), part = ct_zerodm_part(window);
    const int64_t channels = ct_array_extent(&step->port[CT_ZERODM_X], 'C');
    const int64_t group = ct_zerodm_group(channels);
    emit_each(text, "PART", "PARTS", ct_divide_up(window, part));
    emit_each(text, "GROUP", "GROUPS", ct_divide_up(channels, group));
    ct_text_add(text, "#define FIT_PART %lld\n#define GROUP_C %lld\n#define FAR %d.0f\n",
                (long long)part, (long long)group, CT_ZERODM_FAR);
    ct_text_add(text, "#line 1 \"stages/zerodm/zerodm_median.cl\"\n%s\n", zerodm_median_cl);
    ct_text_add(text, "#line 1 \"stages/zerodm/zerodm_common.cl\"\n%s\n", zerodm_common_cl);
    ct_text_add(text, "#line 1 \"stages/zerodm/zerodm_fit.cl\"\n%s\n", zerodm_fit_cl);
}

ct_status ct_zerodm_emit(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    ct_text_add(text, "#line 1 \"stages/zerodm/zerodm_lanes.cl\"\n%s\n", zerodm_lanes_cl);
    if (ct_zerodm_fits(step)) emit_fit(step, text);
    return CT_OK;
}
