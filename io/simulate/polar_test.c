/* polar_test.c: normal numbers and phasors against the C library's, and what a number is quantised
 * to against ct_array_save.
 * Room: tests of io/simulate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "io/simulate/quantise.h"
#include "io/simulate/random.h"

#define TWO_PI 6.283185307179586477L
enum { N = CT_POLAR_COUNT };

static void check_normals(const double *u, const double *v)
{
    double re[N], im[N];
    ct_polar_normals(u, v, re, im);
    for (int k = 0; k < N; k++) {
        const long double radius = sqrtl(-2 * logl(u[k])), angle = TWO_PI * v[k];
        assert_true(fabsl(re[k] - radius * cosl(angle)) < 5e-16L * radius);
        assert_true(fabsl(im[k] - radius * sinl(angle)) < 5e-16L * radius);
    }
}

static void test_normals_are_box_and_mullers(void **state)
{
    sim_random random = ct_random_new(3, 4);
    double u[N], v[N];
    (void)state;
    for (int round = 0; round < 400; round++) {
        for (int k = 0; k < N; k++) {
            u[k] = ct_random_uniform(&random);
            v[k] = ct_random_uniform(&random);
        }
        check_normals(u, v);
    }
    for (int k = 0; k < N; k++) { /* the ends, and octaves */
        const double near[] = {0x1p-54, 1 - 0x1p-53, 0.70710678118654752, ldexp(1, -k % 54 - 1)};
        u[k] = near[k % 4];
        v[k] = k / 8 % 2 ? k * 0x1p-8 : 1 - ldexp(1, -k % 53 - 1);
    }
    check_normals(u, v);
}

/* A count only says where to stop: what follows is as it was without a stop. */
static void test_normals_in_parts(void **state)
{
    sim_random random = ct_random_new(3, 4), other = random;
    double a[N], b[N], c[2 * N], d[2 * N];
    (void)state;
    ct_random_normals(&random, a, b, N);
    ct_random_normals(&other, c, d, 101);
    ct_random_normals(&other, c + 101, d + 101, N - 101);
    assert_memory_equal(a, c, sizeof a);
    assert_memory_equal(b, d, sizeof b);
    assert_memory_equal(&random, &other, sizeof random);
}

static void test_phasors_turn(void **state)
{
    sim_random random = ct_random_new(7, 1);
    double cycles[N], re[N], im[N];
    (void)state;
    for (int k = 0; k < N; k++) {
        const double size = ldexp(1, k % 60 - 8);
        cycles[k] = k % 8 == 0 ? size : (ct_random_uniform(&random) - 0.5) * size;
    }
    ct_polar_phasors(cycles, re, im);
    for (int k = 0; k < N; k++) {
        const long double angle = TWO_PI * (cycles[k] - floorl(cycles[k]));
        assert_true(fabsl(re[k] - cosl(angle)) < 5e-16L);
        assert_true(fabsl(im[k] - sinl(angle)) < 5e-16L);
    }
}

static void test_numbers_are_rounded_and_saturate(void **state)
{
    static const ct_type types[] = {CT_U8, CT_U16, CT_CI8, CT_CI16, CT_F32, CT_CF32};
    sim_random random = ct_random_new(1, 1);
    double value[2 * N];
    (void)state;
    for (int k = 0; k < 2 * N; k++)
        value[k] = k % 3 ? 0.5 * (k - N) : (ct_random_uniform(&random) - 0.5) * ldexp(1, k % 40);
    value[0] = NAN;
    value[1] = INFINITY;
    value[2] = -INFINITY;
    value[3] = 1e300;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char fast[2 * N * 4], slow[2 * N * 4];
        const bool pair = ct_type_complex(types[i]);
        ct_array to = {.type = types[i], .data = slow};
        memset(fast, 0x55, sizeof fast);
        memset(slow, 0x55, sizeof slow);
        ct_quantise_numbers(fast, types[i], value, 2 * N - 6);
        for (int k = 0; k < 2 * N - 6; k += pair ? 2 : 1)
            ct_array_save(&to, pair ? k / 2 : k, value[k], value[k + 1]);
        assert_memory_equal(fast, slow, sizeof fast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normals_are_box_and_mullers),
        cmocka_unit_test(test_normals_in_parts),
        cmocka_unit_test(test_phasors_turn),
        cmocka_unit_test(test_numbers_are_rounded_and_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
