/* lofar_faults_test.c: packets lost, repeated, swapped, late, cut short, foreign, wrong and badly
 * timed: every sample that is there is in its place, every other one is zero and flagged, and the
 * answer does not depend on the size of the blocks. */
#include "io_trial.h"
#include "lofar_lane.h"

extern const ct_stage ct_stage_source_lofar;

enum { BEAMLETS = 3, BLOCKS = 16, BYTES = 16 + BEAMLETS * BLOCKS * 4, PACKETS = 40 };

static const int64_t start = 323528554687526;

static int number_at(int64_t sample, int64_t beamlet, int64_t p)
{
    return (int)((sample * 7 + beamlet * 31 + p * 57) % 200) - 100;
}

/* The packet whose first sample is `sample`. */
static void make_packet(uint8_t *out, int64_t sample)
{
    ct_packet packet = {.version = 3, .bits = 8, .fast = true, .station = 7};
    packet.beamlets = BEAMLETS;
    packet.blocks = BLOCKS;
    ct_packet_set_sample(&packet, sample);
    ct_packet_encode(out, &packet);
    for (int64_t b = 0; b < BEAMLETS; b++)
        for (int64_t i = 0; i < BLOCKS; i++)
            for (int64_t p = 0; p < 2; p++) {
                uint8_t *at = out + 16 + (b * BLOCKS + i) * 4 + 2 * p;
                at[0] = (uint8_t)number_at(sample + i, b, p);
                at[1] = (uint8_t)-number_at(sample + i, b, p);
            }
}

typedef struct stream {
    uint8_t *bytes;
    size_t length;
    int64_t first;         /* sample number of missing[0] */
    bool missing[PACKETS]; /* packets whose samples must be flagged */
} stream;

static stream make_stream(int64_t first, int packets)
{
    stream out = {.first = first, .length = (size_t)packets * BYTES};
    out.bytes = malloc(out.length + 8 * BYTES);
    for (int i = 0; i < packets; i++)
        make_packet(out.bytes + i * BYTES, first + i * BLOCKS);
    return out;
}

/* Puts `count` bytes of another kind at byte `at`. */
static void insert(stream *s, size_t at, const void *bytes, size_t count)
{
    memmove(s->bytes + at + count, s->bytes + at, s->length - at);
    memcpy(s->bytes + at, bytes, count);
    s->length += count;
}

static void cut(stream *s, size_t at, size_t count)
{
    memmove(s->bytes + at, s->bytes + at + count, s->length - at - count);
    s->length -= count;
}

/* ---- faults; each says which packets are missing afterwards */

static void fault_none(stream *s)
{
    (void)s;
}

static void fault_lost(stream *s)
{
    cut(s, 11 * BYTES, 2 * BYTES);
    s->missing[11] = s->missing[12] = true;
    cut(s, 3 * BYTES, BYTES);
    s->missing[3] = true;
}

static void fault_repeated(stream *s)
{
    uint8_t copy[BYTES];
    memcpy(copy, s->bytes + 5 * BYTES, BYTES);
    memset(copy + 16, 99, BYTES - 16); /* the first one counts */
    insert(s, 6 * BYTES, copy, BYTES);
    insert(s, 20 * BYTES, copy, BYTES);
}

static void fault_swapped(stream *s)
{
    uint8_t copy[BYTES];
    memcpy(copy, s->bytes + 7 * BYTES, BYTES);
    cut(s, 7 * BYTES, BYTES);
    insert(s, 8 * BYTES, copy, BYTES);
    memcpy(copy, s->bytes + 20 * BYTES, BYTES);
    cut(s, 20 * BYTES, BYTES);
    insert(s, 30 * BYTES, copy, BYTES);
}

static void fault_cut_short(stream *s)
{
    cut(s, 9 * BYTES + 60, 40);
    s->missing[9] = true;
}

static void fault_cut_inside_header(stream *s)
{
    cut(s, 9 * BYTES + 5, BYTES - 5);
    s->missing[9] = true;
}

static void fault_end_cut_short(stream *s)
{
    s->length -= 17;
    s->missing[PACKETS - 1] = true;
}

static void fault_version(stream *s)
{
    s->bytes[15 * BYTES] = 9;
    s->missing[15] = true;
}

static void fault_foreign_bytes(stream *s)
{
    uint8_t other[77];
    memset(other, 0x5a, sizeof other);
    insert(s, 25 * BYTES, other, sizeof other);
    insert(s, 0, other, sizeof other);
}

static void fault_wrong(stream *s)
{
    s->bytes[2 * BYTES + 1] |= 0x40;
    s->missing[2] = true;
}

