/* fft_clfft.c: the engine on clFFT. clFFT steps along one batch axis and takes whole buffers, so
 * batches of more axes, or of arrays that do not start at 0, go through contiguous rows: a kernel
 * gathers them before and scatters them after.
 * Room: stages/fft. Knows clFFT, OpenCL. Does not know stages. */
#ifdef CT_HAVE_CLFFT
#define CL_TARGET_OPENCL_VERSION 120
#include "fft.h"
#include "fft_transpose_cl.h"
#include <clFFT.h>
#include <stdlib.h>

enum { X = CT_FFT_X, Y = CT_FFT_Y };

typedef struct clfft_state {
    fft_shape shape;
    bool direct;
    clfftPlanHandle plan;
    cl_context context;
    cl_device_id device;
    cl_program program;
    cl_kernel gather, scatter;
    cl_mem rows[2];
} clfft_state;

static ct_status clfft_fail(ct_error *err, const char *doing, int code)
{
    return ct_error_add(err, CT_FAILED, "fft: clFFT: %s: error %d", doing, code);
}

static void clfft_release(void *state)
{
    clfft_state *clfft = state;
    if (!clfft) return;
    if (clfft->plan) clfftDestroyPlan(&clfft->plan);
    if (clfft->gather) clReleaseKernel(clfft->gather);
    if (clfft->scatter) clReleaseKernel(clfft->scatter);
    if (clfft->program) clReleaseProgram(clfft->program);
    for (int i = X; i <= Y; i++)
        if (clfft->rows[i]) clReleaseMemObject(clfft->rows[i]);
}

/* ---------------------------------------------------------------- the plan */

static clfftStatus clfft_set_plan(clfft_state *clfft, size_t batch, size_t strides[2],
                                  size_t distances[2])
{
    clfftPlanHandle plan = clfft->plan;
    clfftStatus code = clfftSetPlanPrecision(plan, CLFFT_SINGLE);
    if (code == CLFFT_SUCCESS) code = clfftSetPlanBatchSize(plan, batch);
    if (code == CLFFT_SUCCESS) code = clfftSetPlanInStride(plan, CLFFT_1D, &strides[X]);
    if (code == CLFFT_SUCCESS) code = clfftSetPlanOutStride(plan, CLFFT_1D, &strides[Y]);
    if (code == CLFFT_SUCCESS) code = clfftSetPlanDistance(plan, distances[X], distances[Y]);
    if (code == CLFFT_SUCCESS) code = clfftSetResultLocation(plan, CLFFT_OUTOFPLACE);
    if (code == CLFFT_SUCCESS)
        code = clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED);
    return code;
}

/* clfftTeardown is not counted and would destroy everyone's plans, so it waits for the program's
 * end, where repeating it is harmless. */
static void clfft_end(void)
{
    clfftTeardown();
}

static clfftStatus clfft_begin(void)
{
    clfftStatus code = clfftSetup(NULL);
    if (code == CLFFT_SUCCESS) atexit(clfft_end);
    return code;
}

static ct_status clfft_make_plan(clfft_state *clfft, cl_command_queue queue, ct_error *err)
{
    const fft_shape *shape = &clfft->shape;
    size_t length = (size_t)shape->length;
    size_t strides[2] = {1, 1}, distances[2] = {length, length};
    if (clfft->direct) {
        strides[X] = (size_t)shape->in;
        strides[Y] = (size_t)shape->out;
    }
    if (clfft->direct && shape->batch.rank == 1) {
        distances[X] = (size_t)shape->batch.dim[0].from;
        distances[Y] = (size_t)shape->batch.dim[0].to;
    }
    clfftStatus code = clfft_begin();
    if (code == CLFFT_SUCCESS)
        code = clfftCreateDefaultPlan(&clfft->plan, clfft->context, CLFFT_1D, &length);
    if (code == CLFFT_SUCCESS)
        code = clfft_set_plan(clfft, (size_t)ct_copy_count(&shape->batch), strides, distances);
    if (code == CLFFT_SUCCESS) code = clfftBakePlan(clfft->plan, 1, &queue, NULL, NULL);
    return code == CLFFT_SUCCESS ? CT_OK : clfft_fail(err, "making a plan", code);
}

/* ---------------------------------------------------------------- contiguous rows */

