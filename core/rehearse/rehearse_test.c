/* rehearse_test.c: blocks that are rehearsed are those of a run's middle, and touch nothing
 * outside. A kernel counts the samples in its window that are harmless and not flagged: all of
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rehearse.h"
#include "run_flags.h"
#include "run_memory.h"
#include "stages_fixture.h"

enum { STATIONS = 4, CHANNELS = 3, BLOCK = 8, OVERLAP = 11, GATHERED = 4 * BLOCK };

static int touched; /* by stages that a rehearsal must leave in peace */

static ct_status touch(ct_error *err)
{
    touched++;
    return ct_error_add(err, CT_FAILED, "a source or a sink was used");
}

static ct_status touch_open(ct_step *step, void **state, ct_error *err)
{
    (void)step;
    (void)state;
    return touch(err);
}

static ct_status touch_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    (void)state;
    (void)block;
    (void)flags;
    (void)got;
    return touch(err);
}

static ct_status touch_write(void *state, const ct_array *block, int64_t first, int64_t count,
                             ct_error *err)
{
    (void)state;
    (void)block;
    (void)first;
    (void)count;
    return touch(err);
}

static ct_status shape(ct_step *step, ct_type type, bool channels)
{
    ct_array *out = ct_step_port(step, "Y");
    out->type = type;
    ct_array_add(out, 'S', STATIONS);
    ct_array_add(out, 'T', 0);
    if (channels) ct_array_add(out, 'C', CHANNELS);
    out->meta.total = 5 * BLOCK; /* shorter than what is rehearsed */
    return CT_OK;
}

static ct_status data_infer(ct_step *step, ct_error *err)
{
    (void)err;
    return shape(step, CT_F32, true);
}

static ct_status mask_infer(ct_step *step, ct_error *err)
{
    (void)err;
    return shape(step, CT_U8, false);
}

static ct_status count_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = ct_step_int(step, "sum");
    step->overlap = ct_step_int(step, "overlap");
    return CT_OK;
}

static const ct_param count_params[] = {{"sum", CT_PARAM_INT, "1", NULL, 1, 1e6, "samples added"},
                                        {"overlap", CT_PARAM_INT, "0", NULL, 0, 1e6, "history"},
                                        {0}};
static const char count_cl[] =
    "kernel void count(CT_ARGS) {\n"
    "    float all = CT_ADD ? Y(ID_S, ID_T, ID_C) : 0;\n"
    "    for (int t = ID_T * DECIMATE; t < ID_T * DECIMATE + DECIMATE + OVERLAP; t++) {\n"
    "        float x = fabs((float)X(ID_S, t, ID_C));\n"
    "        if (!M(ID_S, t) && x >= 0.5f && x <= 1.0f) all += 1;\n"
    "    }\n"
    "    Y(ID_S, ID_T, ID_C) = all;\n"
    "}\n";
static const ct_stage data = {
    .api = CT_API,
    .name = "test.data",
    .infer = data_infer,
    .ports = {{"Y", CT_OUT, 0, "STC", "f32", "*", NULL, NULL}},
    .io = {.open = touch_open, .read = touch_read},
};
static const ct_stage mask = {
    .api = CT_API,
    .name = "test.mask",
    .infer = mask_infer,
    .ports = {{"Y", CT_OUT, 0, "ST", "u8", "*", NULL, NULL}},
    .io = {.open = touch_open, .read = touch_read},
};
static const ct_stage count = {
    .api = CT_API,
    .name = "test.count",
    .infer = count_infer,
    .params = count_params,
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL},
              {"M", CT_IN, CT_PORT_FLAGS | CT_PORT_OPTIONAL, "ST", "u8", "ST", NULL, NULL},
              {"Y", CT_OUT, CT_PORT_ACCUMULATE, "STC", "f32", "*", NULL, NULL}},
    .kernel = {.text = count_cl, .name = "count.cl", .entry = "count"},
};
static const ct_stage take = {
    .api = CT_API,
    .name = "test.take",
    .ports = {{"X", CT_IN, 0, "STC", "f32", "*", NULL, NULL}},
    .io = {.open = touch_open, .write = touch_write},
};

static int open_all(void **state)
{
    const ct_stage *const stages[] = {&data, &mask, &count, &take, NULL};
    return fixture_open(state, stages);
}

/* A device with memory of its own, in which arrays stay. */
static int open_gpu(void **state)
{
    const int failed = open_all(state);
    fixture *f = *state;
    if (failed) return failed;
    ct_device_free(f->device);
    f->device = NULL;
    return ct_device_open(&f->device, "as:examples/devices/h200.json", NULL);
}

