/* knots_test.c: delays and shifts, whose lines go from knot to knot of the stream, whatever the
 * block: one sample, fewer than lie between two knots, or many lines in one block. All samples
 * against the definition in double precision, all blocks to the last bit. Room: tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "exhaustive.h"

#define TWO_PI 6.283185307179586477
#define SAMPLE_S (1 / 1024.0) /* the last sample lies at the very last row of `cases` */
enum { STATIONS = 2, POLS = 2, SAMPLES = 601, CHANNELS = 3 };

static const double hz[CHANNELS] = {150e6, 150.3e6, 151.7e6};
static float x[STATIONS][POLS][SAMPLES][CHANNELS][2];

/* Rows of delays so many samples apart: fewer than one, some, more than the stream has. */
static const struct {
    double apart;
    int rows;
} cases[] = {{50, 13}, {0.3, 2001}, {100000, 2}};

static double row_of(int s, int row)
{
    return sin(1 + 5 * s + 0.7 * row);
}

/* In units of the largest delay, straight between rows. */
static double delay_at(int s, double row)
{
    const int first = (int)floor(row);
    return row_of(s, first) + (row - first) * (row_of(s, first + 1) - row_of(s, first));
}

#define LONGEST_S 1e-6           /* of `delay` */
#define SHIFT_S (9.5 * SAMPLE_S) /* of `shift` */

/* ---- the definition */

static void check_delayed(const capture *is, double apart)
{
    assert_int_equal(is->samples, SAMPLES);
    assert_int_equal(is->count, STATIONS * POLS * CHANNELS);
    for (int t = 0; t < SAMPLES; t++)
        for (int n = 0; n < is->count; n++) {
            const int s = n / CHANNELS / POLS, p = n / CHANNELS % POLS, c = n % CHANNELS;
            const double cycles = hz[c] * LONGEST_S * delay_at(s, t / apart);
            const double re = cos(TWO_PI * cycles), im = sin(TWO_PI * cycles);
            const float *v = x[s][p][t][c];
            const ct_complex found = capture_at(is, t, n);
            if (!(hypot(found.re - re * v[0] + im * v[1], found.im - re * v[1] - im * v[0]) < 2e-5))
                fail_msg("rows %g samples apart: sample %d, element %d is %g%+gi", apart, t, n,
                         found.re, found.im);
        }
}

/* Between two knots whole samples are those of the middle. The output begins with samples from
 * before the stream. */
static void check_shifted(const capture *is, double apart)
{
    const int most = (int)lround(-is->meta.start_s / SAMPLE_S);
    assert_int_equal(is->samples, SAMPLES);
    for (int t = 0; t < SAMPLES; t++)
        for (int n = 0; n < is->count; n++) {
            const int s = n / CHANNELS / POLS, p = n / CHANNELS % POLS, c = n % CHANNELS;
            const double middle = floor((t - most) / apart) + 0.5;
            const double whole = SHIFT_S / SAMPLE_S * delay_at(s, middle);
            const int from = t - most + (int)lround(whole);
            const ct_complex found = capture_at(is, t, n);
            const bool inside = from >= 0 && from < SAMPLES;
            if (middle < 0) continue; /* on the first row's line */
            if (found.re != (inside ? x[s][p][from][c][0] : 0) ||
                found.im != (inside ? x[s][p][from][c][1] : 0))
                fail_msg("rows %g samples apart: sample %d, element %d is %g%+gi", apart, t, n,
                         found.re, found.im);
        }
}

/* ---- pipelines */

static void add_delays(char *text, size_t size, int which, double scale_s)
{
    size_t used = (size_t)snprintf(text, size, "\"step_s\": %.17g, \"delays\": [",
                                   cases[which].apart * SAMPLE_S);
    for (int s = 0; s < STATIONS; s++)
        for (int row = 0; row < cases[which].rows; row++)
            used += (size_t)snprintf(text + used, size - used, "%s%.17g",
                                     row ? ", "
                                     : s ? "], ["
                                         : "[",
                                     scale_s * row_of(s, row));
    snprintf(text + used, size - used, "]]");
}

static void run(const char *file, int which, int block, capture out[2])
{
    static const char *const sinks[] = {"a", "b", NULL};
    enum { ROOM = 1 << 17 };
    char *delays = malloc(ROOM), *shifts = malloc(ROOM), *text = malloc(3 * ROOM);
    ct_error err = {0};
    if (!delays || !shifts || !text) abort();
    add_delays(delays, ROOM, which, LONGEST_S);
    add_delays(shifts, ROOM, which, SHIFT_S);
    snprintf(
        text, 3 * (size_t)ROOM,
        "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"source.raw\", \"file\": \"%s\","
        "\"dims\": \"SPTC\", \"sizes\": {\"S\": %d, \"P\": %d, \"T\": %d, \"C\": %d}, \"type\": "
        "\"cf32\", \"sample_time_s\": %.17g, \"start_s\": 0,"
        "\"frequency_hz\": [%.17g, %.17g, %.17g]},"
        "\"delay\": {\"stage\": \"delay\", \"input\": \"in\", %s},"
        "\"shift\": {\"stage\": \"shift\", \"input\": \"in\", %s},"
        "\"a\": {\"stage\": \"sink.raw\", \"input\": \"delay\", \"file\": \"a.raw\"},"
        "\"b\": {\"stage\": \"sink.raw\", \"input\": \"shift\", \"file\": \"b.raw\"}},"
        "\"block\": {\"T\": %d}}",
        file, STATIONS, POLS, SAMPLES, CHANNELS, SAMPLE_S, hz[0], hz[1], hz[2], delays, shifts,
        block);
    memset(out, 0, 2 * sizeof *out);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("block %d: %s", block, err.text);
    free(delays);
    free(shifts);
    free(text);
}

static void fill(char *file)
{
    uint64_t seed = 11;
    float *value = &x[0][0][0][0][0];
    FILE *made = fdopen(mkstemp(file), "wb");
    for (size_t n = 0; n < sizeof x / sizeof *value; n++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value[n] = (float)((double)(seed >> 11) / 9007199254740992.0 - 0.5);
    }
    assert_non_null(made);
    assert_int_equal(fwrite(x, sizeof x, 1, made), 1);
    fclose(made);
}

static void blocks_change_nothing(void **unused)
{
    static const int blocks[] = {601, 7, 1, 64, 11, 97, 600};
    char file[] = "/tmp/ct_knots_XXXXXX";
    (void)unused;
    fill(file);
    for (int n = 0; n < (int)(sizeof cases / sizeof *cases); n++) {
        capture first[2], out[2];
        run(file, n, blocks[0], first);
        check_delayed(&first[0], cases[n].apart);
        check_shifted(&first[1], cases[n].apart);
        for (int b = 1; b < few_or_all(3, 7); b++) {
            run(file, n, blocks[b], out);
            for (int k = 0; k < 2; k++) {
                assert_int_equal(out[k].samples, SAMPLES);
                assert_memory_equal(out[k].value, first[k].value,
                                    sizeof(double) * 2 * (size_t)(SAMPLES * first[k].count));
                capture_free(&out[k]);
            }
        }
        capture_free(&first[0]);
        capture_free(&first[1]);
    }
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
