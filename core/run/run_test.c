/* run_test.c: whole runs of small stages of the test's own, on a device: history, skipped starts,
 * gathered blocks, flags and bridged layouts, against closed formulas and for many block sizes,
 * each with and without threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "exhaustive.h"
#include "plan.h"
#include "stages_fixture.h"

enum { STATIONS = 16, CHANNELS = 5, TOTAL = 97 };

static ct_status make_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_add(out, 'S', STATIONS);
    ct_array_add(out, 'T', 0);
    ct_array_add(out, 'C', CHANNELS);
    out->meta.total = TOTAL;
    return CT_OK;
}

static ct_status sum_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = ct_step_int(step, "sum");
    step->overlap = ct_step_int(step, "overlap");
    step->overlap_kind = ct_step_bool(step, "valid") ? CT_VALID : CT_HISTORY;
    return CT_OK;
}

static const ct_param sum_params[] = {{"sum", CT_PARAM_INT, "1", NULL, 1, 1e6, "samples added"},
                                      {"overlap", CT_PARAM_INT, "0", NULL, 0, 1e6, "history"},
                                      {"valid", CT_PARAM_BOOL, "false", NULL, 0, 0, "kind"},
                                      {0}};
static const char sum_cl[] =
    "kernel void sum(CT_ARGS) {\n"
    "    float all = 0;\n"
    "    for (int t = ID_T * DECIMATE; t < ID_T * DECIMATE + DECIMATE + OVERLAP; t++)\n"
    "        all += X(ID_S, t, ID_C);\n"
    "    Y(ID_S, ID_T, ID_C) = all;\n"
    "}\n";
/* Adds samples that are not flagged, over several blocks or a window of history. */
static const char count_cl[] =
    "kernel void count(CT_ARGS) {\n"
    "    float all = CT_ADD ? Y(ID_S, ID_T, ID_C) : 0;\n"
    "    for (int t = ID_T * DECIMATE; t < ID_T * DECIMATE + DECIMATE + OVERLAP; t++)\n"
    "        if (!M(ID_S, t)) all += X(ID_S, t, ID_C);\n"
    "    Y(ID_S, ID_T, ID_C) = all;\n"
    "}\n";
static const ct_stage sum = {
    .api = CT_API,
    .name = "test.sum",
    .infer = sum_infer,
    .params = sum_params,
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
              {"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}},
    .kernel = {.text = sum_cl, .name = "sum.cl", .entry = "sum"},
};
static const ct_stage count = {
    .api = CT_API,
    .name = "test.count",
    .infer = sum_infer,
    .params = sum_params,
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
              {"M", CT_IN, CT_PORT_FLAGS | CT_PORT_OPTIONAL, "ST", "u8", "ST", NULL, NULL},
              {"Y", CT_OUT, CT_PORT_ACCUMULATE, "STC", "f32", "*", NULL, NULL}},
    .kernel = {.text = count_cl, .name = "count.cl", .entry = "count"},
};
static float sample(int64_t s, int64_t t, int64_t c)
{
    return t < 0 || t >= TOTAL ? 0.0F : (float)((t * 7 + s * 31 + c * 3) % 101);
}

static bool missing(int64_t s, int64_t t)
{
    return t >= 40 && t < 53 && s == 1;
}

typedef struct stream {
    int64_t position;
    float values[STATIONS][2 * TOTAL][CHANNELS];
} stream;

static int64_t place(const ct_array *a, int64_t s, int64_t t, int64_t c)
{
    return a->offset + s * ct_array_stride(a, 'S') + t * ct_array_stride(a, 'T') +
           c * ct_array_stride(a, 'C');
}

static ct_status give(void *state, ct_array *block, uint8_t *flags, int64_t *got, ct_error *err)
{
    int64_t *position = state, n = ct_array_extent(block, 'T');
    (void)err;
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < n; t++) {
            flags[s * n + t] = missing(s, *position + t);
            for (int64_t c = 0; c < CHANNELS; c++)
                ct_array_save(block, place(block, s, t, c), sample(s, *position + t, c), 0);
        }
    *got = TOTAL - *position < n ? TOTAL - *position : n;
    *position += *got;
    return CT_OK;
}

static ct_status keep(void *state, const ct_array *block, int64_t first, int64_t n, ct_error *err)
{
    stream *out = state;
    (void)err;
    for (int64_t t = 0; t < n; t++, out->position++)
        for (int64_t s = 0; s < STATIONS; s++)
            for (int64_t c = 0; c < CHANNELS; c++)
                out->values[s][out->position][c] =
                    (float)ct_array_load(block, place(block, s, first + t, c)).re;
    return CT_OK;
}

