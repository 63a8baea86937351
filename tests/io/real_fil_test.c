/* real_fil_test.c: dedispersion of real and of SIGPROC's own filterbanks gives the known answers.
 * Needs the folder that CORNERTURN_TEST_DATA names (default ../shared/data); skips without it.
 * Room: tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture.h"
#include "cornerturn_stage.h"
#include "exhaustive.h"

#define BURST "28.fil"
#define FAKE "sigproc_fake_seed42_P100ms_DM50.fil"

static const char *folder(void)
{
    const char *given = getenv("CORNERTURN_TEST_DATA");
    return given && *given ? given : "../shared/data";
}

/* Dedisperses data/fil/`file`. tunables: of the stage, and what else it is given. */
static capture dedisperse_by(const char *file, const char *dm, int block, const char *tunables)
{
    static const char *const sinks[] = {"out", NULL};
    char text[2048], sizes[64] = "";
    ct_error err = {0};
    capture series = {0};
    char *real = realpath(folder(), NULL);
    if (block > 0) snprintf(sizes, sizeof sizes, ", \"block\": {\"T\": %d}", block);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\n"
             "\"in\": {\"stage\": \"source.sigproc\", \"file\": \"%s/fil/%s\"},\n"
             "\"dd\": {\"stage\": \"dedisp\", \"input\": \"in\", \"dm\": %s, \"tunables\": "
             "%s},\n"
             "\"out\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"out.npy\"}}%s}",
             real, file, dm, tunables, sizes);
    free(real);
    if (capture_run(text, sinks, &series, &err) != CT_OK) fail_msg("%s", err.text);
    return series;
}

static capture dedisperse(const char *file, const char *dm, int block)
{
    return dedisperse_by(file, dm, block, "{}");
}

static double *series_of(const capture *all, int64_t trial)
{
    double *value = malloc(sizeof(double) * (size_t)all->samples);
    for (int64_t t = 0; t < all->samples; t++)
        value[t] = capture_at(all, t, trial).re;
    return value;
}

/* ---- statistics */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *value, int64_t count)
{
    double *sorted = malloc(sizeof(double) * (size_t)count);
    memcpy(sorted, value, sizeof(double) * (size_t)count);
    qsort(sorted, (size_t)count, sizeof(double), ascending);
    double middle = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    free(sorted);
    return middle;
}

/* Of the best sum of two samples; median and median absolute deviation of single ones. */
static double burst_snr(const capture *all, int64_t trial)
{
    int64_t count = all->samples;
    double *value = series_of(all, trial), *away = malloc(sizeof(double) * (size_t)count);
    double best = -INFINITY, middle = median(value, count);
    for (int64_t t = 0; t < count; t++) {
        away[t] = fabs(value[t] - middle);
        if (t > 0) best = fmax(best, value[t - 1] + value[t] - 2 * middle);
    }
    best /= sqrt(2) * 1.4826 * median(away, count);
    free(value);
    free(away);
    return best;
}

/* Of the strongest phase of a series folded at 100 ms. */
static double folded_snr(const capture *all, int64_t trial)
{
    enum { BINS = 50 };
    double *value = series_of(all, trial), bin[BINS] = {0}, hits[BINS] = {0};
    double best = -INFINITY, deviation = 0;
    for (int64_t t = 0; t < all->samples; t++) {
        int64_t at = (int64_t)floor((double)t * all->meta.sample_time_s / 0.1 * BINS) % BINS;
        bin[at] += value[t];
        hits[at] += 1;
    }
    for (int k = 0; k < BINS; k++)
        bin[k] /= hits[k];
    double middle = median(bin, BINS), away[BINS];
    for (int k = 0; k < BINS; k++) {
        away[k] = fabs(bin[k] - middle);
        best = fmax(best, bin[k] - middle);
    }
    deviation = 1.4826 * median(away, BINS);
    free(value);
    return best / deviation;
}

static int64_t best_trial(const capture *all, double (*snr)(const capture *, int64_t),
                          double *highest)
{
    int64_t best = 0;
    *highest = -INFINITY;
    for (int64_t d = 0; d < all->meta.dms; d++) {
        double now = snr(all, d);
        if (now > *highest) {
            *highest = now;
            best = d;
        }
    }
    return best;
}

/* ---- tests */

static int need_data(void **state)
{
    char name[512];
    ct_device *device = NULL;
    (void)state;
    snprintf(name, sizeof name, "%s/fil/%s", folder(), BURST);
    if (access(name, R_OK) != 0) {
        print_message("skipped: %s is not there; set CORNERTURN_TEST_DATA\n", name);
        exit(77);
    }
    if (ct_device_open(&device, NULL, NULL) != CT_OK) return -1;
    ct_device_free(device);
    return 0;
}

