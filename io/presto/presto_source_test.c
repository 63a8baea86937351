/* presto_source_test.c: .dat and .inf as PRESTO writes them, and as sink.presto does: numbers,
 * times, breaks, several trials; and what is refused. */
#include "io_trial.h"
#include <math.h>

extern const ct_stage ct_stage_source_presto, ct_stage_sink_presto;

enum { T = 40, D = 3 };

/* As PRESTO's writeinf: labels of 39 letters, "Mhz", bins to 11 places, pairs of on and off bins.
 */
static const char presto_inf[] =
    " Data file name without suffix          =  two_parts\n"
    " Telescope used                         =  Parkes\n"
    " Instrument used                        =  Multibeam\n"
    " Object being observed                  =  PSR J1643-1224\n"
    " J2000 Right Ascension (hh:mm:ss.ssss)  =  16:43:38.1000\n"
    " J2000 Declination     (dd:mm:ss.ssss)  =  -12:24:58.7000\n"
    " Data observed by                       =  Kaspi = a name\n"
    " Epoch of observation (MJD)             =  51000.123456789012345\n"
    " Barycentered?           (1 yes, 0 no)  =  1\n"
    " Number of bins in the time series      =  40         \n"
    " Width of each time series bin (sec)    =  0.00025\n"
    " Any breaks in the data? (1 yes, 0 no)  =  1\n"
    " On/Off bin pair #  1                   =  0          , 9\n"
    " On/Off bin pair #  2                   =  25         , 36\n"
    " Type of observation (EM band)          =  Radio\n"
    " Beam diameter (arcsec)                 =  900\n"
    " Dispersion measure (cm-3 pc)           =  62.4121\n"
    " Central freq of low channel (Mhz)      =  1230\n"
    " Total bandwidth (Mhz)                  =  288\n"
    " Number of channels                     =  96\n"
    " Channel bandwidth (Mhz)                =  3\n"
    " Data analyzed by                       =  Ransom\n"
    " Any additional notes:\n"
    "    Dispersion measure (cm-3 pc) = none of these\n\n";

static void write_dat(const char *name, int64_t samples, float first)
{
    float data[T];
    for (int64_t t = 0; t < samples; t++)
        data[t] = first + (float)t;
    trial_write(trial_path(name), data, (size_t)samples * sizeof *data);
}

static void write_inf(const char *name, const char *from, const char *to)
{
    char text[sizeof presto_inf + 64];
    const char *at = from ? strstr(presto_inf, from) : NULL;
    assert_true(at || !from);
    const int before = at ? (int)(at - presto_inf) : (int)sizeof presto_inf - 1;
    snprintf(text, sizeof text, "%.*s%s%s", before, presto_inf, at ? to : "",
             at ? at + strlen(from) : "");
    trial_write(trial_path(name), text, strlen(text));
}

static void check_block(trial *t, int64_t first, int64_t samples, const uint8_t *flags)
{
    for (int64_t k = 0; k < samples; k++) {
        const int64_t at = first + k;
        assert_true(ct_array_load(&t->block, trial_at(&t->block, (int64_t[CT_DIMS]){0, k})).re ==
                    100 + (double)at);
        assert_int_equal(flags[k], !((at <= 9) || (at >= 25 && at <= 36)));
    }
}

static void what_presto_writes_is_read(void **unused)
{
    (void)unused;
    trial t;
    write_inf("two.inf", NULL, NULL);
    write_dat("two.dat", T, 100);
    assert_ok(
        trial_make(&t, &ct_stage_source_presto, err, "{'files': '%s'}", trial_path("two.dat")));
    assert_ok(ct_step_infer(t.step, err));
    const ct_array *out = &t.step->port[0];
    const ct_meta *meta = &out->meta;
    assert_string_equal(out->dim, "DT");
    assert_int_equal(meta->total, T);
    assert_int_equal(ct_array_extent(out, 'D'), 1);
    assert_true(meta->dm[0] == 62.4121 && meta->sample_time_s == 0.00025);
    const double epoch = strtod("51000.123456789012345", NULL), after = meta->start_s - 0.000125;
    assert_true(meta->start_mjd == epoch);
    /* what a double lacks of the epoch, below a microsecond */
    const double right = (0.123456789012345 - (epoch - 51000)) * 86400;
    assert_true(fabs(right) > 1e-8 && fabs(after - right) < 1e-10);
    assert_true(meta->frequencies == 1 && fabs(meta->frequency_hz[0] - 1515e6) < 1e-3);
    assert_true(meta->channel_width_hz == 288e6 && meta->header->channels == 96);
    assert_true(meta->header->barycentric);
    assert_true(meta->src_raj == 164338.1 && meta->src_dej == -122458.7);
    assert_string_equal(meta->telescope, "Parkes");
    assert_string_equal(meta->source_name, "PSR J1643-1224");
    assert_ok(ct_stage_source_presto.io.open(t.step, &t.state, err));
    for (int64_t first = 0; first < T; first += 16) {
        int64_t got = 0;
        uint8_t flags[16];
        trial_block(&t, 16, "TD", 0, 2);
        assert_ok(ct_stage_source_presto.io.read(t.state, &t.block, flags, &got, err));
        assert_int_equal(got, first + 16 < T ? 16 : T - first);
        check_block(&t, first, got, flags);
    }
    assert_ok(ct_stage_source_presto.io.close(t.state, true, err));
    trial_free(&t);
}

