/* uvh5_test.c: sink.uvh5 against what only libhdf5 reads of its files. */
#include "io_trial.h"

extern const ct_stage ct_stage_sink_uvh5;

#define DEGREE (3.14159265358979323846 / 180)

/* Around a station of LOFAR's core. */
static const double stations[3][3] = {{3826577.462, 461022.624, 5064892.526},
                                      {3826877.3, 460953.4, 5064671.1},
                                      {3826177.1, 461322.9, 5065165.0}};
static const char *const names[] = {"CS002", "B\xff", "C", NULL};
static const double towards[2] = {299.8681525, 40.7339156};

typedef struct shape {
    int64_t channels, products, times, block;
    ct_type type;
    const char *counts; /* their dimensions; "": not connected */
    bool projected;
    int first; /* 1: RR to LL, 5: XX to YY */
} shape;

static ct_status make(trial *t, const shape *of, ct_observation *said, const char *params,
                      ct_error *err)
{
    static double hz[20000];
    char text[512];
    const ct_source_location location = {.observation = said};
    static const char *const known[] = {"XX", "XX YY", "XX XY YX YY", "RR RL LR LL"};
    const char *name = known[of->first == 1 ? 3 : of->products / 2];
    *t = (trial){0};
    snprintf(text, sizeof text, "{\"file\": \"%s\"%s}", trial_path("v.uvh5"), params);
    ct_status status = ct_value_parse(&t->value, text, "trial", err);
    if (status == CT_OK)
        status = ct_step_new(&t->step, &ct_stage_sink_uvh5, "node", t->value, NULL, &location, err);
    if (status != CT_OK) return status;
    for (int c = 0; c < 20000; c++)
        hz[c] = 150e6 + 1e4 * c + (c > 2 ? 3e5 : 0);
    ct_array *x = &t->step->port[0], *counts = &t->step->port[1];
    x->type = of->type;
    ct_array_add(x, 'T', of->block);
    ct_array_add(x, 'L', 6);
    ct_array_add(x, 'C', of->channels);
    ct_array_add(x, 'Q', of->products);
    ct_array_dense(x, NULL);
    x->meta = (ct_meta){.sample_time_s = 0.5,
                        .start_mjd = 59759,
                        .start_s = 5400.25,
                        .frequency_hz = hz,
                        .frequencies = of->channels,
                        .channel_width_hz = 1e4,
                        .telescope = "LOFAR",
                        .source_name = "Cyg A",
                        .phase_centre = of->projected ? towards : NULL,
                        .total = of->times,
                        .integrated = 100,
                        .products = ct_step_products(t->step, name, 0)};
    if (*of->counts) counts->type = CT_U32;
    for (const char *dim = of->counts; *dim; dim++)
        ct_array_add(counts, *dim, *dim == 'T' ? of->block : *dim == 'L' ? 6 : of->channels);
    if (*of->counts) ct_array_dense(counts, NULL);
    return ct_step_infer(t->step, err);
}

static ct_observation observed(void)
{
    return (ct_observation){
        .stations = 3, .station = stations, .names = names, .site = stations[0]};
}

#ifdef CT_HAVE_HDF5
#include "earth.h"
#include "icrs.h"
#include <hdf5.h>
#include <math.h>

/* ---- what goes in */

static int64_t count_of(const shape *of, int64_t t, int64_t l, int64_t c)
{
    const int64_t channel = strchr(of->counts, 'C') ? c : 0;
    if (!*of->counts) return 100;
    return (t + l + channel) % 4 == 0 ? 0 : 100 - t % 50 - 3 * l - channel % 7;
}

/* Sums of products q; of a station with itself real in XX and YY but for an error. */
static void sum_of(int64_t t, int64_t l, int64_t c, int64_t q, double out[2])
{
    out[0] = (double)(1000 * t + 100 * l + 10 * (c % 50) + q + 1);
    out[1] = (double)(7 * q - 3 * l + 1);
}

