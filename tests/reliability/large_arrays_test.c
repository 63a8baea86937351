/* large_arrays_test.c: arrays of more elements than 31 bits count: 2.4e9 bytes, a few of them
 * marked, through transposes and through dedispersion in both orders of its input; every mark is
 * found where it belongs, and nothing else. Runs where LARGE=1 is set: it takes 6 GiB of memory and
 * some minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "cornerturn_stage.h"
#include "one_device.h"

enum { STATIONS = 37, TIMES = 65063, CHANNELS = 997, MARKS = 4001 };

/* ---- marks: known bytes at places all over the array, the last one at its end */

typedef struct mark {
    int64_t s, t, c;
    uint8_t value;
} mark;

static mark mark_of(int64_t n)
{
    const uint64_t x = ((uint64_t)n + 1) * 0x9E3779B97F4A7C15u;
    const int64_t t = n * (TIMES - 1) / (MARKS - 1); /* one mark for a time, at most */
    mark one = {(int64_t)(x >> 40) % STATIONS, t, (int64_t)(x >> 20 & 0xfffff) % CHANNELS,
                (uint8_t)(1 + n % 251)};
    if (n == 0) one.s = one.c = 0;
    if (n == MARKS - 1) one = (mark){STATIONS - 1, TIMES - 1, CHANNELS - 1, one.value};
    return one;
}

static int64_t place_of(const ct_array *array, mark one)
{
    return array->offset + one.s * ct_array_stride(array, 'S') +
           one.t * ct_array_stride(array, 'T') + one.c * ct_array_stride(array, 'C');
}

static ct_status marks_infer(ct_step *step, ct_error *err)
{
    ct_array *y = ct_step_port(step, "Y");
    double *frequency = ct_step_alloc(step, sizeof(double) * CHANNELS);
    (void)err;
    for (int c = 0; c < CHANNELS; c++)
        frequency[c] = 150e6 + 1e3 * c;
    y->type = CT_U8;
    y->rank = 0;
    ct_array_add(y, 'S', STATIONS);
    ct_array_add(y, 'T', 0);
    ct_array_add(y, 'C', CHANNELS);
    y->meta.total = TIMES;
    y->meta.sample_time_s = 1e-3;
    y->meta.frequency_hz = frequency;
    y->meta.frequencies = CHANNELS;
    return CT_OK;
}

static ct_status marks_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                            ct_error *err)
{
    (void)state, (void)flags, (void)err;
    *got = ct_array_extent(block, 'T');
    memset(block->data, 0, (size_t)ct_array_span(block));
    for (int64_t n = 0; n < MARKS; n++)
        ((uint8_t *)block->data)[place_of(block, mark_of(n))] = mark_of(n).value;
    return CT_OK;
}

static ct_status marks_open(ct_step *step, void **state, ct_error *err)
{
    (void)err;
    *state = step;
    return CT_OK;
}

static ct_status marks_close(void *state, bool complete, ct_error *err)
{
    (void)state, (void)complete, (void)err;
    return CT_OK;
}

static const ct_stage marks = {
    .api = CT_API,
    .name = "source.marks",
    .ports = {{"Y", CT_OUT, 0, "STC", "u8", "*", NULL, NULL}},
    .infer = marks_infer,
    .io = {.open = marks_open, .read = marks_read, .close = marks_close},
};

/* ---- sinks */

typedef struct found {
    int64_t right, other; /* marks in their places; other bytes that are not 0 */
} found;

static int64_t bytes_set(const uint8_t *data, int64_t count)
{
    int64_t set = 0;
    for (int64_t n = 0; n < count; n++)
        set += data[n] != 0;
    return set;
}

