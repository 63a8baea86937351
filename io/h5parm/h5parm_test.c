/* h5parm_test.c: tables of solutions as libhdf5 writes them, in any order of axes and with texts
 * and numbers of any type; and files that are not as they have to be: each a sentence. Room:
 * io/h5parm, tests. */
#include <math.h>

#include "h5parm_write.h"
#include "io_trial.h"

extern const ct_stage ct_stage_delay; /* any stage: a step is where arrays live */

static void make(trial *t)
{
    ct_error err = {0};
    *t = (trial){0};
    assert_int_equal(ct_value_parse(&t->value, "{}", "trial", &err), CT_OK);
    assert_int_equal(ct_step_new(&t->step, &ct_stage_delay, "node", t->value, NULL, NULL, &err),
                     CT_OK);
}

static void done(trial *t)
{
    ct_step_free(t->step);
    ct_value_free(t->value);
}

#ifdef CT_HAVE_HDF5

enum {
    TIMES = 3,
    CHANNELS = 4,
    STATIONS = 5,
    POLS = 2,
    COUNT = TIMES * CHANNELS * STATIONS * POLS
};

static const double times[TIMES] = {4.9e9, 4.9e9 + 10, 4.9e9 + 25};
static const double freqs[CHANNELS] = {150e6, 150.2e6, 150.4e6, 151e6};
static const char *const ants[] = {"CS001HBA0", "CS001HBA1", "CS002HBA0",
                                   "B\xff",     "RS106HBA",  NULL};
static const char *const pols[] = {"XX", "YY", NULL};
static const char *const dirs[] = {"[centre]", "[CasA]", "[CygA]", NULL};
static double numbers[3 * COUNT], weights[3 * COUNT];

static h5parm_table usual(void)
{
    for (int n = 0; n < 3 * COUNT; n++) {
        numbers[n] = 0.25 * n - 3;
        weights[n] = n % 7 != 3;
    }
    return (h5parm_table){.solset = "sol000",
                          .soltab = "phase000",
                          .title = "phase",
                          .axes = "time,freq,ant,pol",
                          .rank = 4,
                          .extent = {TIMES, CHANNELS, STATIONS, POLS},
                          .value = numbers,
                          .weight = weights,
                          .time = times,
                          .freq = freqs,
                          .ant = ants,
                          .pol = pols};
}

static ct_status load(trial *t, const h5parm_table *table, const char *direction, ct_solutions *out,
                      ct_error *err)
{
    make(t);
    h5parm_write(trial_path("a.h5"), table, 1);
    return ct_h5parm_load(t->step, trial_path("a.h5"), NULL, "phase000", direction, out, err);
}

/* All of it, as it was written: `place` of the file's element from those of its axes. */
static void compare(const ct_solutions *found, const h5parm_table *table, hsize_t dir)
{
    const ct_array *value = &found->value;
    hsize_t at[5], extent[5] = {0};
    static const char letters[] = "TCSPD";
    static const char *const names[] = {"time", "freq", "ant", "pol", "dir"};
    for (int a = 0; a < 5; a++)
        extent[a] = h5parm_extent(table, names[a]) ? h5parm_extent(table, names[a]) : 1;
    for (int a = 0; a < 4; a++)
        assert_int_equal(ct_array_extent(value, letters[a]), extent[a]);
    int64_t flagged = 0;
    for (hsize_t n = 0; n < extent[0] * extent[1] * extent[2] * extent[3]; n++) {
        int64_t place = 0;
        for (int a = 3, rest = (int)n; a >= 0; rest /= (int)extent[a], a--)
            at[a] = (hsize_t)rest % extent[a];
        at[4] = dir;
        for (int a = 0; a < 4; a++)
            place += (int64_t)at[a] * ct_array_stride(value, letters[a]);
        hsize_t from = 0;
        const char *axis = table->axes;
        for (int k = 0; k < table->rank; k++) {
            int a = 0;
            while (strncmp(axis, names[a], strlen(names[a])) != 0)
                a++;
            from = from * table->extent[k] + at[a];
            axis += strlen(names[a]) + 1;
        }
        const double is = ct_array_load(value, place).re;
        const bool fine = !table->weight || table->weight[from] > 0;
        flagged += !fine;
        assert_true(fine ? is == table->value[from] : isnan(is));
    }
    if (table->weight) assert_true(flagged > 0);
}

