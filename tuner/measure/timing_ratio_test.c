/* timing_ratio_test.c: medians of ratios, and intervals as tables of the sign test have them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

enum { PAIRS = 200 };

static void assert_interval(size_t pairs, double place)
{
    double values[PAIRS], out[3];
    for (size_t i = 0; i < pairs; i++)
        values[i] = (double)((i * 7) % pairs) + 1; /* 1 .. pairs, for 7 divides none of them */
    assert_int_equal(ct_tune_ratio(out, values, NULL, pairs, NULL), CT_OK);
    assert_true(out[1] == place && out[2] == (double)pairs + 1 - place);
    assert_true(out[0] >= (double)pairs / 2 && out[0] <= (double)pairs / 2 + 1);
}

static void places_are_those_of_the_tables(void **state)
{
    (void)state;
    assert_interval(1, 1);
    assert_interval(5, 1);
    assert_interval(6, 1);
    assert_interval(8, 1);
    assert_interval(9, 2);
    assert_interval(10, 2);
    assert_interval(20, 6);
    assert_interval(50, 18);
    assert_interval(100, 40);
}

static void ratios_are_of_pairs(void **state)
{
    (void)state;
    const double a[] = {2, 8, 30}, b[] = {1, 2, 10};
    double out[3];
    assert_int_equal(ct_tune_ratio(out, a, b, 3, NULL), CT_OK);
    assert_true(fabs(out[0] - 3) < 1e-12 && out[1] == 2 && out[2] == 4);
    assert_int_equal(ct_tune_ratio(out, a, b, 2, NULL), CT_OK);
    assert_true(fabs(out[0] - sqrt(8)) < 1e-12);
    assert_int_equal(ct_tune_ratio(out, a, b, 0, NULL), CT_USAGE);
}

/* Of 2000 series of 15 ratios with a median of 1, one in twenty at most is said to be another. */
static void intervals_hold_what_they_promise(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int missed = 0;
    for (int series = 0; series < 2000; series++) {
        double a[15], out[3];
        for (int i = 0; i < 15; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            a[i] = exp((double)(seed >> 33) / (double)(1u << 31) - 0.5);
        }
        assert_int_equal(ct_tune_ratio(out, a, NULL, 15, NULL), CT_OK);
        missed += out[1] > 1 || out[2] < 1;
    }
    assert_in_range(missed, 20, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_those_of_the_tables),
                                       cmocka_unit_test(ratios_are_of_pairs),
                                       cmocka_unit_test(intervals_hold_what_they_promise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
