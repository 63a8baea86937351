/* plans_test.c: plans at random (layouts, transposes of an input's own or shared, row strides,
 * tunables, nodes that run as one, blocks) for a whole pipeline: saved, loaded for the pipeline as
 * written, saved again, the file is the same byte for byte, and so are the kernels; the run gives
 * what the default plan gives, integers exactly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "cornerturn_stage.h"
#include "exhaustive.h"
#include "file.h"
#include "fuse.h"
#include "memory.h"
#include "plan.h"
#include "random_plan.h"

enum { SINKS = 6, TOTAL = 4608 };

/* ---- whole numbers from nowhere, in any layout */

static ct_status numbers_infer(ct_step *step, ct_error *err)
{
    ct_array *y = ct_step_port(step, "Y");
    (void)err;
    y->type = CT_CI8;
    ct_array_add(y, 'S', 5);
    ct_array_add(y, 'P', 2);
    ct_array_add(y, 'T', 0);
    ct_array_add(y, 'C', 7);
    y->meta.total = TOTAL;
    y->meta.sample_time_s = 5.12e-6;
    return CT_OK;
}

static ct_status numbers_open(ct_step *step, void **state, ct_error *err)
{
    (void)err;
    *state = ct_step_alloc(step, sizeof(int64_t));
    return CT_OK;
}

static ct_status numbers_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                              ct_error *err)
{
    int64_t *at = state, samples = ct_array_extent(block, 'T');
    (void)flags, (void)err;
    *got = TOTAL - *at < samples ? TOTAL - *at : samples;
    for (int64_t s = 0; s < 5; s++)
        for (int64_t p = 0; p < 2; p++)
            for (int64_t t = 0; t < *got; t++)
                for (int64_t c = 0; c < 7; c++) {
                    int64_t n = 31 * s + 7 * p + 13 * (*at + t) * (c + 1) + c;
                    int64_t place = block->offset + s * ct_array_stride(block, 'S') +
                                    p * ct_array_stride(block, 'P') +
                                    t * ct_array_stride(block, 'T') +
                                    c * ct_array_stride(block, 'C');
                    ct_array_save(block, place, (double)(n % 17 - 8), (double)(n % 11 - 5));
                }
    *at += *got;
    return CT_OK;
}

static ct_status numbers_close(void *state, bool complete, ct_error *err)
{
    (void)state, (void)complete, (void)err;
    return CT_OK;
}

