/* padding_test.c: gaps stand where they should, and nowhere else. Room: layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "padding.h"

static ct_array array_of(ct_type type, const char *dims, const int64_t *extent)
{
    ct_array array = {.type = type};
    for (int i = 0; dims[i]; i++)
        ct_array_add(&array, dims[i], extent[i]);
    ct_array_dense(&array, NULL);
    assert_int_equal(ct_layout_parse(&array.layout, dims, NULL), CT_OK);
    ct_padding_set(&array);
    return array;
}

static void short_and_odd_rows_have_no_gaps(void **state)
{
    (void)state;
    const ct_array array = array_of(CT_CF32, "STP", (const int64_t[]){7, 13, 2});
    assert_int_equal(array.stride[0], 26);
    assert_int_equal(array.stride[1], 2);
    assert_int_equal(array.stride[2], 1);
}

static void long_rows_start_on_lines(void **state)
{
    (void)state;
    const ct_array array = array_of(CT_CF32, "TC", (const int64_t[]){5, 33});
    assert_int_equal(array.stride[0], 40);
}

static void short_rows_start_on_lines_together(void **state)
{
    (void)state;
    const ct_array array = array_of(CT_CF32, "TSP", (const int64_t[]){5, 61, 2});
    assert_int_equal(array.stride[1], 2);
    assert_int_equal(array.stride[0], 128 + 8);
    const ct_array other = array_of(CT_CF32, "TSP", (const int64_t[]){5, 52, 2});
    assert_int_equal(other.stride[0], 104);
    const ct_array third = array_of(CT_CF32, "CTSP", (const int64_t[]){3, 9, 5, 2});
    assert_int_equal(third.stride[1], 10);
    assert_int_equal(third.stride[0], 96);
}

static void powers_of_two_get_a_line(void **state)
{
    (void)state;
    const ct_array array = array_of(CT_CF32, "STC", (const int64_t[]){64, 512, 256});
    assert_int_equal(array.stride[1], 256 + 8);
    assert_int_equal(array.stride[0], 512 * (256 + 8) + 8);
}

/* A dimension of extent 1 adds no gap of its own. */
static void single_indices_add_nothing(void **state)
{
    (void)state;
    const ct_array array = array_of(CT_F32, "SPT", (const int64_t[]){3, 1, 1024});
    assert_int_equal(array.stride[0], 1024 + 16);
    assert_int_equal(array.stride[1], 1024 + 16);
}

static void packed_samples_stay_dense(void **state)
{
    (void)state;
    const ct_array array = array_of(CT_U2, "TC", (const int64_t[]){64, 4096});
    assert_int_equal(array.stride[0], 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_and_odd_rows_have_no_gaps),
        cmocka_unit_test(long_rows_start_on_lines),
        cmocka_unit_test(short_rows_start_on_lines_together),
        cmocka_unit_test(powers_of_two_get_a_line),
        cmocka_unit_test(single_indices_add_nothing),
        cmocka_unit_test(packed_samples_stay_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
