/* pulse_search_test.c: what the search finds is what a plain search in double precision over the
 * whole series finds, however the series is cut into blocks; pure noise gives what noise may give.
 * Room: io/candidates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pulse_search.h"

enum { MOST = 40000 };

static uint64_t chance = 1;

static double uniform(void)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return ((double)(chance >> 11) + 0.5) / 9007199254740992.0;
}

static int64_t below(int64_t n)
{
    return (int64_t)(uniform() * (double)n);
}

static double gauss(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

/* ---- the oracle: everything at once, in double precision, with full sorts */

typedef struct oracle {
    double snr;
    int64_t left_out, no_noise;
    double *level; /* [count] */
} oracle;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double upper_median(double *x, int64_t count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return x[count / 2];
}

/* False: too few, or all the same. */
static bool noise_of(const float *x, int64_t from, int64_t to, int64_t fewest, double *median,
                     double *sigma)
{
    double *sorted = malloc(sizeof *sorted * (size_t)(to - from + 1));
    int64_t count = 0;
    for (int64_t i = from; i < to; i++)
        if (isfinite(x[i])) sorted[count++] = (double)x[i];
    if (count >= fewest) {
        *median = upper_median(sorted, count);
        for (int64_t i = 0; i < count; i++)
            sorted[i] = fabs(sorted[i] - *median);
        *sigma = 1.4826 * upper_median(sorted, count);
    }
    free(sorted);
    return count >= fewest && *sigma > 0;
}

static double boxcar(const oracle *o, int64_t sample, int64_t width)
{
    double sum = 0;
    for (int64_t i = 0; i < width; i++)
        sum += o->level[sample + i];
    return sum / sqrt((double)width);
}

static oracle look(const float *x, int64_t count, int64_t widest, int64_t stretch)
{
    oracle o = {.level = calloc((size_t)count + 1, sizeof(double))};
    for (int64_t from = 0; from < count; from += stretch) {
        double median = 0, sigma = 0;
        const int64_t to = from + stretch < count ? from + stretch : count;
        const int64_t back = to - stretch > 0 ? to - stretch : 0;
        const bool known =
            noise_of(x, back, to, widest * 8 > 128 ? widest * 8 : 128, &median, &sigma);
        for (int64_t i = from; i < to; i++) {
            o.left_out += !isfinite(x[i]);
            o.no_noise += isfinite(x[i]) && !known;
            if (isfinite(x[i]) && known)
                o.level[i] = fmax(fmin(((double)x[i] - median) / sigma, 1e30), -1e30);
        }
    }
    for (int64_t width = 1; width <= widest; width *= 2)
        for (int64_t i = 0; i + width <= count; i++)
            o.snr = fmax(o.snr, boxcar(&o, i, width));
    return o;
}

/* ---- the search, in blocks */

static ct_search begin(int64_t count, int64_t widest, int64_t stretch)
{
    ct_search p = {.count = count, .widest = widest, .stretch = stretch};
    ct_search_begin(&p, calloc(1, (size_t)ct_search_bytes((double)count, widest, stretch)));
    for (int64_t i = 0; i < count; i++)
        p.series[i].ratio = i + 1;
    return p;
}

/* block 0: of any size. x: one series, which all are. Those of another ratio stop earlier. */
static ct_search search(const float *x, int64_t count, int64_t widest, int64_t stretch,
                        int64_t block)
{
    ct_search p = begin(2, widest, stretch);
    for (int64_t at = 0, now; at < count; at += now) {
        now = block > 0 ? block : 1 + below(3 * stretch);
        if (now > count - at) now = count - at;
        ct_search_extend(&p, now);
        ct_search_add(&p, 0, x + at, 1, now);
        ct_search_add(&p, 1, x + at / 2, 1, (at + now) / 2 - at / 2);
    }
    ct_search_finish(&p);
    return p;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-5 * (1 + fabs(b)))) fail_msg("found %.9g, expected %.9g", a, b);
}