static const ct_stage numbers = {
    .api = CT_API,
    .name = "source.numbers",
    .ports = {{"Y", CT_OUT, 0, "SPTC", "ci8", "*", NULL, NULL}},
    .infer = numbers_infer,
    .io = {.open = numbers_open, .read = numbers_read, .close = numbers_close},
};

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {\n"
    " \"numbers\": { \"stage\": \"source.numbers\" },\n"
    " \"vis\": { \"stage\": \"correlator\", \"input\": \"numbers\", \"integrate\": 48 },\n"
    " \"sky\": { \"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 4608, \"seed\": 5 "
    "},\n"
    " \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 6, \"taps\": 3 },\n"
    " \"fft\": { \"stage\": \"fft\", \"input\": \"fir\" },\n"
    " \"beams\": { \"stage\": \"beamformer\", \"input\": \"fft\", \"positions\": [[0, 0, 0], "
    "[30, 0, 0], [0, 40, 0]], \"directions\": [[40, 60], [10, 80]] },\n"
    " \"power\": { \"stage\": \"detect\", \"input\": \"beams\" },\n"
    " \"dd\": { \"stage\": \"dedisp\", \"input\": \"power\", \"dm\": { \"start\": 0, \"step\": "
    "0.5, "
    "\"count\": 5 } },\n"
    " \"raw\": { \"stage\": \"sink.npy\", \"input\": \"numbers\", \"file\": \"0.npy\" },\n"
    " \"fringes\": { \"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"1.npy\" },\n"
    " \"counts\": { \"stage\": \"sink.npy\", \"input\": \"vis.COUNTS\", \"file\": \"2.npy\" },\n"
    " \"spectra\": { \"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"3.npy\" },\n"
    " \"powers\": { \"stage\": \"sink.npy\", \"input\": \"power\", \"file\": \"4.npy\" },\n"
    " \"series\": { \"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"5.npy\" } } }\n";

static const char *const sinks[] = {"raw",    "fringes", "counts", "spectra",
                                    "powers", "series",  NULL};

/* ---- a plan at random */

static ct_graph *roll_graph(dice *d, ct_context *context)
{
    ct_graph *graph = NULL, *other = NULL;
    ct_error err = {0};
    if (ct_graph_parse(&graph, context, pipeline, "plans.json", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    if (roll(d, 2)) {
        if (ct_fuse_apply(&other, graph, "power", &err) != CT_OK) fail_msg("%s", err.text);
        ct_graph_free(graph);
        graph = other;
    }
    if (roll(d, 3)) {
        const int64_t block = 288 * (1 + roll(d, 5));
        if (ct_graph_with_block(&other, graph, block, &err) != CT_OK) fail_msg("%s", err.text);
        ct_graph_free(graph);
        graph = other;
    }
    return graph;
}

static ct_plan *roll_plan(dice *d, ct_context *context, const ct_device *device)
{
    ct_error err = {0};
    ct_plan *plan = NULL;
    ct_graph *graph = roll_graph(d, context);
    if (random_plan(&plan, graph, (uint64_t)roll(d, 1 << 30), device, &err) != CT_OK)
        fail_msg("%s", err.text);
    ct_graph_free(graph);
    return plan;
}

/* ---- what it must keep */

static char *saved(const ct_plan *plan, const char *name)
{
    char *text = NULL;
    size_t length;
    ct_error err = {0};
    if (ct_plan_save(plan, name, &err) != CT_OK ||
        ct_file_read(&text, &length, name, &err) != CT_OK)
        fail_msg("%s", err.text);
    return text;
}

/* The plan that the file makes of the pipeline as written. */
static ct_plan *reloaded(const ct_plan *plan, const ct_graph *written, const ct_device *device)
{
    char name[] = "/tmp/plans_test_XXXXXX", *source, *again;
    ct_error err = {0};
    ct_plan *loaded = NULL;
    close(mkstemp(name));
    char *first = saved(plan, name);
    if (ct_plan_load(&loaded, written, name, device, &err) != CT_OK)
        fail_msg("%s\n%s", err.text, first);
    char *second = saved(loaded, name);
    assert_string_equal(first, second);
    assert_int_equal(ct_plan_source(&source, plan, &err), CT_OK);
    assert_int_equal(ct_plan_source(&again, loaded, &err), CT_OK);
    assert_string_equal(source, again);
    free(source);
    free(again);
    ct_memory_free(first);
    ct_memory_free(second);
    remove(name);
    return loaded;
}

static void run_plan(const ct_plan *plan, ct_device *device, capture out[SINKS])
{
    ct_error err = {0};
    ct_run *run = NULL;
    memset(out, 0, SINKS * sizeof *out);
    ct_status status = ct_run_new(&run, plan, device, &err);
    if (status == CT_OK) status = capture_blocks(run, sinks, out, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    ct_run_free(run);
}

/* Elements by their indices, since each capture has the order in which its sink reads. */
static int64_t place_in(const capture *other, const capture *one, int64_t n)
{
    int64_t place = 0;
    for (int k = one->each.rank - 1; k >= 0; k--) {
        place += n % one->each.extent[k] * ct_array_stride(&other->each, one->each.dim[k]);
        n /= one->each.extent[k];
    }
    return place;
}

static void same(const capture *a, const capture *b, const char *sink)
{
    double sum = 0, worst = 0;
    assert_true(a->samples > 10);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->samples; i++)
        for (int64_t n = 0; n < a->count; n++) {
            const ct_complex x = capture_at(a, i, n), y = capture_at(b, i, place_in(b, a, n));
            const double error = hypot(x.re - y.re, x.im - y.im);
            sum += x.re * x.re + x.im * x.im;
            if (error > worst) worst = error;
        }
    const double rms = sqrt(sum / (double)(a->samples * a->count));
    assert_true(rms > 0);
    if (worst > (ct_type_integer(a->each.type) ? 0 : 2e-5 * rms))
        fail_msg("%s: off by %g of %g", sink, worst, rms);
}

static void free_all(capture out[SINKS])
{
    for (int k = 0; k < SINKS; k++)
        capture_free(&out[k]);
}

/* How often each kind of decision was met, so that none is tested by name only. */
typedef struct met {
    int transposes, shared, dense, numbers, fused, blocks;
} met;

static void count_met(const ct_plan *plan, const ct_graph *written, met *m)
{
    for (int e = 0; e < plan->edge_count; e++) {
        m->dense += plan->edges[e].rows == CT_ROWS_DENSE;
        m->numbers += plan->edges[e].rows > 0;
    }
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        m->transposes += at->node < 0;
        if (at->node < 0 || at->edge[0] < 0) continue;
        const ct_plan_step *from = &plan->steps[plan->edges[at->edge[0]].from];
        m->shared += from->node < 0 && from->reader.node != at->node;
    }
    m->fused += ct_graph_find(plan->graph, "beams") < 0;
    m->blocks += plan->graph->block != written->block;
}

static void plans_change_no_result(void **state)
{
    ct_context *context = NULL;
    ct_device *device = NULL;
    ct_graph *written = NULL;
    ct_plan *usual = NULL;
    capture expected[SINKS], found[SINKS];
    ct_error err = {0};
    dice d = {1};
    met m = {0};
    const int plans = (int)few_or_all(1, 6);
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_context_add_stage(context, &numbers, &err), CT_OK);
    if (ct_device_open(&device, NULL, &err) != CT_OK) skip();
    if (ct_graph_parse(&written, context, pipeline, "plans.json", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ct_plan_default(&usual, written, device, &err), CT_OK);
    run_plan(usual, device, expected);
    for (int i = 0; i < plans; i++) {
        ct_plan *plan = roll_plan(&d, context, device);
        ct_plan *loaded = reloaded(plan, written, device);
        count_met(loaded, written, &m);
        run_plan(loaded, device, found);
        for (int k = 0; k < SINKS; k++)
            same(&expected[k], &found[k], sinks[k]);
        free_all(found);
        ct_plan_free(loaded);
        ct_plan_free(plan);
    }
    if (plans == 6 &&
        (m.transposes < plans || !m.shared || !m.dense || !m.numbers || !m.fused || !m.blocks))
        fail_msg("met %d %d %d %d %d %d", m.transposes, m.shared, m.dense, m.numbers, m.fused,
                 m.blocks);
    free_all(expected);
    ct_plan_free(usual);
    ct_graph_free(written);
    ct_device_free(device);
    ct_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_change_no_result)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
