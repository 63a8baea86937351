/* buffer.c: memory on a device; on CPU devices it is the host's own pages, without copies.
 * Room: core/device. Knows OpenCL's memory calls. Does not know what is stored. Order: new, write
 * and read as often as wanted, free. */
#include "device_cl.h"
#include "fail.h"
#include "memory.h"
#include <string.h>

static ct_status buffer_fail(ct_error *err, cl_int code, size_t bytes)
{
    return ct_device_fail(err, code, "making a buffer of %.1f MiB on the device",
                          (double)bytes / (1 << 20));
}

ct_status ct_buffer_new(ct_buffer *out, ct_device *device, size_t bytes, ct_error *err)
{
    cl_int code = CL_SUCCESS;
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    memset(out, 0, sizeof *out);
    out->bytes = bytes = bytes ? bytes : 1; /* OpenCL knows no empty buffer */
    if (!device->gpu) {
        out->host = ct_memory_pages(bytes);
        if (!out->host) return buffer_fail(err, CL_OUT_OF_HOST_MEMORY, bytes);
        flags |= CL_MEM_USE_HOST_PTR;
    }
    out->mem = clCreateBuffer(device->context, flags, bytes, out->host, &code);
    if (code == CL_SUCCESS) return CT_OK;
    out->mem = NULL;
    ct_buffer_free(out);
    return buffer_fail(err, code, bytes);
}

ct_status ct_buffer_over(ct_buffer *out, ct_device *device, void *data, size_t bytes, ct_error *err)
{
    cl_int code = CL_SUCCESS;
    const cl_mem_flags how = device->gpu ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR;
    *out = (ct_buffer){.bytes = bytes};
    out->mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | how, bytes, data, &code);
    if (code == CL_SUCCESS) return CT_OK;
    out->mem = NULL;
    return buffer_fail(err, code, bytes);
}

ct_status ct_buffer_part(ct_buffer *out, const ct_buffer *whole, size_t offset, size_t bytes,
                         ct_error *err)
{
    cl_int code = CL_SUCCESS;
    const cl_buffer_region region = {offset, bytes};
    *out = (ct_buffer){.bytes = bytes};
    out->mem = clCreateSubBuffer(whole->mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                 &region, &code);
    if (whole->host) out->host = (char *)whole->host + offset;
    if (code == CL_SUCCESS) return CT_OK;
    out->mem = NULL;
    return ct_device_fail(err, code, "making a part of a buffer");
}

void ct_buffer_part_free(ct_buffer *part)
{
    if (part->mem) clReleaseMemObject(part->mem);
    *part = (ct_buffer){0};
}

void ct_buffer_free(ct_buffer *buffer)
{
    if (buffer->mem) clReleaseMemObject(buffer->mem);
    if (buffer->host) ct_memory_pages_free(buffer->host, buffer->bytes);
    memset(buffer, 0, sizeof *buffer);
}

ct_status ct_buffer_write(ct_buffer *buffer, ct_device *device, size_t offset, const void *data,
                          size_t bytes, ct_error *err)
{
    cl_int code = clEnqueueWriteBuffer(device->queue, buffer->mem, CL_TRUE, offset, bytes, data, 0,
                                       NULL, NULL);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "writing %zu bytes to the device", bytes);
}

ct_status ct_buffer_read(ct_buffer *buffer, ct_device *device, size_t offset, void *data,
                         size_t bytes, ct_error *err)
{
    cl_int code = clEnqueueReadBuffer(device->queue, buffer->mem, CL_TRUE, offset, bytes, data, 0,
                                      NULL, NULL);
    if (code == CL_SUCCESS) return CT_OK;
    return ct_device_fail(err, code, "reading %zu bytes from the device", bytes);
}

ct_status ct_buffer_map(void **out, const ct_buffer *buffer, ct_device *device, ct_error *err)
{
    cl_int code;
    if (buffer->host && device->shares) {
        *out = buffer->host;
        code = clFinish(device->queue);
        return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "waiting for a buffer");
    }
    *out = clEnqueueMapBuffer(device->queue, buffer->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                              buffer->bytes, 0, NULL, NULL, &code);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "reaching a buffer");
}

ct_status ct_buffer_unmap(const ct_buffer *buffer, ct_device *device, void *data, ct_error *err)
{
    if (data == buffer->host && device->shares) return CT_OK;
    cl_int code = clEnqueueUnmapMemObject(device->queue, buffer->mem, data, 0, NULL, NULL);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "handing a buffer back");
}

static ct_status buffer_fill_host(const ct_buffer *buffer, ct_device *device, size_t bytes,
                                  unsigned char byte, ct_error *err)
{
    ct_status status = CT_OK;
    void *data;
    CT_TRY(ct_buffer_map(&data, buffer, device, err));
    memset(data, byte, bytes);
    CT_TRY(ct_buffer_unmap(buffer, device, data, err));
out:
    return status;
}

ct_status ct_buffer_fill(const ct_buffer *buffer, ct_device *device, size_t bytes,
                         unsigned char byte, ct_error *err)
{
    if (buffer->host) return buffer_fill_host(buffer, device, bytes, byte, err);
    cl_int code =
        clEnqueueFillBuffer(device->queue, buffer->mem, &byte, 1, 0, bytes, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = clFinish(device->queue);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "filling a buffer");
}
