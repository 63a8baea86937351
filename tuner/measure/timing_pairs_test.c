/* timing_pairs_test.c: when a series of pairs stops: by mistake, for a true difference, when it is
 * hopeless.
 * Room: tuner/measure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "background_load.h"
#include "timing_pairs.h"

enum { SERIES = 4000, MOST = 30 };

/* ---------------------------------------------------------------- noise, from one seed */

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    const double size = sqrt(-2 * log(uniform(state)));
    return size * cos(6.283185307179586 * uniform(state));
}

/* Other programs: a tenth of the runs is far off. */
static double busy(uint64_t *state)
{
    const double noise = normal(state);
    return uniform(state) < 0.1 ? noise + 15 * normal(state) : noise;
}

typedef double noise_of(uint64_t *state);

/* Pairs until the series stops, MOST + 1 where it does not; ratio: of the true medians. */
static int series(uint64_t *state, noise_of *noise, double spread, double ratio)
{
    double a[MOST], b[MOST];
    for (int n = 0; n < MOST; n++) {
        a[n] = ratio * exp(spread * noise(state));
        b[n] = 1;
        if (ct_pairs_told(a, b, n + 1)) return n + 1;
    }
    return MOST + 1;
}

static void stops_by_mistake_are_few(void **state)
{
    static noise_of *const kinds[] = {normal, busy};
    uint64_t seed = 1;
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        int wrong = 0;
        for (int i = 0; i < SERIES; i++)
            wrong += series(&seed, kinds[kind], 0.02, 1.0) <= MOST;
        assert_true(wrong < SERIES / 20);
        assert_true(wrong > SERIES / 1000); /* it is not deaf */
    }
}

/* Half of the series stop after so many pairs. */
static int usual_pairs(noise_of *noise, double spread, double ratio)
{
    int stopped[MOST + 2] = {0}, sum = 0, pairs = 0;
    uint64_t seed = 2;
    for (int i = 0; i < SERIES; i++)
        stopped[series(&seed, noise, spread, ratio)]++;
    while (sum < SERIES / 2)
        sum += stopped[++pairs];
    return pairs;
}

static void differences_are_found(void **state)
{
    (void)state;
    assert_int_equal(usual_pairs(normal, 0.01, 1.3), CT_PAIRS_LEAST);
    assert_in_range(usual_pairs(normal, 0.01, 1.03), 3, 6);
    assert_in_range(usual_pairs(normal, 0.02, 0.97), 5, 12);
    assert_in_range(usual_pairs(busy, 0.01, 0.95), 3, 8);
    assert_true(usual_pairs(normal, 0.05, 1.01) > MOST); /* no number of pairs is enough */
}

static void equal_times_are_not_told_apart(void **state)
{
    const double a[] = {0.011, 0.012, 0.013, 0.011};
    (void)state;
    assert_false(ct_pairs_told(a, a, 4));
    assert_false(ct_pairs_told(a, (const double[]){1, 1}, 2));
}

/* ---------------------------------------------------------------- the loop */

typedef struct counted {
    double seconds;
    int runs, flush; /* the first few take twice as long */
} counted;

static ct_status counted_run(void *of, double *seconds, ct_error *err)
{
    counted *one = of;
    (void)err;
    *seconds = one->runs++ < one->flush ? 2 * one->seconds : one->seconds;
    return CT_OK;
}

static ct_pairs run(counted *a, counted b, double hopeless)
{
    ct_pairs pairs = {.most = MOST, .hopeless = hopeless};
    const ct_timed one = {counted_run, a}, other = {counted_run, &b};
    assert_int_equal(ct_pairs_run(&pairs, &one, &other, NULL), CT_OK);
    return pairs;
}

static void hopeless_ones_have_one_pair(void **state)
{
    (void)state;
    counted slow = {0.4, 0, 0}, slower = {0.7, 0, 0};
    ct_pairs pairs = run(&slow, (counted){0.1, 0, 0}, 3);
    assert_int_equal(pairs.count, 1);
    assert_true(pairs.a[0] == 0.4 && pairs.b[0] == 0.1);
    assert_int_equal(slow.runs, 2);
    pairs = run(&slower, (counted){0.1, 0, 0}, 3);
    assert_int_equal(pairs.count, 1);
    assert_int_equal(slower.runs, 1);
    pairs = run(&(counted){0.4, 0, 0}, (counted){0.1, 0, 0}, 0); /* nothing is hopeless */
    assert_int_equal(pairs.count, 3);
    pairs = run(&(counted){0.2, 0, 1}, (counted){0.1, 0, 0}, 3); /* it was only flush */
    assert_int_equal(pairs.count, 3);
    pairs = run(&(counted){0.1, 0, 0}, (counted){0.1, 0, 0}, 3);
    assert_int_equal(pairs.count, MOST);
}

/* ---------------------------------------------------------------- load */

static void load_is_what_others_do(void **state)
{
    const ct_background_load from = {.known = true, .busy = 100, .idle = 50, .own = 10};
    ct_background_load to = {.known = true, .busy = 103, .idle = 51, .own = 12};
    (void)state;
    assert_true(fabs(ct_load_between(&from, &to) - 0.25) < 1e-12);
    to.own = 14; /* counted in coarser steps than the system's */
    assert_true(ct_load_between(&from, &to) == 0);
    assert_true(ct_load_between(&from, &from) == -1);
    to.known = false;
    assert_true(ct_load_between(&from, &to) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_by_mistake_are_few),
        cmocka_unit_test(differences_are_found),
        cmocka_unit_test(equal_times_are_not_told_apart),
        cmocka_unit_test(hopeless_ones_have_one_pair),
        cmocka_unit_test(load_is_what_others_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
