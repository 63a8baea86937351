/* error_list_test.c: what stands before a sentence comes apart, whatever the names are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cornerturn_stage.h"

typedef struct row {
    const char *text, *file, *pointer, *sentence;
    int line, column;
} row;

static const row rows[] = {
    {"a.json:3:14: /nodes/fir/taps: expected at least 1", "a.json", "/nodes/fir/taps",
     "expected at least 1", 3, 14},
    {"a.json:1:1: expected a pipeline: an object", "a.json", NULL, "expected a pipeline: an object",
     1, 1},
    {"odd:4: name:12:3: /nodes/a b: found \"x: y\"", "odd:4: name", "/nodes/a b", "found \"x: y\"",
     12, 3},
    {"plan.json: /nodes/fir: planned for f32", "plan.json", "/nodes/fir", "planned for f32", 0, 0},
    {"no OpenCL platform was found: install one", NULL, NULL,
     "no OpenCL platform was found: install one", 0, 0},
    {"a \"quoted\" \\ word\t1", NULL, NULL, "a \"quoted\" \\ word\t1", 0, 0},
};

static void expect_text(const ct_value *value, const char *text)
{
    if (text)
        assert_string_equal(ct_value_text(value, ""), text);
    else
        assert_null(value);
}

static void expect_row(const ct_value *one, const row *r)
{
    expect_text(ct_value_get(one, "file"), r->file);
    expect_text(ct_value_get(one, "pointer"), r->pointer);
    expect_text(ct_value_get(one, "sentence"), r->sentence);
    assert_int_equal(ct_value_int(ct_value_get(one, "line"), 0), r->line);
    assert_int_equal(ct_value_int(ct_value_get(one, "column"), 0), r->column);
}

static void sentences_come_apart(void **state)
{
    ct_error err = {0};
    ct_value *list = NULL;
    char *json = NULL;
    const size_t count = sizeof rows / sizeof *rows;
    (void)state;
    for (size_t i = 0; i < count; i++)
        (void)ct_error_add(&err, CT_INVALID, "%s", rows[i].text);
    assert_int_equal(ct_error_list(&json, err.text, NULL), CT_OK);
    assert_int_equal(ct_value_parse(&list, json, "sentences", NULL), CT_OK);
    assert_int_equal(ct_value_count(list), count);
    for (size_t i = 0; i < count; i++)
        expect_row(ct_value_at(list, i), &rows[i]);
    ct_value_free(list);
    free(json);
}

static void none_is_an_empty_list(void **state)
{
    char *json = NULL;
    (void)state;
    assert_int_equal(ct_error_list(&json, "", NULL), CT_OK);
    assert_string_equal(json, "[]\n");
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_come_apart),
        cmocka_unit_test(none_is_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
