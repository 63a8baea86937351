/* dada_test.c: PSRDADA files: what a header says, sequences, round trips, mistakes. */
#include "dada.h"
#include "io_trial.h"
#include <math.h>

extern const ct_stage ct_stage_source_dada, ct_stage_sink_dada;

enum { MOST = 16384 };

/* A header of this size, then `bytes` bytes of data that count. */
static void write_dada(const char *name, size_t head, const char *keys, size_t bytes, int first)
{
    uint8_t file[MOST] = {0};
    const int length =
        snprintf((char *)file, head, "HEADER DADA\nHDR_SIZE %zu # bytes\n%s", head, keys);
    assert_true(length > 0 && (size_t)length < head && head + bytes <= MOST);
    for (size_t i = 0; i < bytes; i++)
        file[head + i] = (uint8_t)(first + (int)i);
    trial_write(trial_path(name), file, head + bytes);
}

#define VOLTAGES                                                                                   \
    "UTC_START 2021-05-03-12:00:00\nNBIT 8\nNDIM 2\nNPOL 2\nNCHAN 3\nTSAMP 2.5 # us\nFREQ 1400\n"  \
    "BW -3\nTELESCOPE MeerKAT\nSOURCE  J0437-4715 \n"

static void make(trial *t, const char *files)
{
    assert_ok(trial_make(t, &ct_stage_source_dada, err, "{'files': %s}", files));
    assert_ok(ct_step_infer(t->step, err));
}

static const char *named(const char *name)
{
    static char text[4][600];
    static unsigned next;
    char *out = text[next++ % 4];
    snprintf(out, 600, "'%s'", trial_path(name));
    return out;
}

/* start = UTC_START + OBS_OFFSET / bytes per second, and half a sample. */
static void headers_are_read(void **unused)
{
    (void)unused;
    trial t;
    write_dada("a.dada", 512, VOLTAGES "OBS_OFFSET 1200\n", 120, 0);
    make(&t, named("a.dada"));
    const ct_array *port = &t.step->port[0];
    const ct_meta *meta = &port->meta;
    assert_string_equal(port->dim, "SPTC");
    assert_int_equal(port->type, CT_CI8);
    assert_int_equal(meta->total, 10);
    assert_true(meta->start_mjd == 59337.5 && meta->sample_time_s == 2.5e-6);
    assert_float_equal(meta->start_s, 100.5 * 2.5e-6, 1e-15);
    assert_true(meta->frequency_hz[0] == 1401e6 && meta->frequency_hz[2] == 1399e6);
    assert_true(meta->channel_width_hz == 1e6);
    assert_string_equal(meta->telescope, "MeerKAT");
    assert_string_equal(meta->source_name, "J0437-4715");
    trial_free(&t);
}

/* T, C, P in the file, whatever the block's order; HDR_SIZE is heeded. */
static void check_block(trial *t, const char *order, int64_t from, int64_t total)
{
    int64_t got, index[CT_DIMS] = {0};
    trial_block(t, 7, order, 0, 1);
    assert_ok(ct_stage_source_dada.io.read(t->state, &t->block, NULL, &got, err));
    assert_int_equal(got, total - from < 7 ? total - from : 7);
    do {
        const int64_t at = ((from + index[2]) * 3 + index[3]) * 2 + index[1];
        const ct_complex found = ct_array_load(&t->block, trial_at(&t->block, index));
        const bool there = index[2] < got;
        assert_true(found.re == (there ? (int8_t)(2 * at) : 0));
        assert_true(found.im == (there ? (int8_t)(2 * at + 1) : 0));
    } while (trial_next(&t->block, index));
}

static void samples_are_in_their_places(void **unused)
{
    static const size_t heads[] = {512, 4096, 8192};
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        trial t;
        write_dada("b.dada", heads[i], VOLTAGES, 120, 0);
        make(&t, named("b.dada"));
        assert_ok(ct_stage_source_dada.io.open(t.step, &t.state, err));
        check_block(&t, "CPTS", 0, 10);
        check_block(&t, "SPTC", 7, 10);
        assert_ok(ct_stage_source_dada.io.close(t.state, true, err));
        trial_free(&t);
    }
}

