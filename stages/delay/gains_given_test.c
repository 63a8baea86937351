/* gains_given_test.c: how gains are given: lists, .npy files, stations by name; mistakes.
 * Room: stages/delay, tests. */
#include "gains_trial.h"

/* ---- lists and .npy */

#define ONES "[[[1, 1, 1, 1, 1]], [[1, 1, 1, 1, 1]], [[1, 1, 1, 1, 1]]]"

static void lists_are_of_voltages(void **state)
{
    stage_case made;
    (void)state;
    make_or_fail(&made,
                 "{\"step_s\": 4, \"amplitude\": [[[[2], [4], [8]], [[1], [1], [1]]], "
                 "[[[1], [1], [1]], [[1], [1], [1]]], [[[1], [1], [1]], [[0.5], [1], [1]]]], "
                 "\"phase\": [[[0.5]], [[0]], [[0]]]}",
                 2);
    for (int64_t i = 0; i < ct_array_count(&made.port[CT_DELAY_X]); i++)
        ct_array_save(&made.port[CT_DELAY_X], i, 1, 0);
    stage_reference(&made);
    for (int t = 0; t < TIMES; t++) {
        const double a = seconds(t) < 2 ? 2 : seconds(t) < 6 ? 4 : 8;
        expect(&made, 0, 0, t, 3, polar(1 / a, -0.5), 1e-12);
        expect(&made, 0, 1, t, 0, polar(1, -0.5), 1e-12);
        expect(&made, 2, 1, t, 4, polar(seconds(t) < 2 ? 2 : 1, 0), 1e-12);
    }
    stage_free(&made);
    make_or_fail(&made, ONES, 1); /* real factors, as ever */
    assert_int_equal(made.port[CT_DELAY_G].type, CT_F32);
    assert_int_equal(ct_array_find(&made.port[CT_DELAY_G], 'K'), -1);
    assert_int_equal(ct_array_extent(&made.port[CT_DELAY_D], 'K'), 1);
    stage_free(&made);
}

/* Complex numbers of a file: stations, polarizations, times, channels. */
static void files_have_complex_numbers(void **state)
{
    static float number[STATIONS][2][3][CHANNELS][2];
    static char bytes[128 + sizeof number];
    const char *path = trial_path("g.npy");
    char gains[256], header[256];
    stage_case made;
    (void)state;
    for (size_t n = 0; n < sizeof number / sizeof(float); n++)
        ((float *)number)[n] = (float)chance((int)n) + (n % 2 ? 0 : 2);
    const int length = snprintf(header, sizeof header,
                                "{'descr': '<c8', 'fortran_order': False, 'shape': (%d, 2, 3, %d)}",
                                STATIONS, CHANNELS);
    memset(bytes, ' ', 128);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(bytes + 10, header, (size_t)length);
    bytes[127] = '\n';
    memcpy(bytes + 128, number, sizeof number);
    trial_write(path, bytes, sizeof bytes);
    for (int undone = 0; undone < 2; undone++) {
        snprintf(gains, sizeof gains, "{\"file\": \"%s\", \"step_s\": 5, \"invert\": %s}", path,
                 undone ? "false" : "true");
        make_or_fail(&made, gains, 2);
        for (int64_t i = 0; i < ct_array_count(&made.port[CT_DELAY_X]); i++)
            ct_array_save(&made.port[CT_DELAY_X], i, 1, 0);
        stage_reference(&made);
        for (int n = 0; n < STATIONS * 2 * TIMES * CHANNELS; n++) {
            const int c = n % CHANNELS, t = n / CHANNELS % TIMES, p = n / CHANNELS / TIMES % 2;
            const int s = n / CHANNELS / TIMES / 2, k = seconds(t) < 2.5   ? 0
                                                        : seconds(t) < 7.5 ? 1
                                                                           : 2;
            const double re = number[s][p][k][c][0], im = number[s][p][k][c][1];
            const double a = hypot(re, im), b = atan2(im, re);
            expect(&made, s, p, t, c, undone ? polar(a, b) : polar(1 / a, -b), 1e-9);
        }
        stage_free(&made);
    }
}

/* ---- mistakes */

