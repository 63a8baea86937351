/* sigproc_test.c: .fil and .tim files: bits in their order, round trips, mistakes. */
#include "array_source.h"
#include "io_trial.h"
#include "sigproc.h"
#include <math.h>

extern const ct_stage ct_stage_source_sigproc, ct_stage_sink_sigproc;

static void bits_are_least_significant_first(void **unused)
{
    (void)unused;
    const uint8_t packed[] = {0x1b, 0xe4};
    const uint8_t ones[] = {1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1};
    const uint8_t twos[] = {3, 2, 1, 0, 0, 1, 2, 3}, fours[] = {11, 1, 4, 14};
    uint8_t out[16];
    ct_array_source_unpack(out, packed, 1, 0, 16);
    assert_memory_equal(out, ones, 16);
    ct_array_source_unpack(out, packed, 2, 0, 8);
    assert_memory_equal(out, twos, 8);
    ct_array_source_unpack(out, packed, 4, 0, 4);
    assert_memory_equal(out, fours, 4);
    ct_array_source_unpack(out, packed, 2, 3, 4);
    assert_memory_equal(out, twos + 3, 4);
}

/* 1 bit, 5 channels: samples do not begin at bytes. */
static void samples_may_begin_inside_a_byte(void **unused)
{
    (void)unused;
    trial t;
    ct_sigproc header = {0};
    uint8_t file[CT_SIGPROC_HEADER + 16];
    int64_t got;
    ct_sigproc_add(&header, "nchans", 5, NULL);
    ct_sigproc_add(&header, "nbits", 1, NULL);
    ct_sigproc_add(&header, "nifs", 1, NULL);
    size_t bytes = ct_sigproc_print(file, CT_SIGPROC_HEADER, &header);
    for (int i = 0; i < 5; i++) /* 8 samples of 5 bits */
        file[bytes + (size_t)i] = (uint8_t)(0x35 * (i + 3));
    trial_write(trial_path("bits.fil"), file, bytes + 5);
    assert_ok(
        trial_make(&t, &ct_stage_source_sigproc, err, "{'file': '%s'}", trial_path("bits.fil")));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].meta.total, 8);
    assert_ok(ct_stage_source_sigproc.io.open(t.step, &t.state, err));
    for (int64_t t0 = 0; t0 < 9; t0 += 3) {
        trial_block(&t, 3, "CT", 1, 1);
        assert_ok(ct_stage_source_sigproc.io.read(t.state, &t.block, NULL, &got, err));
        for (int64_t i = 0; i < 15; i++) {
            int64_t at[] = {i / 5, i % 5}, bit = (t0 + at[0]) * 5 + at[1];
            int expected = bit < 40 ? file[bytes + (size_t)bit / 8] >> bit % 8 & 1 : 0;
            assert_int_equal(ct_array_load(&t.block, trial_at(&t.block, at)).re, expected);
        }
    }
    assert_ok(ct_stage_source_sigproc.io.close(t.state, true, err));
    trial_free(&t);
}

enum { B = 2, T = 13, Q = 4, C = 5, D = 3 };

static const double frequencies[2][C] = {{150e6, 150.1e6, 150.2e6, 150.3e6, 150.4e6},
                                         {150.4e6, 150.3e6, 150.2e6, 150.1e6, 150e6}};

static double value_of(const ct_array *array, const int64_t *index, int64_t t0)
{
    double value = 0;
    const char *names = "BTQCD";
    const double weights[] = {1, 2, 31, 7, 53};
    for (int i = 0; i < array->rank; i++)
        value += weights[strchr(names, array->dim[i]) - names] *
                 (double)(index[i] + (array->dim[i] == 'T' ? t0 : 0));
    return fmod(value, 127);
}

