/* describe.c: which devices there are, as text or JSON.
 * Room: core/device. Knows devices. Does not know data files (io/describe_file.c describes those).
 */
#include "device.h"
#include "fail.h"
#include "text.h"

ct_status ct_describe_devices(char **out, ct_form form, ct_error *err)
{
    CT_GIVEN(err, out);
    *out = NULL;
    ct_status status = CT_OK;
    ct_text text = {0};
    CT_TRY(ct_device_list(&text, form, err));
    CT_TRY(ct_text_take(out, &text, err));
out:
    ct_text_free(&text);
    return status;
}
