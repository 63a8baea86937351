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

/* Numbers 0 and 1, as bits: a network that sorts all of these sorts any numbers (Knuth). */
static int sort_bits(const char *network, int bits)
{
    int i = 0, k = 0;
    for (const char *at = strstr(network, " ORDER("); at; at = strstr(at + 1, " ORDER(")) {
        assert_int_equal(sscanf(at, " ORDER(%d, %d)", &i, &k), 2);
        assert_true(i >= 0 && i < k && k < 31);
        if (bits >> i & ~(bits >> k) & 1) bits ^= 1 << i | 1 << k;
    }
    return bits;
}

static bool in_order(int bits, int count)
{
    const int low = bits & -bits;
    return bits == 0 || bits + low == 1 << count;
}

static void networks_sort_and_merge(void **state)
{
    (void)state;
    for (int count = 1; count <= 16; count++)
        for (int sorted = 1; sorted <= 8; sorted *= 8) {
            ct_text text = {0};
            const int run = sorted < count ? sorted : count;
            ct_text_add_sort(&text, "SORT", sorted, count);
            assert_memory_equal(text.data, "#define SORT(ORDER)", 19);
            for (int bits = 0; bits < 1 << count; bits++)
                if (sorted == 1 ||
                    (in_order(bits & ((1 << run) - 1), run) && in_order(bits >> run, count - run)))
                    assert_true(in_order(sort_bits(text.data, bits), count));
            ct_text_free(&text);
        }
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
        cmocka_unit_test(grows), cmocka_unit_test(networks_sort_and_merge),
        cmocka_unit_test(quotes_so_that_the_parser_reads_it_back),
        cmocka_unit_test(replaces_what_is_no_utf8), cmocka_unit_test(suggests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
