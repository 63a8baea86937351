/* npy_load_test.c: whole .npy files for parameters: strides of both orders, types, messages. */
#include "io_trial.h"

static const ct_param load_params[] = {{"weights", CT_PARAM_FILE, NULL, NULL, 0, 0, "numbers"},
                                       {0}};
static const ct_stage loader = {.api = CT_API,
                                .name = "loader",
                                .summary = "a stage with a file",
                                .ports = {{"Y", CT_OUT, 0, "*", "f32", "*", NULL, "none"}},
                                .params = load_params};

static ct_status load(trial *t, ct_array *out, const char *dictionary, const void *numbers,
                      size_t bytes, ct_error *err)
{
    trial_npy(trial_path("w.npy"), dictionary, numbers, bytes);
    ct_status status = trial_make(t, &loader, err, "{'weights': '%s'}", trial_path("w.npy"));
    return status == CT_OK ? ct_npy_load(t->step, "weights", out, err) : status;
}

static void both_orders_are_read(void **unused)
{
    static const double rows[] = {0, 1, 2, 10, 11, 12}, columns[] = {0, 10, 1, 11, 2, 12};
    (void)unused;
    for (int fortran = 0; fortran < 2; fortran++) {
        trial t = {0};
        ct_array out = {0};
        char text[128];
        snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': %s, 'shape': (2, 3), }",
                 fortran ? "True" : "False");
        assert_ok(load(&t, &out, text, fortran ? columns : rows, sizeof rows, err));
        assert_int_equal(out.type, CT_F64);
        assert_int_equal(out.rank, 2);
        assert_true(out.extent[0] == 2 && out.extent[1] == 3);
        for (int64_t i = 0; i < 2; i++)
            for (int64_t j = 0; j < 3; j++) {
                int64_t at = i * out.stride[0] + j * out.stride[1];
                assert_true(ct_array_load(&out, at).re == (double)(10 * i + j));
            }
        trial_free(&t);
    }
}

static void complex_and_swapped_numbers_are_read(void **unused)
{
    (void)unused;
    trial t = {0};
    ct_array out = {0};
    const uint8_t big[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}; /* 1 - 2i */
    const char *text = "{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }";
    assert_ok(load(&t, &out, text, big, sizeof big, err));
    assert_int_equal(out.type, CT_CF32);
    assert_true(ct_array_load(&out, 0).re == 1 && ct_array_load(&out, 0).im == -2);
    trial_free(&t);
}

static void messages_name_the_parameter(void **unused)
{
    (void)unused;
    trial t = {0};
    ct_array out = {0};
    const char *text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    assert_fails(load(&t, &out, text, "12345678", 8, err), CT_INVALID, "weights");
    trial_free(&t);
    assert_fails(load(&t, &out, text, "12345678", 8, err), CT_INVALID, "expected 12 bytes");
    trial_free(&t);
    text = "{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }";
    assert_fails(load(&t, &out, text, "12345678", 8, err), CT_INVALID, "'|O8'");
    trial_free(&t);
    assert_ok(trial_make(&t, &loader, err, "{'weights': '/tmp/no/such.npy'}"));
    assert_fails(ct_npy_load(t.step, "weights", &out, err), CT_INVALID, "cannot be opened");
    trial_free(&t);
    assert_ok(trial_make(&t, &loader, err, "{}"));
    assert_fails(ct_npy_load(t.step, "weights", &out, err), CT_INVALID, "found none");
    trial_free(&t);
}

static void write_text(const char *name, const char *text)
{
    trial_write(trial_path(name), text, strlen(text));
}

static void axes_are_named_beside_it(void **unused)
{
    (void)unused;
    trial t = {0};
    ct_array out = {0};
    const char *dims, *text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    assert_ok(load(&t, &out, text, "1234", 4, err));
    assert_ok(ct_npy_dims(t.step, "weights", &dims, err));
    assert_null(dims);
    write_text("w.json", "{\"cornerturn\": 1, \"dims\": \"BS\"}");
    assert_ok(ct_npy_dims(t.step, "weights", &dims, err));
    assert_null(dims);
    write_text("w.json", "{\"dims\": \"BS\"}");
    assert_ok(ct_npy_dims(t.step, "weights", &dims, err));
    assert_string_equal(dims, "BS");
    write_text("w.npy.json", "{\"dims\": \"CBS\"}");
    assert_ok(ct_npy_dims(t.step, "weights", &dims, err));
    assert_string_equal(dims, "CBS");
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_orders_are_read),
        cmocka_unit_test(complex_and_swapped_numbers_are_read),
        cmocka_unit_test(messages_name_the_parameter),
        cmocka_unit_test(axes_are_named_beside_it),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