static void tables_are_read_in_any_order(void **state)
{
    static const struct {
        const char *axes;
        hsize_t extent[5];
        bool variable;
    } orders[] = {{"time,freq,ant,pol", {TIMES, CHANNELS, STATIONS, POLS}, false},
                  {"pol,ant,freq,time", {POLS, STATIONS, CHANNELS, TIMES}, true},
                  {"dir,ant,time,pol,freq", {3, STATIONS, TIMES, POLS, CHANNELS}, true},
                  {"freq,dir,pol,ant,time", {CHANNELS, 3, POLS, STATIONS, TIMES}, false},
                  {"time,ant,freq,dir,pol", {TIMES, STATIONS, CHANNELS, 3, POLS}, false},
                  {"ant", {STATIONS}, false},
                  {"ant,time", {STATIONS, TIMES}, true}};
    (void)state;
    for (size_t n = 0; n < sizeof orders / sizeof *orders; n++)
        for (int type = 0; type < 3; type++) {
            trial t;
            ct_solutions found;
            ct_error err = {0};
            h5parm_table table = usual();
            table.axes = orders[n].axes;
            table.rank = 0;
            while (table.rank < 5 && orders[n].extent[table.rank]) {
                table.extent[table.rank] = orders[n].extent[table.rank];
                table.rank++;
            }
            table.dir = dirs;
            table.variable = orders[n].variable;
            table.type = type == 1 ? H5T_IEEE_F32BE : 0;
            if (type == 2) table.weight = NULL;
            const bool several = strstr(table.axes, "dir") != NULL;
            if (load(&t, &table, several ? "[CasA]" : NULL, &found, &err) != CT_OK)
                fail_msg("%s: %s", table.axes, err.text);
            compare(&found, &table, several);
            assert_string_equal(found.type, "phase");
            for (int s = 0; s < STATIONS; s++)
                assert_string_equal(found.stations[s], ants[s]);
            assert_null(found.stations[STATIONS]);
            if (found.pols) assert_string_equal(found.pols[1], "YY");
            assert_true(!found.time_s == !strstr(table.axes, "time"));
            if (found.time_s) assert_true(found.time_s[2] == times[2]);
            if (found.frequency_hz) assert_true(found.frequency_hz[3] == freqs[3]);
            done(&t);
        }
}

/* Two solution sets, of which one is named or "sol000" is taken; a table without a title. */
static void sets_and_tables_are_found(void **state)
{
    trial t;
    ct_solutions found;
    ct_error err = {0};
    h5parm_table tables[3] = {usual(), usual(), usual()};
    (void)state;
    tables[1].solset = "target";
    tables[1].soltab = "amplitude001";
    tables[1].title = NULL;
    tables[2].soltab = "tec000";
    tables[2].title = "tec";
    make(&t);
    h5parm_write(trial_path("b.h5"), tables, 3);
    const char *file = trial_path("b.h5");
    assert_int_equal(ct_h5parm_load(t.step, file, NULL, "tec000", NULL, &found, &err), CT_OK);
    assert_string_equal(found.type, "tec");
    assert_int_equal(ct_h5parm_load(t.step, file, "target", "amplitude001", NULL, &found, &err),
                     CT_OK);
    assert_string_equal(found.type, "amplitude");
    assert_int_equal(ct_h5parm_load(t.step, file, "targte", "amplitude001", NULL, &found, &err),
                     CT_DATA);
    assert_non_null(strstr(err.text, "no solution set \"targte\"; did you mean \"target\"?"));
    memset(&err, 0, sizeof err);
    assert_int_equal(ct_h5parm_load(t.step, file, NULL, "zzz", NULL, &found, &err), CT_DATA);
    assert_non_null(strstr(err.text, "no solution table \"zzz\"; there are: phase000, tec000"));
    done(&t);
}

