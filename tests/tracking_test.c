/* tracking_test.c: a source on the sky, beneath which the Earth rotates, stays where stages look
 * for six hours: twenty moments, each a run of its own that begins later. Room: tests. Order of the
 * parts: pipelines, fringes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"

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
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"moving\", \"file\": \"b.npy\" } } }\n"
/* clang-format on */

static double start_of(int moment)
{
    return 59759.0625 + 0.25 * moment / (MOMENTS - 1);
}

/* Whether this build can: without ERFA a sentence says so, and there is nothing to try. */
static bool run(capture out[2], const char *text)
{
    static const char *const sinks[] = {"a", "b", NULL};
    ct_error err = {0};
    memset(out, 0, 2 * sizeof *out);
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

/* With the directions of the simulator between knots of its own: what is left is what straight
 * lines between knots leave. */
static void fringes_stay_for_six_hours(void **unused)
{
    double worst = 0, most = 0;
    (void)unused;
    for (int moment = 0; moment < MOMENTS; moment++) {
        capture out[2];
        char text[4096];
        snprintf(text, sizeof text, FRINGES, start_of(moment));
        if (!run(out, text)) skip();
        const ct_complex still = fringe(&out[0], 37), moving = fringe(&out[1], 37);
        assert_true(hypot(still.re, still.im) > 1);
        worst = fmax(worst, fabs(degrees(still)));
        most = fmax(most, fabs(degrees(moving)));
        capture_free(&out[0]);
        capture_free(&out[1]);
    }
    print_message("fringes are off by %.4f degrees, without delays by %.0f\n", worst, most);
    assert_true(worst < 0.1);
    assert_true(most > 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fringes_stay_for_six_hours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
