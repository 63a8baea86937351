/* flags_clear.c: data that are flagged become 0 for a stage that leaves them out, by a kernel that
 * is built when it is needed first, and works on what is flagged only. Room: core/flags. Knows
 * flags, arrays in device memory and OpenCL. Does not know any stage. */
#include <string.h>

#include "device_cl.h"
#include "fail.h"
#include "flags.h"
#include "flags_clear_cl.h"
#include "memory.h"
#include "step_range.h"

/* Runs of samples of one launch, and samples of one of these; work-items of a group along channels:
 * drivers that build a kernel for each size of its groups, and for large numbers of them, do that
 * once. */
enum { MOST_RUNS = 1 << 15, MOST_SAMPLES = 256, LANES = 8 };

struct ct_flags_clearing {
    cl_program program;
    cl_kernel kernel;
};

/* The array in which samples become 0; it may be a part of the one that the flags are about. */
typedef struct target {
    const ct_buffer *buffer;
    const ct_array *array;
    const ct_flags *flags;
    int64_t s, t, f, c; /* where this one begins in the flags' array */
    int64_t channels;   /* of each subband there */
} target;

/* Lists that the kernel reads; buffers of the last launch. */
typedef struct lists {
    cl_long4 *run;
    cl_int *first;
    cl_long *channel, *other;
    cl_int others;
    int64_t most; /* channels of a group */
    cl_mem mem[4];
} lists;

/* ---- the kernel */

