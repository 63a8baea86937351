/* subbands_test.c: several subbands in one pipeline: a tone that is put into one of them comes out
 * in its channel of the merged band, at its frequency; all subbands together are, bit for bit, what
 * each is by itself; a station's beamlets become one filterbank file.
 * Room: tests. The beamlets are in the folder that CORNERTURN_TEST_DATA names (default
 * ../shared/data); without it that part is left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"

#define TWO_PI 6.283185307179586477

enum { POLS = 2, SAMPLES = 1680, SUBBANDS = 3, CHANNELS = 16 };
static const double width = 195312.5;
/* Neither in order nor side by side. */
static const double bands[SUBBANDS] = {150e6, 120e6, 150e6 + 195312.5};

static const char *const sinks[] = {"out", NULL};

static void run(const char *text, capture *out)
{
    ct_error err = {0};
    *out = (capture){0};
    if (capture_run(text, sinks, out, &err) != CT_OK) fail_msg("%s", err.text);
}

/* ---- made up: [P][T][C], or one subband of it */

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* In subband f a tone `offset` Hz above its centre, and noise everywhere. */
static void fill(float (*x)[SAMPLES][SUBBANDS][2], int f, double offset, double level)
{
    uint64_t seed = 5;
    for (int p = 0; p < POLS; p++)
        for (int t = 0; t < SAMPLES; t++)
            for (int n = 0; n < SUBBANDS; n++) {
                const double angle = TWO_PI * offset / width * t;
                const double tone = n == f ? 1 : 0;
                x[p][t][n][0] = (float)(tone * cos(angle) + level * noise(&seed));
                x[p][t][n][1] = (float)(tone * sin(angle) + level * noise(&seed));
            }
}

/* Subbands `first` to `last` as a file; the caller removes it. */
static void save(char name[32], float (*x)[SAMPLES][SUBBANDS][2], int first, int last)
{
    strcpy(name, "/tmp/ct_subbands_XXXXXX");
    FILE *file = fdopen(mkstemp(name), "wb");
    assert_non_null(file);
    for (int p = 0; p < POLS; p++)
        for (int t = 0; t < SAMPLES; t++)
            fwrite(x[p][t][first], sizeof x[0][0][0], (size_t)(last - first + 1), file);
    fclose(file);
}

/* How subbands `first` to `last` are filtered: what the two nodes pin, and the block. */
typedef struct way {
    const char *fir, *fft;
    int block;
} way;

static void filter(float (*x)[SAMPLES][SUBBANDS][2], int first, int last, const way *how,
                   capture *out)
{
    char name[32], text[2048], hz[128] = "";
    save(name, x, first, last);
    for (int f = first; f <= last; f++)
        snprintf(hz + strlen(hz), sizeof hz - strlen(hz), "%s%.17g", f > first ? ", " : "",
                 bands[f]);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"source.raw\", \"file\": \"%s\","
             "\"dims\": \"%s\", \"sizes\": {\"S\": 1, \"P\": 2, \"T\": %d%s%.0d}, \"type\": "
             "\"cf32\", \"sample_time_s\": 5.12e-6, \"channel_width_hz\": %.17g, "
             "\"frequency_hz\": [%s]},"
             "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": %d, \"taps\": 4%s},"
             "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"%s},"
             "\"out\": {\"stage\": \"sink.raw\", \"input\": \"fft\", \"file\": \"x.raw\"}},"
             "\"block\": {\"T\": %d}}",
             name, last > first ? "SPTC" : "SPT", SAMPLES, last > first ? ", \"C\": " : "",
             last > first ? last - first + 1 : 0, width, hz, CHANNELS, how->fir, how->fft,
             how->block);
    run(text, out);
    unlink(name);
}

static const way ways[] = {
    {"", ", \"fuse\": false", SAMPLES},
    {"", ", \"fuse\": true", SAMPLES},
    {", \"layout\": {\"read\": \"TCSP\", \"write\": \"TFPCS\"}",
     ", \"layout\": {\"write\": \"CTPS\"}", 7 * CHANNELS},
    {", \"layout\": {\"read\": \"CTPS\", \"write\": \"auto\"}", ", \"fuse\": true", 5 * CHANNELS},
};

