/* time_copy_test.c: samples along time are what they were, and nothing else is written, in any
 * order of dimensions, with gaps between rows, in one memory and from another, by rectangles and by
 * kernels. Room: core/regroup. Needs an OpenCL device. */
#include "device_cl.h"
#include "time_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define POISON 0xee

typedef struct time_case {
    const char *dims;
    int64_t extent[5],
        gap; /* the slowest first; elements after each row of the fastest dimension */
    ct_type type;
    int64_t to, from, count;
} time_case;

static const time_case cases[] = {
    {"SPT", {5, 2, 97}, 0, CT_CI8, 0, 61, 36},        /* two dimensions as one, words of one byte */
    {"SPT", {5, 2, 96}, 16, CT_CF32, 0, 64, 32},      /* gaps, words of 16 */
    {"BTC", {3, 41, 7}, 2, CT_F32, 0, 11, 30},        /* overlaps itself */
    {"TBC", {41, 3, 7}, 0, CT_F32, 2, 9, 31},         /* one row */
    {"SBPCT", {3, 2, 2, 3, 29}, 3, CT_F32, 1, 9, 20}, /* gaps between all */
    {"CTSP", {3, 29, 5, 2}, 1, CT_CI16, 3, 8, 21},
    {"BCTQP", {7, 3, 13, 2, 2}, 0, CT_U8, 0, 12, 1}};

/* Strides with a gap after every dimension's rows. */
static ct_array array_of(const time_case *one, int64_t samples)
{
    ct_array array = {.type = one->type};
    int64_t stride = 1;
    for (int i = 0; one->dims[i]; i++)
        ct_array_add(&array, one->dims[i], one->dims[i] == 'T' ? samples : one->extent[i]);
    for (int i = array.rank - 1; i >= 0; i--) {
        array.stride[i] = stride;
        stride = stride * array.extent[i] + one->gap;
    }
    array.offset = 3 * (int64_t)(one->gap > 0);
    return array;
}

static size_t span(const ct_array *array)
{
    return (size_t)(array->offset + array->stride[0] * array->extent[0] + 8) *
           (ct_type_bits(array->type) / 8);
}

/* Visits all elements of `count` samples: where each lies in both. */
static void copy_here(unsigned char *to, const ct_array *out, const unsigned char *from,
                      const ct_array *in, const time_case *one)
{
    const size_t bytes = ct_type_bits(one->type) / 8;
    int64_t all = 1;
    for (int i = 0; i < in->rank; i++)
        all *= in->dim[i] == 'T' ? one->count : in->extent[i];
    for (int64_t n = 0; n < all; n++) {
        int64_t left = n, a = out->offset, b = in->offset;
        for (int i = 0; i < in->rank; i++) {
            const bool time = in->dim[i] == 'T';
            const int64_t extent = time ? one->count : in->extent[i], k = left % extent;
            left /= extent;
            a += (k + (time ? one->to : 0)) * out->stride[i];
            b += (k + (time ? one->from : 0)) * in->stride[i];
        }
        memcpy(to + (size_t)a * bytes, from + (size_t)b * bytes, bytes);
    }
}

/* Gaps inside of what is one row of T may be copied or not. */
static bool is_gap(const ct_array *array, size_t element)
{
    int64_t left = (int64_t)element - array->offset;
    if (left < 0) return true;
    for (int i = 0; i < array->rank; i++) {
        if (left / array->stride[i] >= array->extent[i]) return true;
        left %= array->stride[i];
    }
    return false;
}

static void fill(unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 2654435761u >> 13);
}

static void check(ct_device *device, const time_case *one, bool same, ct_time_mover **mover)
{
    ct_error err = {0};
    const int64_t samples = one->extent[strchr(one->dims, 'T') - one->dims];
    const ct_array in = array_of(one, samples),
                   out = array_of(one, same ? samples : one->to + one->count + 5);
    const size_t of_in = span(&in), of_out = span(&out), bytes = ct_type_bits(one->type) / 8;
    unsigned char *from = malloc(of_in), *to = malloc(of_out), *got = malloc(of_out);
    ct_buffer source = {0}, target = {0};
    fill(from, of_in);
    memset(to, POISON, of_out);
    if (same) memcpy(to, from, of_in);
    assert_int_equal(ct_buffer_new(&source, device, of_in, &err), CT_OK);
    assert_int_equal(ct_buffer_new(&target, device, of_out, &err), CT_OK);
    assert_int_equal(ct_buffer_write(&source, device, 0, from, of_in, &err), CT_OK);
    assert_int_equal(ct_buffer_write(&target, device, 0, to, of_out, &err), CT_OK);
    const ct_time_place there = {target.mem, &out, one->to};
    const ct_time_place here = {same ? target.mem : source.mem, same ? &out : &in, one->from};
    assert_int_equal(ct_time_copy(mover, device->queue, there, here, one->count, "moving", &err),
                     CT_OK);
    assert_int_equal(ct_buffer_read(&target, device, 0, got, of_out, &err), CT_OK);
    copy_here(to, &out, from, &in, one);
    for (size_t i = 0; i < of_out; i++)
        if (got[i] != to[i] && !is_gap(&out, i / bytes))
            fail_msg("%s, %s: byte %zu is %d, expected %d", one->dims,
                     same ? "in one memory" : "to another", i, got[i], to[i]);
    ct_buffer_free(&source);
    ct_buffer_free(&target);
    free(from);
    free(to);
    free(got);
}

static void samples_come_to_their_place(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "as:examples/devices/h200.json"};
    for (size_t d = 0; d < sizeof names / sizeof *names; d++) {
        ct_device *device = NULL;
        ct_error err = {0};
        ct_time_mover *mover = NULL;
        if (ct_device_open(&device, names[d], &err)) fail_msg("%s", err.text);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int same = 0; same < 2; same++)
                check(device, &cases[i], same == 1, device->gpu ? &mover : NULL);
        assert_true(device->gpu == (mover != NULL));
        ct_time_mover_free(mover);
        ct_device_free(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_come_to_their_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
