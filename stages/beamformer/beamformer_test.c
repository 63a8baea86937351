/* beamformer_test.c: what is special of the beam former: geometry and its signs, the axes of a file
 * of weights, normalisation, powers, its messages.
 * Room: stages/beamformer, tests. The conformance call compares kernel and reference. */
#include "beamformer.h"
#include "stage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#define TWO_PI 6.28318530717958647692
#define LIGHT 299792458.0

enum { X = CT_BEAMFORMER_X, W = CT_BEAMFORMER_W, Y = CT_BEAMFORMER_Y };

static const double frequency[3] = {141e6, 142e6, 143.5e6};

static ct_array make_input(const char *extents)
{
    ct_array input = stage_array(extents, CT_CF32);
    input.meta.frequency_hz = frequency;
    input.meta.frequencies = 3;
    return input;
}

static void make(stage_case *made, const char *params, const char *extents)
{
    ct_error err = {0};
    ct_array input = make_input(extents);
    if (!stage_try(made, &ct_stage_beamformer, params, &input, &err)) fail_msg("%s", err.text);
    for (int i = 0; i < 3; i++)
        stage_take_port(made, i);
}

static void check_complex(const ct_array *array, int64_t element, double re, double im, double near)
{
    ct_complex found = ct_array_load(array, element);
    if (fabs(found.re - re) > near || fabs(found.im - im) > near)
        fail_msg("element %lld is %g%+gi instead of %g%+gi", (long long)element, found.re, found.im,
                 re, im);
}

/* ---------------------------------------------------------------- geometry */

/* A station 100 m east and one 100 m north; a source at the zenith, in the east, in the north. */
static void test_signs_of_directions(void **state)
{
    stage_case made;
    double phase = TWO_PI * frequency[1] * 100 / LIGHT;
    (void)state;
    make(&made,
         "{\"positions\": [[100, 0, 0], [0, 100, 0]],"
         " \"directions\": [[0, 90], [90, 0], {\"az\": 0, \"el\": 0}, [1, 0, 0]]}",
         "S=2 P=1 T=1 C=3");
    const ct_array *w = &made.port[W]; /* B,S,C; channel 1 */
    check_complex(w, 1, 1, 0, 1e-6);
    check_complex(w, 4, 1, 0, 1e-6);
    check_complex(w, 6 + 1, cos(phase), -sin(phase),
                  1e-6); /* tau = -r.u/c, w = exp(2 pi i f tau) */
    check_complex(w, 6 + 4, 1, 0, 1e-6);
    check_complex(w, 12 + 1, 1, 0, 1e-6);
    check_complex(w, 12 + 4, cos(phase), -sin(phase), 1e-6);
    check_complex(w, 18 + 1, cos(phase), -sin(phase), 1e-6);
    stage_free(&made);
}

/* Voltages of a source at azimuth 40, elevation 60 add up in the beam that points there, and only
 * there. */
static void test_source_adds_up(void **state)
{
    static const double r[5][3] = {{0, 0, 0}, {31, -7, 1}, {-12, 40, 0}, {55, 23, -2}, {9, -61, 3}};
    const double az = 40 * TWO_PI / 360, el = 60 * TWO_PI / 360;
    const double u[3] = {sin(az) * cos(el), cos(az) * cos(el), sin(el)};
    stage_case made;
    (void)state;
    make(&made,
         "{\"positions\": [[0, 0, 0], [31, -7, 1], [-12, 40, 0], [55, 23, -2], [9, -61, 3]],"
         " \"directions\": [[40, 60], [43, 60]]}",
         "S=5 P=1 T=1 C=3");
    for (int s = 0; s < 5; s++)
        for (int c = 0; c < 3; c++) {
            double tau = -(r[s][0] * u[0] + r[s][1] * u[1] + r[s][2] * u[2]) / LIGHT;
            double phase = -TWO_PI * frequency[c] * tau;
            ct_array_save(&made.port[X], s * 3 + c, cos(phase), sin(phase));
        }
    stage_reference(&made);
    assert_string_equal(made.step->port[Y].dim, "BPTC");
    for (int c = 0; c < 3; c++) {
        ct_complex other = ct_array_load(&made.port[Y], 3 + c);
        check_complex(&made.port[Y], c, 5, 0, 1e-5);
        assert_true(hypot(other.re, other.im) < 2.1); /* 3 degrees away */
    }
    stage_free(&made);
}

