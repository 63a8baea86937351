/* blocks_test.c: a real pipeline gives the same bits whatever its block size: history of the
 * filter, the sweep of dedispersion, integrations that end inside blocks, beams that move, windows
 * and bins that no block divides by. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "choose.h"
#include "cornerturn_stage.h"
#include "exhaustive.h"
#include "file.h"
#include "memory.h"

typedef struct stream {
    float *values; /* [time][the rest, in the array's natural order], re and im */
    int64_t row, times, room;
} stream;

static void keep_row(stream *out, const ct_array *block, int64_t t)
{
    int64_t at[CT_DIMS] = {0};
    for (int64_t i = 0; i < out->row; i++) {
        int64_t element = block->offset + t * ct_array_stride(block, 'T');
        for (int d = 0; d < block->rank; d++)
            element += at[d] * block->stride[d];
        ct_complex value = ct_array_load(block, element);
        out->values[2 * (out->times * out->row + i)] = (float)value.re;
        out->values[2 * (out->times * out->row + i) + 1] = (float)value.im;
        for (int d = block->rank - 1; d >= 0; d--) {
            if (block->dim[d] == 'T') continue;
            if (++at[d] < block->extent[d]) break;
            at[d] = 0;
        }
    }
    out->times++;
}

static ct_status keep(void *state, const ct_array *block, int64_t first, int64_t count,
                      ct_error *err)
{
    stream *out = state;
    (void)err;
    out->row = ct_array_count(block) / ct_array_extent(block, 'T');
    while (out->room < (out->times + count) * out->row) {
        out->room = 2 * out->room + count * out->row;
        assert_int_equal(ct_memory_grow(&out->values, sizeof(float) * 2 * (size_t)out->room, NULL),
                         CT_OK);
    }
    for (int64_t t = 0; t < count; t++)
        keep_row(out, block, first + t);
    return CT_OK;
}

typedef struct session {
    ct_context *context;
    ct_device *device;
} session;

/* By rule, so that layouts do not depend on the block: then bits do not. */
static void run_blocks(session *s, const char *text, const char *const *sinks, stream *out)
{
    char name[] = "/tmp/blocks_test_XXXXXX";
    ct_error err = {0};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    int file = mkstemp(name);
    ct_status status = ct_file_write(name, text, strlen(text), &err);
    if (status == CT_OK) status = ct_graph_load(&graph, s->context, name, NULL, &err);
    if (status == CT_OK) status = ct_choose_plan(&plan, graph, s->device, false, &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, s->device, &err);
    for (int i = 0; status == CT_OK && sinks[i]; i++)
        status =
            ct_run_bind(run, sinks[i], &(ct_io){sizeof(ct_io), &out[i], NULL, keep, NULL}, &err);
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status != CT_EOF) print_error("%s\n", err.text);
    assert_int_equal(status, CT_EOF);
    assert_int_equal(ct_run_finish(run, &err), CT_OK);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    remove(name);
    fclose(fdopen(file, "r"));
}

static double rms_of(const stream *s)
{
    double sum = 0;
    int64_t count = 2 * s->times * s->row;
    for (int64_t i = 0; i < count; i++)
        sum += (double)s->values[i] * s->values[i];
    return sqrt(sum / (double)count);
}

static void same(const stream *a, const stream *b, double tolerance)
{
    double rms = rms_of(a);
    assert_true(a->times > 0 && rms > 0);
    assert_int_equal(a->times, b->times);
    assert_int_equal(a->row, b->row);
    for (int64_t i = 0; i < 2 * a->times * a->row; i++)
        if (!(fabs((double)a->values[i] - b->values[i]) <= tolerance * rms))
            fail_msg("value %lld is %g in one block, %g in many", (long long)i, a->values[i],
                     b->values[i]);
}