/* ---- what is wrong in a file */

static const double backwards[] = {4.9e9, 4.9e9 + 10, 4.9e9 + 9}, never[] = {4.9e9, NAN, 5e9};
static const char *const few[] = {"CS001HBA0", "CS001HBA1", NULL};

static void wrong_axes(h5parm_table *t)
{
    t->axes = "time,freq,antenna,pol";
}
static void twice(h5parm_table *t)
{
    t->axes = "time,freq,ant,time";
}
static void less_axes(h5parm_table *t)
{
    t->axes = "time,ant,pol";
}
static void no_axes(h5parm_table *t)
{
    t->axes = NULL, t->time = t->freq = NULL;
}
static void no_stations(h5parm_table *t)
{
    t->axes = "time,freq,dir,pol";
}
static void no_names(h5parm_table *t)
{
    t->ant = NULL;
}
static void few_names(h5parm_table *t)
{
    t->ant = few;
}
static void no_time(h5parm_table *t)
{
    t->time = NULL;
}
static void time_backwards(h5parm_table *t)
{
    t->time = backwards;
}
static void time_nan(h5parm_table *t)
{
    t->time = never;
}
static void zero(h5parm_table *t)
{
    t->extent[1] = 0, t->value = t->weight = NULL, t->freq = NULL;
}
static void huge(h5parm_table *t)
{
    t->extent[0] = t->extent[1] = 1 << 13;
    t->value = t->weight = t->time = t->freq = NULL;
}
static void larger(h5parm_table *t)
{
    huge(t), t->extent[0] = 1 << 20;
}
static void directions(h5parm_table *t)
{
    t->axes = "time,freq,ant,dir";
    t->extent[3] = 3;
    t->dir = dirs;
}

static void mistakes_are_said(void **state)
{
    static const struct {
        void (*spoil)(h5parm_table *);
        const char *direction, *sentence;
    } wrong[] = {
        {wrong_axes, NULL,
         "/sol000/phase000/val: AXES names \"antenna\", expected time, freq, ant"},
        {twice, NULL, "AXES names \"time\" twice"},
        {less_axes, NULL, "has 4 axes, AXES names 3"},
        {no_axes, NULL, "has no attribute AXES"},
        {no_stations, NULL, "has no axis \"ant\""},
        {no_names, NULL, "/sol000/phase000/ant: is missing"},
        {few_names, NULL, "ant: has 2 names, \"val\" 5 along that axis"},
        {no_time, NULL, "/sol000/phase000/time: is missing"},
        {time_backwards, NULL, "expected numbers that ascend, found 4900000009 after 4900000010"},
        {time_nan, NULL, "expected finite numbers, found nan at 1"},
        {zero, NULL, "val: holds no solutions"},
        {huge, NULL, "says that it has 671088640 numbers, in 0 bytes"},
        {larger, NULL, "expected at most 1073741824 numbers"},
        {directions, NULL, "has solutions of 3 directions, expected which of them"},
        {directions, "[CysA]", "there is no \"[CysA]\"; did you mean \"[CasA]\"?"},
    };
    (void)state;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        trial t;
        ct_solutions found;
        ct_error err = {0};
        h5parm_table table = usual();
        wrong[n].spoil(&table);
        assert_int_equal(load(&t, &table, wrong[n].direction, &found, &err), CT_DATA);
        if (!strstr(err.text, wrong[n].sentence))
            fail_msg("expected \"%s\", found \"%s\"", wrong[n].sentence, err.text);
        done(&t);
    }
}

