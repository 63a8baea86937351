/* newcomer_test.c: the conformance call accepts a stage written from nothing but docs/kernels.md,
 * and finds what is wrong in broken ones: a wrong element, a write outside, a layout's own mistake.
 * Room: tests. */
#include "cornerturn_tune.h"
#include "exhaustive.h"
#include "newcomer.h"
#include "one_device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    ct_context *context;
    ct_device *device;
} bench;

static int bench_open(void **state)
{
    static bench one;
    ct_error err = {0};
    one.device = one_device(&err);
    if (!one.device || ct_context_open(&one.context, &err) != CT_OK) {
        print_error("%s\n", err.text);
        return -1;
    }
    *state = &one;
    return 0;
}

static int bench_close(void **state)
{
    bench *one = *state;
    ct_context_free(one->context);
    return 0;
}

static ct_status bench_verify(bench *one, const ct_stage *stage, unsigned most_layouts,
                              ct_verify_report *report, ct_error *err)
{
    ct_verify_options options = {.size = sizeof options, .most_layouts = most_layouts};
    assert_int_equal(ct_context_add_stage(one->context, stage, err), CT_OK);
    return ct_tune_verify(one->context, one->device, stage->name, &options, report, err);
}

/* Every layout; of their 144 pairs, each of which is compiled, some; a few if one of Y is enough.
 */
static void newcomer_passes_in_every_layout(void **state)
{
    const bool all = few_or_all(0, 1);
    const ct_verify_options options = {.size = sizeof options,
                                       .write = all ? NULL : "CTPS",
                                       .most_layouts = 40,
                                       .most_tunables = all ? 0 : 2};
    const int pairs = all ? 40 : 6;
    bench *one = *state;
    ct_error err = {0};
    ct_verify_report report = {.size = sizeof report};
    assert_int_equal(ct_context_add_stage(one->context, &newcomer, &err), CT_OK);
    ct_status status =
        ct_tune_verify(one->context, one->device, "newcomer", &options, &report, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(report.cases, 2);
    assert_int_equal(report.layouts, 2 * pairs);
    assert_int_equal(report.tunables, 2 * (all ? 3 * 2 : 2));
    assert_int_equal(report.others, 2 * (1 + 2));
    assert_true(report.worst > 0 && report.worst <= 1e-6);
}

static const char *changed(char *out, size_t size, const char *from, const char *to)
{
    const char *at = strstr(newcomer_cl, from);
    assert_non_null(at);
    snprintf(out, size, "%.*s%s%s", (int)(at - newcomer_cl), newcomer_cl, to, at + strlen(from));
    return out;
}

static void wrong_element_is_named(void **state)
{
    char source[1024];
    ct_error err = {0};
    ct_verify_report report = {.size = sizeof report};
    ct_stage broken = newcomer;
    ct_verify_options options = {
        .size = sizeof options, .read = "TSP", .write = "CTPS", .most_tunables = 1};
    bench *one = *state;
    broken.name = "broken";
    broken.kernel.text =
        changed(source, sizeof source, "Y_SAVE(s, p, t, c, sum)",
                "Y_SAVE(s, p, t, c, s == 2 && t == 1 && c >= 3 ? sum + 1.0f : sum)");
    assert_int_equal(ct_context_add_stage(one->context, &broken, &err), CT_OK);
    assert_int_equal(ct_tune_verify(one->context, one->device, "broken", &options, &report, &err),
                     CT_MISMATCH);
    assert_non_null(strstr(err.text, "broken case 1 (S=3 P=2 T=35, ci8): read TSP write CTPS"));
    assert_non_null(strstr(err.text, "WG=4 ORDER=up: Y at s=2 p=0 t=1 c=3: got ("));
    assert_non_null(strstr(err.text, "(8 of 210 wrong)"));
}

static void write_outside_is_found(void **state)
{
    char source[1024];
    ct_error err = {0};
    ct_verify_report report = {.size = sizeof report};
    ct_stage broken = newcomer;
    broken.name = "outside";
    broken.kernel.text =
        changed(source, sizeof source, "    Y_SAVE(s, p, t, c, sum);\n",
                "    Y_SAVE(s, p, t, c, sum);\n"
                "    if (s == N_S - 1 && p == N_P - 1 && t == Y_N_T - 1 && c == N_C - 1)\n"
                "        Y_SAVE(s, p, t, c + 1, sum);\n");
    assert_int_equal(bench_verify(*state, &broken, 1, &report, &err), CT_MISMATCH);
    assert_non_null(
        strstr(err.text, "Y is written beyond its end: 1 element, the farthest 1 away"));
}

static void missing_write_is_found(void **state)
{
    char source[1024];
    ct_error err = {0};
    ct_verify_report report = {.size = sizeof report};
    ct_stage broken = newcomer;
    broken.name = "missing";
    broken.kernel.text = changed(source, sizeof source, "    if (CT_OUTSIDE)",
                                 "    if (CT_OUTSIDE || (Y_FASTEST == DIM_S && s == 1))");
    assert_int_equal(bench_verify(*state, &broken, 1, &report, &err), CT_MISMATCH);
    assert_non_null(
        strstr(err.text, "Y at s=1 p=0 t=0 c=0 is left unwritten (70 of 210 elements)"));
}

static void compiler_names_the_file(void **state)
{
    char source[1024];
    ct_error err = {0};
    ct_verify_report report = {.size = sizeof report};
    ct_stage broken = newcomer;
    broken.name = "unbuilt";
    broken.kernel.text = changed(source, sizeof source, "sum += W", "zum += W");
    assert_int_equal(bench_verify(*state, &broken, 1, &report, &err), CT_INVALID);
    assert_non_null(strstr(err.text, "tests/newcomer.cl:9:9: building step unbuilt (read "));
    assert_non_null(strstr(err.text, "use of undeclared identifier 'zum'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(newcomer_passes_in_every_layout, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(wrong_element_is_named, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(write_outside_is_found, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(missing_write_is_found, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(compiler_names_the_file, bench_open, bench_close),
    };
    return cmocka_run_group_tests_name("newcomer", tests, NULL, NULL);
}