static void test_burst_has_the_exact_maximum(void **state)
{
    static const char *const share[] = {"{\"SHARE\": 0}", "{\"SHARE\": 1}"};
    const int blocks[] = {0, 700};
    (void)state;
    for (int k = 0; k < few_or_all(1, 4); k++) {
        capture all = dedisperse_by(BURST, "{\"start\": 475.284}", blocks[k % 2], share[k / 2]);
        int64_t best = 0;
        for (int64_t t = 0; t < all.samples; t++)
            if (capture_at(&all, t, 0).re > capture_at(&all, best, 0).re) best = t;
        assert_int_equal(all.count, 1);
        assert_int_equal(best, 1602);
        assert_true(capture_at(&all, best, 0).re == 47527);
        capture_free(&all);
    }
}

static void test_burst_is_found_in_a_scan(void **state)
{
    double snr;
    capture all = dedisperse(BURST, "{\"start\": 450, \"step\": 0.4, \"count\": 128}", 0);
    int64_t best = best_trial(&all, burst_snr, &snr);
    (void)state;
    if (all.meta.dm == NULL) abort();
    print_message("burst: DM %g, S/N %.2f\n", all.meta.dm[best], snr);
    assert_true(fabs(all.meta.dm[best] - 475.6) <= 2);
    assert_true(snr >= 16 && snr <= 17.2);
    capture_free(&all);
}

/* In two steps, off by a sample at most: a little of the S/N is lost, the same in every block, and
 * by both ways to add. */
static void test_burst_in_subbands(void **state)
{
    enum { THERE = 20 };
    static const char scan[] = "{\"start\": 465.3, \"step\": 0.5, \"count\": 64}";
    static const char *const more[] = {"{\"SHARE\": 1}", "{\"SHARE\": 0}"};
    static const int blocks[] = {0, 700, 128};
    capture brute = dedisperse(BURST, scan, 0), first = {0};
    const double exact = burst_snr(&brute, THERE);
    (void)state;
    for (int k = 0; k < few_or_all(2, 6); k++) {
        char tunables[96];
        double snr;
        snprintf(tunables, sizeof tunables, "%s, \"subbands\": 8, \"smear\": 1", more[k / 3]);
        capture all = dedisperse_by(BURST, scan, blocks[k % 3], tunables);
        const int64_t best = best_trial(&all, burst_snr, &snr);
        assert_true(all.meta.subbands == 8 && all.meta.smear == 1);
        assert_true(fabs(all.meta.dm[best] - 475.3) <= 2 && snr >= 16);
        assert_true(burst_snr(&all, THERE) > 0.9 * exact);
        if (k == 0)
            print_message("burst in subbands: S/N %.2f at DM %g, exact %.2f; %.2f at DM %g\n",
                          burst_snr(&all, THERE), all.meta.dm[THERE], exact, snr,
                          all.meta.dm[best]);
        for (int64_t d = 0; k > 0 && d < all.meta.dms; d++)
            for (int64_t t = 0; t < all.samples; t++)
                assert_true(capture_at(&all, t, d).re == capture_at(&first, t, d).re);
        if (k == 0)
            first = all;
        else
            capture_free(&all);
    }
    capture_free(&first);
    capture_free(&brute);
}

/* Searches the burst by stage pulses, or by the sink itself, behind nodes of which the last one is
 * "clean"; what sink.candidates writes, to be freed. block 0: the default. */
static char *search(const char *dm, int block, const char *filters, bool pulses)
{
    enum { MOST = 4096 };
    static const char *const none[] = {NULL};
    char name[] = "/tmp/ct_burst_XXXXXX", text[2048], sizes[64] = "", *found = calloc(1, MOST);
    char *real = realpath(folder(), NULL);
    ct_error err = {0};
    close(mkstemp(name));
    if (block > 0) snprintf(sizes, sizeof sizes, ", \"block\": {\"T\": %d}", block);
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"nodes\": {\n"
             "\"in\": {\"stage\": \"source.sigproc\", \"file\": \"%s/fil/" BURST "\"},\n"
             "%s\"dd\": {\"stage\": \"dedisp\", \"input\": \"%s\", \"dm\": %s},\n"
             "%s\"found\": {\"stage\": \"sink.candidates\", \"input\": \"%s\", \"file\": "
             "\"%s\"}}%s}",
             real, filters, *filters ? "clean" : "in", dm,
             pulses ? "\"best\": {\"stage\": \"pulses\", \"input\": \"dd\"},\n" : "",
             pulses ? "best" : "dd", name, sizes);
    free(real);
    if (capture_run(text, none, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    FILE *in = fopen(name, "r");
    assert_true(in != NULL && fread(found, 1, MOST - 1, in) > 0);
    fclose(in);
    unlink(name);
    return found;
}

static double number_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? ct_number_read(at + strlen(key), NULL) : NAN;
}

