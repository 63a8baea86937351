/* calibrated_test.c: gains in whole pipelines: visibilities have what a calibration says of them,
 * and lose it by the same file; what is flagged is not counted; no block changes a bit. Room:
 * tests. Order of the parts: pipelines, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "exhaustive.h"
#include "h5parm_write.h"

enum { STATIONS = 3, CHANNELS = 16 };
#define START_MJD 59759.0625
#define SAMPLE_S 8.192e-05 /* of a spectrum */

/* clang-format off */
#define OBSERVED "\"observation\": { \"names\": [\"CS001\", \"CS002\", \"RS106\"] },\n"
/* %d: samples; then what stands between. */
#define SKY \
    "  \"sky\": { \"stage\": \"source.simulate\", \"samples\": %d, \"type\": \"cf32\", \"start_mjd\": 59759.0625,\n" \
    "    \"stations\": [[0, 0, 0], [31, -7, 1], [-120, 40, 0]] },\n" \
    "  \"ppf\": { \"stage\": \"ppf\", \"input\": \"sky\", \"channels\": 16, \"taps\": 4 },\n"

/* %s: gains that stations have, by channel; the file of a calibration. */
#define LOOP \
    "{ \"cornerturn\": 1, " OBSERVED " \"nodes\": {\n" SKY \
    "  \"has\": { \"stage\": \"delay\", \"input\": \"ppf\", \"delays\": [[0], [0], [0]], \"gains\": %s },\n" \
    "  \"cal\": { \"stage\": \"delay\", \"input\": \"has\", \"delays\": [[0], [0], [0]],\n" \
    "    \"gains\": { \"file\": \"%s\", \"soltabs\": [\"amplitude000\", \"phase000\"] } },\n" \
    "  \"v0\": { \"stage\": \"correlator\", \"input\": \"ppf\", \"integrate\": 64 },\n" \
    "  \"v1\": { \"stage\": \"correlator\", \"input\": \"has\", \"integrate\": 64 },\n" \
    "  \"v2\": { \"stage\": \"correlator\", \"input\": \"cal\", \"integrate\": 64 },\n" \
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"v0\", \"file\": \"a.npy\" },\n" \
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"v1\", \"file\": \"b.npy\" },\n" \
    "  \"c\": { \"stage\": \"sink.npy\", \"input\": \"v2\", \"file\": \"c.npy\" } } }\n"

/* %s: gains; %d: a block. */
#define BLOCKS \
    "{ \"cornerturn\": 1, " OBSERVED " \"nodes\": {\n" SKY \
    "  \"cal\": { \"stage\": \"delay\", \"input\": \"ppf\", \"step_s\": 0.011, \"gains\": %s,\n" \
    "    \"delays\": [[0, 1e-7, 2e-7, 5e-7, 9e-7], [1e-6, 0, 0, 1e-6, 1e-6], [0, 0, 0, 0, 0]] },\n" \
    "  \"vis\": { \"stage\": \"correlator\", \"input\": \"cal\", \"integrate\": 16 },\n" \
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"cal\", \"file\": \"a.npy\" },\n" \
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"vis.COUNTS\", \"file\": \"b.npy\" } },\n" \
    "  \"block\": { \"T\": %d } }\n"
/* clang-format on */

static void run(capture *out, int count, const char *text)
{
    static const char *const names[] = {"a", "b", "c"};
    const char *sinks[4] = {NULL};
    ct_error err = {0};
    memcpy(sinks, names, sizeof *names * (size_t)count);
    memset(out, 0, sizeof *out * (size_t)count);
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
}

#ifdef CT_HAVE_HDF5
/* Of polarizations X, Y, or of XX, XY, YX, YY, whose mixed ones are smaller. */
static double amplitude(int s, int p, int c, int pols)
{
    const double is = 1 + 0.2 * s + 0.3 * p + 0.03 * c;
    return pols == 4 && (p == 1 || p == 2) ? 0.3 * is : is;
}

static double phase(int s, int p, int c)
{
    return 1.1 * s - 0.7 * p + 0.9 * c;
}

