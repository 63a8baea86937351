/* expr_test.c: the value of C's own operators as the oracle, and the sentence for each mistake. */
#include "expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool load(const void *of, const ct_slot *slot, int64_t *value)
{
    const int64_t *numbers = of;
    *value = numbers[slot->number];
    return true;
}

static bool fails(const void *of, const ct_slot *slot, int64_t *value)
{
    (void)of, (void)slot, (void)value;
    return false;
}

static bool bind(const void *of, const char *name, ct_slot *slot, const char **text)
{
    static const char *const names[] = {"N_C", "TB"};
    static const struct {
        const char *name, *text;
    } terms[] = {{"SUM", "N_C + TB"}, {"ALL", "SUM * TB"}, {"OWN", "OWN + 1"}, {"BAD", "TB +"}};
    (void)of;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        if (strcmp(terms[i].name, name) == 0) *text = terms[i].text;
    for (int i = 0; i < 2; i++)
        if (strcmp(names[i], name) == 0)
            *slot = (ct_slot){.load = load, .number = i, .uses = UINT64_C(1) << i};
    if (strcmp(name, "ABSENT") == 0) slot->load = fails;
    return *text || slot->load;
}

static int64_t value_of(const char *text, int64_t c, int64_t tb)
{
    const int64_t numbers[] = {c, tb};
    ct_error err = {0};
    int64_t value = 0;
    assert_int_equal(ct_expr_evaluate(&value, text, (ct_names){bind, numbers}, &err), CT_OK);
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
            SAME(N_C > TB ? N_C - TB : TB - N_C);
            SAME(N_C < 0 ? N_C < -3 ? 1 : 2 : TB > 2 ? 3 : 4);
            SAME(1 + (N_C == TB || N_C == 0 ? 10 : 20) * 2);
        }
    }
}

static void the_side_that_does_not_count_may_divide_by_zero(void **state)
{
    (void)state;
    assert_int_equal(value_of("TB != 0 && N_C % TB == 0", 5, 0), 0);
    assert_int_equal(value_of("TB == 0 || N_C / TB > 2", 5, 0), 1);
    assert_int_equal(value_of("0 && (1 || 1 / 0) && 1 / 0", 0, 0), 0);
    assert_int_equal(value_of("TB == 0 ? -1 : N_C / TB", 5, 0), -1);
    assert_int_equal(value_of("TB != 0 ? N_C / TB : 7", 5, 0), 7);
    assert_int_equal(value_of("TB > 0 && ABSENT || N_C == 5", 5, 0), 1);
    assert_int_equal(value_of("5 && N_C", 2, 0), 1); /* a truth, whatever made it */
    assert_int_equal(value_of("5 || N_C", 2, 0), 1);
}

static void functions_of_two_numbers(void **state)
{
    (void)state;
    for (int64_t c = -9; c <= 9; c++)
        for (int64_t tb = -4; tb <= 4; tb++) {
            int64_t up = 0; /* the smallest that reaches */
            assert_true(value_of("min(N_C, TB)", c, tb) == (c < tb ? c : tb));
            assert_true(value_of("max( N_C,TB ) + min(1, (2 + 3))", c, tb) ==
                        (c > tb ? c : tb) + 1);
            if (tb <= 0) continue;
            for (up = -20; up * tb < c; up++) {
            }
            assert_true(value_of("divide_up(N_C, TB)", c, tb) == up);
            assert_true(value_of("divide_up(-N_C, -TB)", c, tb) == up);
        }
    assert_true(value_of("divide_up(-9223372036854775807 - 1, 1)", 0, 0) == INT64_MIN);
}

static void names_stand_for_texts_too(void **state)
{
    (void)state;
    assert_int_equal(value_of("2 * SUM", 3, 4), 14);
    assert_int_equal(value_of("ALL - SUM", 3, 4), 21);
}

static void an_expression_is_parsed_once(void **state)
{
    (void)state;
    ct_expr *expr = NULL;
    int64_t value = 0;
    char text[] = "N_C > 0 ? ALL : N_C";
    assert_int_equal(ct_expr_new(&expr, text, (ct_names){bind, NULL}, NULL), CT_OK);
    assert_int_equal(ct_expr_uses(expr), 3);
    for (int64_t c = -3; c < 4; c++) {
        const int64_t numbers[] = {c, 5};
        assert_int_equal(ct_expr_run(expr, numbers, &value, NULL), CT_OK);
        assert_int_equal(value, c > 0 ? (c + 5) * 5 : c);
    }
    ct_expr_free(expr);
    assert_int_equal(ct_expr_new(&expr, "N_C +", (ct_names){bind, NULL}, NULL), CT_INVALID);
    assert_null(expr);
    ct_expr_free(NULL);
}

