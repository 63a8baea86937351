/* own_arrays_test.c: a stage whose cases bring what goes in and what must come out, as files and as
 * arrays in memory.
 * Room: tests. Knows only the public headers. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cornerturn_stage.h"
#include "expect_verify.h"

enum { SAMPLES = 5, WIDTH = 2 };
static const int8_t x_values[SAMPLES][WIDTH][2] = {{{1, 2}, {3, 4}},
                                                   {{5, 6}, {7, 8}},
                                                   {{9, 10}, {11, 12}},
                                                   {{-1, 0}, {0, -3}},
                                                   {{2, 2}, {100, 9}}};

/* Of as many samples as the stage takes, the last and `reach` before it, times 1 / (1 + c). */
static double y_value(int64_t t, int64_t c, int reach)
{
    double sum = 0;
    for (int64_t k = t - reach; k <= t; k++)
        if (k >= 0)
            sum += x_values[k][c][0] * x_values[k][c][0] + x_values[k][c][1] * x_values[k][c][1];
    return sum / (double)(1 + c);
}

static const char sum_cl[] =
    "kernel void sum(CT_ARGS)\n"
    "{\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k <= OVERLAP; k++)\n"
    "        sum += dot(X_LOAD(0, ID_T + k, ID_C), X_LOAD(0, ID_T + k, ID_C));\n"
    "    Y_SAVE(ID_T, ID_C, sum / (1 + ID_C));\n"
    "}\n";

static ct_status sum_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->overlap = 2;
    step->overlap_kind = ct_step_bool(step, "valid") ? CT_VALID : CT_HISTORY;
    return CT_OK;
}

static const ct_param sum_params[] = {{"valid", CT_PARAM_BOOL, "false", NULL, 0, 0, ""}, {0}};
static const ct_case sum_cases[] = {
    {NULL, "", "ci8", NULL}, {"{\"valid\": true}", "", NULL, NULL}, {0}};

static const ct_stage sum = {
    .api = CT_API,
    .name = "test.sum",
    .ports = {{"X", CT_IN, 0, "S?TC", "ci8", "*", NULL, NULL},
              {"Y", CT_OUT, 0, "TC", "f32", "*", NULL, NULL}},
    .params = sum_params,
    .infer = sum_infer,
    .kernel = {.text = sum_cl, .name = "sum.cl", .entry = "sum"},
    .verify = {.cases = sum_cases, .tolerance = 1e-6},
};

/* A .npy file of 8-bit or 64-bit numbers. */
static void write_npy(const char *file, const char *descr, const char *shape, const void *data,
                      size_t bytes)
{
    char header[118];
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    memset(header, ' ', sizeof header);
    header[sizeof header - 1] = '\n';
    const int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                 descr, shape);
    header[length] = ' ';
    assert_int_equal(fwrite("\x93NUMPY\1\0\x76\0", 1, 10, out), 10);
    assert_int_equal(fwrite(header, 1, sizeof header, out), sizeof header);
    assert_int_equal(fwrite(data, 1, bytes, out), bytes);
    fclose(out);
}

static char folder[] = "/tmp/ct_own_kernels_XXXXXX";

static const char *path(char out[64], const char *file)
{
    snprintf(out, 64, "%s/%s", folder, file);
    return out;
}

/* History is 0 before the stream, and what is valid begins after it. */
static void test_arrays_of_cases(void **state)
{
    double first[SAMPLES * WIDTH];
    double second[(SAMPLES - 2) * WIDTH];
    char x[64], y[64];
    ct_array given = {.type = CT_F64, .data = second};
    const ct_case_array arrays[] = {{1, "X", path(x, "x.npy"), NULL},
                                    {1, "Y", path(y, "y.npy"), NULL},
                                    {2, "X", x, NULL},
                                    {2, "Y", NULL, &given},
                                    {0}};
    ct_stage stage = sum;
    ct_error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    path(x, "x.npy");
    path(y, "y.npy");
    for (int i = 0; i < SAMPLES * WIDTH; i++)
        first[i] = y_value(i / WIDTH, i % WIDTH, 2);
    memcpy(second, first + 2 * WIDTH, sizeof second);
    ct_array_add(&given, 'T', SAMPLES - 2);
    ct_array_add(&given, 'C', WIDTH);
    ct_array_dense(&given, NULL);
    write_npy(x, "|i1", "5, 2, 2", x_values, sizeof x_values);
    write_npy(y, "<f8", "5, 2", first, sizeof first);
    stage.verify.arrays = arrays;
    if (verify(&stage, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(report.cases, 2);
    assert_int_equal(report.unreferenced, 0);
    second[3] += 1;
    expect(&stage, CT_MISMATCH, SAYS("test.sum case 2 (T=5 C=2, ci8): ", "Y at t=1 c=1: got"));
    second[3] -= 1;
    given.extent[0]--;
    expect(
        &stage, CT_DATA,
        SAYS("stage test.sum: case 2: Y: expected 3 x 2 of real numbers (TC), found 2 x 2 of f64"));
    given.extent[0]++;
    write_npy(y, "<f8", "2, 5", first, sizeof first);
    expect(&stage, CT_DATA,
           SAYS("y.npy: stage test.sum: case 1: Y: expected 5 x 2 of real numbers"));
    write_npy(y, "<f4", "10, 2", first, sizeof first);
    write_npy(x, "<f4", "5, 2", first, 40);
    expect(&stage, CT_DATA,
           SAYS("x.npy: stage test.sum: case 1: X: expected the dimensions S?TC and the type ci8, "
                "found 5 x 2 of f32"));
    unlink(x);
    expect(&stage, CT_DATA, SAYS("x.npy"));
    unlink(y);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrays_of_cases)};
    return cmocka_run_group_tests_name("own_arrays", tests, NULL, NULL);
}