/* ---------------------------------------------------------------- a file of weights */

/* Writes beam + 10 station + 100 channel, and its negative as imaginary part, in any order. */
static void write_weights(const char *file, const char *dims, const int64_t extent[3], double bad)
{
    char header[128], shape[64] = "";
    FILE *out = fopen(file, "wb");
    int rank = (int)strlen(dims);
    int64_t count = 1;
    for (int k = 0; k < rank; k++) {
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%d, ", (int)extent[k]);
        count *= extent[k];
    }
    snprintf(header, sizeof header, "{'descr': '<c16', 'fortran_order': False, 'shape': (%s), }",
             shape);
    fprintf(out, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, header);
    for (int64_t n = 0; n < count; n++) {
        int64_t rest = n;
        double value[2] = {0, 0};
        for (int k = rank - 1; k >= 0; rest /= extent[k--])
            value[0] += (double)(rest % extent[k]) * (dims[k] == 'B'   ? 1
                                                      : dims[k] == 'S' ? 10
                                                                       : 100);
        value[1] = -value[0];
        if (n == 17) value[0] += bad;
        fwrite(value, sizeof *value, 2, out);
    }
    fclose(out);
}

static void write_text(const char *file, const char *text)
{
    FILE *out = fopen(file, "w");
    fputs(text, out);
    fclose(out);
}

/* One try with a file; false, with the message, where it is refused. */
static bool try_file(stage_case *made, const char *file, ct_error *err)
{
    char params[512];
    ct_array input = make_input("S=5 P=2 T=2 C=3");
    memset(err, 0, sizeof *err);
    snprintf(params, sizeof params, "{\"weights\": \"%s\"}", file);
    return stage_try(made, &ct_stage_beamformer, params, &input, err);
}

static void check_axes(const char *folder, const char *dims, const int64_t extent[3],
                       const char *sidecar)
{
    stage_case made;
    ct_error err;
    char file[256], json[256];
    snprintf(file, sizeof file, "%s/weights.npy", folder);
    snprintf(json, sizeof json, "%s/weights.npy.json", folder);
    write_weights(file, dims, extent, 0);
    if (sidecar) write_text(json, sidecar);
    if (!try_file(&made, file, &err)) fail_msg("%s", err.text);
    stage_take_port(&made, W);
    assert_int_equal(ct_array_extent(&made.port[W], 'B'), 7);
    for (int b = 0; b < 7; b++)
        for (int s = 0; s < 5; s++)
            for (int c = 0; c < 3; c++) {
                double value = b + 10 * s + (strchr(dims, 'C') ? 100 * c : 0);
                check_complex(&made.port[W], (b * 5 + s) * 3 + c, value, -value, 0);
            }
    stage_free(&made);
    unlink(file);
    unlink(json);
}

static void make_folder(char *folder, size_t size)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, size, "%s/beamformer_XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
}

static void test_axes_of_weights(void **state)
{
    char folder[128];
    (void)state;
    make_folder(folder, sizeof folder);
    check_axes(folder, "BSC", (int64_t[]){7, 5, 3}, NULL);
    check_axes(folder, "BS", (int64_t[]){7, 5, 1}, NULL);
    check_axes(folder, "CBS", (int64_t[]){3, 7, 5}, "{\"dims\": \"CBS\"}");
    check_axes(folder, "SB", (int64_t[]){5, 7, 1}, "{\"dims\": \"station,beam\"}");
    rmdir(folder);
}

static void check_refused(const char *file, const char *sentence)
{
    stage_case made;
    ct_error err;
    assert_false(try_file(&made, file, &err));
    if (!strstr(err.text, sentence)) fail_msg("\"%s\" lacks \"%s\"", err.text, sentence);
    stage_free(&made);
}

