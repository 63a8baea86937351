/* product_test.c: names of what is along Q: their numbers elsewhere, reading and printing lists of
 * them. Room: tests of layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "layout.h"

static const char *read_back(const char *text, ct_feed feed)
{
    static char printed[CT_PRODUCTS_TEXT];
    ct_products products = {.feed = feed};
    ct_error err = {0};
    if (ct_products_parse(&products, text, &err) != CT_OK) return strcpy(printed, "none");
    return ct_products_print(printed, &products);
}

static void lists_are_read(void **state)
{
    (void)state;
    assert_string_equal(read_back("IQUV", 0), "I Q U V");
    assert_string_equal(read_back(" XX, XY,YX YY ", CT_FEED_LINEAR), "XX XY YX YY");
    assert_string_equal(read_back("rrrllrll", 0), "RR RL LR LL");
    assert_string_equal(read_back("AABBCRCI", CT_FEED_CIRCULAR),
                        "AA BB CR CI of circular receptors");
    assert_string_equal(read_back("AABB", 0), "AA BB");
    assert_string_equal(read_back("V", 0), "V");
    assert_string_equal(read_back("IIIIQQQQUUUUVVVV", 0), "I I I I Q Q Q Q U U U U V V V V");
}

static void what_is_no_name_is_shown(void **state)
{
    static const char *const wrong[] = {"", " , ", "XZ", "IQUW", "A A", "IIIIQQQQUUUUVVVVI"};
    ct_products products;
    ct_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(ct_products_parse(&products, wrong[i], NULL), CT_INVALID);
    assert_int_equal(ct_products_parse(&products, "XX, XW YY", &err), CT_INVALID);
    assert_non_null(strstr(err.text, "found \"XW\""));
}

/* AIPS memo 117 (UVFITS, UVH5), and casacore's Stokes::StokesTypes. */
static void numbers_are_those_of_others(void **state)
{
    static const struct {
        const char *name;
        int aips, casacore;
    } rows[] = {{"I", 1, 1},   {"Q", 2, 2},    {"U", 3, 3},    {"V", 4, 4},
                {"RR", -1, 5}, {"LL", -2, 8},  {"RL", -3, 6},  {"LR", -4, 7},
                {"XX", -5, 9}, {"YY", -6, 12}, {"XY", -7, 10}, {"YX", -8, 11}};
    size_t named = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ct_product_find(rows[i].name)->aips, rows[i].aips);
        assert_int_equal(ct_product_find(rows[i].name)->casacore, rows[i].casacore);
    }
    for (size_t k = 0; ct_product_at(k); k++)
        named += ct_product_at(k)->aips != 0;
    assert_int_equal(named, sizeof rows / sizeof rows[0]);
    assert_int_equal(ct_product_find("AA")->casacore, 0);
    assert_null(ct_product_find("XYZ"));
}

static void an_array_has_as_many_as_q(void **state)
{
    ct_products products = {0};
    ct_array array = {.type = CT_F32, .meta = {.products = &products}};
    (void)state;
    assert_int_equal(ct_products_parse(&products, "IQUV", NULL), CT_OK);
    assert_null(ct_array_product(&array, 0));
    ct_array_add(&array, 'T', 7);
    ct_array_add(&array, 'Q', 4);
    assert_string_equal(ct_array_product(&array, 3)->name, "V");
    assert_null(ct_array_product(&array, 4));
    assert_null(ct_array_product(&array, -1));
    products.count = 1;
    array.rank = 1;
    assert_string_equal(ct_array_product(&array, 0)->name, "I");
    assert_int_equal(ct_array_feed(&array), CT_FEED_UNKNOWN);
    assert_string_equal(ct_product_feed(CT_FEED_CIRCULAR), "circular");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read), cmocka_unit_test(what_is_no_name_is_shown),
        cmocka_unit_test(numbers_are_those_of_others), cmocka_unit_test(an_array_has_as_many_as_q)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
