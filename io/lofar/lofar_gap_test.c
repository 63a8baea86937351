/* lofar_gap_test.c: a long stretch without packets is refused before anything is read, with the
 * file and the packet after it, wherever it is; shorter ones and scattered losses are read. */
#include "io_trial.h"
#include "lofar_lane.h"

extern const ct_stage ct_stage_source_lofar;

enum { BLOCKS = 4, BYTES = 16 + BLOCKS * 2, MOST = 4096 };

static const int64_t start = 323528554687526;
static const int64_t second = 195312; /* samples, about */

typedef struct stream {
    uint8_t bytes[MOST * BYTES];
    int packets;
} stream;

static void add(stream *s, int64_t sample)
{
    ct_packet packet = {.version = 3, .bits = 4, .fast = true, .station = 7, .beamlets = 1};
    packet.blocks = BLOCKS;
    ct_packet_set_sample(&packet, sample);
    memset(s->bytes + s->packets * BYTES, 17, BYTES);
    ct_packet_encode(s->bytes + s->packets++ * BYTES, &packet);
}

/* Packets that follow each other. */
static void add_row(stream *s, int64_t first, int packets)
{
    for (int i = 0; i < packets; i++)
        add(s, first + i * BLOCKS);
}

static ct_status infer(const stream *s, const char *more, int64_t *total, ct_error *err)
{
    trial t;
    trial_write(trial_path("s"), s->bytes, (size_t)s->packets * BYTES);
    ct_status status =
        trial_make(&t, &ct_stage_source_lofar, err, "{'files': '%s/s'%s}", trial_folder, more);
    if (status == CT_OK) status = ct_step_infer(t.step, err);
    if (status == CT_OK) *total = t.step->port[0].meta.total;
    trial_free(&t);
    return status;
}

static stream made; /* as large as a file is */

static stream *fresh(void)
{
    memset(&made, 0, sizeof made);
    return &made;
}

/* Two pairs, years apart. */
static void pairs_far_apart(void **state)
{
    stream *s = fresh();
    int64_t total = 0;
    const int64_t far = INT64_C(100000000000000);
    (void)state;
    add_row(s, start, 2);
    add_row(s, start + far, 2);
    assert_fails(infer(s, "", &total, err), CT_DATA,
                 "without packets, expected at most 60; a larger "
                 "\"max_gap_s\"");
    assert_fails(infer(s, "", &total, err), CT_DATA,
                 "the packet at byte 48 begins with sample "
                 "423528554687526");
    assert_ok(infer(s, ", 'max_gap_s': 1e9", &total, err));
    assert_int_equal(total, far + 2 * BLOCKS);
}

/* Wherever it is in a long file, few packets tell. */
static void gaps_in_long_files(void **state)
{
    static const int places[] = {1, 3, 63, 64, 65, 1000, 2047, 2048, 3999, 4032, 4090, 4094};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        stream *s = fresh();
        int64_t total = 0;
        const int before = places[i];
        add_row(s, start, before);
        add_row(s, start + before * BLOCKS + 61 * second, MOST - before);
        if (before == 1) continue; /* a packet that nothing confirms */
        snprintf(text, sizeof text, "the packet at byte %d begins", before * BYTES);
        assert_fails(infer(s, "", &total, err), CT_DATA, text);
        assert_ok(infer(s, ", 'max_gap_s': 62", &total, err));
        assert_int_equal(total, MOST * BLOCKS + 61 * second);
    }
}

/* Every second packet is lost: more than the limit in all, but never at once. */
static void scattered_losses(void **state)
{
    stream *s = fresh();
    int64_t total = 0;
    (void)state;
    for (int i = 0; i < MOST; i++)
        add(s, start + 2 * i * BLOCKS);
    assert_ok(infer(s, ", 'max_gap_s': 0.001", &total, err));
    assert_int_equal(total, (2 * MOST - 1) * BLOCKS);
}

/* What is read is forgotten: gaps cost no memory. */
static void many_gaps_take_no_room(void **state)
{
    enum { WINDOW = 64 * BLOCKS };
    stream *s = fresh();
    trial t;
    static ct_lane lane;
    (void)state;
    for (int i = 0; i < MOST; i++)
        add(s, start + 2 * i * BLOCKS);
    trial_write(trial_path("s"), s->bytes, (size_t)s->packets * BYTES);
    assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "{'files': '%s/s'}", trial_folder));
    lane = (ct_lane){0};
    assert_ok(ct_lane_open(&lane, t.step, (const char *[]){trial_path("s")}, 1, 60, err));
    for (int64_t at = start; at < start + 2 * MOST * BLOCKS; at += WINDOW) {
        ct_lane_forget(&lane, at);
        assert_ok(ct_lane_seek(&lane, at + WINDOW, err));
        const ct_lane_span *span = &lane.span[ct_lane_find(&lane, at)];
        assert_int_equal(span->sample, at);
        assert_int_equal(span->at, (at - start) / (2 * BLOCKS) * BYTES);
    }
    assert_int_equal(lane.counts.good, MOST);
    assert_true(lane.room <= 1024);
    ct_lane_close(&lane);
    trial_free(&t);
}

/* A pair from another time between the others, which the ends do not show: found while reading. */
static void pair_of_another_time(void **state)
{
    stream *s = fresh();
    trial t;
    int64_t got, total = 0;
    (void)state;
    add_row(s, start, 2000);
    add_row(s, start + 1000 * second, 2);
    add_row(s, start + 2000 * BLOCKS, 2000);
    assert_ok(infer(s, "", &total, err));
    assert_int_equal(total, 4000 * BLOCKS);
    assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "{'files': '%s/s'}", trial_folder));
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(t.step->stage->io.open(t.step, &t.state, err));
    trial_block(&t, 4000 * BLOCKS, "SPT", 0, 1);
    assert_fails(t.step->stage->io.read(t.state, &t.block, NULL, &got, err), CT_DATA,
                 "the packet at byte 48000 begins");
    assert_ok(t.step->stage->io.close(t.state, false, err));
    trial_free(&t);
}

/* The last packet of a file has nobody who confirms its time. */
static void last_packet_of_another_time(void **state)
{
    stream *s = fresh();
    int64_t total = 0;
    (void)state;
    add_row(s, start, 200);
    add(s, start + 1000000 * second);
    assert_ok(infer(s, "", &total, err));
    assert_int_equal(total, 200 * BLOCKS);
}

/* Lanes of different times, with zeros for the rest. */
static void lanes_far_apart(void **state)
{
    trial t;
    (void)state;
    for (int lane = 0; lane < 2; lane++) {
        stream *s = fresh();
        add_row(s, start + lane * 100 * second, 100);
        trial_write(trial_path(lane ? "b" : "a"), s->bytes, (size_t)s->packets * BYTES);
    }
    for (int wide = 0; wide < 2; wide++) {
        assert_ok(trial_make(&t, &ct_stage_source_lofar, err,
                             "{'files': ['%s/a', '%s/b'], 'span': 'all', 'max_gap_s': %d}",
                             trial_folder, trial_folder, wide ? 101 : 60));
        if (wide)
            assert_ok(ct_step_infer(t.step, err));
        else
            assert_fails(ct_step_infer(t.step, err), CT_DATA, "of all lanes, expected at most 60");
        trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_far_apart),        cmocka_unit_test(gaps_in_long_files),
        cmocka_unit_test(many_gaps_take_no_room), cmocka_unit_test(scattered_losses),
        cmocka_unit_test(pair_of_another_time),   cmocka_unit_test(last_packet_of_another_time),
        cmocka_unit_test(lanes_far_apart)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
