/* vdif_test.c: VDIF frames: headers, times, levels, and what is written is read. */
#include "io_trial.h"
#include "vdif.h"
#include "vdif_levels.h"
#include <math.h>

extern const ct_stage ct_stage_source_vdif, ct_stage_sink_vdif;

static void headers_are_what_they_say(void **unused)
{
    static const uint8_t first[] = {0x78, 0x56, 0x34, 0x92, 0x03, 0x02, 0x01, 0x2a,
                                    0x75, 0x02, 0x00, 0x23, 0x66, 0x45, 0x05, 0x84,
                                    0x10, 0x00, 0x80, 0x03, 0xed, 0xfe, 0xab, 0xac};
    uint8_t bytes[CT_VDIF_HEADER] = {0};
    (void)unused;
    ct_vdif header;
    memcpy(bytes, first, sizeof first);
    assert_true(ct_vdif_read(&header, bytes));
    assert_true(header.invalid && !header.legacy && header.complex);
    assert_int_equal(header.second, 0x12345678);
    assert_int_equal(header.epoch, 42);
    assert_int_equal(header.frame, 0x10203);
    assert_int_equal(header.bytes, 629 * 8);
    assert_int_equal(header.channels, 8);
    assert_int_equal(header.bits, 2);
    assert_int_equal(header.thread, 5);
    assert_int_equal(header.station, 0x4566);
    assert_int_equal(header.edv, 3);
    assert_int_equal(header.rate_hz, 16000000);
    uint8_t again[CT_VDIF_HEADER] = {0};
    ct_vdif_print(again, &header);
    assert_memory_equal(again, bytes, CT_VDIF_HEADER);
    bytes[20] ^= 1; /* no sync word */
    assert_false(ct_vdif_read(&header, bytes));
}

/* 2000-01-01 is MJD 51544; a leap second ended 2005, 2008, 2016, and 2012-06, 2015-06. */
static void epochs_are_half_years(void **unused)
{
    static const struct {
        int64_t epoch, second, day, of_day;
    } rows[] = {{0, 0, 51544, 0},
                {1, 5, 51726, 5},
                {42, 1000, 59215, 1000},
                {43, 86400, 59397, 0},
                {33, 184 * 86400, 57753, 86400},
                {33, 184 * 86400 + 1, 57754, 0},
                {0, 514629935, 57500, 31531}};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t day, second;
        ct_vdif header = {.epoch = rows[i].epoch, .second = rows[i].second}, again = {0};
        ct_vdif_date(ct_vdif_second(&header), &day, &second);
        assert_int_equal(day, rows[i].day);
        assert_int_equal(second, rows[i].of_day);
        ct_vdif_set_second(&again, ct_vdif_second(&header));
        assert_int_equal(ct_vdif_second(&again), ct_vdif_second(&header));
        assert_true(again.second >= 0 && again.second <= 184 * 86400);
    }
}

/* The level is the mean of what lies above sigma, in units of the mean of what lies below. */
static void levels_lose_least(void **unused)
{
    (void)unused;
    const double e = exp(1), part = erf(sqrt(0.5));
    assert_float_equal((double)CT_VDIF_HIGH, 1 / ((sqrt(e) - 1) * (1 / part - 1)), 1e-6);
    assert_float_equal((double)CT_VDIF_SIGMA, sqrt(acos(-1) / 2) * part / (1 - exp(-0.5)), 1e-6);
}

/* Every byte of 1, 2 and 4 bits, from every place; 8 and 16 bits. */
static void codes_are_offset_binary(void **unused)
{
    static const double two[] = {-(double)CT_VDIF_HIGH, -1, 1, (double)CT_VDIF_HIGH};
    (void)unused;
    for (int bits = 1; bits <= 16; bits *= 2) {
        ct_vdif_levels levels;
        uint8_t payload[512], again[512] = {0}, to[4096 * 4];
        ct_array found = {.type = ct_vdif_type(bits, false), .rank = 1, .data = to};
        for (int i = 0; i < 512; i++)
            payload[i] = (uint8_t)(i / (bits == 16 ? 2 : 1) * 7);
        ct_vdif_levels_make(&levels, bits);
        const int64_t count = 4096 / bits;
        for (int64_t first = 0; first < 17; first += first + 1) {
            ct_vdif_decode(&levels, to, payload, first, count - first - 3);
            for (int64_t i = 0; i < count - first - 3; i++) {
                const int64_t at = (first + i) * bits;
                const int wide = payload[at / 8] | (bits == 16 ? payload[at / 8 + 1] << 8 : 0);
                const int code = wide >> at % 8 & ((1 << bits) - 1);
                const double expected = bits == 1   ? 2 * code - 1
                                        : bits == 2 ? two[code]
                                                    : code - (1 << (bits - 1));
                assert_true(fabs(ct_array_load(&found, i).re - expected) < 1e-6);
            }
        }
        ct_vdif_decode(&levels, to, payload, 0, count);
        ct_vdif_encode(again, bits, found.type, to, count, 1);
        assert_memory_equal(again, payload, 512);
    }
}

