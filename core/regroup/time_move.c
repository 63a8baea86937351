/* time_move.c: see time_move.h.
 * Room: core/regroup. Knows strides and OpenCL. Does not know what the words are for. */
#include "time_move.h"

#include <stdio.h>

#include "layout.h"
#include "memory.h"
#include "time_copy_cl.h"

/* Dimensions that a kernel knows; kernels, for words of 1 to 16 bytes; work-items of a group. */
enum { ALONG = 4, KERNELS = 5, GROUP = 64 };

struct ct_time_mover {
    cl_program program;
    cl_kernel kernel[KERNELS];
};

static cl_int build(ct_time_mover **mover, cl_command_queue queue)
{
    cl_int code = CL_SUCCESS;
    cl_context context = NULL;
    const char *text = time_copy_cl;
    if (*mover) return CL_SUCCESS;
    ct_time_mover *made = *mover = ct_memory_get(sizeof *made);
    if (!made) return CL_OUT_OF_HOST_MEMORY;
    code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        made->program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(made->program, 0, NULL, "-cl-std=CL1.2", NULL, NULL);
    for (int k = 0; k < KERNELS && code == CL_SUCCESS; k++) {
        char name[16];
        snprintf(name, sizeof name, "move_%d", 1 << k);
        made->kernel[k] = clCreateKernel(made->program, name, &code);
    }
    return code;
}

void ct_time_mover_free(ct_time_mover *mover)
{
    if (!mover) return;
    for (int k = 0; k < KERNELS; k++)
        if (mover->kernel[k]) clReleaseKernel(mover->kernel[k]);
    if (mover->program) clReleaseProgram(mover->program);
    ct_memory_free(mover);
}

/* The fastest dimensions, from `place` on. */
static cl_int start(cl_command_queue queue, cl_kernel kernel, const ct_copy *copy, int first,
                    const ct_copy_place *place)
{
    const cl_long2 at = {{place->to, place->from}};
    cl_long4 count = {{1, 1, 1, 1}}, there = {{0}}, here = {{0}};
    size_t group = GROUP, items = 1;
    for (int k = first; k < copy->rank; k++) {
        const ct_copy_dim *dim = &copy->dim[copy->rank - 1 - k + first];
        items *= (size_t)dim->extent;
        count.s[k - first] = dim->extent;
        there.s[k - first] = dim->to;
        here.s[k - first] = dim->from;
    }
    items = (items + group - 1) / group * group;
    cl_int code = clSetKernelArg(kernel, 2, sizeof at, &at);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 3, sizeof count, &count);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 4, sizeof there, &there);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 5, sizeof here, &here);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    return code;
}

cl_int ct_time_move(ct_time_mover **mover, cl_command_queue queue, cl_mem to, cl_mem from,
                    ct_copy copy)
{
    ct_copy_sort(&copy, true);
    ct_copy_merge(&copy);
    ct_copy_widen(&copy, 1 << (KERNELS - 1));
    const int first = copy.rank > ALONG ? copy.rank - ALONG : 0;
    ct_copy_place place = {.from = copy.from, .to = copy.to};
    cl_int code = build(mover, queue);
    if (code != CL_SUCCESS) return code;
    const cl_kernel kernel = (*mover)->kernel[__builtin_ctz((unsigned)copy.word)];
    code = clSetKernelArg(kernel, 0, sizeof(cl_mem), &to);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 1, sizeof(cl_mem), &from);
    do
        if (code == CL_SUCCESS) code = start(queue, kernel, &copy, first, &place);
    while (ct_copy_next(&copy, first, &place));
    return code;
}