/* "amplitude" and "phase" as lists of [station][polarization][channel]; `sign` of the phases. */
static void print_gains(char *out, size_t size, int pols, double sign)
{
    size_t used = (size_t)snprintf(out, size, "{\"invert\": false");
    for (int q = 0; q < 2; q++)
        for (int n = 0; n < STATIONS * pols * CHANNELS; n++) {
            const int c = n % CHANNELS, p = n / CHANNELS % pols, s = n / CHANNELS / pols;
            const bool row = c == CHANNELS - 1, table = row && p == pols - 1;
            if (n == 0)
                used += (size_t)snprintf(out + used, size - used, ", \"%s\": [",
                                         q ? "phase" : "amplitude");
            used += (size_t)snprintf(
                out + used, size - used, "%s%s%.17g%s%s%s", c == 0 && p == 0 ? "[" : "",
                c == 0 ? "[" : "", q ? sign * phase(s, p, c) : amplitude(s, p, c, pols),
                row ? "]" : "", table ? "]" : "", table && s == STATIONS - 1 ? "]" : ",");
        }
    snprintf(out + used, size - used, "}");
}

static void put(const char *path, const double *hz, int pols)
{
    static double value[2][CHANNELS * STATIONS * 4];
    static const char *const ants[] = {"RS106", "CS001", "CS002", NULL};
    static const char *const two[] = {"XX", "YY", NULL};
    static const char *const four[] = {"XX", "XY", "YX", "YY", NULL};
    static const char *const names[] = {"amplitude", "phase"}, *const tabs[] = {"amplitude000",
                                                                                "phase000"};
    h5parm_table tables[2];
    for (int n = 0; n < CHANNELS * STATIONS * pols; n++) {
        const int p = n % pols, s = (n / pols % STATIONS + 2) % STATIONS, c = n / pols / STATIONS;
        value[0][n] = amplitude(s, p, c, pols);
        value[1][n] = phase(s, p, c);
    }
    for (int n = 0; n < 2; n++)
        tables[n] = (h5parm_table){.solset = "sol000",
                                   .soltab = tabs[n],
                                   .title = names[n],
                                   .axes = "freq,ant,pol",
                                   .rank = 3,
                                   .extent = {CHANNELS, STATIONS, (hsize_t)pols},
                                   .value = value[n],
                                   .freq = hz,
                                   .ant = ants,
                                   .pol = pols == 2 ? two : four};
    h5parm_write(path, tables, 2);
}

/* Products of the l-th baseline and channel, as the correlator writes them: L, C, Q. */
static ct_complex product(const capture *from, int64_t t, int l, int c, int q)
{
    return capture_at(from, t, (l * CHANNELS + c) * 4 + q);
}