/* Three files, of which the second ends within a sample; then one is missing. */
static void sequences_are_joined(void **unused)
{
    (void)unused;
    trial t;
    char files[2048];
    write_dada("s0.dada", 512, VOLTAGES "OBS_OFFSET 24\n", 48, 0);
    write_dada("s1.dada", 4096, VOLTAGES "OBS_OFFSET 72\n", 30, 48);
    write_dada("s2.dada", 512, VOLTAGES "OBS_OFFSET 102\n", 43, 78);
    snprintf(files, sizeof files, "[%s, %s, %s]", named("s0.dada"), named("s1.dada"),
             named("s2.dada"));
    make(&t, files);
    assert_int_equal(t.step->port[0].meta.total, 10);
    assert_float_equal(t.step->port[0].meta.start_s, 2.5 * 2.5e-6, 1e-15);
    assert_non_null(strstr(ct_step_warned(t.step), "s2.dada: ends within a sample: its last 1 "));
    assert_ok(ct_stage_source_dada.io.open(t.step, &t.state, err));
    check_block(&t, "TCPS", 0, 10);
    check_block(&t, "CPTS", 7, 10);
    assert_ok(ct_stage_source_dada.io.close(t.state, true, err));
    trial_free(&t);
    snprintf(files, sizeof files, "[%s, %s]", named("s0.dada"), named("s2.dada"));
    assert_ok(trial_make(&t, &ct_stage_source_dada, err, "{'files': %s}", files));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, "OBS_OFFSET: expected 72, where ");
    trial_free(&t);
    write_dada("s1.dada", 4096, VOLTAGES "OBS_OFFSET 72\nTSAMP 5\n", 30, 48);
    snprintf(files, sizeof files, "[%s, %s]", named("s0.dada"), named("s1.dada"));
    assert_ok(trial_make(&t, &ct_stage_source_dada, err, "{'files': %s}", files));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, "TSAMP: expected 2.5 as in ");
    trial_free(&t);
}

static void fails(const char *keys, const char *part)
{
    trial t;
    write_dada("f.dada", 512, keys, 24, 0);
    assert_ok(trial_make(&t, &ct_stage_source_dada, err, "{'files': %s}", named("f.dada")));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, part);
    trial_free(&t);
}

static void bad_headers_are_named(void **unused)
{
    (void)unused;
    fails("NCHAN 2\n", "no line NBIT");
    fails("NBIT 7\n", "expected NBIT 8, 16 or 32");
    fails("NBIT 8\nTSAMP 0\n", "TSAMP: expected a number above 0, found 0 microseconds");
    fails("NBIT 8\nTSAMP nan\n", "TSAMP: expected a number, found \"nan\"");
    fails("NBIT 8\nFREQ -20\n", "FREQ: expected a number above 0, found -20 MHz");
    fails("NBIT 8\nBW 1e300\n", "BW: expected 0 or");
    fails("NBIT 8\nNCHAN 1e30\n", "NCHAN: expected a whole number from 1 to 4194304, found 1e30");
    fails("NBIT 8\nNPOL two\n", "NPOL: expected a number, found \"two\"");
    fails("NBIT 8\nORDER TFTP\n", "ORDER: expected TFP");
    fails("NBIT 8\nUTC_START yesterday\n", "UTC_START: expected yyyy-mm-dd-hh:mm:ss");
    fails("NBIT 8\nUTC_START 2021-02-29-12:00:00\n", "UTC_START: expected yyyy-mm-dd-hh:mm:ss");
    fails("NBIT 32\nNCHAN 100\n", "expected samples of 100 numbers");
    fails("NBIT 8\nHDR_SIZE 100000\n", "expected samples after the header of 100000 bytes");
}

static void days_are_counted(void **unused)
{
    static const struct {
        const char *utc;
        double mjd;
    } rows[] = {{"1970-01-01-00:00:00", 40587},
                {"2000-02-29-12:00:00", 51603.5},
                {"2000-03-01-00:00:00", 51604},
                {"2021-12-31-23:59:59", 59579 + 86399. / 86400},
                {"2100-03-01-06:00:00", 88128.25}};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[CT_DADA_TEXT];
        double mjd;
        assert_true(ct_dada_mjd(&mjd, rows[i].utc));
        assert_true(mjd == rows[i].mjd);
        ct_dada_utc(text, llround(mjd * 86400));
        assert_string_equal(text, rows[i].utc);
    }
}

/* ---- round trips */

