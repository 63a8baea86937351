/* tracks_test.c: tables of beams that move: every sample of the stream has its own segment's
 * weights, to the bit, whatever block it is in; and the default suits every block. Room:
 * stages/beamformer, tests. */
#include "beamformer.h"
#include "stage.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { W = CT_BEAMFORMER_W, N = CT_BEAMFORMER_N, CHANNELS = 3 };
#define SAMPLE_S 1e-3

static const double frequency[CHANNELS] = {150e6, 151e6, 152e6};

/* Seconds between rows 10 degrees apart for segments of so many samples. */
static double row_step_s(int64_t segment)
{
    return 32.0 * (double)segment;
}

/* Beams of a stream that comes in blocks of so many samples. */
static void make(stage_case *made, int64_t segment, int64_t block, int pols)
{
    char params[512], extents[64];
    ct_error err = {0};
    snprintf(params, sizeof params,
             "{\"positions\": [[0, 0, 0], [31, -7, 0.5], [-1200, 4000, 1]], \"step_s\": %g,"
             " \"directions\": [[[0, 80], [0, 70]], [[40, 60], [41, 61]]]}",
             row_step_s(segment));
    snprintf(extents, sizeof extents, "S=3 P=%d T=%d C=%d", pols, (int)block, CHANNELS);
    ct_array input = stage_array(extents, CT_CF32);
    input.meta = (ct_meta){.sample_time_s = SAMPLE_S,
                           .start_s = 0.37,
                           .total = -1,
                           .frequency_hz = frequency,
                           .frequencies = CHANNELS};
    if (!stage_try(made, &ct_stage_beamformer, params, &input, &err)) fail_msg("%s", err.text);
    assert_int_equal(((const ct_beams *)made->step->state)->segment, segment);
    assert_int_equal(made->step->grain, 32);
}

/* A table of the block that begins with this sample of the stream. */
static ct_array table(const stage_case *made, int port, int64_t begin)
{
    ct_array fill = made->step->port[port];
    ct_error err = {0};
    ct_array_dense(&fill, NULL);
    fill.data = calloc(1, ct_array_bytes(&fill));
    fill.meta = made->step->port[0].meta;
    fill.meta.start_s += (double)begin * SAMPLE_S;
    assert_int_equal(
        ct_stage_beamformer.table(made->step, ct_stage_beamformer.ports[port].name, &fill, &err),
        CT_OK);
    return fill;
}

/* Against tables of blocks that are a segment each. */
static void check_block(const stage_case *made, const stage_case *whole, int64_t firing,
                        int64_t late)
{
    const int64_t segment = ((const ct_beams *)made->step->state)->segment;
    const int64_t block = ct_array_extent(&made->step->port[0], 'T');
    ct_array ports[CT_PORTS] = {0}, right = {0};
    ports[W] = table(made, W, firing * block - late);
    if (made->step->port[N].type != CT_NONE) ports[N] = table(made, N, firing * block - late);
    const size_t bytes = ct_array_bytes(&ports[W]) / (size_t)ports[W].extent[0];
    for (int64_t t = 0, last = -1; t < block; t++) {
        const int64_t k = ct_tracks_segment(made->step, ports, t);
        const int64_t number = (firing * block + t) / segment;
        assert_in_range(k, 0, ports[W].extent[0] - 1);
        if (number != last) {
            free(right.data);
            right = table(whole, W, number * segment - late);
        }
        assert_memory_equal((char *)ports[W].data + (size_t)k * bytes, right.data, bytes);
        last = number;
    }
    free(right.data);
    free(ports[W].data);
    free(ports[N].data);
}

/* The most of all segments that a block can touch, and no more. */
static void check_most(const stage_case *made)
{
    const int64_t segment = ((const ct_beams *)made->step->state)->segment;
    const int64_t block = ct_array_extent(&made->step->port[0], 'T');
    int64_t most = 0;
    for (int64_t firing = 0; firing < 2 * segment; firing++) {
        const int64_t first = firing * block / segment;
        const int64_t touched = (firing * block + block - 1) / segment - first + 1;
        most = touched > most ? touched : most;
    }
    assert_int_equal(ct_array_extent(&made->step->port[W], 'K'), most);
    assert_true((made->step->port[N].type == CT_NONE) == (most == 1 || block % segment == 0));
}

static const int64_t blocks[] = {32, 96, 128, 352, 1056, 4096, 5024, 8192};

/* `late`: samples that an earlier stage has left out at the stream's start. */
static void samples_have_their_weights(void **unused)
{
    (void)unused;
    for (int64_t segment = 32; segment <= 4096; segment *= 2) {
        stage_case whole;
        make(&whole, segment, segment, 2);
        assert_true(whole.step->port[N].type == CT_NONE);
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            stage_case made;
            make(&made, segment, blocks[b], 2);
            check_most(&made);
            for (int64_t firing = 0; firing < 7; firing++)
                check_block(&made, &whole, firing * firing, firing % 2 ? 5 : 0);
            stage_free(&made);
        }
        stage_free(&whole);
    }
}

static void check_default(stage_case *made, const char *what)
{
    for (int gpu = 0; gpu < 2; gpu++) {
        made->step->gpu = gpu;
        for (int p = 0; p < ct_step_ports(made->step); p++)
            if (made->step->port[p].type != CT_NONE) ct_array_dense(&made->step->port[p], NULL);
        ct_step_default_tunables(made->step);
        if (!ct_step_is_legal(made->step)) fail_msg("%s, GPU %d: not legal", what, gpu);
    }
}

static void defaults_are_legal(void **unused)
{
    (void)unused;
    for (int64_t segment = 32; segment <= 4096; segment *= 8)
        for (int64_t block = 32; block <= 8192; block += block < 512 ? 32 : 1952)
            for (int pols = 1; pols <= 2; pols++) {
                stage_case made;
                char what[96];
                snprintf(what, sizeof what, "segments of %d, blocks of %d, %d polarizations",
                         (int)segment, (int)block, pols);
                make(&made, segment, block, pols);
                check_default(&made, what);
                stage_free(&made);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_have_their_weights),
                                       cmocka_unit_test(defaults_are_legal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