/* The largest S/N of each column of time: a boxcar stands where its middle is. */
static void compare_columns(const ct_search *p, int64_t series, const oracle *o)
{
    const ct_search_series *found = p->series + series;
    double most[CT_SEARCH_COLUMNS] = {0};
    for (int64_t width = 1; width <= p->widest; width *= 2)
        for (int64_t i = 0; i + width <= found->samples; i++) {
            double *at = most + ((i + width / 2) * found->ratio >> p->shift);
            *at = fmax(*at, boxcar(o, i, width));
        }
    for (int k = 0; k < CT_SEARCH_COLUMNS; k++)
        near(ct_search_row(p, series)[k], most[k]);
}

static void compare(const ct_search *p, int64_t series, const float *x, int64_t count)
{
    const ct_search_series *found = p->series + series;
    oracle o = look(x, count, p->widest, p->stretch);
    assert_int_equal(found->samples, count);
    assert_int_equal(found->left_out, o.left_out);
    assert_int_equal(found->no_noise, o.no_noise);
    near(found->best.snr, o.snr);
    if (o.snr > 0) near(boxcar(&o, found->best.sample, found->best.width), o.snr);
    compare_columns(p, series, &o);
    free(o.level);
}

/* ---- series of every kind */

static void spoil(float *x, int64_t count, float with, int64_t length)
{
    for (int64_t i = below(count); length-- > 0 && i < count; i++)
        x[i] = with;
}

/* Noise of any size and height, then what befalls it. */
static void make_series(float *x, int64_t count, int64_t kind)
{
    const double height = 1e3 * (uniform() - 0.5), sigma = pow(10, 4 * uniform() - 2);
    const bool whole = kind % 3 == 0;
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)(height + (whole ? floor(3 * gauss()) : sigma * gauss()));
    for (int64_t i = below(4); i > 0; i--) {
        const int64_t at = below(count), width = 1 + below(40);
        for (int64_t k = at; k < at + width && k < count; k++)
            x[k] += (float)(5 * (whole ? 3 : sigma));
    }
    for (int64_t i = kind % 4 == 1 ? below(60) : 0; i > 0; i--)
        spoil(x, count, i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY, 1 + below(20));
    if (kind % 5 == 2) spoil(x, count, (float)height, below(count));
    if (kind % 7 == 3) spoil(x, count, NAN, below(count));
    if (kind % 11 == 4) spoil(x, count, 3e38f, 1 + below(3));
    if (kind % 13 == 5) spoil(x, count, -3e38f, 1 + below(300));
}

static void finds_what_a_plain_search_finds(void **state)
{
    static const int64_t blocks[] = {0, 1, 128, 300, 1024, MOST};
    float *x = malloc(MOST * sizeof *x);
    (void)state;
    for (int64_t kind = 0; kind < 300; kind++) {
        const int64_t widest = 1 + below(40), count = 1 + below(kind % 10 ? 4000 : MOST);
        const int64_t stretch = ct_search_fewest(widest) + below(1000);
        make_series(x, count, kind);
        ct_search first = search(x, count, widest, stretch, MOST);
        compare(&first, 0, x, count);
        compare(&first, 1, x, count / 2);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            ct_search other = search(x, count, widest, stretch, blocks[i]);
            const size_t same = sizeof *other.series * 2 + sizeof(float) * 2 * CT_SEARCH_COLUMNS;
            assert_memory_equal(first.series, other.series, same); /* and the plane after them */
            assert_int_equal(first.bins, other.bins);
            assert_int_equal(first.shift, other.shift);
            free(other.series);
        }
        free(first.series);
    }
    free(x);
}

/* ---- what must not be found */

static void constant_and_dead_series_have_no_pulse(void **state)
{
    static const float dead[] = {0, 7, -3e38f, NAN, INFINITY, -INFINITY};
    float *x = malloc(5000 * sizeof *x);
    (void)state;
    for (size_t k = 0; k < sizeof dead / sizeof *dead; k++) {
        for (int i = 0; i < 5000; i++)
            x[i] = dead[k];
        ct_search p = search(x, 5000, 16, 1024, 700);
        assert_true(p.series[0].best.snr == 0);
        assert_int_equal(p.series[0].left_out, isfinite(dead[k]) ? 0 : 5000);
        assert_int_equal(p.series[0].no_noise, isfinite(dead[k]) ? 5000 : 0);
        free(p.series);
    }
    free(x);
}

