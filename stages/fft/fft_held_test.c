/* fft_held_test.c: what is held is used by the FFTW that it is for, and estimates do for the rest.
 * Room: stages/fft, tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef CT_HAVE_FFTW
#include "fft_held.h"
#include <math.h>
#include <stdio.h>

enum { ROWS = 4, MOST = 8192 };

/* Of an impulse at 1: a phase that goes round once. */
static void check(fftwf_plan plan, int length, fftwf_complex *from, fftwf_complex *to)
{
    for (int c = 0; c < length; c++)
        from[c][0] = c == 1, from[c][1] = 0;
    fftwf_execute_dft(plan, from, to);
    for (int k = 0; k < length; k++) {
        double phase = -2 * acos(-1) * k / length;
        assert_true(hypot(to[k][0] - cos(phase), to[k][1] - sin(phase)) < 2e-6);
    }
}

/* How many of its rows the plan transforms at a time. */
static int64_t plan_rows(int length)
{
    fftwf_complex *from = fftwf_alloc_complex(ROWS * MOST), *to = fftwf_alloc_complex(ROWS * MOST);
    fft_rows rows = {length, ROWS, length, length};
    fftwf_plan plan = ct_fft_held_plan(&rows, from, to);
    assert_non_null(plan);
    for (int i = 0; i < ROWS * MOST; i++)
        from[i][0] = from[i][1] = 0;
    check(plan, length, from, to);
    fftwf_destroy_plan(plan);
    fftwf_free(from);
    fftwf_free(to);
    return rows.rows;
}

static void test_usual_lengths_are_held(void **state)
{
    static const int usual[] = {60, 96, 128, 256, 512, 768, 1000, 1024, 2048, 4096};
    (void)state;
    if (!fftwf_import_wisdom_from_filename("stages/fft/fftw_x86_avx.wisdom")) skip();
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        assert_int_equal(plan_rows(usual[i]), 1);
}

static void test_others_are_estimated(void **state)
{
    (void)state;
    assert_int_equal(plan_rows(16), ROWS); /* as fast as can be */
    assert_int_equal(plan_rows(77), ROWS);
    assert_int_equal(plan_rows(251), ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_lengths_are_held),
        cmocka_unit_test(test_others_are_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    return 77;
}
#endif
