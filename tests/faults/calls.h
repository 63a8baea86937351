/* calls.h: every call out of our own code that is made to fail, and how. CMake reads the names, one
 * ROW a line, and has the linker lead these calls to the wrappers of wrap.c.
 * Room: tests. ROW(name, ways, kind, parameters, arguments); the kinds are those of wrap.c. */
#ifndef CT_TESTS_FAULTS_CALLS_H
#define CT_TESTS_FAULTS_CALLS_H
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* Ways to fail, a bit each: an errno, or less than was asked for. */
enum { NOMEM = 1, NOSPC = 2, IO = 4, INTR = 8, SHORT = 16, CODE = 32, WAYS = 6 };

/* clang-format off */
#define FAULT_CALLS(ROW) \
    ROW(malloc, NOMEM, POINTER, (size_t bytes), (bytes)) \
    ROW(calloc, NOMEM, POINTER, (size_t count, size_t bytes), (count, bytes)) \
    ROW(realloc, NOMEM, POINTER, (void *old, size_t bytes), (old, bytes)) \
    ROW(mmap, NOMEM, MAP, (void *at, size_t bytes, int prot, int flags, int handle, off_t from), (at, bytes, prot, flags, handle, from)) \
    ROW(fftwf_malloc, NOMEM, POINTER, (size_t bytes), (bytes)) \
    ROW(fftwf_alloc_complex, NOMEM, POINTER, (size_t count), (count)) \
    ROW(fdopendir, NOMEM, POINTER, (int handle), (handle)) \
    ROW(pthread_create, NOMEM, THREAD, (pthread_t *out, const pthread_attr_t *how, void *(*start)(void *), void *with), (out, how, start, with)) \
    ROW(open, NOSPC | IO | INTR, OPEN, (const char *path, int flags, ...), (path, flags, mode)) \
    ROW(openat, NOSPC | IO | INTR, OPEN, (int folder, const char *path, int flags, ...), (folder, path, flags, mode)) \
    ROW(read, IO | INTR | SHORT, SOME, (int handle, void *data, size_t bytes), (handle, data, bytes)) \
    ROW(pread, IO | INTR | SHORT, SOME, (int handle, void *data, size_t bytes, off_t at), (handle, data, bytes, at)) \
    ROW(preadv, IO | INTR | SHORT, SOME, (int handle, const struct iovec *row, int bytes, off_t at), (handle, row, bytes, at)) \
    ROW(write, NOSPC | IO | INTR | SHORT, SOME, (int handle, const void *data, size_t bytes), (handle, data, bytes)) \
    ROW(pwrite, NOSPC | IO | INTR | SHORT, SOME, (int handle, const void *data, size_t bytes, off_t at), (handle, data, bytes, at)) \
    ROW(fsync, NOSPC | IO | INTR, CALL, (int handle), (handle)) \
    ROW(fdatasync, NOSPC | IO | INTR, CALL, (int handle), (handle)) \
    ROW(ftruncate, NOSPC | IO | INTR, CALL, (int handle, off_t bytes), (handle, bytes)) \
    ROW(rename, NOSPC | IO | INTR, CALL, (const char *from, const char *to), (from, to)) \
    ROW(renameat, NOSPC | IO | INTR, CALL, (int of, const char *from, int in, const char *to), (of, from, in, to)) \
    ROW(linkat, NOSPC | IO | INTR, CALL, (int of, const char *from, int in, const char *to, int flags), (of, from, in, to, flags)) \
    ROW(stat, IO, CALL, (const char *path, struct stat *about), (path, about)) \
    ROW(lstat, IO, CALL, (const char *path, struct stat *about), (path, about)) \
    ROW(fstat, IO, CALL, (int handle, struct stat *about), (handle, about)) \
    ROW(fstatat, IO, CALL, (int folder, const char *path, struct stat *about, int flags), (folder, path, about, flags)) \
    ROW(fchmod, IO, CALL, (int handle, mode_t mode), (handle, mode)) \
    ROW(lseek, IO, PLACE, (int handle, off_t at, int from), (handle, at, from)) \
    ROW(close, NOSPC | IO | INTR, AFTER, (int handle), (handle)) \
    ROW(clGetPlatformIDs, CODE, CL, (cl_uint most, cl_platform_id *out, cl_uint *count), (most, out, count)) \
    ROW(clGetPlatformInfo, CODE, CL, (cl_platform_id of, cl_platform_info what, size_t bytes, void *out, size_t *took), (of, what, bytes, out, took)) \
    ROW(clGetDeviceIDs, CODE, CL, (cl_platform_id of, cl_device_type type, cl_uint most, cl_device_id *out, cl_uint *count), (of, type, most, out, count)) \
    ROW(clGetDeviceInfo, CODE, CL, (cl_device_id of, cl_device_info what, size_t bytes, void *out, size_t *took), (of, what, bytes, out, took)) \
    ROW(clCreateContext, CODE, OBJECT, (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices, void (CL_CALLBACK *say)(const char *, const void *, size_t, void *), void *to, cl_int *code), (properties, count, devices, say, to, code)) \
    ROW(clCreateCommandQueue, CODE, OBJECT, (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *code), (context, device, properties, code)) \
    ROW(clGetCommandQueueInfo, CODE, CL, (cl_command_queue of, cl_command_queue_info what, size_t bytes, void *out, size_t *took), (of, what, bytes, out, took)) \
    ROW(clCreateBuffer, CODE, OBJECT, (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code), (context, flags, bytes, host, code)) \
    ROW(clCreateSubBuffer, CODE, OBJECT, (cl_mem of, cl_mem_flags flags, cl_buffer_create_type type, const void *what, cl_int *code), (of, flags, type, what, code)) \
    ROW(clCreateProgramWithSource, CODE, OBJECT, (cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *code), (context, count, texts, lengths, code)) \
    ROW(clBuildProgram, CODE, CL, (cl_program program, cl_uint count, const cl_device_id *devices, const char *options, void (CL_CALLBACK *say)(cl_program, void *), void *to), (program, count, devices, options, say, to)) \
    ROW(clGetProgramBuildInfo, CODE, CL, (cl_program of, cl_device_id on, cl_program_build_info what, size_t bytes, void *out, size_t *took), (of, on, what, bytes, out, took)) \
    ROW(clCreateKernel, CODE, OBJECT, (cl_program program, const char *name, cl_int *code), (program, name, code)) \
    ROW(clCreateKernelsInProgram, CODE, CL, (cl_program program, cl_uint most, cl_kernel *out, cl_uint *count), (program, most, out, count)) \
    ROW(clGetKernelWorkGroupInfo, CODE, CL, (cl_kernel of, cl_device_id on, cl_kernel_work_group_info what, size_t bytes, void *out, size_t *took), (of, on, what, bytes, out, took)) \
    ROW(clGetMemObjectInfo, CODE, CL, (cl_mem of, cl_mem_info what, size_t bytes, void *out, size_t *took), (of, what, bytes, out, took)) \
    ROW(clSetKernelArg, CODE, CL, (cl_kernel kernel, cl_uint place, size_t bytes, const void *value), (kernel, place, bytes, value)) \
    ROW(clEnqueueNDRangeKernel, CODE, CL, (cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *from, const size_t *global, const size_t *local, cl_uint count, const cl_event *list, cl_event *event), (queue, kernel, dims, from, global, local, count, list, event)) \
    ROW(clEnqueueNativeKernel, CODE, CL, (cl_command_queue queue, void (CL_CALLBACK *work)(void *), void *arguments, size_t bytes, cl_uint mems, const cl_mem *mem, const void **place, cl_uint count, const cl_event *list, cl_event *event), (queue, work, arguments, bytes, mems, mem, place, count, list, event)) \
    ROW(clEnqueueMarkerWithWaitList, CODE, CL, (cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event), (queue, count, list, event)) \
    ROW(clEnqueueFillBuffer, CODE, CL, (cl_command_queue queue, cl_mem mem, const void *pattern, size_t size, size_t from, size_t bytes, cl_uint count, const cl_event *list, cl_event *event), (queue, mem, pattern, size, from, bytes, count, list, event)) \
    ROW(clEnqueueCopyBuffer, CODE, CL, (cl_command_queue queue, cl_mem from, cl_mem to, size_t first, size_t place, size_t bytes, cl_uint count, const cl_event *list, cl_event *event), (queue, from, to, first, place, bytes, count, list, event)) \
    ROW(clEnqueueCopyBufferRect, CODE, CL, (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *first, const size_t *place, const size_t *region, size_t row, size_t slice, size_t to_row, size_t to_slice, cl_uint count, const cl_event *list, cl_event *event), (queue, from, to, first, place, region, row, slice, to_row, to_slice, count, list, event)) \
    ROW(clEnqueueReadBuffer, CODE, CL, (cl_command_queue queue, cl_mem mem, cl_bool wait, size_t from, size_t bytes, void *out, cl_uint count, const cl_event *list, cl_event *event), (queue, mem, wait, from, bytes, out, count, list, event)) \
    ROW(clEnqueueWriteBuffer, CODE, CL, (cl_command_queue queue, cl_mem mem, cl_bool wait, size_t from, size_t bytes, const void *data, cl_uint count, const cl_event *list, cl_event *event), (queue, mem, wait, from, bytes, data, count, list, event)) \
    ROW(clEnqueueMapBuffer, CODE, OBJECT, (cl_command_queue queue, cl_mem mem, cl_bool wait, cl_map_flags flags, size_t from, size_t bytes, cl_uint count, const cl_event *list, cl_event *event, cl_int *code), (queue, mem, wait, flags, from, bytes, count, list, event, code)) \
    ROW(clEnqueueUnmapMemObject, CODE, CL, (cl_command_queue queue, cl_mem mem, void *data, cl_uint count, const cl_event *list, cl_event *event), (queue, mem, data, count, list, event)) \
    ROW(clFlush, CODE, CL, (cl_command_queue queue), (queue)) \
    ROW(clWaitForEvents, CODE, CL, (cl_uint count, const cl_event *list), (count, list)) \
    ROW(clFinish, CODE, CL, (cl_command_queue queue), (queue)) \
    ROW(clGetEventInfo, CODE, CL, (cl_event of, cl_event_info what, size_t bytes, void *out, size_t *took), (of, what, bytes, out, took)) \
    ROW(clGetEventProfilingInfo, CODE, CL, (cl_event of, cl_profiling_info what, size_t bytes, void *out, size_t *took), (of, what, bytes, out, took)) \
    ROW(clReleaseEvent, CODE, RELEASE, (cl_event event), (event)) \
    ROW(clReleaseKernel, CODE, RELEASE, (cl_kernel kernel), (kernel)) \
    ROW(clReleaseProgram, CODE, RELEASE, (cl_program program), (program)) \
    ROW(clReleaseMemObject, CODE, RELEASE, (cl_mem mem), (mem)) \
    ROW(clReleaseCommandQueue, CODE, RELEASE, (cl_command_queue queue), (queue)) \
    ROW(clReleaseContext, CODE, RELEASE, (cl_context context), (context)) \
    ROW(clRetainContext, CODE, RELEASE, (cl_context context), (context))
/* clang-format on */

#define FAULT_NAME(name, ...) FAULT_##name,
enum { FAULT_NONE, FAULT_CALLS(FAULT_NAME) FAULT_ALL };

enum { FAULT_MOST = 16384 }; /* calls of a run */

/* What the driver and a run share. */
typedef struct faults {
    long at; /* this call fails, from 0; -1: none */
    int way;
    long made;                      /* calls so far */
    unsigned char name[FAULT_MOST]; /* of each */
} faults;

/* From now on calls are counted. NULL: they go through. */
void fault_arm(faults *to);
/* A call that the linker has led here: how it is to fail, 0 for not at all. */
int fault_way(int name);

#endif
