/* timed_step_test.c: what a step is timed on: noise that is harmless, and nothing flagged; and that
 * it is the same after it was put past the caches.
 * Room: tuner/measure, tests. */
#include "cache_flush.h"
#include "layout.h"
#include "stage.h"
#include "timed_step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { X, M, Y };

static ct_status count_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->port[M] = ct_step_flags(step, M, false);
    step->port[Y] = step->port[X];
    return CT_OK;
}

static const char count_cl[] = "kernel void count(CT_ARGS)\n"
                               "{\n"
                               "    Y(ID_S, ID_T) = M(ID_S, ID_T) ? 0 : X(ID_S, ID_T);\n"
                               "}\n";
static const ct_stage count = {
    .api = CT_API,
    .name = "test.count",
    .infer = count_infer,
    .ports = {[X] = {"X", CT_IN, 0, "ST", "f32", "*", NULL, NULL},
              [M] = {"M", CT_IN, CT_PORT_FLAGS | CT_PORT_OPTIONAL, "ST", "u8", "ST", NULL, NULL},
              [Y] = {"Y", CT_OUT, 0, "ST", "f32", "*", NULL, NULL}},
    .kernel = {.text = count_cl, .name = "count.cl", .entry = "count"},
};

static void *contents(const ct_timed_step *timed, int port)
{
    size_t bytes = ct_array_bytes(&timed->step->port[port]);
    void *read = malloc(bytes);
    assert_int_equal(ct_buffer_read(&timed->pool->mem[port], timed->device, 0, read, bytes, NULL),
                     CT_OK);
    return read;
}

/* Whole, and twice: in the copy's first run and in one that finds it built. */
static void stays_as_it_is_after_a_flush(ct_timed_step *timed)
{
    ct_cache_flush flush = {0};
    ct_flushed_step aside = {timed, &flush};
    const ct_timed timing = ct_cache_flush_timed(&aside);
    const size_t bytes = ct_array_bytes(&timed->step->port[X]);
    double seconds = 0;
    float *x = contents(timed, X), *y = contents(timed, Y);
    for (int run = 0; run < 2; run++) {
        assert_int_equal(timing.run(timing.of, &seconds, NULL), CT_OK);
        assert_true(seconds > 0);
        float *x_now = contents(timed, X), *y_now = contents(timed, Y);
        assert_memory_equal(x_now, x, bytes);
        assert_memory_equal(y_now, y, bytes);
        free(x_now);
        free(y_now);
    }
    assert_true(timed->device->gpu || (flush.copy[0] && flush.bytes[0] <= bytes));
    free(x);
    free(y);
    ct_cache_flush_free(&flush);
}

static void test_samples_are_noise_and_none_is_flagged(void **state)
{
    ct_device *device = NULL;
    ct_buffer_pool pool = {0};
    ct_timed_step *timed = NULL;
    stage_case made;
    ct_error err = {0};
    double seconds = 0;
    (void)state;
    if (ct_device_open(&device, NULL, &err) != CT_OK) skip();
    stage_make(&made, &count, "{}", "S=3 T=100000", CT_F32); /* longer than the noise is */
    for (int i = X; i <= Y; i++) {
        ct_layout natural = ct_layout_natural(&made.step->port[i]);
        assert_int_equal(ct_step_set_layout(made.step, i, &natural, &err), CT_OK);
    }
    if (ct_timed_step_new(&timed, device, made.step, &pool, &err) != CT_OK)
        fail_msg("%s", err.text);
    ct_timed timing = ct_timed_step_timing(timed);
    assert_int_equal(timing.run(timing.of, &seconds, &err), CT_OK);
    uint8_t *flags = contents(timed, M);
    float *x = contents(timed, X), *y = contents(timed, Y);
    for (int64_t n = 0; n < ct_array_count(&made.step->port[X]); n++) {
        assert_int_equal(flags[n], 0);
        assert_true(fabsf(x[n]) >= 0.5f && fabsf(x[n]) < 1 && y[n] == x[n]);
    }
    free(flags);
    free(x);
    free(y);
    stays_as_it_is_after_a_flush(timed);
    ct_timed_step_free(timed);
    ct_timed_step_pool_free(&pool);
    stage_free(&made);
    ct_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_are_noise_and_none_is_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
