/* device_test.c: devices are found by number or by a part of a name; buffers keep what is written.
 * Room: core/device. Needs an OpenCL platform. */
#include "device_cl.h"
#include "text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int open_device(void **state)
{
    ct_error err = {0};
    return ct_device_open((ct_device **)state, NULL, &err) == CT_OK ? 0 : -1;
}

static int close_device(void **state)
{
    ct_device_free(*state);
    return 0;
}

static void names_find_the_device(void **state)
{
    const ct_device *first = *state;
    ct_device *device = NULL;
    ct_error err = {0};
    char part[128];
    snprintf(part, sizeof part, "%.*s", (int)strlen(first->name) - 1, first->name);
    for (char *letter = part; *letter; letter++)
        *letter = (char)(*letter >= 'a' && *letter <= 'z' ? *letter - 32 : *letter);
    assert_int_equal(ct_device_open(&device, part, &err), CT_OK);
    assert_string_equal(ct_device_name(device), first->name);
    ct_device_free(device);
    assert_int_equal(ct_device_open(&device, first->platform_name, &err), CT_OK);
    ct_device_free(device);
    assert_int_equal(ct_device_open(&device, "0", &err), CT_OK);
    assert_true(device->work_group >= 1 && device->local_bytes > 0 && device->largest_buffer > 0);
    ct_device_free(device);
}

static void unknown_names_list_what_there_is(void **state)
{
    const ct_device *first = *state;
    ct_device *device = NULL;
    ct_error err = {0};
    assert_int_equal(ct_device_open(&device, "999", &err), CT_NO_DEVICE);
    assert_null(device);
    assert_non_null(strstr(err.text, "there is no device \"999\"; there "));
    assert_non_null(strstr(err.text, first->name));
}

static void list_names_the_device(void **state)
{
    const ct_device *first = *state;
    ct_text text = {0};
    ct_error err = {0};
    assert_int_equal(ct_device_list(&text, CT_FORM_TEXT, &err), CT_OK);
    assert_non_null(strstr(text.data, first->name));
    ct_text_free(&text);
}

static void buffers_keep_what_is_written(void **state)
{
    ct_device *device = *state;
    ct_buffer buffer;
    ct_error err = {0};
    unsigned char out[5000], in[5000];
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (unsigned char)(i * 31 + 7);
    assert_int_equal(ct_buffer_new(&buffer, device, 7001, &err), CT_OK);
    assert_int_equal(ct_buffer_write(&buffer, device, 2001, out, sizeof out, &err), CT_OK);
    assert_int_equal(ct_buffer_read(&buffer, device, 2001, in, sizeof in, &err), CT_OK);
    assert_memory_equal(in, out, sizeof out);
    assert_int_equal(device->gpu, buffer.host == NULL);
    if (buffer.host) assert_memory_equal((char *)buffer.host + 2001, out, sizeof out);
    ct_buffer_free(&buffer);
    assert_null(buffer.mem);
}

static void too_large_a_buffer_is_refused(void **state)
{
    ct_buffer buffer;
    ct_error err = {0};
    assert_int_equal(ct_buffer_new(&buffer, *state, (size_t)1 << 50, &err), CT_FAILED);
    assert_non_null(strstr(err.text, "making a buffer of 1073741824.0 MiB on the device: CL_"));
    assert_null(buffer.mem);
    assert_null(buffer.host);
}

/* A probe is believed only by its answer: neither a text that does not build nor one that gives
 * something else is accepted, and nothing is where no device is open. */
static void probes_are_asked(void **state)
{
    const ct_device *device = *state;
    static const char yes[] = "kernel void probe(global int *answer) { answer[0] = 1; }";
    static const char no[] = "kernel void probe(global int *answer) { answer[0] = 2; }";
    static const char other[] = "kernel void other(global int *answer) { answer[0] = 1; }";
    const ct_device closed = {.gpu = true};
    for (int again = 0; again < 2; again++) {
        assert_true(ct_device_accepts(device, yes));
        assert_false(ct_device_accepts(device, no));
        assert_false(ct_device_accepts(device, other));
    }
    assert_false(ct_device_accepts(device, "kernel void probe(global int *answer) { nonsense }"));
    assert_false(ct_device_accepts(&closed, yes));
}

/* More texts than answers are kept of. */
static void many_probes_are_asked(void **state)
{
    char text[128];
    for (int n = 0; n < 20; n++) {
        snprintf(text, sizeof text, "kernel void probe(global int *a) { a[0] = %d %% 3; }", n);
        assert_int_equal(ct_device_accepts(*state, text), n % 3 == 1);
    }
}

/* Its kind, its class and the smaller limits are the file's, its compiler is its own, and another
 * queue of it is of the same kind. */
static void it_is_treated_as_another(void **state)
{
    const ct_device *is = *state;
    ct_device *device = NULL, *beside = NULL;
    ct_error err = {0};
    char words[CT_DEVICE_CLASS_TEXT];
    static const char yes[] = "kernel void probe(global int *answer) { answer[0] = 1; }";
    assert_int_equal(ct_device_open(&device, "as:examples/devices/h200.json", &err), CT_OK);
    assert_int_equal(ct_device_check(device, &err), CT_OK);
    assert_true(device->gpu);
    assert_false(device->shares);
    assert_non_null(strstr(device->name, " as NVIDIA H200"));
    assert_string_equal(ct_device_class_print(device->of_class, words), "gpu nvidia");
    assert_int_equal(device->compute_units, 132);
    assert_true(device->local_bytes <= 49152 && device->local_bytes <= is->local_bytes);
    assert_true(device->work_group <= 1024 && device->work_group <= is->work_group);
    assert_true(device->global_bytes <= is->global_bytes);
    assert_false(ct_device_accepts(device, yes)); /* not in the list */
    assert_int_equal(ct_device_beside(&beside, device, &err), CT_OK);
    ct_device_free(device);
    assert_true(beside->gpu);
    assert_false(ct_device_accepts(beside, yes));
    buffers_keep_what_is_written((void **)&beside);
    ct_device_free(beside);
    assert_int_equal(ct_device_open(&device, "as:none.json", &err), CT_DATA);
    assert_null(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_the_device),
        cmocka_unit_test(unknown_names_list_what_there_is),
        cmocka_unit_test(list_names_the_device),
        cmocka_unit_test(buffers_keep_what_is_written),
        cmocka_unit_test(too_large_a_buffer_is_refused),
        cmocka_unit_test(probes_are_asked),
        cmocka_unit_test(many_probes_are_asked),
        cmocka_unit_test(it_is_treated_as_another),
    };
    return cmocka_run_group_tests_name("device", tests, open_device, close_device);
}
