/* value_test.c: every kind of value, and the exact sentence for every kind of mistake. */
#include "cornerturn_stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void reads_every_kind(void **state)
{
    (void)state;
    ct_value *root = NULL;
    ct_error err = {0};
    const char *text = "\xef\xbb\xbf{\"zeta\": [1, -2.5, \"text \\u20ac\", true, false, null],"
                       " \"alpha\": {\"big\": 9223372036854775807, \"small\": "
                       "-9223372036854775808}, \"empty\": {}}";
    assert_int_equal(ct_value_parse(&root, text, "t", &err), CT_OK);
    assert_int_equal(err.count, 0);
    assert_int_equal(ct_value_kind(root), CT_OBJECT);
    assert_int_equal(ct_value_count(root), 3);
    assert_string_equal(ct_value_key(root, 0), "zeta"); /* the order of the text */
    assert_string_equal(ct_value_key(root, 1), "alpha");
    const ct_value *list = ct_value_get(root, "zeta");
    static const ct_kind kinds[] = {CT_INT, CT_REAL, CT_TEXT, CT_BOOL, CT_BOOL, CT_NULL};
    assert_int_equal(ct_value_count(list), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(ct_value_kind(ct_value_at(list, i)), kinds[i]);
    assert_int_equal(ct_value_int(ct_value_at(list, 0), 7), 1);
    assert_true(ct_value_real(ct_value_at(list, 0), 7) == 1.0);
    assert_true(ct_value_real(ct_value_at(list, 1), 7) == -2.5);
    assert_string_equal(ct_value_text(ct_value_at(list, 2), ""), "text \xe2\x82\xac");
    assert_true(ct_value_bool(ct_value_at(list, 3), false));
    assert_false(ct_value_bool(ct_value_at(list, 4), true));
    const ct_value *alpha = ct_value_get(root, "alpha");
    assert_true(ct_value_int(ct_value_get(alpha, "big"), 0) == INT64_MAX);
    assert_true(ct_value_int(ct_value_get(alpha, "small"), 0) == INT64_MIN);
    ct_value_free(root);
}

static void gives_the_default_for_what_is_not_there(void **state)
{
    (void)state;
    ct_value *root = NULL;
    assert_int_equal(ct_value_parse(&root, "[1.5, \"a\"]", "t", NULL), CT_OK);
    assert_int_equal(ct_value_kind(NULL), CT_NULL);
    assert_null(ct_value_at(root, 2));
    assert_null(ct_value_key(root, 0)); /* a list has no keys */
    assert_null(ct_value_key(root, 2));
    assert_null(ct_value_get(root, "a"));
    assert_null(ct_value_get(NULL, "a"));
    assert_int_equal(ct_value_int(ct_value_at(root, 0), 7), 7); /* 1.5 is no integer */
    assert_int_equal(ct_value_int(ct_value_at(root, 1), 7), 7);
    assert_true(ct_value_real(ct_value_at(root, 1), 0.5) == 0.5);
    assert_true(ct_value_bool(ct_value_at(root, 1), true));
    assert_null(ct_value_text(ct_value_at(root, 0), NULL));
    ct_value_free(root);
    ct_value_free(NULL);
}

static void says_where_and_what(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"{\"a\": 1, \"a\": 2}",
         "1:10: no valid JSON: this key stands twice in one object near '\"a\"'"},
        {"{\"a\": 1,\n  \"b\": }", "2:8: no valid JSON: unexpected token near '}'"},
        {"", "1:1: no valid JSON: the text ends too early near end of file"},
        {"{\"a\": 1", "1:8: no valid JSON: the text ends too early near end of file"},
        {"[1, 2] x", "1:8: no valid JSON: expected the end of the text near 'x'"},
        {"{\"x\": 99999999999999999999}",
         "1:7: no valid JSON: this number is too large near '99999999999999999999'"},
        {"[\n\n1e999]", "3:1: no valid JSON: this number is too large near '1e999'"},
        {"{\"\xc3\xa9\": tru}", "1:7: no valid JSON: invalid token near 'tru'"},
        {"{\"a\": \"\xff\"}", "1:7: no valid JSON: the text is no UTF-8 near '\"'"},
        {"[\"\\u0000\"]",
         "1:2: no valid JSON: a text cannot hold a character of value 0 near '\"\\u0000\"'"},
        {"{\"a\" 1}", "1:6: no valid JSON: ':' expected near '1'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ct_error err = {0};
        char expected[300];
        ct_value *root = (ct_value *)expected; /* any pointer: it must become NULL */
        snprintf(expected, sizeof expected, "p.json:%s", cases[i].sentence);
        assert_int_equal(ct_value_parse(&root, cases[i].text, "p.json", &err), CT_INVALID);
        assert_null(root);
        assert_string_equal(err.text, expected);
        assert_int_equal(err.count, 1);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static char text[200001];
    memset(text, '[', sizeof text - 1);
    ct_value *root = NULL;
    ct_error err = {0};
    assert_int_equal(ct_value_parse(&root, text, "deep", &err), CT_INVALID);
    assert_non_null(strstr(err.text, "too many values inside each other"));
}

static void loads_files(void **state)
{
    (void)state;
    char name[] = "/tmp/ct_json_XXXXXX";
    int handle = mkstemp(name);
    assert_true(handle >= 0);
    ct_value *root = NULL;
    ct_error err = {0};
    assert_int_equal(write(handle, "{\"a\": 3}", 8), 8);
    assert_int_equal(ct_value_load(&root, name, &err), CT_OK);
    assert_int_equal(ct_value_int(ct_value_get(root, "a"), 0), 3);
    ct_value_free(root);
    assert_int_equal(write(handle, "\0x", 2), 2);
    assert_int_equal(ct_value_load(&root, name, &err), CT_INVALID);
    assert_null(root);
    close(handle);
    unlink(name);
    err = (ct_error){0};
    assert_int_equal(ct_value_load(&root, name, &err), CT_DATA);
    assert_non_null(strstr(err.text, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_every_kind),
                                       cmocka_unit_test(gives_the_default_for_what_is_not_there),
                                       cmocka_unit_test(says_where_and_what),
                                       cmocka_unit_test(deep_nesting_is_refused),
                                       cmocka_unit_test(loads_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
