/* missing_stage_test.c: missing_test.c for the calls of cornerturn_stage.h. */
#include "missing.h"

static void arrays_and_copies(void **state)
{
    const ct_copy_place nowhere = {0};
    ct_array array = {.type = CT_F32};
    ct_copy copy = {.word = 4};
    ct_copy_place place = nowhere;
    ct_layout layout;
    ct_products products;
    ct_launch launch;
    char byte = 0;
    (void)state;
    LACKS("out", ct_layout_parse, NULL, "ST", &err);
    LACKS("text", ct_layout_parse, &layout, NULL, &err);
    assert_int_equal(ct_type_parse(NULL), CT_NONE);
    assert_string_equal(ct_type_name(CT_NONE), "none");
    assert_int_equal(ct_type_bits(CT_NONE), 0);
    assert_false(ct_type_complex(CT_NONE));
    assert_false(ct_type_integer(CT_NONE));
    assert_null(ct_dim_name(0));
    assert_int_equal(ct_array_find(NULL, 'S'), -1);
    assert_int_equal(ct_array_extent(NULL, 'S'), 1);
    assert_int_equal(ct_array_stride(NULL, 'S'), 0);
    assert_int_equal(ct_array_count(NULL), 0);
    assert_int_equal(ct_array_span(NULL), 0);
    assert_int_equal(ct_array_bytes(NULL), 0);
    assert_false(ct_array_dense(NULL, NULL));
    assert_false(ct_array_add(NULL, 'S', 2));
    assert_false(ct_array_set(NULL, 'S', 2));
    assert_int_equal(ct_array_part(NULL, 'S', 0, 1).rank, 0);
    assert_int_equal(ct_array_groups(NULL), 0);
    assert_int_equal(ct_array_group(NULL, 0), 0);
    assert_null(ct_array_product(NULL, 0));
    assert_int_equal(ct_array_feed(NULL), CT_FEED_UNKNOWN);
    assert_null(ct_product_find(NULL));
    assert_null(ct_product_at(SIZE_MAX));
    assert_string_equal(ct_product_feed(CT_FEEDS), "");
    assert_string_equal(ct_products_print(NULL, NULL), "");
    LACKS("out", ct_products_parse, NULL, "IQUV", &err);
    LACKS("text", ct_products_parse, &products, NULL, &err);
    assert_null(ct_step_products(NULL, "IQUV", CT_FEED_UNKNOWN));
    ct_copy_array(NULL, &array);
    ct_copy_array(&array, NULL);
    assert_true(ct_array_load(NULL, 0).re == 0);
    ct_array_save(NULL, 0, 1, 1);
    assert_int_equal(ct_copy_make(NULL, &array).dim[0].extent, 0);
    assert_int_equal(ct_copy_make(&array, NULL).dim[0].extent, 0);
    ct_copy_add(NULL, (ct_copy_dim){.extent = 2});
    assert_int_equal(ct_copy_count(NULL), 0);
    ct_copy_sort(NULL, true);
    ct_copy_merge(NULL);
    ct_copy_run(NULL, &byte, &byte);
    ct_copy_run(&copy, NULL, &byte);
    ct_copy_run(&copy, &byte, NULL);
    ct_copy_row(NULL, 1, &byte, 1, 1, 1);
    ct_copy_row(&byte, 1, NULL, 1, 1, 1);
    assert_false(ct_copy_next(NULL, 0, &place));
    assert_false(ct_copy_next(&copy, 0, NULL));
    ct_transpose_emit(NULL, NULL);
    ct_transpose_launch(NULL, NULL);
    ct_transpose_launch(&launch, NULL);
}

static int print_args(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = ct_number_print_args(out, size, format, args);
    va_end(args);
    return length;
}

static void values_and_text(void **state)
{
    static const char *const words[] = {"one", NULL};
    ct_value *value = NULL;
    (void)state;
    LACKS("out", ct_value_parse, NULL, "{}", "a", &err);
    LACKS("text", ct_value_parse, &value, NULL, "a", &err);
    LACKS("name", ct_value_parse, &value, "{}", NULL, &err);
    LACKS("out", ct_value_load, NULL, "a.json", &err);
    LACKS("file", ct_value_load, &value, NULL, &err);
    contract_must(ct_value_parse(&value, "{}", "a", &err), &err);
    assert_null(ct_value_get(value, NULL));
    ct_value_free(value);
    ct_value_free(NULL);
    assert_int_equal(ct_value_kind(NULL), CT_NULL);
    assert_int_equal(ct_value_count(NULL), 0);
    assert_null(ct_value_at(NULL, 0));
    assert_null(ct_value_key(NULL, 0));
    assert_null(ct_value_get(NULL, "a"));
    assert_true(ct_value_bool(NULL, true));
    assert_int_equal(ct_value_int(NULL, 3), 3);
    assert_true(ct_value_real(NULL, 3) == 3);
    assert_null(ct_value_text(NULL, NULL));
    ct_text_add(NULL, "nowhere");
    assert_true(ct_number_read(NULL, NULL) == 0);
    assert_int_equal(ct_number_print(NULL, 0, "%d", 12), 2);
    assert_int_equal(print_args(NULL, 0, "%d", 12), 2);
    assert_string_equal(ct_number_shortest(NULL, 0.5, false), "null");
    assert_int_equal(ct_text_letter(NULL), 0);
    ct_text_add_sort(NULL, NULL, 1, 4);
    assert_null(ct_suggest_nearest(NULL, words));
    assert_null(ct_suggest_nearest("one", NULL));
}