static void a_text_ends_at_a_sign_outside_parentheses(void **state)
{
    (void)state;
    assert_int_equal(ct_expr_until("min(1, 2), 3", ","), 9);
    assert_int_equal(ct_expr_until("(a && b) && c", "&&"), 9);
    assert_int_equal(ct_expr_until("a & b", "&&"), 5);
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
        {"N_C / 0", "column 5: division by 0"},
        {"N_C % 0", "column 5: division by 0"},
        {"9223372036854775807 + N_C",
         "column 21: expected a result that fits 64 bits, found \"+\""},
        {"min(1)", "column 6: expected an operator or \",\", found \")\""},
        {"min(1, 2, 3)", "column 9: expected an operator or \")\", found \",\""},
        {"max + 1", "column 4: expected \"(\", found \" \""},
        {"divide_up(TB, 0)", "column 1: division by 0"},
        {"N_C / (TB - 3)", "column 5: division by 0"},
        {"TB ? 1", "column 7: expected an operator or \":\", found its end"},
        {"TB + ABSENT", "column 6: ABSENT has no value here"},
        {"9223372036854775808",
         "column 1: expected a number below 9223372036854775808, found \"9223372036854775808\""},
        {"(0-9223372036854775807-1)/-1",
         "column 26: expected a result that fits 64 bits, found \"/\""},
        {"4294967296*2147483648", "column 11: expected a result that fits 64 bits, found \"*\""}};
    const int64_t numbers[] = {5, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ct_error err = {0};
        int64_t value = 0;
        char expected[300];
        snprintf(expected, sizeof expected, "expression \"%s\", %s", cases[i].text,
                 cases[i].sentence);
        assert_int_equal(ct_expr_evaluate(&value, cases[i].text, (ct_names){bind, numbers}, &err),
                         CT_INVALID);
        assert_string_equal(err.text, expected);
    }
}

static void divisions_by_the_number_0(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ct_status status;
    } cases[] = {{"N_C / 0", CT_INVALID},
                 {"TB + N_C % 0", CT_INVALID},
                 {"divide_up(N_C, 0)", CT_INVALID},
                 {"TB && N_C / 0", CT_INVALID},
                 {"N_C / (TB ? 3 : 0)", CT_OK},
                 {"N_C / (TB && 0)", CT_OK},
                 {"N_C - 0", CT_OK},
                 {"min(N_C, 0)", CT_OK},
                 {"N_C / 10", CT_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ct_expr *expr = NULL;
        ct_error err = {0};
        assert_int_equal(ct_expr_new(&expr, cases[i].text, (ct_names){bind, NULL}, &err), CT_OK);
        if (ct_expr_check(expr, &err) != cases[i].status) fail_msg("%s", cases[i].text);
        assert_int_equal(strstr(err.text, "division by 0") != NULL, cases[i].status != CT_OK);
        ct_expr_free(expr);
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
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = "1?1:"[i % 4];
    assert_int_equal(ct_expr_evaluate(&value, text, (ct_names){0}, &err), CT_INVALID);
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = "1?"[i % 2];
    assert_int_equal(ct_expr_evaluate(&value, text, (ct_names){0}, &err), CT_INVALID);
}

static void a_text_that_is_wrong_or_names_itself(void **state)
{
    (void)state;
    ct_error err = {0};
    int64_t value;
    assert_int_equal(ct_expr_evaluate(&value, "1 + BAD", (ct_names){bind, NULL}, &err), CT_INVALID);
    assert_string_equal(err.text, "expression \"TB +\", column 5: expected a number, a name or "
                                  "\"(\", found its end");
    err = (ct_error){0};
    assert_int_equal(ct_expr_evaluate(&value, "OWN", (ct_names){bind, NULL}, &err), CT_INVALID);
    assert_string_equal(err.text,
                        "expression \"OWN + 1\", column 1: expected fewer parentheses, or "
                        "names inside each other, found \"OWN\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_c),
        cmocka_unit_test(the_side_that_does_not_count_may_divide_by_zero),
        cmocka_unit_test(refuses_with_a_sentence),
        cmocka_unit_test(divisions_by_the_number_0),
        cmocka_unit_test(the_limits_of_64_bits),
        cmocka_unit_test(endless_parentheses),
        cmocka_unit_test(functions_of_two_numbers),
        cmocka_unit_test(names_stand_for_texts_too),
        cmocka_unit_test(an_expression_is_parsed_once),
        cmocka_unit_test(a_text_ends_at_a_sign_outside_parentheses),
        cmocka_unit_test(a_text_that_is_wrong_or_names_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
