/* device_limits.c: the limits that plans and lists depend on, in the order of a list.
 * Room: core/device. Knows OpenCL's words for them. Does not know who asks. */
#include "device_inner.h"
#include <stddef.h>

const ct_device_limit ct_device_limits[] = {
    {"compute_units", "number of compute units", CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint),
     offsetof(ct_device, compute_units)},
    {"global_bytes", "memory", CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong),
     offsetof(ct_device, global_bytes)},
    {"largest_buffer", "largest buffer", CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong),
     offsetof(ct_device, largest_buffer)},
    {"local_bytes", "local memory", CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong),
     offsetof(ct_device, local_bytes)},
    {"work_group", "largest work-group", CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t),
     offsetof(ct_device, work_group)},
    {0}};

int64_t *ct_device_limit_of(ct_device *device, const ct_device_limit *limit)
{
    return (int64_t *)((char *)device + limit->place);
}
