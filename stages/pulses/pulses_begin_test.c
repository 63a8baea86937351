/* pulses_begin_test.c: where a stream begins inside a part, as after dedispersion: all bins are the
 * same to the last bit for every length of a firing and for all tunables of the same vectors, or of
 * work-groups, and are what the reference says of the whole stream.
 * Room: stages/pulses, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "exhaustive.h"
#include "stage.h"
#include "stages/pulses/pulses.h"

enum { SAMPLES = 9000, TRIALS = 3 };

/* The highest DM says how many samples dedispersion drops. */
typedef struct sky {
    const char *dm, *params;
    int64_t downsample[TRIALS], from, to; /* samples dropped: in a part that is so long */
} sky;

#define PIPELINE                                                                                   \
    "{\"cornerturn\": 1, \"nodes\": {"                                                             \
    "\"sky\": {\"stage\": \"source.simulate\", \"kind\": \"filterbank\", \"channels\": 32,"        \
    "  \"samples\": 9000, \"type\": \"f32\"},"                                                     \
    "\"dd\": {\"stage\": \"dedisp\", \"input\": \"sky\", \"dm\": %s},"                             \
    "\"series\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"series.npy\"},"          \
    "\"p\": {\"stage\": \"pulses\", \"input\": \"dd\", %s, \"tunables\": {%s}},"                   \
    "\"bins\": {\"stage\": \"sink.npy\", \"input\": \"p\", \"file\": \"bins.npy\"}}%s}"

typedef struct result {
    capture series, bins;
} result;

static result run(const sky *of, const char *tunables, int block)
{
    static const char *const sinks[] = {"series", "bins", NULL};
    char text[2048], size[64] = "";
    ct_error err = {0};
    capture out[2];
    memset(out, 0, sizeof out);
    if (block > 0) snprintf(size, sizeof size, ", \"block\": {\"T\": %d}", block);
    snprintf(text, sizeof text, PIPELINE, of->dm, of->params, tunables, size);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
    assert_string_equal(out[0].each.dim, "D");
    assert_string_equal(out[1].each.dim, "DN");
    return (result){out[0], out[1]};
}

static void free_result(result *one)
{
    capture_free(&one->series);
    capture_free(&one->bins);
}

static void compare(const capture *a, const capture *b)
{
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->count, b->count);
    for (int64_t t = 0; t < a->samples; t++)
        for (int64_t n = 0; n < a->count; n++)
            if (capture_at(a, t, n).re != capture_at(b, t, n).re)
                fail_msg("bin %d number %d: %.9g and %.9g", (int)t, (int)n, capture_at(a, t, n).re,
                         capture_at(b, t, n).re);
}

/* ---- the reference, of the whole stream at once */

static void make_reference(stage_case *made, const sky *of, const capture *series, int64_t dropped)
{
    char params[128];
    ct_error err = {0};
    ct_array input =
        stage_array("D=3 T=16384", CT_F32); /* whole groups of 16 parts of any length */
    input.meta.downsample = of->downsample;
    snprintf(params, sizeof params, "{%s}", of->params);
    assert_true(stage_try(made, &ct_stage_pulses, params, &input, &err));
    ct_step_extend(made->step);
    for (int i = 0; i < ct_step_ports(made->step); i++)
        stage_take_port(made, i);
    ct_array *x = &made->port[PORT_X], *m = &made->port[PORT_M];
    const int64_t length = ct_array_extent(x, 'T'), begin = made->step->overlap + dropped;
    *m = (ct_array){.type = CT_U8};
    ct_array_add(m, 'T', length);
    ct_array_dense(m, NULL);
    m->data = calloc(1, (size_t)length);
    for (int64_t t = 0; t < length; t++)
        ct_array_save(m, t, t < begin || t >= begin + series->samples ? 2 : 0, 0);
    for (int64_t t = 0; t < series->samples; t++)
        for (int64_t d = 0; d < TRIALS; d++)
            ct_array_save(x, d * length + begin + t, capture_at(series, t, d).re, 0);
    stage_reference(made);
}

