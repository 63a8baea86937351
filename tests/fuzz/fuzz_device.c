/* fuzz_device.c: the input is the file of a device that is not there; one that is accepted is
 * written again, read again, and must then say the same. Room: tests/fuzz. Knows core/device. Does
 * not know the file's keys. */
#include "device.h"
#include "fuzz.h"
#include "text.h"

#include <string.h>

void fuzz_begin(void)
{
}

static void write_again(const ct_device *device)
{
    ct_text first = {0}, second = {0};
    ct_device *again = NULL;
    ct_error err = {0};
    ct_device_print(&first, device, CT_FORM_JSON);
    fuzz_said(ct_device_load(&again, fuzz_file("b.json", first.data, first.length), &err), &err);
    if (!again) fuzz_fail("what was written cannot be read");
    ct_device_print(&second, again, CT_FORM_JSON);
    if (again && strcmp(first.data, second.data) != 0) fuzz_fail("it says something else");
    ct_device_free(again);
    ct_text_free(&first);
    ct_text_free(&second);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    ct_device *device = NULL;
    ct_error err = {0};
    const char *file = fuzz_file("a.json", data, size);
    fuzz_said(ct_device_load(&device, file, &err), &err);
    if (!device) return;
    (void)ct_device_accepts(device, "// needs ptx_dp4a\n");
    fuzz_said(ct_device_check(device, &err) == CT_NO_DEVICE ? CT_NO_DEVICE : CT_OK, &err);
    write_again(device);
    ct_device_free(device);
}
