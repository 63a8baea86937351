/* layout_test.c: reading, counting, distances, patterns of orders.
 *
 * Room: layouts (test). Oracles: counting by hand, brute force over all permutations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout.h"

static ct_layout parsed(const char *text)
{
    ct_layout layout;
    ct_error err = {0};
    assert_int_equal(ct_layout_parse(&layout, text, &err), CT_OK);
    assert_int_equal(err.count, 0);
    return layout;
}

/* The sum of position differences. */
static int distance_of(const ct_layout *a, const ct_layout *b)
{
    int distance = 0;
    for (int k = 0; k < a->rank; k++) {
        const char *place = strchr(b->dim, a->dim[k]);
        assert_non_null(place);
        distance += abs((int)(place - b->dim) - k);
    }
    return distance;
}

static void reads_letters_and_names(void **state)
{
    (void)state;
    assert_string_equal(parsed("STPC").dim, "STPC");
    assert_string_equal(parsed("station,time,pol,channel").dim, "STPC");
    assert_string_equal(parsed(" beam , dm,polarization,T").dim, "BDPT");
    assert_string_equal(parsed("baseline").dim, "L");
    assert_string_equal(parsed("C").dim, "C");
    assert_string_equal(parsed("SPTCBDKL").dim, "SPTCBDKL");
    assert_int_equal(parsed("SPTCBDKL").rank, 8);
}

static void reads_compares_and_prints_splits(void **state)
{
    static const char *const same[][2] = {{"S|PTC", "S|PTC"},
                                          {"S|C|PT", "S|C|PT"},
                                          {"TC|", "TC|"},
                                          {"station|,time,channel |", "S|TC|"},
                                          {"STPC", "STPC"}};
    char text[CT_LAYOUT_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const ct_layout a = parsed(same[i][0]), b = parsed(same[i][1]);
        assert_string_equal(ct_layout_print(text, &a), same[i][1]);
        assert_true(ct_layout_equal(&a, &b));
    }
    const ct_layout whole = parsed("SPTC"), split = parsed("S|PTC"), other = parsed("SP|TC"),
                    most = parsed("S|P|T|C|B|D|K|L|");
    assert_int_equal(split.rank, 4);
    assert_string_equal(split.dim, "SPTC");
    assert_int_equal(split.split, 1);
    assert_int_equal(other.split, 2);
    assert_false(ct_layout_equal(&whole, &split));
    assert_false(ct_layout_equal(&other, &split));
    assert_string_equal(ct_layout_print(text, &most), "S|P|T|C|B|D|K|L|");
}

/* What stands in the sentence about a layout that cannot be read. */
static void refuses(const char *text, const char *first, const char *second)
{
    ct_layout layout = parsed("ST");
    ct_error err = {0};
    assert_int_equal(ct_layout_parse(&layout, text, &err), CT_INVALID);
    assert_int_equal(layout.rank, 0);
    assert_int_equal(err.count, 1);
    assert_non_null(strstr(err.text, first));
    assert_non_null(strstr(err.text, second));
}

static void refuses_what_is_no_layout(void **state)
{
    (void)state;
    refuses("", "empty", "STPC");
    refuses("STPT", "\"STPT\"", "T (time) stands twice");
    refuses("time,T", "T (time)", "twice");
    refuses("station,chanel", "\"chanel\"", "did you mean \"channel\"");
    refuses("stpc", "\"stpc\"", "did you mean \"STPC\"");
    refuses("S,,T", "\"\"", "no dimension");
    refuses("ST-C", "\"ST-C\"", "no dimension");
    refuses("SPTCBDKLQ", "at most 8", "SPTCBDKLQ");
    refuses("|SPT", "'|' stands at its beginning", "S|PTC");
    refuses("S||PT", "'|' stands twice", "S|PTC");
    refuses("S|,|,T", "\"\"", "no dimension");
    refuses("S|PS", "S (station)", "twice");
    refuses(
        "S,an-extremely-long-name-that-cannot-possibly-be-one-of-ours-at-all-because-it-is-long",
        "an-extremely-long", "no dimension");
}

static void names_letters(void **state)
{
    (void)state;
    assert_string_equal(ct_dim_name('P'), "polarization");
    assert_string_equal(ct_dim_name('D'), "dm");
    assert_null(ct_dim_name('Z'));
}

static void permutations_are_all_different_and_in_order(void **state)
{
    (void)state;
    for (int rank = 1; rank <= 6; rank++) {
        const char *dims = "ABCDEF" + 6 - rank;
        ct_layout last = ct_layout_permutation(dims, 0);
        assert_string_equal(last.dim, dims);
        for (int64_t n = 1; n < ct_layout_permutations(rank); n++) {
            const ct_layout next = ct_layout_permutation(dims, n);
            assert_true(strcmp(last.dim, next.dim) < 0);
            assert_int_equal(next.rank, rank);
            last = next;
        }
    }
    assert_int_equal(ct_layout_permutations(8), 40320);
    assert_string_equal(ct_layout_permutation("ABCDEFGH", 40319).dim, "HGFEDCBA");
}

