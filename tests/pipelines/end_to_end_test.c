/* end_to_end_test.c: one pipeline from stations to beams, visibilities and dedispersed series finds
 * what was put into the simulated sky: DM, arrival time, direction, fringe phases.
 * Room: tests. Order of the parts: the pipeline, what it must find, block sizes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"

#define TWO_PI 6.283185307179586477
#define STATIONS 7
#define BEAMS 9
#define DMS 161

/* An irregular field of stations, tens of metres wide: beams of a few degrees at 150 MHz. */
#define POSITIONS                                                                                  \
    "[[0, 0, 0], [31, -7, 0.5], [-12, 40, 1], [45, 23, -2], [9, -41, 0], [-38, -16, 0.3],"         \
    " [-27, 13, 1]]"

/* Azimuth 40, elevation 60 is beam 4. */
#define DIRECTIONS                                                                                 \
    "[[34, 57], [40, 57], [46, 57], [34, 60], [40, 60], [46, 60], [34, 63], [40, 63], [46, 63]]"

static const double station[STATIONS][3] = {{0, 0, 0},    {31, -7, 0.5}, {-12, 40, 1},
                                            {45, 23, -2}, {9, -41, 0},   {-38, -16, 0.3},
                                            {-27, 13, 1}};

/* %d: samples in a block. The sky: a pulse of DM 20 at 0.3 s. */
static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {\n"
    "  \"sky\": { \"stage\": \"source.simulate\", \"stations\": " POSITIONS ",\n"
    "    \"samples\": 131072, \"sb\": 256, \"zone\": 1, \"seed\": 11, \"pulses\":\n"
    "    [{ \"dm\": 20, \"time_s\": 0.3, \"width_s\": 0.0003, \"amplitude\": 4, \"az\": 40,\n"
    "       \"el\": 60 }] },\n"
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 64, \"taps\": 8 },\n"
    "  \"fft\": { \"stage\": \"fft\", \"input\": \"fir\" },\n"
    "  \"beams\": { \"stage\": \"beamformer\", \"input\": \"fft\", \"positions\": " POSITIONS ",\n"
    "    \"directions\": " DIRECTIONS " },\n"
    "  \"power\": { \"stage\": \"detect\", \"input\": \"beams\" },\n"
    "  \"dd\": { \"stage\": \"dedisp\", \"input\": \"power\", \"dm\":\n"
    "    { \"start\": 0, \"step\": 0.25, \"count\": 161 } },\n"
    "  \"vis\": { \"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 256 },\n"
    "  \"series\": { \"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"dd.npy\",\n"
    "    \"layout\": \"BDT\" },\n"
    "  \"fringes\": { \"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"vis.npy\",\n"
    "    \"layout\": \"TLCQ\" } },\n"
    "  \"block\": { \"T\": %d } }\n";

enum { SERIES, FRINGES, SINKS };

static void run(capture out[SINKS], int block)
{
    static const char *const sinks[] = {"series", "fringes", NULL};
    char text[4096];
    ct_error err = {0};
    memset(out, 0, sizeof(capture) * SINKS);
    snprintf(text, sizeof text, pipeline, block);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
}

static int make(void **state)
{
    static capture out[SINKS];
    ct_device *device = NULL;
    if (ct_device_open(&device, NULL, NULL) != CT_OK) return -1;
    ct_device_free(device);
    run(out, 131072);
    *state = out;
    return 0;
}

static int drop(void **state)
{
    capture *out = *state;
    for (int k = 0; k < SINKS; k++)
        capture_free(&out[k]);
    return 0;
}

/* ---- the dedispersed series */

typedef struct peak {
    int64_t beam, dm, sample;
    double value;
} peak;

static peak find_peak(const capture *series, int64_t first_beam, int64_t last_beam)
{
    peak best = {0, 0, 0, -1};
    for (int64_t t = 0; t < series->samples; t++)
        for (int64_t b = first_beam; b <= last_beam; b++)
            for (int64_t d = 0; d < DMS; d++) {
                double value = capture_at(series, t, b * DMS + d).re;
                if (value > best.value) best = (peak){b, d, t, value};
            }
    return best;
}

static void test_the_pulse_is_found(void **state)
{
    const capture *series = &((capture *)*state)[SERIES];
    peak best = find_peak(series, 0, BEAMS - 1);
    double dm = series->meta.dm[best.dm];
    double time_s = series->meta.start_s + (double)best.sample * series->meta.sample_time_s;
    assert_int_equal(series->count, BEAMS * DMS);
    assert_true(fabs(series->meta.sample_time_s - 64 * 5.12e-6) < 1e-12);
    print_message("DM %g, %.4f s, beam %lld\n", dm, time_s, (long long)best.beam);
    assert_true(fabs(dm - 20) <= 1);
    assert_true(fabs(time_s - 0.3) <= 0.001);
    assert_int_equal(best.beam, 4);
}

/* The strongest value falls off in every beam of the grid. */
static void test_the_best_beam_stands_out(void **state)
{
    const capture *series = &((capture *)*state)[SERIES];
    double best = find_peak(series, 4, 4).value;
    for (int64_t b = 0; b < BEAMS; b++)
        if (b != 4) assert_true(find_peak(series, b, b).value < 0.9 * best);
}

/* ---- visibilities */

static double phase_error(const capture *fringes, int64_t t, int64_t i, int64_t j)
{
    double u[3] = {sin(TWO_PI / 9) * 0.5, cos(TWO_PI / 9) * 0.5, sqrt(0.75)}, re = 0, im = 0;
    double along = 0; /* path difference towards the source */
    for (int k = 0; k < 3; k++)
        along += (station[j][k] - station[i][k]) * u[k];
    for (int64_t c = 0; c < 64; c++) {
        double angle = -TWO_PI * fringes->meta.frequency_hz[c] * along / 299792458.0;
        for (int64_t q = 0; q < 4; q++) {
            ct_complex v = capture_at(fringes, t, ((j * (j + 1) / 2 + i) * 64 + c) * 4 + q);
            re += v.re * cos(angle) - v.im * sin(angle);
            im += v.re * sin(angle) + v.im * cos(angle);
        }
    }
    return atan2(im, re) * 360 / TWO_PI;
}

static void test_fringes_have_the_geometric_phase(void **state)
{
    const capture *fringes = &((capture *)*state)[FRINGES];
    double sum = 0, wide = 0;
    int64_t t = lround((0.3 - fringes->meta.start_s) / fringes->meta.sample_time_s), pairs = 0;
    for (int64_t j = 0; j < STATIONS; j++)
        for (int64_t i = 0; i < j; i++) {
            double now = phase_error(fringes, t, i, j), before = phase_error(fringes, 0, i, j);
            sum += now * now;
            wide += before * before;
            pairs++;
        }
    print_message("fringe residual %.2f degrees rms; without the pulse %.0f\n",
                  sqrt(sum / (double)pairs), sqrt(wide / (double)pairs));
    assert_true(sqrt(sum / (double)pairs) < 5);
    assert_true(sqrt(wide / (double)pairs) > 40); /* no signal: any phase */
}

/* ---- blocks */

static void test_blocks_do_not_matter(void **state)
{
    const capture *whole = *state;
    capture parts[SINKS];
    run(parts, 16384);
    for (int k = 0; k < SINKS; k++) {
        int64_t numbers = whole[k].samples * whole[k].count * 2;
        double worst = 0, largest = 0;
        if (parts[k].value == NULL || whole[k].value == NULL) abort();
        assert_int_equal(parts[k].samples, whole[k].samples);
        assert_int_equal(parts[k].count, whole[k].count);
        for (int64_t n = 0; n < numbers; n++) {
            worst = fmax(worst, fabs(parts[k].value[n] - whole[k].value[n]));
            largest = fmax(largest, fabs(whole[k].value[n]));
        }
        assert_true(worst <= 1e-6 * largest);
        assert_true(fabs(parts[k].meta.start_s - whole[k].meta.start_s) < 1e-12);
        capture_free(&parts[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_pulse_is_found),
        cmocka_unit_test(test_the_best_beam_stands_out),
        cmocka_unit_test(test_fringes_have_the_geometric_phase),
        cmocka_unit_test(test_blocks_do_not_matter),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
