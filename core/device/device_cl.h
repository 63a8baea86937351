/* device_cl.h: a device for files that call OpenCL: its header, its errors as sentences.
 * Room: core/device. Seen by the rooms of core that call OpenCL only. */
#ifndef CT_CORE_DEVICE_CL_H
#define CT_CORE_DEVICE_CL_H
#define CL_TARGET_OPENCL_VERSION 120
#include "device.h"
#include <CL/cl.h>

const char *ct_device_options(const ct_device *device); /* of every build */

const char *ct_device_error(cl_int code); /* "CL_OUT_OF_RESOURCES" */
/* CT_FAILED "doing: CL_NAME (-5)" */
ct_status ct_device_fail(ct_error *err, cl_int code, const char *doing, ...)
    __attribute__((format(printf, 3, 4)));

#endif
