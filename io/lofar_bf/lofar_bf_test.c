/* lofar_bf_test.c: LOFAR's beam-formed files against what libhdf5 reads of them, and back through
 * the source. */
#include "exhaustive.h"
#include "io_trial.h"
#include "lofar_bf.h"

extern const ct_stage ct_stage_source_lofar_bf, ct_stage_sink_lofar_bf;

#ifdef CT_HAVE_HDF5
#include <hdf5.h>
#include <math.h>

enum { T = 23, Q = 4, C = 5, P = 2, BLOCK = 7 };

static const double hz[C] = {123e6, 122.5e6, 122e6, 121.5e6, 121e6};

static const ct_meta known = {.sample_time_s = 0.25,
                              .start_mjd = 59337.5,
                              .start_s = 3.125,
                              .frequency_hz = hz,
                              .frequencies = C,
                              .channel_width_hz = 5e5,
                              .source_name = "B0329+54",
                              .src_raj = 33259.3,
                              .src_dej = -543443.5,
                              .total = -1};

/* Of sample t, component (or polarization) k, channel c of the array. */
static double value(int64_t t, int64_t k, int64_t c, bool imaginary)
{
    return (double)(1000 * t + 100 * k + 10 * c + imaginary) - 7777.5;
}

/* Writes T samples of dims ("STQC" or "SPTC") in blocks of BLOCK, laid out as `order`. */
static void write_beam(const char *dims, const char *order, const char *params, ct_products *of)
{
    trial t;
    const bool volts = strchr(dims, 'P') != NULL;
    assert_ok(trial_make(&t, &ct_stage_sink_lofar_bf, err, "{'file': '%s'%s}", trial_path("b.h5"),
                         params));
    ct_array *in = &t.step->port[0];
    in->type = volts ? CT_CF32 : CT_F32;
    for (const char *dim = dims; *dim; dim++)
        ct_array_add(in, *dim,
                     *dim == 'T'   ? T
                     : *dim == 'Q' ? Q
                     : *dim == 'P' ? P
                     : *dim == 'C' ? C
                                   : 1);
    in->meta = known;
    in->meta.products = of;
    assert_ok(ct_step_infer(t.step, err));
    assert_ok(ct_stage_sink_lofar_bf.io.open(t.step, &t.state, err));
    for (int64_t from = 0; from < T; from += BLOCK) {
        int64_t at[CT_DIMS] = {0};
        trial_block(&t, BLOCK, order, 0, 1);
        do {
            const int64_t time = from + at[ct_array_find(in, 'T')];
            const int64_t k = at[ct_array_find(in, volts ? 'P' : 'Q')];
            const int64_t c = at[ct_array_find(in, 'C')];
            ct_array_save(&t.block, trial_at(&t.block, at), value(time, k, c, false),
                          value(time, k, c, true));
        } while (trial_next(&t.block, at));
        assert_ok(ct_stage_sink_lofar_bf.io.write(t.state, &t.block, 0,
                                                  T - from < BLOCK ? T - from : BLOCK, err));
    }
    assert_ok(trial_close(&t, true, err));
    trial_free(&t);
}

static void check_real(hid_t at, const char *name, double expected)
{
    double found = NAN;
    const hid_t one = H5Aopen(at, name, H5P_DEFAULT);
    assert_true(one >= 0 && H5Aread(one, H5T_NATIVE_DOUBLE, &found) >= 0);
    H5Aclose(one);
    assert_float_equal(found, expected, 1e-9 * fabs(expected));
}

static void check_text(hid_t at, const char *name, const char *expected)
{
    char *found = NULL;
    const hid_t one = H5Aopen(at, name, H5P_DEFAULT), type = H5Aget_type(one);
    assert_true(one >= 0 && H5Tis_variable_str(type) > 0 && H5Aread(one, type, &found) >= 0);
    assert_string_equal(found, expected);
    H5free_memory(found);
    H5Tclose(type), H5Aclose(one);
}

