/* kernel.h: compiles and runs a text on the first OpenCL device, for tests of generated code.
 *
 * Room: tests. Knows only OpenCL, so that the rooms below core can be tested without core.
 * Order: kernel_open, [kernel_build, kernel_run as often as wanted], kernel_close. */
#ifndef CT_TESTS_KERNEL_H
#define CT_TESTS_KERNEL_H
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kernel_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
} kernel_device;

/* Host memory that a kernel reads or writes. */
typedef struct kernel_memory {
    void *data;
    size_t bytes;
} kernel_memory;

/* False where there is no device: the test then skips. */
static inline int kernel_open(kernel_device *device)
{
    cl_platform_id platform;
    cl_int code;
    memset(device, 0, sizeof *device);
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device->id, NULL) != CL_SUCCESS) return 0;
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    device->queue = clCreateCommandQueue(device->context, device->id, 0, &code);
    return code == CL_SUCCESS;
}

static inline void kernel_close(kernel_device *device)
{
    if (device->program) clReleaseProgram(device->program);
    if (device->queue) clReleaseCommandQueue(device->queue);
    if (device->context) clReleaseContext(device->context);
}

/* False after printing the compiler's messages. */
static inline int kernel_build(kernel_device *device, const char *source)
{
    cl_int code;
    static char log[16384];
    if (device->program) clReleaseProgram(device->program);
    device->program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    code = clBuildProgram(device->program, 1, &device->id, "-cl-std=CL1.2", NULL, NULL);
    if (code == CL_SUCCESS) return 1;
    clGetProgramBuildInfo(device->program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    return 0;
}

/* Copies `count` memories in, runs, copies them all back. */
static inline int kernel_run(kernel_device *device, const char *name, size_t global, size_t local,
                             const kernel_memory *memory, int count)
{
    cl_int code = CL_SUCCESS;
    cl_mem buffer[16] = {0};
    cl_kernel kernel = clCreateKernel(device->program, name, &code);
    for (int k = 0; k < count && code == CL_SUCCESS; k++) {
        buffer[k] = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   memory[k].bytes, memory[k].data, &code);
        if (code == CL_SUCCESS)
            code = clSetKernelArg(kernel, (cl_uint)k, sizeof *buffer, &buffer[k]);
    }
    if (code == CL_SUCCESS)
        code =
            clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    for (int k = 0; k < count && code == CL_SUCCESS; k++)
        code = clEnqueueReadBuffer(device->queue, buffer[k], CL_TRUE, 0, memory[k].bytes,
                                   memory[k].data, 0, NULL, NULL);
    for (int k = 0; k < count; k++)
        if (buffer[k]) clReleaseMemObject(buffer[k]);
    if (kernel) clReleaseKernel(kernel);
    if (code != CL_SUCCESS) fprintf(stderr, "kernel %s: OpenCL error %d\n", name, code);
    return code == CL_SUCCESS;
}

#endif
