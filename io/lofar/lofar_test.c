/* lofar_test.c: station packets: numbers of samples, real files, and every way to go wrong. */
#include "io_trial.h"
#include "lofar_lane.h"
#include "lofar_plan.h"
#include <math.h>

extern const ct_stage ct_stage_source_lofar, ct_stage_sink_lofar;

static const char *const lanes[] = {
    "lofar/udp_16130.ucc1.2022-06-29T01:30:00.000", "lofar/udp_16131.ucc1.2022-06-29T01:30:00.000",
    "lofar/udp_16132.ucc1.2022-06-29T01:30:00.000", "lofar/udp_16133.ucc1.2022-06-29T01:30:00.000"};

static void packets_round_trip(void **unused)
{
    (void)unused;
    uint8_t bytes[CT_PACKET_HEADER];
    ct_packet packet = {.version = 3, .bits = 8, .station = 214, .beamlets = 122, .blocks = 16},
              out;
    for (int fast = 0; fast < 2; fast++)
        for (int64_t n = 323528554687400; n < 323528554888000; n += 7) {
            packet.fast = fast;
            ct_packet_set_sample(&packet, n);
            ct_packet_encode(bytes, &packet);
            ct_packet_decode(&out, bytes);
            assert_int_equal(ct_packet_sample(&out), n);
            assert_true(out.sequence < (fast ? 195313u : 156250u));
            assert_true(ct_packet_is_like(&out, &packet));
        }
    assert_int_equal(ct_packet_bytes(&packet), 7824);
}

/* ---- real files */

static void open_all(trial *t, const char *more)
{
    ct_error err[1] = {{0}};
    const char *path[4];
    for (int i = 0; i < 4; i++)
        path[i] = trial_data(lanes[i]);
    ct_status status =
        trial_make(t, &ct_stage_source_lofar, err, "{'files': ['%s', '%s', '%s', '%s']%s}", path[0],
                   path[1], path[2], path[3], more);
    if (status == CT_OK) status = ct_step_infer(t->step, err);
    if (status == CT_OK) status = ct_stage_source_lofar.io.open(t->step, &t->state, err);
    if (status != CT_OK) fail_msg("%s", err->text);
}

/* Sample `n` of a beamlet and polarization, straight from the file. */
static void raw_sample(const uint8_t *file, int64_t n, int beamlet, int p, int out[2])
{
    ct_packet packet;
    ct_packet_decode(&packet, file);
    int64_t away = n - ct_packet_sample(&packet);
    const uint8_t *at = file + away / 16 * 7824 + 16 + (beamlet * 16 + away % 16) * 4 + 2 * p;
    for (int k = 0; k < 2; k++)
        out[k] = at[k] < 128 ? at[k] : at[k] - 256;
}

static void lanes_are_aligned(void **unused)
{
    (void)unused;
    trial t;
    uint8_t *file[4], flags[4][500]; /* of each lane */
    int64_t got, seen = 0;
    size_t bytes;
    if (!trial_data(lanes[0])) skip();
    open_all(&t, "");
    const ct_array *port = &t.step->port[0];
    const ct_lofar_plan *plan = t.step->state;
    assert_string_equal(port->dim, "SPTC");
    assert_int_equal(ct_array_extent(port, 'C'), 488);
    assert_int_equal(ct_array_groups(port), 4);
    assert_int_equal(plan->start, 323528554687526);
    assert_int_equal(port->meta.total, 4096 - 16);
    assert_float_equal(port->meta.start_mjd + port->meta.start_s / 86400, 59759.0625, 1e-9);
    assert_float_equal(port->meta.start_s * 195312.5, 26.5,
                       1e-6); /* the middle of sample 26 of this second */
    for (int i = 0; i < 4; i++)
        file[i] = trial_read(trial_data(lanes[i]), &bytes);
    for (int64_t t0 = 0; t0 < 4080; t0 += 500) {
        int64_t index[4] = {0};
        trial_block(&t, 500, "CTSP", 3, 1);
        assert_ok(ct_stage_source_lofar.io.read(t.state, &t.block, flags[0], &got, err));
        assert_int_equal(got, t0 + 500 > 4080 ? 80 : 500);
        seen += got;
        do {
            int expected[2] = {0, 0};
            if (index[2] < got)
                raw_sample(file[index[3] / 122], plan->start + t0 + index[2], (int)index[3] % 122,
                           (int)index[1], expected);
            ct_complex found = ct_array_load(&t.block, trial_at(&t.block, index));
            assert_true(found.re == expected[0] && found.im == expected[1]);
        } while (trial_next(&t.block, index));
        for (int64_t i = 0; i < 4 * 500; i++)
            assert_int_equal(flags[i / 500][i % 500], i % 500 >= got);
    }
    assert_int_equal(seen, 4080);
    assert_ok(ct_stage_source_lofar.io.close(t.state, false, err));
    trial_free(&t);
    for (int i = 0; i < 4; i++)
        free(file[i]);
}

