/* source_position_test.c: pointers into a text, by line and column. */
#include "source_position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "{ \"cornerturn\": 1,\n"                                    /* 1 */
                           "  \"nodes\": {\n"                                          /* 2 */
                           "    \"b}e\\\"ams\": {\"input\": \"f{ft\", \"w/~\": [10,\n" /* 3 */
                           "      {\"x\": [[], {}, \"]\", 3]}, null] },\n"             /* 4 */
                           "    \"\\u00e9\": {\"\xc3\xa9\": true, \"k\": -1e5} },\n"   /* 5 */
                           "  \"T\":7\t}\n";                                           /* 6 */

static void finds_values_and_keys(void **state)
{
    (void)state;
    static const struct {
        const char *pointer;
        bool key;
        int line, column;
    } cases[] = {{"", false, 1, 1},
                 {"/cornerturn", true, 1, 3},
                 {"/cornerturn", false, 1, 17},
                 {"/nodes", false, 2, 12},
                 {"/nodes/b}e\"ams", true, 3, 5},
                 {"/nodes/b}e\"ams/input", false, 3, 27},
                 {"/nodes/b}e\"ams/w~1~0", true, 3, 35},
                 {"/nodes/b}e\"ams/w~1~0/0", false, 3, 43},
                 {"/nodes/b}e\"ams/w~1~0/1", true, 4, 7}, /* an element has no name */
                 {"/nodes/b}e\"ams/w~1~0/1/x/2", false, 4, 22},
                 {"/nodes/b}e\"ams/w~1~0/1/x/3", false, 4, 27},
                 {"/nodes/b}e\"ams/w~1~0/2", false, 4, 32},
                 {"/nodes/\xc3\xa9/\xc3\xa9", true, 5, 16},
                 {"/nodes/\xc3\xa9/\xc3\xa9", false, 5, 21}, /* characters, not bytes */
                 {"/nodes/\xc3\xa9/k", false, 5, 32},
                 {"/T", false, 6, 7},
                 {"/t", false, 0, 0},
                 {"/T/0", false, 0, 0},
                 {"/nodes/b}e\"ams/w~1~0/3", false, 0, 0},
                 {"/nodes/b}e\"ams/w~1~0/-1", false, 0, 0},
                 {"/nodes/b}e\"ams/w~1~0/x", false, 0, 0},
                 {"/cornertur", false, 0, 0},
                 {"/cornerturns", false, 0, 0},
                 {"cornerturn", false, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ct_source_position place = ct_source_position_find(text, cases[i].pointer, cases[i].key);
        if (place.line != cases[i].line || place.column != cases[i].column)
            fail_msg("%s: %d:%d instead of %d:%d", cases[i].pointer, place.line, place.column,
                     cases[i].line, cases[i].column);
    }
}

static void unescapes_as_the_pointer_has_it(void **state)
{
    (void)state;
    ct_source_position place =
        ct_source_position_find("[{\"\\ud83d\\udce1\\n\": 1}]", "/0/\xf0\x9f\x93\xa1\n", false);
    assert_int_equal(place.line, 1);
    assert_int_equal(place.column, 21);
    place = ct_source_position_find("\xef\xbb\xbf[5]", "/0", false);
    assert_int_equal(place.column, 2);
}

/* Whatever the text is cut to, the search ends and leads nowhere beyond it. */
static void survives_every_cut(void **state)
{
    (void)state;
    static const char *const pointers[] = {"/T", "/nodes/b}e\"ams/w~1~0/1/x/3",
                                           "/nodes/\xc3\xa9/k"};
    for (size_t length = 0; length < sizeof text; length++) {
        char cut[sizeof text] = {0};
        memcpy(cut, text, length);
        for (size_t i = 0; i < 3; i++) {
            ct_source_position whole = ct_source_position_find(text, pointers[i], false);
            ct_source_position place = ct_source_position_find(cut, pointers[i], false);
            assert_true(place.line == 0 || place.line == whole.line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_values_and_keys),
                                       cmocka_unit_test(unescapes_as_the_pointer_has_it),
                                       cmocka_unit_test(survives_every_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
