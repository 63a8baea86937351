/* transpose_test.c: every bit arrives, in every order, with offsets and padded rows.
 *
 * Room: stages/transpose (test). Oracle: ct_copy_array on the host, over random bytes (among
 * them signalling NaNs); the output's padding and its surroundings must stay as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "exhaustive.h"
#include "layout.h"
#include "program.h"
#include "step.h"
#include "text.h"

enum { GUARD = 4096 };

typedef struct transpose_test {
    ct_context *context;
    ct_device *device;
    const char *const *settings; /* names and values of tunables, NULL at the end; NULL: defaults */
} transpose_test;

/* What one copy is made on. */
typedef struct test_shape {
    ct_type type;
    const char *dims;
    int64_t extent[CT_DIMS];
    int64_t padding, offset;
    int64_t whole; /* rows begin at multiples of so many elements; 0: anywhere */
} test_shape;

static void shape_array(ct_array *array, const test_shape *shape, const ct_layout *layout)
{
    *array = (ct_array){.type = shape->type, .layout = *layout, .offset = shape->offset};
    for (int k = 0; shape->dims[k]; k++)
        ct_array_add(array, shape->dims[k], shape->extent[k]);
    int64_t stride = 1;
    for (int k = layout->rank - 1; k >= 0; k--) {
        const int place = ct_array_find(array, layout->dim[k]);
        array->stride[place] = stride;
        stride = stride * array->extent[place] + (k == layout->rank - 1 ? shape->padding : 0);
        if (shape->whole) stride = ct_divide_up(stride, shape->whole) * shape->whole;
    }
}

static unsigned char *random_bytes(size_t bytes, unsigned seed)
{
    unsigned char *data = malloc(bytes);
    for (size_t k = 0; k < bytes; k++)
        data[k] = (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24);
    return data;
}

static ct_step *make_step(transpose_test *test, const ct_array *x, const ct_array *y)
{
    static const char *const known[] = {NULL};
    static const ct_source_location location = {0};
    ct_error err = {0};
    ct_step *step = NULL;
    const ct_stage *stage = ct_context_stage(test->context, "transpose");
    if (ct_step_new(&step, stage, "transpose", NULL, known, &location, &err) != CT_OK)
        fail_msg("%s", err.text);
    step->port[0] = *x;
    if (ct_step_infer(step, &err) != CT_OK) fail_msg("%s", err.text);
    step->port[0] = *x;
    step->port[1] = *y;
    ct_step_set_device(step, test->device);
    ct_step_default_tunables(step);
    for (const char *const *at = test->settings; at && *at; at += 2)
        if (ct_step_set_tunable(step, at[0], at[1], &err) != CT_OK) fail_msg("%s", err.text);
    assert_true(ct_step_is_legal(step));
    return step;
}

static void run_step(transpose_test *test, const ct_step *step, const ct_array *x, ct_array *y)
{
    ct_error err = {0};
    ct_buffer mem[CT_PORTS] = {0};
    ct_program *program = NULL;
    const size_t from = ct_array_bytes(x), to = ct_array_bytes(y) + GUARD;
    assert_int_equal(ct_buffer_new(&mem[0], test->device, from, &err), CT_OK);
    assert_int_equal(ct_buffer_new(&mem[1], test->device, to, &err), CT_OK);
    assert_int_equal(ct_buffer_write(&mem[0], test->device, 0, x->data, from, &err), CT_OK);
    assert_int_equal(ct_buffer_write(&mem[1], test->device, 0, y->data, to, &err), CT_OK);
    if (ct_program_new(&program, test->device, step, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(ct_program_enqueue(program, mem, NULL, &err), CT_OK);
    assert_int_equal(ct_program_wait(program, NULL, &err), CT_OK);
    assert_int_equal(ct_buffer_read(&mem[1], test->device, 0, y->data, to, &err), CT_OK);
    ct_program_free(program);
    ct_buffer_free(&mem[0]);
    ct_buffer_free(&mem[1]);
}

static void check(transpose_test *test, const test_shape *shape, const ct_layout *read,
                  const ct_layout *write)
{
    ct_array x, y;
    shape_array(&x, shape, read);
    shape_array(&y, shape, write);
    const size_t bytes = ct_array_bytes(&y) + GUARD;
    x.data = random_bytes(ct_array_bytes(&x), 1);
    y.data = random_bytes(bytes, 2);
    ct_array expected = y;
    expected.data = random_bytes(bytes, 2);
    ct_copy_array(&expected, &x);
    ct_step *step = make_step(test, &x, &y);
    run_step(test, step, &x, &y);
    if (memcmp(y.data, expected.data, bytes) != 0)
        fail_msg("%s %s to %s: wrong", ct_type_name(shape->type), read->dim, write->dim);
    ct_step_free(step);
    free(x.data);
    free(y.data);
    free(expected.data);
}

/* Every `stride`-th pair of orders, or a third of these. */
static void check_pairs(transpose_test *test, const test_shape *shape, int64_t stride)
{
    const int64_t all = ct_layout_permutations((int)strlen(shape->dims));
    for (int64_t n = 0; n < all * all; n += stride * few_or_all(3, 1)) {
        const ct_layout read = ct_layout_permutation(shape->dims, n % all);
        const ct_layout write = ct_layout_permutation(shape->dims, n / all);
        check(test, shape, &read, &write);
    }
}

static void every_rank(void **state)
{
    static const test_shape one = {CT_U8, "T", {37}, 0, 3, 0};
    static const test_shape two = {CT_CF32, "ST", {19, 37}, 3, 5, 0};
    static const test_shape three = {CT_CI8, "STC", {5, 17, 23}, 2, 1, 0};
    static const test_shape six = {CT_F32, "SPTCBD", {3, 2, 17, 5, 1, 7}, 0, 0, 0};
    check_pairs(*state, &one, 1);
    check_pairs(*state, &two, 1);
    check_pairs(*state, &three, 5);
    check_pairs(*state, &six, 50021);
}

static void every_element_size(void **state)
{
    static const ct_type types[] = {CT_CI4, CT_CI8, CT_CI16, CT_CF32, CT_U8, CT_F16, CT_CF16};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const test_shape shape = {types[k], "SPTC", {11, 2, 33, 19}, (int64_t)k % 3, (int64_t)k, 0};
        check_pairs(*state, &shape, 83 + (int64_t)k);
    }
}

/* Through registers with and without non-temporal stores, by a buffer, through local memory. */
static void every_way(void **state)
{
    static const char *const ways[][11] = {
        {"LINES_Y", "1", "NONTEMPORAL", "0"},
        {"LINES_Y", "1", "BOXES_X", "4", "BOXES_Y", "8", "STAGED", "1"},
        {"WG", "64", "BOXES_X", "1", "BOXES_Y", "1", "LINES_Y", "1", "NONTEMPORAL", "0"},
        {"BOXES_X", "1", "BOXES_Y", "1"},
    };
    static const test_shape shapes[] = {{CT_CF32, "SPTC", {24, 2, 40, 32}, 0, 0, 0},
                                        {CT_CI8, "STC", {37, 67, 129}, 3, 2, 0},
                                        {CT_U8, "STC", {64, 128, 192}, 0, 64, 0}};
    transpose_test test = *(transpose_test *)*state;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        test.settings = ways[way];
        check_pairs(&test, &shapes[0], 101 + (int64_t)way);
        check_pairs(&test, &shapes[1], 7);
        check_pairs(&test, &shapes[2], 7);
    }
}

