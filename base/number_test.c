/* number_test.c: numbers as JSON has them: the fewest digits that read back as the same number. */
#include "cornerturn_stage.h"
#include "json_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_person_s_number_is_as_it_was_written(void **state)
{
    static const char *const texts[] = {
        "0.7554",         "0.1",   "5.12e-06", "1e+300",         "3", "-0.25",
        "1420405751.768", "1e-09", "0",        "60676.123456789"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[CT_NUMBER_TEXT];
        assert_string_equal(ct_number_shortest(text, strtod(texts[i], NULL), false), texts[i]);
    }
}

static void every_number_reads_back_as_the_same(void **state)
{
    uint64_t dice = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double value;
        char text[CT_NUMBER_TEXT];
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        memcpy(&value, &dice, sizeof value);
        if (!isfinite(value)) continue;
        assert_true(strtod(ct_number_shortest(text, value, i % 2), NULL) == value);
        assert_true(strlen(text) < CT_NUMBER_TEXT);
        assert_true(i % 2 == 0 || strpbrk(text, ".e"));
    }
}

static void a_real_number_stays_one(void **state)
{
    char text[CT_NUMBER_TEXT];
    (void)state;
    assert_string_equal(ct_number_shortest(text, 3, true), "3.0");
    assert_string_equal(ct_number_shortest(text, -0.0, true), "-0.0");
    assert_string_equal(ct_number_shortest(text, 1e22, true), "1e+22");
    assert_string_equal(ct_number_shortest(text, INFINITY, true), "null");
    assert_string_equal(ct_number_shortest(text, NAN, false), "null");
}

/* What was read is printed as it was: a plan that is saved again is the same file. */
static void json_is_printed_as_it_was_read(void **state)
{
    static const char json[] = "{\"a\": 0.7554, \"b\": 3.0, \"c\": 3, \"d\": 1e-06}";
    ct_value *value = NULL;
    ct_text text = {0};
    (void)state;
    assert_int_equal(ct_value_parse(&value, json, "a text", NULL), CT_OK);
    ct_json_add_value(&text, NULL, value);
    assert_string_equal(text.data, json);
    ct_text_free(&text);
    ct_value_free(value);
    ct_json_add_real(&text, NULL, 0.7554);
    assert_string_equal(text.data, "0.7554");
    ct_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_person_s_number_is_as_it_was_written),
                                       cmocka_unit_test(every_number_reads_back_as_the_same),
                                       cmocka_unit_test(a_real_number_stays_one),
                                       cmocka_unit_test(json_is_printed_as_it_was_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
