/* device_inner.h: what the files of this room share: the limits that are asked of a device, and
 * what each is called. Room: core/device, and seen by no other. */
#ifndef CT_CORE_DEVICE_INNER_H
#define CT_CORE_DEVICE_INNER_H
#include "device_cl.h"

/* A number of a ct_device: in lists and files, in sentences, to OpenCL. */
typedef struct ct_device_limit {
    const char *name, *words;
    cl_device_info what;
    size_t size, place;
} ct_device_limit;

extern const ct_device_limit ct_device_limits[]; /* ends with {0} */
int64_t *ct_device_limit_of(ct_device *device, const ct_device_limit *limit);

/* As ct_device_open_nth, of those that are there. */
ct_status ct_device_open_found(ct_device **out, const char *name, int nth, ct_error *err);

/* Sets `shares` and `part_bytes` of a device that has a queue. */
ct_status ct_device_ask_memory(ct_device *device, ct_error *err);

/* Of a device that is open: its processor is the one that runs this. */
ct_device_class ct_device_class_here(bool gpu, const char *platform, const char *name);

#endif