static void write_all(ct_type type, const char *dims, bool descending, const char *order)
{
    static const double dm[D] = {0, 12.25, 100.5};
    trial t;
    assert_ok(trial_make(&t, &ct_stage_sink_sigproc, err, "{'file': '%s'}", trial_path("o.fil")));
    ct_array *port = &t.step->port[0];
    port->type = type;
    for (const char *dim = dims; *dim; dim++)
        ct_array_add(port, *dim,
                     *dim == 'B'   ? B
                     : *dim == 'Q' ? Q
                     : *dim == 'C' ? C
                     : *dim == 'D' ? D
                                   : 4);
    ct_array_dense(port, NULL);
    port->meta = (ct_meta){.sample_time_s = 81.92e-6, .start_mjd = 59000.125, .total = T};
    port->meta.start_s = 0.5 * 81.92e-6;
    port->meta.telescope = "lofar";
    port->meta.dm = dm, port->meta.dms = D;
    if (strchr(dims, 'C')) {
        port->meta.frequency_hz = frequencies[descending];
        port->meta.frequencies = C;
        port->meta.channel_width_hz = 0.1e6;
    }
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_sigproc.io.open(t.step, &t.state, err));
    for (int64_t t0 = 0; t0 < T; t0 += 4) {
        int64_t index[CT_DIMS] = {0};
        trial_block(&t, 5, order, 0, 2);
        do
            ct_array_save(&t.block, trial_at(&t.block, index), value_of(&t.block, index, t0 - 1),
                          0);
        while (trial_next(&t.block, index));
        assert_ok(
            ct_stage_sink_sigproc.io.write(t.state, &t.block, 1, T - t0 < 4 ? T - t0 : 4, err));
    }
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

/* Reads one of the files back. */
static void check_file(const char *name, ct_type type, const char *dims, int64_t b, int64_t d,
                       bool descending)
{
    trial t;
    int64_t got, index[CT_DIMS] = {0};
    assert_ok(trial_make(&t, &ct_stage_source_sigproc, err, "{'file': '%s'}", trial_path(name)));
    assert_ok(ct_step_infer(t.step, err));
    const ct_array *port = &t.step->port[0];
    assert_string_equal(port->dim, dims);
    assert_int_equal(port->type, type);
    assert_int_equal(port->meta.total, T);
    assert_string_equal(port->meta.telescope, "LOFAR");
    assert_true(port->meta.sample_time_s == 81.92e-6 && port->meta.start_mjd == 59000.125);
    if (strchr(dims, 'C')) assert_memory_equal(port->meta.frequency_hz, frequencies[1], 8 * C);
    if (strchr(dims, 'D')) assert_true(port->meta.dm[0] == (d == 1 ? 12.25 : 100.5));
    assert_ok(ct_stage_source_sigproc.io.open(t.step, &t.state, err));
    trial_block(&t, T, dims, 0, 1);
    assert_ok(ct_stage_source_sigproc.io.read(t.state, &t.block, NULL, &got, err));
    do {
        int64_t c = ct_array_find(&t.block, 'C'), q = ct_array_find(&t.block, 'Q');
        int64_t channel = c < 0 ? 0 : descending ? index[c] : C - 1 - index[c];
        double expected = (double)b + 2.0 * (double)index[ct_array_find(&t.block, 'T')] +
                          7.0 * (double)channel + 31.0 * (double)(q < 0 ? 0 : index[q]) +
                          53.0 * (double)d;
        assert_float_equal(ct_array_load(&t.block, trial_at(&t.block, index)).re,
                           fmod(expected, 127), 0);
    } while (trial_next(&t.block, index));
    assert_ok(ct_stage_source_sigproc.io.close(t.state, true, err));
    trial_free(&t);
}

static void filterbanks_round_trip(void **unused)
{
    static const ct_type types[] = {CT_U8, CT_I8, CT_U16, CT_F32};
    (void)unused;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (int descending = 0; descending < 2; descending++) {
            write_all(types[i], "TC", descending, i % 2 ? "CT" : "TC");
            check_file("o.fil", types[i], "TC", 0, 0, descending);
            write_all(types[i], "BQTC", descending, "CBTQ");
            check_file("o_B000.fil", types[i], "TQC", 0, 0, descending);
            check_file("o_B001.fil", types[i], "TQC", 1, 0, descending);
        }
}

static void series_round_trip(void **unused)
{
    (void)unused;
    write_all(CT_F32, "BDT", false, "DBT");
    check_file("o_B001_DM12.250.fil", CT_F32, "DT", 1, 1, false);
    check_file("o_B000_DM100.500.fil", CT_F32, "DT", 0, 2, false);
}

