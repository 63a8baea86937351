/* two_inputs_test.c: a stage of somebody else's with two inputs of different dimensions, one of
 * them with history, behind nodes that other nodes and sinks read too, in several layouts and
 * blocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "cornerturn_stage.h"
#include "exhaustive.h"

enum { STATIONS = 2, POLS = 2, CHANNELS = 6, OVERLAP = 2 };

/* The sum of three samples times the power of the last. */
static const char weigh_cl[] =
    "kernel void weigh(CT_ARGS)\n"
    "{\n"
    "    float2 sum = 0.0f;\n"
    "    for (int k = 0; k <= OVERLAP; k++)\n"
    "        sum += X_LOAD(ID_S, ID_P, ID_T + k, ID_C);\n"
    "    Y_SAVE(ID_S, ID_P, ID_T, ID_C, sum * Z_LOAD(ID_S, ID_T, ID_C));\n"
    "}\n";

static ct_status weigh_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->overlap = OVERLAP;
    step->overlap_kind = CT_HISTORY;
    return CT_OK;
}

static const ct_stage weigh = {
    .api = CT_API,
    .name = "test.weigh",
    .ports = {{"X", CT_IN, 0, "SPTC", "cf32", "*", NULL, NULL},
              {"Z", CT_IN, 0, "STC", "f32", "*", "CST", NULL},
              {"Y", CT_OUT, 0, "SPTC", "cf32", "*", NULL, NULL}},
    .infer = weigh_infer,
    .kernel = {.text = weigh_cl, .name = "weigh.cl", .entry = "weigh"},
};

enum { X, Z, Y, SINKS };

static ct_status run(ct_context *context, ct_device *device, const char *text, capture out[SINKS],
                     ct_error *err)
{
    static const char *const sinks[] = {"x", "z", "y", NULL};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *ran = NULL;
    memset(out, 0, SINKS * sizeof *out);
    ct_status status = ct_graph_parse(&graph, context, text, "two.json", NULL, err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, err);
    if (status == CT_OK) status = ct_run_new(&ran, plan, device, err);
    if (status == CT_OK) status = capture_blocks(ran, sinks, out, err);
    ct_run_free(ran);
    ct_plan_free(plan);
    ct_graph_free(graph);
    return status;
}

/* The element with these coordinates; before the start 0. */
static ct_complex at(const capture *from, int64_t t, int64_t s, int64_t p, int64_t c)
{
    const int64_t place[128] = {['S'] = s, ['P'] = p, ['C'] = c};
    int64_t n = 0;
    if (t < 0) return (ct_complex){0, 0};
    for (int k = 0; k < from->each.rank; k++)
        n = n * from->each.extent[k] + place[(int)from->each.dim[k]];
    return capture_at(from, t, n);
}

static void check_sample(const capture out[SINKS], int64_t t, int64_t s, int64_t p, int64_t c)
{
    double re = 0, im = 0, z = at(&out[Z], t, s, 0, c).re;
    for (int k = 0; k <= OVERLAP; k++) {
        re += at(&out[X], t - k, s, p, c).re;
        im += at(&out[X], t - k, s, p, c).im;
    }
    ct_complex y = at(&out[Y], t, s, p, c);
    double error = hypot(y.re - z * re, y.im - z * im);
    if (!(error <= 1e-5 * z * hypot(re, im) + 1e-3 * z))
        fail_msg("t=%lld s=%lld p=%lld c=%lld: found %g%+gi, expected %g%+gi", (long long)t,
                 (long long)s, (long long)p, (long long)c, y.re, y.im, z * re, z * im);
}

static void check(ct_context *context, ct_device *device, int block, const char *read,
                  const char *write)
{
    capture out[SINKS];
    ct_error err = {0};
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {"
        "\"in\": {\"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 3000},"
        "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 6, \"taps\": 1},"
        "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
        "\"power\": {\"stage\": \"detect\", \"input\": \"fft\", \"layout\": {\"write\": \"%s\"}},"
        "\"weigh\": {\"stage\": \"test.weigh\", \"input\": {\"X\": \"fft\", \"Z\": \"power\"},"
        " \"layout\": {\"read\": \"%s\"}},"
        "\"x\": {\"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"x.npy\"},"
        "\"z\": {\"stage\": \"sink.npy\", \"input\": \"power\", \"file\": \"z.npy\", \"layout\": "
        "\"TCS\"},"
        "\"y\": {\"stage\": \"sink.npy\", \"input\": \"weigh\", \"file\": \"y.npy\"}}}",
        block, write, read);
    if (run(context, device, text, out, &err) != CT_OK) fail_msg("%s", err.text);
    for (int i = 0; i < SINKS; i++)
        assert_int_equal(out[i].samples, 500);
    for (int64_t t = 0; t < 500; t++)
        for (int64_t s = 0; s < STATIONS; s++)
            for (int64_t p = 0; p < POLS; p++)
                for (int64_t c = 0; c < CHANNELS; c++)
                    check_sample(out, t, s, p, c);
    for (int i = 0; i < SINKS; i++)
        capture_free(&out[i]);
}

static void two_inputs_meet(void **state)
{
    static const int blocks[] = {60, 3000, 1002, 6};
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_context_add_stage(context, &weigh, &err), CT_OK);
    assert_int_equal(ct_device_open(&device, NULL, &err), CT_OK);
    for (int64_t i = 0; i < few_or_all(1, 4); i++) {
        check(context, device, blocks[i], "auto", "auto");
        check(context, device, blocks[i], "CTSP", "TSC");
        check(context, device, blocks[i], "TPCS", "STC");
    }
    ct_device_free(device);
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_inputs_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
