/* flags_by_hand_test.c: flags that a pipeline brings by hand ("M": "mask") count beside those that
 * a source says: with history, in another layout, over blocks, while others read the mask as it is.
 * Room: tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "flags_run.h"

enum { STATIONS = 3, SAMPLES = 96, OVERLAP = 2 };

/* What the source says is missing, what the mask leaves out: never both in a block of 16. */
static bool is_missing(int64_t s, int64_t t)
{
    return t / 16 % 3 == 0 && (5 * s + t) % 7 == 0;
}

static bool is_masked(int64_t s, int64_t t)
{
    return t / 16 % 2 == 1 && (3 * s + t) % 5 == 0;
}

static ct_status source_infer(ct_step *step, ct_error *err)
{
    (void)err;
    flags_source_shape(step, STATIONS, SAMPLES);
    return CT_OK;
}

static ct_status read_any(int64_t *at, ct_array *block, uint8_t *flags, bool mask, int64_t *got)
{
    const int64_t count = ct_array_extent(block, 'T');
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < count; t++) {
            ct_array_save(block,
                          block->offset + s * ct_array_stride(block, 'S') +
                              t * ct_array_stride(block, 'T'),
                          mask ? 4 * is_masked(s, *at + t) : 1, 0);
            if (!mask && flags) flags[s * count + t] = is_missing(s, *at + t);
        }
    *at += count;
    *got = *at > SAMPLES ? 0 : count;
    return CT_OK;
}

static ct_status data_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                           ct_error *err)
{
    (void)err;
    return read_any((int64_t *)state, block, flags, false, got);
}

static ct_status mask_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                           ct_error *err)
{
    (void)err;
    return read_any((int64_t *)state, block, flags, true, got);
}

/* How many of a sample and the two before it are flagged. */
static const char count_cl[] = "kernel void count(CT_ARGS)\n"
                               "{\n"
                               "    int sum = 0;\n"
                               "    for (int k = 0; k <= OVERLAP; k++)\n"
                               "        sum += M_LEFT_OUT(ID_S, ID_T + k);\n"
                               "    Y_SAVE(ID_S, ID_T, sum);\n"
                               "}\n";

static ct_status count_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->overlap = OVERLAP;
    step->overlap_kind = CT_HISTORY;
    return CT_OK;
}

static const ct_stage stages[] = {
    {
        .api = CT_API,
        .name = "test.data",
        .ports = {{"Y", CT_OUT, 0, "ST", "f32", "*", NULL, NULL}},
        .infer = source_infer,
        .io = {.open = flags_source_open, .read = data_read},
    },
    {
        .api = CT_API,
        .name = "test.mask",
        .ports = {{"Y", CT_OUT, 0, "ST", "u8", "*", NULL, NULL}},
        .infer = source_infer,
        .io = {.open = flags_source_open, .read = mask_read},
    },
    {
        .api = CT_API,
        .name = "test.count",
        .ports = {{"X", CT_IN, 0, "ST", "f32", "*", NULL, NULL},
                  {"M", CT_IN, CT_PORT_FLAGS, "ST", "u8", "*", NULL, NULL},
                  {"Y", CT_OUT, 0, "ST", "f32", "*", NULL, NULL}},
        .infer = count_infer,
        .kernel = {.text = count_cl, .name = "count.cl", .entry = "count", .parallel = "T, S"},
    },
};

/* A plan that is saved and loaded does the same. */
static ct_status make_plan(ct_plan **out, const ct_graph *graph, const ct_device *device,
                           ct_error *err)
{
    char file[] = "/tmp/ct_flags_XXXXXX";
    ct_plan *plan = NULL;
    close(mkstemp(file));
    ct_status status = ct_plan_default(&plan, graph, device, err);
    if (status == CT_OK) status = ct_plan_save(plan, file, err);
    if (status == CT_OK) status = ct_plan_load(out, graph, file, device, err);
    ct_plan_free(plan);
    unlink(file);
    return status;
}

static void run(flags_session *s, int block, const char *layout, capture out[2])
{
    static const char *const sinks[] = {"counts", "masks", NULL};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *ran = NULL;
    ct_error err = {0};
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {"
        "\"data\": {\"stage\": \"test.data\"},"
        "\"mask\": {\"stage\": \"test.mask\", \"layout\": \"%s\"},"
        "\"count\": {\"stage\": \"test.count\", \"input\": {\"X\": \"data\", \"M\": \"mask\"}},"
        "\"counts\": {\"stage\": \"sink.npy\", \"input\": \"count\", \"file\": \"c.npy\"},"
        "\"masks\": {\"stage\": \"sink.npy\", \"input\": \"mask\", \"file\": \"m.npy\"}}}",
        block, layout);
    ct_status status = ct_graph_parse(&graph, s->context, text, "flags.json", NULL, &err);
    if (status == CT_OK) status = make_plan(&plan, graph, s->device, &err);
    if (status == CT_OK) status = ct_run_new(&ran, plan, s->device, &err);
    if (status == CT_OK) status = capture_blocks(ran, sinks, out, &err);
    ct_run_free(ran);
    ct_plan_free(plan);
    ct_graph_free(graph);
    if (status != CT_OK) fail_msg("%s", err.text);
}

/* What lies before the start is missing. */
static int expected(int64_t s, int64_t t)
{
    int count = 0;
    for (int64_t k = t - OVERLAP; k <= t; k++)
        count += k < 0 || is_missing(s, k) || is_masked(s, k);
    return count;
}

static void check(flags_session *s, int block, const char *layout)
{
    capture out[2] = {0};
    run(s, block, layout, out);
    assert_int_equal(out[0].samples, SAMPLES);
    for (int64_t t = 0; t < SAMPLES; t++)
        for (int64_t station = 0; station < STATIONS; station++) {
            if (capture_at(&out[0], t, station).re != expected(station, t))
                fail_msg("blocks of %d, %s: sample %lld of station %lld: found %g, expected %d",
                         block, layout, (long long)t, (long long)station,
                         capture_at(&out[0], t, station).re, expected(station, t));
            assert_true(capture_at(&out[1], t, station).re == 4 * is_masked(station, t));
        }
    capture_free(&out[0]);
    capture_free(&out[1]);
}

static void brought_and_found_flags_count(void **state)
{
    check(*state, 16, "ST");
    check(*state, 16, "TS");
    check(*state, 96, "ST");
}

FLAGS_SESSION

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(brought_and_found_flags_count)};
    return cmocka_run_group_tests(tests, open_session, flags_close);
}
