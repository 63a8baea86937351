/* device_transfers.c: arrays on their way to and from a device, beside what it computes: see
 * device_transfers.h. Room: core/device. Knows OpenCL's queues and events. Does not know what is
 * sent, or when.
 *
 * Each direction has a queue: on one for both, the next input would wait for the results before
 * it, and so for the kernels that make them. A queue is flushed before a command of another one
 * may wait for it. */
#include "device_transfers.h"

#include <string.h>

#include "device_cl.h"
#include "fail.h"

/* ---- events and queues */

ct_status ct_device_await(ct_event *event, ct_error *err)
{
    if (!event) return CT_OK;
    const cl_int code = clWaitForEvents(1, &event);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "waiting for the device");
}

void ct_device_forget(ct_event **event)
{
    if (*event) clReleaseEvent(*event);
    *event = NULL;
}

static ct_status add_queue(struct _cl_command_queue **out, const ct_device *device, ct_error *err)
{
    cl_int code = CL_SUCCESS;
    *out = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    return code == CL_SUCCESS
               ? CT_OK
               : ct_device_fail(err, code, "making a queue on device \"%s\"", device->name);
}

ct_status ct_device_add_transfers(ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    if (!device->gpu || device->sending) return CT_OK;
    CT_TRY(add_queue(&device->sending, device, err));
    CT_TRY(add_queue(&device->fetching, device, err));
out:
    return status;
}

void ct_device_settle(const ct_device *device)
{
    if (device->sending) (void)clFinish(device->sending);
    (void)clFinish(device->queue);
    if (device->fetching) (void)clFinish(device->fetching);
}

/* ---- memory */

ct_status ct_device_pin(ct_pinned *out, ct_device *device, size_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    cl_int code = CL_SUCCESS;
    *out = (ct_pinned){.bytes = bytes};
    out->mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                              NULL, &code);
    if (code == CL_SUCCESS)
        out->data = clEnqueueMapBuffer(device->sending, out->mem, CL_TRUE,
                                       CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        CT_TRY(ct_device_fail(err, code, "making %.1f MiB of host memory for transfers",
                              (double)bytes / (1 << 20)));
    memset(out->data, 0, bytes);
out:
    if (status != CT_OK) ct_device_unpin(out, device);
    return status;
}

void ct_device_unpin(ct_pinned *pinned, ct_device *device)
{
    if (pinned->data)
        (void)clEnqueueUnmapMemObject(device->sending, pinned->mem, pinned->data, 0, NULL, NULL);
    if (pinned->mem) clReleaseMemObject(pinned->mem);
    *pinned = (ct_pinned){0};
}

/* ---- transfers */

static cl_int mark(cl_event *out, cl_command_queue queue)
{
    cl_event event = NULL;
    cl_int code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
    if (code == CL_SUCCESS) code = clFlush(queue);
    if (code != CL_SUCCESS) ct_device_forget(&event);
    *out = event;
    return code;
}

ct_status ct_device_mark(ct_event **out, ct_device *device, ct_error *err)
{
    const cl_int code = mark(out, device->queue);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "marking the device's queue");
}

ct_status ct_device_send(ct_event **out, ct_device *device, const ct_buffer *to,
                         const ct_pinned *from, ct_event *after, ct_error *err)
{
    cl_int code = clEnqueueWriteBuffer(device->sending, to->mem, CL_FALSE, 0, from->bytes,
                                       from->data, after ? 1 : 0, after ? &after : NULL, out);
    if (code == CL_SUCCESS) code = clFlush(device->sending);
    if (code == CL_SUCCESS) code = clEnqueueMarkerWithWaitList(device->queue, 1, out, NULL);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "sending %zu bytes to the device", from->bytes);
}

ct_status ct_device_fetch(ct_event **out, ct_device *device, const ct_pinned *to,
                          const ct_buffer *from, ct_error *err)
{
    cl_event made = NULL;
    cl_int code = mark(&made, device->queue);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(device->fetching, from->mem, CL_FALSE, 0, to->bytes, to->data, 1,
                                   &made, out);
    if (code == CL_SUCCESS) code = clFlush(device->fetching);
    ct_device_forget(&made);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "fetching %zu bytes from the device", to->bytes);
}

/* OpenCL frees the copy once the command that reads it is done. */
ct_status ct_device_hand(ct_buffer *buffer, ct_device *device, const void *data, size_t bytes,
                         ct_error *err)
{
    cl_int code = CL_SUCCESS;
    if (!device->sending) return ct_buffer_write(buffer, device, 0, data, bytes, err);
    cl_mem copy = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                                 (void *)data, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueCopyBuffer(device->queue, copy, buffer->mem, 0, 0, bytes, 0, NULL, NULL);
    if (copy) clReleaseMemObject(copy);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "writing %zu bytes to the device", bytes);
}