/* One answer, to the last byte, for every block; where trials are downsampled, too. */
static void test_burst_is_the_same_for_all_blocks(void **state)
{
    static const char *const trials[] = {
        "{\"start\": 450, \"step\": 0.5, \"count\": 68}",
        "{\"start\": 400, \"step\": 0.5, \"count\": 301}",
        "[{\"start\": 450, \"step\": 0.5, \"count\": 100},"
        " {\"start\": 500, \"step\": 1, \"count\": 20, \"downsample\": 4}]"};
    static const int blocks[] = {300, 128, 512, 1024, 5120};
    (void)state;
    for (int k = 0; k < 4; k += (int)few_or_all(3, 1)) { /* the last one by stage pulses */
        char *whole = search(trials[k % 3], 0, "", k == 3);
        const double dm = number_of(whole, "\"dm\": "), snr = number_of(whole, "\"snr\": ");
        print_message("burst: DM %g, S/N %.2f\n", dm, snr);
        assert_true(fabs(dm - 475.5) <= 1 && snr >= 16 && snr <= 17.2);
        /* a boxcar of two of which sample 1602 is one: its centre is an edge of that sample */
        const double edge = number_of(whole, "\"time_s\": ") / 0.00126646875;
        assert_true(fabs(edge - 1602.5) < 0.501 && fabs(edge - round(edge)) < 1e-3);
        for (int64_t i = 0; i < few_or_all(1, 5); i++) {
            char *parts = search(trials[k % 3], blocks[i], "", k == 3);
            assert_string_equal(parts, whole);
            free(parts);
        }
        free(whole);
    }
}

/* Some of its channels are those of navigation satellites, which flag must not take for so little.
 */
static void test_burst_outlives_its_filters(void **state)
{
    static const char trials[] = "{\"start\": 425, \"step\": 0.5, \"count\": 201}";
    static const char flag[] = "\"flag\": {\"stage\": \"flag\", \"input\": \"in\"},\n";
    static const struct {
        const char *input, *mode;
    } chains[] = {{"flag", "fit"}, {"in", "fit"}, {"flag", "mean"}, {"in", "mean"}};
    char *plain = search(trials, 0, "", true), filters[512];
    const double exact = number_of(plain, "\"snr\": ");
    (void)state;
    for (int k = 0; k < few_or_all(1, 4); k++) {
        snprintf(filters, sizeof filters,
                 "%s\"clean\": {\"stage\": \"zerodm\", \"input\": \"%s\", \"mode\": \"%s\"},\n",
                 flag, chains[k].input, chains[k].mode);
        char *found = search(trials, 0, filters, true);
        const double dm = number_of(found, "\"dm\": "), snr = number_of(found, "\"snr\": ");
        print_message("burst: S/N %.2f, behind zerodm (%s) of %s %.2f at DM %g\n", exact,
                      chains[k].mode, chains[k].input, snr, dm);
        assert_true(fabs(dm - 475.5) <= 1 && snr >= 0.97 * exact && snr <= 1.03 * exact);
        free(found);
    }
    free(plain);
}

static void test_fake_pulsar_has_its_dm(void **state)
{
    double snr;
    capture all = dedisperse(FAKE, "{\"start\": 40, \"step\": 0.5, \"count\": 41}", 0);
    int64_t best = best_trial(&all, folded_snr, &snr);
    (void)state;
    if (all.meta.dm == NULL) abort();
    print_message("folded: DM %g, S/N %.1f\n", all.meta.dm[best], snr);
    assert_true(all.meta.dm[best] == 50);
    capture_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_burst_has_the_exact_maximum),
        cmocka_unit_test(test_burst_is_found_in_a_scan),
        cmocka_unit_test(test_burst_in_subbands),
        cmocka_unit_test(test_burst_is_the_same_for_all_blocks),
        cmocka_unit_test(test_burst_outlives_its_filters),
        cmocka_unit_test(test_fake_pulsar_has_its_dm),
    };
    return cmocka_run_group_tests(tests, need_data, NULL);
}
