/* station_test.c: real station voltages through the poly-phase filter bank, in double precision:
 * one beamlet of a LOFAR station near 5.66 MHz, where the lower channels hold strong interference;
 * and the same through a pipeline in small blocks and awkward layouts.
 * Room: tests. Skips where the data are absent (CORNERTURN_TEST_DATA, default ../shared/data). */
#include "capture.h"
#include "stage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { PACKETS = 256, BEAMLETS = 122, SAMPLES = 16, BEAMLET = 17, CHANNELS = 16, TAPS = 16 };
enum { PAYLOAD = BEAMLETS * SAMPLES * 4, TOTAL = PACKETS * SAMPLES, SPECTRA = TOTAL / CHANNELS };

extern const ct_stage ct_stage_fir, ct_stage_fft;

/* The packets of one lane; room for a path of any length. */
static void station_file(char path[4096])
{
    const char *folder = getenv("CORNERTURN_TEST_DATA");
    char given[512];
    snprintf(given, sizeof given, "%s/lofar/udp_16130.ucc1.2022-06-29T01:30:00.000",
             folder ? folder : "../shared/data");
    if (!realpath(given, path)) path[0] = 0;
}

/* Both polarizations of the beamlet, [P][T], in order of the packets; false where there is no file.
 */
static bool read_beamlet(int8_t (*voltages)[TOTAL][2])
{
    char path[4096];
    unsigned char packet[16 + PAYLOAD];
    station_file(path);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    for (int n = 0; n < PACKETS; n++) {
        assert_int_equal(fread(packet, 1, sizeof packet, file), sizeof packet);
        for (int t = 0; t < SAMPLES; t++)
            for (int i = 0; i < 4; i++)
                voltages[i / 2][n * SAMPLES + t][i % 2] =
                    (int8_t)packet[16 + (BEAMLET * SAMPLES + t) * 4 + i];
    }
    fclose(file);
    return true;
}

/* Spectra [P][T][C] of the voltages; filtered or not. */
static void make_spectra(int8_t (*voltages)[TOTAL][2], bool filtered, stage_case *fft)
{
    char params[64], extents[64];
    stage_case fir;
    snprintf(params, sizeof params, "{\"channels\": %d, \"taps\": %d}", CHANNELS, TAPS);
    snprintf(extents, sizeof extents, "S=1 P=2 T=%d", TOTAL);
    stage_make(&fir, &ct_stage_fir, params, extents, CT_CI8);
    snprintf(extents, sizeof extents, "S=1 P=2 T=%d C=%d", SPECTRA, CHANNELS);
    stage_make(fft, &ct_stage_fft, "{}", extents, CT_CF32);
    fft->port[0].type = CT_CF64;
    free(fft->port[0].data);
    fft->port[0].data = calloc(1, ct_array_bytes(&fft->port[0]));
    int64_t history = fir.step->overlap;
    for (int p = 0; p < 2; p++)
        for (int t = 0; t < TOTAL; t++) {
            const int8_t *v = voltages[p][t];
            int sign = t % 2 ? -1 : 1; /* what center_dc does */
            ct_array_save(&fir.port[0], p * (TOTAL + history) + history + t, v[0], v[1]);
            ct_array_save(&fft->port[0], p * TOTAL + t, sign * v[0], sign * v[1]);
        }
    stage_reference(&fir);
    if (filtered) memcpy(fft->port[0].data, fir.port[1].data, ct_array_bytes(&fir.port[1]));
    stage_reference(fft);
    stage_free(&fir);
}

static ct_complex value_at(const stage_case *fft, int p, int t, int c)
{
    return ct_array_load(&fft->port[1], (p * SPECTRA + t) * CHANNELS + c);
}

/* The share of the power, from spectrum `first` on, in the quiet channels 9 to 14. */
static double quiet_share(const stage_case *fft, int first)
{
    double quiet = 0, all = 0;
    for (int t = first; t < SPECTRA; t++)
        for (int c = 0; c < CHANNELS; c++) {
            ct_complex v = value_at(fft, 0, t, c);
            double power = v.re * v.re + v.im * v.im;
            all += power;
            quiet += c >= 9 && c <= 14 ? power : 0;
        }
    return quiet / all;
}