/* Puts something else in the place of a data set. */
static void replace(const char *name, bool group, hid_t type, int rank)
{
    static const int32_t data[64];
    const hsize_t extent[2] = {STATIONS, 1};
    hid_t file = H5Fopen(trial_path("a.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t table = H5Gopen2(file, "sol000/phase000", H5P_DEFAULT);
    if (H5Ldelete(table, name, H5P_DEFAULT) < 0) abort();
    if (group)
        H5Gclose(H5Gcreate2(table, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    else
        h5parm_put(table, name, rank, extent, type, type, data);
    H5Gclose(table);
    H5Fclose(file);
}

static void other_things_in_their_places(void **state)
{
    static const struct {
        const char *name;
        bool group, text;
        int rank;
        const char *sentence;
    } wrong[] = {{"val", true, false, 1, "val: is no data set"},
                 {"val", false, true, 1, "val: expected numbers, found something else"},
                 {"val", false, false, 1, "has no attribute AXES"},
                 {"ant", true, false, 1, "ant: is no data set"},
                 {"ant", false, false, 1, "ant: expected texts, found something else"},
                 {"time", false, true, 1, "time: expected numbers, found something else"},
                 {"time", false, false, 1, "time: has 5 numbers, \"val\" 3 along that axis"},
                 {"weight", true, false, 1, "weight: is no data set"},
                 {"weight", false, false, 1, "weight: expected numbers of the shape of \"val\""}};
    (void)state;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        trial t;
        ct_solutions found;
        ct_error err = {0};
        h5parm_table table = usual();
        assert_int_equal(load(&t, &table, NULL, &found, &err), CT_OK);
        replace(wrong[n].name, wrong[n].group, wrong[n].text ? H5T_C_S1 : H5T_NATIVE_INT32,
                wrong[n].rank);
        assert_int_equal(
            ct_h5parm_load(t.step, trial_path("a.h5"), NULL, "phase000", NULL, &found, &err),
            CT_DATA);
        if (!strstr(err.text, wrong[n].sentence))
            fail_msg("expected \"%s\", found \"%s\"", wrong[n].sentence, err.text);
        done(&t);
    }
}

/* Cut at every length of its beginning, and elsewhere: no file is read as if it were whole. */
static void files_that_are_cut(void **state)
{
    static char bytes[1 << 16];
    trial t;
    ct_solutions found;
    ct_error err = {0};
    h5parm_table table = usual();
    (void)state;
    assert_int_equal(load(&t, &table, NULL, &found, &err), CT_OK);
    FILE *file = fopen(trial_path("a.h5"), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 2000 && size < sizeof bytes);
    for (size_t cut = 0; cut < size; cut += cut < 100 ? 1 : 97) {
        memset(&err, 0, sizeof err);
        trial_write(trial_path("c.h5"), bytes, cut);
        assert_int_equal(
            ct_h5parm_load(t.step, trial_path("c.h5"), NULL, "phase000", NULL, &found, &err),
            CT_DATA);
        assert_true(strlen(err.text) > 10);
    }
    done(&t);
}

#endif

static void other_files_are_refused(void **state)
{
    static const char text[] = "not an HDF5 file at all\n";
    trial t;
    ct_solutions found;
    ct_error err = {0};
    (void)state;
    make(&t);
    trial_write(trial_path("t.h5"), text, sizeof text);
    assert_int_equal(
        ct_h5parm_load(t.step, trial_path("t.h5"), NULL, "phase000", NULL, &found, &err), CT_DATA);
    assert_non_null(strstr(err.text, "t.h5: expected an H5parm, which is HDF5, found"));
    trial_write(trial_path("e.h5"), "", 0);
    memset(&err, 0, sizeof err);
    assert_int_equal(
        ct_h5parm_load(t.step, trial_path("e.h5"), NULL, "phase000", NULL, &found, &err), CT_DATA);
    assert_non_null(strstr(err.text, "found an empty file"));
    assert_int_equal(
        ct_h5parm_load(t.step, trial_path("none.h5"), NULL, "phase000", NULL, &found, &err),
        CT_DATA);
    assert_non_null(strstr(err.text, "none.h5"));
    done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef CT_HAVE_HDF5
        cmocka_unit_test(tables_are_read_in_any_order),
        cmocka_unit_test(sets_and_tables_are_found),
        cmocka_unit_test(mistakes_are_said),
        cmocka_unit_test(other_things_in_their_places),
        cmocka_unit_test(files_that_are_cut),
#endif
        cmocka_unit_test(other_files_are_refused)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