static void test_bad_files(void **state)
{
    char folder[128], file[256];
    (void)state;
    make_folder(folder, sizeof folder);
    snprintf(file, sizeof file, "%s/weights.npy", folder);
    check_refused(file, "cannot be opened");
    write_weights(file, "BSC", (int64_t[]){7, 5, 3},
                  NAN); /* n = 17: beam 1, station 0, channel 2 */
    check_refused(file, "the weight of beam 1, station 0, channel 2 is nan");
    write_weights(file, "BSC", (int64_t[]){7, 5, 3}, INFINITY);
    check_refused(file, "is inf-201i; weights must be finite");
    write_weights(file, "BSC", (int64_t[]){7, 4, 3}, 0);
    check_refused(file, "expected weights for 5 stations, found 4 (axes BSC)");
    write_weights(file, "BSC", (int64_t[]){7, 5, 2}, 0);
    check_refused(file, "expected weights for 3 channels, found 2 (axes BSC)");
    write_weights(file, "B", (int64_t[]){7, 1, 1}, 0);
    check_refused(file, "expected axes B,S,C or B,S in any order, found 1 axes named BS");
    unlink(file);
    rmdir(folder);
}

/* ---------------------------------------------------------------- modes and messages */

static void test_modes(void **state)
{
    stage_case made;
    (void)state;
    make(&made, "{\"mode\": \"incoherent\", \"normalise\": \"mean\"}", "S=4 P=1 T=1 C=3");
    assert_int_equal(made.step->port[W].type, CT_NONE);
    assert_int_equal(made.step->port[Y].type, CT_F32);
    assert_int_equal(ct_array_extent(&made.port[Y], 'B'), 1);
    for (int n = 0; n < 12; n++)
        ct_array_save(&made.port[X], n, n / 3, 2);
    stage_reference(&made);
    for (int c = 0; c < 3; c++)
        check_complex(&made.port[Y], c, (0 + 1 + 4 + 9 + 4 * 4) / 4.0, 0, 0);
    stage_free(&made);
    make(&made,
         "{\"positions\": [[0,0,0],[0,0,0],[0,0,0],[0,0,0]], \"directions\": [[0,90]],"
         " \"normalise\": \"mean\"}",
         "S=4 P=1 T=1 C=3");
    check_complex(&made.port[W], 5, 0.25, 0, 0);
    stage_free(&made);
}

static void check_message(const char *params, const char *sentence)
{
    stage_case made;
    ct_error err = {0};
    ct_array input = make_input("S=2 P=1 T=1 C=3");
    assert_false(stage_try(&made, &ct_stage_beamformer, params, &input, &err));
    if (!strstr(err.text, sentence)) fail_msg("\"%s\" lacks \"%s\"", err.text, sentence);
    stage_free(&made);
}

#define TWO "{\"positions\": [[0, 0, 0], [1, 2, 3]], "

static void test_messages(void **state)
{
    (void)state;
    check_message("{}", "expected \"weights\", \"radec\" or \"directions\", found none of them");
    check_message("{\"weights\": 10}", "expected a file or a list of directions, found 10");
    check_message(
        "{\"directions\": [[0, 90]]}",
        "directions need \"positions\" of the stations, or \"stations\" in the pipeline's ");
    check_message(TWO "\"directions\": []}", "expected a list of directions, found an empty one");
    check_message(TWO "\"directions\": [[1]]}", "for direction 0, found a list");
    check_message(TWO "\"directions\": [[0, 90], [1, 2, 3]]}",
                  "expected a vector of length 1 for direction 1, found length 3.74166");
    check_message("{\"positions\": [[0, 0, 0]], \"directions\": [[0, 90]]}",
                  "one position for each of the 2 stations, found 1");
    check_message("{\"positions\": [[0, 0, 0], [1, 2]], \"directions\": [[0, 90]]}",
                  "expected [x, y, z] in metres for station 1");
}

static void test_frequency_is_needed(void **state)
{
    stage_case made;
    ct_error err = {0};
    ct_array input = stage_array("S=2 P=1 T=1 C=3", CT_CF32);
    (void)state;
    assert_false(
        stage_try(&made, &ct_stage_beamformer, TWO "\"directions\": [[0, 90]]}", &input, &err));
    assert_non_null(strstr(err.text, "directions need the frequency of each of the 3 channels"));
    stage_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_of_directions),
        cmocka_unit_test(test_source_adds_up),
        cmocka_unit_test(test_axes_of_weights),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_frequency_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
