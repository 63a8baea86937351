/* correlator_exact_test.c: sums of integers are exact, whatever makes them: extreme values, long
 * integrations, sums over blocks; and which engine is chosen.
 * Room: stages/correlator, tests. Oracles: the reference, whose doubles are exact below 2^53, and
 * closed forms. */
#include "correlator_trial.h"
#include "exhaustive.h"
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* ---------------------------------------------------------------- any integers */

static void assert_exact(stage_device *on, const ct_array *expected)
{
    ct_array y = stage_device_read(on, Y);
    for (int64_t n = 0; n < ct_array_count(&y); n++) {
        ct_complex found = ct_array_load(&y, n), wanted = ct_array_load(expected, n);
        assert_true(found.re == wanted.re);
        assert_true(found.im == wanted.im);
    }
    free(y.data);
}

/* The same everywhere, but for the sixth sample of the second station. */
static void fill_level(ct_array *x, int64_t level)
{
    const int64_t odd = ct_array_extent(x, 'T') + 5;
    for (int64_t n = 0; n < ct_array_count(x); n++)
        ct_array_save(x, n, n == odd ? -32768 : (double)level, n == odd ? 0 : (double)level);
}

/* Whatever the cells and tiles; on a device, so that its instructions are used where it has them.
 * Any integers, or all of a level. */
static void check_filled(const char *tunables, ct_type type, const char *params,
                         const char *extents, int64_t level)
{
    stage_case made;
    stage_device on;
    stage_make(&made, &ct_stage_correlator, params, extents, type);
    assert_int_equal(made.step->port[Y].type, type == CT_CI16 ? CT_CI64 : CT_CI32);
    if (level)
        fill_level(&made.port[X], level);
    else
        fill_integers(&made.port[X]);
    stage_reference(&made);
    set_tunables(&made, tunables);
    if (!stage_device_open(&on, &made)) skip();
    stage_device_fire(&on, false);
    assert_exact(&on, &made.port[Y]);
    stage_device_close(&on);
    stage_free(&made);
}

static void check_exact(const char *tunables, ct_type type, const char *params, const char *extents)
{
    check_filled(tunables, type, params, extents, 0);
}

static void test_every_engine_is_exact(void **state)
{
    static const char *const bytes[] = {
        "DOT=1 VECTOR_SP=16 CELL_SP=4 CELLS_SP=1",
        "DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=32 TILE_C=2 CELLS_SP=1",
        "DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=4 VECTORS_SP=1 CELLS_SP=1",
        "DOT=2 VECTOR_SP=16 VECTORS_SP=2 CELL_SP=16 TILE_T=64 TILE_C=1 CELLS_SP=1",
        "DOT=2 VECTOR_SP=16 VECTORS_SP=1 CELL_SP=16 TILE_T=32 TILE_C=2 CELLS_SP=1",
        "DOT=0 VECTOR_SP=8 CELL_SP=4",
        "DOT=0 VECTOR_SP=8 CELL_SP=4 TILE_T=4 TILE_C=4",
        "DOT=0 VECTOR_SP=1 VECTORS_SP=2 CELL_SP=2 TILE_T=4 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
        "DOT=1 VECTOR_SP=1 VECTORS_SP=4 CELL_SP=4 TILE_T=16 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
        "DOT=1 VECTOR_SP=2 VECTORS_SP=4 CELL_SP=8 TILE_T=32 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
        "DOT=2 VECTOR_SP=2 VECTORS_SP=1 CELL_SP=2 TILE_T=16 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
        "DOT=2 VECTOR_SP=2 VECTORS_SP=4 CELL_SP=8 TILE_T=32 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
        "DOT=2 VECTOR_SP=2 VECTORS_SP=2 CELL_SP=4 TILE_T=64 TILE_C=1 CELLS_SP=1 WG=256 PREFETCH=0"};
    static const char *const words[] = {
        "DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=64 CELLS_SP=1",
        "DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=32 TILE_C=2 CELLS_SP=1",
        "DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=4 VECTORS_SP=1 CELLS_SP=1",
        "DOT=0 VECTOR_SP=8 CELL_SP=4",
        "DOT=0 VECTOR_SP=4 VECTORS_SP=4 CELL_SP=4 TILE_T=32",
        "DOT=0 VECTOR_SP=1 VECTORS_SP=2 CELL_SP=2 TILE_T=16",
        "DOT=0 VECTOR_SP=2 TILE_T=4 TILE_C=4",
        "DOT=0 VECTOR_SP=1 VECTORS_SP=4 CELL_SP=4 TILE_T=16 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0",
        "DOT=0 VECTOR_SP=2 VECTORS_SP=4 CELL_SP=8 TILE_T=8 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0"};
    const size_t step = (size_t)few_or_all(3, 1);
    (void)state;
    for (size_t n = 0; n < sizeof bytes / sizeof bytes[0]; n += step) {
        check_exact(bytes[n], CT_CI8, "{\"integrate\": 37}", "S=11 P=2 T=74 C=3");
        if (n % (size_t)few_or_all(6, 3) == 0)
            check_exact(bytes[n], CT_CI4, "{\"integrate\": 37}", "S=11 P=2 T=74 C=3");
    }
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n += step)
        check_exact(words[n], CT_CI16, "{\"integrate\": 37}", "S=11 P=2 T=74 C=3");
}

