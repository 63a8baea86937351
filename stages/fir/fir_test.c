/* fir_test.c: what is special of the poly-phase FIR: shapes and metadata, tap and branch order,
 * what the filter bank lets through, how blocks join.
 * Room: stages/fir, tests. The conformance call compares kernel and reference. */
#include "stage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

extern const ct_stage ct_stage_fir, ct_stage_fft;

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
    /* the middle of samples -24 to 7 */
    assert_true(fabs(y->meta.start_s - (2 - 8.5 * 5.12e-6)) < 1e-12);
    assert_true(fabs(y->meta.channel_width_hz - 195312.5 / 8) < 1e-6);
    assert_int_equal(y->meta.frequencies, 8);
    assert_true(y->meta.frequency_hz[4] == band);
    assert_true(fabs(y->meta.frequency_hz[0] - (band - 195312.5 / 2)) < 1e-6);
    stage_free(&fir);
}

/* Channels of the input are subbands, each with channels around its own frequency. */
static void test_subbands(void **state)
{
    const double bands[] = {150e6, 140e6, 150e6 + 195312.5};
    stage_case fir;
    ct_error err = {0};
    ct_array input = stage_array("S=1 P=2 T=48 C=3", CT_CI8);
    (void)state;
    input.meta = (ct_meta){.sample_time_s = 5.12e-6,
                           .total = 4800,
                           .frequency_hz = bands,
                           .frequencies = 3,
                           .channel_width_hz = 195312.5};
    assert_true(stage_try(&fir, &ct_stage_fir, "{\"channels\": 8, \"taps\": 4}", &input, &err));
    const ct_array *y = ct_step_array(fir.step, "Y");
    assert_string_equal(y->dim, "SPTFC");
    assert_int_equal(ct_array_extent(y, 'F'), 3);
    assert_int_equal(ct_array_extent(y, 'C'), 8);
    assert_int_equal(ct_array_extent(y, 'T'), 6);
    assert_int_equal(y->meta.frequencies, 24);
    for (int f = 0; f < 3; f++)
        for (int c = 0; c < 8; c++)
            assert_true(fabs(y->meta.frequency_hz[8 * f + c] - bands[f] - (c - 4) * 195312.5 / 8) <
                        1e-6);
    assert_true(fabs(y->meta.channel_width_hz - 195312.5 / 8) < 1e-6);
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

/* A constant comes out only in channel N/2, as the sum of the coefficients. */
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
        cmocka_unit_test(test_shapes_and_metadata),
        cmocka_unit_test(test_subbands),
        cmocka_unit_test(test_leakage),
        cmocka_unit_test(test_impulse_gives_the_taps),
        cmocka_unit_test(test_constant_is_in_the_middle),
        cmocka_unit_test(test_noise_is_white),
        cmocka_unit_test(test_delay_of_a_row),
        cmocka_unit_test(test_overlap_joins_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