static void mistakes_are_said(void **state)
{
    static solved of;
    (void)state;
    solve(&of, 3, 2, 2, 1);
    put(&of);
    static const struct {
        const char *gains, *sentence;
        int pols;
        bool of_file;
    } wrong[] = {
        {"7", "expected real factors (a list or a .npy), or an object such as", 2, false},
        {"{}", "expected \"file\" with \"soltabs\" of an H5parm, \"file\" of complex numbers", 2,
         false},
        {"\", \"soltab\": [\"phase000\"]}",
         "gains/soltab: unknown key \"soltab\"; did you mean \"soltabs\"?", 2, true},
        {"\", \"soltabs\": \"phase000\"}", "expected a list of one or two tables", 2, true},
        {"\", \"soltabs\": [\"phase00\"]}",
         "no solution table \"phase00\"; did you mean \"phase000\"?", 2, true},
        {"\", \"soltabs\": [\"phase000\", \"phase000\"]}", "found two of one kind", 2, true},
        {"\", \"soltabs\": [\"phase000\"], \"solset\": \"sol001\"}", "did you mean \"sol000\"?", 2,
         true},
        {"\", \"soltabs\": [\"phase000\"], \"solset\": 1}", "gains/solset: expected a text", 2,
         true},
        {"\", \"soltabs\": [\"phase000\"], \"direction\": \"x\"}", "has no directions", 2, true},
        {"\", \"soltabs\": [\"phase000\"], \"time\": \"liner\"}", "did you mean \"linear\"?", 2,
         true},
        {"\", \"soltabs\": [\"phase000\"], \"invert\": 1}", "gains/invert: expected true or false",
         2, true},
        {"\", \"soltabs\": [\"phase000\"], \"of\": \"volts\"}",
         "expected \"voltages\" or \"visibilities\"", 2, true},
        {"\", \"soltabs\": [\"phase000\"], \"amplitude\": 1}",
         "is not possible together with \"file\"", 2, true},
        {"\", \"soltabs\": [\"phase000\"], \"step_s\": 1}",
         "is not possible together with \"soltabs\"", 2, true},
        {"\", \"soltabs\": [\"phase000\"]}", "has solutions of 2 polarizations, the data have 1", 1,
         true},
        {"\", \"invert\": true}", "expected a .npy", 2, true},
        {"{\"phase\": [[[1]]]}", "expected numbers of shape [3, 2, 5]: stations, polarizations", 2,
         false},
        {"{\"phase\": [[[1]], [[1]], [[1], [2], [3]]]}", "expected numbers of shape", 2, false},
        {"{\"phase\": [[[\"a\"]], [[1]], [[2]]]}", "expected numbers of shape", 2, false},
        {"{\"phase\": [[[[1], [2]]], [[[1], [2]]], [[[1], [2]]]]}",
         "gains/step_s: expected the seconds from one of the 2 solutions to the next", 2, false},
        {"{\"phase\": [[[[1], [2]]], [[[1], [2]]], [[[1], [2]]]], \"step_s\": 0}",
         "expected the seconds", 2, false},
        {"{\"phase\": [[[1], [1], [1], [1]], [[1], [1], [1], [1]], [[1], [1], [1], [1]]]}",
         "no matrix without their amplitudes", 2, false},
        {"{\"phase\": \"none.npy\"}", "none.npy", 2, false},
        {"{\"phase\": 1}", "gains/phase: expected a file, or lists of numbers", 2, false},
        {"{\"solset\": \"a\", \"phase\": [[[1]], [[1]], [[1]]]}",
         "is of use only together with \"soltabs\"", 2, false},
        {"[[[1]], [[1]], [[1]]]", "expected real numbers of shape [3, 2, 5]", 2, false},
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        stage_case made;
        ct_error err = {0};
        char gains[512];
        snprintf(gains, sizeof gains, "%s%s%s", wrong[n].of_file ? "{\"file\": \"" : "",
                 wrong[n].of_file ? trial_path("cal.h5") : "", wrong[n].gains);
        const bool fine = make(&made, gains, wrong[n].pols, "[[0], [0], [0]]", &err);
        if (fine || !strstr(err.text, wrong[n].sentence))
            fail_msg("%s: expected \"%s\", found \"%s\"", gains, wrong[n].sentence, err.text);
        stage_free(&made);
    }
}

