/* pulses_test.c: what is special about the search: lengths, mistakes, what noise it measures; and
 * on a device, that results do not depend on the block, and that pulses are joined and written.
 * That the kernel agrees with the reference is verify's part.
 * Room: stages/pulses, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "stage.h"
#include "stages/pulses/pulses.h"

static uint64_t chance = 1;

static double uniform(void)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return ((double)(chance >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

static ct_array series(const char *extents, const int64_t *downsample)
{
    ct_array input = stage_array(extents, CT_F32);
    input.meta.sample_time_s = 0.5;
    input.meta.start_s = 7;
    input.meta.total = 1000;
    input.meta.downsample = downsample;
    return input;
}

/* ---- shapes */

static void test_lengths(void **state)
{
    static const int64_t factors[] = {4, 8, 24};
    stage_case made;
    ct_error err = {0};
    ct_array input = series("B=2 D=3 T=384", NULL);
    (void)state;
    assert_true(stage_try(&made, &ct_stage_pulses, "{}", &input, &err));
    const ct_array *y = &made.step->port[PORT_Y];
    assert_string_equal(y->dim, "BDTN");
    assert_int_equal(ct_array_extent(y, 'T'), 6);
    assert_int_equal(ct_array_extent(y, 'N'), PULSES_NUMBERS);
    assert_int_equal(made.step->grain, 16 * 64);
    assert_int_equal(made.step->overlap, 3 * 16 * 64);
    assert_true(y->meta.sample_time_s == 32 && y->meta.start_s == 7 + 0.5 * 31.5);
    stage_free(&made);
    input = series("B=2 D=3 T=384", factors); /* spacings 1, 2, 6 */
    assert_true(stage_try(&made, &ct_stage_pulses, "{}", &input, &err));
    assert_int_equal(made.step->decimate, 192);
    assert_int_equal(made.step->grain, 16 * 384);
    assert_int_equal(ct_pulses_ratio(made.step, 2), 6);
    stage_free(&made);
    input = series("D=3 T=384", NULL); /* units of 256 samples, boxcars over one of them */
    assert_true(stage_try(&made, &ct_stage_pulses, "{\"widest\": 256}", &input, &err));
    assert_int_equal(made.step->decimate, 64);
    assert_int_equal(made.step->grain, 16 * 256);
    assert_int_equal(made.step->overlap, 3 * 16 * 256);
    stage_free(&made);
}

static void expect_error(const char *params, const ct_array *input, const char *says)
{
    stage_case made;
    ct_error err = {0};
    assert_false(stage_try(&made, &ct_stage_pulses, params, input, &err));
    if (!strstr(err.text, says)) fail_msg("\"%s\" is not in \"%s\"", says, err.text);
    stage_free(&made);
}

static void test_mistakes(void **state)
{
    static const int64_t primes[] = {1, 67, 71};
    ct_array input = series("D=3 T=384", NULL);
    (void)state;
    expect_error("{\"widest\": 5000}", &input, "from 1 to 4096");
    expect_error("{\"widest\": 256, \"noise_samples\": 1024}", &input, "expected at least 2048");
    input = series("D=3 T=384", primes);
    expect_error("{}", &input, "least common multiple above 4096");
}

/* ---- noise, by the reference */

enum { BINS = 300 };

static double nothing(int i)
{
    (void)i;
    return 0;
}

/* Every bin of normal noise has one sample 100 sigmas above it, and another thing with `each`. */
static void measure(double (*each)(int i), double bias, double scatter)
{
    stage_case made;
    double sum = 0, squares = 0;
    chance = 1;
    stage_make(&made, &ct_stage_pulses, "{\"widest\": 1}", "D=1 T=19200", CT_F32);
    for (int64_t i = 0; i < ct_array_count(&made.port[PORT_X]); i++) {
        const double noise = i % 64 == 40 ? 100 : gauss();
        ct_array_save(&made.port[PORT_X], i, 1e4 + 20 * (noise + each((int)i)), 0);
    }
    stage_reference(&made);
    for (int64_t t = 0; t < BINS; t++) {
        const double snr = ct_array_load(&made.port[PORT_Y], t * PULSES_NUMBERS).re / 100;
        assert_true(ct_array_load(&made.port[PORT_Y], t * PULSES_NUMBERS + 1).re == 40);
        if (each == nothing)
            assert_true(ct_array_load(&made.port[PORT_Y], t * PULSES_NUMBERS + 3).re == 1);
        sum += snr / BINS;
        squares += snr * snr / BINS;
    }
    print_message("S/N of 1: %.4f, scatter %.4f\n", sum, sqrt(squares - sum * sum));
    assert_true(fabs(sum - 1) < bias && sqrt(squares - sum * sum) < scatter);
    stage_free(&made);
}

static double sparks(int i)
{
    return i % 20 == 0 ? 30 : 0;
}

/* 6 of 16 units. */
static double bursts(int i)
{
    return i % 1024 < 384 && i % 64 != 40 ? 50 * uniform() : 0;
}

