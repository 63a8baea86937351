/* error_test.c: sentences, their order and their number. */
#include "cornerturn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void keeps_first_status_and_all_lines(void **state)
{
    (void)state;
    ct_error err = {0};
    assert_int_equal(ct_error_add(&err, CT_DATA, "file %s", "a"), CT_DATA);
    assert_int_equal(ct_error_add(&err, CT_INVALID, "line %d", 3), CT_INVALID);
    assert_int_equal(err.status, CT_DATA);
    assert_int_equal(err.count, 2);
    assert_string_equal(err.text, "file a\nline 3");
}

static void nobody_listens(void **state)
{
    (void)state;
    assert_int_equal(ct_error_add(NULL, CT_FAILED, "lost"), CT_FAILED);
}

/* Only whole sentences stand in a full buffer, and the rest is counted. */
static void counts_beyond_the_buffer(void **state)
{
    (void)state;
    ct_error err = {0};
    for (int i = 0; i < 3000; i++)
        ct_error_add(&err, CT_INVALID, "sentence %04d", i);
    assert_int_equal(err.count, 3000);
    size_t length = strlen(err.text);
    assert_true(length < sizeof err.text);
    assert_true(length > sizeof err.text - 20);
    assert_int_equal((length + 1) % strlen("sentence 0000\n"), 0);
}

static void cuts_a_long_first_sentence(void **state)
{
    (void)state;
    static char word[20000];
    memset(word, 'x', sizeof word - 1);
    ct_error err = {0};
    ct_error_add(&err, CT_FAILED, "%s", word);
    ct_error_add(&err, CT_FAILED, "second");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(err.count, 2);
}

/* The name of a file or a text in a header cannot move the reader's cursor. */
static void letters_alone_reach_the_reader(void **state)
{
    (void)state;
    ct_error err = {0};
    ct_error_add(&err, CT_DATA, "%s", "a\x1b[2J\x07\r\x7f Caf\xe9 caf\xc3\xa9\tb\nc \xc2\x9b \xff");
    assert_string_equal(err.text, "a\\x1b[2J\\x07\\x0d\\x7f Caf\\xe9 caf\xc3\xa9\tb\nc "
                                  "\\xc2\\x9b \\xff");
    ct_error moved = {0}; /* right to left from here on, a line's end, a mark of byte order */
    ct_error_add(&moved, CT_DATA, "%s", "a\xe2\x80\xae b\xe2\x80\xa8 \xef\xbb\xbf \xe2\x82\xac");
    assert_string_equal(moved.text,
                        "a\\xe2\\x80\\xae b\\xe2\\x80\\xa8 \\xef\\xbb\\xbf \xe2\x82\xac");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_first_status_and_all_lines),
                                       cmocka_unit_test(nobody_listens),
                                       cmocka_unit_test(counts_beyond_the_buffer),
                                       cmocka_unit_test(letters_alone_reach_the_reader),
                                       cmocka_unit_test(cuts_a_long_first_sentence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