static void fill(trial *t, const shape *of, int64_t from)
{
    ct_array *x = &t->block, *counts = &t->step->port[1];
    int64_t at[4] = {0};
    do {
        double sum[2];
        sum_of(from + at[0], at[1], at[2], at[3], sum);
        ct_array_save(x, trial_at(x, at), sum[0], sum[1]);
    } while (trial_next(x, at));
    if (!*of->counts) return;
    memset(at, 0, sizeof at);
    do
        ct_array_save(counts, trial_at(counts, at),
                      (double)count_of(of, from + at[0], at[1], at[2]), 0);
    while (trial_next(counts, at));
}

static void write_file(const shape *of)
{
    trial t;
    ct_observation said = observed();
    assert_ok(make(&t, of, &said, "", err));
    assert_ok(ct_stage_sink_uvh5.io.open(t.step, &t.state, err));
    void *counts = t.step->port[1].data = malloc((size_t)(of->block * 6 * of->channels * 4));
    for (int64_t from = 0; from < of->times; from += of->block) {
        const int64_t left = of->times - from;
        trial_block(&t, of->block, from ? "TCLQ" : "QTLC", 0, 1);
        fill(&t, of, from);
        assert_ok(ct_stage_sink_uvh5.io.write(t.state, &t.block, 0,
                                              left < of->block ? left : of->block, err));
    }
    assert_int_equal(access(trial_path("v.uvh5"), F_OK), -1);
    assert_ok(trial_close(&t, true, err));
    free(counts);
    trial_free(&t);
}

/* ---- what comes out */

/* The whole data set as numbers of this type; the caller frees it. */
static void *read_set(hid_t file, const char *name, hid_t type, int64_t expected)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) fail_msg("no %s", name);
    const hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), expected);
    void *out = calloc((size_t)expected + 1, H5Tget_size(type));
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return out;
}

static double read_real(hid_t file, const char *name)
{
    double *one = read_set(file, name, H5T_NATIVE_DOUBLE, 1), value = *one;
    free(one);
    return value;
}

static void check_text(hid_t file, const char *name, const char *expected)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
    char text[512] = "";
    assert_true(H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type));
    assert_true(H5Tget_size(type) < sizeof text);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, expected);
    H5Tclose(type);
    H5Dclose(set);
}