/* As long as a sum of bytes can be, whose kernels test_largest_sums_of_bytes has, too. */
#define LONGEST "{\"integrate\": 65535}", "S=3 P=1 T=65535 C=1"
#define LONG_MATRIX "DOT=2 VECTOR_SP=16 CELL_SP=16 TILE_T=128"
#define LONG_GROUP                                                                                 \
    "DOT=1 VECTOR_SP=1 VECTORS_SP=2 CELL_SP=2 TILE_T=32 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0"

/* Many tiles and a last one that is not full, of an odd number of times. */
static void test_long_integrations(void **state)
{
    (void)state;
    check_exact("DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=128", CT_CI16, "{\"integrate\": 20011}",
                "S=3 P=1 T=20011 C=1");
    check_exact("DOT=0 VECTOR_SP=8 CELL_SP=4", CT_CI16, "{\"integrate\": 20011}",
                "S=3 P=1 T=20011 C=1");
    check_exact(LONG_MATRIX, CT_CI8, LONGEST);
    check_exact(LONG_GROUP, CT_CI8, LONGEST);
}

/* Cells on and off the diagonal, panels that one, two and three stations fill or almost fill, an
 * integration of several tiles and blocks of several integrations. */
static void test_matrices(void **state)
{
    static const char two[] = "DOT=2 VECTOR_SP=16 VECTORS_SP=2 CELL_SP=16 TILE_T=32 CELLS_SP=1";
    static const char one[] = "DOT=2 VECTOR_SP=16 VECTORS_SP=1 CELL_SP=16 TILE_T=32 CELLS_SP=1";
    (void)state;
    check_exact(two, CT_CI8, "{\"integrate\": 75}", "S=37 P=2 T=150 C=1");
    check_exact(one, CT_CI8, "{\"integrate\": 33}", "S=19 P=2 T=33 C=3");
    if (!few_or_all(0, 1)) return;
    check_exact(two, CT_CI8, "{\"integrate\": 35}", "S=43 P=1 T=35 C=2");
    check_exact(one, CT_CI8, "{\"integrate\": 33}", "S=13 P=3 T=33 C=2");
    check_exact(two, CT_CI8, "{\"integrate\": 33}", "S=5 P=19 T=33 C=1");
    check_exact(two, CT_CI4, "{\"integrate\": 64}", "S=23 P=3 T=64 C=1");
}

/* The same for groups: squares on and off the diagonal, warps beside and below each other, products
 * that lie above the diagonal, stations over the ends of products, times that fill no product. */