/* sum X conj(Y) over spectra that have their whole history, and the power of each polarization. */
static ct_complex correlate(const stage_case *fft, int c, double power[2])
{
    ct_complex sum = {0, 0};
    power[0] = power[1] = 0;
    for (int t = TAPS - 1; t < SPECTRA; t++) {
        ct_complex x = value_at(fft, 0, t, c), y = value_at(fft, 1, t, c);
        sum.re += x.re * y.re + x.im * y.im;
        sum.im += x.im * y.re - x.re * y.im;
        power[0] += x.re * x.re + x.im * x.im;
        power[1] += y.re * y.re + y.im * y.im;
    }
    return sum;
}

static void check_coherence(const stage_case *fft)
{
    double power[2], largest = 0, coherence = 0, degrees = 0;
    int peak = -1;
    for (int c = 0; c < CHANNELS; c++) {
        ct_complex sum = correlate(fft, c, power);
        if (power[0] < largest) continue;
        largest = power[0];
        peak = c;
        coherence = hypot(sum.re, sum.im) / sqrt(power[0] * power[1]);
        degrees = atan2(sum.im, sum.re) * 180 / 3.14159265358979;
    }
    assert_int_equal(peak, 2);
    assert_true(fabs(coherence - 0.99988) < 5e-6);
    assert_true(fabs(degrees + 36.8) < 0.05);
}

static void test_interference_stays_in_its_channels(void **state)
{
    static int8_t voltages[2][TOTAL][2];
    stage_case filtered, plain;
    (void)state;
    if (!read_beamlet(voltages)) {
        printf("skipped: no station data\n");
        skip();
    }
    make_spectra(voltages, true, &filtered);
    make_spectra(voltages, false, &plain);
    assert_true(fabs(quiet_share(&filtered, TAPS - 1) - 2.22e-4) < 0.005e-4);
    assert_true(fabs(quiet_share(&plain, 0) - 1.48e-2) < 0.005e-2);
    check_coherence(&filtered);
    stage_free(&filtered);
    stage_free(&plain);
}

/* Every spectrum that the pipeline lets through is the reference's: where samples came before the
 * start, none is let through. */
static void compare(const capture *spectra, const stage_case *expected)
{
    double power = 0, error = 0;
    int64_t skipped = SPECTRA - spectra->samples;
    assert_int_equal(spectra->count, 2 * CHANNELS);
    assert_true(skipped == 0 || skipped == TAPS - 1);
    for (int64_t t = 0; t < spectra->samples; t++)
        for (int n = 0; n < 2 * CHANNELS; n++) {
            ct_complex found = capture_at(spectra, t, n);
            ct_complex right = value_at(expected, n / CHANNELS, (int)(t + skipped), n % CHANNELS);
            error += pow(found.re - right.re, 2) + pow(found.im - right.im, 2);
            power += pow(right.re, 2) + pow(right.im, 2);
        }
    assert_true(sqrt(error / power) < 1e-6);
}

static void test_pipeline_in_small_blocks(void **state)
{
    static int8_t voltages[2][TOTAL][2];
    static const char *const sinks[] = {"out", NULL};
    char path[4096], text[6000];
    capture spectra = {0};
    stage_case expected;
    ct_error err = {0};
    (void)state;
    station_file(path);
    if (!read_beamlet(voltages)) {
        printf("skipped: no station data\n");
        skip();
    }
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {"
             "\"in\": {\"stage\": \"source.lofar\", \"files\": [\"%s\"], \"beamlets\": %d},"
             "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": %d, \"taps\": %d,"
             " \"layout\": {\"read\": \"TSP\", \"write\": \"TCSP\"}},"
             "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\", \"layout\": {\"write\": \"CPTS\"}},"
             "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"x.npy\"}},"
             "\"block\": {\"T\": 304}}",
             path, BEAMLET, CHANNELS, TAPS);
    if (capture_run(text, sinks, &spectra, &err) != CT_OK) fail_msg("%s", err.text);
    make_spectra(voltages, true, &expected);
    compare(&spectra, &expected);
    capture_free(&spectra);
    stage_free(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interference_stays_in_its_channels),
        cmocka_unit_test(test_pipeline_in_small_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