/* Reads a file into one block and writes it again. */
static void copy_dada(const char *from, const char *to)
{
    trial in, out;
    int64_t got;
    make(&in, named(from));
    assert_ok(trial_make(&out, &ct_stage_sink_dada, err, "{'file': %s}", named(to)));
    const int64_t total = in.step->port[0].meta.total;
    out.step->port[0] = in.step->port[0];
    out.step->port[0].meta.total = -1;
    assert_ok(ct_step_infer(out.step, err));
    assert_ok(ct_stage_source_dada.io.open(in.step, &in.state, err));
    assert_ok(ct_stage_sink_dada.io.open(out.step, &out.state, err));
    for (int64_t done = 0; done < total; done += got) {
        trial_block(&in, 4, in.step->port[0].dim, 0, 1);
        assert_ok(ct_stage_source_dada.io.read(in.state, &in.block, NULL, &got, err));
        assert_ok(ct_stage_sink_dada.io.write(out.state, &in.block, 0, got, err));
    }
    assert_ok(trial_close(&out, true, err));
    assert_ok(ct_stage_source_dada.io.close(in.state, true, err));
    trial_free(&in), trial_free(&out);
}

static void check_copy(size_t head, const char *keys, size_t bytes)
{
    size_t a_bytes, b_bytes, c_bytes;
    char expected[64];
    write_dada("c.dada", head, keys, bytes, 3);
    copy_dada("c.dada", "d.dada");
    copy_dada("d.dada", "e.dada");
    uint8_t *a = trial_read(trial_path("c.dada"), &a_bytes);
    uint8_t *b = trial_read(trial_path("d.dada"), &b_bytes);
    uint8_t *c = trial_read(trial_path("e.dada"), &c_bytes);
    assert_int_equal(b_bytes, CT_DADA_HEADER + bytes);
    assert_memory_equal(a + head, b + CT_DADA_HEADER, bytes);
    assert_int_equal(b_bytes, c_bytes);
    assert_memory_equal(b, c, b_bytes);
    snprintf(expected, sizeof expected, "\nFILE_SIZE       %zu\n", bytes);
    assert_non_null(strstr((char *)b, expected));
    free(a), free(b), free(c);
}

static void files_round_trip(void **unused)
{
    (void)unused;
    size_t bytes;
    check_copy(512, VOLTAGES "OBS_OFFSET 1200\n", 120);
    char *text = (char *)trial_read(trial_path("d.dada"), &bytes);
    assert_non_null(strstr(text, "\nUTC_START       2021-05-03-12:00:00\nMJD_START       "
                                 "59337.500000000000000\nOBS_OFFSET      1200\n"));
    assert_non_null(
        strstr(text, "\nFREQ            1400\nBW              -3\nTSAMP           2.5"));
    assert_non_null(strstr(text, "\nSTATE           Analytic\n"));
    free(text);
    check_copy(4096, VOLTAGES "PICOSECONDS 123456789\n", 120);
    check_copy(4096, "NBIT 32\nNDIM 1\nNPOL 4\nNCHAN 2\nSTATE Stokes\nTSAMP 100\n", 32 * 6);
    check_copy(4096, "NBIT 8\nNDIM 1\nSTATE Intensity\nNCHAN 5\nTSAMP 64\nFREQ 600\nBW 50\n", 45);
    check_copy(4096, "NBIT 16\nNDIM 1\nNPOL 2\nTSAMP 0.0025\nUTC_START 2020-02-29-23:59:59\n", 64);
}

/* Without the date readers have no time, without frequencies no band. */
static void what_readers_need_is_warned_of(void **unused)
{
    (void)unused;
    trial t;
    assert_ok(trial_make(&t, &ct_stage_sink_dada, err, "{'file': %s}", named("w.dada")));
    t.step->port[0].type = CT_F32;
    ct_array_add(&t.step->port[0], 'T', 5);
    t.step->port[0].meta.sample_time_s = 1;
    assert_ok(ct_step_infer(t.step, err));
    assert_non_null(strstr(ct_step_warned(t.step), "need the date, not known here: give the "));
    assert_non_null(
        strstr(ct_step_warned(t.step), "frequencies, not known here: give the source "));
    trial_free(&t);
}

/* What PSRDADA, DSPSR and baseband demand, with values worked out by hand: 5 samples and 1 us
 * after a day's last second; names of one word. */