/* What the stages themselves give and keep, on threads of the run, where nothing is bound. */
static struct {
    int64_t position;
    stream out;
} own;

static ct_status give_open(ct_step *step, void **state, ct_error *err)
{
    (void)step, (void)err;
    own.position = 0;
    *state = &own.position;
    return CT_OK;
}

static ct_status keep_open(ct_step *step, void **state, ct_error *err)
{
    (void)step, (void)err;
    *state = &own.out;
    return CT_OK;
}

static const ct_stage make = {
    .api = CT_API,
    .name = "test.make",
    .infer = make_infer,
    .traits = CT_STAGE_THREAD,
    .ports = {{"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}},
    .io = {.open = give_open, .read = give},
};
static const ct_stage take = {
    .api = CT_API,
    .name = "test.take",
    .traits = CT_STAGE_THREAD,
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL}},
    .io = {.open = keep_open, .write = keep},
};

static int open_all(void **state)
{
    const ct_stage *const stages[] = {&make, &sum, &count, &take, NULL};
    return fixture_open(state, stages);
}

/* Of source and sink that a program binds, or (out NULL) that are the stages'. */
static void run_plan(fixture *f, const ct_plan *plan, stream *out, ct_progress *progress)
{
    ct_error err = {0};
    ct_run *run = NULL;
    int64_t position = 0;
    const ct_io in = {.size = sizeof in, .state = &position, .read = give};
    const ct_io take_up = {.size = sizeof take_up, .state = out, .write = keep};
    ct_status status = ct_run_new(&run, plan, f->device, &err);
    if (status == CT_OK && out) status = ct_run_bind(run, "in", &in, &err);
    if (status == CT_OK && out) status = ct_run_bind(run, "out", &take_up, &err);
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    if (status != CT_EOF) print_error("%s\n", err.text);
    assert_int_equal(status, CT_EOF);
    assert_int_equal(ct_run_finish(run, &err), CT_OK);
    if (progress) assert_int_equal(ct_run_progress(run, progress, &err), CT_OK);
    ct_run_free(run);
}

static void run_text(fixture *f, const char *text, stream *out, ct_progress *progress)
{
    ct_error err = {0};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    memset(out, 0xff, sizeof *out);
    memset(&own.out, 0xff, sizeof own.out);
    out->position = own.out.position = 0;
    ct_status status = ct_graph_parse(&graph, f->context, text, "run_test.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, f->device, &err);
    if (status != CT_OK) print_error("%s\n", err.text);
    assert_int_equal(status, CT_OK);
    run_plan(f, plan, NULL, progress);
    run_plan(f, plan, out, progress);
    assert_memory_equal(&own.out, out, sizeof *out);
    ct_plan_free(plan);
    ct_graph_free(graph);
}

/* What test.sum gives at output t: history in front, `skip` outputs dropped. */
static float expected_sum(int64_t s, int64_t t, int64_t c, int sum_by, int overlap, int skip)
{
    float all = 0;
    int64_t first = (t + skip) * sum_by - overlap;
    for (int64_t i = first; i < first + sum_by + overlap; i++)
        all += sample(s, i, c);
    return all;
}

static void sums_over(fixture *f, int block, int sum_by, int overlap, bool valid, const char *read,
                      const char *write)
{
    static stream out;
    char text[1024];
    int skip = valid ? (overlap + sum_by - 1) / sum_by : 0;
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"in\": {\"stage\": "
             "\"test.make\", \"layout\": \"SCT\"}, \"a\": {\"stage\": \"test.sum\", \"input\": "
             "\"in\", \"sum\": %d, \"overlap\": %d, \"valid\": %s, \"layout\": {\"read\": \"%s\", "
             "\"write\": \"%s\"}}, \"out\": {\"stage\": \"test.take\", \"input\": \"a\", "
             "\"layout\": \"CST\"}}}",
             block, sum_by, overlap, valid ? "true" : "false", read, write);
    run_text(f, text, &out, NULL);
    assert_int_equal(out.position, TOTAL / sum_by - skip);
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < out.position; t++)
            for (int64_t c = 0; c < CHANNELS; c++)
                assert_true(out.values[s][t][c] == expected_sum(s, t, c, sum_by, overlap, skip));
}

static void blocks_do_not_show(void **state)
{
    const int blocks[] = {9, 99, 3, 30, 120};
    for (int64_t i = 0; i < few_or_all(2, 5); i++) {
        sums_over(*state, blocks[i], 3, 0, false, "STC", "STC");
        sums_over(*state, blocks[i], 3, 12, false, "auto", "CTS");
        sums_over(*state, blocks[i], 3, 12, true, "TCS", "auto");
        sums_over(*state, blocks[i], 1, 31, true, "CTS", "STC");
        sums_over(*state, blocks[i], 1, 31, false, "SCT", "SCT");
    }
}

