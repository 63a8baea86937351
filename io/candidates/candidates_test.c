/* candidates_test.c: a pulse of known beam, trial, time and width is found, also across the border
 * of two blocks, where a trial has fewer samples than T, and among samples that are not finite; the
 * files have the same bytes for every block size.
 * Room: io/candidates. */
#include "cornerturn_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { TRIALS = 3, SAMPLES = 1000 };

/* How the planes of a file are to be understood. */
typedef struct shape {
    const char *dims, *sizes;
    int beams, products;
    const char *key, *names; /* of the products in what is found, two letters each; NULL: numbers */
    const char *said;        /* of them, by the source */
} shape;

static const shape plain = {"BDT", "\"B\": 2", 2, 1, NULL, NULL, ""},
                   stokes = {"BQDT",     "\"B\": 2, \"Q\": 4",      2, 4, "stokes",
                             "I Q U V ", ", \"products\": \"IQUV\""},
                   coherence = {"BQDT",
                                "\"B\": 2, \"Q\": 4",
                                2,
                                4,
                                "product",
                                "AABBCRCI",
                                ", \"products\": [\"AA\", \"BB\", \"CR\", \"CI\"]"},
                   unnamed = {"BQDT", "\"B\": 2, \"Q\": 4", 2, 4, "product", NULL, ""},
                   pairs = {"BQDT", "\"B\": 4, \"Q\": 2", 4, 2, "product", NULL, ""};

static float noise(uint32_t *state)
{
    float sum = 0; /* of 12 uniform numbers: close to normal, rms 1 */
    for (int i = 0; i < 12; i++) {
        *state = *state * 1664525u + 1013904223u;
        sum += (float)(*state >> 8) / 16777216.0f - 0.5f;
    }
    return sum;
}

typedef struct wanted {
    const shape *shape;
    int beam, product, trial, first, width;
    double time_s, width_s;
    int spoiled; /* some samples are not finite */
} wanted;

/* What every so manieth pair of samples is, where they are spoiled. */
static bool spoil(int t, float *value)
{
    static const float kinds[] = {NAN, INFINITY, -INFINITY};
    if (t / 2 % 48 != 2) return false;
    *value = kinds[t / 96 % 3];
    return true;
}

/* Series of noise; `width` samples from `first` of one of them are `height` higher. Trial 2 holds
 * each value for two samples. */
static void write_series(const char *file, const wanted *w, float height)
{
    const int planes = w->shape->beams * w->shape->products;
    const int plane = w->beam * w->shape->products + w->product;
    uint32_t state = 5;
    FILE *to = fopen(file, "wb");
    assert_non_null(to);
    for (int b = 0; b < planes; b++)
        for (int d = 0; d < TRIALS; d++) {
            float held = 0;
            for (int t = 0; t < SAMPLES; t++) {
                if (d < 2 || t % 2 == 0) held = noise(&state);
                float value = 100 + 3 * held;
                if (b == plane && d == w->trial && t >= w->first && t < w->first + w->width)
                    value += 3 * height;
                if (w->spoiled) (void)spoil(t, &value);
                assert_int_equal(fwrite(&value, sizeof value, 1, to), 1);
            }
        }
    assert_int_equal(fclose(to), 0);
}

#define PIPELINE                                                                                   \
    "{\"cornerturn\": 1, \"nodes\": {"                                                             \
    "\"v\": {\"stage\": \"source.raw\", \"file\": \"series.raw\", \"dims\": \"%s\", \"type\": "    \
    "\"f32\","                                                                                     \
    "  \"sizes\": {%s, \"D\": 3}, \"sample_time_s\": 0.01, \"start_s\": 0.5,"                      \
    "  \"dm\": [10, 11, 12], \"downsample\": [1, 1, 2]%s},"                                        \
    "\"found\": {\"stage\": \"sink.candidates\", \"input\": \"v\", \"file\": \"found.json\","      \
    "  \"picture\": \"found.svg\"}}%s}"

static void run_pipeline(const char *folder, const shape *in, int block)
{
    char text[1024], name[512], size[64] = "";
    ct_error err = {0};
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    if (block > 0) snprintf(size, sizeof size, ", \"block\": {\"T\": %d}", block);
    snprintf(text, sizeof text, PIPELINE, in->dims, in->sizes, in->said, size);
    snprintf(name, sizeof name, "%s/pipeline.json", folder);
    ct_status status = ct_context_open(&context, &err);
    if (status == CT_OK) status = ct_device_open(&device, NULL, &err);
    if (status == CT_OK) status = ct_graph_parse(&graph, context, text, name, NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, &err);
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status == CT_EOF) status = ct_run_finish(run, &err);
    if (status != CT_OK) print_error("%s\n", err.text);
    assert_int_equal(status, CT_OK);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_device_free(device);
    ct_context_free(context);
}

/* Beam and Stokes parameter apart; the latter only if there are several. */
static void check_place(const ct_value *row, const shape *in, int beam, int product)
{
    const ct_value *found = in->key ? ct_value_get(row, in->key) : NULL;
    const bool both = ct_value_get(row, "stokes") && ct_value_get(row, "product");
    assert_int_equal(ct_value_int(ct_value_get(row, "beam"), -1), beam);
    assert_true((found != NULL) == (in->products > 1) && !both);
    if (!found) return;
    if (!in->names) {
        assert_int_equal(ct_value_int(found, -1), product);
        return;
    }
    char expected[3] = {in->names[2 * product], in->names[2 * product + 1], 0};
    expected[strcspn(expected, " ")] = 0;
    assert_string_equal(ct_value_text(found, ""), expected);
}

