/* device_file_test.c: a file stands in for a device; what is wrong in it is said with its place.
 * Room: core/device. Needs no OpenCL platform. */
#include "device.h"
#include "text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REST                                                                                       \
    "\"compute_units\": 132, \"global_bytes\": 1000, \"largest_buffer\": 250, "                    \
    "\"local_bytes\": 48, \"work_group\": 64"

static char file[] = "device_file_test.XXXXXX";

static int make_file(void **state)
{
    const int handle = mkstemp(file);
    FILE *out = handle < 0 ? NULL : fdopen(handle, "w");
    (void)state;
    return out && fclose(out) == 0 ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return remove(file);
}

static ct_status load(ct_device **device, const char *text, ct_error *err)
{
    char name[64];
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    memset(err, 0, sizeof *err);
    snprintf(name, sizeof name, "file:%s", file);
    return ct_device_open(device, name, err);
}

static const char whole[] = "{\"cornerturn_device\": 1, \"name\": \"one\", \"kind\": \"gpu\", " REST
                            ", \"registers\": 9, \"platform\": \"p\", \"driver\": \"d\",\n"
                            "\"accepts\": [\"vectors\", \"dots\"], \"comment\": \"none\"}";

static void a_file_is_a_device(void **state)
{
    ct_device *device = NULL;
    ct_error err;
    (void)state;
    assert_int_equal(load(&device, whole, &err), CT_OK);
    assert_string_equal(ct_device_name(device), "one");
    assert_string_equal(device->platform_name, "p");
    assert_string_equal(device->driver, "d");
    assert_true(device->gpu);
    assert_int_equal(device->compute_units, 132);
    assert_int_equal(device->global_bytes, 1000);
    assert_int_equal(device->largest_buffer, 250);
    assert_int_equal(device->local_bytes, 48);
    assert_int_equal(device->work_group, 64);
    assert_int_equal(device->registers, 9);
    ct_device_free(ct_device_retain(device));
    ct_device_free(device);
}

static void it_accepts_what_it_lists(void **state)
{
    ct_device *device = NULL;
    ct_error err;
    (void)state;
    assert_int_equal(load(&device, whole, &err), CT_OK);
    assert_true(ct_device_accepts(device, "// needs dots\nkernel void probe() {}"));
    assert_true(ct_device_accepts(device, "// needs vectors"));
    assert_false(ct_device_accepts(device, "// needs dot\nkernel void probe() {}"));
    assert_false(ct_device_accepts(device, "// needs \nkernel void probe() {}"));
    assert_false(ct_device_accepts(device, "kernel void probe() {}"));
    ct_device_free(device);
}

static void nothing_runs_on_it(void **state)
{
    ct_device *device = NULL;
    ct_error err;
    (void)state;
    assert_int_equal(load(&device, whole, &err), CT_OK);
    assert_int_equal(ct_device_check(device, &err), CT_NO_DEVICE);
    assert_non_null(strstr(err.text, " only describes device \"one\": nothing can run on it"));
    assert_int_equal(ct_device_check(NULL, &err), CT_USAGE);
    ct_device_free(device);
}

/* By its words, or by names. */
static void it_has_a_class(void **state)
{
    static const char *const files[][2] = {
        {"{\"cornerturn_device\": 1, \"kind\": \"cpu\", \"name\": \"one\", \"class\": \"cpu amd "
         "neon\", " REST "}",
         "cpu amd neon"},
        {"{\"cornerturn_device\": 1, \"kind\": \"gpu\", \"name\": \"NVIDIA H200\", " REST "}",
         "gpu nvidia"},
        {"{\"cornerturn_device\": 1, \"kind\": \"cpu\", \"name\": \"Intel(R) Xeon(R)\", "
         "\"platform\": "
         "\"Intel(R) OpenCL\", " REST "}",
         "cpu intel-opencl intel"}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ct_device *device = NULL;
        ct_error err;
        char words[CT_DEVICE_CLASS_TEXT];
        assert_int_equal(load(&device, files[i][0], &err), CT_OK);
        assert_string_equal(ct_device_class_print(device->of_class, words), files[i][1]);
        ct_device_free(device);
    }
}

