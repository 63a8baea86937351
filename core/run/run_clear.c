/* run_clear.c: data that are flagged become 0 where a stage leaves them out, by a kernel of the
 * run's own, behind that which wrote them. It is built when it is needed first, and works on what
 * is flagged only, so that a run of which nothing is missing does not know it. Room: core/run.
 * Knows flags, arrays in device memory and OpenCL. Does not know any stage. */
#include <string.h>

#include "device_cl.h"
#include "fail.h"
#include "memory.h"
#include "run.h"
#include "run_clear_cl.h"

enum { MOST_SAMPLES = 1 << 16 }; /* of one launch */

struct ct_run_clearing {
    cl_program program;
    cl_kernel kernel;
};

/* Lists that the kernel reads; buffers of the last launch. */
typedef struct lists {
    cl_long2 *sample;
    cl_int *first;
    cl_long *channel, *other;
    cl_int others;
    int64_t most; /* channels of a group */
    cl_mem mem[4];
} lists;

/* ---- the kernel */

static ct_status build(ct_run *run, ct_error *err)
{
    const char *text = run_clear_cl;
    struct ct_run_clearing *made;
    cl_int code = CL_SUCCESS;
    if (run->clearing) return CT_OK;
    made = run->clearing = ct_arena_get(run->arena, sizeof *made);
    if (!made) return ct_arena_check(run->arena, err);
    made->program = clCreateProgramWithSource(run->device->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(made->program, 1, &run->device->id, CT_DEVICE_OPTIONS, NULL, NULL);
    if (code == CL_SUCCESS) made->kernel = clCreateKernel(made->program, "clear", &code);
    return code == CL_SUCCESS ? CT_OK
                              : ct_device_fail(err, code, "building what clears flagged samples");
}

void ct_run_clear_free(ct_run *run)
{
    if (!run->clearing) return;
    if (run->clearing->kernel) clReleaseKernel(run->clearing->kernel);
    if (run->clearing->program) clReleaseProgram(run->clearing->program);
}

/* ---- where a sample's numbers lie */

static int64_t channel_at(const ct_array *array, int64_t channel)
{
    const int64_t c = ct_array_extent(array, 'C');
    return channel / c * ct_array_stride(array, 'F') + channel % c * ct_array_stride(array, 'C');
}

/* The channels of each group, one group after the other. */
static void list_channels(lists *l, const ct_array *array, const ct_flags *flags)
{
    const int64_t channels = ct_run_flags_channels(array);
    for (int64_t c = 0; c < channels; c++)
        l->first[ct_array_group(flags->of, c) + 1]++;
    for (int64_t g = 0; g < flags->groups; g++) {
        if (l->first[g + 1] > l->most) l->most = l->first[g + 1];
        l->first[g + 1] += l->first[g];
    }
    for (int64_t c = channels - 1; c >= 0; c--) /* counts first[g + 1] down to where g begins */
        l->channel[--l->first[ct_array_group(flags->of, c) + 1]] = channel_at(array, c);
    for (int64_t g = 0; g < flags->groups; g++)
        l->first[g] = l->first[g + 1];
    l->first[flags->groups] = (cl_int)channels;
}

/* All dimensions that flags do not have. */
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

static ct_status lists_new(lists *l, const ct_array *array, const ct_flags *flags, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t channels = ct_run_flags_channels(array), others = count_others(array);
    memset(l, 0, sizeof *l);
    l->sample = ct_memory_get(sizeof *l->sample * MOST_SAMPLES);
    CT_NEED(l->sample, sizeof *l->sample * MOST_SAMPLES, err);
    l->first = ct_memory_get(sizeof *l->first * (size_t)(flags->groups + 1));
    CT_NEED(l->first, sizeof *l->first * (size_t)(flags->groups + 1), err);
    l->channel = ct_memory_get(sizeof *l->channel * (size_t)channels);
    CT_NEED(l->channel, sizeof *l->channel * (size_t)channels, err);
    l->other = ct_memory_get(sizeof *l->other * (size_t)others);
    CT_NEED(l->other, sizeof *l->other * (size_t)others, err);
    list_channels(l, array, flags);
    list_others(l, array);
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
    ct_memory_free(l->sample);
    ct_memory_free(l->first);
    ct_memory_free(l->channel);
    ct_memory_free(l->other);
}

/* ---- what is flagged */

/* The next samples that are, from row `*row` and sample `*t` on; how many. */
static size_t list_samples(lists *l, const ct_array *array, const ct_flags *flags, int64_t *row,
                           int64_t *t)
{
    size_t count = 0;
    for (; *row < ct_run_flags_rows(flags); ++*row, *t = 0) {
        const int64_t s = *row / flags->groups, g = *row % flags->groups;
        const int64_t at = array->offset + s * ct_array_stride(array, 'S');
        for (; *t < flags->samples; ++*t) {
            const uint8_t flag = flags->data[*row * flags->samples + *t];
            if ((flag & CT_RUN_OUTSIDE) != CT_RUN_MISSING) continue;
            if (count == MOST_SAMPLES) return count;
            l->sample[count++] = (cl_long2){{at + *t * ct_array_stride(array, 'T'), g}};
        }
    }
    return count;
}

/* Buffers live on until the kernel that reads them is done. */
static cl_int lists_give(lists *l, const ct_run *run, const ct_array *array, const ct_flags *flags,
                         size_t samples)
{
    const struct {
        void *data;
        size_t bytes;
    } list[4] = {{l->sample, samples * sizeof *l->sample},
                 {l->first, (size_t)(flags->groups + 1) * sizeof *l->first},
                 {l->channel, (size_t)ct_run_flags_channels(array) * sizeof *l->channel},
                 {l->other, (size_t)l->others * sizeof *l->other}};
    const cl_int bytes = (cl_int)(ct_type_bits(array->type) / 8);
    cl_kernel kernel = run->clearing->kernel;
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; code == CL_SUCCESS && i < 4; i++) {
        l->mem[i] = clCreateBuffer(run->device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   list[i].bytes, list[i].data, &code);
        if (code == CL_SUCCESS) code = clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &l->mem[i]);
    }
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 5, sizeof l->others, &l->others);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 6, sizeof bytes, &bytes);
    return code;
}

