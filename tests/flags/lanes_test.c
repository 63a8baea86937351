/* lanes_test.c: two stations of four LOFAR lanes each, real packets, of which every lane loses
 * others: visibilities, beams, powers and a series are those of plain loops that leave out the
 * same, lane by lane, and so are the counts beside them; in one block and in several. Room: tests.
 * Skips where the data are absent (CORNERTURN_TEST_DATA, default ../shared/data). */
#include "capture.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LANES = 4, STATIONS = 2, PACKETS = 256, BEAMLETS = 122, SAMPLES = 16 };
enum { PACKET = 16 + BEAMLETS * SAMPLES * 4, TOTAL = 4080, CHANNELS = LANES * BEAMLETS, SUM = 16 };

typedef struct observation {
    char folder[64];
    uint8_t *lane[LANES]; /* a file's packets */
    int64_t first[LANES]; /* its first sample in the common span; below 0: before it */
    uint8_t lost[STATIONS][LANES][TOTAL + PACKETS * SAMPLES];
} observation;

static observation all;

/* Lane i of station 0 loses 19 i packets, of station 1 as many as lane 3 - i does there: some of
 * them in both. */
static bool is_lost_packet(int s, int lane, int n)
{
    return n >= 5 && (n - 5) % 4 == 0 && (n - 5) / 4 < 19 * (s ? LANES - 1 - lane : lane);
}

static bool is_lost(int s, int64_t t, int64_t c)
{
    return all.lost[s][c / BEAMLETS][t];
}

/* One number of a sample, 0 where it is lost. */
static int number(int s, int p, int64_t t, int64_t c, int part)
{
    const int lane = (int)(c / BEAMLETS), beamlet = (int)(c % BEAMLETS);
    const int64_t at = t - all.first[lane];
    const uint8_t *packet = all.lane[lane] + at / SAMPLES * PACKET + 16;
    if (is_lost(s, t, c)) return 0;
    return (int8_t)packet[(beamlet * SAMPLES + at % SAMPLES) * 4 + 2 * p + part];
}

/* ---- files */

static uint32_t word(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* Samples since 1970 of a clock of 200 MHz. */
static int64_t first_sample(const uint8_t *packet)
{
    return ((int64_t)word(packet + 8) * 200000000 + 512) / 1024 + word(packet + 12);
}

static bool read_lane(int lane)
{
    const char *folder = getenv("CORNERTURN_TEST_DATA");
    char path[512];
    snprintf(path, sizeof path, "%s/lofar/udp_1613%d.ucc1.2022-06-29T01:30:00.000",
             folder ? folder : "../shared/data", lane);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    all.lane[lane] = malloc((size_t)PACKETS * PACKET);
    assert_int_equal(fread(all.lane[lane], PACKET, PACKETS, file), PACKETS);
    fclose(file);
    all.first[lane] = first_sample(all.lane[lane]);
    return true;
}

static void write_lane(int s, int lane)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d_%d", all.folder, s, lane);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int n = 0; n < PACKETS; n++) {
        const int64_t t = all.first[lane] + n * SAMPLES;
        if (!is_lost_packet(s, lane, n))
            assert_int_equal(fwrite(all.lane[lane] + n * PACKET, PACKET, 1, file), 1);
        else
            memset(&all.lost[s][lane][t], 1, SAMPLES);
    }
    assert_int_equal(fclose(file), 0);
}

static int make_files(void **state)
{
    int64_t latest = 0;
    (void)state;
    for (int lane = 0; lane < LANES; lane++) {
        if (!read_lane(lane)) return 0;
        if (all.first[lane] > latest) latest = all.first[lane];
    }
    for (int lane = 0; lane < LANES; lane++)
        all.first[lane] -= latest;
    snprintf(all.folder, sizeof all.folder, "/tmp/ct_lanes_XXXXXX");
    if (!mkdtemp(all.folder)) return 1;
    for (int s = 0; s < STATIONS; s++)
        for (int lane = 0; lane < LANES; lane++)
            write_lane(s, lane);
    return 0;
}

static int remove_files(void **state)
{
    char path[128];
    (void)state;
    for (int i = 0; i < STATIONS * LANES; i++) {
        snprintf(path, sizeof path, "%s/%d_%d", all.folder, i / LANES, i % LANES);
        unlink(path);
        free(i < LANES ? all.lane[i] : NULL);
    }
    rmdir(all.folder);
    return 0;
}

/* ---- the pipeline */

enum { VIS, COUNTS, STATIONS_IN, POWER, POWERS_IN, SERIES, SERIES_IN, SINKS };