/* Of all planes: two trials of SAMPLES, and one of half as many. */
static void check_counts(const ct_value *root, const wanted *w)
{
    const int planes = w->shape->beams * w->shape->products;
    float ignored;
    int spoiled = 0;
    for (int t = 0; w->spoiled && t < SAMPLES; t++)
        spoiled += spoil(t, &ignored) ? t % 2 + 2 : 0;
    assert_true(!w->spoiled || spoiled > 40);
    assert_int_equal(ct_value_int(ct_value_get(root, "samples"), -1), planes * SAMPLES * 5 / 2);
    assert_int_equal(ct_value_int(ct_value_get(root, "left_out"), -1), planes * spoiled);
    assert_int_equal(ct_value_int(ct_value_get(root, "no_noise"), -1), 0);
}

static void check_found(const char *folder, const wanted *w)
{
    char name[512];
    ct_value *root = NULL;
    snprintf(name, sizeof name, "%s/found.json", folder);
    assert_int_equal(ct_value_load(&root, name, NULL), CT_OK);
    const ct_value *best = ct_value_get(root, "best"), *rows = ct_value_get(root, "beams");
    check_place(best, w->shape, w->beam, w->product);
    assert_true(fabs(ct_value_real(ct_value_get(best, "dm"), 0) - (10 + w->trial)) < 1e-9);
    assert_true(fabs(ct_value_real(ct_value_get(best, "time_s"), 0) - w->time_s) < 1e-6);
    assert_true(fabs(ct_value_real(ct_value_get(best, "width_s"), 0) - w->width_s) < 1e-9);
    assert_int_equal(ct_value_count(rows), w->shape->beams * w->shape->products);
    for (int i = 0; i < w->shape->beams * w->shape->products; i++)
        check_place(ct_value_at(rows, (size_t)i), w->shape, i / w->shape->products,
                    i % w->shape->products);
    check_counts(root, w);
    ct_value_free(root);
}

static void check_picture(const char *folder)
{
    char name[512], line[256] = "", last[256] = "";
    snprintf(name, sizeof name, "%s/found.svg", folder);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_non_null(strstr(line, "<svg "));
    while (fgets(line, sizeof line, in))
        snprintf(last, sizeof last, "%s", line);
    fclose(in);
    assert_string_equal(last, "</svg>\n");
}

/* Both files, to be freed. */
static char *bytes_of(const char *folder)
{
    enum { MOST = 1 << 20 };
    static const char *const files[] = {"found.json", "found.svg"};
    char name[512], *text = calloc(1, MOST);
    size_t size = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, files[i]);
        FILE *in = fopen(name, "rb");
        assert_non_null(in);
        size += fread(text + size, 1, MOST - 1 - size, in);
        fclose(in);
    }
    assert_true(size > 0 && size < MOST - 1);
    return text;
}

static void find_in(const char *folder, const wanted *w)
{
    static const int blocks[] = {0, 1000, 128, 250, 125, 300, 512, 1024, 5120, 7};
    char *first = NULL;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run_pipeline(folder, w->shape, blocks[i]);
        check_found(folder, w);
        check_picture(folder);
        char *now = bytes_of(folder);
        if (first != NULL) assert_string_equal(now, first);
        free(i == 0 ? NULL : now);
        if (i == 0) first = now;
    }
    free(first);
}

static void find(const wanted *w)
{
    char folder[] = "/tmp/candidates-XXXXXX", name[512];
    static const char *const files[] = {"series.raw", "found.json", "found.svg"};
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/series.raw", folder);
    write_series(name, w, 10);
    find_in(folder, w);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, files[i]);
        unlink(name);
    }
    rmdir(folder);
}

static void finds_a_pulse(void **state)
{
    (void)state;
    find(&(wanted){&plain, 1, 0, 1, 700, 4, 0.5 + 0.01 * 701.5, 0.04, 0});
}

static void finds_a_pulse_across_a_border(void **state)
{
    (void)state;
    find(&(wanted){&plain, 0, 0, 0, 254, 4, 0.5 + 0.01 * 255.5, 0.04, 0});
}

static void counts_held_samples_once(void **state)
{
    (void)state;
    find(&(wanted){&plain, 1, 0, 2, 400, 4, 0.5 + 0.01 * 401.5, 0.04, 0});
}

static void leaves_out_what_is_not_finite(void **state)
{
    (void)state;
    find(&(wanted){&plain, 1, 0, 1, 700, 4, 0.5 + 0.01 * 701.5, 0.04, 1});
    find(&(wanted){&plain, 0, 0, 2, 400, 4, 0.5 + 0.01 * 401.5, 0.04, 1});
}

static void tells_beams_from_stokes_parameters(void **state)
{
    (void)state;
    find(&(wanted){&stokes, 1, 2, 1, 700, 4, 0.5 + 0.01 * 701.5, 0.04, 0});
    find(&(wanted){&stokes, 0, 3, 1, 700, 4, 0.5 + 0.01 * 701.5, 0.04, 0});
    find(&(wanted){&coherence, 1, 2, 1, 700, 4, 0.5 + 0.01 * 701.5, 0.04, 0});
    find(&(wanted){&unnamed, 0, 1, 1, 700, 4, 0.5 + 0.01 * 701.5, 0.04, 0});
    find(&(wanted){&pairs, 2, 1, 0, 300, 4, 0.5 + 0.01 * 301.5, 0.04, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_pulse), cmocka_unit_test(finds_a_pulse_across_a_border),
        cmocka_unit_test(counts_held_samples_once), cmocka_unit_test(leaves_out_what_is_not_finite),
        cmocka_unit_test(tells_beams_from_stokes_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
