/* tracking_test.c: a source on the sky, beneath which the Earth rotates, stays where stages look
 * for six hours: twenty moments, each a run of its own that begins later. Room: tests. Order of the
 * parts: pipelines, fringes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "earth.h"
#include "exhaustive.h"

#define TWO_PI 6.283185307179586477
enum { MOMENTS = 20 };

/* Cyg A above LOFAR's core, and a station a hundred kilometres away. */
#define OBSERVATION                                                                                \
    "\"observation\": { \"ra_deg\": 299.8681525, \"dec_deg\": 40.7339156, \"dut1_s\": -0.1,\n"     \
    "  \"site\": [3826577.462, 461022.624, 5064892.526], \"stations\":\n"                          \
    "  [[3826577.462, 461022.624, 5064892.526], [3763677.462, 519022.624, 5116892.526]] },\n"
#define CYG_A "\"ra_deg\": 299.8681525, \"dec_deg\": 40.7339156"

/* clang-format off */
/* %.9f: when it begins. A tone in the middle of channel 37. */
#define FRINGES \
    "{ \"cornerturn\": 1, " OBSERVATION " \"nodes\": {\n" \
    "  \"sky\": { \"stage\": \"source.simulate\", \"samples\": 1024, \"type\": \"cf32\",\n" \
    "    \"noise\": 0, \"start_mjd\": %.9f, \"tones\":\n" \
    "    [{ \"frequency_hz\": 15258.7890625, " CYG_A " }] },\n" \
    "  \"ppf\": { \"stage\": \"ppf\", \"input\": \"sky\", \"channels\": 64, \"taps\": 8 },\n" \
    "  \"delay\": { \"stage\": \"delay\", \"input\": \"ppf\" },\n" \
    "  \"still\": { \"stage\": \"correlator\", \"input\": \"delay\", \"integrate\": 8 },\n" \
    "  \"moving\": { \"stage\": \"correlator\", \"input\": \"ppf\", \"integrate\": 8 },\n" \
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"still\", \"file\": \"a.npy\" },\n" \
    "  \"beam\": { \"stage\": \"beamformer\", \"input\": \"delay\", \"normalise\": \"mean\" },\n" \
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"moving\", \"file\": \"b.npy\" },\n" \
    "  \"c\": { \"stage\": \"sink.npy\", \"input\": \"beam\", \"file\": \"c.npy\" },\n" \
    "  \"d\": { \"stage\": \"sink.npy\", \"input\": \"ppf\", \"file\": \"d.npy\" } } }\n"

/* %d: samples; %.9f: when it begins; %s: more of the beams; %d: a block. Stations within two kilometres, whose beams
 * are counted from what is up at the first moment, or follow the sky. */
#define POSITIONS "[[0, 0, 0], [310, -70, 5], [-120, 400, 10], [550, 230, -20], [900, -1610, 0]]"
#define BEAMS \
    "{ \"cornerturn\": 1, " OBSERVATION " \"nodes\": {\n" \
    "  \"sky\": { \"stage\": \"source.simulate\", \"samples\": %d, \"type\": \"cf32\",\n" \
    "    \"noise\": 0, \"start_mjd\": %.9f, \"stations\": " POSITIONS ", \"tones\":\n" \
    "    [{ \"frequency_hz\": 15258.7890625, " CYG_A " }] },\n" \
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 64, \"taps\": 8 },\n" \
    "  \"fft\": { \"stage\": \"fft\", \"input\": \"fir\" },\n" \
    "  \"beams\": { \"stage\": \"beamformer\", \"input\": \"fft\", \"normalise\": \"mean\",\n" \
    "    \"positions\": " POSITIONS ", %s },\n" \
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"beams\", \"file\": \"a.npy\" },\n" \
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"b.npy\" } },\n" \
    "  \"block\": { \"T\": %d } }\n"

/* %.9f: when it begins. Noise of the source: delays reach 65 samples, more than the filters' length, and
 * what is left of them behind whole samples makes slopes along the channels. */