/* Rows that begin at lines and end inside one, by defaults and in boxes of one line. */
static void rows_end_inside_lines(void **state)
{
    static const test_shape shapes[] = {{CT_CF32, "STC", {5, 41, 100}, 0, 0, 8},
                                        {CT_CF32, "STC", {21, 11, 39}, 0, 8, 8},
                                        {CT_CI8, "STC", {5, 47, 100}, 0, 0, 32},
                                        {CT_U8, "STC", {5, 67, 130}, 0, 64, 64},
                                        {CT_F32, "STPC", {5, 33, 2, 47}, 0, 0, 16}};
    static const char *const one_line[] = {"LINES_Y", "1", "BOXES_X", "3", NULL};
    transpose_test test = *(transpose_test *)*state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        check_pairs(&test, &shapes[k], k < 4 ? 2 : 31);
        test.settings = one_line;
        check_pairs(&test, &shapes[k], k < 4 ? 5 : 47);
        test.settings = NULL;
    }
}

/* The text of a transpose between two layouts; what `how` lacks is filled in. */
static ct_text emitted(const test_shape *shape, const char *read, const char *write,
                       ct_transpose how)
{
    ct_layout layout;
    ct_array from, to;
    ct_text text = {0};
    assert_int_equal(ct_layout_parse(&layout, read, NULL), CT_OK);
    shape_array(&from, shape, &layout);
    assert_int_equal(ct_layout_parse(&layout, write, NULL), CT_OK);
    shape_array(&to, shape, &layout);
    how.from = &from;
    how.to = &to;
    how.along_from = how.along_to = 1;
    ct_transpose_emit(&text, &how);
    return text;
}

static void expect_in(const ct_text *text, const char *wanted)
{
    if (!strstr(text->data, wanted)) fail_msg("no %s in\n%s", wanted, text->data);
}

/* Of 41 samples in boxes of 16, 40 are whole lines of 8: the last one is the only rest. */
static void whole_lines_are_no_rest(void **state)
{
    (void)state;
    const test_shape shape = {CT_CF32, "STC", {5, 41, 100}, 0, 0, 8};
    const ct_transpose how = {.lines = 2, .group = 1, .nontemporal = 1};
    ct_text text = emitted(&shape, "TSC", "SCT", how);
    expect_in(&text, "for (int x_0 = 16; x_0 < 17; x_0++)");
    expect_in(&text, "const int x_0 = min(m_0 * 16, 24);");
    ct_text_free(&text);
}

/* Offsets inside a box are 64-bit where they reach beyond 2^31 words, and only there. */
static void far_boxes_count_in_64_bits(void **state)
{
    (void)state;
    for (int64_t times = 64; times <= 1 << 20; times <<= 14) {
        const test_shape shape = {CT_CI8, "STC", {64, times, 64}, 0, 0, 0};
        const ct_transpose how = {.lines = 1, .group = 64};
        ct_text text = emitted(&shape, "STC", "TCS", how);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "& 63) * %lld%s", (long long)times * 64,
                 times > 64 ? "L" : "]");
        expect_in(&text, wanted);
        ct_text_free(&text);
    }
}

int main(void)
{
    transpose_test test = {0};
    ct_error err = {0};
    if (ct_device_open(&test.device, NULL, &err) != CT_OK) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    if (ct_context_open(&test.context, &err) != CT_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_rank, &test),
        cmocka_unit_test_prestate(every_element_size, &test),
        cmocka_unit_test_prestate(every_way, &test),
        cmocka_unit_test_prestate(rows_end_inside_lines, &test),
        cmocka_unit_test(whole_lines_are_no_rest),
        cmocka_unit_test(far_boxes_count_in_64_bits),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ct_context_free(test.context);
    ct_device_free(test.device);
    return failed;
}
