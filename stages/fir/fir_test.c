/* fir_test.c: what is special of the poly-phase FIR: the prototypes' published numbers, tap and
 * branch order, what the filter bank lets through, shapes and metadata, bad parameters.
 * Room: stages/fir, tests. The conformance call compares kernel and reference. */
#include "stage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

extern const ct_stage ct_stage_fir, ct_stage_fft;

/* ---------------------------------------------------------------- the prototypes */

/* The coefficient's place in table W, which is [K][C]. */
static double coefficient(const stage_case *fir, int64_t k)
{
    return ct_array_load(&fir->port[2], k).re;
}

static double sum_of(const stage_case *fir, int power)
{
    double sum = 0;
    for (int64_t k = 0; k < ct_array_count(&fir->port[2]); k++)
        sum += pow(coefficient(fir, k), power);
    return sum;
}

static void assert_digits(double found, double expected)
{
    if (fabs(found - expected) > 1e-7 * fabs(expected))
        fail_msg("expected %.10g, found %.10g", expected, found);
}

static void test_cobalt_has_the_published_numbers(void **state)
{
    (void)state;
    stage_case fir;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 256, \"taps\": 16, \"center_dc\": false}",
               "S=1 P=1 T=256", CT_CF32);
    assert_digits(coefficient(&fir, 0), -2.7795603e-5);
    assert_digits(coefficient(&fir, 1), -2.8698732e-5);
    assert_digits(coefficient(&fir, 256), 4.4220705e-4);
    assert_digits(coefficient(&fir, 1024), -1.04683208e-2);
    assert_digits(coefficient(&fir, 2047), 1);
    assert_digits(coefficient(&fir, 2048), 1);
    assert_digits(sum_of(&fir, 1), 264.265278);
    assert_digits(sum_of(&fir, 2), 246.432404);
    for (int64_t k = 0; k < 2048; k++)
        assert_digits(coefficient(&fir, k), coefficient(&fir, 4095 - k));
    stage_free(&fir);
}

static void test_cobalt_scales_with_channels(void **state)
{
    (void)state;
    stage_case fir;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 64, \"taps\": 16, \"center_dc\": false}",
               "S=1 P=1 T=64", CT_CF32);
    assert_digits(coefficient(&fir, 511), 4);
    assert_true(fabs(sum_of(&fir, 1) - 264.265278) < 0.05); /* the sum hardly depends on N */
    stage_free(&fir);
}

/* Window times sinc, independently: by hand from the definitions at one odd place. */
static void test_windowed_sincs(void **state)
{
    static const struct {
        const char *window;
        double value;
    } cases[] = {
        {"hamming", 0.54 - 0.46 * -0.80901699437494745}, /* cos(2 pi 12 / 20) */
        {"hann", 0.5 - 0.5 * -0.80901699437494745},
        {"rect", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stage_case fir;
        char params[128];
        snprintf(params, sizeof params,
                 "{\"channels\": 7, \"taps\": 3, \"window\": \"%s\", \"center_dc\": false}",
                 cases[i].window);
        stage_make(&fir, &ct_stage_fir, params, "S=1 P=1 T=7", CT_CF32);
        double x = PI * (12.0 / 7 - 1.5);
        assert_digits(coefficient(&fir, 12), cases[i].value * sin(x) / x);
        stage_free(&fir);
    }
}

static void test_kaiser_without_beta_is_a_sinc(void **state)
{
    (void)state;
    stage_case fir;
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 9, \"taps\": 3, \"window\": \"kaiser\", \"beta\": 0, "
               "\"center_dc\": false}",
               "S=1 P=1 T=9", CT_CF32);
    assert_digits(coefficient(&fir, 13), 1); /* the centre of 27 */
    assert_digits(coefficient(&fir, 0), sin(PI * 13 / 9) / (PI * 13 / 9));
    stage_free(&fir);
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 9, \"taps\": 3, \"window\": \"kaiser\", \"beta\": 5, "
               "\"center_dc\": false}",
               "S=1 P=1 T=9", CT_CF32);
    assert_digits(coefficient(&fir, 13), 1);
    /* at the edge the Kaiser window is 1 / I0(5) */
    assert_digits(coefficient(&fir, 0), sin(PI * 13 / 9) / (PI * 13 / 9) / 27.239871823604442);
    stage_free(&fir);
}

static void test_normalise(void **state)
{
    stage_case fir;
    (void)state;
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 16, \"normalise\": \"sum\", \"center_dc\": false}", "S=1 P=1 T=16",
               CT_CF32);
    assert_true(fabs(sum_of(&fir, 1) - 1) < 1e-6);
    stage_free(&fir);
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 16, \"normalise\": \"energy\"}", "S=1 P=1 T=16",
               CT_CF32);
    assert_true(fabs(sum_of(&fir, 2) - 1) < 1e-6);
    stage_free(&fir);
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 16, \"normalise\": \"peak\"}", "S=1 P=1 T=16",
               CT_CF32);
    assert_true(fabs(coefficient(&fir, 128) - 1) < 1e-7); /* one of the two at the centre, c even */
    stage_free(&fir);
}

