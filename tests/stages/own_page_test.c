/* own_page_test.c: a page of JSON whose reference and table are kernels and one case of which
 * brings its own arrays, verified; and a mistake in its kernel, by the kernel's own line.
 * Room: tests. Knows only the public headers. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cornerturn_tune.h"
#include "expect_verify.h"

static const char page[] =
    "{ \"cornerturn\": 1, \"stage\": \"power\", \"source\": \"power.cl\", \"entry\": \"power\",\n"
    "  \"ports\": {\n"
    "    \"X\": { \"is\": \"in\", \"dims\": \"TC\", \"types\": \"cf32 f32\" },\n"
    "    \"G\": { \"is\": \"table\", \"dims\": \"C\", \"types\": \"f32\", \"kernel\": \"fill\" },\n"
    "    \"Y\": { \"is\": \"out\", \"dims\": \"TC\", \"types\": \"f32\" } },\n"
    "  \"parallel\": \"C, T\", \"reference\": \"right.cl\", \"tolerance\": 1e-6,\n"
    "  \"cases\": [{ \"extents\": \"T=11 C=6\", \"type\": \"cf32\" },\n"
    "            { \"inputs\": { \"X\": \"x.npy\" }, \"outputs\": { \"Y\": \"y.npy\" } }] }\n";

static const char power_cl[] = "kernel void power(CT_ARGS)\n"
                               "{\n"
                               "#if X_COMPLEX\n"
                               "    const float p = dot(X_LOAD(ID_T, ID_C), X_LOAD(ID_T, ID_C));\n"
                               "#else\n"
                               "    const float p = X_LOAD(ID_T, ID_C) * X_LOAD(ID_T, ID_C);\n"
                               "#endif\n"
                               "    Y_SAVE(ID_T, ID_C, G(ID_C) * p);\n"
                               "}\n"
                               "kernel void fill(CT_ARGS)\n"
                               "{\n"
                               "    G_SAVE(ID_C, 1 + ID_C);\n"
                               "}\n";

static const char right_cl[] =
    "kernel void right(CT_ARGS)\n"
    "{\n"
    "#if X_COMPLEX\n"
    "    Y_SAVE(ID_T, ID_C, G(ID_C) * dot(X(ID_T, ID_C), X(ID_T, ID_C)));\n"
    "#else\n"
    "    Y_SAVE(ID_T, ID_C, 0);\n"
    "#endif\n"
    "}\n";

static char folder[] = "/tmp/ct_own_page_XXXXXX";

static void write_file(const char *file, const void *data, size_t bytes)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, bytes, out), bytes);
    fclose(out);
}

/* Samples x channels of floats. */
static void write_floats(const char *file, float values[2][3])
{
    char bytes[128 + 24];
    memset(bytes, ' ', 128);
    memcpy(bytes, "\x93NUMPY\1\0\x76\0", 10);
    const int length =
        snprintf(bytes + 10, 118, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    bytes[10 + length] = ' ';
    bytes[127] = '\n';
    memcpy(bytes + 128, values, 24);
    write_file(file, bytes, sizeof bytes);
}

static ct_status verify_page(ct_error *err)
{
    char path[96];
    ct_context *context = NULL;
    snprintf(path, sizeof path, "%s/power.json", folder);
    memset(err, 0, sizeof *err);
    report = (ct_verify_report){.size = sizeof report};
    ct_status status = ct_context_open(&context, err);
    if (status == CT_OK) status = ct_context_add_file(context, path, err);
    if (status == CT_OK)
        status = ct_tune_verify(context, one_device(err), "power", NULL, &report, err);
    ct_context_free(context);
    return status;
}

static void test_a_page(void **state)
{
    static const char wrong_cl[] = "kernel void power(CT_ARGS)\n"
                                   "{\n"
                                   "    Y_SAVE(ID_T, ID_C, G(ID_C) * nothing);\n"
                                   "}\n"
                                   "kernel void fill(CT_ARGS) { G_SAVE(ID_C, 1); }\n";
    float x[2][3] = {{1, 2, 3}, {-4, 5, 6}}, y[2][3] = {{1, 8, 27}, {16, 50, 108}};
    ct_error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_file("power.json", page, sizeof page - 1);
    write_file("power.cl", power_cl, sizeof power_cl - 1);
    write_file("right.cl", right_cl, sizeof right_cl - 1);
    write_floats("x.npy", x);
    write_floats("y.npy", y);
    if (verify_page(&err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(report.cases, 2);
    assert_int_equal(report.layouts, 2 * 4);
    assert_int_equal(report.unreferenced, 0);
    y[1][2]++;
    write_floats("y.npy", y);
    assert_int_equal(verify_page(&err), CT_MISMATCH);
    assert_non_null(strstr(err.text, "power case 2 (T=2 C=3, f32): "));
    assert_non_null(strstr(err.text, "Y at t=1 c=2: got 108, expected 109 (1 of 6 wrong)"));
    write_file("power.cl", wrong_cl, sizeof wrong_cl - 1);
    assert_int_equal(verify_page(&err), CT_INVALID);
    assert_non_null(strstr(err.text, "power.cl:3:34: building step power"));
    assert_non_null(strstr(err.text, "use of undeclared identifier 'nothing'"));
}

static int remove_folder(void **state)
{
    static const char *const files[] = {"power.json", "power.cl", "right.cl", "x.npy", "y.npy"};
    char path[96];
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_a_page, remove_folder)};
    return cmocka_run_group_tests_name("own_page", tests, NULL, NULL);
}