static void compare(session *s, const char *nodes, const int *blocks, const char *const *sinks,
                    double tolerance)
{
    stream whole[4] = {{0}};
    char text[4096];
    snprintf(text, sizeof text, "%s}", nodes);
    run_blocks(s, text, sinks, whole);
    for (int b = 0; blocks[b] && b < few_or_all(1, 4); b++) {
        stream parts[4] = {{0}};
        char block[64];
        snprintf(block, sizeof block, ", \"block\": {\"T\": %d}", blocks[b]);
        snprintf(text, sizeof text, "%s%s}", nodes, block);
        run_blocks(s, text, sinks, parts);
        for (int i = 0; sinks[i]; i++) {
            same(&whole[i], &parts[i], tolerance);
            ct_memory_free(parts[i].values);
        }
    }
    for (int i = 0; sinks[i]; i++)
        ct_memory_free(whole[i].values);
}

#define BEAMS                                                                                      \
    "{\"cornerturn\": 1, \"nodes\": {"                                                             \
    "\"in\": {\"stage\": \"source.simulate\", \"stations\": 5, \"samples\": 7001, "                \
    "\"seed\": 11, \"pulses\": [{\"dm\": 3, \"time_s\": 0.01, \"width_s\": 0.001, "                \
    "\"amplitude\": 3, \"az\": 40, \"el\": 60}]},"                                                 \
    "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 16, \"taps\": 7},"             \
    "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"                                           \
    "\"beams\": {\"stage\": \"beamformer\", \"input\": \"fft\", \"positions\": [[0, 0, 0], "       \
    "[30, 0, 0], [0, 40, 0], [25, 25, 1], [7, 50, 2]], \"directions\": [[40, 60], [10, 80], "      \
    "[200, 45]]},"

static const int many[] = {16 * 7, 16 * 31, 16 * 150, 16 * 6, 0};

static void integrations(void **state)
{
    static const char *const sinks[] = {"vis_out", "pairs_out", NULL};
    compare(*state,
            BEAMS
            "\"vis\": {\"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 30},"
            "\"vis_out\": {\"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"vis.npy\"},"
            "\"pairs\": {\"stage\": \"correlator\", \"input\": \"beams\", \"integrate\": 30},"
            "\"pairs_out\": {\"stage\": \"sink.npy\", \"input\": \"pairs\", \"file\": \"no.npy\"}}",
            many, sinks, 0);
}

/* A night: integrations of a prime number of spectra, of voltages and of beams, and everything else
 * whose samples do not divide each other's. */
static void night(void **state)
{
    static const int blocks[] = {16 * 67, 16 * 512, 16 * 40, 16 * 197, 0};
    static const char *const sinks[] = {"vis_out", "few_out", "power_out", "dd_out", NULL};
    compare(*state,
            "{\"cornerturn\": 1, \"nodes\": {"
            "\"in\": {\"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 40009, "
            "\"seed\": 7, \"subbands\": 2, \"sb\": 12},"
            "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 16, \"taps\": 3},"
            "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
            "\"vis\": {\"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 613},"
            "\"few\": {\"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 37},"
            "\"flag\": {\"stage\": \"flag\", \"input\": \"fft\", \"window\": 90, "
            "\"false_alarms\": 0.2},"
            "\"beams\": {\"stage\": \"beamformer\", \"input\": \"flag\", \"positions\": "
            "[[0, 0, 0], [31, -7, 0.5], [-12, 40, 1]], \"step_s\": 0.05, \"directions\": "
            "[[[0, 90], [2, 80], [3, 81]], [[40, 60], [41, 61], [44, 62]]]},"
            "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", \"integrate\": 7},"
            "\"dd\": {\"stage\": \"dedisp\", \"input\": \"power\", \"dm\": [{\"start\": 0, "
            "\"step\": 2, \"count\": 3, \"downsample\": 2}, {\"start\": 6, \"step\": 3, "
            "\"count\": 4, \"downsample\": 6}]},"
            "\"vis_out\": {\"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"a.npy\"},"
            "\"few_out\": {\"stage\": \"sink.npy\", \"input\": \"few\", \"file\": \"b.npy\"},"
            "\"power_out\": {\"stage\": \"sink.npy\", \"input\": \"power\", \"file\": "
            "\"c.npy\"},"
            "\"dd_out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"d.npy\"}}",
            blocks, sinks, 0);
}