static void check_visibilities(hid_t file, const shape *of)
{
    static const int place[] = {0, 3, 1, 2};
    const int64_t each = of->channels * of->products, all = of->times * 6 * each;
    const hid_t complex = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(complex, "r", 0, H5T_NATIVE_FLOAT);
    H5Tinsert(complex, "i", 4, H5T_NATIVE_FLOAT);
    float(*vis)[2] = read_set(file, "Data/visdata", complex, all);
    float *weight = read_set(file, "Data/nsamples", H5T_NATIVE_FLOAT, all);
    const hid_t set = H5Dopen2(file, "Data/flags", H5P_DEFAULT), boolean = H5Dget_type(set);
    int8_t *flag = read_set(file, "Data/flags", boolean, all);
    for (int64_t n = 0; n < all; n++) {
        const int64_t q = n % of->products, c = n / of->products % of->channels;
        const int64_t l = n / each % 6, t = n / each / 6, count = count_of(of, t, l, c);
        double sum[2];
        sum_of(t, l, c, of->products == 4 ? place[q] : q, sum);
        if ((l == 0 || l == 2 || l == 5) && q < 2) sum[1] = 0;
        for (int k = 0; k < 2; k++)
            assert_true(vis[n][k] == (count ? (float)(sum[k] / (double)count) : 0));
        assert_int_equal(flag[n], count == 0);
        assert_true(weight[n] == (float)((double)count / 100));
    }
    H5Dclose(set);
    H5Tclose(boolean), H5Tclose(complex);
    free(vis), free(weight), free(flag);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* w by a direction, v by one to its north; all by ENU if nothing is projected. */
static void expect_axes(const shape *of, int64_t t, double axes[3][3])
{
    const double near[2][2] = {{towards[0], towards[1]}, {towards[0], towards[1] + 1e-3}};
    const ct_icrs_instant when = {59759, 5400.25 + 0.5 * (double)t, 0};
    double u[2][3] = {{0, 0, 1}, {0, 1, 0}};
    if (of->projected) assert_ok(ct_icrs_directions(stations[0], when, 2, near, u, err));
    const double part = dot(u[0], u[1]);
    for (int k = 0; k < 3; k++)
        axes[1][k] = u[1][k] - part * u[0][k], axes[2][k] = u[0][k];
    const double length = sqrt(dot(axes[1], axes[1]));
    for (int k = 0; k < 3; k++)
        axes[1][k] /= length;
    for (int k = 0; k < 3; k++)
        axes[0][k] = axes[1][(k + 1) % 3] * axes[2][(k + 2) % 3] -
                     axes[1][(k + 2) % 3] * axes[2][(k + 1) % 3];
}

static void check_rows(hid_t file, const shape *of)
{
    static const int64_t first[] = {0, 0, 1, 0, 1, 2}, second[] = {0, 1, 1, 2, 2, 2};
    const int64_t rows = 6 * of->times;
    int64_t *a = read_set(file, "Header/ant_1_array", H5T_NATIVE_INT64, rows);
    int64_t *b = read_set(file, "Header/ant_2_array", H5T_NATIVE_INT64, rows);
    double *jd = read_set(file, "Header/time_array", H5T_NATIVE_DOUBLE, rows);
    double *long_s = read_set(file, "Header/integration_time", H5T_NATIVE_DOUBLE, rows);
    double(*uvw)[3] = read_set(file, "Header/uvw_array", H5T_NATIVE_DOUBLE, 3 * rows);
    for (int64_t n = 0; n < rows; n++) {
        const int64_t l = n % 6, t = n / 6;
        double axes[3][3], r1[3], r2[3], apart[3];
        assert_true(a[n] == first[l] && b[n] == second[l] && long_s[n] == 0.5);
        assert_true(fabs(jd[n] - 2459759.5 - (5400.25 + 0.5 * (double)t) / 86400) < 1e-9);
        expect_axes(of, t, axes);
        ct_earth_local(stations[0], stations[first[l]], r1);
        ct_earth_local(stations[0], stations[second[l]], r2);
        for (int k = 0; k < 3; k++)
            apart[k] = r2[k] - r1[k];
        for (int k = 0; k < 3; k++)
            assert_true(fabs(uvw[n][k] - dot(apart, axes[k])) < 1e-3);
    }
    free(a), free(b), free(jd), free(long_s), free(uvw);
}

static void check_header(hid_t file, const shape *of)
{
    const int64_t first = -of->first, products[] = {first, first - 1, first - 2, first - 3};
    const struct {
        const char *name;
        int64_t count;
    } counts[] = {{"Header/Nblts", 6 * of->times}, {"Header/Ntimes", of->times},
                  {"Header/Nants_data", 3},        {"Header/Nbls", 6},
                  {"Header/Nfreqs", of->channels}, {"Header/Npols", of->products}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        assert_true(read_real(file, counts[i].name) == (double)counts[i].count);
    int64_t *found = read_set(file, "Header/polarization_array", H5T_NATIVE_INT64, of->products);
    assert_memory_equal(found, products, (size_t)of->products * sizeof *found);
    free(found);
    check_text(file, "Header/version", "1.1");
    check_text(file, "Header/telescope_name", "LOFAR");
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 5);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    char *words = read_set(file, "Header/antenna_names", text, 3);
    assert_memory_equal(words, "CS002B?\0\0\0C\0\0\0\0", 15);
    H5Tclose(text);
    free(words);
    check_text(file, "Header/phase_center_catalog/0/cat_type",
               of->projected ? "sidereal" : "unprojected");
    check_text(file, "Header/phase_center_catalog/0/cat_frame", of->projected ? "icrs" : "altaz");
    /* astropy 8.0.2: EarthLocation.from_geocentric(..) */
    assert_true(fabs(read_real(file, "Header/longitude") - 6.869832836200029) < 1e-10);
    assert_true(fabs(read_real(file, "Header/latitude") - 52.91511896798418) < 1e-10);
    assert_true(fabs(read_real(file, "Header/altitude") - 49.35002954676998) < 1e-5);
    assert_true(fabs(read_real(file, "Header/phase_center_catalog/0/cat_lat") -
                     (of->projected ? towards[1] : 90) * DEGREE) < 1e-12);
    double(*apart)[3] = read_set(file, "Header/antenna_positions", H5T_NATIVE_DOUBLE, 9);
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < 3; k++)
            assert_true(apart[s][k] == stations[s][k] - stations[0][k]);
    free(apart);
}

