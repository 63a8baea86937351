/* time_copy.c: samples along time, copied on the device between arrays of one layout.
 * Room: core/regroup. Knows strides along time. Does not know what the samples are for.
 *
 * A CPU copies rectangles. A GPU moves them by a kernel: NVIDIA's driver (580) refuses some, such
 * as 64 rows of 3584 bytes that lie 531,520 apart in one memory, and 25 small ones took it 0.46 ms.
 */
#include "time_copy.h"

#include <string.h>

#include "device_cl.h"
#include "fail.h"
#include "memory.h"
#include "time_copy_cl.h"

enum {
    ALONG = 3,
    GROUP = 64
}; /* dimensions of rows that a kernel knows; work-items of its groups */

struct ct_time_mover {
    cl_program program;
    cl_kernel kernel[3];
};

static const struct {
    const char *name;
    size_t bytes;
} words[] = {{"move_16", 16}, {"move_4", 4}, {"move_1", 1}};

/* In memory, T splits the arrays into T itself with contiguous rows inside, and repeats outside. */
typedef struct slab {
    size_t row, tail; /* bytes of one T step, with and without the gap after it */
    int repeats;      /* dimensions outside, the one with the most indices first */
    size_t count[CT_DIMS], to[CT_DIMS], from[CT_DIMS];
} slab;

/* ---- rows */

static void slab_swap(slab *s, int a, int b)
{
    size_t *const lists[] = {s->count, s->to, s->from};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const size_t one = lists[i][a];
        lists[i][a] = lists[i][b];
        lists[i][b] = one;
    }
}

/* Keeps the fastest first. */
static void slab_add(slab *s, size_t count, size_t to, size_t from)
{
    int place = s->repeats++;
    s->count[place] = count;
    s->to[place] = to;
    s->from[place] = from;
    for (; place > 0 && s->to[place] < s->to[place - 1]; place--)
        slab_swap(s, place, place - 1);
}

/* Two dimensions are one where the rows of both lie the same way apart. */
static void slab_merge(slab *s)
{
    int kept = 0;
    for (int i = 1; i < s->repeats; i++) {
        const size_t count = s->count[kept];
        if (s->to[i] == count * s->to[kept] && s->from[i] == count * s->from[kept])
            s->count[kept] *= s->count[i];
        else
            slab_swap(s, ++kept, i);
    }
    s->repeats = kept + 1;
    for (int i = 1; i < s->repeats; i++)
        if (s->count[i] > s->count[0]) slab_swap(s, 0, i);
}

static slab slab_of(const ct_array *to, const ct_array *from)
{
    const size_t size = ct_type_bits(to->type) / 8;
    const int t = ct_array_find(to, 'T');
    slab s = {.row = (size_t)to->stride[t] * size, .tail = size};
    for (int i = 0; i < to->rank; i++) {
        const size_t stride = (size_t)to->stride[i] * size, count = (size_t)to->extent[i];
        if (to->stride[i] < to->stride[t]) s.tail += (count - 1) * stride;
        if (to->stride[i] > to->stride[t] && count > 1)
            slab_add(&s, count, stride, (size_t)from->stride[i] * size);
    }
    if (s.repeats == 0) slab_add(&s, 1, 0, 0);
    slab_merge(&s);
    return s;
}

/* Rows along dimensions from number `first` on; where the n-th of them starts. */
static size_t slab_count(const slab *s, int first)
{
    size_t count = 1;
    for (int i = first; i < s->repeats; i++)
        count *= s->count[i];
    return count;
}

static size_t slab_at(const slab *s, const size_t *strides, int first, size_t n)
{
    size_t at = 0;
    for (int i = first; i < s->repeats; n /= s->count[i], i++)
        at += n % s->count[i] * strides[i];
    return at;
}

static size_t begin(const slab *s, const ct_time_place *place)
{
    return (size_t)place->array->offset * (ct_type_bits(place->array->type) / 8) +
           (size_t)place->sample * s->row;
}

static size_t row_bytes(const slab *s, int64_t count)
{
    return (size_t)(count - 1) * s->row + s->tail;
}

/* ---- by rectangles */

