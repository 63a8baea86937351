/* device_options.c: how every program is built for a device.
 * Room: core/device. Knows OpenCL's options. Does not know what is built. */
#include "device_cl.h"

/* Unless they are asked, GPUs divide and take roots to a few units of the last place
 * (OpenCL 1.2, 7.4): a mean of integers would be another one. And they may contract what
 * FP_CONTRACT forbids where -cl-mad-enable is given; what it allows they contract without. */
const char *ct_device_options(const ct_device *device)
{
    cl_device_fp_config can = 0;
    if (!device->gpu) return "-cl-std=CL1.2 -cl-mad-enable -w";
    (void)clGetDeviceInfo(device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof can, &can, NULL);
    return can & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
               ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -w"
               : "-cl-std=CL1.2 -w";
}