/* The channel of the most power, over all spectra and polarizations. */
static int64_t strongest(const capture *spectra)
{
    const int64_t channels = spectra->count / POLS;
    int64_t best = -1;
    double most = 0;
    for (int64_t c = 0; c < channels; c++) {
        double power = 0;
        for (int64_t t = 0; t < spectra->samples; t++)
            for (int64_t p = 0; p < POLS; p++) {
                const ct_complex v = capture_at(spectra, t, p * channels + c);
                power += v.re * v.re + v.im * v.im;
            }
        if (power > most) best = c, most = power;
    }
    return best;
}

static void a_tone_is_in_its_channel(void **state)
{
    static float x[POLS][SAMPLES][SUBBANDS][2];
    (void)state;
    for (int f = 0; f < SUBBANDS; f++) {
        const int c = 3 + 5 * f;
        const double offset = (c - CHANNELS / 2) * width / CHANNELS;
        fill(x, f, offset, 0.2);
        for (int w = 0; w < 2; w++) {
            capture spectra;
            filter(x, 0, SUBBANDS - 1, &ways[w], &spectra);
            assert_int_equal(spectra.meta.frequencies, SUBBANDS * CHANNELS);
            assert_int_equal(strongest(&spectra), f * CHANNELS + c);
            assert_true(fabs(spectra.meta.frequency_hz[f * CHANNELS + c] - bands[f] - offset) <
                        1e-6);
            capture_free(&spectra);
        }
    }
}

/* Bit for bit. */
static void all_are_what_each_is(void **state)
{
    static float x[POLS][SAMPLES][SUBBANDS][2];
    (void)state;
    fill(x, 1, 30e3, 1);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const way plain = {"", strstr(ways[w].fft, "fuse") ? ways[w].fft : ways[0].fft,
                           ways[w].block};
        capture all;
        filter(x, 0, SUBBANDS - 1, &ways[w], &all);
        assert_int_equal(all.count, POLS * SUBBANDS * CHANNELS);
        for (int f = 0; f < SUBBANDS; f++) {
            capture one;
            filter(x, f, f, &plain, &one);
            assert_int_equal(one.samples, all.samples);
            for (int64_t t = 0; t < one.samples; t++)
                for (int p = 0; p < POLS; p++)
                    assert_memory_equal(one.value + 2 * (t * one.count + p * CHANNELS),
                                        all.value +
                                            2 * (t * all.count + (p * SUBBANDS + f) * CHANNELS),
                                        CHANNELS * 2 * sizeof(double));
            capture_free(&one);
        }
        capture_free(&all);
    }
}

/* Rows that wait in a file, subbands apart, are what they were on their way. */
static void files_hold_subbands(void **state)
{
    static float x[POLS][SAMPLES][SUBBANDS][2];
    char name[] = "/tmp/ct_rows_XXXXXX.npy", beside[sizeof name + 5], fft[512];
    capture direct, rows, again;
    (void)state;
    fill(x, 2, -20e3, 1);
    filter(x, 0, SUBBANDS - 1, &ways[0], &direct);
    close(mkstemps(name, 4));
    snprintf(fft, sizeof fft,
             ", \"fuse\": false}, \"rows\": {\"stage\": \"sink.npy\", \"input\": \"fir\", "
             "\"file\": \"%s\", \"layout\": \"FTSCP\"",
             name);
    filter(x, 0, SUBBANDS - 1, &(way){"", fft, SAMPLES}, &rows);
    snprintf(fft, sizeof fft,
             "{\"cornerturn\": 1, \"nodes\": {\"in\": {\"stage\": \"source.npy\", \"file\": "
             "\"%s\"}, \"fft\": {\"stage\": \"fft\", \"input\": \"in\"}, \"out\": {\"stage\": "
             "\"sink.raw\", \"input\": \"fft\", \"file\": \"x.raw\"}}}",
             name);
    run(fft, &again);
    unlink(name);
    snprintf(beside, sizeof beside, "%s.json", name);
    unlink(beside);
    assert_int_equal(again.samples, direct.samples);
    assert_int_equal(again.meta.frequencies, SUBBANDS * CHANNELS);
    for (int64_t c = 0; c < again.meta.frequencies; c++)
        assert_true(again.meta.frequency_hz[c] == direct.meta.frequency_hz[c]);
    assert_memory_equal(again.value, direct.value,
                        (size_t)(direct.samples * direct.count) * 2 * sizeof(double));
    capture_free(&direct);
    capture_free(&rows);
    capture_free(&again);
}

/* ---- a station's beamlets */