static void test_center_dc_negates_odd_channels(void **state)
{
    stage_case plain, centred;
    (void)state;
    stage_make(&plain, &ct_stage_fir, "{\"channels\": 6, \"taps\": 3, \"center_dc\": false}",
               "S=1 P=1 T=6", CT_CF32);
    stage_make(&centred, &ct_stage_fir, "{\"channels\": 6, \"taps\": 3}", "S=1 P=1 T=6", CT_CF32);
    for (int64_t k = 0; k < 18; k++)
        assert_true(coefficient(&centred, k) == (k % 2 ? -1 : 1) * coefficient(&plain, k));
    stage_free(&plain);
    stage_free(&centred);
}

/* ---------------------------------------------------------------- files of coefficients */

static void write_npy(const char *file, const char *descr, const char *shape, const void *data,
                      size_t bytes)
{
    FILE *out = fopen(file, "wb");
    char header[118 + 1];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr,
             shape);
    assert_non_null(out);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, out);
    fprintf(out, "%-117s\n", header);
    fwrite(data, 1, bytes, out);
    fclose(out);
}

static void test_coefficients_from_a_file(void **state)
{
    const double h[6] = {0.5, -1, 2, 3, 4.25, -8};
    stage_case fir;
    ct_error err = {0};
    ct_array input = stage_array("S=1 P=1 T=4", CT_CI8);
    (void)state;
    write_npy("/tmp/ct_fir_test.npy", "<f8", "(3, 2)", h, sizeof h);
    stage_make(&fir, &ct_stage_fir,
               "{\"channels\": 2, \"taps\": 3, \"file\": \"/tmp/ct_fir_test.npy\"}", "S=1 P=1 T=4",
               CT_CI8);
    for (int64_t k = 0; k < 6; k++)
        assert_true(coefficient(&fir, k) == (k % 2 ? -h[k] : h[k]));
    stage_free(&fir);
    assert_false(stage_try(&fir, &ct_stage_fir,
                           "{\"channels\": 4, \"taps\": 2, \"file\": \"/tmp/ct_fir_test.npy\"}",
                           &input, &err));
    assert_non_null(strstr(err.text, "8 real numbers"));
    assert_non_null(strstr(err.text, "found 6 f64"));
    stage_free(&fir);
    remove("/tmp/ct_fir_test.npy");
}

/* ---------------------------------------------------------------- mistakes */

static void test_mistakes_are_explained(void **state)
{
    static const struct {
        const char *params, *sentence;
    } cases[] = {
        {"{\"channels\": 7}", "expected an even number, found 7"},
        {"{\"channels\": 8, \"window\": \"file\"}", "\"file\" needs the parameter file"},
        {"{\"channels\": 8, \"window\": \"hann\", \"file\": \"x.npy\"}", "found \"hann\""},
        {"{\"channels\": 8, \"file\": \"nowhere.npy\"}", "nowhere.npy"},
        {"{\"channels\": 2, \"taps\": 1, \"window\": \"hann\", \"normalise\": \"peak\"}",
         "cannot be normalised by their peak"},
        {"{\"channels\": 1048576, \"taps\": 1024}", "16777216"},
    };
    ct_array input = stage_array("S=1 P=1 T=16", CT_CI8);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stage_case fir;
        ct_error err = {0};
        assert_false(stage_try(&fir, &ct_stage_fir, cases[i].params, &input, &err));
        if (!strstr(err.text, cases[i].sentence)) fail_msg("%s", err.text);
        stage_free(&fir);
    }
}

/* ---------------------------------------------------------------- shapes and metadata */

static void test_shapes_and_metadata(void **state)
{
    const double band = 150e6;
    stage_case fir;
    ct_error err = {0};
    ct_array input = stage_array("S=5 P=2 T=48", CT_CI8);
    const ct_array *y;
    (void)state;
    input.meta = (ct_meta){.sample_time_s = 5.12e-6,
                           .start_s = 2,
                           .total = 4800,
                           .frequency_hz = &band,
                           .frequencies = 1};
    assert_true(stage_try(&fir, &ct_stage_fir, "{\"channels\": 8, \"taps\": 4}", &input, &err));
    y = ct_step_array(fir.step, "Y");
    assert_string_equal(y->dim, "SPTC");
    assert_int_equal(ct_array_extent(y, 'T'), 6);
    assert_int_equal(ct_array_extent(y, 'C'), 8);
    assert_int_equal(fir.step->overlap, 24);
    assert_int_equal(y->meta.total, 600);
    assert_true(fabs(y->meta.sample_time_s - 8 * 5.12e-6) < 1e-15);
    assert_true(fabs(y->meta.start_s - (2 - 8 * 5.12e-6)) < 1e-12); /* (0 - 4/2 + 1) N samples */
    assert_true(fabs(y->meta.channel_width_hz - 195312.5 / 8) < 1e-6);
    assert_int_equal(y->meta.frequencies, 8);
    assert_true(y->meta.frequency_hz[4] == band);
    assert_true(fabs(y->meta.frequency_hz[0] - (band - 195312.5 / 2)) < 1e-6);
    stage_free(&fir);
}

