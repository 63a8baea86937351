/* expr_test.c: the value of C's own operators as the oracle, and the sentence for each mistake. */
#include "expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool find(const void *of, const char *name, int64_t *value)
{
    const int64_t *numbers = of;
    if (strcmp(name, "N_C") == 0) *value = numbers[0];
    if (strcmp(name, "TB") == 0) *value = numbers[1];
    return strcmp(name, "N_C") == 0 || strcmp(name, "TB") == 0;
}

static int64_t value_of(const char *text, int64_t c, int64_t tb)
{
    const int64_t numbers[] = {c, tb};
    ct_error err = {0};
    int64_t value = 0;
    assert_int_equal(ct_expr_evaluate(&value, text, (ct_names){find, numbers}, &err), CT_OK);
    return value;
}

/* C's own precedence without parentheses is what is tested. */
#pragma GCC diagnostic ignored "-Wparentheses"
#define SAME(expression) assert_true(value_of(#expression, N_C, TB) == (int64_t)(expression))

static void agrees_with_c(void **state)
{
    (void)state;
    for (int64_t N_C = -7; N_C <= 7; N_C++) {
        for (int64_t TB = 1; TB <= 5; TB++) {
            SAME(N_C + TB * 3 - 2);
            SAME(N_C - TB - 1);
            SAME(N_C / TB * TB + N_C % TB);
            SAME((N_C + TB) * (N_C - TB));
            SAME(-N_C + - -TB);
            SAME(!N_C + !!TB);
            SAME((N_C < TB) == !(N_C >= TB));
            SAME(N_C <= 3 && TB > 2 || N_C == -TB);
            SAME(N_C % 2 != 0 && (TB == 1 || TB == 4));
            SAME(1 + 2 < 4 == 1);
            SAME(100 - 10 / 3 % 2 * 7);
        }
    }
}

static void the_side_that_does_not_count_may_divide_by_zero(void **state)
{
    (void)state;
    assert_int_equal(value_of("TB != 0 && N_C % TB == 0", 5, 0), 0);
    assert_int_equal(value_of("TB == 0 || N_C / TB > 2", 5, 0), 1);
    assert_int_equal(value_of("0 && (1 || 1 / 0) && 1 / 0", 0, 0), 0);
}

static void refuses_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "column 1: expected a number, a name or \"(\", found its end"},
        {"N_C +", "column 6: expected a number, a name or \"(\", found its end"},
        {"N_C * WG", "column 7: expected the name of a number, found \"WG\""},
        {"0 && WG", "column 6: expected the name of a number, found \"WG\""},
        {"(N_C", "column 5: expected an operator or \")\", found its end"},
        {"N_C TB", "column 5: expected an operator or the end, found \"TB\""},
        {"N_C = 3", "column 5: expected an operator or the end, found \"=\""},
        {"N_C / 0", "column 5: expected a result that exists and fits 64 bits, found \"/\""},
        {"N_C % 0", "column 5: expected a result that exists and fits 64 bits, found \"%\""},
        {"9223372036854775807 + N_C",
         "column 21: expected a result that exists and fits 64 bits, found \"+\""},
        {"9223372036854775808",
         "column 1: expected a number below 9223372036854775808, found \"9223372036854775808\""},
        {"(0-9223372036854775807-1)/-1",
         "column 26: expected a result that exists and fits 64 bits, found \"/\""},
        {"4294967296*2147483648",
         "column 11: expected a result that exists and fits 64 bits, found \"*\""}};
    const int64_t numbers[] = {5, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ct_error err = {0};
        int64_t value = 0;
        char expected[300];
        snprintf(expected, sizeof expected, "expression \"%s\", %s", cases[i].text,
                 cases[i].sentence);
        assert_int_equal(ct_expr_evaluate(&value, cases[i].text, (ct_names){find, numbers}, &err),
                         CT_INVALID);
        assert_string_equal(err.text, expected);
    }
}

static void the_limits_of_64_bits(void **state)
{
    (void)state;
    assert_true(value_of("0-4294967296*2147483647-4294967296", 0, 0) == INT64_MIN);
    assert_true(value_of("-4294967296*2147483648", 0, 0) == INT64_MIN);
    assert_true(value_of("-3*-5", 0, 0) == 15);
    assert_true(value_of("9223372036854775807", 0, 0) == INT64_MAX);
    assert_true(value_of("(-9223372036854775807-1) % -1", 0, 0) == 0);
}

static void endless_parentheses(void **state)
{
    (void)state;
    static char text[100001];
    memset(text, '(', sizeof text - 1);
    ct_error err = {0};
    int64_t value;
    assert_int_equal(ct_expr_evaluate(&value, text, (ct_names){0}, &err), CT_INVALID);
    memset(text, '-', sizeof text - 1);
    assert_int_equal(ct_expr_evaluate(&value, text, (ct_names){0}, &err), CT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_c),
        cmocka_unit_test(the_side_that_does_not_count_may_divide_by_zero),
        cmocka_unit_test(refuses_with_a_sentence), cmocka_unit_test(the_limits_of_64_bits),
        cmocka_unit_test(endless_parentheses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