/* What was written reads and writes to the same bytes. */
static void files_round_trip(void **unused)
{
    (void)unused;
    trial in, out;
    int64_t got;
    size_t bytes, again;
    write_all(CT_U8, "TQC", true, "TQC");
    assert_ok(
        trial_make(&in, &ct_stage_source_sigproc, err, "{'file': '%s'}", trial_path("o.fil")));
    assert_ok(trial_make(&out, &ct_stage_sink_sigproc, err, "{'file': '%s'}", trial_path("p.fil")));
    assert_ok(ct_step_infer(in.step, err));
    out.step->port[0] = in.step->port[0];
    assert_ok(ct_stage_source_sigproc.io.open(in.step, &in.state, err));
    assert_ok(ct_stage_sink_sigproc.io.open(out.step, &out.state, err));
    trial_block(&in, T, "TQC", 0, 1);
    assert_ok(ct_stage_source_sigproc.io.read(in.state, &in.block, NULL, &got, err));
    assert_ok(ct_stage_sink_sigproc.io.write(out.state, &in.block, 0, got, err));
    assert_ok(trial_close(&out, true, err));
    assert_ok(ct_stage_source_sigproc.io.close(in.state, true, err));
    uint8_t *a = trial_read(trial_path("o.fil"), &bytes),
            *b = trial_read(trial_path("p.fil"), &again);
    assert_int_equal(bytes, again);
    assert_memory_equal(a, b, bytes);
    free(a), free(b);
    trial_free(&in), trial_free(&out);
}

/* The header that is written for a file's array after so many samples have been added up. */
static double start_after(double tstart, double tsamp, int64_t added)
{
    trial in, out;
    uint8_t file[CT_SIGPROC_HEADER + 16] = {0};
    ct_sigproc header = {0};
    ct_sigproc_add(&header, "tstart", tstart, NULL);
    ct_sigproc_add(&header, "tsamp", tsamp, NULL);
    ct_sigproc_add(&header, "fch1", 1400, NULL);
    trial_write(trial_path("t.fil"), file, ct_sigproc_print(file, CT_SIGPROC_HEADER, &header) + 16);
    assert_ok(
        trial_make(&in, &ct_stage_source_sigproc, err, "{'file': '%s'}", trial_path("t.fil")));
    assert_ok(ct_step_infer(in.step, err));
    assert_ok(trial_make(&out, &ct_stage_sink_sigproc, err, "{'file': '%s'}", trial_path("u.fil")));
    ct_array *port = &out.step->port[0];
    *port = in.step->port[0];
    assert_true(port->meta.start_mjd == tstart && port->meta.start_s == 0.5 * tsamp);
    port->meta.sample_time_s *= (double)added;
    port->meta.start_s += 0.5 * (double)(added - 1) * tsamp; /* as detection and dedispersion do */
    assert_ok(ct_step_infer(out.step, err));
    assert_ok(ct_stage_sink_sigproc.io.open(out.step, &out.state, err));
    assert_ok(trial_close(&out, true, err));
    trial_free(&in), trial_free(&out);
    ct_input again;
    assert_ok(ct_input_open(&again, trial_path("u.fil"), err));
    assert_ok(ct_sigproc_read(&header, &again, err));
    ct_input_close(&again);
    assert_true(ct_sigproc_real(&header, "tsamp", 0) == tsamp * (double)added);
    return ct_sigproc_real(&header, "tstart", 0);
}

/* As with SIGPROC's decimate: the first sample's leading edge is where it was. */
static void tstart_stays(void **unused)
{
    (void)unused;
    static const double starts[] = {0, 51544.5, 59000.123456789012, 60310.999999999993};
    static const double spacings[] = {81.92e-6, 1.2656e-3, 0.1, 1. / 3};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            for (int64_t added = 1; added <= 1024; added = added * 2 + added % 2)
                assert_true(start_after(starts[i], spacings[k], added) == starts[i]);
}

static void fails_with(const uint8_t *file, size_t bytes, const char *part)
{
    trial t;
    trial_write(trial_path("bad.fil"), file, bytes);
    assert_ok(
        trial_make(&t, &ct_stage_source_sigproc, err, "{'file': '%s'}", trial_path("bad.fil")));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, part);
    trial_free(&t);
}