/* ---------------------------------------------------------------- the filter bank */

/* A stage's output given to fft's reference: spectra in `out`, which the caller frees. */
static void transform(const stage_case *fir, stage_case *fft)
{
    const ct_array *y = &fir->port[1];
    char extents[64];
    snprintf(extents, sizeof extents, "S=%d P=%d T=%d C=%d", (int)y->extent[0], (int)y->extent[1],
             (int)y->extent[2], (int)y->extent[3]);
    stage_make(fft, &ct_stage_fft, "{}", extents, CT_CF32);
    free(fft->port[0].data);
    fft->port[0].type = CT_CF64; /* double all the way */
    fft->port[0].data = malloc(ct_array_bytes(y));
    memcpy(fft->port[0].data, y->data, ct_array_bytes(y));
    stage_reference(fft);
}

static double decibel(ct_complex value)
{
    return 10 * log10(value.re * value.re + value.im * value.im);
}

/* Level of a tone `offset` channels above channel 3 of 16, seen in channel `seen`. */
static double leak(double offset, int seen)
{
    stage_case fir, fft;
    double level;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 256, \"taps\": 16, \"normalise\": \"sum\"}",
               "S=1 P=1 T=256", CT_CF32);
    ct_array *x = &fir.port[0];
    x->type = CT_CF64;
    free(x->data);
    x->data = calloc(1, ct_array_bytes(x));
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        double angle = 2 * PI * (3 + offset) * (double)n / 256;
        ct_array_save(x, n, cos(angle), sin(angle));
    }
    stage_reference(&fir);
    transform(&fir, &fft);
    level = decibel(ct_array_load(&fft.port[1], 128 + 3 + seen));
    stage_free(&fir);
    stage_free(&fft);
    return level;
}

static void test_leakage(void **state)
{
    double centre = leak(0, 0);
    (void)state;
    assert_true(fabs(centre) < 1e-6); /* the coefficients add up to 1 */
    assert_true(fabs(leak(0.5, 0) - centre + 8.01) < 0.01);
    assert_true(fabs(leak(0.25, 0) - centre) < 0.005);
    assert_true(fabs(leak(0.25, 1) - centre + 92) < 1);
    assert_true(fabs(leak(0.40, 0) - centre + 0.668) < 0.001);
    assert_true(fabs(leak(0.40, 1) - centre + 33.9) < 0.05);
    assert_true(fabs(leak(0, 1) - centre + 103.66) < 0.01);
    assert_true(fabs(leak(0, -1) - centre + 103.66) < 0.01);
}

/* One sample of 1: every channel of spectrum q has the magnitude of the coefficient it meets. */
static void test_impulse_gives_the_taps(void **state)
{
    enum { N = 12, T = 5, A = 7, C0 = 4 };
    stage_case fir, fft;
    (void)state;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 12, \"taps\": 5}", "S=1 P=1 T=192", CT_CF32);
    ct_array_save(&fir.port[0], A * N + C0, 1, 0);
    stage_reference(&fir);
    transform(&fir, &fft);
    for (int q = 0; q < 16; q++)
        for (int c = 0; c < N; c++) {
            ct_complex value = ct_array_load(&fft.port[1], q * N + c);
            double expected = A - q >= 0 && A - q < T ? coefficient(&fir, (A - q) * N + C0) : 0;
            assert_true(fabs(hypot(value.re, value.im) - fabs(expected)) <= 1e-6 * fabs(expected));
        }
    stage_free(&fir);
    stage_free(&fft);
}

/* A constant comes out in channel N/2 alone, as the sum of the coefficients. */
static void test_constant_is_in_the_middle(void **state)
{
    enum { N = 32 };
    stage_case fir, fft;
    (void)state;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 32, \"normalise\": \"sum\"}", "S=1 P=1 T=32",
               CT_CI8);
    for (int64_t n = 0; n < ct_array_count(&fir.port[0]); n++)
        ct_array_save(&fir.port[0], n, 100, -50);
    stage_reference(&fir);
    transform(&fir, &fft);
    ct_complex middle = ct_array_load(&fft.port[1], N / 2);
    assert_true(fabs(middle.re - 100) < 1e-5 && fabs(middle.im + 50) < 1e-5);
    for (int c = 0; c < N; c++)
        if (c != N / 2)
            assert_true(decibel(ct_array_load(&fft.port[1], c)) - decibel(middle) < -100);
    stage_free(&fir);
    stage_free(&fft);
}

