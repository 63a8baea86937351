/* flag_columns_test.c: medians of columns that are hard to find them in. The mean of a window,
 * clipped at three deviations from its median, has to have the very bits that sorting gives: it has
 * both medians in it. Room: stages/flag, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stage_device.h"
#include "stages/flag/flag.h"

enum { KINDS = 20, CHANNELS = 2 * KINDS + 1, WINDOWS = 2, LEAST = 8, LONGEST = 4096 };

static double unit(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

static double noise(uint64_t *state)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += unit(state);
    return sum;
}

/* Of columns that hold ordinary numbers. */
static double ordinary(int kind, int t, uint64_t *state)
{
    switch (kind) {
    case 0:
        return noise(state);
    case 1:
        return 5; /* one value */
    case 2:
        return t % 2 ? 3 : -7; /* two */
    case 3:
        return floor(4 * unit(state)); /* few */
    case 4:
        return t; /* a ramp */
    case 5:
        return t % 33 ? noise(state) : 1e30; /* outliers, evenly spaced */
    case 6:
        return t == 7 ? -3e38 : noise(state); /* a single one */
    case 7:
        return -log(unit(state)); /* one-sided */
    case 8:
        return t % 100 ? 1 : noise(state); /* most are equal */
    case 9:
        return 1e6 + noise(state); /* few bits are left */
    default:
        return floor(12 * noise(state) + 60) - (t % 9); /* digits */
    }
}

/* Of columns that hold numbers of all sizes, infinite ones, and what is no number. */
static double hostile(int kind, int t, uint64_t *state)
{
    switch (kind) {
    case 11:
        return (t % 2 ? 1 : -1) * pow(10, 76 * unit(state) - 38); /* all sizes */
    case 12:
        return 1e-40 * noise(state); /* the smallest */
    case 13:
        return t % 3 ? INFINITY : noise(state);
    case 14:
        return t % 2 ? INFINITY : -INFINITY;
    case 15:
        return t % 5 ? noise(state) : NAN;
    case 16:
        return t < LEAST - 1 ? t : NAN; /* too few */
    case 17:
        return NAN;
    case 18:
        return t % 2 ? 0.0 : -0.0;
    default:
        return t < 300 ? NAN : t % 50 ? noise(state) : -INFINITY;
    }
}

/* Neighbours are of different kinds, and each kind is beside ones that it was not beside before. */
static int kind_of(int c)
{
    return c < KINDS ? c : c * 7 % KINDS;
}

static double value_of(ct_type type, int kind, int row, uint64_t *state)
{
    if (type == CT_F32 || type == CT_F16)
        return kind <= 10 ? ordinary(kind, row, state) : hostile(kind, row, state);
    return fmax(0, fmin(120, floor(8 * ordinary(kind % 11, row, state))));
}

static void fill(ct_array *x, int times)
{
    uint64_t state = 88172645463325252u;
    for (int t = 0; t < times; t++)
        for (int c = 0; c < CHANNELS; c++) {
            const int kind = kind_of(c), row = t % (times / WINDOWS);
            const double value = value_of(x->type, kind, row, &state);
            ct_array_save(x, (int64_t)t * CHANNELS + c, value, 0);
        }
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Of what is a number; infinite where nothing is. */
static float median(const float *value, int count, int numbers)
{
    static float sorted[LONGEST];
    int n = 0;
    for (int k = 0; k < count; k++)
        if (!isnan(value[k])) sorted[n++] = value[k];
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return n < numbers || n == 0 ? INFINITY
                                 : 0.5F * (sorted[(numbers - 1) / 2] + sorted[numbers / 2]);
}

static float mean_of(const ct_array *x, int window, int first, int c)
{
    static float value[LONGEST], away[LONGEST];
    int count = 0;
    float sum = 0;
    for (int k = 0; k < window; k++) {
        value[k] = (float)ct_array_load(x, (int64_t)(first + k) * CHANNELS + c).re;
        count += !isnan(value[k]);
    }
    if (count < LEAST) return NAN;
    const float middle = median(value, window, count);
    for (int k = 0; k < window; k++)
        away[k] = value[k] = value[k] - middle;
    for (int k = 0; k < window; k++)
        away[k] = fabsf(away[k]);
    const float spread = median(away, window, count) * 1.4826F;
    const float most = spread > 0 ? 3 * spread : INFINITY;
    for (int k = 0; k < window; k++) {
        const float here = isnan(value[k]) ? 0 : value[k];
        sum += here > most ? most : here < -most ? -most : here;
    }
    return middle + sum / (float)count;
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)) || (a == 0 && b == 0);
}

static void compare(stage_device *on, const ct_array *x, int window)
{
    const ct_array stat = stage_device_read(on, CT_FLAG_STAT);
    int wrong = 0;
    for (int n = 0; n < WINDOWS; n++)
        for (int c = 0; c < CHANNELS; c++) {
            const int64_t at = (int64_t)(WINDOWS + n) * CHANNELS + c;
            const float found = (float)ct_array_load(&stat, at).re;
            const float right = mean_of(x, window, n * window, c);
            if (same_bits(found, right)) continue;
            print_error("window of %d, kind %d: %.9g, not %.9g\n", window, kind_of(c), found,
                        right);
            wrong++;
        }
    free(stat.data);
    assert_int_equal(wrong, 0);
}

/* Skips where there is no device. */
static void check(int window, const char *tile, ct_type type)
{
    ct_error err = {0};
    stage_case made;
    stage_device on;
    char params[64], extents[64];
    snprintf(params, sizeof params, "{\"window\": %d}", window);
    snprintf(extents, sizeof extents, "T=%d C=%d", WINDOWS * window, CHANNELS);
    stage_make(&made, &ct_stage_flag, params, extents, type);
    ct_step_default_tunables(made.step);
    if (!made.step->gpu)
        stage_device_must(ct_step_set_tunable(made.step, "TILE_C", tile, &err), &err);
    fill(&made.port[CT_FLAG_X], WINDOWS * window);
    const bool is = stage_device_open(&on, &made);
    if (is) {
        stage_device_fire(&on, false);
        compare(&on, &made.port[CT_FLAG_X], window);
        stage_device_close(&on);
    }
    stage_free(&made);
    if (!is) skip();
}

static void medians_of_floats_are_exact(void **state)
{
    (void)state;
    check(50, "16", CT_F32);
    check(1001, "8", CT_F32);
    check(4096, "16", CT_F32);
}

static void medians_of_halves_are_exact(void **state)
{
    (void)state;
    check(1024, "64", CT_F16);
}

static void medians_of_integers_are_exact(void **state)
{
    (void)state;
    check(1024, "16", CT_I16);
    check(1001, "8", CT_U8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_of_floats_are_exact),
        cmocka_unit_test(medians_of_halves_are_exact),
        cmocka_unit_test(medians_of_integers_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