static void fault_untimed(stream *s)
{
    memset(s->bytes + 14 * BYTES + 8, 0xff, 4);
    s->missing[14] = true;
}

static void fault_absurd_time(stream *s)
{
    s->bytes[14 * BYTES + 11] ^= 0x10; /* years away */
    s->bytes[22 * BYTES + 11] ^= 0x01;
    s->missing[14] = s->missing[22] = true;
}

static const struct {
    const char *name;
    void (*make)(stream *);
} faults[] = {
    {"none", fault_none},
    {"lost", fault_lost},
    {"repeated", fault_repeated},
    {"swapped", fault_swapped},
    {"cut short", fault_cut_short},
    {"cut inside a header", fault_cut_inside_header},
    {"end cut short", fault_end_cut_short},
    {"version", fault_version},
    {"foreign bytes", fault_foreign_bytes},
    {"wrong", fault_wrong},
    {"untimed", fault_untimed},
    {"absurd time", fault_absurd_time},
};

enum { FAULTS = sizeof faults / sizeof faults[0] };

/* ---- reading */

static bool is_there(const stream *s, int64_t sample)
{
    int64_t packet = (sample - s->first) / BLOCKS;
    return sample >= s->first && packet < PACKETS && !s->missing[packet];
}

/* Reads all stations' files in blocks of this size and compares every sample. */
static void check_streams(const stream *streams, int count, const char *more, int64_t block,
                          int64_t first, int64_t total)
{
    trial t;
    uint8_t *flags = malloc((size_t)(count * block));
    assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "{'files': [['%s']%s%s%s]%s}",
                         trial_path("s0"), count > 1 ? ", ['" : "",
                         count > 1 ? trial_path("s1") : "", count > 1 ? "']" : "", more));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].meta.total, total);
    assert_ok(ct_stage_source_lofar.io.open(t.step, &t.state, err));
    for (int64_t done = 0; done < total; done += block) {
        int64_t got, index[4] = {0};
        trial_block(&t, block, "CSTP", 1, 1);
        memset(flags, 7, (size_t)(count * block));
        assert_ok(ct_stage_source_lofar.io.read(t.state, &t.block, flags, &got, err));
        assert_int_equal(got, total - done < block ? total - done : block);
        do {
            int64_t sample = first + done + index[2];
            bool there = index[2] < got && is_there(&streams[index[0]], sample);
            int expected = there ? number_at(sample, index[3], index[1]) : 0;
            ct_complex found = ct_array_load(&t.block, trial_at(&t.block, index));
            assert_int_equal((int)found.re, expected);
            assert_int_equal((int)found.im, -expected);
            assert_int_equal(flags[index[0] * block + index[2]], !there);
        } while (trial_next(&t.block, index));
    }
    assert_ok(ct_stage_source_lofar.io.close(t.state, false, err));
    trial_free(&t);
    free(flags);
}

static void every_fault_is_seen(void **unused)
{
    static const int64_t blocks[] = {1, 7, 16, 100, 700};
    (void)unused;
    for (size_t f = 0; f < FAULTS; f++) {
        stream s = make_stream(start, PACKETS);
        faults[f].make(&s);
        trial_write(trial_path("s0"), s.bytes, s.length);
        int64_t total = PACKETS * BLOCKS - (s.missing[PACKETS - 1] ? BLOCKS : 0);
        for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
            check_streams(&s, 1, "", blocks[b], start, total);
        free(s.bytes);
    }
}

static void stations_are_aligned(void **unused)
{
    (void)unused;
    stream s[2] = {make_stream(start, PACKETS), make_stream(start + 21, PACKETS)};
    fault_lost(&s[0]);
    fault_swapped(&s[1]);
    trial_write(trial_path("s0"), s[0].bytes, s[0].length);
    trial_write(trial_path("s1"), s[1].bytes, s[1].length);
    for (int64_t block = 9; block < 800; block += 79) {
        check_streams(s, 2, "", block, start + 21, PACKETS * BLOCKS - 21);
        check_streams(s, 2, ", 'span': 'all'", block, start, PACKETS * BLOCKS + 21);
    }
    free(s[0].bytes);
    free(s[1].bytes);
}

/* Counts of a whole file looked through. */
static ct_lane_counts count_faults(const stream *s)
{
    trial t;
    trial_write(trial_path("s0"), s->bytes, s->length);
    assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "{'files': '%s'}", trial_path("s0")));
    ct_lane *lane = calloc(1, sizeof *lane);
    assert_ok(ct_lane_open(lane, t.step, (const char *[]){trial_path("s0")}, 1, 60, err));
    assert_ok(ct_lane_seek(lane, INT64_MAX / 2, err));
    ct_lane_counts counts = lane->counts;
    ct_lane_close(lane);
    free(lane);
    trial_free(&t);
    return counts;
}