/* A deterministic stand-in for noise: a linear congruential generator, uniform in -0.5 .. 0.5. */
static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static void fill_noise(ct_array *x, uint64_t seed)
{
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        double re = noise(&seed), im = noise(&seed);
        ct_array_save(x, n, re, im);
    }
}

/* White noise of variance v has v * sum(h^2) in every channel, within the scatter of 4096 spectra.
 */
static void test_noise_is_white(void **state)
{
    enum { N = 8, SPECTRA = 4096 };
    stage_case fir, fft;
    (void)state;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 8, \"taps\": 16}", "S=1 P=1 T=32768", CT_CF32);
    fill_noise(&fir.port[0], 1);
    stage_reference(&fir);
    transform(&fir, &fft);
    double expected = sum_of(&fir, 2) / 6; /* two components of variance 1/12 */
    for (int c = 0; c < N; c++) {
        double power = 0;
        for (int q = 0; q < SPECTRA; q++)
            power += pow(10, decibel(ct_array_load(&fft.port[1], q * N + c)) / 10) / SPECTRA;
        assert_true(fabs(power / expected - 1) < 5 / sqrt(SPECTRA));
    }
    stage_free(&fir);
    stage_free(&fft);
}

/* A delay by N samples is a delay by one spectrum, exactly. */
static void test_delay_of_a_row(void **state)
{
    enum { N = 10, SPECTRA = 6 };
    stage_case fir, late;
    (void)state;
    stage_make(&fir, &ct_stage_fir, "{\"channels\": 10, \"taps\": 4}", "S=1 P=1 T=60", CT_CF32);
    stage_make(&late, &ct_stage_fir, "{\"channels\": 10, \"taps\": 4}", "S=1 P=1 T=60", CT_CF32);
    fill_noise(&fir.port[0], 2);
    memcpy((char *)late.port[0].data + N * 8, fir.port[0].data,
           ct_array_bytes(&fir.port[0]) - N * 8);
    stage_reference(&fir);
    stage_reference(&late);
    assert_memory_equal((char *)late.port[1].data + N * 16, fir.port[1].data,
                        (SPECTRA - 1) * N * 16);
    stage_free(&fir);
    stage_free(&late);
}

/* Two blocks, the second with the end of the first as its history, are one long block. */
static void test_overlap_joins_blocks(void **state)
{
    enum { N = 6, OVERLAP = 2 * N, BLOCK = 4 * N };
    stage_case whole, block;
    (void)state;
    stage_make(&whole, &ct_stage_fir, "{\"channels\": 6, \"taps\": 3}", "S=1 P=1 T=48", CT_CF32);
    stage_make(&block, &ct_stage_fir, "{\"channels\": 6, \"taps\": 3}", "S=1 P=1 T=24", CT_CF32);
    assert_int_equal(whole.step->overlap, OVERLAP);
    fill_noise(&whole.port[0], 3);
    stage_reference(&whole);
    for (int b = 0; b < 2; b++) {
        memcpy(block.port[0].data, (char *)whole.port[0].data + b * BLOCK * 8,
               (OVERLAP + BLOCK) * 8);
        memset(block.port[1].data, 0, ct_array_bytes(&block.port[1]));
        stage_reference(&block);
        assert_memory_equal(block.port[1].data, (char *)whole.port[1].data + b * BLOCK * 16,
                            BLOCK * 16);
    }
    stage_free(&whole);
    stage_free(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cobalt_has_the_published_numbers),
        cmocka_unit_test(test_cobalt_scales_with_channels),
        cmocka_unit_test(test_windowed_sincs),
        cmocka_unit_test(test_kaiser_without_beta_is_a_sinc),
        cmocka_unit_test(test_normalise),
        cmocka_unit_test(test_center_dc_negates_odd_channels),
        cmocka_unit_test(test_coefficients_from_a_file),
        cmocka_unit_test(test_mistakes_are_explained),
        cmocka_unit_test(test_shapes_and_metadata),
        cmocka_unit_test(test_leakage),
        cmocka_unit_test(test_impulse_gives_the_taps),
        cmocka_unit_test(test_constant_is_in_the_middle),
        cmocka_unit_test(test_noise_is_white),
        cmocka_unit_test(test_delay_of_a_row),
        cmocka_unit_test(test_overlap_joins_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
