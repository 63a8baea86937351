/* lofar_tile_test.c: blocks that are larger than caches, in every order of their dimensions, where
 * lanes are read in turn: packets are lost, swapped over a long way and repeated, stations begin
 * within a packet, and every sample is in its place, or zero and flagged. */
#include "io_trial.h"
#include "packet.h"

extern const ct_stage ct_stage_source_lofar;

enum {
    STATIONS = 2,
    LANES = 2,
    BEAMLETS = 61,
    BLOCKS = 16,
    BYTES = 16 + BEAMLETS * BLOCKS * 4,
    PACKETS = 640,
    AWAY = 5 /* samples, of the second station */
};

static const int64_t start = 323528554687526;

typedef struct stream {
    int64_t first;
    bool missing[PACKETS];
} stream;

static int8_t number_at(int64_t sample, int64_t channel, int64_t p)
{
    return (int8_t)(sample * 7 + channel * 31 + p * 57 + sample / 200);
}

static void write_packet(FILE *file, int64_t sample, int64_t channel)
{
    uint8_t bytes[BYTES];
    ct_packet packet = {.version = 3, .bits = 8, .fast = true, .station = 7};
    packet.beamlets = BEAMLETS;
    packet.blocks = BLOCKS;
    ct_packet_set_sample(&packet, sample);
    ct_packet_encode(bytes, &packet);
    for (int64_t k = 0; k < BEAMLETS * BLOCKS * 2; k++) {
        const int8_t value = number_at(sample + k / 2 % BLOCKS, channel + k / 2 / BLOCKS, k % 2);
        bytes[16 + 2 * k] = (uint8_t)value;
        bytes[17 + 2 * k] = (uint8_t)(value + 1);
    }
    assert_int_equal(fwrite(bytes, 1, BYTES, file), BYTES);
}

/* Of some packets one is lost, comes `far` packets later, or twice. */
static stream write_lane(const char *path, int64_t first, int64_t number, int far)
{
    stream out = {.first = first};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int64_t i = 0; i < PACKETS + far; i++) {
        const int64_t channel = number * BEAMLETS, late = i - far;
        if (i < PACKETS && i % 41 == 7 + 3 * number) out.missing[i] = true;
        const bool here = i < PACKETS && !out.missing[i] && i % 59 != 12;
        if (here) write_packet(file, first + i * BLOCKS, channel);
        if (here && i % 37 == 5) write_packet(file, first + i * BLOCKS, channel);
        if (late >= 0 && late % 59 == 12 && !out.missing[late])
            write_packet(file, first + late * BLOCKS, channel);
    }
    assert_int_equal(fclose(file), 0);
    return out;
}

static bool is_there(const stream *lane, int64_t sample)
{
    const int64_t packet = (sample - lane->first) / BLOCKS;
    return sample >= lane->first && packet < PACKETS && !lane->missing[packet];
}

/* One row of one polarization; returns how many samples are not as they should be. */
static int64_t check_row(const trial *t, const stream *lane, int64_t first, int64_t s, int64_t p,
                         int64_t c, const uint8_t *flags)
{
    const ct_array *block = &t->block;
    int64_t wrong = 0;
    for (int64_t i = 0; i < ct_array_extent(block, 'T'); i++) {
        const int8_t *found =
            (const int8_t *)block->data +
            2 * (block->offset + s * ct_array_stride(block, 'S') + p * ct_array_stride(block, 'P') +
                 i * ct_array_stride(block, 'T') + c * ct_array_stride(block, 'C'));
        const bool there = is_there(lane, first + i);
        const int8_t value = number_at(first + i, c, p);
        wrong += found[0] != (there ? value : 0) || found[1] != (there ? (int8_t)(value + 1) : 0);
        wrong += flags[i] != !there;
    }
    return wrong;
}

static void check_order(const stream lanes[STATIONS][LANES], const char *files, const char *order,
                        int64_t samples)
{
    trial t;
    const int64_t total = PACKETS * BLOCKS - AWAY;
    uint8_t *flags = malloc((size_t)(STATIONS * LANES * samples));
    assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "{'files': %s}", files));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].meta.total, total);
    assert_ok(ct_stage_source_lofar.io.open(t.step, &t.state, err));
    for (int64_t done = 0; done + samples <= total; done += samples) {
        int64_t got, wrong = 0;
        trial_block(&t, samples, order, 3, 1);
        memset(flags, 0, (size_t)(STATIONS * LANES * samples));
        assert_ok(ct_stage_source_lofar.io.read(t.state, &t.block, flags, &got, err));
        assert_int_equal(got, samples);
        for (int64_t s = 0; s < STATIONS; s++)
            for (int64_t c = 0; c < LANES * BEAMLETS; c++)
                for (int64_t p = 0; p < 2; p++)
                    wrong += check_row(&t, &lanes[s][c / BEAMLETS], start + AWAY + done, s, p, c,
                                       flags + (s * LANES + c / BEAMLETS) * samples);
        assert_int_equal(wrong, 0);
    }
    assert_ok(ct_stage_source_lofar.io.close(t.state, false, err));
    trial_free(&t);
    free(flags);
}

static void blocks_of_any_size(void **unused)
{
    static const char *const orders[] = {"SPTC", "STCP", "STPC", "SPCT",
                                         "SCPT", "SCTP", "PTSC", "TCPS"};
    static const int64_t sizes[] = {9000, 10, 1000}; /* past caches; within them */
    stream lanes[STATIONS][LANES];
    char files[4096] = "[";
    (void)unused;
    for (int64_t s = 0; s < STATIONS; s++)
        for (int64_t i = 0; i < LANES; i++) {
            char name[8];
            snprintf(name, sizeof name, "s%dl%d", (int)s, (int)i);
            lanes[s][i] = write_lane(trial_path(name), start + s * AWAY, i, s ? 1 : 150);
            snprintf(files + strlen(files), 600, "%s'%s'%s",
                     i   ? ", "
                     : s ? ", ["
                         : "[",
                     trial_path(name), i == LANES - 1 ? s == STATIONS - 1 ? "]]" : "]" : "");
        }
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        check_order(lanes, files, orders[i], sizes[0]);
    check_order(lanes, files, orders[0], sizes[1]);
    check_order(lanes, files, orders[3], sizes[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_of_any_size)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