/* 9 fresh samples behind 247 of history fill 1 KiB, and 16 stations of them 17: gaps stand behind
 * both, so that no two dimensions follow each other in memory. */
static void gaps_between_rows_do_not_show(void **state)
{
    sums_over(*state, 9, 1, 247, false, "CST", "CST");
    sums_over(*state, 9, 3, 247, false, "CST", "SCT");
}

static void gathered_sums(void **state)
{
    const int blocks[] = {4, 32, 2, 8, 16, 96};
    for (int64_t i = 0; i < few_or_all(2, 6); i++) {
        static stream out;
        ct_progress progress = {.size = sizeof progress};
        char text[512];
        snprintf(text, sizeof text,
                 "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"in\": {\"stage\": "
                 "\"test.make\"}, \"a\": {\"stage\": \"test.count\", \"input\": \"in\", \"sum\": "
                 "16}, \"out\": {\"stage\": \"test.take\", \"input\": \"a\"}}}",
                 blocks[i]);
        run_text(*state, text, &out, &progress);
        assert_int_equal(out.position, TOTAL / 16);
        assert_int_equal(progress.flagged, 13);
        assert_int_equal(progress.samples, TOTAL * STATIONS);
        for (int64_t s = 0; s < STATIONS; s++)
            for (int64_t t = 0; t < TOTAL / 16; t++)
                for (int64_t c = 0; c < CHANNELS; c++) {
                    float all = 0;
                    for (int64_t k = t * 16; k < t * 16 + 16; k++)
                        all += missing(s, k) ? 0 : sample(s, k, c);
                    assert_true(out.values[s][t][c] == all);
                }
    }
}

/* Flags spread over a window of history: what lacks samples before the start is flagged too. */
static void flags_pass_windows(void **state)
{
    const int blocks[] = {8, 48, 16, 96};
    for (int64_t i = 0; i < few_or_all(2, 4); i++) {
        static stream out;
        char text[512];
        snprintf(text, sizeof text,
                 "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"in\": {\"stage\": "
                 "\"test.make\"}, \"w\": {\"stage\": \"test.sum\", \"input\": \"in\", \"sum\": 2, "
                 "\"overlap\": 6}, \"a\": {\"stage\": \"test.count\", \"input\": \"w\", \"sum\": 4}"
                 ", \"out\": {\"stage\": \"test.take\", \"input\": \"a\"}}}",
                 blocks[i]);
        run_text(*state, text, &out, NULL);
        assert_int_equal(out.position, TOTAL / 8);
        for (int64_t s = 0; s < STATIONS; s++)
            for (int64_t t = 0; t < TOTAL / 8; t++) {
                float all = 0;
                for (int64_t k = t * 4; k < t * 4 + 4; k++) {
                    bool flagged = k * 2 - 6 < 0;
                    for (int64_t u = k * 2 - 6; u < k * 2 + 2; u++)
                        flagged = flagged || missing(s, u);
                    all += flagged ? 0 : expected_sum(s, k, 2, 2, 6, 0);
                }
                assert_true(out.values[s][t][2] == all);
            }
    }
}

/* A stage that sees flags sees those of its history too; before the start all are set. */
static void flags_reach_into_history(void **state)
{
    const int blocks[] = {7, 97, 1, 24};
    for (int64_t i = 0; i < few_or_all(2, 4); i++) {
        static stream out;
        char text[512];
        snprintf(text, sizeof text,
                 "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"in\": {\"stage\": "
                 "\"test.make\"}, \"w\": {\"stage\": \"test.count\", \"input\": \"in\", "
                 "\"overlap\": 11}, \"out\": {\"stage\": \"test.take\", \"input\": \"w\"}}}",
                 blocks[i]);
        run_text(*state, text, &out, NULL);
        assert_int_equal(out.position, TOTAL);
        for (int64_t s = 0; s < STATIONS; s++)
            for (int64_t t = 0; t < TOTAL; t++)
                for (int64_t c = 0; c < CHANNELS; c++) {
                    float all = 0;
                    for (int64_t k = t - 11; k <= t; k++)
                        all += missing(s, k) ? 0 : sample(s, k, c);
                    assert_true(out.values[s][t][c] == all);
                }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_do_not_show), cmocka_unit_test(gaps_between_rows_do_not_show),
        cmocka_unit_test(gathered_sums), cmocka_unit_test(flags_pass_windows),
        cmocka_unit_test(flags_reach_into_history)};
    return cmocka_run_group_tests(tests, open_all, fixture_close);
}
