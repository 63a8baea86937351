/* row_stride_test.c: rows dense, padded or a number of elements apart; gaps are behind rows only,
 * and no two elements share a place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "layout.h"
#include "row_stride.h"

static ct_array make(const char *layout)
{
    ct_array array = {.type = CT_CF32};
    ct_array_add(&array, 'S', 3);
    ct_array_add(&array, 'T', 5);
    ct_array_add(&array, 'C', 128);
    assert_int_equal(ct_layout_parse(&array.layout, layout, NULL), CT_OK);
    return array;
}

static void rows_have_gaps(void **state)
{
    ct_array array = make("TSC");
    (void)state;
    ct_rows_set(&array, CT_ROWS_DENSE);
    assert_int_equal(ct_array_stride(&array, 'S'), 128);
    assert_int_equal(ct_array_span(&array), 3 * 5 * 128);
    ct_rows_set(&array, CT_ROWS_PADDED);
    assert_int_equal(ct_array_stride(&array, 'S'), 136); /* 1 KiB and a cache line */
    ct_rows_set(&array, 131);
    assert_int_equal(ct_array_stride(&array, 'C'), 1);
    assert_int_equal(ct_array_stride(&array, 'S'), 131);
    assert_int_equal(ct_array_stride(&array, 'T'), 3 * 131);
    assert_int_equal(ct_array_span(&array), 14 * 131 + 128);
    assert_string_equal(array.layout.dim, "TSC");
}

static void elements_have_places_of_their_own(void **state)
{
    char seen[5 * 128 * 140] = {0};
    ct_array array = make("CST");
    (void)state;
    ct_rows_set(&array, 7);
    assert_true((size_t)ct_array_span(&array) <= sizeof seen);
    for (int64_t s = 0; s < 3; s++)
        for (int64_t t = 0; t < 5; t++)
            for (int64_t c = 0; c < 128; c++) {
                const int64_t at = s * ct_array_stride(&array, 'S') +
                                   t * ct_array_stride(&array, 'T') +
                                   c * ct_array_stride(&array, 'C');
                assert_int_equal(seen[at]++, 0);
            }
}

static void ranges_have_ends(void **state)
{
    int64_t least, most;
    ct_array array = make("STC"), row = {.type = CT_F32};
    (void)state;
    ct_rows_range(&array, &least, &most);
    assert_int_equal(least, 128);
    assert_int_equal(most, 128 + 4096);
    ct_array_add(&row, 'T', 9000);
    ct_array_dense(&row, NULL);
    ct_rows_range(&row, &least, &most);
    assert_true(most < least);
    ct_array_add(&row, 'B', 2);
    assert_int_equal(ct_layout_parse(&row.layout, "BT", NULL), CT_OK);
    ct_rows_range(&row, &least, &most);
    assert_int_equal(most, 18000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_have_gaps),
                                       cmocka_unit_test(elements_have_places_of_their_own),
                                       cmocka_unit_test(ranges_have_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