static ct_status build(ct_flags_clearing **clearing, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    const char *text = flags_clear_cl;
    cl_int code = CL_SUCCESS;
    if (*clearing) return CT_OK;
    ct_flags_clearing *made = *clearing = ct_memory_get(sizeof *made);
    CT_NEED(made, sizeof *made, err);
    made->program = clCreateProgramWithSource(device->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(made->program, 1, &device->id, ct_device_options(device), NULL, NULL);
    if (code == CL_SUCCESS) made->kernel = clCreateKernel(made->program, "clear", &code);
    if (code != CL_SUCCESS)
        status = ct_device_fail(err, code, "building what clears flagged samples");
out:
    return status;
}

void ct_flags_clear_free(ct_flags_clearing *clearing)
{
    if (!clearing) return;
    if (clearing->kernel) clReleaseKernel(clearing->kernel);
    if (clearing->program) clReleaseProgram(clearing->program);
    ct_memory_free(clearing);
}

/* ---- where a sample's numbers lie */

/* Elements from the first channel to this one; -1: the array does not have it. */
static int64_t channel_at(const target *to, int64_t channel)
{
    const int64_t f = channel / to->channels - to->f, c = channel % to->channels - to->c;
    if (f < 0 || f >= ct_array_extent(to->array, 'F')) return -1;
    if (c < 0 || c >= ct_array_extent(to->array, 'C')) return -1;
    return f * ct_array_stride(to->array, 'F') + c * ct_array_stride(to->array, 'C');
}

/* The channels of each group, one group after the other. */
static void list_channels(lists *l, const target *to)
{
    const ct_flags *flags = to->flags;
    const int64_t channels = ct_flags_channels(flags->of);
    cl_int count = 0;
    for (int64_t c = 0; c < channels; c++)
        if (channel_at(to, c) >= 0) l->first[ct_array_group(flags->of, c) + 1]++;
    for (int64_t g = 0; g < flags->groups; g++) {
        if (l->first[g + 1] > l->most) l->most = l->first[g + 1];
        count = l->first[g + 1] += l->first[g];
    }
    for (int64_t c = channels - 1; c >= 0; c--) /* first[g + 1] goes down to where group g begins */
        if (channel_at(to, c) >= 0)
            l->channel[--l->first[ct_array_group(flags->of, c) + 1]] = channel_at(to, c);
    for (int64_t g = 0; g < flags->groups; g++)
        l->first[g] = l->first[g + 1];
    l->first[flags->groups] = count;
}

/* Elements along all dimensions that flags do not have. */
static void list_others(lists *l, const ct_array *array)
{
    l->other[0] = 0;
    l->others = 1;
    for (int d = 0; d < array->rank; d++) {
        if (strchr("STCF", array->dim[d])) continue;
        const cl_int had = l->others;
        for (int64_t i = 1; i < array->extent[d]; i++)
            for (cl_int k = 0; k < had; k++)
                l->other[l->others++] = l->other[k] + i * array->stride[d];
    }
}

static int64_t count_others(const ct_array *array)
{
    int64_t count = 1;
    for (int d = 0; d < array->rank; d++)
        if (!strchr("STCF", array->dim[d])) count *= array->extent[d];
    return count;
}

static ct_status lists_new(lists *l, const target *to, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_flags *flags = to->flags;
    const int64_t channels = ct_flags_channels(flags->of), others = count_others(to->array);
    memset(l, 0, sizeof *l);
    l->run = ct_memory_get(sizeof *l->run * MOST_RUNS);
    CT_NEED(l->run, sizeof *l->run * MOST_RUNS, err);
    l->first = ct_memory_get(sizeof *l->first * (size_t)(flags->groups + 1));
    CT_NEED(l->first, sizeof *l->first * (size_t)(flags->groups + 1), err);
    l->channel = ct_memory_get(sizeof *l->channel * (size_t)channels);
    CT_NEED(l->channel, sizeof *l->channel * (size_t)channels, err);
    l->other = ct_memory_get(sizeof *l->other * (size_t)others);
    CT_NEED(l->other, sizeof *l->other * (size_t)others, err);
    list_channels(l, to);
    list_others(l, to->array);
out:
    return status;
}

static void lists_leave(lists *l)
{
    for (int i = 0; i < 4; i++) {
        if (l->mem[i]) clReleaseMemObject(l->mem[i]);
        l->mem[i] = NULL;
    }
}

static void lists_free(lists *l)
{
    lists_leave(l);
    ct_memory_free(l->run);
    ct_memory_free(l->first);
    ct_memory_free(l->channel);
    ct_memory_free(l->other);
}

/* ---- what is flagged */

static bool is_missing(uint8_t flag)
{
    return (flag & CT_FLAGS_OUTSIDE) == CT_FLAGS_MISSING;
}

/* Flagged samples from t on, of a row. */
static int64_t run_length(const uint8_t *flag, int64_t t, int64_t end)
{
    int64_t count = 0;
    while (t + count < end && count < MOST_SAMPLES && is_missing(flag[t + count]))
        count++;
    return count;
}

/* Lists runs of flagged samples from row `*row` and sample `*t` of the target on; how many. */
static size_t list_runs(lists *l, const target *to, int64_t *row, int64_t *t)
{
    size_t count = 0;
    const ct_array *array = to->array;
    const ct_flags *flags = to->flags;
    const int64_t stations = ct_array_extent(array, 'S');
    const int64_t end = to->t + ct_array_extent(array, 'T'), along_t = ct_array_stride(array, 'T');
    for (; *row < ct_flags_rows(flags); ++*row, *t = 0) {
        const int64_t s = *row / flags->groups - to->s, g = *row % flags->groups;
        const int64_t at = array->offset + s * ct_array_stride(array, 'S');
        if (s < 0 || s >= stations) continue;
        for (int64_t i = to->t + *t; (i = ct_flags_next(flags, *row, i, end)) < end;) {
            const int64_t samples = run_length(ct_flags_row(flags, *row), i, end);
            *t = i - to->t;
            if (count == MOST_RUNS) return count;
            if (samples) l->run[count++] = (cl_long4){{at + *t * along_t, g, samples, 0}};
            i += samples ? samples : 1;
        }
    }
    return count;
}

/* Buffers live on until the kernel that reads them is done. */
static cl_int lists_give(lists *l, cl_context context, cl_kernel kernel, const target *to,
                         size_t runs)
{
    const struct {
        void *data;
        size_t bytes;
    } list[4] = {{l->run, runs * sizeof *l->run},
                 {l->first, (size_t)(to->flags->groups + 1) * sizeof *l->first},
                 {l->channel, (size_t)ct_flags_channels(to->flags->of) * sizeof *l->channel},
                 {l->other, (size_t)l->others * sizeof *l->other}};
    const cl_int bytes = (cl_int)(ct_type_bits(to->array->type) / 8);
    const cl_long along_t = ct_array_stride(to->array, 'T');
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; code == CL_SUCCESS && i < 4; i++) {
        l->mem[i] = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, list[i].bytes,
                                   list[i].data, &code);
        if (code == CL_SUCCESS) code = clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &l->mem[i]);
    }
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 5, sizeof l->others, &l->others);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 6, sizeof bytes, &bytes);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 7, sizeof along_t, &along_t);
    return code;
}

