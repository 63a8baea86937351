/* limits_test.c: the measuring kernels do what they are said to do, and no limit is
 * nonsense. */
#include "device.h"
#include "limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void run_once(ct_device *device, ct_limit limit, int64_t width, ct_buffer_pool *pool,
                     ct_timed_step **out)
{
    ct_error err = {0};
    double seconds = 0;
    if (ct_limits_work(out, device, limit, width, pool, &err) != CT_OK) fail_msg("%s", err.text);
    ct_timed timing = ct_timed_step_timing(*out);
    assert_int_equal(timing.run(timing.of, &seconds, &err), CT_OK);
    assert_true(seconds > 0);
}

/* Both copies move every byte, at every width. */
static void copies_copy(void **state)
{
    ct_device *device = *state;
    for (int limit = CT_LIMIT_COPY; limit <= CT_LIMIT_NT_COPY; limit++)
        for (int64_t width = 1; width <= 16; width *= 2) {
            ct_buffer_pool pool = {0};
            ct_timed_step *timed = NULL;
            run_once(device, (ct_limit)limit, width, &pool, &timed);
            size_t bytes = ct_array_bytes(&timed->step->port[0]);
            assert_true(ct_limits_amount(timed) == 2.0 * (double)bytes);
            char *from = malloc(bytes), *to = malloc(bytes);
            assert_int_equal(ct_buffer_read(&pool.mem[0], device, 0, from, bytes, NULL), CT_OK);
            memset(to, 0, bytes);
            assert_int_equal(ct_buffer_read(&pool.mem[1], device, 0, to, bytes, NULL), CT_OK);
            assert_memory_equal(from, to, bytes);
            free(from);
            free(to);
            ct_timed_step_free(timed);
            ct_timed_step_pool_free(&pool);
        }
}

/* x -> x * scale + offset has the fixed point offset / (1 - scale); twelve of them are added. */
static void multiplies_and_adds(void **state)
{
    ct_device *device = *state;
    ct_buffer_pool pool = {0};
    ct_timed_step *timed = NULL;
    float in[2] = {0.5f, 0.75f}, out[1024];
    run_once(device, CT_LIMIT_FMA_F32, 1, &pool, &timed);
    ct_timed timing = ct_timed_step_timing(timed);
    double seconds;
    assert_int_equal(ct_buffer_write(&pool.mem[0], device, 0, in, sizeof in, NULL), CT_OK);
    assert_int_equal(timing.run(timing.of, &seconds, NULL), CT_OK);
    assert_int_equal(ct_buffer_read(&pool.mem[1], device, 0, out, sizeof out, NULL), CT_OK);
    for (int i = 0; i < 1024; i++)
        assert_float_equal(out[i], 12 * 0.75 / (1 - 0.5), 1e-4);
    ct_timed_step_free(timed);
    ct_timed_step_pool_free(&pool);
}

static void limits_are_plausible(void **state)
{
    ct_limits limits;
    ct_error err = {0};
    if (ct_limits_measure(&limits, *state, &err) != CT_OK) fail_msg("%s", err.text);
    assert_true(limits.rate[CT_LIMIT_FMA_F32] > 1e9);
    assert_true(limits.rate[CT_LIMIT_COPY] > 1e8);
    assert_true(limits.rate[CT_LIMIT_NT_COPY] > 1e8);
    assert_true(limits.rate[CT_LIMIT_LOCAL] > limits.rate[CT_LIMIT_COPY]);
    for (int i = 0; i < CT_LIMITS; i++)
        assert_true(limits.rate[i] == 0 || limits.width[i] > 0);
}

static void medians(void **state)
{
    (void)state;
    const double odd[] = {9, 1, 5}, even[] = {4, 2, 8, 6}, half[] = {18, 4, 5};
    assert_true(ct_rounds_median(odd, 3) == 5);
    assert_true(ct_rounds_median(even, 4) == 5);
    assert_true(ct_rounds_ratio(half, odd, 3) == 2);
}

static int open_device(void **state)
{
    ct_device *device = NULL;
    ct_error err = {0};
    if (ct_device_open(&device, NULL, &err) != CT_OK) {
        print_message("%s\n", err.text);
        exit(77);
    }
    *state = device;
    return 0;
}

static int close_device(void **state)
{
    ct_device_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(medians), cmocka_unit_test(copies_copy),
                                       cmocka_unit_test(multiplies_and_adds),
                                       cmocka_unit_test(limits_are_plausible)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
