/* describe_device.c: a device as text, or as the file that stands in for it where it is not there.
 * Room: tuner/verify. Knows that a stage's cases make it ask a device everything that it has to
 * ask. Does not know the file's keys. */
#include "device.h"
#include "fail.h"
#include "text.h"
#include "verify_inner.h"

static ct_status ask_cases(const ct_stage *stage, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    verify_case one;
    for (int n = 0; stage->verify.cases && stage->verify.cases[n].extents; n++) {
        CT_TRY(ct_verify_case_shape(&one, stage, NULL, n + 1, false, device, err));
        ct_verify_case_free(&one);
    }
out:
    return status;
}

ct_status ct_describe_device(char **out, const ct_context *context, ct_device *device, ct_form form,
                             ct_error *err)
{
    CT_GIVEN_OUT(err, out, context, device);
    ct_status status = CT_OK;
    const ct_stage *stage;
    ct_text text = {0};
    if (form != CT_FORM_TEXT && form != CT_FORM_JSON)
        return ct_error_add(err, CT_USAGE, "ct_describe_device: expected text or JSON");
    for (size_t i = 0; (stage = ct_context_stage_at(context, i)) != NULL; i++)
        CT_TRY(ask_cases(stage, device, err));
    ct_device_print(&text, device, form);
    CT_TRY(ct_text_take(out, &text, err));
out:
    ct_text_free(&text);
    return status;
}
