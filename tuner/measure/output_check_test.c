/* output_check_test.c: what of a candidate's output agrees with the default's: rounded sums but for
 * a few that are next to the middle between two integers. Room: tuner/measure. */
#include "layout.h"
#include "output_check.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SAMPLES = 40000 };

/* EVERY: of so many samples one has BY more than it should; 0: none has. */
static const ct_tunable tunables[] = {
    {"EVERY", "0 1000 20000", "0", "0", "which samples are wrong"},
    {"BY", "1 2", "1", "1", "by how much"},
    {0}};

#define ROUNDING(type, most)                                                                       \
    {                                                                                              \
        .api = CT_API, .version = 1, .name = "rounding",                                           \
        .ports = {{"X", CT_IN, 0, "T", "f32", "*", NULL, ""},                                      \
                  {"Y", CT_OUT, CT_PORT_EXACT, "T", type, "*", NULL, ""}},                         \
        .tuning = {.tunables = tunables},                                                          \
        .kernel = {.text = "kernel void rounding(CT_ARGS)\n{\n"                                    \
                           "    const int all = EVERY, more = all > 0 && ID_T % max(all, 1) == 7 " \
                           "? BY : 0;\n"                                                           \
                           "    Y(ID_T) = (Y_TYPE)(20 + more);\n}\n",                              \
                   .name = "rounding.cl",                                                          \
                   .entry = "rounding",                                                            \
                   .parallel = "T"},                                                               \
        .verify = {.tolerance = most},                                                             \
    }
static const ct_stage bytes = ROUNDING("i8", 1e-5), exact = ROUNDING("i8", 0),
                      counts = ROUNDING("u32", 1e-5);

static ct_step *step_of(ct_device *device, const ct_stage *stage, int64_t every, int64_t by)
{
    ct_step *step = NULL;
    ct_error err = {0};
    ct_layout layout = {.rank = 1, .dim = "T"};
    assert_int_equal(ct_step_new(&step, stage, "rounding", NULL, NULL, NULL, &err), CT_OK);
    ct_step_set_device(step, device);
    step->port[0].type = CT_F32;
    ct_array_add(&step->port[0], 'T', SAMPLES);
    assert_int_equal(ct_step_infer(step, &err), CT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ct_step_set_layout(step, i, &layout, &err), CT_OK);
    ct_step_default_tunables(step);
    step->tunable[0] = every;
    step->tunable[1] = by;
    return step;
}

/* What the check says of a candidate that is wrong so often, and by so much. */
static ct_status checked(ct_device *device, const ct_stage *stage, int64_t every, int64_t by)
{
    ct_buffer_pool pool = {0};
    ct_timed_step *usual = NULL, *other = NULL;
    ct_check check = {0};
    ct_error err = {0}, why = {0};
    double seconds;
    ct_step *right = step_of(device, stage, 0, 1), *step = step_of(device, stage, every, by);
    if (ct_timed_step_new(&usual, device, right, &pool, &err) != CT_OK ||
        ct_timed_step_new(&other, device, step, &pool, &err) != CT_OK ||
        ct_check_take(&check, usual, &seconds, &err) != CT_OK)
        fail_msg("%s", err.text);
    const ct_status status = ct_check_run(&check, other, &seconds, &why);
    ct_check_free(&check);
    ct_timed_step_free(other);
    ct_timed_step_free(usual);
    ct_timed_step_pool_free(&pool);
    ct_step_free(step);
    ct_step_free(right);
    return status;
}

static void a_few_rounded_sums_may_be_the_next_integer(void **state)
{
    ct_device *device = NULL;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_device_open(&device, NULL, &err), CT_OK);
    assert_int_equal(checked(device, &bytes, 0, 1), CT_OK);
    assert_int_equal(checked(device, &bytes, 20000, 1), CT_OK);
    assert_int_equal(checked(device, &bytes, 20000, 2), CT_MISMATCH);
    assert_int_equal(checked(device, &bytes, 1000, 1), CT_MISMATCH);
    assert_int_equal(checked(device, &exact, 20000, 1), CT_MISMATCH);
    assert_int_equal(checked(device, &counts, 20000, 1), CT_MISMATCH);
    ct_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_rounded_sums_may_be_the_next_integer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