#define NOISE \
    "{ \"cornerturn\": 1, " OBSERVATION " \"nodes\": {\n" \
    "  \"sky\": { \"stage\": \"source.simulate\", \"samples\": 32768, \"type\": \"cf32\",\n" \
    "    \"noise\": 0, \"start_mjd\": %.9f, \"pulses\":\n" \
    "    [{ \"time_s\": 0.08, \"width_s\": 0.05, " CYG_A " }] },\n" \
    "  \"shift\": { \"stage\": \"shift\", \"input\": \"sky\" },\n" \
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"shift\", \"channels\": 16, \"taps\": 4 },\n" \
    "  \"fft\": { \"stage\": \"fft\", \"input\": \"fir\" },\n" \
    "  \"delay\": { \"stage\": \"delay\", \"input\": \"fft\" },\n" \
    "  \"still\": { \"stage\": \"correlator\", \"input\": \"delay\", \"integrate\": 1024 },\n" \
    "  \"fir_\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, \"taps\": 4 },\n" \
    "  \"fft_\": { \"stage\": \"fft\", \"input\": \"fir_\" },\n" \
    "  \"delay_\": { \"stage\": \"delay\", \"input\": \"fft_\" },\n" \
    "  \"lost\": { \"stage\": \"correlator\", \"input\": \"delay_\", \"integrate\": 1024 },\n" \
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"still\", \"file\": \"a.npy\" },\n" \
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"lost\", \"file\": \"b.npy\" } } }\n"

/* %s: beams; twice three numbers: where the stations stand, east, north and up of the site. */
#define PLACES \
    "{ \"cornerturn\": 1, " OBSERVATION " \"nodes\": {\n" \
    "  \"sky\": { \"stage\": \"source.simulate\", \"samples\": 8192, \"type\": \"ci8\", \"seed\": 7 },\n" \
    "  \"ppf\": { \"stage\": \"ppf\", \"input\": \"sky\", \"channels\": 16, \"taps\": 4 },\n" \
    "  \"said\": { \"stage\": \"beamformer\", \"input\": \"ppf\", %s },\n" \
    "  \"given\": { \"stage\": \"beamformer\", \"input\": \"ppf\", %s,\n" \
    "    \"positions\": [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]] },\n" \
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"said\", \"file\": \"a.npy\" },\n" \
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"given\", \"file\": \"b.npy\" } } }\n"

/* %d: a block. Shifts of up to three samples that change four times. */
#define SHIFTS \
    "{ \"cornerturn\": 1, \"nodes\": {\n" \
    "  \"sky\": { \"stage\": \"source.simulate\", \"samples\": 4900, \"stations\": 2 },\n" \
    "  \"shift\": { \"stage\": \"shift\", \"input\": \"sky\", \"step_s\": 0.0051,\n" \
    "    \"delays\": [[0, 1e-5, -1e-5, 0, 5e-6, 0], [1.5e-5, 1e-5, 5e-6, 0, -5e-6, 0]] },\n" \
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"shift\", \"file\": \"a.npy\" } },\n" \
    "  \"block\": { \"T\": %d } }\n"
/* clang-format on */

static double start_of(int moment)
{
    return 59759.0625 + 0.25 * moment / (MOMENTS - 1);
}

/* Whether this build can: without ERFA a sentence says so, and there is nothing to try. */
static bool run(capture *out, int count, const char *text)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    const char *sinks[5] = {NULL};
    ct_error err = {0};
    memcpy(sinks, names, sizeof *names * (size_t)count);
    memset(out, 0, sizeof *out * (size_t)count);
    if (capture_run(text, sinks, out, &err) == CT_OK) return true;
    if (strstr(err.text, "need ERFA")) return false;
    fail_msg("%s", err.text);
    return false;
}

/* Of XX between both stations in the second integration, whose filters are full; channels lie
 * before products. */
static ct_complex fringe(const capture *from, int64_t channel)
{
    assert_int_equal(from->count, 3 * 64 * 4);
    assert_int_equal(from->samples, 2);
    return capture_at(from, 1, (64 + channel) * 4);
}