static void faults_are_counted(void **unused)
{
    (void)unused;
    for (size_t f = 0; f < FAULTS; f++) {
        stream s = make_stream(start, PACKETS);
        faults[f].make(&s);
        ct_lane_counts counts = count_faults(&s);
        int64_t missing = 0;
        for (int i = 0; i < PACKETS; i++)
            missing += s.missing[i];
        assert_int_equal(counts.good, PACKETS - missing);
        void (*make)(stream *) = faults[f].make;
        assert_int_equal(counts.repeated, make == fault_repeated ? 2 : 0);
        assert_int_equal(counts.swapped, make == fault_swapped ? 2 : 0);
        assert_int_equal(counts.wrong, make == fault_wrong ? 1 : 0);
        assert_int_equal(counts.untimed, make == fault_untimed       ? 1
                                         : make == fault_absurd_time ? 2
                                                                     : 0);
        assert_int_equal(counts.truncated, make == fault_cut_short || make == fault_end_cut_short);
        assert_int_equal(counts.foreign,
                         make == fault_foreign_bytes
                             ? 2
                             : make == fault_version || make == fault_cut_inside_header);
        assert_int_equal(counts.late, 0);
        free(s.bytes);
    }
}

/* A packet that comes thousands of packets late is left out and counted. */
static void late_packets_are_counted(void **unused)
{
    (void)unused;
    uint8_t copy[BYTES];
    stream s = make_stream(start, 3000);
    memcpy(copy, s.bytes + 100 * BYTES, BYTES);
    cut(&s, 100 * BYTES, BYTES);
    insert(&s, 2500 * BYTES, copy, BYTES);
    ct_lane_counts counts = count_faults(&s);
    assert_int_equal(counts.late, 1);
    assert_int_equal(counts.good, 2999);
    free(s.bytes);
}

static void fails_with(const char *json, const char *part, ct_status expected)
{
    trial t;
    char text[1024], *at;
    snprintf(text, sizeof text, "%s", json);
    while ((at = strchr(text, '@'))) { /* @ stands for the folder */
        char rest[1024];
        snprintf(rest, sizeof rest, "%s%s", trial_folder, at + 1);
        snprintf(at, sizeof text - (size_t)(at - text), "%s", rest);
    }
    assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "%s", text));
    assert_fails(ct_step_infer(t.step, err), expected, part);
    trial_free(&t);
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    stream s = make_stream(start, PACKETS), later = make_stream(start + 10000, PACKETS);
    trial_write(trial_path("s0"), s.bytes, s.length);
    trial_write(trial_path("s1"), later.bytes, later.length);
    trial_write(trial_path("short"), s.bytes, 100);
    trial_write(trial_path("empty"), s.bytes, 0);
    fails_with("{'files': '@/none'}", "cannot be opened", CT_DATA);
    fails_with("{'files': '@/empty'}", "expected station packets", CT_DATA);
    fails_with("{'files': '@/short'}", "whole station packets", CT_DATA);
    fails_with("{'files': ['@/s0', '@/s1']}", "one time", CT_DATA);
    fails_with("{'files': [['@/s0'], ['@/s0', '@/s0']]}", "station 1", CT_INVALID);
    fails_with("{'files': [7]}", "names of files", CT_INVALID);
    fails_with("{'files': '@/s0', 'beamlets': 3}", "from 0 to 2", CT_INVALID);
    fails_with("{'files': '@/s0', 'beamlets': 'some'}", "\"all\"", CT_INVALID);
    fails_with("{'files': '@/s0', 'subbands': [1, 2]}", "all 3", CT_INVALID);
    for (size_t i = 0; i < s.length; i += BYTES) {
        s.bytes[i + 2] = 0; /* 16 bits */
        s.bytes[i + 7] = 8;
    }
    trial_write(trial_path("s1"), s.bytes, s.length);
    fails_with("{'files': ['@/s0', '@/s1']}", "expected bits 8", CT_DATA);
    fails_with("{'files': '@/s1', 'scale16': true}", "found 16", CT_INVALID);
    free(s.bytes);
    free(later.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_seen), cmocka_unit_test(stations_are_aligned),
        cmocka_unit_test(faults_are_counted),  cmocka_unit_test(late_packets_are_counted),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
