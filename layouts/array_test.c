/* array_test.c: types, strides, elements of every type.
 *
 * Room: layouts (test). Oracles: bits written out by hand, index arithmetic by division. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout.h"

static void types_have_names_and_widths(void **state)
{
    (void)state;
    for (int type = CT_NONE + 1; type < CT_TYPES; type++)
        assert_int_equal(ct_type_parse(ct_type_name((ct_type)type)), type);
    assert_int_equal(ct_type_parse("ci12"), CT_NONE);
    assert_int_equal(ct_type_parse("none"), CT_NONE);
    assert_int_equal(ct_type_bits(CT_CI4), 8);
    assert_int_equal(ct_type_bits(CT_CI8), 16);
    assert_int_equal(ct_type_bits(CT_CF64), 128);
    assert_int_equal(ct_type_bits(CT_U2), 2);
    assert_true(ct_type_complex(CT_CF16) && !ct_type_complex(CT_F16));
    assert_true(ct_type_integer(CT_CI4) && !ct_type_integer(CT_CF32));
}

static ct_array box(ct_type type)
{
    ct_array array = {.type = type};
    ct_array_add(&array, 'S', 3);
    ct_array_add(&array, 'T', 5);
    ct_array_add(&array, 'C', 7);
    return array;
}

static void strides_follow_the_layout(void **state)
{
    (void)state;
    ct_array array = box(CT_CI8);
    ct_array_dense(&array, NULL);
    assert_int_equal(ct_array_stride(&array, 'S'), 35);
    assert_int_equal(ct_array_stride(&array, 'C'), 1);
    assert_int_equal(ct_array_stride(&array, 'P'), 0);
    assert_int_equal(ct_array_extent(&array, 'P'), 1);
    assert_int_equal(ct_array_count(&array), 105);
    assert_int_equal(ct_array_bytes(&array), 210);

    const ct_layout layout = ct_layout_permutation("CTS", 1); /* CST */
    ct_array_dense(&array, &layout);
    assert_int_equal(ct_array_stride(&array, 'T'), 1);
    assert_int_equal(ct_array_stride(&array, 'S'), 5);
    assert_int_equal(ct_array_stride(&array, 'C'), 15);
    array.offset = 11;
    array.stride[0] = 8;
    array.stride[2] = 24;
    assert_int_equal(ct_array_span(&array), 11 + 2 * 8 + 4 * 1 + 6 * 24 + 1);
    array.type = CT_U1;
    assert_int_equal(ct_array_bytes(&array), 22);
}

/* Saves a value as `type` and says what comes back. */
static double kept(ct_type type, double value)
{
    uint64_t memory[4] = {0};
    ct_array array = {.type = type, .data = memory};
    ct_array_save(&array, 1, value, -value);
    const ct_complex back = ct_array_load(&array, 1);
    const ct_complex before = ct_array_load(&array, 0);
    assert_true(before.re == 0 && before.im == 0);
    if (!ct_type_complex(type)) assert_true(back.im == 0);
    return back.re;
}

static void elements_round_and_saturate(void **state)
{
    (void)state;
    assert_true(kept(CT_U8, 2.5) == 2 && kept(CT_U8, 3.5) == 4);
    assert_true(kept(CT_U8, -3) == 0 && kept(CT_U8, 300) == 255);
    assert_true(kept(CT_CI8, -1000) == -128 && kept(CT_CI8, 127.4) == 127);
    assert_true(kept(CT_CI4, 100) == 7 && kept(CT_CI4, -100) == -8 && kept(CT_CI4, -3) == -3);
    assert_true(kept(CT_I16, 40000) == 32767 && kept(CT_U32, 1e12) == 4294967295.0);
    assert_true(kept(CT_I32, -1e12) == -2147483648.0 && kept(CT_CI16, 0.5) == 0);
    assert_true(kept(CT_U1, 9) == 1 && kept(CT_U2, 9) == 3 && kept(CT_U4, 9) == 9);
    assert_true(kept(CT_CF64, 0.1) == 0.1 && kept(CT_F32, 0.1) == (double)0.1f);
    assert_true(kept(CT_I8, NAN) == 0 && isnan(kept(CT_F16, NAN)));
}

static void halves_are_ieee(void **state)
{
    (void)state;
    assert_true(kept(CT_F16, 1.0 + 0x1p-11) == 1.0);          /* tie to even */
    assert_true(kept(CT_F16, 1.0 + 0x3p-11) == 1.0 + 0x1p-9); /* tie to even, up */
    assert_true(kept(CT_F16, 65519.0) == 65504 && isinf(kept(CT_F16, 65520.0)));
    assert_true(kept(CT_CF16, -0x1p-24) == -0x1p-24 && kept(CT_F16, 0x1p-26) == 0);
    assert_true(kept(CT_F16, 0x1.ffcp-15) == 0x1p-14);
    assert_true(kept(CT_F16, 2047.9) == 2048);
    uint16_t bits = 0;
    for (unsigned n = 0; n < 0x10000; n++) { /* every half survives a round trip */
        bits = (uint16_t)n;
        ct_array array = {.type = CT_F16, .data = &bits};
        const double value = ct_array_load(&array, 0).re;
        if (isnan(value)) continue;
        ct_array_save(&array, 0, value, 0);
        assert_int_equal(bits, n);
    }
}

static void packed_elements_lie_least_significant_first(void **state)
{
    (void)state;
    uint8_t bytes[2] = {0xB4, 0x21}; /* 10110100 */
    ct_array array = {.type = CT_U2, .data = bytes};
    static const int pairs[] = {0, 1, 3, 2, 1, 0, 2, 0};
    for (int k = 0; k < 8; k++)
        assert_int_equal((int)ct_array_load(&array, k).re, pairs[k]);
    ct_array_save(&array, 2, 1, 0);
    assert_int_equal(bytes[0], 0x94);
    array.type = CT_CI4; /* low nibble real */
    assert_true(ct_array_load(&array, 1).re == 1 && ct_array_load(&array, 1).im == 2);
    assert_true(ct_array_load(&array, 0).re == 4 && ct_array_load(&array, 0).im == -7);
}

/* Some times of an array, and of one that has none. */
static void a_part_is_a_view(void **state)
{
    (void)state;
    int16_t data[2 * 7 * 3];
    ct_array all = {.type = CT_I16, .data = data};
    ct_array_add(&all, 'S', 2);
    ct_array_add(&all, 'T', 7);
    ct_array_add(&all, 'C', 3);
    ct_array_dense(&all, NULL);
    for (int i = 0; i < 2 * 7 * 3; i++)
        data[i] = (int16_t)i;
    const ct_array part = ct_array_part(&all, 'T', 4, 2), same = ct_array_part(&all, 'B', 1, 1);
    assert_int_equal(ct_array_extent(&part, 'T'), 2);
    assert_int_equal(ct_array_count(&part), 12);
    assert_true(ct_array_load(&part, part.offset + ct_array_stride(&part, 'S') + 2).re == 21 + 14);
    assert_memory_equal(&same, &all, sizeof all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_names_and_widths),
        cmocka_unit_test(strides_follow_the_layout),
        cmocka_unit_test(elements_round_and_saturate),
        cmocka_unit_test(halves_are_ieee),
        cmocka_unit_test(packed_elements_lie_least_significant_first),
        cmocka_unit_test(a_part_is_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