static double degrees(ct_complex value)
{
    return 360 / TWO_PI * atan2(value.im, value.re);
}

/* Mean power of channel 37 behind the filters' beginning, X only; channels lie fastest. */
static double power(const capture *from, int64_t beam)
{
    double sum = 0;
    for (int64_t t = 8; t < from->samples; t++) {
        const ct_complex x = capture_at(from, t, beam * 2 * 64 + 37);
        sum += (x.re * x.re + x.im * x.im) / (double)(from->samples - 8);
    }
    return sum;
}

/* With the directions of the simulator between knots of its own: what is left is what straight
 * lines between knots leave. A beam of both stations, counted from where they are in phase, has all
 * of it. */
static void fringes_stay_for_six_hours(void **unused)
{
    double worst = 0, most = 0, least = 2;
    (void)unused;
    for (int moment = 0; moment < MOMENTS; moment += (int)few_or_all(6, 1)) {
        capture out[4];
        char text[4096];
        snprintf(text, sizeof text, FRINGES, start_of(moment));
        if (!run(out, 4, text)) skip();
        const ct_complex still = fringe(&out[0], 37), moving = fringe(&out[1], 37);
        assert_true(hypot(still.re, still.im) > 1);
        worst = fmax(worst, fabs(degrees(still)));
        most = fmax(most, fabs(degrees(moving)));
        least = fmin(least, power(&out[2], 0) / power(&out[3], 0));
        for (int n = 0; n < 4; n++)
            capture_free(&out[n]);
    }
    print_message("fringes are off by %.4f degrees, without delays by %.0f; beams have %.4f\n",
                  worst, most, least);
    assert_true(worst < 0.1);
    assert_true(most > 90);
    assert_true(least > 0.999);
}

/* Against a station's power, which the mean of all reaches only in phase. The second beam stands a
 * degree beside the source, the third where the source was at the first moment. */
static void beams_keep_a_source(void **unused)
{
    static const char *const given[] = {
        "\"radec\": [[299.8681525, 40.7339156], [299.8681525, 41.7339156]]",
        "\"directions\": [[202.33, 77.12]]"};
    double least = 2, most_beside = 0, fixed[2] = {0};
    (void)unused;
    for (int moment = 0; moment < MOMENTS; moment += 6) {
        for (int n = 0; n < (moment % 18 == 0 ? 2 : 1); n++) {
            capture out[2];
            char text[4096];
            snprintf(text, sizeof text, BEAMS, 8192, start_of(moment), given[n], 8192);
            if (!run(out, 2, text)) skip();
            const double share = power(&out[0], 0) / power(&out[1], 0);
            if (n == 0) least = fmin(least, share);
            if (n == 0) most_beside = fmax(most_beside, power(&out[0], 1) / power(&out[1], 0));
            if (n == 1) fixed[moment > 0] = share;
            capture_free(&out[0]);
            capture_free(&out[1]);
        }
    }
    print_message(
        "beams have %.4f of the source, beside it at most %.2f; a fixed one %.2f, then %.2f\n",
        least, most_beside, fixed[0], fixed[1]);
    assert_true(least > 0.995);
    assert_true(most_beside < 0.6);
    assert_true(fixed[0] > 0.8 && fixed[1] < 0.6);
}

/* To the last bit, whatever the block. */
static void blocks_do_not_change_beams(void **unused)
{
    static const int blocks[] = {131072, 32768, 65536};
    capture out[3][2];
    (void)unused;
    memset(out, 0, sizeof out);
    for (int64_t n = 0; n < few_or_all(2, 3); n++) {
        char text[4096];
        snprintf(text, sizeof text, BEAMS, 131072, start_of(7),
                 "\"radec\": [[299.9, 40.7], [300, 41]]", blocks[n]);
        if (!run(out[n], 2, text)) skip();
        assert_int_equal(out[n][0].samples, 2048);
        assert_memory_equal(out[n][0].value, out[0][0].value,
                            sizeof(double) * 2 * (size_t)(2048 * out[0][0].count));
    }
    for (int n = 0; n < 6; n++)
        capture_free(&out[n / 2][n % 2]);
}

