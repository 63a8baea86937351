/* class_defaults_test.c: rows of a table of defaults are read, and hold for devices that have all
 * words of their class.
 * Room: core/step. Needs no OpenCL platform. */
#include "class_defaults.h"
#include "device.h"
#include "step.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const ct_tunable tunables[] = {{"TILE_T", "1 4 16", "16", "4", "times"},
                                      {"ENGINE", "plain fast", "plain", "fast", "how"},
                                      {"WG", "1 64", "1", "64", "group"},
                                      {0}};
static const ct_stage stage = {.name = "plain", .tuning = {.tunables = tunables}};

static const char table[] = "# plain\tcpu\tTILE_T=1\n"
                            "\n"
                            "other\tcpu\tTILE_T=1\t-\n"
                            "plain\tcpu pocl\tTILE_T=4 ENGINE=fast\tsomewhere\n"
                            "plain\tcpu pocl amd\tTILE_T=1\tZen 4\n"
                            "plain\tgpu nvidia\tWG=1\tH200\n"
                            "plain\tcpu unknown\tWG=64\t-";

static void rows_are_read(void **state)
{
    static const char *const stages[] = {"other", "plain", "plain", "plain", "plain"};
    const char *at = table;
    ct_class_default row;
    char tunable[32], value[32];
    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        assert_true(ct_class_defaults_next(&at, &row));
        assert_string_equal(row.stage, stages[i]);
        if (i != 1) continue;
        assert_string_equal(row.of_class, "cpu pocl");
        assert_string_equal(row.measured, "somewhere");
        assert_true(ct_class_defaults_at(&row, 1, tunable, value));
        assert_string_equal(tunable, "ENGINE");
        assert_string_equal(value, "fast");
        assert_false(ct_class_defaults_at(&row, 2, tunable, value));
    }
    assert_int_equal(ct_class_defaults_class(&row), 0);
    assert_false(ct_class_defaults_next(&at, &row));
}

/* What a device of this class gets: TILE_T, ENGINE, WG. */
static void expect(const char *words, bool gpu, int64_t tile, int64_t engine, int64_t group)
{
    ct_step *step = NULL;
    ct_class_default row = {.stage = ""};
    ct_device device = {.gpu = gpu};
    strcpy(row.of_class, words);
    device.of_class = ct_class_defaults_class(&row);
    assert_int_equal(ct_step_new(&step, &stage, "x", NULL, NULL, NULL, NULL), CT_OK);
    ct_step_set_device(step, &device);
    ct_step_default_tunables(step);
    ct_class_defaults_set(step, table);
    assert_int_equal(ct_step_tunable(step, "TILE_T"), tile);
    assert_int_equal(ct_step_tunable(step, "ENGINE"), engine);
    assert_int_equal(ct_step_tunable(step, "WG"), group);
    ct_step_free(step);
}

static void a_row_wants_all_of_its_words(void **state)
{
    (void)state;
    expect("cpu", false, 16, 0, 1);
    expect("cpu intel avx512", false, 16, 0, 1);
    expect("cpu pocl intel avx512", false, 4, 1, 1);
    expect("cpu pocl amd avx512 two-passes", false, 1, 1, 1);
    expect("gpu amd", true, 4, 1, 64);
    expect("gpu nvidia", true, 4, 1, 1);
}

static void a_copy_is_for_the_same_device(void **state)
{
    ct_step *step = NULL, *copy = NULL;
    const ct_device device = {.of_class =
                                  ct_device_class_find("cpu", 3) | ct_device_class_find("pocl", 4)};
    (void)state;
    assert_int_equal(ct_step_new(&step, &stage, "x", NULL, NULL, NULL, NULL), CT_OK);
    ct_step_set_device(step, &device);
    assert_int_equal(ct_step_copy(&copy, step, NULL), CT_OK);
    ct_class_defaults_set(copy, table);
    assert_int_equal(ct_step_tunable(copy, "TILE_T"), 4);
    ct_step_set_device(step, NULL);
    ct_step_default_tunables(step);
    ct_class_defaults_set(step, table);
    assert_int_equal(ct_step_tunable(step, "TILE_T"), 16);
    ct_step_free(copy);
    ct_step_free(step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read),
        cmocka_unit_test(a_row_wants_all_of_its_words),
        cmocka_unit_test(a_copy_is_for_the_same_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
