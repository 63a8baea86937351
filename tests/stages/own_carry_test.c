/* own_carry_test.c: a page of JSON whose sums may begin and end inside a firing: verify starts its
 * kernel with parts of a firing's samples, and finds one that adds others.
 * Room: tests. Knows only the public headers. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cornerturn_tune.h"
#include "expect_verify.h"

/* One case with several sums in a firing, one with a part of a sum. */
static const char page[] =
    "{ \"cornerturn\": 1, \"stage\": \"total\", \"source\": \"total.cl\", \"entry\": \"total\",\n"
    "  \"ports\": {\n"
    "    \"X\": { \"is\": \"in\", \"dims\": \"TC\", \"types\": \"i8\" },\n"
    "    \"Y\": { \"is\": \"out\", \"dims\": \"TC\", \"types\": \"i32\", \"exact\": true,\n"
    "           \"group\": { \"T\": \"P_SUM\" }, \"accumulate\": true, \"carry\": true } },\n"
    "  \"params\": { \"sum\": { \"kind\": \"integer\", \"needed\": true } },\n"
    "  \"parallel\": \"C, T\", \"reference\": \"right.cl\", \"tolerance\": 1e-6,\n"
    "  \"cases\": [{ \"params\": { \"sum\": 5 }, \"extents\": \"T=15 C=3\", \"type\": \"i8\" },\n"
    "            { \"params\": { \"sum\": 39 }, \"extents\": \"T=13 C=6\", \"type\": \"i8\" }] }\n";

static const char right_cl[] = "kernel void right(CT_ARGS)\n"
                               "{\n"
                               "    double sum = 0;\n"
                               "    for (int t = 0; t < DECIMATE; t++)\n"
                               "        sum += X(ID_T * DECIMATE + t, ID_C);\n"
                               "    Y_SAVE(ID_T, ID_C, sum);\n"
                               "}\n";

/* Where a kernel begins, ends, and what it begins with. */
static const char total_cl[] = "kernel void total(CT_ARGS)\n"
                               "{\n"
                               "    const int first = max(ID_T * DECIMATE, %s);\n"
                               "    const int end = min((ID_T + 1) * DECIMATE, %s);\n"
                               "    int sum = CT_ADD ? Y(ID_T, ID_C) : %s;\n"
                               "    for (int t = first; t < end; t++)\n"
                               "        sum += X(t, ID_C);\n"
                               "    Y(ID_T, ID_C) = sum;\n"
                               "}\n";

static char folder[] = "/tmp/ct_own_carry_XXXXXX";

static void write_file(const char *file, const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    fclose(out);
}

static ct_status verify_page(const char *first, const char *end, const char *start, bool quick,
                             ct_error *err)
{
    char path[96], kernel[sizeof total_cl + 96];
    const ct_verify_options options = {.size = sizeof options, .quick = quick};
    ct_context *context = NULL;
    snprintf(kernel, sizeof kernel, total_cl, first, end, start);
    write_file("total.cl", kernel);
    snprintf(path, sizeof path, "%s/total.json", folder);
    memset(err, 0, sizeof *err);
    report = (ct_verify_report){.size = sizeof report};
    ct_status status = ct_context_open(&context, err);
    if (status == CT_OK) status = ct_context_add_file(context, path, err);
    if (status == CT_OK)
        status = ct_tune_verify(context, one_device(err), "total", &options, &report, err);
    ct_context_free(context);
    return status;
}

static void test_sums_are_carried_on(void **state)
{
    ct_error err;
    (void)state;
    if (verify_page("CT_FIRST", "CT_END", "0", false, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(report.layouts, 2 * 4);
}

static void test_other_samples_are_found(void **state)
{
    static const struct {
        const char *first, *end, *start, *says;
    } all[] = {{"0", "CT_END", "0", ", only samples "},
               {"CT_FIRST", "X_N_T", "0", ", only samples "},
               {"CT_FIRST", "CT_END - 1", "0", "Y at t="},
               {"CT_FIRST", "CT_END", "CT_START != 0", "CT_START "}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ct_error err;
        const ct_status status = verify_page(all[i].first, all[i].end, all[i].start, true, &err);
        assert_int_equal(status, CT_MISMATCH);
        if (!strstr(err.text, all[i].says)) fail_msg("%s: %s", all[i].says, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_carried_on),
        cmocka_unit_test(test_other_samples_are_found),
    };
    char rest[64];
    if (!mkdtemp(folder)) return 1;
    write_file("total.json", page);
    write_file("right.cl", right_cl);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(rest, sizeof rest, "rm -r %s", folder);
    return system(rest) == 0 ? failed : 1;
}