static void test_noise(void **state)
{
    (void)state;
    measure(nothing, 0.02, 0.02);
    measure(sparks, 0.06, 0.15);
    measure(bursts, 0.1, 0.025);
}

enum { ALIKE = 31, LOUD = 20, GROUPS_HERE = 8 };

/* Trials that have nothing in common but a sample of 100 sigmas in each bin, and one with noise
 * that is three times as loud. Trials' S/N scatters, in all and between two next to each other. */
static void measure_neighbours(const stage_case *made, int64_t group, double scatter, double step)
{
    const ct_array *y = &made->port[PORT_Y];
    double sum = 0, squares = 0, steps = 0, before = 0;
    for (int64_t d = 0; d < ALIKE; d++) {
        const int64_t at = d * ct_array_stride(y, 'D') + 16 * group * ct_array_stride(y, 'T');
        const double snr = ct_array_load(y, at).re / 100;
        if (d == LOUD) continue;
        sum += snr / (ALIKE - 1);
        squares += snr * snr / (ALIKE - 1);
        steps += d == 0 ? 0 : (snr - before) * (snr - before) / (ALIKE - 2);
        before = snr;
    }
    print_message("group %d: S/N of 1: %.4f, scatter %.4f, from trial to trial %.4f\n", (int)group,
                  sum, sqrt(squares - sum * sum), sqrt(steps));
    assert_true(fabs(sum - 1) < 0.01 && sqrt(squares - sum * sum) < scatter && sqrt(steps) < step);
}

static void test_trials_share_their_noise(void **state)
{
    stage_case made;
    (void)state;
    chance = 2;
    stage_make(&made, &ct_stage_pulses, "{\"widest\": 1}", "D=31 T=8192", CT_F32);
    ct_array *x = &made.port[PORT_X];
    const int64_t length = ct_array_extent(x, 'T');
    for (int64_t i = 0; i < ct_array_count(x); i++) {
        const double sigma = i / length == LOUD ? 3 : 1;
        ct_array_save(x, i, sigma * (i % 64 == 40 ? 100 : gauss()), 0);
    }
    stage_reference(&made);
    for (int64_t group = 0; group < GROUPS_HERE; group++)
        measure_neighbours(&made, group, 0.01, 0.005);
    const ct_array *y = &made.port[PORT_Y];
    const double loud = ct_array_load(y, LOUD * ct_array_stride(y, 'D')).re;
    assert_true(fabs(loud - 100) < 10);
    stage_free(&made);
}

static void test_constants_have_no_pulse(void **state)
{
    stage_case made;
    (void)state;
    stage_make(&made, &ct_stage_pulses, "{}", "D=1 T=128", CT_F32);
    for (int64_t i = 0; i < ct_array_count(&made.port[PORT_X]); i++)
        ct_array_save(&made.port[PORT_X], i, 7, 0);
    ct_array_save(&made.port[PORT_X], ct_array_count(&made.port[PORT_X]) - 70, NAN, 0);
    stage_reference(&made);
    for (int n = 0; n < 7; n++) {
        static const double expected[] = {0, 0, 0, 0, 64, 1, 63};
        assert_true(ct_array_load(&made.port[PORT_Y], n).re == expected[n]);
    }
    stage_free(&made);
}

/* ---- runs */

enum { SAMPLES = 4800, TRIALS = 3, PULSE = 3000 };

/* Noise, a pulse of four samples in trial 1, and here and there what is no number. */
static void write_series(const char *name)
{
    FILE *to = fopen(name, "wb");
    assert_non_null(to);
    chance = 5;
    for (int d = 0; d < TRIALS; d++) {
        float held = 0;
        for (int t = 0; t < SAMPLES; t++) {
            if (d < 2 || t % 2 == 0) held = (float)(100 + 3 * gauss());
            float value = held;
            if (d == 1 && t >= PULSE && t < PULSE + 4) value += 30;
            if (t / 2 % 97 == 5) value = t % 388 < 194 ? NAN : INFINITY;
            assert_int_equal(fwrite(&value, sizeof value, 1, to), 1);
        }
    }
    assert_int_equal(fclose(to), 0);
}

#define PIPELINE                                                                                   \
    "{\"cornerturn\": 1, \"nodes\": {"                                                             \
    "\"v\": {\"stage\": \"source.raw\", \"file\": \"%s/series.raw\", \"dims\": \"DT\","            \
    "  \"type\": \"f32\", \"sizes\": {\"D\": 3}, \"sample_time_s\": 0.01, \"start_s\": 0.5,"       \
    "  \"dm\": [10, 11, 12], \"downsample\": [1, 1, 2]},"                                          \
    "\"p\": {\"stage\": \"pulses\", \"input\": \"v\"},"                                            \
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"p\", \"file\": \"out.npy\"},"                 \
    "\"found\": {\"stage\": \"sink.candidates\", \"input\": \"p\", \"file\": \"%s/found.json\","   \
    "  \"csv\": \"%s/found.csv\"}}%s}"

