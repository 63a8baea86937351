/* segments_test.c: beams that move have the weights of the stream's segments, whatever the block:
 * all samples against the definition in double precision, and all blocks to the last bit; beams,
 * and the powers of beams that are detected in the same pass. Blocks are 32 times an odd number, so
 * that segments end inside them, or segments are longer than they are. Room: tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "exhaustive.h"

#define TWO_PI 6.283185307179586477
#define LIGHT_M_S 299792458.0
#define SAMPLE_S 1e-3
#define START_S 0.25
enum { STATIONS = 3, POLS = 2, SAMPLES = 5003, CHANNELS = 5, BEAMS = 3, ROWS = 2, INTEGRATE = 4 };

/* The first is where distances count from. */
static const double position[STATIONS][3] = {{0, 0, 0}, {31, -7, 0.5}, {-1200, 4000, 1}};
/* Azimuth and elevation, degrees; the first beam moves farthest from row to row. */
static const double direction[BEAMS][ROWS][2] = {
    {{0, 80}, {2, 60}}, {{40, 60}, {41, 61}}, {{200, 33}, {202, 32}}};
static const double hz[CHANNELS] = {150e6, 150.3e6, 151e6, 151.1e6, 152e6};

static float x[STATIONS][POLS][SAMPLES][CHANNELS][2];

static void fill(void)
{
    uint64_t seed = 11;
    float *value = &x[0][0][0][0][0];
    for (size_t n = 0; n < sizeof x / sizeof *value; n++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value[n] = (float)((double)(seed >> 11) / 9007199254740992.0 - 0.5);
    }
}

/* ---- the definition */

static void unit(const double at[2], double out[3])
{
    const double az = at[0] * TWO_PI / 360, el = at[1] * TWO_PI / 360;
    out[0] = sin(az) * cos(el);
    out[1] = cos(az) * cos(el);
    out[2] = sin(el);
}

/* So many seconds between rows that a phase moves by 0.7 of what one segment may have. */
static double row_step_s(int segment)
{
    double u[2][3], far_s = 0;
    unit(direction[0][0], u[0]);
    unit(direction[0][1], u[1]);
    for (int k = 0; k < 3; k++)
        far_s += position[2][k] * position[2][k];
    far_s = sqrt(far_s) / LIGHT_M_S;
    const double apart = hypot(hypot(u[1][0] - u[0][0], u[1][1] - u[0][1]), u[1][2] - u[0][2]);
    const double most_cycles = 0.7 * 6 / 360;
    return apart * far_s * hz[CHANNELS - 1] * SAMPLE_S * segment / most_cycles;
}

/* Of a station, for a wave that the beam looks at in the middle of this sample's segment. */
static double tau_s(int b, int s, int64_t t, int segment, double step_s)
{
    const double middle = ((double)(t / segment) + 0.5) * segment - 0.5;
    const double at = (START_S + middle * SAMPLE_S) / step_s;
    double from[3], to[3], dot = 0, length = 0;
    unit(direction[b][0], from);
    unit(direction[b][1], to);
    for (int k = 0; k < 3; k++) {
        const double u = from[k] + at * (to[k] - from[k]);
        dot += u * position[s][k];
        length += u * u;
    }
    return -dot / sqrt(length) / LIGHT_M_S;
}

static ct_complex beam(const double tau[STATIONS], int p, int64_t t, int c)
{
    ct_complex sum = {0, 0};
    for (int s = 0; s < STATIONS; s++) {
        const double re = cos(TWO_PI * hz[c] * tau[s]), im = sin(TWO_PI * hz[c] * tau[s]);
        const float *v = x[s][p][t][c];
        sum.re += re * v[0] - im * v[1];
        sum.im += re * v[1] + im * v[0];
    }
    return sum;
}

/* Both outputs of one sample: B, P and C of the first; B and C of the second. */
static void check_sample(const capture out[2], int64_t t, int segment, double powers[])
{
    const double step_s = row_step_s(segment);
    for (int b = 0; b < BEAMS; b++) {
        double tau[STATIONS];
        for (int s = 0; s < STATIONS; s++)
            tau[s] = tau_s(b, s, t, segment, step_s);
        for (int n = 0; n < POLS * CHANNELS; n++) {
            const int p = n / CHANNELS, c = n % CHANNELS;
            const ct_complex is = capture_at(&out[0], t, (b * POLS + p) * CHANNELS + c);
            const ct_complex right = beam(tau, p, t, c);
            if (!(hypot(is.re - right.re, is.im - right.im) < 5e-6))
                fail_msg("segments of %d: beam %d, polarization %d, sample %lld, channel %d is "
                         "%g%+gi instead of %g%+gi",
                         segment, b, p, (long long)t, c, is.re, is.im, right.re, right.im);
            powers[b * CHANNELS + c] += right.re * right.re + right.im * right.im;
        }
    }
}