enum { FIRST = 15, BEAMLETS = 5 };

static bool station_file(char path[4096])
{
    const char *folder = getenv("CORNERTURN_TEST_DATA");
    char given[512];
    snprintf(given, sizeof given, "%s/lofar/udp_16130.ucc1.2022-06-29T01:30:00.000",
             folder ? folder : "../shared/data");
    return realpath(given, path) != NULL;
}

/* Powers of beamlets, by a pipeline that ends with this sink. */
static void powers(char *text, size_t size, const char *path, const char *beamlets,
                   const char *sink)
{
    snprintf(text, size,
             "{\"cornerturn\": 1, \"nodes\": {"
             "\"in\": {\"stage\": \"source.lofar\", \"files\": [\"%s\"], \"beamlets\": %s,"
             " \"subbands\": 12},"
             "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 16, \"taps\": 8},"
             "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\", \"fuse\": true},"
             "\"power\": {\"stage\": \"detect\", \"input\": \"fft\", \"integrate\": 4},"
             "\"out\": {%s, \"input\": \"power\"}}, \"block\": {\"T\": 1024}}",
             path, beamlets, sink);
}

static void write_band(const char *path, const char *beamlets, const char *file)
{
    char text[6000], sink[256];
    ct_error err = {0};
    static const char *const none[] = {NULL};
    snprintf(sink, sizeof sink, "\"stage\": \"sink.sigproc\", \"file\": \"%s\"", file);
    powers(text, sizeof text, path, beamlets, sink);
    if (capture_run(text, none, NULL, &err) != CT_OK) fail_msg("%s", err.text);
}

/* Channels descend in the file. */
static void check_beamlet(const char *path, int b, const capture *band)
{
    char text[6000], number[16];
    capture one;
    snprintf(number, sizeof number, "%d", FIRST + b);
    powers(text, sizeof text, path, number, "\"stage\": \"sink.raw\", \"file\": \"x.raw\"");
    run(text, &one);
    assert_int_equal(one.samples, band->samples);
    for (int64_t c = 0; c < CHANNELS; c++) {
        const int64_t at = BEAMLETS * CHANNELS - 1 - (b * CHANNELS + c);
        const double hz = (12 + FIRST + b) * width + (double)(c - CHANNELS / 2) * width / CHANNELS;
        assert_true(fabs(one.meta.frequency_hz[c] - hz) < 1e-6);
        assert_true(fabs(band->meta.frequency_hz[at] - hz) < 1e-3);
        for (int64_t t = 0; t < one.samples; t++)
            assert_true(capture_at(band, t, at).re == capture_at(&one, t, c).re);
    }
    capture_free(&one);
}

static void beamlets_are_one_filterbank(void **state)
{
    char path[4096], file[] = "/tmp/ct_beamlets_XXXXXX.fil", text[512];
    capture band;
    (void)state;
    if (!station_file(path)) {
        printf("skipped: no station data\n");
        skip();
    }
    close(mkstemps(file, 4));
    write_band(path, "[15, 16, 17, 18, 19]", file);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {"
             "\"in\": {\"stage\": \"source.sigproc\", \"file\": \"%s\"},"
             "\"out\": {\"stage\": \"sink.raw\", \"input\": \"in\", \"file\": \"x.raw\"}}}",
             file);
    run(text, &band);
    unlink(file);
    assert_int_equal(band.count, BEAMLETS * CHANNELS);
    for (int b = 0; b < BEAMLETS; b++)
        check_beamlet(path, b, &band);
    capture_free(&band);
}

/* What is no band of equal steps is no filterbank file. */
static void gaps_are_refused(void **state)
{
    char path[4096], text[6000];
    capture none = {0};
    ct_error err = {0};
    (void)state;
    if (!station_file(path)) {
        printf("skipped: no station data\n");
        skip();
    }
    powers(text, sizeof text, path, "[15, 17]", "\"stage\": \"sink.sigproc\", \"file\": \"x.fil\"");
    assert_int_equal(capture_run(text, sinks, &none, &err), CT_INVALID);
    assert_non_null(strstr(err.text, "channels of equal spacing: expected channel 16 at"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tone_is_in_its_channel), cmocka_unit_test(all_are_what_each_is),
        cmocka_unit_test(files_hold_subbands),      cmocka_unit_test(beamlets_are_one_filterbank),
        cmocka_unit_test(gaps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