static void run(int block, capture out[SINKS])
{
    static const char *const sinks[SINKS + 1] = {"a", "b", "c", "d", "e", "f", "g", NULL};
    static const char *const from[SINKS] = {"vis",          "vis.COUNTS", "beams.COUNTS", "power",
                                            "power.COUNTS", "dd",         "dd.COUNTS"};
    char text[4096];
    ct_error err = {0};
    int at =
        snprintf(text, sizeof text,
                 "{\"cornerturn\": 1, \"block\": {\"T\": %d}, \"nodes\": {\"data\": {\"stage\": "
                 "\"source.lofar\", \"subbands\": 51, \"files\": [",
                 block);
    for (int i = 0; i < STATIONS * LANES; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s\"%s/%d_%d\"%s",
                       i % LANES ? ", "
                       : i       ? "], ["
                                 : "[",
                       all.folder, i / LANES, i % LANES, i == STATIONS * LANES - 1 ? "]]}" : "");
    at +=
        snprintf(text + at, sizeof text - (size_t)at,
                 ",\"vis\": {\"stage\": \"correlator\", \"input\": \"data\", \"integrate\": 4080},"
                 "\"beams\": {\"stage\": \"beamformer\", \"input\": \"data\", \"mode\": "
                 "\"incoherent\"},"
                 "\"power\": {\"stage\": \"detect\", \"input\": \"beams\", \"integrate\": 16},"
                 "\"dd\": {\"stage\": \"dedisp\", \"input\": \"power\", \"dm\": {\"start\": 0, "
                 "\"step\": 1, \"count\": 1}}");
    for (int k = 0; k < SINKS; k++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     ",\"%s\": {\"stage\": \"sink.npy\", \"input\": \"%s\", \"file\": \"%d.npy\"}",
                     sinks[k], from[k], k);
    snprintf(text + at, sizeof text - (size_t)at, "}}");
    memset(out, 0, SINKS * sizeof *out);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
}

/* ---- what is right */

static void check_baseline(const capture *vis, const capture *counts, int i, int j)
{
    const int l = j * (j + 1) / 2 + i;
    for (int64_t c = 0; c < CHANNELS; c++) {
        int64_t sum[4][2] = {{0}}, count = 0;
        for (int64_t t = 0; t < TOTAL; t++) {
            if (is_lost(i, t, c) || is_lost(j, t, c)) continue;
            count++;
            for (int q = 0; q < 4; q++) {
                const int re = number(j, q % 2, t, c, 0), im = number(j, q % 2, t, c, 1);
                const int re_i = number(i, q / 2, t, c, 0), im_i = number(i, q / 2, t, c, 1);
                sum[q][0] += re * re_i + im * im_i;
                sum[q][1] += im * re_i - re * im_i;
            }
        }
        assert_int_equal((int64_t)capture_at(counts, 0, l * CHANNELS + c).re, count);
        if (i == j) assert_int_equal(count, TOTAL - 304 * (i ? 3 - c / BEAMLETS : c / BEAMLETS));
        for (int q = 0; q < 4; q++) {
            const ct_complex got = capture_at(vis, 0, (l * CHANNELS + c) * 4 + q);
            assert_int_equal((int64_t)got.re, sum[q][0]);
            assert_int_equal((int64_t)got.im, sum[q][1]);
        }
    }
}

/* What both stations and polarizations had of 16 samples, and of how many. */
static double power(int64_t t, int64_t c, int64_t *count)
{
    double all_power = 0;
    *count = 0;
    for (int64_t k = t * SUM; k < (t + 1) * SUM; k++) {
        *count += !is_lost(0, k, c) || !is_lost(1, k, c);
        for (int n = 0; n < 8; n++) {
            const double x = number(n / 4, n / 2 % 2, k, c, n % 2);
            all_power += x * x;
        }
    }
    return all_power;
}

static void check_powers(const capture out[SINKS], int *gaps)
{
    for (int64_t t = 0; t < TOTAL / SUM; t++) {
        double series = 0;
        int64_t channels = 0;
        for (int64_t c = 0; c < CHANNELS; c++) {
            int64_t count;
            const double expected = power(t, c, &count);
            series += expected;
            channels += count > 0;
            assert_true(capture_at(&out[POWER], t, c).re == expected);
            assert_int_equal((int64_t)capture_at(&out[POWERS_IN], t, c).re, count);
        }
        assert_true(fabs(capture_at(&out[SERIES], t, 0).re - series) <= 1e-5 * series);
        assert_int_equal((int64_t)capture_at(&out[SERIES_IN], t, 0).re, channels);
        *gaps += channels < CHANNELS;
    }
}

static void check_stations(const capture *counts)
{
    for (int64_t t = 0; t < TOTAL; t++)
        for (int64_t c = 0; c < CHANNELS; c++)
            assert_int_equal((int)capture_at(counts, t, c).re,
                             !is_lost(0, t, c) + !is_lost(1, t, c));
}

static void each_lane_loses_its_own(void **state)
{
    static const int blocks[] = {4080, 816};
    (void)state;
    if (!all.folder[0]) skip();
    for (int b = 0; b < 2; b++) {
        capture out[SINKS];
        int gaps = 0;
        run(blocks[b], out);
        assert_int_equal(out[VIS].samples, 1);
        assert_int_equal(out[POWER].samples, TOTAL / SUM);
        for (int j = 0; j < STATIONS; j++)
            for (int i = 0; i <= j; i++)
                check_baseline(&out[VIS], &out[COUNTS], i, j);
        check_stations(&out[STATIONS_IN]);
        check_powers(out, &gaps);
        assert_true(gaps > 10);
        for (int k = 0; k < SINKS; k++)
            capture_free(&out[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_lane_loses_its_own)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
