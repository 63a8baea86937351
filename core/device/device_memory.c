/* device_memory.c: asks a device about its memory: whether a buffer over host memory is that
 * memory, so that neither a copy nor a command of the queue is needed to reach it.
 * Room: core/device. Knows buffers. Does not know what is stored. */
#include "device_inner.h"

#include "fail.h"

enum { BYTES = 4096, WRITTEN = 0x5a, OURS = 0xa5 };

/* What a command writes is seen here without mapping it, and the other way round. */
static bool is_seen(ct_device *device, const ct_buffer *buffer)
{
    const cl_uchar written = WRITTEN;
    unsigned char *host = buffer->host, back = 0;
    cl_int code =
        clEnqueueFillBuffer(device->queue, buffer->mem, &written, 1, 0, BYTES, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = clFinish(device->queue);
    if (code != CL_SUCCESS || host[0] != WRITTEN || host[BYTES - 1] != WRITTEN) return false;
    host[BYTES - 1] = OURS;
    code = clEnqueueReadBuffer(device->queue, buffer->mem, CL_TRUE, BYTES - 1, 1, &back, 0, NULL,
                               NULL);
    return code == CL_SUCCESS && back == OURS;
}

ct_status ct_device_ask_memory(ct_device *device, ct_error *err)
{
    ct_buffer buffer;
    cl_uint bits = 0;
    const cl_int code =
        clGetDeviceInfo(device->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
    if (code != CL_SUCCESS)
        return ct_device_fail(err, code, "asking device \"%s\" where parts of buffers may begin",
                              device->name);
    device->part_bytes = bits / 8;
    if (device->gpu || ct_buffer_new(&buffer, device, BYTES, NULL) != CT_OK) return CT_OK;
    device->shares = is_seen(device, &buffer);
    (void)clFinish(device->queue); /* after a failed wait the fill may still be on its way */
    ct_buffer_free(&buffer);
    return CT_OK;
}