static void numbers_are_rounded_and_cut(void **unused)
{
    static const float in[] = {-9, -2.2f, -2.1f, -0.1f, 0, 2.1f, 2.2f, NAN};
    static const struct {
        int bits;
        uint8_t codes[8];
    } rows[] = {{1, {0, 0, 0, 0, 1, 1, 1, 1}},
                {2, {0, 0, 1, 1, 2, 2, 3, 2}},
                {4, {0, 6, 6, 8, 8, 10, 10, 8}},
                {8, {119, 126, 126, 128, 128, 130, 130, 128}}};
    (void)unused;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint8_t payload[8] = {0};
        ct_vdif_encode(payload, rows[r].bits, CT_F32, in, 8, 1);
        for (int i = 0; i < 8; i++) {
            const int at = i * rows[r].bits;
            assert_int_equal(payload[at / 8] >> at % 8 & ((1 << rows[r].bits) - 1),
                             rows[r].codes[i]);
        }
    }
}

/* ---- the sink */

/* A stream of this type, of numbers that `bits` keep; written, and read again. */
static void round_trip(const ct_array *in, const char *json, const char *more, int64_t lead)
{
    trial t, u;
    int64_t got, index[CT_DIMS] = {0};
    assert_ok(
        trial_make(&t, &ct_stage_sink_vdif, err, "{'file': '%s'%s}", trial_path("r.vdif"), json));
    t.step->port[0] = *in;
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_vdif.io.open(t.step, &t.state, err));
    const int64_t samples = ct_array_extent(in, 'T');
    for (int64_t first = 0; first < samples; first += 61)
        assert_ok(ct_stage_sink_vdif.io.write(t.state, in, first,
                                              samples - first < 61 ? samples - first : 61, err));
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
    assert_ok(trial_make(&u, &ct_stage_source_vdif, err, "{'files': '%s'%s}", trial_path("r.vdif"),
                         more));
    assert_ok(ct_step_infer(u.step, err));
    const ct_meta *meta = &u.step->port[0].meta;
    const double start = (meta->start_mjd - in->meta.start_mjd) * 86400 + meta->start_s;
    assert_float_equal(start + (double)lead * meta->sample_time_s, in->meta.start_s, 2e-6);
    assert_ok(ct_stage_source_vdif.io.open(u.step, &u.state, err));
    trial_block(&u, lead + samples, u.step->port[0].dim, 0, 1);
    assert_ok(ct_stage_source_vdif.io.read(u.state, &u.block, NULL, &got, err));
    assert_int_equal(got, lead + samples);
    do {
        int64_t at = u.block.offset, from = 0;
        for (int i = 0; i < in->rank; i++) {
            at +=
                (index[i] + (in->dim[i] == 'T' ? lead : 0)) * ct_array_stride(&u.block, in->dim[i]);
            from += index[i] * in->stride[i];
        }
        const ct_complex a = ct_array_load(in, from), b = ct_array_load(&u.block, at);
        assert_true(a.re == b.re && a.im == b.im);
    } while (trial_next(in, index));
    assert_ok(ct_stage_source_vdif.io.close(u.state, true, err));
    trial_free(&u);
}

/* Levels, or numbers of so many bits, in any order; two stations would be two files. */
static void what_is_written_is_read(void **unused)
{
    static const struct {
        ct_type type;
        const char *dims, *json, *more;
        int bits;
    } rows[] = {{CT_F32, "PT", "", "", 2},
                {CT_CF32, "T", ", 'bits': 1", "", 1},
                {CT_CI8, "TPC", "", "", 8},
                {CT_CI8, "CTP", ", 'bits': 4, 'legacy': true", ", 'sample_rate_hz': 64000", 4},
                {CT_I8, "TC", ", 'edv': 0", ", 'sample_rate_hz': 64000", 8},
                {CT_CI16, "PTC", ", 'threads': 'channels'", ", 'polarizations': 'threads'", 16},
                {CT_I16, "T", ", 'edv': 3", "", 16}};
    (void)unused;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        ct_array in = {.type = rows[r].type, .meta = {.sample_time_s = 1 / 64000.0}};
        const bool long_frames = strstr(rows[r].json, "3") != NULL;
        char json[200];
        for (const char *dim = rows[r].dims; *dim; dim++)
            ct_array_add(&in, *dim, *dim == 'T' ? 1000 : *dim == 'P' ? 2 : 4);
        ct_array_dense(&in, NULL);
        in.data = calloc(1, ct_array_bytes(&in));
        const int64_t count = ct_array_count(&in), half = 1 << (rows[r].bits - 1);
        for (int64_t i = 0; i < count; i++) {
            const double levels[] = {-(double)CT_VDIF_HIGH, -1, 1, (double)CT_VDIF_HIGH};
            const bool few = rows[r].bits < 3;
            const int64_t n = i * 7919 % (2 * half), m = i * 104729 % (2 * half);
            const int first = rows[r].bits == 1;
            ct_array_save(&in, i, few ? levels[n + first] : (double)(n - half),
                          few ? levels[m + first] : (double)(m - half));
        }
        in.meta.start_mjd = 59215.5;
        in.meta.start_s = 0.25 + 7.5 / 64000;
        in.meta.total = 1000;
        snprintf(json, sizeof json, "%s, 'samples_per_frame': %d", rows[r].json,
                 long_frames ? 500 : 320);
        round_trip(&in, json, rows[r].more, (16000 + 7) % (long_frames ? 500 : 320));
        free(in.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_what_they_say),   cmocka_unit_test(epochs_are_half_years),
        cmocka_unit_test(levels_lose_least),           cmocka_unit_test(codes_are_offset_binary),
        cmocka_unit_test(numbers_are_rounded_and_cut), cmocka_unit_test(what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