#define SWEEP                                                                                      \
    "{\"cornerturn\": 1, \"nodes\": {"                                                             \
    "\"sky\": {\"stage\": \"source.simulate\", \"kind\": \"filterbank\", \"channels\": 32,"        \
    "  \"samples\": 6000},"                                                                        \
    "\"dd\": {\"stage\": \"dedisp\", \"input\": \"sky\","                                          \
    "  \"dm\": {\"start\": 0, \"step\": 10, \"count\": 3}},"                                       \
    "\"p\": {\"stage\": \"pulses\", \"input\": \"dd\", \"threshold\": 4},"                         \
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"p\", \"file\": \"out.npy\"}}%s}"

static capture run(const char *text, int block)
{
    static const char *const sinks[] = {"out", NULL};
    char whole[2048], size[64] = "";
    ct_error err = {0};
    capture out = {0};
    if (block > 0) snprintf(size, sizeof size, ", \"block\": {\"T\": %d}", block);
    const char *at = strstr(text, "BLOCK");
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at - text), text, size, at + 5);
    if (capture_run(whole, sinks, &out, &err) != CT_OK) fail_msg("%s", err.text);
    return out;
}

static void compare(const capture *a, const capture *b)
{
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->count, b->count);
    assert_true(a->samples > 24);
    for (int64_t t = 0; t < a->samples; t++)
        for (int64_t n = 0; n < a->count; n++)
            if (capture_at(a, t, n).re != capture_at(b, t, n).re)
                fail_msg("bin %d number %d: %.9g and %.9g", (int)t, (int)n, capture_at(a, t, n).re,
                         capture_at(b, t, n).re);
}

static void expect_same(const char *text, const int *blocks)
{
    capture whole = run(text, blocks[0]);
    for (int i = 1; blocks[i] >= 0; i++) {
        capture parts = run(text, blocks[i]);
        compare(&whole, &parts);
        capture_free(&parts);
    }
    capture_free(&whole);
}

/* The longest sweep has some 250 samples. */
static void test_bits_do_not_depend_on_the_block_behind_a_sweep(void **state)
{
    static const int blocks[] = {0, 1000, 64, 7, -1};
    char text[1024];
    (void)state;
    snprintf(text, sizeof text, SWEEP, "BLOCK");
    expect_same(text, blocks);
}

static void check_line(const char *folder)
{
    char name[64], line[256];
    snprintf(name, sizeof name, "%s/found.csv", folder);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_memory_equal(line, "DM,Sigma,Time,Sample,Downfact,Beam,", 35);
    assert_non_null(fgets(line, sizeof line, in));
    double dm, snr, time;
    long long sample, width, beam;
    assert_int_equal(
        sscanf(line, "%lf,%lf,%lf,%lld,%lld,%lld", &dm, &snr, &time, &sample, &width, &beam), 6);
    assert_true(dm == 11 && sample == PULSE + 2 && width == 4 && beam == 0);
    assert_true(fabs(time - (0.5 + 0.01 * (PULSE + 1.5))) < 1e-6);
    assert_true(fabs(snr - 20) < 2.5);
    assert_null(fgets(line, sizeof line, in));
    fclose(in);
}

static void check_json(const char *folder)
{
    char name[64];
    ct_value *root = NULL;
    snprintf(name, sizeof name, "%s/found.json", folder);
    assert_int_equal(ct_value_load(&root, name, NULL), CT_OK);
    const ct_value *best = ct_value_get(root, "best"), *all = ct_value_get(root, "pulses");
    assert_true(fabs(ct_value_real(ct_value_get(best, "dm"), 0) - 11) < 1e-9);
    assert_true(fabs(ct_value_real(ct_value_get(best, "width_s"), 0) - 0.04) < 1e-9);
    assert_int_equal(ct_value_count(all), 1);
    assert_int_equal(ct_value_int(ct_value_get(root, "samples"), 0), SAMPLES * 5 / 2);
    const int64_t left_out = ct_value_int(ct_value_get(root, "left_out"), 0);
    assert_true(left_out > 100 && left_out < 200);
    ct_value_free(root);
}

/* A trial of half as many samples, some that are not finite, and what the sink makes of it. */
static void test_bits_do_not_depend_on_the_block_in_held_series(void **state)
{
    static const int blocks[] = {0, 128};
    char folder[] = "/tmp/pulses-XXXXXX", text[2048], name[64];
    static const char *const files[] = {"series.raw", "found.json", "found.csv"};
    capture out[2];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/series.raw", folder);
    write_series(name);
    snprintf(text, sizeof text, PIPELINE, folder, folder, folder, "BLOCK");
    for (int i = 0; i < 2; i++) {
        out[i] = run(text, blocks[i]);
        check_line(folder);
        if (i == 0) check_json(folder);
    }
    compare(&out[0], &out[1]);
    for (int i = 0; i < 2; i++)
        capture_free(&out[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, files[i]);
        unlink(name);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_trials_share_their_noise),
        cmocka_unit_test(test_constants_have_no_pulse),
        cmocka_unit_test(test_bits_do_not_depend_on_the_block_behind_a_sweep),
        cmocka_unit_test(test_bits_do_not_depend_on_the_block_in_held_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