/* Of equal pulses the first one, and the narrowest of its boxcars with that S/N. */
static void the_first_of_equal_pulses_is_best(void **state)
{
    float *x = malloc(4096 * sizeof *x);
    (void)state;
    for (int i = 0; i < 4096; i++)
        x[i] = (float)(i % 4 - 2 + (i % 1000 == 500 ? 90 : 0));
    for (int block = 1; block < 4096; block += 97) {
        ct_search p = search(x, 4096, 16, 1024, block);
        assert_int_equal(p.series[0].best.sample, 500);
        free(p.series);
    }
    free(x);
}

/* ---- false alarms */

/* The chance that a normal number exceeds x. */
static double beyond(double x)
{
    return 0.5 * erfc(x / sqrt(2));
}

/* The S/N that one of n normal numbers exceeds with this chance, whatever depends on what. */
static double highest_of(double n, double probability)
{
    double x = 0;
    while (n * beyond(x) > probability)
        x += 1e-3;
    return x;
}

/* 200 series of 8192 samples and 5 widths are 8.2 million boxcars. Were median and sigma known, the
 * best would exceed 6.6 (or fall short of 4.5 among the single samples) once in a thousand times.
 * Sigma of n samples is wrong by 1.17 / sqrt(n) of itself, the median by 1.25 sigma / sqrt(n), for
 * a boxcar of w by sqrt(w) times that: 3 and 2 times as much is allowed for. */
static void noise_gives_what_noise_may_give(void **state)
{
    enum { SERIES = 200, SAMPLES = 8192, STRETCH = 1024 };
    const double root = sqrt(STRETCH), wrong = 1 + 3 * 1.17 / root, shift = 2 * 1.25 * 4 / root;
    const double most = highest_of(5.0 * SERIES * SAMPLES, 1e-3), least = 4.5;
    float *x = malloc(SAMPLES * sizeof *x);
    double best = 0;
    (void)state;
    chance = 77;
    for (int k = 0; k < SERIES; k++) {
        for (int i = 0; i < SAMPLES; i++)
            x[i] = (float)(100 + 3 * gauss());
        ct_search p = search(x, SAMPLES, 16, STRETCH, 300);
        best = fmax(best, p.series[0].best.snr);
        free(p.series);
    }
    print_message("noise: S/N %.2f, expected %.2f to %.2f\n", best, least, most * wrong + shift);
    assert_true(pow(1 - beyond(least), 1.0 * SERIES * SAMPLES) < 1e-2);
    assert_true(best > least && best < most * wrong + shift);
    free(x);
}

/* As the last stretch of a stream, however short: 12.4 sigma came from a few last samples once. */
static void short_ends_give_no_false_pulse(void **state)
{
    float *x = malloc(2000 * sizeof *x);
    double best = 0;
    (void)state;
    chance = 5;
    for (int64_t count = 1; count < 2000; count++) {
        for (int64_t i = 0; i < count; i++)
            x[i] = (float)gauss();
        ct_search p = search(x, count, 16, 1024, 512);
        best = fmax(best, p.series[0].best.snr);
        assert_true((p.series[0].best.snr > 0) == (count >= 128));
        free(p.series);
    }
    print_message("short ends: S/N %.2f\n", best);
    assert_true(best < highest_of(5 * 1e6, 1e-3) * (1 + 5 * 1.17 / sqrt(128)));
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_plain_search_finds),
        cmocka_unit_test(constant_and_dead_series_have_no_pulse),
        cmocka_unit_test(the_first_of_equal_pulses_is_best),
        cmocka_unit_test(noise_gives_what_noise_may_give),
        cmocka_unit_test(short_ends_give_no_false_pulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
