/* time_copy.c: samples along time, copied on the device between arrays of one layout.
 * Room: core/regroup. Knows strides along time. Does not know what the samples are for. */
#include "time_copy.h"

#include "device_cl.h"
#include "fail.h"
#include "layout.h"
#include "time_move.h"

/* In memory, T splits the arrays into T itself with contiguous rows inside, and repeats outside. */
typedef struct slab {
    size_t row, tail; /* bytes of one T step, with and without the gap after it */
    int repeats;      /* dimensions outside, the one with the most indices first */
    size_t count[CT_DIMS], to[CT_DIMS], from[CT_DIMS];
} slab;

static void slab_swap(size_t *values, int place)
{
    const size_t first = values[0];
    values[0] = values[place];
    values[place] = first;
}

static void slab_add(slab *s, size_t count, size_t to, size_t from)
{
    const int place = s->repeats++;
    s->count[place] = count;
    s->to[place] = to;
    s->from[place] = from;
    if (s->count[place] <= s->count[0]) return;
    slab_swap(s->count, place);
    slab_swap(s->to, place);
    slab_swap(s->from, place);
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
    return s;
}

/* Where the n-th repeat starts, without those of the first dimension. */
static size_t slab_at(const slab *s, const size_t *strides, size_t n)
{
    size_t at = 0;
    for (int i = 1; i < s->repeats; n /= s->count[i], i++)
        at += n % s->count[i] * strides[i];
    return at;
}

static size_t begin(const slab *s, const ct_time_place *place)
{
    return (size_t)place->array->offset * (ct_type_bits(place->array->type) / 8) +
           (size_t)place->sample * s->row;
}

static cl_int copy(cl_command_queue queue, const slab *s, const ct_time_place *to,
                   const ct_time_place *from, int64_t count)
{
    const size_t region[3] = {(size_t)(count - 1) * s->row + s->tail, s->count[0], 1};
    const size_t whole = begin(s, from) + begin(s, to) + region[0]; /* where nothing repeats */
    const size_t source_apart = s->count[0] > 1 ? s->from[0] : whole,
                 target_apart = s->count[0] > 1 ? s->to[0] : whole;
    size_t repeats = 1;
    cl_int code = CL_SUCCESS;
    for (int i = 1; i < s->repeats; i++)
        repeats *= s->count[i];
    for (size_t n = 0; n < repeats && code == CL_SUCCESS; n++) {
        const size_t source[3] = {begin(s, from) + slab_at(s, s->from, n), 0, 0};
        const size_t target[3] = {begin(s, to) + slab_at(s, s->to, n), 0, 0};
        code = clEnqueueCopyBufferRect(queue, from->mem, to->mem, source, target, region,
                                       source_apart, 0, target_apart, 0, 0, NULL, NULL);
    }
    return code;
}

static cl_int move(ct_time_mover **mover, cl_command_queue queue, const ct_time_place *to,
                   const ct_time_place *from, int64_t count)
{
    const ct_array out = ct_array_part(to->array, 'T', to->sample, count);
    const ct_array in = ct_array_part(from->array, 'T', from->sample, count);
    return ct_time_move(mover, queue, to->mem, from->mem, ct_copy_make(&out, &in));
}

/* Within one memory in pieces no longer than the way: a copy may not overlap itself. */
ct_status ct_time_copy(ct_time_mover **mover, void *queue, ct_time_place to, ct_time_place from,
                       int64_t count, const char *doing, ct_error *err)
{
    const slab s = slab_of(to.array, from.array);
    const int64_t most = to.mem == from.mem ? from.sample - to.sample : count;
    cl_int code = CL_SUCCESS;
    for (int64_t left = count; left > 0 && code == CL_SUCCESS; left -= most) {
        const int64_t now = left < most ? left : most;
        code = mover ? move(mover, queue, &to, &from, now) : copy(queue, &s, &to, &from, now);
        to.sample += most;
        from.sample += most;
    }
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "%s", doing);
}
