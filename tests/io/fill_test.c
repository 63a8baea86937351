/* fill_test.c: filterbank files, and LOFAR's raw files, of samples of which some are missing,
 * channel by channel: the median of what its channel had before the gap, or 0, whatever the block;
 * numbers in the file are compared with plain loops over the whole stream. Room: tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "flags_groups.h"
#include "one_device.h"

enum { WINDOW = 64 };

typedef struct session {
    ct_context *context;
    ct_device *device;
    char folder[64];
} session;

/* LOFAR's samples are a file of their own. */
#ifdef CT_HAVE_HDF5
#define BEAMS                                                                                      \
    ", \"beams\": {\"stage\": \"sink.lofar_bf\", \"input\": \"data\", \"raw\": true, \"file\": "   \
    "\"%s/a.h5\", \"fill\": \"%s\"}"
enum { THERE = 1 };
#else
#define BEAMS "%.0s%.0s"
enum { THERE = 0 };
#endif

static void run(session *s, int block, const char *fill)
{
    char text[1024];
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *ran = NULL;
    ct_error err = {0};
    snprintf(
        text, sizeof text,
        "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"data\": {\"stage\": "
        "\"test.data\"}, \"out\": {\"stage\": \"sink.sigproc\", \"input\": \"data\", \"file\": "
        "\"%s/a.fil\", \"fill\": \"%s\"}" BEAMS "}}",
        block, s->folder, fill, s->folder, fill);
    ct_status status = ct_graph_parse(&graph, s->context, text, "fill.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, s->device, &err);
    if (status == CT_OK) status = ct_run_new(&ran, plan, s->device, &err);
    while (status == CT_OK)
        status = ct_run_block(ran, &err);
    if (status == CT_EOF) status = ct_run_finish(ran, &err);
    ct_run_free(ran);
    ct_plan_free(plan);
    ct_graph_free(graph);
    if (status != CT_OK) fail_msg("%s", err.text);
}

static int up(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Of a channel: what is in the file. */
static void expect(float out[SAMPLES], int64_t s, int64_t c, bool median)
{
    for (int64_t t = 0; t < SAMPLES; t++) {
        float before[WINDOW];
        const int64_t count = t < WINDOW ? t : WINDOW;
        out[t] = is_missing(s, t, c) ? 0 : (float)value(s, t, c);
        if (!is_missing(s, t, c) || !median) continue;
        memcpy(before, out + t - count, (size_t)count * sizeof *before);
        qsort(before, (size_t)count, sizeof *before, up);
        if (t > 0 && is_missing(s, t - 1, c))
            out[t] = out[t - 1];
        else if (count > 0)
            out[t] = 0.5f * (before[(count - 1) / 2] + before[count / 2]);
    }
}

/* Frequencies descend in a filterbank. */
static void check(session *s, int64_t station, bool median, int block, bool beams)
{
    char path[128];
    static char bytes[1 << 16];
    snprintf(path, sizeof path, "%s/a_S%03d.h5", s->folder, (int)station);
    if (beams) unlink(path);
    snprintf(path, sizeof path, "%s/a_S%03d.%s", s->folder, (int)station, beams ? "raw" : "fil");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file), data = SAMPLES * CHANNELS * 4;
    fclose(file);
    unlink(path);
    assert_true(beams ? size == data : size > data);
    for (int64_t c = 0; c < CHANNELS; c++) {
        float expected[SAMPLES], got;
        expect(expected, station, c, median);
        for (int64_t t = 0; t < SAMPLES; t++) {
            const int64_t at = t * CHANNELS + (beams ? c : CHANNELS - 1 - c);
            memcpy(&got, bytes + size - data + at * 4, 4);
            if (got != expected[t])
                fail_msg("blocks of %d, station %d, channel %d, sample %d: found %g, expected %g",
                         block, (int)station, (int)c, (int)t, (double)got, (double)expected[t]);
        }
    }
}

static void gaps_are_filled(void **state)
{
    static const int blocks[] = {3, 12, 80, 240};
    for (size_t i = 0; i < 4; i++)
        for (int median = 0; median < 2; median++) {
            run(*state, blocks[i], median ? "median" : "zero");
            for (int64_t s = 0; s < STATIONS; s++)
                for (int beams = 0; beams <= THERE; beams++)
                    check(*state, s, median, blocks[i], beams);
        }
}

static int open_session(void **state)
{
    static session s = {.folder = "/tmp/ct_fill_XXXXXX"};
    ct_error err = {0};
    s.device = one_device(&err);
    ct_status status = s.device ? ct_context_open(&s.context, &err) : CT_NO_DEVICE;
    for (size_t i = 0; status == CT_OK && i < sizeof stages / sizeof *stages; i++)
        status = ct_context_add_stage(s.context, &stages[i], &err);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    *state = &s;
    return status != CT_OK || !mkdtemp(s.folder);
}

static int close_session(void **state)
{
    session *s = *state;
    ct_context_free(s->context);
    return rmdir(s->folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_filled)};
    return cmocka_run_group_tests(tests, open_session, close_session);
}