static void test_matrices_of_groups(void **state)
{
#define REST "TILE_C=1 CELLS_SP=1 PREFETCH=0"
    (void)state;
    check_exact("DOT=2 VECTOR_SP=2 VECTORS_SP=2 CELL_SP=4 TILE_T=16 WG=64 " REST, CT_CI8,
                "{\"integrate\": 39}", "S=37 P=2 T=78 C=2");
    check_exact("DOT=2 VECTOR_SP=2 VECTORS_SP=1 CELL_SP=2 TILE_T=32 WG=256 " REST, CT_CI8,
                "{\"integrate\": 32}", "S=23 P=3 T=64 C=1");
    if (!few_or_all(0, 1)) return;
    check_exact("DOT=2 VECTOR_SP=2 VECTORS_SP=4 CELL_SP=8 TILE_T=32 WG=256 " REST, CT_CI4,
                "{\"integrate\": 33}", "S=71 P=2 T=33 C=1");
    check_exact("DOT=2 VECTOR_SP=2 VECTORS_SP=4 CELL_SP=8 TILE_T=16 WG=64 " REST, CT_CI8,
                "{\"integrate\": 47}", "S=9 P=19 T=47 C=1");
    check_exact("DOT=2 VECTOR_SP=2 VECTORS_SP=2 CELL_SP=4 TILE_T=16 WG=64 " REST, CT_CI8,
                "{\"integrate\": 5}", "S=67 P=1 T=15 C=2");
#undef REST
}

/* ---------------------------------------------------------------- the largest sums */

/* -128 everywhere, as long as a sum can be: 65535 times 2 * 128^2 just fits. */
static void check_largest_sum(const char *tunables)
{
    stage_case made;
    stage_device on;
    stage_make(&made, &ct_stage_correlator, LONGEST, CT_CI8);
    memset(made.port[X].data, 0x80, ct_array_bytes(&made.port[X]));
    set_tunables(&made, tunables);
    if (!stage_device_open(&on, &made)) skip();
    stage_device_fire(&on, false);
    ct_array y = stage_device_read(&on, Y);
    for (int64_t n = 0; n < ct_array_count(&y); n++) {
        assert_true(ct_array_load(&y, n).re == 65535.0 * 2 * 128 * 128);
        assert_true(ct_array_load(&y, n).im == 0);
    }
    free(y.data);
    stage_device_close(&on);
    stage_free(&made);
}

static void test_largest_sums_of_bytes(void **state)
{
    (void)state;
    check_largest_sum("DOT=0 VECTOR_SP=8 CELL_SP=4");
    check_largest_sum("DOT=1 VECTOR_SP=16 CELL_SP=4");
    check_largest_sum(LONG_MATRIX);
    if (few_or_all(0, 1)) check_largest_sum("DOT=2 VECTOR_SP=16 CELL_SP=16");
    check_largest_sum(
        "DOT=2 VECTOR_SP=2 VECTORS_SP=1 CELL_SP=2 TILE_T=64 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0");
    check_largest_sum(LONG_GROUP);
}

enum { SCALE_S = 4, SCALE_T = 1500, SCALE_BLOCKS = 3 };

/* Each station in another corner of the complex plane. */
static ct_complex corner(int64_t s)
{
    return (ct_complex){s & 1 ? 32767 : -32768, s & 2 ? 32767 : -32768};
}

/* Full scale throughout, where estimates are worst, in and across blocks. */
static void check_full_scale(const char *tunables)
{
    stage_case made;
    stage_device on;
    stage_make(&made, &ct_stage_correlator, "{\"integrate\": 4500}", "S=4 P=1 T=1500 C=1", CT_CI16);
    assert_int_equal(made.step->accumulate, SCALE_BLOCKS);
    for (int64_t n = 0; n < SCALE_S * SCALE_T; n++)
        ct_array_save(&made.port[X], n, corner(n / SCALE_T).re, corner(n / SCALE_T).im);
    set_tunables(&made, tunables);
    if (!stage_device_open(&on, &made)) skip();
    for (int block = 0; block < SCALE_BLOCKS; block++)
        stage_device_fire(&on, block > 0);
    ct_array y = stage_device_read(&on, Y);
    for (int64_t j = 0; j < SCALE_S; j++)
        for (int64_t i = 0; i <= j; i++) {
            const ct_complex a = corner(i), b = corner(j);
            const ct_complex v = ct_array_load(&y, ct_correlator_baseline(i, j));
            assert_true(v.re == SCALE_BLOCKS * SCALE_T * (b.re * a.re + b.im * a.im));
            assert_true(v.im == SCALE_BLOCKS * SCALE_T * (b.im * a.re - b.re * a.im));
        }
    free(y.data);
    stage_device_close(&on);
    stage_free(&made);
}

