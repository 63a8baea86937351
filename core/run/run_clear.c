/* run_clear.c: data that are flagged become 0 for a stage that leaves them out, by a kernel of the
 * run's own, before the stage's: in the array that it reads, or where others want that as it is, in
 * a copy of it, which it reads instead. Built when it is needed first, and works on what is flagged
 * only, so that a run of which nothing is missing does not know it. Room: core/run.
 * Knows flags, arrays in device memory and OpenCL. Does not know any stage. */
#include <string.h>

#include "device_cl.h"
#include "fail.h"
#include "memory.h"
#include "run.h"
#include "run_clear_cl.h"
#include "step_range.h"

enum { MOST_SAMPLES = 1 << 16 }; /* of one launch */

struct ct_run_clearing {
    cl_program program;
    cl_kernel kernel;
};

/* What is to be zeroed where: of a rank, a part of what flags are of. */
typedef struct target {
    const ct_buffer *buffer;
    const ct_array *array;
    const ct_flags *flags;
    int64_t s, t, f, c; /* where in the flags' array this one begins */
    int64_t channels;   /* of each subband there */
} target;

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

/* In the array; -1: it has no such channel. */
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
    const int64_t channels = ct_run_flags_channels(flags->of);
    cl_int count = 0;
    for (int64_t c = 0; c < channels; c++)
        if (channel_at(to, c) >= 0) l->first[ct_array_group(flags->of, c) + 1]++;
    for (int64_t g = 0; g < flags->groups; g++) {
        if (l->first[g + 1] > l->most) l->most = l->first[g + 1];
        count = l->first[g + 1] += l->first[g];
    }
    for (int64_t c = channels - 1; c >= 0; c--) /* counts first[g + 1] down to where g begins */
        if (channel_at(to, c) >= 0)
            l->channel[--l->first[ct_array_group(flags->of, c) + 1]] = channel_at(to, c);
    for (int64_t g = 0; g < flags->groups; g++)
        l->first[g] = l->first[g + 1];
    l->first[flags->groups] = count;
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

static ct_status lists_new(lists *l, const target *to, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_flags *flags = to->flags;
    const int64_t channels = ct_run_flags_channels(flags->of), others = count_others(to->array);
    memset(l, 0, sizeof *l);
    l->sample = ct_memory_get(sizeof *l->sample * MOST_SAMPLES);
    CT_NEED(l->sample, sizeof *l->sample * MOST_SAMPLES, err);
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
    ct_memory_free(l->sample);
    ct_memory_free(l->first);
    ct_memory_free(l->channel);
    ct_memory_free(l->other);
}

/* ---- what is flagged */

/* The next samples that are, from row `*row` and sample `*t` on; how many. */
static size_t list_samples(lists *l, const target *to, int64_t *row, int64_t *t)
{
    size_t count = 0;
    const ct_array *array = to->array;
    const ct_flags *flags = to->flags;
    const int64_t stations = ct_array_extent(array, 'S'), samples = ct_array_extent(array, 'T');
    for (; *row < ct_run_flags_rows(flags); ++*row, *t = 0) {
        const int64_t s = *row / flags->groups - to->s, g = *row % flags->groups;
        const int64_t at = array->offset + s * ct_array_stride(array, 'S');
        for (; s >= 0 && s < stations && *t < samples; ++*t) {
            const uint8_t flag = flags->data[*row * flags->samples + to->t + *t];
            if ((flag & CT_RUN_OUTSIDE) != CT_RUN_MISSING) continue;
            if (count == MOST_SAMPLES) return count;
            l->sample[count++] = (cl_long2){{at + *t * ct_array_stride(array, 'T'), g}};
        }
    }
    return count;
}