/* Written by the sink, read by the source: values, times, trials. */
static void what_the_sink_writes_reads_back(void **unused)
{
    (void)unused;
    static const double dm[D] = {0, 12.25, 300.5}, top_hz = 1465e6;
    static const ct_header header = {.channels = 336, .barycentric = true};
    const ct_meta about = {.sample_time_s = 81.92e-6,
                           .start_mjd = 59000.1234567,
                           .start_s = 0.00123 + 0.5 * 81.92e-6,
                           .total = T,
                           .dm = dm,
                           .dms = D,
                           .source_name = "B0329+54",
                           .telescope = "LOFAR",
                           .src_raj = 33259.3681,
                           .src_dej = 543443.57,
                           .frequency_hz = &top_hz,
                           .frequencies = 1,
                           .channel_width_hz = 336e6,
                           .header = &header};
    trial t;
    int64_t index[CT_DIMS] = {0}, got;
    assert_ok(trial_make(&t, &ct_stage_sink_presto, err, "{'file': '%s'}", trial_path("s.dat")));
    t.step->port[0].type = CT_F32;
    ct_array_add(&t.step->port[0], 'D', D);
    ct_array_add(&t.step->port[0], 'T', T);
    ct_array_dense(&t.step->port[0], NULL);
    t.step->port[0].meta = about;
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_presto.io.open(t.step, &t.state, err));
    trial_block(&t, T, "DT", 0, 1);
    do
        ct_array_save(&t.block, trial_at(&t.block, index),
                      1000 * (double)index[0] + 0.25 * (double)index[1], 0);
    while (trial_next(&t.block, index));
    assert_ok(ct_stage_sink_presto.io.write(t.state, &t.block, 0, T, err));
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
    assert_ok(
        trial_make(&t, &ct_stage_source_presto, err, "{'files': '%s'}", trial_path("s_DM*.dat")));
    assert_ok(ct_step_infer(t.step, err));
    const ct_meta *meta = &t.step->port[0].meta;
    assert_int_equal(meta->dms, D);
    for (int k = 0; k < D; k++)
        assert_true(meta->dm[k] == dm[k]);
    assert_true(fabs((meta->start_mjd - about.start_mjd) * 86400 + meta->start_s - about.start_s) <
                1e-9);
    assert_true(meta->sample_time_s == about.sample_time_s && meta->src_raj == about.src_raj);
    assert_true(fabs(meta->frequency_hz[0] - top_hz) < 1e-3 && meta->channel_width_hz == 336e6);
    assert_ok(ct_stage_source_presto.io.open(t.step, &t.state, err));
    trial_block(&t, T, "TD", 0, 1);
    assert_ok(ct_stage_source_presto.io.read(t.state, &t.block, NULL, &got, err));
    assert_int_equal(got, T);
    memset(index, 0, sizeof index);
    do
        assert_true(ct_array_load(&t.block, trial_at(&t.block, index)).re ==
                    1000 * (double)index[0] + 0.25 * (double)index[1]);
    while (trial_next(&t.block, index));
    assert_ok(ct_stage_source_presto.io.close(t.state, true, err));
    trial_free(&t);
}

/* The line of the .inf that is changed, and the sentence. */
static void refuses(const char *from, const char *to, ct_status status, const char *part)
{
    trial t;
    write_inf("bad.inf", from, to);
    write_dat("bad.dat", T, 100);
    assert_ok(trial_make(&t, &ct_stage_source_presto, err, "{'files': ['%s', '%s']}",
                         trial_path("bad.dat"), trial_path("two.dat")));
    assert_fails(ct_step_infer(t.step, err), status, part);
    trial_free(&t);
}

static void what_cannot_be_is_said(void **unused)
{
    (void)unused;
    trial t;
    write_inf("two.inf", NULL, NULL);
    write_dat("two.dat", T, 100);
    refuses("=  0.00025", "=  ", CT_DATA,
            "bad.inf:11: Width of each time series bin (sec): expected a number, found \"\"");
    refuses("=  0.00025", "=  -1", CT_DATA, "expected a time above 0, found -1");
    refuses("=  40 ", "=  4.5 ", CT_DATA, "expected a whole number above 0, found 4.5");
    refuses(", 9\n", "to 9\n", CT_DATA,
            "bad.inf:13: On/Off bin pair #  1: expected two bins with a comma between them, found "
            "\"0          to 9\"");
    refuses("25         , 36", "5         , 36", CT_DATA,
            "expected the first and the last bin with data, after those before");
    refuses(" On/Off bin pair #  1", " #", CT_DATA, "Number of on/off bin pairs: expected 1 as in");
    refuses(", 36", ", 37", CT_DATA, "On/Off bin pair: expected those of");
    refuses("=  62.4121", "=  62.4121 pc", CT_DATA,
            "Dispersion measure (cm-3 pc): expected a number, found \"62.4121 pc\"");
    refuses("62.4121", "62.4121", CT_DATA, "expected one file for each DM, found a DM of 62.4121");
    refuses("=  51000", "=  51001", CT_DATA, "Epoch of observation (MJD): expected 51001.1234567");
    refuses(" Data file", "Some file", CT_DATA, "bad.inf: expected PRESTO's .inf");
    assert_ok(trial_make(&t, &ct_stage_source_presto, err, "{'files': 'x.fil'}"));
    assert_fails(ct_step_infer(t.step, err), CT_INVALID, "expected a name that ends with .dat");
    trial_free(&t);
    assert_ok(trial_make(&t, &ct_stage_source_presto, err, "{'files': 'none_*.dat'}"));
    assert_fails(ct_step_infer(t.step, err), CT_INVALID,
                 "expected files like \"none_*.dat\", found none");
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_presto_writes_is_read),
        cmocka_unit_test(what_the_sink_writes_reads_back),
        cmocka_unit_test(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