/* A station that the file lacks, names that the pipeline lacks. */
static void stations_go_by_name(void **state)
{
    static const char *const others[] = {"CS001HBA0", "CS002HBA1", "RS106HBA", NULL};
    static const char *const *const said[] = {others, NULL};
    static const char *const sentences[] = {
        "has no solutions of the station \"CS002HBA1\"; did you mean \"CS002HBA0\"?",
        "expected \"names\" of the 3 stations in \"observation\", found 0"};
    static solved of;
    (void)state;
    solve(&of, 2, 2, 2, 1);
    for (int n = 0; n < 2; n++) {
        char text[512];
        stage_case made = {0};
        ct_error err = {0};
        const ct_observation wrong = {.names = said[n]};
        const ct_source_location location = {.observation = &wrong};
        ct_array input = stage_array("S=3 P=2 T=24 C=5", CT_CF32);
        input.meta = (ct_meta){.sample_time_s = 1,
                               .start_mjd = START_MJD,
                               .total = 24,
                               .frequency_hz = hz,
                               .frequencies = CHANNELS};
        snprintf(text, sizeof text,
                 "{\"delays\": [[0], [0], [0]], \"gains\": {\"file\": \"%s\", \"soltabs\": "
                 "[\"phase000\"]}}",
                 put(&of));
        assert_int_equal(ct_value_parse(&made.given, text, "test", &err), CT_OK);
        assert_int_equal(ct_step_new(&made.step, &ct_stage_delay, "delay", made.given,
                                     ct_step_keys(), &location, &err),
                         CT_OK);
        made.step->port[0] = input;
        assert_int_not_equal(ct_step_infer(made.step, &err), CT_OK);
        if (!strstr(err.text, sentences[n]))
            fail_msg("expected \"%s\", found \"%s\"", sentences[n], err.text);
        stage_free(&made);
    }
}

/* Of what feed the data are is known or not; polarizations of others are refused. */
static void receptors_are_the_datas(void **state)
{
    static solved of;
    (void)state;
    solve(&of, 2, 2, 2, 1);
    put(&of);
    for (ct_feed feed = CT_FEED_UNKNOWN; feed < CT_FEEDS; feed++) {
        char text[512];
        stage_case made = {0};
        ct_error err = {0};
        const ct_products products = {.feed = feed};
        const ct_source_location location = {.observation = &observation};
        snprintf(text, sizeof text,
                 "{\"delays\": 0, \"gains\": {\"file\": \"%s\", \"soltabs\": [\"phase000\"]}}",
                 trial_path("cal.h5"));
        assert_int_equal(ct_value_parse(&made.given, text, "test", &err), CT_OK);
        assert_int_equal(ct_step_new(&made.step, &ct_stage_delay, "delay", made.given,
                                     ct_step_keys(), &location, &err),
                         CT_OK);
        made.step->port[0] = stage_array("S=3 P=2 T=24 C=5", CT_CF32);
        made.step->port[0].meta = (ct_meta){.sample_time_s = SAMPLE_S,
                                            .start_mjd = START_MJD,
                                            .total = TIMES,
                                            .frequency_hz = hz,
                                            .frequencies = CHANNELS,
                                            .products = &products};
        const ct_status status = ct_step_infer(made.step, &err);
        assert_int_equal(status == CT_OK, feed != CT_FEED_CIRCULAR);
        if (feed == CT_FEED_CIRCULAR)
            assert_non_null(strstr(
                err.text, "has solutions of linear receptors, the data are of circular ones"));
        stage_free(&made);
    }
}

/* Solutions of another time or band are used, and that is said once; so it is when the pipeline is
 * looked at again. */
static void other_times_and_bands_are_said(void **state)
{
    static solved of;
    static const char *const sentences[] = {
        "gains: the first solution is 100.88 s after the first sample: it is used until then\n"
        "gains: channel 0, at 150.000000 MHz, is outside of the solutions, 151.980000 to "
        "152.380000 "
        "MHz: the nearest is used",
        "gains: the last sample is 999.92 s after the last solution, which is used from there on"};
    (void)state;
    for (int late = 0; late < 2; late++) {
        char gains[256];
        stage_case made;
        ct_error err = {0};
        solve(&of, 4, 3, 2, 1);
        for (int n = 0; n < 4; n++)
            of.time_s[n] += late ? -996.2 : 100;
        for (int n = 0; n < 3 && !late; n++)
            of.freq[n] += 2e6;
        snprintf(gains, sizeof gains,
                 "{\"file\": \"%s\", \"soltabs\": [\"amplitude000\", \"phase000\"]}", put(&of));
        make_or_fail(&made, gains, 2);
        assert_string_equal(ct_step_warned(made.step), sentences[late]);
        assert_int_equal(ct_step_infer(made.step, &err), CT_OK);
        assert_string_equal(ct_step_warned(made.step), sentences[late]);
        stage_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_of_voltages),
                                       cmocka_unit_test(files_have_complex_numbers),
                                       cmocka_unit_test(mistakes_are_said),
                                       cmocka_unit_test(stations_go_by_name),
                                       cmocka_unit_test(receptors_are_the_datas),
                                       cmocka_unit_test(other_times_and_bands_are_said)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