static void distance_sums_position_differences(void **state)
{
    (void)state;
    const ct_layout a = parsed("STPC"), b = parsed("TCSP"), c = parsed("CPTS");
    assert_int_equal(distance_of(&a, &a), 0);
    assert_int_equal(distance_of(&a, &b), 2 + 1 + 1 + 2);
    assert_int_equal(distance_of(&a, &c), 3 + 1 + 1 + 3);
    assert_int_equal(distance_of(&b, &a), distance_of(&a, &b));
    assert_true(ct_layout_equal(&a, &a));
    assert_false(ct_layout_equal(&a, &b));
}

static bool matches(const char *layout, const char *pattern)
{
    const ct_layout parsed_layout = parsed(layout);
    return ct_layout_matches(&parsed_layout, pattern);
}

static void patterns_match(void **state)
{
    (void)state;
    assert_true(matches("STPC", "*"));
    assert_true(matches("STPC", "*C"));
    assert_false(matches("STCP", "*C"));
    assert_true(matches("TSPC", "T*"));
    assert_false(matches("STPC", "T*"));
    assert_true(matches("TSPC", "T*C"));
    assert_false(matches("CSPT", "T*C"));
    assert_true(matches("CTSP", "CTSP"));
    assert_false(matches("CTPS", "CTSP"));
    assert_true(matches("CTS", "CTSP"));
    assert_true(matches("ST", "*C"));
    assert_true(matches("SCTP", "*TP"));
    assert_false(matches("SCPT", "*TP"));
    assert_false(matches("STPC", "STP"));
}

static ct_array array_of(const char *dims)
{
    ct_array array = {.type = CT_U8};
    for (; *dims; dims++)
        ct_array_add(&array, *dims, 3);
    return array;
}

static const char *fitted(ct_layout *out, const char *dims, const char *pattern, const char *wish)
{
    const ct_array array = array_of(dims);
    const ct_layout wished = *wish ? parsed(wish) : (ct_layout){0};
    *out = ct_layout_fit(&array, pattern, &wished);
    return out->dim;
}

static void fit_keeps_the_wish_where_it_may(void **state)
{
    (void)state;
    ct_layout out;
    assert_string_equal(fitted(&out, "SPTC", "*", "TCSP"), "TCSP");
    assert_string_equal(fitted(&out, "SPTC", "*C", "TCSP"), "TSPC");
    assert_string_equal(fitted(&out, "SPTC", "T*C", "CSPT"), "TSPC");
    assert_string_equal(fitted(&out, "SPTC", "CTSP", "TCPS"), "CTSP");
    assert_string_equal(fitted(&out, "SPTC", "*T", ""), "SPCT");
    assert_string_equal(fitted(&out, "SPT", "*C", ""), "SPT");
    assert_string_equal(fitted(&out, "BPTC", "*", "SPTC"), "PTCB");
}

/* Every fit matches, and no permutation that matches is nearer. */
static void fit_is_the_nearest_match(void **state)
{
    (void)state;
    static const char *const patterns[] = {"*", "*C", "T*", "T*C", "CTSP", "*CT", "PS*"};
    const ct_array array = array_of("SPTC");
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        for (int n = 0; n < 24; n++) {
            const ct_layout wish = ct_layout_permutation("SPTC", n);
            const ct_layout fit = ct_layout_fit(&array, patterns[p], &wish);
            assert_true(ct_layout_matches(&fit, patterns[p]));
            for (int other = 0; other < 24; other++) {
                const ct_layout rival = ct_layout_permutation("SPTC", other);
                if (ct_layout_matches(&rival, patterns[p]))
                    assert_true(distance_of(&fit, &wish) <= distance_of(&rival, &wish));
            }
        }
    }
}

static void covers_means_the_same_letters(void **state)
{
    (void)state;
    const ct_array array = array_of("SPT");
    const ct_layout same = parsed("TSP"), fewer = parsed("ST"), other = parsed("STC");
    assert_true(ct_layout_covers(&same, &array));
    assert_false(ct_layout_covers(&fewer, &array));
    assert_false(ct_layout_covers(&other, &array));
    const ct_layout natural = ct_layout_natural(&array);
    assert_string_equal(natural.dim, "SPT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_letters_and_names),
        cmocka_unit_test(reads_compares_and_prints_splits),
        cmocka_unit_test(refuses_what_is_no_layout),
        cmocka_unit_test(names_letters),
        cmocka_unit_test(permutations_are_all_different_and_in_order),
        cmocka_unit_test(distance_sums_position_differences),
        cmocka_unit_test(patterns_match),
        cmocka_unit_test(fit_keeps_the_wish_where_it_may),
        cmocka_unit_test(fit_is_the_nearest_match),
        cmocka_unit_test(covers_means_the_same_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