/* Directions take the observation's stations as they take the same places in "positions". */
static void directions_take_the_observation(void **unused)
{
    static const char *const given[] = {
        "\"directions\": [[40, 60], {\"az\": 41, \"el\": 60}, [0, 0.6, 0.8]]",
        "\"weights\": [[202.33, 77.12]]",
        "\"directions\": [[[40, 60], [41, 60]], [[10, 20], [10, 22]]], \"step_s\": 0.05"};
    static const double station[2][3] = {{3826577.462, 461022.624, 5064892.526},
                                         {3763677.462, 519022.624, 5116892.526}};
    double at[2][3];
    (void)unused;
    for (int s = 0; s < 2; s++)
        ct_earth_local(station[0], station[s], at[s]);
    for (int n = 0; n < 3; n++) {
        capture out[2];
        char text[4096];
        snprintf(text, sizeof text, PLACES, given[n], given[n], at[0][0], at[0][1], at[0][2],
                 at[1][0], at[1][1], at[1][2]);
        if (!run(out, 2, text)) skip();
        assert_true(hypot(at[1][0], at[1][1]) > 5e4 && out[0].samples > 100);
        assert_int_equal(out[0].samples, out[1].samples);
        assert_memory_equal(out[0].value, out[1].value,
                            sizeof(double) * 2 * (size_t)(out[0].samples * out[0].count));
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
}

/* Of both stations: 1 where they receive the same. */
static ct_complex coherence(const capture *from, int64_t channel)
{
    const ct_complex cross = capture_at(from, 0, (16 + channel) * 4);
    const double first = capture_at(from, 0, channel * 4).re;
    const double second = capture_at(from, 0, (32 + channel) * 4).re;
    const double scale = 1 / sqrt(first * second);
    return (ct_complex){scale * cross.re, scale * cross.im};
}

static void whole_samples_keep_noise_coherent(void **unused)
{
    double worst = 0, least = 2, lost = 2;
    (void)unused;
    for (int moment = 0; moment < MOMENTS; moment += 6) {
        capture out[2];
        char text[4096];
        snprintf(text, sizeof text, NOISE, start_of(moment));
        if (!run(out, 2, text)) skip();
        for (int64_t c = 1; c < 16; c++) {
            const ct_complex still = coherence(&out[0], c), apart = coherence(&out[1], c);
            worst = fmax(worst, fabs(degrees(still)));
            least = fmin(least, hypot(still.re, still.im));
            lost = fmin(lost, hypot(apart.re, apart.im));
        }
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
    print_message("noise is off by %.2f degrees, %.4f coherent; without whole samples %.2f\n",
                  worst, least, lost);
    assert_true(worst < 1);
    assert_true(least > 0.99);
    assert_true(lost < 0.5);
}

/* To the last bit, whatever the block; and there was something to shift. */
static void blocks_do_not_change_shifts(void **unused)
{
    static const int blocks[] = {4900, 97, 1000};
    capture out[3];
    (void)unused;
    memset(out, 0, sizeof out);
    for (int64_t n = 0; n < few_or_all(2, 3); n++) {
        char text[4096];
        snprintf(text, sizeof text, SHIFTS, blocks[n]);
        if (!run(&out[n], 1, text)) skip();
        assert_int_equal(out[n].samples, 4900);
        assert_memory_equal(out[n].value, out[0].value,
                            sizeof(double) * 2 * (size_t)(4900 * out[0].count));
    }
    assert_true(out[0].meta.start_s < 0);
    for (int n = 0; n < 3; n++)
        capture_free(&out[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fringes_stay_for_six_hours),
                                       cmocka_unit_test(beams_keep_a_source),
                                       cmocka_unit_test(blocks_do_not_change_beams),
                                       cmocka_unit_test(directions_take_the_observation),
                                       cmocka_unit_test(whole_samples_keep_noise_coherent),
                                       cmocka_unit_test(blocks_do_not_change_shifts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
