/* describe.c: which devices there are, as text or JSON.
 * Room: core/device. Knows devices. Does not know data files (io/describe.c describes those). */
#include "device.h"
#include "text.h"

ct_status ct_describe_devices(char **out, ct_form form, ct_error *err)
{
    ct_text text = {0};
    const ct_status status = ct_device_list(&text, form, err);
    *out = status == CT_OK ? ct_text_take(&text) : NULL;
    ct_text_free(&text);
    return status;
}