static void headers_have_what_readers_demand(void **unused)
{
    static const char *const lines[] = {
        "HEADER          DADA",
        "HDR_VERSION     1.0",
        "HDR_SIZE        4096",
        "DADA_VERSION    1.0",
        "INSTRUMENT      Cornerturn",
        "RECEIVER        unknown",
        "TELESCOPE       Mee_r_KAT",
        "SOURCE          PSR_J0437-4715",
        "RA              04:37:15.8000",
        "DEC             -47:15:09.1000",
        "UTC_START       2021-05-03-23:59:59",
        "MJD_START       59337.999988425937500", /* (86399 + 1e-6) / 86400 */
        "PICOSECONDS     1000000",
        "OBS_OFFSET      60",
        "OBS_OVERLAP     0",
        "FILE_NUMBER     0",
        "FILE_SIZE       120",
        "BYTES_PER_SECOND 4800000",
        "RESOLUTION      12",
        "ORDER           TFP",
    };
    (void)unused;
    size_t bytes;
    write_dada("n.dada", 1024,
               "NBIT 8\nNDIM 2\nNPOL 2\nNCHAN 3\nTSAMP 2.5\nFREQ 1400\nBW 3\nTELESCOPE Mee r KAT\n"
               "SOURCE PSR J0437-4715\nRA 04:37:15.8\nDEC -47:15:09.1\nOBS_OFFSET 60\n"
               "UTC_START 2021-05-03-23:59:59\nPICOSECONDS 1000000\n",
               120, 0);
    copy_dada("n.dada", "h.dada");
    char *text = (char *)trial_read(trial_path("h.dada"), &bytes);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[96];
        snprintf(line, sizeof line, "%s\n", lines[i]);
        if (!strstr(text, line)) fail_msg("expected %s in %s", lines[i], text);
    }
    free(text);
}

/* Polarizations before channels: as ORDER says, or the node. */
static void either_order_is_read(void **unused)
{
    (void)unused;
    for (int by_node = 0; by_node < 2; by_node++) {
        trial t;
        int64_t got, index[CT_DIMS] = {0};
        write_dada("o.dada", 512, by_node ? VOLTAGES : VOLTAGES "ORDER TPF\n", 120, 0);
        assert_ok(trial_make(&t, &ct_stage_source_dada, err, "{'files': %s%s}", named("o.dada"),
                             by_node ? ", 'order': 'TPF'" : ""));
        assert_ok(ct_step_infer(t.step, err));
        assert_ok(ct_stage_source_dada.io.open(t.step, &t.state, err));
        trial_block(&t, 10, "SPTC", 0, 1);
        assert_ok(ct_stage_source_dada.io.read(t.state, &t.block, NULL, &got, err));
        do {
            const int64_t at = (index[2] * 2 + index[1]) * 3 + index[3];
            assert_true(ct_array_load(&t.block, trial_at(&t.block, index)).re == (int8_t)(2 * at));
        } while (trial_next(&t.block, index));
        assert_ok(ct_stage_source_dada.io.close(t.state, true, err));
        trial_free(&t);
    }
}

/* What is along Q, from STATE or the node, and the STATE that is written of it. */
static void state_names_products(void **unused)
{
    static const struct {
        int pols;
        const char *state, *keys, *names, *written;
    } rows[] = {{1, "Intensity", "", "I", "Intensity"},
                {2, "PPQQ", "", "AA BB", "PPQQ"},
                {1, "PP", "", "AA", "PP"},
                {4, "Coherence", "", "AA BB CR CI", "Coherence"},
                {4, "stokes", "", "I Q U V", "Stokes"},
                {4, "Detected", "", "", "Detected"},
                {4, "PPQQ", "", "", "Detected"},
                {1, "Detected", "", "", "Intensity"},
                {1, "Detected", ", 'products': 'V'", "V", "Detected"},
                {4, "Detected", ", 'products': 'AABBCRCI', 'feed': 'linear'",
                 "AA BB CR CI of linear receptors", "Coherence"}};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        trial t;
        char keys[128], found[CT_PRODUCTS_TEXT] = "";
        snprintf(keys, sizeof keys, "NBIT 8\nNDIM 1\nNPOL %d\nNCHAN 3\nTSAMP 64\nSTATE %s\n",
                 rows[i].pols, rows[i].state);
        write_dada("s.dada", 512, keys, 24, 5);
        assert_ok(trial_make(&t, &ct_stage_source_dada, err, "{'files': %s%s}", named("s.dada"),
                             rows[i].keys));
        assert_ok(ct_step_infer(t.step, err));
        const ct_array *out = &t.step->port[0];
        if (ct_array_product(out, 0)) ct_products_print(found, out->meta.products);
        assert_string_equal(found, rows[i].names);
        assert_string_equal(ct_dada_state(out), rows[i].written);
        trial_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read),
        cmocka_unit_test(samples_are_in_their_places),
        cmocka_unit_test(sequences_are_joined),
        cmocka_unit_test(bad_headers_are_named),
        cmocka_unit_test(days_are_counted),
        cmocka_unit_test(files_round_trip),
        cmocka_unit_test(what_readers_need_is_warned_of),
        cmocka_unit_test(headers_have_what_readers_demand),
        cmocka_unit_test(either_order_is_read),
        cmocka_unit_test(state_names_products),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
