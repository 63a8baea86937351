/* flags_groups_test.c: flags of groups of channels, as lanes lose them: through windows, sums,
 * stages that leave out what is flagged, masks of channels that a stage gives or a pipeline brings,
 * and stages that know stations only; in blocks of several sizes and any layouts, against plain
 * loops over the whole stream. What is flagged holds numbers that would show. Room: tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "exhaustive.h"
#include "flags_groups.h"

/* ---- the same in plain loops */

typedef bool (*mask)(int64_t s, int64_t t, int64_t c);

static bool in_any_channel(int64_t s, int64_t t, int64_t c)
{
    bool any = false;
    (void)c;
    for (int64_t k = 0; k < CHANNELS; k++)
        any = any || is_missing(s, t, k);
    return any;
}

static bool is_either(int64_t s, int64_t t, int64_t c)
{
    return is_missing(s, t, c) || is_loud(s, t, c);
}

/* Of the samples that output t needs; those before the stream are flagged. */
static int64_t flagged(mask in, int64_t s, int64_t t, int64_t c, int64_t sum, int64_t overlap)
{
    int64_t count = 0;
    for (int64_t k = t * sum - overlap; k < (t + 1) * sum; k++)
        count += k < 0 || in(s, k, c);
    return count;
}

static double total(mask out, int64_t s, int64_t t, int64_t c, int64_t sum)
{
    double all = 0;
    for (int64_t k = t * sum; k < (t + 1) * sum; k++)
        all += out(s, k, c) ? 0 : value(s, k, c);
    return all;
}

/* ---- running */

typedef double (*expectation)(int64_t s, int64_t t, int64_t c);

static void check(const capture *found, int64_t samples, int64_t stations, int64_t channels,
                  expectation expected, const char *what)
{
    assert_int_equal(found->samples, samples);
    assert_int_equal(found->count, stations * channels);
    for (int64_t t = 0; t < samples; t++)
        for (int64_t i = 0; i < found->count; i++) {
            const double wanted = expected(i / channels, t, i % channels);
            const double got = capture_at(found, t, i).re;
            if (got != wanted)
                fail_msg("%s: sample %d of station %d, channel %d: found %g, expected %g", what,
                         (int)t, (int)(i / channels), (int)(i % channels), got, wanted);
        }
}

/* In small blocks and large ones, which have a plan at random. */
static void check_all(flags_session *s, const char *nodes, const int64_t samples[2],
                      const int64_t stations[2], const int64_t channels[2],
                      const expectation expected[2])
{
    static const int blocks[] = {12, 240};
    for (int64_t i = 0; i < few_or_all(1, 2); i++) {
        capture out[2];
        char what[64];
        flags_run(s, nodes, blocks[i], i, out);
        for (int k = 0; k < 2; k++) {
            snprintf(what, sizeof what, "blocks of %d, sink %d", blocks[i], k);
            check(&out[k], samples[k], stations[k], channels[k], expected[k], what);
            capture_free(&out[k]);
        }
    }
}

#define NODE(name, stage, of, more)                                                                \
    "\"" name "\": {\"stage\": \"test." stage "\", \"input\": " of more "},"
#define DATA "\"data\": {\"stage\": \"test.data\"},"
#define BOTH(n) ((const int64_t[]){n, n})

/* ---- tests */

static double in_windows(int64_t s, int64_t t, int64_t c)
{
    return (double)flagged(is_missing, s, t, c, 2, 3);
}

static double of_stations(int64_t s, int64_t t, int64_t c)
{
    return in_any_channel(s, t, c);
}

static void groups_and_stations(void **state)
{
    check_all(*state,
              DATA NODE("a", "count", "\"data\"", ", \"sum\": 2, \"overlap\": 3")
                  NODE("b", "old", "\"data\"", "") FLAGS_SINKS("a", "b"),
              (const int64_t[]){SAMPLES / 2, SAMPLES}, BOTH(STATIONS), BOTH(CHANNELS),
              (const expectation[]){in_windows, of_stations});
}

static double sums_of_4(int64_t s, int64_t t, int64_t c)
{
    return total(is_missing, s, t, c, 6);
}

/* 1 where nothing was left, 4 where a part was: told apart by what counts. */
static double parts_of_sums(int64_t s, int64_t t, int64_t c)
{
    const int64_t lost = flagged(is_missing, s, t, c, 6, 0);
    return lost > 0 && lost < 6;
}