static ct_status clear(ct_flags_clearing **clearing, ct_device *device, const target *to,
                       ct_error *err)
{
    ct_status status = CT_OK;
    lists l;
    int64_t row = 0, t = 0;
    cl_int code = CL_SUCCESS;
    CT_TRY(lists_new(&l, to, err));
    for (size_t count; code == CL_SUCCESS && (count = list_runs(&l, to, &row, &t));) {
        const size_t local[2] = {LANES, 1};
        const size_t global[2] = {((size_t)l.most + LANES - 1) / LANES * LANES, count};
        if (l.most == 0) break; /* a part may have no channel of any group */
        CT_TRY(build(clearing, device, err));
        code = clSetKernelArg((*clearing)->kernel, 0, sizeof(cl_mem), &to->buffer->mem);
        if (code == CL_SUCCESS)
            code = lists_give(&l, device->context, (*clearing)->kernel, to, count);
        if (code == CL_SUCCESS)
            code = clEnqueueNDRangeKernel(device->queue, (*clearing)->kernel, 2, NULL, global,
                                          local, 0, NULL, NULL);
        lists_leave(&l);
    }
    if (code != CL_SUCCESS) status = ct_device_fail(err, code, "clearing flagged samples");
out:
    lists_free(&l);
    return status;
}

/* Of one sample, whose group has no channels. */
static cl_int clear_none(ct_device *device, cl_kernel kernel, cl_mem empty)
{
    const cl_int none = 0;
    const cl_long still = 0;
    const size_t global[2] = {LANES, 1}, local[2] = {LANES, 1};
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; code == CL_SUCCESS && i < 5; i++)
        code = clSetKernelArg(kernel, i, sizeof empty, &empty);
    for (cl_uint i = 5; code == CL_SUCCESS && i < 7; i++)
        code = clSetKernelArg(kernel, i, sizeof none, &none);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 7, sizeof still, &still);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(device->queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return code == CL_SUCCESS ? clFinish(device->queue) : code;
}

ct_status ct_flags_clear_build(ct_flags_clearing **clearing, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    const cl_long zero[4] = {0, 0, 0, 0};
    cl_int code = CL_SUCCESS;
    sigset_t before;
    ct_device_signals_block(&before);
    CT_TRY(build(clearing, device, err));
    cl_mem empty = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                  sizeof zero, (void *)zero, &code);
    if (code == CL_SUCCESS) code = clear_none(device, (*clearing)->kernel, empty);
    if (empty) clReleaseMemObject(empty);
    if (code != CL_SUCCESS) status = ct_device_fail(err, code, "clearing flagged samples");
out:
    ct_device_signals_restore(&before);
    return status;
}

/* What the step's port 0 reads, with its history, or without it if `fresh`. */
static ct_array part_of(const ct_step *step, bool fresh)
{
    ct_array array = step->port[0];
    const int t = ct_array_find(&array, 'T');
    if (!fresh || t < 0) return array;
    array.offset += step->overlap * array.stride[t];
    array.extent[t] -= step->overlap;
    return array;
}

ct_status ct_flags_clear(ct_flags_clearing **clearing, ct_device *device, const ct_step *step,
                         const ct_buffer *buffer, const ct_flags *flags, bool fresh, ct_error *err)
{
    const ct_array array = part_of(step, fresh);
    return clear(clearing, device,
                 &(target){.buffer = buffer,
                           .array = &array,
                           .flags = flags,
                           .s = ct_step_port_first(step, 0, 'S'),
                           .t = ct_step_port_first(step, 0, 'T'),
                           .f = ct_step_port_first(step, 0, 'F'),
                           .c = ct_step_port_first(step, 0, 'C'),
                           .channels = ct_step_port_whole(step, 0, 'C')},
                 err);
}
