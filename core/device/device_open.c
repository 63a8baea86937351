/* device_open.c: what a device's name means: one that is there, one that a file describes, or one
 * that is there and is treated as the described one: a CPU then gets the defaults, engines, buffers
 * and limits of a GPU.
 * Room: core/device. Knows which facts are the file's. Does not know who asks for them. */
#include "device_inner.h"
#include "device_transfers.h"
#include "fail.h"
#include <stdio.h>
#include <string.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void treat_as(ct_device *device, const ct_device *as)
{
    char own[sizeof device->name];
    memcpy(own, device->name, sizeof own);
    snprintf(device->name, sizeof device->name, "%.60s as %.60s", own, as->name);
    device->gpu = as->gpu;
    device->shares = device->shares && !as->gpu; /* a GPU has memory of its own */
    device->of_class = as->of_class;
    device->registers = as->registers;
    const int64_t units = as->compute_units; /* no limit: nothing is refused for it */
    for (const ct_device_limit *limit = ct_device_limits; limit->name; limit++) {
        int64_t *at = ct_device_limit_of(device, limit);
        *at = smaller(*at, *ct_device_limit_of((ct_device *)as, limit));
    }
    device->compute_units = units;
}

static ct_status open_as(ct_device **out, const char *file, int nth, ct_error *err)
{
    ct_status status = CT_OK;
    ct_device *as = NULL;
    *out = NULL;
    CT_TRY(ct_device_load(&as, file, err));
    CT_TRY(ct_device_open_found(out, NULL, nth, err));
    treat_as(*out, as);
    (*out)->as = as;
    as = NULL;
    CT_TRY(ct_device_add_transfers(*out, err));
    return CT_OK;
out:
    ct_device_free(as);
    ct_device_free(*out);
    *out = NULL;
    return status;
}

ct_status ct_device_open_nth(ct_device **out, const char *name, int nth, ct_error *err)
{
    if (name && !strncmp(name, "file:", 5)) return ct_device_load(out, name + 5, err);
    if (name && !strncmp(name, "as:", 3)) return open_as(out, name + 3, nth, err);
    return ct_device_open_found(out, name, nth, err);
}

ct_status ct_device_open(ct_device **out, const char *name, ct_error *err)
{
    CT_GIVEN(err, out);
    return ct_device_open_nth(out, name, 0, err);
}