static ct_rehearsal *rehearse(fixture *f, const char *nodes)
{
    char text[1024];
    ct_error err = {0};
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_rehearsal *made = NULL;
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {%s}}",
             BLOCK, nodes);
    ct_status status = ct_graph_parse(&graph, f->context, text, "test.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, f->device, &err);
    if (status == CT_OK) status = ct_rehearse_new(&made, plan, f->device, &err);
    if (status == CT_OK) assert_true(ct_rehearse_bytes(plan) > 0);
    if (status != CT_OK) print_error("%s\n", err.text);
    assert_int_equal(status, CT_OK);
    ct_plan_free(plan);
    ct_graph_free(graph);
    return made;
}

static int step_of(const ct_rehearsal *rehearsal, const char *name)
{
    for (int s = 0; s < ct_rehearse_steps(rehearsal); s++)
        if (strcmp(ct_rehearse_name(rehearsal, s), name) == 0) return s;
    fail_msg("no step %s", name);
    return -1;
}

/* All that the sink's array holds is this count. */
static void assert_counts(fixture *f, const ct_rehearsal *rehearsal, float expected)
{
    const ct_run *run = ct_rehearse_run(rehearsal);
    const int s = step_of(rehearsal, "out");
    const ct_array *array = &run->steps[s].step->port[0];
    ct_buffer mem = run->steps[s].mem[0];
    float *values = malloc(mem.bytes);
    for (int i = 0; f->device->gpu && i < run->plan->slots; i++)
        assert_null(run->memory->mapped[i]);
    assert_int_equal(ct_buffer_read(&mem, f->device, 0, values, mem.bytes, NULL), CT_OK);
    for (int64_t i = 0; i < STATIONS * array->extent[ct_array_find(array, 'T')]; i++)
        for (int64_t c = 0; c < CHANNELS; c++) {
            int64_t t = i / STATIONS, at = array->offset + c * ct_array_stride(array, 'C') +
                                           t * ct_array_stride(array, 'T') +
                                           i % STATIONS * ct_array_stride(array, 'S');
            assert_true(values[at] == expected);
        }
    free(values);
}

/* More blocks than the stream has, history moved, sources and sinks untouched. */
static void blocks_are_those_of_the_middle(void **state)
{
    ct_rehearsal *rehearsal =
        rehearse(*state, "\"in\": {\"stage\": \"test.data\"}, \"mask\": {\"stage\": \"test.mask\"},"
                         "\"a\": {\"stage\": \"test.count\", \"input\": {\"X\": \"in\", \"M\": "
                         "\"mask\"}, \"overlap\": 11}, \"out\": {\"stage\": \"test.take\", "
                         "\"input\": \"a\"}");
    double steps[16] = {0};
    ct_rehearsed times = {.step = steps};
    for (int i = 0; i < 9; i++) {
        assert_int_equal(ct_rehearse_block(rehearsal, &times, NULL), CT_OK);
        assert_true(times.wall > 0 && times.history > 0 && times.history < times.wall);
        assert_true(steps[step_of(rehearsal, "a")] > 0);
        assert_true(steps[step_of(rehearsal, "a")] < times.wall);
        assert_true(steps[step_of(rehearsal, "in")] >= 0);
        assert_counts(*state, rehearsal, OVERLAP + 1);
    }
    ct_rehearse_free(rehearsal);
    assert_int_equal(touched, 0);
}

/* What fires every fourth block counts for a fourth. */
static void late_steps_count_for_their_share(void **state)
{
    ct_rehearsal *rehearsal = rehearse(
        *state, "\"in\": {\"stage\": \"test.data\"}, \"a\": {\"stage\": \"test.count\", "
                "\"input\": \"in\", \"sum\": 32}, \"b\": {\"stage\": \"test.count\", "
                "\"input\": \"a\"}, \"out\": {\"stage\": \"test.take\", \"input\": \"a\"}, "
                "\"end\": {\"stage\": \"test.take\", \"input\": \"b\"}");
    double steps[16] = {0};
    ct_rehearsed times = {.step = steps};
    const ct_run *run = ct_rehearse_run(rehearsal);
    const int a = step_of(rehearsal, "a"), b = step_of(rehearsal, "b");
    const int64_t before_a = run->steps[a].fired, before_b = run->steps[b].fired;
    for (int i = 0; i < 4; i++)
        assert_int_equal(ct_rehearse_block(rehearsal, &times, NULL), CT_OK);
    assert_int_equal(run->steps[a].fired - before_a, 8);
    assert_int_equal(run->steps[b].fired - before_b, 4);
    assert_true(steps[a] > 0 && steps[b] > 0 && times.wall > 0);
    assert_true(times.history == 0);
    assert_counts(*state, rehearsal, GATHERED);
    ct_rehearse_free(rehearsal);
    ct_rehearse_free(NULL);
    assert_int_equal(touched, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_those_of_the_middle),
                                       cmocka_unit_test(late_steps_count_for_their_share)};
    const int failed = cmocka_run_group_tests(tests, open_all, fixture_close);
    return failed ? failed : cmocka_run_group_tests(tests, open_gpu, fixture_close);
}
