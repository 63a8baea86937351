/* ranks_device_test.c: ranks of a machine take its devices in a circle, and one each of several
 * names. Room: core/ranks (test). Needs an OpenCL platform; of one device only, circles are short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "device_cl.h"
#include "ranks.h"

static ct_device *take(int local, const char *names)
{
    const ct_ranks ranks = {.rank = local, .size = 4, .local = local};
    ct_device *device = NULL;
    assert_int_equal(ct_ranks_device(&device, &ranks, names, NULL), CT_OK);
    return device;
}

static void check_same(ct_device *a, ct_device *b, bool same)
{
    assert_int_equal(a->id == b->id, same);
    ct_device_free(a);
    ct_device_free(b);
}

static bool are_two(void)
{
    ct_device *second = NULL;
    const bool two = ct_device_open(&second, "1", NULL) == CT_OK;
    ct_device_free(second);
    return two;
}

static void ranks_take_devices_in_a_circle(void **state)
{
    (void)state;
    if (!are_two()) skip();
    check_same(take(0, NULL), take(1, NULL), false);
    check_same(take(0, NULL), take(2, NULL), true);
    check_same(take(1, ""), take(3, NULL), true);
}

static void ranks_take_one_of_several_names(void **state)
{
    (void)state;
    if (!are_two()) skip();
    check_same(take(0, "1,0"), take(0, "1"), true);
    check_same(take(1, "1, 0"), take(0, "0"), true);
    check_same(take(3, "1,0"), take(1, "1,0"), true);
    check_same(take(2, "1,1,0"), take(0, "0"), true);
}

static void names_that_are_none_are_refused(void **state)
{
    const ct_ranks ranks = {.rank = 1, .size = 2, .local = 1};
    ct_device *device = NULL;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_ranks_device(&device, &ranks, "0,", &err), CT_USAGE);
    assert_non_null(strstr(err.text, "devices \"0,\": number 2 has no name"));
    assert_int_equal(ct_ranks_device(&device, &ranks, "0,999", &err), CT_NO_DEVICE);
    assert_null(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_take_devices_in_a_circle),
        cmocka_unit_test(ranks_take_one_of_several_names),
        cmocka_unit_test(names_that_are_none_are_refused),
    };
    setenv("POCL_DEVICES", "pthread basic", 1); /* where the platform is PoCL, two devices */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
