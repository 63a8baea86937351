/* verify_cover_test.c: few layouts that have every place and every neighbourhood.
 * Room: tuner/verify. */
#include "layout.h"
#include "verify_inner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void list_of(const char *dims, int64_t *count, ct_layout list[720])
{
    *count = ct_layout_permutations((int)strlen(dims));
    for (int64_t n = 0; n < *count; n++)
        list[n] = ct_layout_permutation(dims, n);
}

static bool has_place(const ct_layout *list, int64_t count, char dim, int place)
{
    for (int64_t n = 0; n < count; n++)
        if (list[n].dim[place] == dim) return true;
    return false;
}

static bool has_neighbours(const ct_layout *list, int64_t count, char before, char behind)
{
    const char pair[] = {before, behind, 0};
    for (int64_t n = 0; n < count; n++)
        if (strstr(list[n].dim, pair)) return true;
    return false;
}

static void every_place_and_neighbour_is_there(void **state)
{
    static const char *const dims[] = {"T", "TC", "STC", "SPTC", "SPTFC", "BSPTFC"};
    static const int64_t most[] = {1, 2, 6, 6, 10, 12};
    ct_layout list[720];
    int64_t count;
    (void)state;
    for (int k = 0; k < 6; k++) {
        list_of(dims[k], &count, list);
        const int64_t few = ct_verify_cover(list, count);
        assert_in_range(few, 1, most[k]);
        assert_string_equal(list[0].dim, dims[k]);
        for (const char *a = dims[k]; *a; a++)
            for (const char *b = dims[k]; *b; b++) {
                assert_true(has_place(list, few, *a, (int)(b - dims[k])));
                assert_true(a == b || has_neighbours(list, few, *a, *b));
            }
    }
}

static void none_is_lost(void **state)
{
    ct_layout list[720], before[720];
    int64_t count;
    (void)state;
    list_of("SPTC", &count, list);
    list_of("SPTC", &count, before);
    (void)ct_verify_cover(list, count);
    for (int64_t n = 0; n < count; n++) {
        int found = 0;
        for (int64_t m = 0; m < count; m++)
            found += ct_layout_equal(&list[m], &before[n]);
        assert_int_equal(found, 1);
    }
}

/* A port that has only those with T last. */
static void what_there_is_is_enough(void **state)
{
    ct_layout list[720];
    int64_t count, kept = 0;
    (void)state;
    list_of("SPCT", &count, list);
    for (int64_t n = 0; n < count; n++)
        if (list[n].dim[3] == 'T') list[kept++] = list[n];
    const int64_t few = ct_verify_cover(list, kept);
    assert_in_range(few, 3, 6);
    for (const char *a = "SPC"; *a; a++)
        for (int place = 0; place < 3; place++)
            assert_true(has_place(list, few, *a, place));
    assert_int_equal(ct_verify_cover(list, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_and_neighbour_is_there),
        cmocka_unit_test(none_is_lost),
        cmocka_unit_test(what_there_is_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
