/* split_test.c: what a stage declares in `split` and is not true is found, and what is true is not
 * blamed. Room: tuner/verify (test). Oracle: stages whose sums are known by heart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

/* The square of the sum over stations, or the sum; per channel. */
static const char sums_cl[] = "kernel void sums(CT_ARGS)\n"
                              "{\n"
                              "    if (CT_OUTSIDE) return;\n"
                              "    float sum = 0;\n"
                              "    for (int s = 0; s < X_N_S; s++)\n"
                              "        sum += X_LOAD(s, ID_T, ID_C) * W_LOAD(s, ID_C);\n"
                              "    Y_SAVE(ID_T, ID_C, P_SQUARE ? sum * sum : sum);\n"
                              "}\n";

static ct_status sums_infer(ct_step *step, ct_error *err)
{
    ct_array *w = ct_step_port(step, "W");
    (void)err;
    w->type = CT_F32;
    ct_array_set(w, 'S', ct_array_extent(ct_step_array(step, "X"), 'S'));
    ct_array_set(w, 'C', ct_array_extent(ct_step_array(step, "X"), 'C'));
    return CT_OK;
}

/* Other for every station and channel, so that a part with another's is found. */
static ct_status sums_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    (void)step, (void)port, (void)err;
    for (int64_t i = 0; i < ct_array_count(fill); i++)
        ct_array_save(fill, i, 1 + 0.25 * (double)i, 0);
    return CT_OK;
}

static ct_status sums_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[0];
    const int64_t stations = x->extent[0], samples = x->extent[1], channels = x->extent[2];
    (void)err;
    for (int64_t i = 0; i < samples * channels; i++) {
        double sum = 0;
        for (int64_t s = 0; s < stations; s++)
            sum += ct_array_load(x, s * samples * channels + i).re *
                   ct_array_load(&ports[1], s * channels + i % channels).re;
        ct_array_save(&ports[2], i, ct_step_bool(step, "square") ? sum * sum : sum, 0);
    }
    return CT_OK;
}

static const ct_param sums_params[] = {
    {"square", CT_PARAM_BOOL, "false", NULL, 0, 0, "the sum's square"}, {0}};
static const ct_case linear[] = {{NULL, "S=5 T=7 C=3", "f32", NULL}, {0}};
static const ct_case squares[] = {{"{\"square\": true}", "S=5 T=7 C=3", "f32", NULL}, {0}};
static const ct_case small[] = {{NULL, "S=5 T=7 C=1", "f32", NULL}, {0}};

static const ct_stage sums = {
    .api = CT_API,
    .version = 1,
    .summary = "sums over stations",
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, "powers"},
              {"W", CT_TABLE, 0, "SC", "f32", "*", NULL, "weights"},
              {"Y", CT_OUT, 0, "TC", "f32", "*", NULL, "their sum"}},
    .params = sums_params,
    .infer = sums_infer,
    .table = sums_table,
    .kernel = {.text = sums_cl, .name = "sums.cl", .entry = "sums", .parallel = "C, T"},
    .verify = {.tolerance = 1e-6, .reference = sums_reference},
};

/* What verify says of the stage with this split and these cases, in one layout of the input (NULL:
 * in all). */
