/* describe_file_test.c: what is said of a data file. */
#include "io_trial.h"

static void says(const char *path, const char *const *parts)
{
    char *text = NULL;
    assert_ok(ct_describe_file(&text, path, err));
    for (; *parts; parts++)
        if (!strstr(text, *parts)) fail_msg("no \"%s\" in:\n%s", *parts, text);
    free(text);
}

static void real_files_are_described(void **unused)
{
    (void)unused;
    const char *fil = trial_data("fil/28.fil"), *station = trial_data("lofar/tRSP.in_16bit");
    if (!fil || !station) skip();
    says(fil, (const char *[]){"SIGPROC filterbank", "T 5120, Q 1, C 336", "8 bits", "GMRT",
                               "1465.000000 to 1130.000000 MHz", "2019-07-18 14:53:15", NULL});
    says(station, (const char *[]){"station packets, version 3", "28, lane 0", "T 32, C 61", "ci16",
                                   "200 MHz clock", "2012-11-21 10:51:40", NULL});
}

static void arrays_are_described(void **unused)
{
    (void)unused;
    static const char header[] =
        "\x93NUMPY\x01\0\x46\0"
        "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 5, 2), }"
        "       \n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const char sidecar[] = "{\"dims\": \"ST\", \"type\": \"ci8\", "
                                  "\"frequency_hz\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}";
    trial_write(trial_path("a.npy"), header, sizeof header);
    trial_write(trial_path("a.npy.json"), sidecar, sizeof sidecar - 1);
    trial_write(trial_path("a.json"), sidecar, sizeof sidecar - 1); /* the older name */
    trial_write(trial_path("a.raw"), sidecar, 20);
    says(trial_path("a.npy"),
         (const char *[]){"NumPy", "|i1", "3 x 5 x 2", "ST", "ci8", "1 2 3 ... 10 (10)", NULL});
    says(trial_path("a.raw"), (const char *[]){"without a header", "ST", "ci8", NULL});
}

static void unknown_files_are_refused(void **unused)
{
    (void)unused;
    char *text;
    trial_write(trial_path("b.dat"), "nothing known at all", 20);
    assert_fails(ct_describe_file(&text, trial_path("b.dat"), err), CT_DATA, "none of these");
    assert_null(text);
    assert_fails(ct_describe_file(&text, trial_path("none"), err), CT_DATA, "cannot be opened");
    assert_fails(ct_describe_file(&text, trial_folder, err), CT_DATA, "a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files_are_described),
        cmocka_unit_test(arrays_are_described),
        cmocka_unit_test(unknown_files_are_refused),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
