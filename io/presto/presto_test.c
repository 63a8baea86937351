/* presto_test.c: .dat and .inf as PRESTO's programs write them: numbers, labels, columns, order. */
#include "io_trial.h"

extern const ct_stage ct_stage_sink_presto;

enum { D = 2, T = 9 };

/* Checked by hand against files of PRESTO's own. */
static const char expected[] = " Data file name without suffix          =  s_B001_DM12.250\n"
                               " Telescope used                         =  LOFAR\n"
                               " Instrument used                        =  Unknown\n"
                               " Object being observed                  =  B0329+54\n"
                               " J2000 Right Ascension (hh:mm:ss.ssss)  =  03:32:59.3681\n"
                               " J2000 Declination     (dd:mm:ss.ssss)  =  -54:34:43.5700\n"
                               " Data observed by                       =  Unknown\n"
                               " Epoch of observation (MJD)             =  59000.125000000000000\n"
                               " Barycentered?           (1 yes, 0 no)  =  1\n"
                               " Number of bins in the time series      =  9          \n"
                               " Width of each time series bin (sec)    =  8.192e-05\n"
                               " Any breaks in the data? (1 yes, 0 no)  =  0\n"
                               " Type of observation (EM band)          =  Radio\n"
                               " Beam diameter (arcsec)                 =  0\n"
                               " Dispersion measure (cm-3 pc)           =  12.25\n"
                               " Central freq of low channel (MHz)      =  1130\n"
                               " Total bandwidth (MHz)                  =  336\n"
                               " Number of channels                     =  336\n"
                               " Channel bandwidth (MHz)                =  1\n"
                               " Data analyzed by                       =  Cornerturn\n"
                               " Any additional notes:\n"
                               "    none\n"
                               "\n";

static const double dm[D] = {0, 12.25}, top_hz = 1465e6;
static const ct_header header = {.channels = 336, .barycentric = true};

static void begin(trial *t, const char *file, const char *dims)
{
    assert_ok(trial_make(t, &ct_stage_sink_presto, err, "{'file': '%s'}", file));
    ct_array *port = &t->step->port[0];
    port->type = CT_F32;
    for (const char *dim = dims; *dim; dim++)
        ct_array_add(port, *dim, *dim == 'T' ? 4 : 2);
    ct_array_dense(port, NULL);
    port->meta = (ct_meta){.sample_time_s = 81.92e-6,
                           .start_mjd = 59000.125,
                           .start_s = 0.5 * 81.92e-6,
                           .total = T,
                           .dm = dm,
                           .dms = D,
                           .source_name = "B0329+54",
                           .telescope = "LOFAR",
                           .src_raj = 33259.36808,
                           .src_dej = -543443.57,
                           .frequency_hz = &top_hz,
                           .frequencies = 1,
                           .channel_width_hz = 336e6,
                           .header = &header};
}

static float value_of(const int64_t *index, int64_t t0)
{
    return (float)(100 * index[0] + 10 * index[1] + index[2] + t0);
}

static void write_series(const char *file)
{
    trial t;
    begin(&t, file, "BDT");
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_presto.io.open(t.step, &t.state, err));
    for (int64_t t0 = 0; t0 < T; t0 += 4) {
        int64_t index[CT_DIMS] = {0};
        trial_block(&t, 5, "TDB", 0, 2);
        do
            ct_array_save(&t.block, trial_at(&t.block, index), value_of(index, t0 - 1), 0);
        while (trial_next(&t.block, index));
        assert_ok(
            ct_stage_sink_presto.io.write(t.state, &t.block, 1, T - t0 < 4 ? T - t0 : 4, err));
    }
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

static void a_pair_for_each_trial(void **unused)
{
    (void)unused;
    size_t bytes;
    write_series(trial_path("s.dat"));
    assert_int_equal(trial_files(), 2 * D * 2);
    for (int64_t b = 0; b < 2; b++)
        for (int64_t d = 0; d < D; d++) {
            char name[64];
            snprintf(name, sizeof name, "s_B%03d_DM%.3f.dat", (int)b, dm[d]);
            float *data = (float *)trial_read(trial_path(name), &bytes);
            assert_int_equal(bytes, T * sizeof *data);
            for (int64_t t = 0; t < T; t++)
                assert_true(data[t] == value_of((int64_t[]){b, d, t}, 0));
            free(data);
        }
    char *text = (char *)trial_read(trial_path("s_B001_DM12.250.inf"), &bytes);
    assert_string_equal(text, expected);
    free(text);
}

/* The median of what was written before the gap, block by block, or 0. */
static void gaps_are_filled(void **unused)
{
    (void)unused;
    static const float given[8] = {5, 1, 99, 99, 99, 4, 99, 7};
    static const struct {
        const char *fill;
        float right[8];
    } rows[] = {{"median", {5, 1, 3, 3, 3, 4, 3, 7}}, {"zero", {5, 1, 0, 0, 0, 4, 0, 7}}};
    for (int i = 0; i < 2; i++) {
        trial t;
        size_t bytes;
        uint8_t flags[4];
        assert_ok(trial_make(&t, &ct_stage_sink_presto, err, "{'file': '%s', 'fill': '%s'}",
                             trial_path("g.dat"), rows[i].fill));
        ct_array *port = t.step->port;
        port->type = CT_F32;
        ct_array_add(port, 'T', 4);
        port->meta = (ct_meta){.sample_time_s = 1e-3, .total = 8};
        port[1] = (ct_array){.type = CT_U8};
        ct_array_add(&port[1], 'S', 1);
        ct_array_add(&port[1], 'T', 4);
        ct_array_dense(&port[1], NULL);
        assert_ok(ct_step_infer(t.step, err));
        assert_ok(ct_stage_sink_presto.io.open(t.step, &t.state, err));
        for (int64_t t0 = 0; t0 < 8; t0 += 4) {
            trial_block(&t, 4, "T", 0, 1);
            for (int64_t k = 0; k < 4; k++) {
                ct_array_save(&t.block, trial_at(&t.block, (int64_t[CT_DIMS]){k}), given[t0 + k],
                              0);
                flags[k] = given[t0 + k] == 99;
            }
            t.step->port[1].data = flags;
            assert_ok(ct_stage_sink_presto.io.write(t.state, &t.block, 0, 4, err));
        }
        assert_ok(trial_close(&t, true, err));
        trial_free(&t);
        float *data = (float *)trial_read(trial_path("g.dat"), &bytes);
        assert_memory_equal(data, rows[i].right, sizeof rows[i].right);
        free(data);
    }
}

static void refuses(const char *file, const char *dims, const char *part)
{
    trial t;
    begin(&t, file, dims);
    if (strcmp(dims, "T") == 0 && strcmp(file, "x.dat") == 0)
        t.step->port[0].meta.sample_time_s = 0;
    assert_fails(ct_step_infer(t.step, err), CT_INVALID, part);
    trial_free(&t);
}

static void what_presto_cannot_take_is_said(void **unused)
{
    (void)unused;
    refuses("x.dat", "T", "sample_time_s");
    refuses("two words.dat", "T", "without a space, found \"two words.dat\"");
    refuses("y.dat", "DTQ", "PRESTO's time series have no others, found DTQ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_for_each_trial),
        cmocka_unit_test(gaps_are_filled),
        cmocka_unit_test(what_presto_cannot_take_is_said),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