static void search(void **state)
{
    static const char *const sinks[] = {"dd_out", NULL};
    compare(
        *state,
        BEAMS
        "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", \"stokes\": \"I\", "
        "\"integrate\": 3},"
        "\"dd\": {\"stage\": \"dedisp\", \"input\": \"power\", \"dm\": {\"start\": 0, \"step\": "
        "1.5, \"count\": 5}},"
        "\"dd_out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"never.npy\"}}",
        many, sinks, 0);
}

static void filterbank(void **state)
{
    static const int blocks[] = {4, 60, 172, 1000, 0};
    static const char *const sinks[] = {"out", NULL};
    compare(
        *state,
        "{\"cornerturn\": 1, \"nodes\": {"
        "\"in\": {\"stage\": \"source.simulate\", \"kind\": \"filterbank\", \"channels\": 37, "
        "\"bandwidth_hz\": 10e6, \"sample_time_s\": 0.002, \"samples\": 1501, \"seed\": 5},"
        "\"dd\": {\"stage\": \"dedisp\", \"input\": \"in\", \"dm\": [{\"start\": 0, \"step\": 2, "
        "\"count\": 3, \"downsample\": 2}, {\"start\": 6, \"step\": 3, \"count\": 4, "
        "\"downsample\": 4}]},"
        "\"out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"never.npy\"}}",
        blocks, sinks, 0);
}

/* Trials that share sums add floats in another order than trials that do not: which of both it is
 * must not follow the block. */
static void shared_sums(void **state)
{
    static const char *const types[] = {"f32", "u8"}, *const more[] = {"", ", \"subbands\": 8"};
    static const int blocks[] = {1, 100, 0};
    static const char *const sinks[] = {"out", NULL};
    for (int i = 0; i < 4; i += (int)few_or_all(3, 1)) {
        char nodes[1024];
        snprintf(nodes, sizeof nodes,
                 "{\"cornerturn\": 1, \"nodes\": {"
                 "\"in\": {\"stage\": \"source.simulate\", \"kind\": \"filterbank\", \"type\": "
                 "\"%s\", \"channels\": 64, \"frequency_hz\": 1.4e9, \"bandwidth_hz\": 300e6, "
                 "\"sample_time_s\": 0.0002, \"samples\": 2048, \"seed\": 5},"
                 "\"dd\": {\"stage\": \"dedisp\", \"input\": \"in\", \"dm\": {\"start\": 0, "
                 "\"step\": 0.5, \"count\": 64}%s},"
                 "\"out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"no.npy\"}}",
                 types[i % 2], more[i / 2]);
        compare(*state, nodes, blocks, sinks, 0);
    }
}

/* Tiles add floats in another order than rows do. */
static void powers(void **state)
{
    static const int blocks[] = {16, 48, 480, 0};
    static const char *const sinks[] = {"out", NULL};
    static const int integrate[] = {3, 20, 24};
    for (int i = 0; i < 3; i++) {
        char nodes[1024];
        snprintf(nodes, sizeof nodes,
                 "{\"cornerturn\": 1, \"nodes\": {"
                 "\"in\": {\"stage\": \"source.simulate\", \"type\": \"cf32\", \"stations\": 3, "
                 "\"samples\": 19200, \"seed\": 3},"
                 "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 16, \"taps\": 1},"
                 "\"power\": {\"stage\": \"detect\", \"input\": \"fir\", \"integrate\": %d, "
                 "\"layout\": {\"read\": \"SPCT\"}},"
                 "\"out\": {\"stage\": \"sink.npy\", \"input\": \"power\", \"file\": \"no.npy\", "
                 "\"layout\": \"STC\"}}",
                 integrate[i]);
        compare(*state, nodes, blocks, sinks, 0);
    }
}

static int open_session(void **state)
{
    static session s;
    ct_error err = {0};
    if (ct_context_open(&s.context, &err) || ct_device_open(&s.device, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    *state = &s;
    return 0;
}

static int close_session(void **state)
{
    session *s = *state;
    ct_device_free(s->device);
    ct_context_free(s->context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integrations), cmocka_unit_test(night),
                                       cmocka_unit_test(search),       cmocka_unit_test(filterbank),
                                       cmocka_unit_test(shared_sums),  cmocka_unit_test(powers)};
    return cmocka_run_group_tests(tests, open_session, close_session);
}
