/* noise_control_test.c: a wait ends when others end, and when its time is over; what is too short
 * to tell disturbs nobody.
 * Room: tuner/measure. */
#include "noise_control.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A machine of four cores, on which others keep so much busy until a time. */
typedef struct machine {
    double now, until, share;
    bool known;
} machine;

static void look(void *of, ct_background_load *out)
{
    const machine *m = of;
    const double busy = 4 * m->share * fmin(m->now, m->until);
    *out = (ct_background_load){.known = m->known, .busy = busy, .idle = 4 * m->now - busy};
}

static void wait_for(void *of, double seconds)
{
    machine *m = of;
    m->now += seconds;
}

static double waits(machine *m, double most, bool *is_quiet)
{
    const ct_noise_control control = {look, wait_for, m};
    return ct_noise_wait(&control, most, is_quiet);
}

static void it_ends_when_others_end(void **state)
{
    bool is_quiet;
    machine m = {.until = 1, .share = 0.5, .known = true};
    (void)state;
    const double waited = waits(&m, 10, &is_quiet);
    assert_true(is_quiet);
    assert_true(waited > 1 && waited < 1.6);
}

static void it_ends_when_its_time_is_over(void **state)
{
    bool is_quiet;
    machine m = {.until = 100, .share = 0.5, .known = true};
    (void)state;
    const double waited = waits(&m, 3, &is_quiet);
    assert_false(is_quiet);
    assert_true(waited >= 3 && waited < 3.5);
    assert_true(waits(&m, 0, &is_quiet) <= 0);
}

static void little_load_and_none_known_do_not_disturb(void **state)
{
    bool is_quiet;
    machine little = {.until = 100, .share = 0.1, .known = true};
    machine silent = {.until = 100, .share = 0.9, .known = false};
    (void)state;
    assert_true(waits(&little, 3, &is_quiet) < 0.5 && is_quiet);
    assert_true(waits(&silent, 3, &is_quiet) < 0.5 && is_quiet);
}

static void what_is_busy(void **state)
{
    const ct_background_load start = {true, 10, 90, 4};
    const ct_background_load own = {true, 12, 90.1, 6}, others = {true, 12, 90.1, 4};
    const ct_background_load brief = {true, 10.04, 90.01, 4};
    (void)state;
    assert_false(ct_noise_is_disturbing(&start, &own));
    assert_true(ct_noise_is_disturbing(&start, &others));
    assert_false(ct_noise_is_disturbing(&start, &brief));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_ends_when_others_end),
                                       cmocka_unit_test(it_ends_when_its_time_is_over),
                                       cmocka_unit_test(little_load_and_none_known_do_not_disturb),
                                       cmocka_unit_test(what_is_busy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
