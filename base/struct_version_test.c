/* struct_version_test.c: shorter and longer structs than the library's are served, wrong sizes
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "struct_version.h"

typedef struct first {
    size_t size;
    int must;
} first;
typedef struct today {
    size_t size;
    int must, may;
    void *more;
} today;
typedef struct later {
    today today;
    long much;
} later;

static const ct_struct_version kind = CT_STRUCT_VERSION(today, must);

static void takes_its_own(void **state)
{
    ct_error err = {0};
    const today given = {sizeof given, 1, 2, &err};
    today taken;
    (void)state;
    assert_int_equal(ct_struct_take(&taken, &kind, &given, &err), CT_OK);
    assert_memory_equal(&taken, &given, sizeof given);
}

static void takes_an_older_one(void **state)
{
    ct_error err = {0};
    const first given = {offsetof(first, must) + sizeof given.must, 7};
    today taken;
    (void)state;
    memset(&taken, 0xff, sizeof taken);
    assert_int_equal(ct_struct_take(&taken, &kind, &given, &err), CT_OK);
    assert_int_equal(taken.must, 7);
    assert_int_equal(taken.may, 0);
    assert_null(taken.more);
}

static void takes_a_newer_one_that_is_not_used(void **state)
{
    ct_error err = {0};
    later given = {.today = {sizeof given, 3, 4, NULL}};
    today taken;
    (void)state;
    assert_int_equal(ct_struct_take(&taken, &kind, &given, &err), CT_OK);
    assert_int_equal(taken.may, 4);
    given.much = 1;
    assert_int_equal(ct_struct_take(&taken, &kind, &given, &err), CT_USAGE);
    assert_non_null(strstr(err.text, "today: it has members that this library"));
}

static void refuses_wrong_sizes(void **state)
{
    ct_error err = {0};
    today given = {0, 1, 2, NULL}, taken;
    (void)state;
    for (given.size = 0; given.size < kind.least; given.size++)
        assert_int_equal(ct_struct_take(&taken, &kind, &given, NULL), CT_USAGE);
    given.size = 0;
    assert_int_equal(ct_struct_take(&taken, &kind, &given, &err), CT_USAGE);
    assert_non_null(strstr(err.text, ".size = sizeof(today), which is 24; found 0"));
    assert_int_equal(ct_struct_take(&taken, &kind, NULL, NULL), CT_USAGE);
    assert_int_equal(ct_struct_give(NULL, &kind, &given, NULL), CT_USAGE);
}

static void gives_what_fits(void **state)
{
    ct_error err = {0};
    const today from = {0, 5, 6, &err};
    later long_one;
    struct {
        first first;
        char guard[8];
    } short_one = {.first = {offsetof(first, must) + sizeof(int), 0}, .guard = "guarded"};
    (void)state;
    memset(&long_one, 0xff, sizeof long_one);
    long_one.today.size = sizeof long_one;
    assert_int_equal(ct_struct_give(&short_one, &kind, &from, &err), CT_OK);
    assert_int_equal(short_one.first.must, 5);
    assert_string_equal(short_one.guard, "guarded");
    assert_int_equal(ct_struct_give(&long_one, &kind, &from, &err), CT_OK);
    assert_int_equal(long_one.today.size, sizeof long_one);
    assert_int_equal(long_one.today.may, 6);
    assert_int_equal(long_one.much, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_its_own),
        cmocka_unit_test(takes_an_older_one),
        cmocka_unit_test(takes_a_newer_one_that_is_not_used),
        cmocka_unit_test(refuses_wrong_sizes),
        cmocka_unit_test(gives_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