/* Arguments 2 and up of both kernels: the array's offset, strides, and the batch's extents. */
static cl_int clfft_set_kernel(cl_kernel kernel, const fft_shape *shape, bool out)
{
    cl_long axes = shape->batch.rank, first = out ? shape->batch.to : shape->batch.from;
    cl_long stride = out ? shape->out : shape->in;
    cl_long8 extent, step;
    for (int i = 0; i < CT_DIMS; i++) {
        bool used = i < shape->batch.rank;
        extent.s[i] = used ? shape->batch.dim[i].extent : 1;
        step.s[i] = !used ? 0 : out ? shape->batch.dim[i].to : shape->batch.dim[i].from;
    }
    cl_int code = clSetKernelArg(kernel, 2, sizeof axes, &axes);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 3, sizeof first, &first);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 4, sizeof stride, &stride);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 5, sizeof extent, &extent);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 6, sizeof step, &step);
    return code;
}

static cl_int clfft_build_kernels(clfft_state *clfft)
{
    const char *text = fft_transpose_cl;
    cl_int code;
    clfft->program = clCreateProgramWithSource(clfft->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(clfft->program, 1, &clfft->device, "-cl-std=CL1.2", NULL, NULL);
    if (code == CL_SUCCESS) clfft->gather = clCreateKernel(clfft->program, "gather", &code);
    if (code == CL_SUCCESS) clfft->scatter = clCreateKernel(clfft->program, "scatter", &code);
    if (code == CL_SUCCESS) code = clfft_set_kernel(clfft->gather, &clfft->shape, false);
    if (code == CL_SUCCESS) code = clfft_set_kernel(clfft->scatter, &clfft->shape, true);
    return code;
}

static ct_status clfft_make_rows(clfft_state *clfft, ct_error *err)
{
    size_t bytes = (size_t)(ct_copy_count(&clfft->shape.batch) * clfft->shape.length) * 8;
    cl_int code = clfft_build_kernels(clfft);
    for (int i = X; i <= Y && code == CL_SUCCESS; i++)
        clfft->rows[i] = clCreateBuffer(clfft->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    return code == CL_SUCCESS ? CT_OK : clfft_fail(err, "making room for contiguous rows", code);
}

static ct_status clfft_prepare(ct_step *step, void **state, ct_error *err)
{
    clfft_state *clfft = ct_step_alloc(step, sizeof *clfft);
    if (!clfft) return CT_FAILED;
    fft_shape *shape = &clfft->shape;
    clfft->context = step->native_context;
    clfft->device = step->native_device;
    ct_fft_shape_make(shape, &step->port[X], &step->port[Y]);
    clfft->direct = shape->batch.rank <= 1 && shape->batch.from == 0 && shape->batch.to == 0;
    ct_status status = clfft->direct ? CT_OK : clfft_make_rows(clfft, err);
    if (status == CT_OK) status = clfft_make_plan(clfft, step->native_queue, err);
    if (status != CT_OK) clfft_release(clfft);
    *state = status == CT_OK ? clfft : NULL;
    return status;
}

/* ---------------------------------------------------------------- running */

static cl_int clfft_move(const clfft_state *clfft, cl_command_queue queue, cl_kernel kernel,
                         cl_mem from, cl_mem to)
{
    size_t global[2] = {(size_t)clfft->shape.length, (size_t)ct_copy_count(&clfft->shape.batch)};
    cl_int code = clSetKernelArg(kernel, 0, sizeof(cl_mem), &from);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 1, sizeof(cl_mem), &to);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
    return code;
}

static ct_status clfft_enqueue(void *state, void *queue_in, void *const mem[], ct_error *err)
{
    clfft_state *clfft = state;
    cl_command_queue queue = queue_in;
    cl_mem from = clfft->direct ? mem[X] : clfft->rows[X];
    cl_mem to = clfft->direct ? mem[Y] : clfft->rows[Y];
    int code = CL_SUCCESS;
    if (!clfft->direct) code = clfft_move(clfft, queue, clfft->gather, mem[X], from);
    if (code == CL_SUCCESS)
        code = clfftEnqueueTransform(clfft->plan, CLFFT_FORWARD, 1, &queue, 0, NULL, NULL, &from,
                                     &to, NULL);
    if (code == CL_SUCCESS && !clfft->direct)
        code = clfft_move(clfft, queue, clfft->scatter, to, mem[Y]);
    return code == CL_SUCCESS ? CT_OK : clfft_fail(err, "running", code);
}

const fft_engine ct_fft_clfft = {
    .largest_prime = 13,
    .prepare = clfft_prepare,
    .enqueue = clfft_enqueue,
    .release = clfft_release,
};
#else
typedef int ct_fft_clfft_absent; /* a translation unit may not be empty */
#endif