/* One file: samples by libhdf5, channels ascending. */
static void check_set(const char *name, int number, const char *component, int64_t k, bool volts,
                      bool imaginary)
{
    float found[T][C];
    char path[64];
    const hid_t file = H5Fopen(trial_path(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    assert_true(file >= 0 && H5Pset_efile_prefix(access, "${ORIGIN}") >= 0);
    snprintf(path, sizeof path, "SUB_ARRAY_POINTING_000/BEAM_000/STOKES_%d", number);
    const hid_t set = H5Dopen2(file, path, access);
    assert_true(set >= 0 &&
                H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++)
            assert_true(found[t][c] == (float)value(t, k, C - 1 - c, imaginary));
    check_text(set, "STOKES_COMPONENT", component);
    check_real(set, "NOF_SAMPLES", T);
    check_text(file, "FILETYPE", "bf");
    check_text(file, "OBSERVATION_START_UTC", "2021-05-03T12:00:03.000000000Z");
    check_text(file, "OBSERVATION_END_UTC", "2021-05-03T12:00:08.750000000Z");
    check_real(file, "OBSERVATION_FREQUENCY_MIN", 120.75);
    const hid_t beam = H5Gopen2(file, "SUB_ARRAY_POINTING_000/BEAM_000", H5P_DEFAULT);
    check_real(beam, "SAMPLING_TIME", 0.25);
    check_real(beam, "BEAM_FREQUENCY_CENTER", 122);
    check_real(beam, "COMPLEX_VOLTAGE", volts);
    check_real(beam, "POINT_RA", (3 + 32 / 60. + 59.3 / 3600) * 15);
    check_real(beam, "POINT_DEC", -(54 + 34 / 60. + 43.5 / 3600));
    H5Gclose(beam), H5Dclose(set), H5Pclose(access), H5Fclose(file);
}

/* All components through the source. */
static void check_source(const char *files, bool volts)
{
    trial t;
    int64_t got, at[CT_DIMS] = {0};
    assert_ok(trial_make(&t, &ct_stage_source_lofar_bf, err, "{'files': %s}", files));
    assert_ok(ct_step_infer(t.step, err));
    const ct_meta *meta = &t.step->port[0].meta;
    assert_true(meta->total == T && meta->sample_time_s == 0.25 && meta->channel_width_hz == 5e5);
    assert_float_equal((meta->start_mjd - 59337.5) * 86400 + meta->start_s, 3.125, 2e-6);
    assert_true(meta->frequency_hz[0] == 121e6 && meta->frequency_hz[C - 1] == 123e6);
    assert_float_equal(meta->src_raj, 33259.3, 1e-6);
    assert_float_equal(meta->src_dej, -543443.5, 1e-6);
    assert_string_equal(t.step->port[0].dim, volts ? "SPTC" : "TQC");
    assert_ok(ct_stage_source_lofar_bf.io.open(t.step, &t.state, err));
    assert_ok(ct_stage_source_lofar_bf.io.seek(t.state, 3, err));
    trial_block(&t, T, volts ? "CTPS" : "QCT", 0, 1);
    assert_ok(ct_stage_source_lofar_bf.io.read(t.state, &t.block, NULL, &got, err));
    assert_int_equal(got, T - 3);
    do {
        const int64_t time = at[ct_array_find(&t.block, 'T')];
        const int64_t k = at[ct_array_find(&t.block, volts ? 'P' : 'Q')];
        const int64_t c = at[ct_array_find(&t.block, 'C')];
        const ct_complex found = ct_array_load(&t.block, trial_at(&t.block, at));
        const bool there = time < got;
        assert_true(found.re == (there ? value(time + 3, k, C - 1 - c, false) : 0));
        if (volts) assert_true(found.im == (there ? value(time + 3, k, C - 1 - c, true) : 0));
    } while (trial_next(&t.block, at));
    assert_ok(ct_stage_source_lofar_bf.io.close(t.state, true, err));
    trial_free(&t);
}

/* ['b_S3.h5', .., 'b_S0.h5'] */
static const char *list_of(int files)
{
    static char text[2400];
    size_t length = 0;
    for (int k = files; k-- > 0;)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s'%s/b_S%d.h5'",
                                   length ? ", " : "[", trial_folder, k);
    snprintf(text + length, sizeof text - length, "]");
    return text;
}

static void power_goes_there_and_back(void **unused)
{
    (void)unused;
    ct_products stokes = {0};
    assert_ok(ct_products_parse(&stokes, "IQUV", err));
    for (int raw = 0; raw < 2; raw++) {
        write_beam("STQC", raw ? "CTSQ" : "SQTC", raw ? ", 'raw': true" : "", &stokes);
        for (int k = 0; k < Q; k++) {
            char name[16];
            snprintf(name, sizeof name, "b_S%d.h5", k);
            check_set(name, k, stokes.of[k]->name, k, false, false);
        }
        check_source(list_of(Q), false);
        assert_int_equal(access(trial_path("b_S2.raw"), F_OK), raw ? 0 : -1);
    }
}

static void voltages_go_there_and_back(void **unused)
{
    static const char *const parts[] = {"Xr", "Xi", "Yr", "Yi"};
    (void)unused;
    for (int raw = 0; raw < 2; raw++) {
        write_beam("SPTC", raw ? "TPCS" : "CSPT", raw ? ", 'raw': true" : "", NULL);
        for (int k = 0; k < 2 * P; k++) {
            char name[16];
            snprintf(name, sizeof name, "b_S%d.h5", k);
            check_set(name, k, parts[k], k / 2, true, k % 2);
        }
        check_source(list_of(2 * P), true);
    }
}

/* Whatever is cut off: a sentence. */
static void cut_files_are_refused(void **unused)
{
    (void)unused;
    size_t bytes;
    write_beam("SPTC", "SPTC", "", NULL);
    uint8_t *whole = trial_read(trial_path("b_S0.h5"), &bytes);
    for (size_t length = 0; length < bytes; length += (size_t)few_or_all(389, 97)) {
        trial t;
        trial_write(trial_path("b_S0.h5"), whole, length);
        assert_ok(trial_make(&t, &ct_stage_source_lofar_bf, err, "{'files': %s}", list_of(2 * P)));
        assert_fails(ct_step_infer(t.step, err), CT_DATA, "b_S0.h5");
        trial_free(&t);
    }
    free(whole);
}

static void refused(const char *dims, ct_products *of, const char *params, const char *part)
{
    trial t;
    assert_ok(trial_make(&t, &ct_stage_sink_lofar_bf, err, "{'file': '%s'%s}", trial_path("r.h5"),
                         params));
    ct_array *in = &t.step->port[0];
    in->type = strchr(dims, 'P') ? CT_CF32 : CT_F32;
    for (const char *dim = dims; *dim; dim++)
        ct_array_add(in, *dim, *dim == 'C' ? C : *dim == 'Q' ? Q : P);
    in->meta = known;
    in->meta.products = of;
    assert_fails(ct_step_infer(t.step, err), CT_INVALID, part);
    trial_free(&t);
}

static void what_has_no_name_is_refused(void **unused)
{
    (void)unused;
    ct_products circular = {.feed = CT_FEED_CIRCULAR};
    refused("TQC", NULL, "", "give the source products, as in");
    refused("PTC", &circular, "", "expected linear receptors, found circular ones");
    refused("TDC", NULL, "", "found TDC");
    refused("TPQ", NULL, "", "and P of voltages or Q of power, found TPQ");
    refused("TC", NULL, ", 'attributes': {'OBSERVATION_ID': 7}", "OBSERVATION_ID: expected a text");
    refused("TC", NULL, ", 'radec': [[10, 91]]", "beam 0: expected [right ascension, declination]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_goes_there_and_back),
        cmocka_unit_test(voltages_go_there_and_back),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(what_has_no_name_is_refused),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

#else

static void it_says_what_is_missing(void **unused)
{
    (void)unused;
    trial t;
    trial_write(trial_path("a.h5"), "\x89HDF\r\n\x1a\n", 8);
    assert_ok(
        trial_make(&t, &ct_stage_source_lofar_bf, err, "{'files': '%s'}", trial_path("a.h5")));
    assert_fails(ct_step_infer(t.step, err), CT_DATA, "built without HDF5");
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_says_what_is_missing)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

#endif