static ct_status clear(ct_run *run, const ct_buffer *buffer, const ct_array *array,
                       const ct_flags *flags, ct_error *err)
{
    ct_status status = CT_OK;
    lists l;
    int64_t row = 0, t = 0;
    cl_int code = CL_SUCCESS;
    CT_TRY(lists_new(&l, array, flags, err));
    for (size_t count; code == CL_SUCCESS && (count = list_samples(&l, array, flags, &row, &t));) {
        const size_t global[2] = {(size_t)l.most, count};
        CT_TRY(build(run, err));
        code = clSetKernelArg(run->clearing->kernel, 0, sizeof(cl_mem), &buffer->mem);
        if (code == CL_SUCCESS) code = lists_give(&l, run, array, flags, count);
        if (code == CL_SUCCESS)
            code = clEnqueueNDRangeKernel(run->device->queue, run->clearing->kernel, 2, NULL,
                                          global, NULL, 0, NULL, NULL);
        lists_leave(&l);
    }
    if (code != CL_SUCCESS) status = ct_device_fail(err, code, "clearing flagged samples");
out:
    lists_free(&l);
    return status;
}

/* ---- whose data */

/* Whether a stage that leaves out what is flagged reads this output. */
static bool is_left_out(const ct_run *run, int n, int port)
{
    const ct_graph *graph = run->plan->graph;
    for (int i = 0; i < graph->count; i++) {
        const ct_link from = graph->nodes[i].input[0];
        if (from.node == n && from.port == port &&
            (graph->nodes[i].step->stage->traits & CT_STAGE_LEAVES_OUT))
            return true;
    }
    return false;
}

ct_status ct_run_clear(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    if (step->node < 0 || (run->steps[s].fired + 1) % step->step->gather != 0) return CT_OK;
    for (int p = 0; p < ct_step_ports(step->step); p++) {
        const ct_flags *flags = &run->out[step->node * CT_PORTS + p];
        if (!flags->data || !flags->any || !is_left_out(run, step->node, p)) continue;
        CT_TRY(
            clear(run, ct_run_pairs_buffer(run, step->edge[p]), &step->step->port[p], flags, err));
    }
out:
    return status;
}