static void files_say_what_went_in(void **unused)
{
    (void)unused;
    const shape shapes[] = {
        {5, 4, 7, 3, CT_CF32, "TL", false, 5}, {5, 4, 7, 3, CT_CI32, "TLC", true, 1},
        {7, 1, 5, 2, CT_CI64, "", true, 5},    {5, 1, 3000, 1000, CT_CF32, "TL", false, 5},
        {7, 2, 5, 2, CT_CI64, "TL", true, 5},  {20000, 4, 3, 2, CT_CF32, "TLC", false, 5},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (shapes[i].projected && !ct_icrs_there()) continue;
        write_file(&shapes[i]);
        const hid_t file = H5Fopen(trial_path("v.uvh5"), H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        check_header(file, &shapes[i]);
        check_rows(file, &shapes[i]);
        check_visibilities(file, &shapes[i]);
        H5Fclose(file);
        unlink(trial_path("v.uvh5"));
    }
}

/* ---- what cannot be written */

static const shape usual = {5, 4, 7, 3, CT_CF32, "TL", false, 5};

static void refused(const shape *of, ct_observation said, void (*spoil)(ct_step *),
                    const char *sentence)
{
    trial t;
    ct_error ignored = {0};
    (void)make(&t, of, &said, "", &ignored);
    if (spoil) spoil(t.step);
    assert_fails(ct_step_infer(t.step, err), CT_INVALID, sentence);
    trial_free(&t);
}

static void spoil_date(ct_step *step)
{
    step->port[0].meta.start_mjd = 0;
}

static void spoil_time(ct_step *step)
{
    step->port[0].meta.sample_time_s = 0;
}

static void spoil_channels(ct_step *step)
{
    step->port[0].meta.frequency_hz = NULL;
}

static void spoil_samples(ct_step *step)
{
    step->port[0].meta.integrated = 0;
}

static void spoil_baselines(ct_step *step)
{
    step->port[0].extent[1] = step->port[1].extent[1] = 7;
}

static void spoil_counts(ct_step *step)
{
    step->port[1].extent[1] = 10;
}

static void what_lacks_something_is_refused(void **unused)
{
    (void)unused;
    ct_observation fewer = observed(), none = {0};
    fewer.stations = 2;
    refused(&usual, none, NULL, "needs the stations' positions");
    refused(&usual, fewer, NULL, "positions of 2 stations, but these are baselines of 3");
    refused(&usual, observed(), spoil_date, "give the source start_mjd");
    refused(&usual, observed(), spoil_time, "give the source sample_time_s");
    refused(&usual, observed(), spoil_channels, "give the source frequency_hz");
    refused(&usual, observed(), spoil_samples, "expected \"samples\"");
    refused(&usual, observed(), spoil_baselines, "such as 6 or 10, found 7");
    refused(&usual, observed(), spoil_counts, "counts of 10 baselines, the visibilities have 6");
}

static void pipes_are_refused(void **unused)
{
    (void)unused;
    trial t;
    ct_observation said = observed();
    assert_ok(make(&t, &usual, &said, ", \"samples\": 100", err));
    assert_int_equal(symlink("/dev/null", trial_path("v.uvh5")), 0);
    assert_fails(ct_stage_sink_uvh5.io.open(t.step, &t.state, err), CT_DATA, "write to a file");
    trial_free(&t);
    unlink(trial_path("v.uvh5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_say_what_went_in),
        cmocka_unit_test(what_lacks_something_is_refused),
        cmocka_unit_test(pipes_are_refused),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

#else

static void it_says_what_is_missing(void **unused)
{
    (void)unused;
    trial t;
    const shape usual = {5, 4, 7, 3, CT_CF32, "TL", false, 5};
    ct_observation said = observed();
    assert_fails(make(&t, &usual, &said, "", err), CT_INVALID, "built without HDF5");
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_says_what_is_missing)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}

#endif