static ct_complex times(ct_complex a, ct_complex b)
{
    return (ct_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* J of a station: element [a][k], 0 beside the diagonal where there are two polarizations. */
static ct_complex element(int s, int a, int k, int c, int pols)
{
    const int p = pols == 2 ? a : 2 * a + k;
    if (pols == 2 && a != k) return (ct_complex){0, 0};
    return (ct_complex){amplitude(s, p, c, pols) * cos(phase(s, p, c)),
                        amplitude(s, p, c, pols) * sin(phase(s, p, c))};
}

/* (J_i M_ij J_j^H)[a][b] */
static ct_complex formula(const capture *model, int l, int c, int q, int pols)
{
    const int j = l < 1 ? 0 : l < 3 ? 1 : 2, i = l - j * (j + 1) / 2;
    ct_complex sum = {0, 0};
    for (int m = 0; m < 4; m++) {
        ct_complex right = element(j, q % 2, m % 2, c, pols);
        right.im = -right.im;
        const ct_complex is =
            times(times(element(i, q / 2, m / 2, c, pols), product(model, 1, l, c, m)), right);
        sum.re += is.re;
        sum.im += is.im;
    }
    return sum;
}

static double apart(ct_complex a, ct_complex b)
{
    return hypot(a.re - b.re, a.im - b.im);
}

/* Stations that have the conjugates of what the file says of visibilities, and what takes it off.
 */
static void close_the_loop(const char *path, int pols)
{
    char gains[16384], text[32768];
    double hz[CHANNELS], worst[2] = {0, 0}, most = 0;
    capture out[3];
    for (int c = 0; c < CHANNELS; c++)
        hz[c] = 1e6 + c; /* the first run finds out which they are */
    print_gains(gains, sizeof gains, pols, -1);
    for (int again = 0; again < 2; again++) {
        put(path, hz, pols);
        snprintf(text, sizeof text, LOOP, 8192, gains, path);
        for (int n = 0; n < 3 && again; n++)
            capture_free(&out[n]);
        run(out, 3, text);
        assert_int_equal(out[0].meta.frequencies, CHANNELS);
        memcpy(hz, out[0].meta.frequency_hz, sizeof hz);
    }
    assert_int_equal(out[0].count, 6 * CHANNELS * 4);
    for (int n = 0; n < 6 * CHANNELS * 4; n++) {
        const int q = n % 4, c = n / 4 % CHANNELS, l = n / 4 / CHANNELS;
        const ct_complex m = product(&out[0], 1, l, c, q);
        most = fmax(most, hypot(m.re, m.im));
        worst[0] =
            fmax(worst[0], apart(product(&out[1], 1, l, c, q), formula(&out[0], l, c, q, pols)));
        worst[1] = fmax(worst[1], apart(product(&out[2], 1, l, c, q), m));
    }
    print_message("of %g: the formula is off by %.1e, what comes back by %.1e\n", most, worst[0],
                  worst[1]);
    assert_true(worst[0] < 1e-4 * most && worst[1] < 1e-5 * most);
    for (int n = 0; n < 3; n++)
        capture_free(&out[n]);
}

/* V_ij = J_i M_ij J_j^H, with ANTENNA1 i the first of a baseline's stations and of a product's
 * polarizations: of factors, and of matrices. */
static void calibrations_formula_holds(void **unused)
{
    char folder[] = "/tmp/ct_cal_XXXXXX", path[64];
    (void)unused;
    if (!mkdtemp(folder)) abort();
    snprintf(path, sizeof path, "%s/cal.h5", folder);
    close_the_loop(path, 2);
    close_the_loop(path, 4);
    unlink(path);
    rmdir(folder);
}
#endif

#define VARYING(how)                                                                               \
    "{\"step_s\": 0.01, \"time\": \"" how "\", "                                                   \
    "\"amplitude\": [[[[1], [2], [1], [3]]], [[[1], [null], [1], [1]]], [[[2], [2], [2], [1]]]], " \
    "\"phase\": [[[[0], [3], [-3], [1]]], [[[1], [0], [0], [1]]], [[[2], [2], [0], [0]]]]}"
#define MATRICES(how)                                                                              \
    "{\"step_s\": 0.01, \"time\": \"" how "\", \"amplitude\": "                                    \
    "[[[[1], [2], [1], [3]], [[0.5], [0.1], [0], [0]], [[0], [0.3], [0], [0]], [[1], [1], [2], "   \
    "[1]]], "                                                                                      \
    "[[[1], [null], [1], [1]], [[0], [0], [0], [0]], [[0], [0], [0.5], [0]], [[1], [1], [1], "     \
    "[1]]], "                                                                                      \
    "[[[2], [2], [2], [1]], [[0], [0], [1], [0]], [[0], [0], [1], [0]], [[2], [2], [2], [1]]]]}"

/* To the last bit; and station 1 is left out where its solution is flagged, from 5 to 15 ms. */
static void blocks_do_not_change_gains(void **unused)
{
    static const char *const gains[] = {VARYING("nearest"), VARYING("linear"), MATRICES("nearest"),
                                        MATRICES("linear")};
    static const int blocks[] = {8192, 768, 2048, 256};
    (void)unused;
    for (int g = 0; g < 4; g++) {
        capture out[4][2];
        const int64_t runs = few_or_all(2, 4);
        for (int64_t n = 0; n < runs; n++) {
            char text[8192];
            snprintf(text, sizeof text, BLOCKS, 8192, gains[g], blocks[n]);
            run(out[n], 2, text);
            assert_int_equal(out[n][0].samples, 512);
            for (int k = 0; k < 2; k++)
                assert_memory_equal(out[n][k].value, out[0][k].value,
                                    sizeof(double) * 2 *
                                        (size_t)(out[n][k].samples * out[n][k].count));
        }
        const capture *counts = &out[0][1];
        assert_true(counts->samples == 32 && counts->count >= 6);
        const int64_t each = counts->count / 6;
        for (int64_t m = 0; m < 32; m++) {
            int64_t fine = 0;
            for (int64_t t = 16 * m; t < 16 * m + 16; t++) {
                const double at_s = out[0][0].meta.start_s + (double)t * SAMPLE_S;
                fine += at_s > 0.015 || at_s < 0.005;
            }
            assert_true(capture_at(counts, m, 0).re == (m ? 16 : capture_at(counts, 0, 0).re));
            if (m > 0) assert_int_equal((int64_t)capture_at(counts, m, each).re, fine);
        }
        for (int n = 0; n < 2 * runs; n++)
            capture_free(&out[n / 2][n % 2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef CT_HAVE_HDF5
        cmocka_unit_test(calibrations_formula_holds),
#endif
        cmocka_unit_test(blocks_do_not_change_gains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
