/* access_test.c: the accessor text, read as text and executed on a device.
 *
 * Room: layouts (test). Oracle: ct_array_load and ct_array_save on the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access.h"
#include "kernel.h"
#include "layout.h"
#include "text.h"

enum { S = 3, T = 5, C = 7, ELEMENTS = S * T * C };

static ct_array box(ct_type type, const char *layout, int64_t offset)
{
    ct_array array = {.type = type};
    ct_array_add(&array, 'S', S);
    ct_array_add(&array, 'T', T);
    ct_array_add(&array, 'C', C);
    ct_layout order = {.rank = 3};
    memcpy(order.dim, layout, 4);
    ct_array_dense(&array, &order);
    array.offset = offset;
    return array;
}

static void emit(ct_text *text, const char *name, const ct_array *array, bool write)
{
    const ct_access access = {
        .name = name, .letters = "SPTC", .aliases = "S-TC", .array = array, .write = write};
    ct_access_emit(text, &access);
}

static void has(const ct_text *text, const char *line)
{
    if (!strstr(text->data, line)) fail_msg("no \"%s\" in\n%s", line, text->data);
}

static void text_is_literal(void **state)
{
    (void)state;
    ct_text text = {0};
    const ct_array array = box(CT_CI8, "TCS", 4);
    emit(&text, "X", &array, false);
    has(&text, "#define X_TYPE char2\n");
    has(&text, "#define X_INDEX int\n");
    has(&text, "#define X_N_T 5\n");
    has(&text, "#define X_N_P 1\n");
    has(&text, "#define X_STRIDE_T 21\n");
    has(&text, "#define X_STRIDE_P 0\n");
    has(&text, "#define X_OFFSET 4\n");
    has(&text, "#define X_FASTEST 83 /* S */\n");
    has(&text, "#define X_IS_ci8 1\n");
    has(&text, "#define X_COMPLEX 1\n");
    assert_null(strstr(text.data, "X_SAVE"));
    ct_text_free(&text);
}

static void wide_only_where_needed(void **state)
{
    (void)state;
    ct_array array = box(CT_U8, "STC", 0);
    array.stride[0] = (INT32_MAX - 35) / 2;
    array.offset = INT32_MAX - 1 - 2 * array.stride[0] - 34;
    assert_int_equal(ct_array_span(&array), INT32_MAX);
    ct_text text = {0};
    emit(&text, "X", &array, false);
    has(&text, "#define X_INDEX int\n");
    ct_text_free(&text);
    array.offset++;
    emit(&text, "X", &array, false);
    has(&text, "#define X_INDEX long\n");
    has(&text, "#define X_STRIDE_C 1L\n");
    ct_text_free(&text);
}

static void fill(ct_array *array)
{
    for (int64_t k = 0; k < ct_array_span(array); k++)
        ct_array_save(array, k, (double)(k * 37 % 251) - 120.5, (double)(k * 53 % 127) - 60);
}

/* Y = X through LOAD and SAVE, with arguments that need their parentheses. */
static const char copy_text[] =
    "kernel void copy(global const X_TYPE *restrict X_data, global Y_TYPE *restrict Y_data)\n"
    "{\n"
    "    const int s = get_global_id(0);\n"
    "    for (int t = 0; t < X_N_T; t++)\n"
    "        for (int c = -1; c + 1 < X_N_C; c++)\n"
    "            Y_SAVE(s, 0 ? 3 : 0, t | 0, c + 1, X_LOAD(s + 1 - 1, 0, t | 0, c + 1) * SCALE);\n"
    "}\n";

static void check_copy(kernel_device *device, ct_type type, const char *read, const char *write)
{
    ct_array x = box(type, read, 2), y = box(type, write, 5), expected = y;
    x.data = calloc(1, 4096);
    y.data = calloc(1, 4096);
    expected.data = calloc(1, 4096);
    fill(&x);
    ct_text text = {0};
    ct_text_add(&text, "#define SCALE %s\n", ct_type_integer(type) ? "0.375f" : "1.0f");
    emit(&text, "X", &x, false);
    emit(&text, "Y", &y, true);
    ct_text_add(&text, "%s", copy_text);
    const double scale = ct_type_integer(type) ? 0.375 : 1.0;
    for (int n = 0; n < ELEMENTS; n++) {
        const int64_t place[] = {n / (T * C), n / C % T, n % C};
        int64_t from = x.offset, to = y.offset;
        for (int k = 0; k < 3; k++) {
            from += place[k] * x.stride[k];
            to += place[k] * y.stride[k];
        }
        const ct_complex value = ct_array_load(&x, from);
        ct_array_save(&expected, to, value.re * scale, value.im * scale);
    }
    const kernel_memory memory[] = {{x.data, 4096}, {y.data, 4096}};
    assert_true(kernel_build(device, text.data));
    assert_true(kernel_run(device, "copy", S, 1, memory, 2));
    assert_memory_equal(y.data, expected.data, 4096);
    ct_text_free(&text);
    free(x.data);
    free(y.data);
    free(expected.data);
}

static void every_type_loads_and_saves(void **state)
{
    static const ct_type types[] = {CT_CI4, CT_CI8, CT_CI16, CT_CI32, CT_CI64,
                                    CT_U8,  CT_U16, CT_U32,  CT_I8,   CT_I16,
                                    CT_I32, CT_F16, CT_CF16, CT_F32,  CT_CF32};
    static const char *const layouts[] = {"STC", "TCS", "CTS", "SCT"};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        check_copy(*state, types[k], layouts[k % 4], layouts[(k + 1 + k / 4) % 4]);
}

int main(void)
{
    kernel_device device;
    if (!kernel_open(&device)) {
        puts("skipped: no OpenCL device");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_literal),
        cmocka_unit_test(wide_only_where_needed),
        cmocka_unit_test_prestate(every_type_loads_and_saves, &device),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kernel_close(&device);
    return failed;
}