static void bad_files_are_named(void **unused)
{
    (void)unused;
    uint8_t file[CT_SIGPROC_HEADER];
    ct_sigproc header = {0};
    ct_sigproc_add(&header, "nchans", 5, NULL);
    ct_sigproc_add(&header, "nbits", 8, NULL);
    size_t bytes = ct_sigproc_print(file, sizeof file, &header);
    memset(file + bytes, 1, 64);
    fails_with(file, bytes, "expected samples of 40 bits");
    fails_with(file, bytes + 4, "expected samples of 40 bits");
    fails_with(file, bytes - 1, "ends after");
    fails_with(file, 10, "another kind of file");
    file[21] = 'x'; /* nchans */
    fails_with(file, bytes + 5, "expected nchans");
    file[16] = 200;
    fails_with(file, bytes + 5, "length of 200");
    header.count = 0;
    ct_sigproc_add(&header, "nbits", 7, NULL);
    bytes = ct_sigproc_print(file, sizeof file, &header);
    fails_with(file, bytes + 8, "found 7");
}

static void frequency_tables_are_read(void **unused)
{
    (void)unused;
    trial t;
    uint8_t file[CT_SIGPROC_HEADER];
    static const char head[] = "\x0c\0\0\0HEADER_START\x0f\0\0\0FREQUENCY_START";
    static const char channel[12] = {8, 0, 0, 0, 'f', 'c', 'h', 'a', 'n', 'n', 'e', 'l'};
    size_t at = sizeof head - 1;
    memcpy(file, head, at);
    for (int c = 0; c < 3; c++) {
        double mhz = 150 + c * c;
        memcpy(file + at, channel, sizeof channel);
        memcpy(file + at + 12, &mhz, 8);
        at += 20;
    }
    static const char tail[] = "\x0d\0\0\0FREQUENCY_END\x0a\0\0\0HEADER_END123456";
    memcpy(file + at, tail, sizeof tail - 1);
    trial_write(trial_path("table.fil"), file, at + sizeof tail - 1);
    assert_ok(
        trial_make(&t, &ct_stage_source_sigproc, err, "{'file': '%s'}", trial_path("table.fil")));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].meta.frequencies, 3);
    assert_true(t.step->port[0].meta.frequency_hz[2] == 154e6);
    assert_int_equal(t.step->port[0].meta.total, 2);
    trial_free(&t);
}

static void sink_refuses(const char *dims, ct_type type, const double *frequency, const char *part)
{
    trial t;
    assert_ok(trial_make(&t, &ct_stage_sink_sigproc, err, "{'file': '%s'}", trial_path("no.fil")));
    ct_array *port = &t.step->port[0];
    port->type = type;
    for (const char *dim = dims; *dim; dim++)
        ct_array_add(port, *dim, 3);
    port->meta.frequency_hz = frequency;
    port->meta.frequencies = frequency ? 3 : 0;
    port->meta.sample_time_s = strcmp(dims, "T") == 0 ? 0 : 1e-3;
    assert_fails(ct_stage_sink_sigproc.infer(t.step, err), CT_INVALID, part);
    trial_free(&t);
}

static void sink_says_what_it_takes(void **unused)
{
    static const double uneven[] = {1e8, 2e8, 4e8};
    (void)unused;
    sink_refuses("TC", CT_F32, NULL, "frequency_hz");
    sink_refuses("TC", CT_F32, uneven, "equal spacing");
    sink_refuses("TPC", CT_F32, uneven, "TPC");
    sink_refuses("DT", CT_U8, NULL, "f32");
    sink_refuses("T", CT_F32, NULL, "sample_time_s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_least_significant_first),
        cmocka_unit_test(samples_may_begin_inside_a_byte),
        cmocka_unit_test(filterbanks_round_trip),
        cmocka_unit_test(series_round_trip),
        cmocka_unit_test(files_round_trip),
        cmocka_unit_test(tstart_stays),
        cmocka_unit_test(bad_files_are_named),
        cmocka_unit_test(frequency_tables_are_read),
        cmocka_unit_test(sink_says_what_it_takes),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