static cl_int copy(cl_command_queue queue, const slab *s, const ct_time_place *to,
                   const ct_time_place *from, int64_t count)
{
    const size_t region[3] = {row_bytes(s, count), s->count[0], 1};
    const size_t whole = begin(s, from) + begin(s, to) + region[0]; /* where nothing repeats */
    const size_t source_apart = s->count[0] > 1 ? s->from[0] : whole,
                 target_apart = s->count[0] > 1 ? s->to[0] : whole;
    const size_t repeats = slab_count(s, 1);
    cl_int code = CL_SUCCESS;
    for (size_t n = 0; n < repeats && code == CL_SUCCESS; n++) {
        const size_t source[3] = {begin(s, from) + slab_at(s, s->from, 1, n), 0, 0};
        const size_t target[3] = {begin(s, to) + slab_at(s, s->to, 1, n), 0, 0};
        code = clEnqueueCopyBufferRect(queue, from->mem, to->mem, source, target, region,
                                       source_apart, 0, target_apart, 0, 0, NULL, NULL);
    }
    return code;
}

/* ---- by a kernel */

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
    for (size_t i = 0; code == CL_SUCCESS && i < sizeof words / sizeof *words; i++)
        made->kernel[i] = clCreateKernel(made->program, words[i].name, &code);
    return code;
}

void ct_time_mover_free(ct_time_mover *mover)
{
    if (!mover) return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mover->kernel[i]) clReleaseKernel(mover->kernel[i]);
    if (mover->program) clReleaseProgram(mover->program);
    ct_memory_free(mover);
}

/* What a launch is told, in bytes; then in words, the largest that all are multiples of. */
typedef struct move {
    cl_long4 number[4]; /* at, count, there, here, as in time_copy.cl */
} move;

static move move_of(const slab *s, const ct_time_place *to, const ct_time_place *from,
                    int64_t count, size_t n)
{
    const cl_long row = (cl_long)row_bytes(s, count);
    move of = {{{{(cl_long)(begin(s, to) + slab_at(s, s->to, ALONG, n)),
                  (cl_long)(begin(s, from) + slab_at(s, s->from, ALONG, n)), row, row}},
                {{1, 1, 1, 1}}}};
    for (int i = 0; i < ALONG && i < s->repeats; i++) {
        of.number[0].s[3] *= of.number[1].s[i] = (cl_long)s->count[i];
        of.number[2].s[i] = (cl_long)s->to[i];
        of.number[3].s[i] = (cl_long)s->from[i];
    }
    return of;
}

static size_t move_in_words(move *of)
{
    size_t kind = 0;
    cl_long any = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            any |= i == 1 ? 0 : of->number[i].s[k];
    while ((size_t)any % words[kind].bytes != 0)
        kind++;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            of->number[i].s[k] /= i == 1 ? 1 : (cl_long)words[kind].bytes;
    return kind;
}

static cl_int move_start(ct_time_mover *mover, cl_command_queue queue, cl_mem to, cl_mem from,
                         move of)
{
    cl_kernel kernel = mover->kernel[move_in_words(&of)];
    const size_t group = GROUP, items = ((size_t)of.number[0].s[3] + GROUP - 1) / GROUP * GROUP;
    cl_int code = clSetKernelArg(kernel, 0, sizeof to, &to);
    if (code == CL_SUCCESS) code = clSetKernelArg(kernel, 1, sizeof from, &from);
    for (cl_uint i = 0; code == CL_SUCCESS && i < 4; i++)
        code = clSetKernelArg(kernel, 2 + i, sizeof of.number[i], &of.number[i]);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    return code;
}

static cl_int move_all(ct_time_mover **mover, cl_command_queue queue, const slab *s,
                       const ct_time_place *to, const ct_time_place *from, int64_t count)
{
    const size_t repeats = slab_count(s, ALONG);
    cl_int code = build(mover, queue);
    for (size_t n = 0; n < repeats && code == CL_SUCCESS; n++)
        code = move_start(*mover, queue, to->mem, from->mem, move_of(s, to, from, count, n));
    return code;
}

/* ---- either */

/* Within one memory in pieces no longer than the way: a copy may not overlap itself. */
ct_status ct_time_copy(ct_time_mover **mover, void *queue, ct_time_place to, ct_time_place from,
                       int64_t count, const char *doing, ct_error *err)
{
    const slab s = slab_of(to.array, from.array);
    const int64_t most = to.mem == from.mem ? from.sample - to.sample : count;
    cl_int code = CL_SUCCESS;
    for (int64_t left = count; left > 0 && code == CL_SUCCESS; left -= most) {
        const int64_t now = left < most ? left : most;
        code =
            mover ? move_all(mover, queue, &s, &to, &from, now) : copy(queue, &s, &to, &from, now);
        to.sample += most;
        from.sample += most;
    }
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "%s", doing);
}