static void test_full_scale_words(void **state)
{
    (void)state;
    check_full_scale("DOT=0 VECTOR_SP=8 CELL_SP=4");
    check_full_scale(
        "DOT=0 VECTOR_SP=1 VECTORS_SP=2 CELL_SP=2 TILE_T=4 TILE_C=1 CELLS_SP=1 WG=64 PREFETCH=0");
    check_full_scale("DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=128");
    check_full_scale("DOT=1 VECTOR_SP=16 CELL_SP=4 TILE_T=4");
}

/* Sums of 128 times that are just below 2^31 and just above, and half of it with one sample whose
 * sign has no opposite: those that fit are made in another way (correlator_pairs.cl). */
static void test_levels_of_words(void **state)
{
    static const int64_t levels[] = {1, 2047, 2895, -2896, 2897, -32768};
    (void)state;
    for (size_t n = 0; n < sizeof levels / sizeof *levels; n++) {
        check_filled("DOT=0 VECTOR_SP=8 VECTORS_SP=1 CELL_SP=4 TILE_T=128", CT_CI16,
                     "{\"integrate\": 300}", "S=9 P=1 T=300 C=1", levels[n]);
        check_filled("DOT=0 VECTOR_SP=2 CELL_SP=2 TILE_T=128", CT_CI16, "{\"integrate\": 300}",
                     "S=5 P=1 T=300 C=1", levels[n]);
    }
}

/* ---------------------------------------------------------------- what is chosen */

/* Floats where the user wants them, of any integers. */
static void test_floats_on_request(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_correlator, "{\"integrate\": 70000, \"sums\": \"float\"}",
               "S=3 P=2 T=70000 C=1", CT_CI8);
    assert_int_equal(made.step->port[Y].type, CT_CF32);
    ct_step_default_tunables(made.step);
    assert_int_equal(ct_step_tunable(made.step, "DOT"), 0);
    stage_free(&made);
}

static bool has_vnni(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

/* The system gives the process leave to use tiles, as well. */
static bool has_amx(void)
{
#if defined(__x86_64__) && defined(__linux__)
    char line[8192];
    bool found = false;
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info))
        found |= strstr(line, " amx_int8") != NULL;
    if (info) fclose(info);
    return found && syscall(SYS_arch_prctl, 0x1023, 18) == 0;
#else
    return false;
#endif
}

/* The value of DOT that a device's best engine for a type has. */
static int64_t best_dot(ct_type type)
{
    const bool bytes = type == CT_CI4 || type == CT_CI8;
    if (bytes && has_amx()) return 2;
    return has_vnni() && type != CT_CF32;
}

/* The instruction where the device takes it, plain arithmetic where nothing is known of a device.
 */
static void test_engine_is_asked_for(void **state)
{
    static const ct_type types[] = {CT_CI4, CT_CI8, CT_CI16, CT_CF32};
    ct_device *device = NULL;
    ct_error err = {0};
    (void)state;
    if (ct_device_open(&device, NULL, &err) != CT_OK) skip();
    for (int n = 0; n < 4; n++) {
        stage_case made;
        stage_make(&made, &ct_stage_correlator, "{\"integrate\": 37}", "S=11 P=2 T=74 C=3",
                   types[n]);
        ct_step_default_tunables(made.step);
        assert_int_equal(ct_step_tunable(made.step, "DOT"), 0);
        ct_step_set_device(made.step, device);
        ct_step_default_tunables(made.step);
        if (!device->gpu) assert_int_equal(ct_step_tunable(made.step, "DOT"), best_dot(types[n]));
        assert_true(ct_step_is_legal(made.step));
        stage_free(&made);
    }
    ct_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_engine_is_exact),
        cmocka_unit_test(test_long_integrations),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_matrices_of_groups),
        cmocka_unit_test(test_largest_sums_of_bytes),
        cmocka_unit_test(test_full_scale_words),
        cmocka_unit_test(test_levels_of_words),
        cmocka_unit_test(test_floats_on_request),
        cmocka_unit_test(test_engine_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