/* Only lane 0, whole: how many numbers are -128, with and without clamping. */
static void lowest_numbers_are_counted(void **unused)
{
    (void)unused;
    for (int clamp = 0; clamp < 2; clamp++) {
        trial t;
        int64_t got, lowest = 0, next = 0, index[4] = {0};
        if (!trial_data(lanes[0])) skip();
        assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "{'files': '%s', 'clamp': %s}",
                             trial_data(lanes[0]), clamp ? "true" : "false"));
        assert_ok(ct_step_infer(t.step, err));
        assert_ok(ct_stage_source_lofar.io.open(t.step, &t.state, err));
        trial_block(&t, 4096, "SCTP", 0, 1);
        assert_ok(ct_stage_source_lofar.io.read(t.state, &t.block, NULL, &got, err));
        assert_int_equal(got, 4096);
        do {
            ct_complex value = ct_array_load(&t.block, trial_at(&t.block, index));
            lowest += (value.re == -128) + (value.im == -128);
            next += (value.re == -127) + (value.im == -127);
        } while (trial_next(&t.block, index));
        assert_int_equal(lowest, clamp ? 0 : 983);
        assert_true(clamp ? next >= 983 : next < 983);
        assert_ok(ct_stage_source_lofar.io.close(t.state, true, err));
        trial_free(&t);
    }
}

static void one_sample(const char *path, const char *more, int64_t time, ct_complex out[2],
                       ct_type *type)
{
    trial t;
    int64_t got;
    assert_ok(trial_make(&t, &ct_stage_source_lofar, err, "{'files': ['%s']%s}", path, more));
    assert_ok(ct_step_infer(t.step, err));
    *type = t.step->port[0].type;
    assert_ok(ct_stage_source_lofar.io.open(t.step, &t.state, err));
    trial_block(&t, 32, "SPT", 0, 1);
    assert_ok(ct_stage_source_lofar.io.read(t.state, &t.block, NULL, &got, err));
    for (int64_t p = 0; p < 2; p++)
        out[p] = ct_array_load(&t.block, trial_at(&t.block, (int64_t[]){0, p, time}));
    assert_ok(ct_stage_source_lofar.io.close(t.state, true, err));
    trial_free(&t);
}

static void cobalts_values_are_found(void **unused)
{
    (void)unused;
    ct_complex found[2];
    ct_type type;
    const char *wide = trial_data("lofar/tRSP.in_16bit"),
               *narrow = trial_data("lofar/tRSP.in_8bit");
    if (!wide || !narrow) skip();
    one_sample(wide, ", 'beamlets': 2", 4, found, &type);
    assert_int_equal(type, CT_CI16);
    assert_true(found[0].re == -6 && found[0].im == -20);
    assert_true(found[1].re == -18 && found[1].im == -41);
    one_sample(narrow, ", 'beamlets': [2]", 4, found, &type);
    assert_int_equal(type, CT_CI8);
    assert_true(found[0].re == 3 && found[0].im == 0 && found[1].re == 0 && found[1].im == 0);
    one_sample(narrow, ", 'beamlets': [2], 'scale16': true", 4, found, &type);
    assert_int_equal(type, CT_CI16);
    assert_true(found[0].re == 48 && found[0].im == 0);
}