/* Buffers live on until the kernel that reads them is done. */
static cl_int lists_give(lists *l, const ct_run *run, const target *to, size_t samples)
{
    const struct {
        void *data;
        size_t bytes;
    } list[4] = {{l->sample, samples * sizeof *l->sample},
                 {l->first, (size_t)(to->flags->groups + 1) * sizeof *l->first},
                 {l->channel, (size_t)ct_run_flags_channels(to->flags->of) * sizeof *l->channel},
                 {l->other, (size_t)l->others * sizeof *l->other}};
    const cl_int bytes = (cl_int)(ct_type_bits(to->array->type) / 8);
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

static ct_status clear(ct_run *run, const target *to, ct_error *err)
{
    ct_status status = CT_OK;
    lists l;
    int64_t row = 0, t = 0;
    cl_int code = CL_SUCCESS;
    CT_TRY(lists_new(&l, to, err));
    for (size_t count; code == CL_SUCCESS && (count = list_samples(&l, to, &row, &t));) {
        const size_t global[2] = {(size_t)l.most, count};
        if (l.most == 0) break; /* a rank's part may have no channel of any group */
        CT_TRY(build(run, err));
        code = clSetKernelArg(run->clearing->kernel, 0, sizeof(cl_mem), &to->buffer->mem);
        if (code == CL_SUCCESS) code = lists_give(&l, run, to, count);
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

/* Of the step's port 0, history included; without it where `fresh`. */
static ct_array part_of(const ct_step *step, bool fresh)
{
    ct_array array = step->port[0];
    const int t = ct_array_find(&array, 'T');
    if (!fresh || t < 0) return array;
    array.offset += step->overlap * array.stride[t];
    array.extent[t] -= step->overlap;
    return array;
}

/* The plan's; room that it has none for, since the program has put flags in a source's place that
 * never gives any, is made now. */
static ct_status find_copy(ct_run *run, int s, const ct_buffer **out, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_buffer *own = &run->steps[s].side[0];
    *out = own;
    if (step->zeroed >= 0)
        *out = &run->slots[run->plan->edges[step->zeroed].slot];
    else if (!own->mem)
        CT_TRY(ct_buffer_new(own, run->device,
                             ct_array_bytes(&run->plan->edges[step->edge[0]].array), err));
out:
    return status;
}

static bool any_missing(const ct_flags *flags)
{
    const int64_t count = ct_run_flags_rows(flags) * flags->samples;
    bool any = false;
    for (int64_t i = 0; flags->any && i < count; i++)
        any = any || (flags->data[i] & CT_RUN_OUTSIDE) == CT_RUN_MISSING;
    return any;
}

static bool leaves_out(const ct_plan_step *step)
{
    return step->node >= 0 && step->edge[0] >= 0 &&
           (step->step->stage->traits & CT_STAGE_LEAVES_OUT);
}

/* In the array itself what came before this block is 0 already. */
ct_status ct_run_clear(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    if (!leaves_out(step)) return CT_OK;
    const ct_flags *window = &run->window[step->node], *fresh = ct_run_flags_read(run, s);
    const ct_buffer *read = ct_run_pairs_of(run, s, 0), *copy = read;
    const ct_flags *flags = step->others_need_flagged && window->data ? window : fresh;
    const ct_array array = part_of(step->step, !step->others_need_flagged);
    run->steps[s].mem[0] = *read;
    if (!any_missing(flags)) return CT_OK;
    if (step->others_need_flagged) {
        CT_TRY(find_copy(run, s, &copy, err));
        CT_TRY(ct_run_buffers_copy(run, copy, read,
                                   ct_array_bytes(&run->plan->edges[step->edge[0]].array), err));
        run->steps[s].mem[0] = *copy;
    }
    CT_TRY(clear(run,
                 &(target){.buffer = copy,
                           .array = &array,
                           .flags = flags,
                           .s = ct_step_port_first(step->step, 0, 'S'),
                           .t = ct_step_port_first(step->step, 0, 'T'),
                           .f = ct_step_port_first(step->step, 0, 'F'),
                           .c = ct_step_port_first(step->step, 0, 'C'),
                           .channels = ct_step_port_whole(step->step, 0, 'C')},
                 err));
out:
    return status;
}