static void steps(void **state)
{
    const double position[3] = {0};
    ct_output_file file;
    double local[3];
    int64_t number;
    ct_array array;
    const char *dims;
    ct_solutions solutions;
    size_t length;
    (void)state;
    LACKS("step", ct_step_evaluate, NULL, "1", &number, &err);
    LACKS("expression", ct_step_evaluate, step, NULL, &number, &err);
    LACKS("out", ct_step_evaluate, step, "1", NULL, &err);
    LACKS("step", ct_step_create, NULL, "a", &file, &err);
    LACKS("file", ct_step_create, mine, NULL, &file, &err);
    LACKS("out", ct_step_create, mine, "a", NULL, &err);
    LACKS("step", ct_step_create_folder, NULL, "a", &file, &err);
    LACKS("file", ct_step_create_folder, mine, NULL, &file, &err);
    LACKS("out", ct_step_create_folder, mine, "a", NULL, &err);
    LACKS("step", ct_step_fail, NULL, "taps", &err, "%s", "no");
    LACKS("step", ct_npy_load, NULL, "file", &array, &err);
    LACKS("param", ct_npy_load, mine, NULL, &array, &err);
    LACKS("out", ct_npy_load, mine, "file", NULL, &err);
    LACKS("step", ct_npy_dims, NULL, "file", &dims, &err);
    LACKS("param", ct_npy_dims, mine, NULL, &dims, &err);
    LACKS("dims", ct_npy_dims, mine, "file", NULL, &err);
    LACKS("step", ct_npy_load_file, NULL, "a.npy", &array, &err);
    LACKS("file", ct_npy_load_file, mine, NULL, &array, &err);
    LACKS("out", ct_npy_load_file, mine, "a.npy", NULL, &err);
    LACKS("step", ct_h5parm_load, NULL, "a.h5", NULL, "phase000", NULL, &solutions, &err);
    LACKS("file", ct_h5parm_load, mine, NULL, NULL, "phase000", NULL, &solutions, &err);
    LACKS("soltab", ct_h5parm_load, mine, "a.h5", NULL, NULL, NULL, &solutions, &err);
    LACKS("out", ct_h5parm_load, mine, "a.h5", NULL, "phase000", NULL, NULL, &err);
    LACKS("step", ct_step_local, NULL, position, local, &err);
    LACKS("itrf", ct_step_local, step, NULL, local, &err);
    LACKS("out", ct_step_local, step, position, NULL, &err);
    LACKS("step", ct_step_directions, NULL, 60000, 0, 1, NULL, NULL, &err);
    LACKS("radec", ct_step_directions, step, 60000, 0, 1, NULL, NULL, &err);
    LACKS("step", ct_step_probe_allgather, NULL, CT_OK, NULL, 0, &err);
    assert_int_equal(ct_step_keep_open(NULL, 0), CT_USAGE);
    assert_int_equal(ct_step_int(NULL, "taps") + ct_step_int(step, NULL), 0);
    assert_true(ct_step_real(NULL, "taps") + ct_step_real(step, NULL) == 0);
    assert_false(ct_step_bool(NULL, "taps") || ct_step_bool(step, NULL));
    assert_false(ct_step_text(NULL, "taps") || ct_step_text(step, NULL));
    assert_int_equal(ct_step_choice(NULL, "taps") + ct_step_choice(step, NULL), -2);
    assert_false(ct_step_value(NULL, "taps") || ct_step_value(step, NULL));
    assert_false(ct_step_path(NULL, "file") || ct_step_path(step, NULL));
    assert_string_equal(ct_step_resolve(NULL, "a"), "");
    assert_string_equal(ct_step_resolve(mine, NULL), "");
    assert_false(ct_step_port(NULL, "X") || ct_step_port(mine, NULL));
    assert_false(ct_step_array(NULL, "X") || ct_step_array(step, NULL));
    assert_int_equal(ct_step_tunable(NULL, "WG") + ct_step_tunable(step, NULL), 0);
    assert_null(ct_step_alloc(NULL, 1));
    ct_step_suggest(NULL, "WG", 1);
    ct_step_suggest(mine, NULL, 1);
    assert_int_equal(ct_step_next_below(NULL, "WG") + ct_step_next_below(step, NULL), 0);
    assert_false(ct_step_device_accepts(NULL, "") || ct_step_device_accepts(step, NULL));
    assert_false(ct_step_stopped(NULL) || ct_step_may_wait(NULL));
    ct_step_live(NULL, 1, true);
    ct_step_reads(NULL, "file", "a");
    ct_step_reads(mine, "file", NULL);
    ct_step_writes(NULL, "file", "a");
    ct_step_writes(mine, "file", NULL);
    ct_step_updates(NULL, "W");
    ct_step_updates(mine, NULL);
    ct_step_warn(NULL, "nobody reads it");
    ct_step_say(NULL, "nobody reads it");
    assert_null(ct_step_incomplete(NULL));
    assert_int_equal(ct_step_observation(NULL)->stations, 0);
    assert_int_equal(ct_step_range_first(NULL, 'S'), 0);
    assert_int_equal(ct_step_whole_extent(NULL, "X", 'S') + ct_step_whole_extent(step, NULL, 'S'),
                     0);
    assert_int_equal(ct_step_whole(NULL).rank, 0);
    ct_step_unsplit(NULL, "why");
    ct_step_unsplit(mine, NULL);
    ct_step_probe_range(NULL, 'S', 1, &number, &number);
    ct_step_probe_range(mine, 'S', 1, NULL, &number);
    ct_step_probe_range(mine, 'S', 1, &number, NULL);
    assert_null(ct_stage_condition(NULL, 0, &length));
    assert_null(ct_stage_condition(step->stage, 0, NULL));
    assert_string_equal(ct_step_name(NULL), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_and_copies),
        cmocka_unit_test(values_and_text),
        cmocka_unit_test(steps),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