static ct_status verified(const char *name, const char *split, const char *read,
                          const ct_case *cases, ct_error *err)
{
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_stage stage = sums;
    const ct_verify_options quick = {.size = sizeof quick, .quick = true, .read = read};
    stage.name = name;
    stage.split = split;
    stage.verify.cases = cases;
    assert_int_equal(ct_context_open(&context, err), CT_OK);
    assert_int_equal(ct_device_open(&device, NULL, err), CT_OK);
    ct_status status = ct_context_add_stage(context, &stage, err);
    if (status == CT_OK) status = ct_tune_verify(context, device, name, &quick, NULL, err);
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

static void takes_what_is_true(void **state)
{
    ct_error err = {0};
    (void)state;
    assert_int_equal(verified("test.sums", "T C +S", "STC", linear, &err), CT_OK);
    assert_int_equal(err.count, 0);
}

static void finds_what_does_not_add_up(void **state)
{
    ct_error err = {0};
    (void)state;
    assert_int_equal(verified("test.squares", "T +S", "STC", squares, &err), CT_MISMATCH);
    assert_non_null(strstr(err.text, "the parts along S do not add up"));
    assert_non_null(strstr(err.text, "declares that it can be split along S by adding"));
}

static void finds_what_no_case_tries(void **state)
{
    ct_error err = {0};
    (void)state;
    assert_int_equal(verified("test.small", "C T", NULL, small, &err), CT_MISMATCH);
    assert_non_null(strstr(err.text, "can be split along C, and no case has two or more along it"));
}

static void refuses_what_is_no_split(void **state)
{
    static const char *const wrong[][2] = {{"S", "no output has a dimension S"},
                                           {"+D", "no input has a dimension D"},
                                           {"T T", "T stands there twice"},
                                           {"T C S+", "column 5"},
                                           {"t", "column 1"},
                                           {"*", "ports of any dimensions"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ct_error err = {0};
        assert_int_equal(verified("test.wrong", wrong[i][0], NULL, linear, &err), CT_INVALID);
        assert_non_null(strstr(err.text, wrong[i][1]));
    }
}

/* ---- sources */

/* 1, 2, 3 .. at every station, 1000 more for the next one; `from`: what it takes for the first. */
typedef struct count_state {
    int64_t next, first;
} count_state;

static ct_status count_infer(ct_step *step, ct_error *err)
{
    ct_array *y = ct_step_port(step, "Y");
    (void)err;
    *y = (ct_array){.type = CT_F32, .meta = {.total = 100, .sample_time_s = 1}};
    ct_array_add(y, 'S', 5);
    ct_array_add(y, 'T', 100);
    return CT_OK;
}

static ct_status count_open(ct_step *step, void **state, ct_error *err)
{
    count_state *count = *state = ct_step_alloc(step, sizeof *count);
    (void)err;
    if (!count) return CT_FAILED;
    if (!ct_step_bool(step, "lies")) count->first = ct_step_range_first(step, 'S');
    return CT_OK;
}

static ct_status count_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    count_state *count = state;
    const int64_t samples = ct_array_extent(block, 'T'), left = 100 - count->next;
    (void)err;
    *got = left < samples ? left : samples;
    for (int64_t s = 0; s < ct_array_extent(block, 'S'); s++)
        for (int64_t t = 0; t < *got; t++) {
            const double value = 1000 * (double)(count->first + s) + (double)(count->next + t);
            ct_array_save(block, s * samples + t, value, 0);
            flags[s * samples + t] = (count->first + s + t) % 3 == 0;
        }
    count->next += *got;
    return CT_OK;
}

static const ct_param count_params[] = {
    {"lies", CT_PARAM_BOOL, "false", NULL, 0, 0, "a part is read as if it were the first"}, {0}};

static ct_status counted(const char *name, const char *params, ct_error *err)
{
    const ct_case cases[] = {{params, "T=64", NULL, NULL}, {0}};
    const ct_verify_options quick = {.size = sizeof quick, .quick = true};
    const ct_stage stage = {
        .api = CT_API,
        .version = 1,
        .name = name,
        .summary = "numbers one after the other",
        .ports = {{"Y", CT_OUT, 0, "ST", "f32", "*", NULL, "numbers"}},
        .params = count_params,
        .infer = count_infer,
        .split = "S",
        .verify = {.cases = cases},
        .io = {.open = count_open, .read = count_read},
    };
    ct_context *context = NULL;
    ct_device *device = NULL;
    assert_int_equal(ct_context_open(&context, err), CT_OK);
    assert_int_equal(ct_device_open(&device, NULL, err), CT_OK);
    ct_status status = ct_context_add_stage(context, &stage, err);
    if (status == CT_OK) status = ct_tune_verify(context, device, name, &quick, NULL, err);
    ct_device_free(device);
    ct_context_free(context);
    return status;
}

static void reads_a_source_in_parts(void **state)
{
    ct_error err = {0};
    (void)state;
    assert_int_equal(counted("test.counts", NULL, &err), CT_OK);
    assert_int_equal(err.count, 0);
    assert_int_equal(counted("test.liar", "{\"lies\": true}", &err), CT_MISMATCH);
    assert_non_null(strstr(err.text,
                           "stage test.liar declares that it can be split along S: part 2.. "
                           "by itself gives other samples"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_source_in_parts),    cmocka_unit_test(takes_what_is_true),
        cmocka_unit_test(finds_what_does_not_add_up), cmocka_unit_test(finds_what_no_case_tries),
        cmocka_unit_test(refuses_what_is_no_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