static void check_definition(const capture out[2], int segment)
{
    assert_int_equal(out[0].count, BEAMS * POLS * CHANNELS);
    assert_int_equal(out[1].count, BEAMS * CHANNELS);
    assert_int_equal(out[0].samples, SAMPLES);
    assert_int_equal(out[1].samples, SAMPLES / INTEGRATE);
    double powers[BEAMS * CHANNELS] = {0};
    for (int64_t t = 0; t < SAMPLES; t++) {
        check_sample(out, t, segment, powers);
        if (t % INTEGRATE < INTEGRATE - 1) continue;
        for (int n = 0; n < BEAMS * CHANNELS; n++)
            if (!(fabs(capture_at(&out[1], t / INTEGRATE, n).re - powers[n]) < 5e-5))
                fail_msg("segments of %d: power %d of sample %lld is %g instead of %g", segment, n,
                         (long long)(t / INTEGRATE), capture_at(&out[1], t / INTEGRATE, n).re,
                         powers[n]);
        memset(powers, 0, sizeof powers);
    }
}

/* ---- pipelines */

static void add_geometry(char *text, size_t size, int segment)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "\"step_s\": %.17g, \"positions\": [",
                             row_step_s(segment));
    for (int s = 0; s < STATIONS; s++)
        used += (size_t)snprintf(text + used, size - used, "%s[%.17g, %.17g, %.17g]", s ? ", " : "",
                                 position[s][0], position[s][1], position[s][2]);
    used += (size_t)snprintf(text + used, size - used, "], \"directions\": [");
    for (int n = 0; n < BEAMS * ROWS; n++)
        used += (size_t)snprintf(text + used, size - used, "%s[%.17g, %.17g]%s",
                                 n % ROWS ? ", "
                                 : n      ? ", ["
                                          : "[",
                                 direction[n / ROWS][n % ROWS][0], direction[n / ROWS][n % ROWS][1],
                                 n % ROWS == ROWS - 1 ? "]" : "");
    snprintf(text + used, size - used, "]");
}

/* How the beam former works: on its own default, or as GPUs do. */
static const char *const pinned[] = {
    "", ", \"tunables\": {\"VECTOR_TP\": 2, \"VECTORS_TP\": 4, \"CELL_B\": 3, \"TILE_T\": 32, "
        "\"TILES_T\": 1, \"CELLS_B\": 8, \"WRITES_B\": 1, \"TILE_C\": 1, \"WRITE_C\": 1, "
        "\"PARTS_T\": 1, \"TILE_S\": 8, \"WG\": 64, \"NONTEMPORAL\": 0, \"PREFETCH\": 0}"};

static void run(const char *file, int segment, int block, const char *how, capture out[2])
{
    static const char *const sinks[] = {"a", "b", NULL};
    char text[8192], geometry[2048] = "";
    ct_error err = {0};
    add_geometry(geometry, sizeof geometry, segment);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"source.raw\", \"file\": \"%s\","
             "\"dims\": \"SPTC\", \"sizes\": {\"S\": 3, \"P\": 2, \"T\": %d, \"C\": 5}, \"type\": "
             "\"cf32\", \"sample_time_s\": %.17g, \"start_s\": %.17g,"
             "\"frequency_hz\": [%.17g, %.17g, %.17g, %.17g, %.17g]},"
             "\"beams\": {\"stage\": \"beamformer\", \"input\": \"in\", %s%s},"
             "\"others\": {\"stage\": \"beamformer\", \"input\": \"in\", %s},"
             "\"powers\": {\"stage\": \"detect\", \"input\": \"others\", \"fuse\": true,"
             "\"integrate\": %d%s},"
             "\"a\": {\"stage\": \"sink.raw\", \"input\": \"beams\", \"file\": \"a.raw\"},"
             "\"b\": {\"stage\": \"sink.raw\", \"input\": \"powers\", \"file\": \"b.raw\"}},"
             "\"block\": {\"T\": %d}}",
             file, SAMPLES, SAMPLE_S, START_S, hz[0], hz[1], hz[2], hz[3], hz[4], geometry, how,
             geometry, INTEGRATE, how, block);
    memset(out, 0, 2 * sizeof *out);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
}

static void check_same(const capture *is, const capture *as, int segment, int block)
{
    assert_int_equal(is->samples, as->samples);
    const size_t bytes = sizeof *is->value * 2 * (size_t)(is->samples * is->count);
    if (memcmp(is->value, as->value, bytes) != 0)
        fail_msg("segments of %d: blocks of %d change beams", segment, block);
}

/* The first block has whole segments of all sizes but the largest. */
static void segments_do_not_depend_on_blocks(void **unused)
{
    static const int segments[] = {64, 4096, 512, 32};
    static const int blocks[] = {5120, 96, 1056, 32, 352, 5024, 2048};
    char file[] = "/tmp/ct_segments_XXXXXX";
    FILE *made = fdopen(mkstemp(file), "wb");
    (void)unused;
    fill();
    assert_non_null(made);
    assert_int_equal(fwrite(x, sizeof x, 1, made), 1);
    fclose(made);
    for (int s = 0; s < few_or_all(2, 4); s++) {
        capture first[2], out[2];
        run(file, segments[s], blocks[0], "", first);
        check_definition(first, segments[s]);
        for (int b = 1; b < few_or_all(3, 7); b++) {
            run(file, segments[s], blocks[b], pinned[b % 2], out);
            if (b % 2) check_definition(out, segments[s]);
            for (int n = 0; n < 2; n++) {
                if (b % 2 == 0) check_same(&out[n], &first[n], segments[s], blocks[b]);
                capture_free(&out[n]);
            }
        }
        capture_free(&first[0]);
        capture_free(&first[1]);
    }
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(segments_do_not_depend_on_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