/* An integration of 24 is several blocks of 12. */
static double whole_sums(int64_t s, int64_t t, int64_t c)
{
    return total(is_missing, s, t, c, 24);
}

static double parts_of_whole_sums(int64_t s, int64_t t, int64_t c)
{
    const int64_t lost = flagged(is_missing, s, t, c, 24, 0);
    return lost > 0 && lost < 24;
}

static void sums_leave_out(void **state)
{
    check_all(*state,
              DATA NODE("a", "sum", "\"data\"", ", \"sum\": 6")
                  NODE("b", "count", "\"a\"", ", \"bits\": 4") FLAGS_SINKS("a", "b"),
              BOTH(SAMPLES / 6), BOTH(STATIONS), BOTH(CHANNELS),
              (const expectation[]){sums_of_4, parts_of_sums});
    check_all(*state,
              DATA NODE("a", "sum", "\"data\"", ", \"sum\": 24")
                  NODE("b", "count", "\"a\"", ", \"bits\": 4") FLAGS_SINKS("a", "b"),
              BOTH(SAMPLES / 24), BOTH(STATIONS), BOTH(CHANNELS),
              (const expectation[]){whole_sums, parts_of_whole_sums});
}

static double beams(int64_t s, int64_t t, int64_t c)
{
    double all = 0;
    for (s = 0; s < STATIONS; s++)
        all += is_either(s, t, c) ? 0 : value(s, t, c);
    return all;
}

static double in_all_stations(int64_t s, int64_t t, int64_t c)
{
    bool all = true;
    for (s = 0; s < STATIONS; s++)
        all = all && is_either(s, t, c);
    return all;
}

static void beams_leave_out_what_a_stage_finds(void **state)
{
    check_all(*state,
              DATA NODE("find", "find", "\"data\"", "") NODE("beam", "beam", "\"find\"", "")
                  NODE("b", "count", "\"beam\"", "") FLAGS_SINKS("beam", "b"),
              BOTH(SAMPLES), BOTH(1), BOTH(CHANNELS),
              (const expectation[]){beams, in_all_stations});
}

static double either_in_windows(int64_t s, int64_t t, int64_t c)
{
    return (double)flagged(is_either, s, t, c, 1, 2);
}

static double behind_windows(int64_t s, int64_t t, int64_t c)
{
    int64_t count = 0;
    for (int64_t k = 3 * t; k < 3 * t + 3; k++)
        count += flagged(is_either, s, k, c, 1, 2) > 0;
    return (double)count;
}

static void masks_of_channels_by_hand(void **state)
{
    check_all(*state,
              DATA "\"mask\": {\"stage\": \"test.mask\"}," NODE(
                  "a", "count", "{\"X\": \"data\", \"M\": \"mask\"}", ", \"overlap\": 2")
                  NODE("b", "count", "\"a\"", ", \"sum\": 3") FLAGS_SINKS("a", "b"),
              (const int64_t[]){SAMPLES, SAMPLES / 3}, BOTH(STATIONS), BOTH(CHANNELS),
              (const expectation[]){either_in_windows, behind_windows});
}

static double series(int64_t s, int64_t t, int64_t c)
{
    double all = 0;
    for (c = 0; c < CHANNELS; c++)
        all += is_missing(s, t, c) ? 0 : value(s, t, c);
    return all;
}

static double parts_of_series(int64_t s, int64_t t, int64_t c)
{
    int64_t lost = 0;
    for (c = 0; c < CHANNELS; c++)
        lost += is_missing(s, t, c);
    return lost > 0 && lost < CHANNELS;
}

static void sums_of_channels(void **state)
{
    check_all(*state,
              DATA NODE("a", "series", "\"data\"", "") NODE("b", "count", "\"a\"", ", \"bits\": 4")
                  FLAGS_SINKS("a", "b"),
              BOTH(SAMPLES), BOTH(STATIONS), BOTH(1),
              (const expectation[]){series, parts_of_series});
}

FLAGS_SESSION

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_stations),
        cmocka_unit_test(sums_leave_out),
        cmocka_unit_test(beams_leave_out_what_a_stage_finds),
        cmocka_unit_test(masks_of_channels_by_hand),
        cmocka_unit_test(sums_of_channels),
    };
    return cmocka_run_group_tests(tests, open_session, flags_close);
}