/* Gaps between rows may hold anything, so they are left out by asking for dense rows. */
static ct_status find_marks(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    found *f = state;
    const uint8_t *data = block->data;
    (void)first, (void)err;
    assert_int_equal(count, TIMES);
    for (int64_t n = 0; n < MARKS; n++)
        f->right += data[place_of(block, mark_of(n))] == mark_of(n).value;
    const int fast = ct_array_find(block, block->layout.dim[2]);
    const int middle = ct_array_find(block, block->layout.dim[1]);
    const int slow = ct_array_find(block, block->layout.dim[0]);
    for (int64_t i = 0; i < block->extent[slow]; i++)
        for (int64_t j = 0; j < block->extent[middle]; j++)
            f->other += bytes_set(data + block->offset + i * block->stride[slow] +
                                      j * block->stride[middle],
                                  block->extent[fast]);
    f->other -= f->right;
    return CT_OK;
}

/* Sums over channels: the marks of a station and time, which have one at most. */
static ct_status find_sums(void *state, const ct_array *block, int64_t first, int64_t count,
                           ct_error *err)
{
    found *f = state;
    const float *data = block->data;
    (void)first, (void)err;
    assert_int_equal(count, TIMES);
    for (int64_t n = 0; n < MARKS; n++)
        f->right += data[place_of(block, mark_of(n))] == (float)mark_of(n).value;
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t t = 0; t < TIMES; t++)
            f->other += data[place_of(block, (mark){s, t, 0, 0})] != 0;
    f->other -= f->right;
    return CT_OK;
}

/* ---- runs */

static void check(const char *read, const char *write, const char *stage,
                  ct_status (*take)(void *, const ct_array *, int64_t, int64_t, ct_error *))
{
    char text[1024];
    ct_error err = {0};
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    found f = {0};
    ct_io io = {sizeof io, &f, NULL, take, NULL};
    ct_device *device = one_device(&err);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\n"
             "\"marks\": {\"stage\": \"source.marks\", \"layout\": {\"write\": \"%s\"}},\n"
             "\"x\": {%s, \"input\": \"marks\", \"layout\": {\"read\": \"%s\"%s%s%s}},\n"
             "\"out\": {\"stage\": \"sink.npy\", \"input\": \"x\", \"file\": \"never.npy\"}},\n"
             "\"block\": {\"T\": %d}}",
             read, stage, read, write ? ", \"write\": \"" : "", write ? write : "",
             write ? "\"" : "", TIMES);
    ct_status status = device ? ct_context_open(&context, &err) : CT_NO_DEVICE;
    if (status == CT_OK) status = ct_context_add_stage(context, &marks, &err);
    if (status == CT_OK) status = ct_graph_parse(&graph, context, text, "large.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, device, &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, device, &err);
    if (status == CT_OK) status = ct_run_bind(run, "out", &io, &err);
    while (status == CT_OK)
        status = ct_run_block(run, &err);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
    if (strstr(err.text, "for one buffer")) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    if (status != CT_EOF) fail_msg("%s", err.text);
    print_message("%s to %s: %lld marks, %lld others\n", read, write ? write : "sums",
                  (long long)f.right, (long long)f.other);
    assert_int_equal(f.right, MARKS);
    assert_int_equal(f.other, 0);
}

static void test_transposes(void **state)
{
    static const char *const orders[][2] = {
        {"STC", "TCS"}, {"STC", "CTS"}, {"CST", "STC"}, {"TSC", "SCT"}};
    (void)state;
    for (size_t n = 0; n < sizeof orders / sizeof *orders; n++)
        check(orders[n][0], orders[n][1], "\"stage\": \"transpose\"", find_marks);
}

static void test_dedispersion(void **state)
{
    static const char *const orders[] = {"SCT", "TSC"};
    (void)state;
    for (size_t n = 0; n < sizeof orders / sizeof *orders; n++)
        check(orders[n], NULL, "\"stage\": \"dedisp\", \"dm\": {\"start\": 0}", find_sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transposes),
                                       cmocka_unit_test(test_dedispersion)};
    if (!getenv("LARGE")) {
        puts("skipped: LARGE=1 runs it, with 6 GiB of memory");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
