/* text_test.c: growing texts, JSON quoting (read back by the parser), suggestions. */
#include "cornerturn_stage.h"
#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void grows(void **state)
{
    (void)state;
    ct_text text = {0};
    for (int i = 0; i < 1000; i++)
        ct_text_add(&text, "%03d,", i);
    assert_int_equal(text.length, 4000);
    assert_int_equal(strlen(text.data), 4000);
    assert_memory_equal(text.data + (size_t)4 * 517, "517,518,", 8);
    char *taken = NULL;
    assert_int_equal(ct_text_take(&taken, &text, NULL), CT_OK);
    assert_null(text.data);
    assert_int_equal(strlen(taken), 4000);
    free(taken);
    assert_int_equal(ct_text_take(&taken, &text, NULL), CT_OK);
    assert_string_equal(taken, "");
    free(taken);
    ct_text_add(&text, "x");
    ct_text_free(&text);
    assert_int_equal(text.length, 0);
}

static void quotes_so_that_the_parser_reads_it_back(void **state)
{
    (void)state;
    char plain[300];
    size_t length = 0;
    for (int c = 1; c < 128; c++)
        plain[length++] = (char)c;
    snprintf(plain + length, sizeof plain - length, "%s",
             "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x93\xa1 \\\"end\\");
    ct_text text = {0};
    ct_text_add_json(&text, plain);
    ct_value *value = NULL;
    assert_int_equal(ct_value_parse(&value, text.data, "quoted", NULL), CT_OK);
    assert_string_equal(ct_value_text(value, ""), plain);
    ct_value_free(value);
    ct_text_free(&text);
}

static void replaces_what_is_no_utf8(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\xff", "\xc3", "\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\xaf", "\xe2\x82"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ct_text text = {0};
        ct_text_add_json(&text, bad[i]);
        ct_value *value = NULL;
        assert_int_equal(ct_value_parse(&value, text.data, "bad", NULL), CT_OK);
        assert_memory_equal(ct_value_text(value, ""), "\xef\xbf\xbd", 3);
        ct_value_free(value);
        ct_text_free(&text);
    }
}

static void suggests(void **state)
{
    (void)state;
    static const char *const keys[] = {"stage",  "input", "channels",  "taps",
                                       "window", "T",     "integrate", NULL};
    static const struct {
        const char *word, *nearest;
    } cases[] = {{"chanels", "channels"},
                 {"chnanels", "channels"},
                 {"tpas", "taps"},
                 {"imput", "input"},
                 {"taps", "taps"},
                 {"intergate", "integrate"},
                 {"integration", "integrate"},
                 {"beta", NULL},
                 {"x", NULL},
                 {"", NULL},
                 {"stapler", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *nearest = ct_suggest_nearest(cases[i].word, keys);
        if (cases[i].nearest == NULL)
            assert_null(nearest);
        else
            assert_string_equal(nearest, cases[i].nearest);
    }
    char longest[300];
    memset(longest, 'a', 299);
    longest[299] = '\0';
    assert_null(ct_suggest_nearest(longest, keys));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows), cmocka_unit_test(quotes_so_that_the_parser_reads_it_back),
        cmocka_unit_test(replaces_what_is_no_utf8), cmocka_unit_test(suggests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