static void frequencies_come_from_subbands(void **unused)
{
    (void)unused;
    trial t;
    if (!trial_data(lanes[0])) skip();
    open_all(&t, ", 'beamlets': [17, 122], 'subbands': 12");
    assert_true(t.step->port[0].meta.frequency_hz[0] == 29 * 195312.5);
    assert_true(t.step->port[0].meta.frequency_hz[1] == 134 * 195312.5);
    assert_true(t.step->port[0].meta.channel_width_hz == 195312.5);
    assert_ok(ct_stage_source_lofar.io.close(t.state, true, err));
    trial_free(&t);
}

/* ---- packets of our own */

enum { S = 2, C = 6, T = 150 };

static double value_of(const int64_t *index, int64_t t0, int bits)
{
    double range = bits == 4 ? 15 : bits == 8 ? 255 : 65535;
    double sum = 17.0 * (double)index[0] + 5.0 * (double)index[1] + (double)(3 * (index[2] + t0)) +
                 29.0 * (double)index[3] * (bits == 16 ? 100 : 1);
    return fmod(sum, range) - floor(range / 2);
}

static void write_packets(ct_type type, int lane_count, const char *order)
{
    trial t;
    int bits = (int)ct_type_bits(type) / 2;
    assert_ok(trial_make(&t, &ct_stage_sink_lofar, err,
                         "{'file': '%s', 'lanes': %d, 'station': 40}", trial_path("v.udp"),
                         lane_count));
    ct_array *port = &t.step->port[0];
    port->type = type;
    ct_array_add(port, 'S', S);
    ct_array_add(port, 'P', 2);
    ct_array_add(port, 'T', 25);
    ct_array_add(port, 'C', C);
    ct_array_dense(port, NULL);
    port->meta = (ct_meta){.sample_time_s = 5.12e-6, .start_mjd = 59759.0625, .start_s = 0.75};
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_lofar.io.open(t.step, &t.state, err));
    for (int64_t t0 = 0; t0 < T; t0 += 25) {
        int64_t index[4] = {0};
        trial_block(&t, 26, order, 0, 1);
        do {
            double value = value_of(index, t0 - 1, bits);
            ct_array_save(&t.block, trial_at(&t.block, index), value, -value);
        } while (trial_next(&t.block, index));
        assert_ok(ct_stage_sink_lofar.io.write(t.state, &t.block, 1, 25, err));
    }
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

static void own_packets_round_trip(void **unused)
{
    static const ct_type types[] = {CT_CI4, CT_CI8, CT_CI16};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        trial t;
        int64_t got, index[4] = {0};
        int bits = (int)ct_type_bits(types[i]) / 2;
        write_packets(types[i], 2, i == 1 ? "SCTP" : "TPCS");
        assert_ok(trial_make(&t, &ct_stage_source_lofar, err,
                             "{'files': [['%s', '%s'], ['%s', '%s']]}", trial_path("v_S000_L0.udp"),
                             trial_path("v_S000_L1.udp"), trial_path("v_S001_L0.udp"),
                             trial_path("v_S001_L1.udp")));
        assert_ok(ct_step_infer(t.step, err));
        assert_int_equal(t.step->port[0].type, types[i]);
        assert_int_equal(t.step->port[0].meta.total, (T + 15) / 16 * 16);
        /* 0.75 s is sample 146484 and its middle at once */
        assert_float_equal(t.step->port[0].meta.start_s * 195312.5, 146484.5, 1e-6);
        assert_ok(ct_stage_source_lofar.io.open(t.step, &t.state, err));
        trial_block(&t, 160, i == 1 ? "SPCT" : "CSTP", 2, 1);
        assert_ok(ct_stage_source_lofar.io.read(t.state, &t.block, NULL, &got, err));
        assert_int_equal(got, 160);
        do {
            double expected = index[2] < T ? value_of(index, 0, bits) : 0;
            ct_complex found = ct_array_load(&t.block, trial_at(&t.block, index));
            assert_float_equal(found.re, expected, 0);
            assert_float_equal(found.im, -expected, 0);
        } while (trial_next(&t.block, index));
        assert_ok(ct_stage_source_lofar.io.close(t.state, true, err));
        trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_round_trip),
        cmocka_unit_test(lanes_are_aligned),
        cmocka_unit_test(lowest_numbers_are_counted),
        cmocka_unit_test(cobalts_values_are_found),
        cmocka_unit_test(frequencies_come_from_subbands),
        cmocka_unit_test(own_packets_round_trip),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