static void compare_with_reference(const sky *of, const result *found)
{
    stage_case made;
    const int64_t dropped = SAMPLES - found->series.samples;
    make_reference(&made, of, &found->series, dropped);
    const ct_array *y = &made.port[PORT_Y];
    const int64_t bin = made.step->decimate, first = ct_divide_up(dropped, bin);
    int64_t loud = 0;
    assert_int_equal(found->bins.samples, SAMPLES / bin - first);
    for (int64_t t = 0; t < found->bins.samples; t++)
        for (int64_t n = 0; n < found->bins.count; n++) {
            const int64_t d = n / PULSES_NUMBERS, k = n % PULSES_NUMBERS;
            const double is = capture_at(&found->bins, t, n).re;
            const double expected =
                ct_array_load(y, d * ct_array_stride(y, 'D') + k * ct_array_stride(y, 'N') +
                                     (first + t) * ct_array_stride(y, 'T'))
                    .re;
            loud += k == 0 && is > 0;
            if (!(fabs(is - expected) <= (k == 0 ? 1e-4 : 0)))
                fail_msg("bin %d of trial %d, number %d: %.9g, expected %.9g", (int)t, (int)d,
                         (int)k, is, expected);
        }
    assert_true(loud > (found->bins.samples - 8) * TRIALS);
    stage_free(&made);
}

/* ---- all firings, all tunables */

#define RANGE(step) "{\"start\": 0, \"step\": " step ", \"count\": 3}"
#define COARSE(dm)                                                                                 \
    "[{\"start\": 0, \"step\": 9, \"count\": 2}, {\"start\": " dm                                  \
    ", \"step\": 1, \"count\": 1, \"downsample\": 2}]"

/* In the first, the last and the first part but one of 16, of 64 samples; of 128 and of 256, which
 * have several units and bins. */
static const sky skies[] = {
    {RANGE("10"), "\"threshold\": 4", {1, 1, 1}, 256, 320},
    {RANGE("33.3"), "\"threshold\": 4", {1, 1, 1}, 960, 1024},
    {RANGE("37"), "\"threshold\": 4", {1, 1, 1}, 1088, 1152},
    {COARSE("70"), "\"widest\": 64", {1, 1, 2}, 1024, 1152},
    {COARSE("265"), "\"widest\": 256, \"noise_samples\": 2048", {1, 1, 2}, 3840, 4096}};

/* Firings of all samples, and, of parts of 64 samples, of 1024, 2048 and 7168. */
static const int blocks[] = {0, 500, 2000, 7000};

/* The first `count` blocks, with one of the tunables each, or with both and the whole stream, too.
 */
static void expect_same(const sky *of, const char *const tunables[2], int count)
{
    const int each = (int)few_or_all(1, 2);
    result whole = run(of, tunables[0], 0);
    const int64_t dropped = SAMPLES - whole.series.samples;
    print_message("dropped %d\n", (int)dropped);
    assert_true(dropped > of->from && dropped < of->to && dropped % 64 != 0);
    compare_with_reference(of, &whole);
    for (int i = (int)few_or_all(1, 0); i < count * each; i++) {
        const int block = i / each;
        result parts = run(of, tunables[(each == 1 ? block + 1 : i) % 2], blocks[block]);
        compare(&whole.series, &parts.series);
        compare(&whole.bins, &parts.bins);
        free_result(&parts);
    }
    free_result(&whole);
}

static void test_vectors(void **state)
{
    static const char *const tunables[] = {"\"VECTOR_T\": 16, \"TILES_T\": 64",
                                           "\"VECTOR_T\": 16, \"TILES_T\": 4"};
    (void)state;
    for (size_t i = 0; i < sizeof skies / sizeof *skies; i += (size_t)few_or_all(2, 1))
        expect_same(&skies[i], tunables, 4);
}

static void test_scalars(void **state)
{
    static const char *const tunables[] = {"\"VECTOR_T\": 1, \"TILES_T\": 4, \"WG\": 1",
                                           "\"VECTOR_T\": 1, \"TILES_T\": 64, \"WG\": 1"};
    (void)state;
    for (size_t i = 1; i < sizeof skies / sizeof *skies; i += (size_t)few_or_all(4, 1))
        expect_same(&skies[i], tunables, (int)few_or_all(3, 4));
}

/* These add in an order of their own; on a CPU there is one size of them. */
static void test_groups(void **state)
{
    static const char group[] = "\"VECTOR_T\": 1, \"TILES_T\": 4, \"WG\": 64";
    static const char *const tunables[] = {group, group};
    (void)state;
    for (size_t i = 1; i < sizeof skies / sizeof *skies; i += (size_t)few_or_all(4, 1))
        expect_same(&skies[i], tunables, (int)few_or_all(3, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors),
                                       cmocka_unit_test(test_scalars),
                                       cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