/* What is written is read again, and says the same. */
static void it_is_written_again(void **state)
{
    ct_device *device = NULL;
    ct_text first = {0}, second = {0};
    ct_error err;
    (void)state;
    assert_int_equal(load(&device, whole, &err), CT_OK);
    ct_device_print(&first, device, CT_FORM_JSON);
    ct_device_free(device);
    assert_int_equal(load(&device, first.data, &err), CT_OK);
    ct_device_print(&second, device, CT_FORM_JSON);
    assert_string_equal(first.data, second.data);
    assert_non_null(strstr(first.data, "[\"vectors\", \"dots\"]"));
    ct_device_free(device);
    ct_text_free(&first);
    ct_text_free(&second);
}

static void mistakes_have_a_place(void **state)
{
    static const char *const wrong[][2] = {
        {"[]", ":1:1: expected an object that describes a device, found a list"},
        {"{", "no valid JSON"},
        {"{\"nmae\": \"one\"}", ":1:2: /nmae: unknown key \"nmae\"; did you mean \"name\"?"},
        {"{\"a/b\": 1}", ":1:2: /a~1b: unknown key \"a/b\"\n"},
        {"{\"kind\": \"gpu\"}", ":1:1: missing \"name\""},
        {"{\"kind\": \"gpu\"}", ":1:1: missing \"work_group\""},
        {"{\"kind\": \"tpu\"}", ":1:10: /kind: expected \"cpu\" or \"gpu\", found \"tpu\""},
        {"{\"name\": 3}", ":1:10: /name: expected a text of 1 to 127 bytes, found 3"},
        {"{\"name\": \"\"}", "/name: expected a text of 1 to 127 bytes, found \"\""},
        {"{\"work_group\": -1}", "/work_group: expected a whole number, 1 or more, found -1"},
        {"{\"work_group\": 1.5}", "/work_group: expected a whole number, 1 or more, found 1.5"},
        {"{\"work_group\": \"64\"}",
         "/work_group: expected a whole number, 1 or more, found \"64\""},
        {"{\"registers\": 0}", "/registers: expected a whole number, 1 or more, found 0"},
        {"{\"cornerturn_device\": 2}", "expected 1, the version of such files, found 2"},
        {"{\"accepts\": \"dots\"}", "/accepts: expected a list of texts, found \"dots\""},
        {"{\"accepts\": [\"dots\",\n3]}", ":2:1: /accepts/1: expected a text of 1 to 63 bytes"},
        {"{\"class\": \"\"}",
         "/class: expected words, such as \"cpu pocl amd avx512\", found \"\""},
        {"{\"class\": \"cpu avx51\"}",
         ":1:11: /class: unknown word \"avx51\"; did you mean \"avx512\"?"},
        {"{\"cornerturn_device\": 1, \"name\": \"one\", \"kind\": \"gpu\",\n\"class\": "
         "\"cpu\", " REST "}",
         ":2:10: /class: expected the word \"gpu\" in the class, as \"kind\" says"},
        {"{\"comment\": 3}", "/comment: expected a text, found 3"},
        {"{\"cornerturn_device\": 1, \"name\": \"one\", \"kind\": \"cpu\", \"compute_units\": 1, "
         "\"global_bytes\": 5, \"local_bytes\": 1, \"work_group\": 1,\n\"largest_buffer\": 7}",
         ":2:19: /largest_buffer: expected at most global_bytes, 5, found 7"}};
    ct_device *device = NULL;
    ct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(load(&device, wrong[i][0], &err), CT_INVALID);
        assert_null(device);
        if (!strstr(err.text, wrong[i][1])) fail_msg("%s: %s", wrong[i][0], err.text);
    }
}

static void a_file_must_be_there(void **state)
{
    ct_device *device = NULL;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_device_open(&device, "file:none.json", &err), CT_DATA);
    assert_null(device);
    assert_non_null(strstr(err.text, "none.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_a_device),    cmocka_unit_test(it_accepts_what_it_lists),
        cmocka_unit_test(nothing_runs_on_it),    cmocka_unit_test(it_is_written_again),
        cmocka_unit_test(mistakes_have_a_place), cmocka_unit_test(a_file_must_be_there),
        cmocka_unit_test(it_has_a_class),
    };
    return cmocka_run_group_tests_name("device_file", tests, make_file, remove_file);
}
