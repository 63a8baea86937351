/* json_test.c: what the command prints with --json parses, and says what the texts say.
 * Room: tests. Knows the command and cornerturn.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cornerturn_stage.h"

enum { LONGEST = 1 << 20 };

static const char good[] = "{\"cornerturn\": 1, \"block\": {\"T\": 240}, \"nodes\": {\n"
                           "\"in\": {\"stage\": \"source.simulate\", \"stations\": 2, "
                           "\"samples\": 960, \"layout\": \"TPS\"},\n"
                           "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 4, "
                           "\"taps\": 3, \"layout\": {\"write\": \"SPTC\"}},\n"
                           "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fir\", \"file\": "
                           "\"out.npy\", \"layout\": \"CSTP\"}}}";
static const char bad[] = "{\"cornerturn\": 1, \"nodes\": {\n"
                          "\"in\": {\"stage\": \"source.simulate\", \"statoins\": 2},\n"
                          "\"fir\": {\"stage\": \"fur\", \"input\": \"in\"}}}";

typedef struct folder {
    char name[32];
} folder;

/* Runs `cornerturn WORDS` in the folder; what it printed as a value. */
static ct_value *said(const folder *f, const char *words, int code)
{
    char command[512];
    char *text = calloc(1, LONGEST);
    ct_value *value = NULL;
    ct_error err = {0};
    const char *cornerturn = getenv("CORNERTURN");
    assert_non_null(cornerturn);
    snprintf(command, sizeof command, "cd %s && %s %s 2>stderr.txt", f->name, cornerturn, words);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t length = fread(text, 1, LONGEST - 1, pipe);
    assert_in_range(length, 1, LONGEST - 2);
    const int status = pclose(pipe);
    assert_int_equal(WEXITSTATUS(status), code);
    if (ct_value_parse(&value, text, words, &err) != CT_OK) fail_msg("%s", err.text);
    free(text);
    return value;
}

static const char *text_of(const ct_value *value, const char *key)
{
    return ct_value_text(ct_value_get(value, key), "");
}

static int64_t int_of(const ct_value *value, const char *key)
{
    return ct_value_int(ct_value_get(value, key), -1);
}

static void errors_with_their_places(void **state)
{
    ct_value *all = said(*state, "validate bad.json --json", CT_INVALID);
    const ct_value *errors = ct_value_get(all, "errors"), *first = ct_value_at(errors, 0);
    assert_false(ct_value_bool(ct_value_get(all, "valid"), true));
    assert_int_equal(int_of(all, "status"), CT_INVALID);
    assert_true(ct_value_count(errors) >= 2);
    assert_string_equal(text_of(first, "file"), "bad.json");
    assert_int_equal(int_of(first, "line"), 2);
    assert_int_equal(int_of(first, "column"), 36);
    assert_string_equal(text_of(first, "pointer"), "/nodes/in/statoins");
    assert_non_null(strstr(text_of(first, "sentence"), "did you mean \"stations\"?"));
    assert_string_equal(text_of(ct_value_at(errors, 1), "pointer"), "/nodes/fir/stage");
    ct_value_free(all);
    all = said(*state, "validate good.json --json", CT_OK);
    assert_true(ct_value_bool(ct_value_get(all, "valid"), false));
    assert_int_equal(ct_value_count(ct_value_get(all, "errors")), 0);
    ct_value_free(all);
    all = said(*state, "validate none.json --json", CT_DATA);
    assert_int_equal(ct_value_count(ct_value_get(all, "errors")), 1);
    ct_value_free(all);
}

static void the_flow(void **state)
{
    ct_value *all = said(*state, "explain good.json --json", CT_OK);
    const ct_value *steps = ct_value_get(all, "steps"), *arrays = ct_value_get(all, "arrays");
    assert_int_equal(ct_value_count(steps), 4); /* a transpose was put in */
    assert_int_equal(int_of(all, "blocks"), 4);
    const ct_value *fir = ct_value_at(steps, 1);
    assert_string_equal(text_of(fir, "stage"), "fir");
    assert_int_equal(int_of(fir, "decimate"), 4);
    const ct_value *in = ct_value_at(ct_value_get(fir, "ports"), 0);
    assert_string_equal(text_of(in, "layout"), "TPS");
    assert_int_equal(int_of(ct_value_get(in, "extents"), "T"), 240 + int_of(fir, "overlap"));
    const ct_value *first = ct_value_at(arrays, 0);
    assert_string_equal(text_of(first, "name"), "in");
    assert_int_equal(int_of(first, "history"), int_of(fir, "overlap"));
    assert_int_equal(int_of(ct_value_get(first, "meta"), "total"), 960);
    assert_true(int_of(ct_value_get(all, "memory"), "bytes") > 0);
    ct_value_free(all);
}

static void the_trace(void **state)
{
    ct_value *all = said(*state, "run good.json --trace --json", CT_OK);
    const ct_value *steps = ct_value_get(all, "steps");
    assert_int_equal(int_of(all, "blocks"), 4);
    assert_int_equal(ct_value_count(steps), 4);
    double sum = ct_value_real(ct_value_get(all, "rest_s"), -1) +
                 ct_value_real(ct_value_get(all, "journal_s"), -1);
    for (size_t i = 0; i < 4; i++)
        sum += ct_value_real(ct_value_get(ct_value_at(steps, i), "held_s"), -1);
    const double wall = ct_value_real(ct_value_get(all, "wall_s"), 0);
    assert_true(sum > 0.97 * wall && sum < 1.03 * wall);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(int_of(ct_value_at(steps, i), "fired"), 4);
    ct_value_free(all);
}

static void what_there_is(void **state)
{
    ct_value *all = said(*state, "info devices --json", CT_OK);
    assert_int_equal(int_of(ct_value_at(all, 0), "number"), 0);
    assert_true(int_of(ct_value_at(all, 0), "global_bytes") > 0);
    ct_value_free(all);
    all = said(*state, "info stages --json", CT_OK);
    assert_true(ct_value_count(all) >= 18);
    const size_t count = ct_value_count(all);
    size_t sources = 0, sinks = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(text_of(ct_value_at(all, i), "summary")[0] != 0);
        sources += strcmp(text_of(ct_value_at(all, i), "role"), "source") == 0;
        sinks += strcmp(text_of(ct_value_at(all, i), "role"), "sink") == 0;
    }
    assert_true(sources >= 5 && sinks >= 5);
    ct_value_free(all);
    all = said(*state, "info stage fir --json", CT_OK);
    assert_string_equal(text_of(ct_value_at(ct_value_get(all, "ports"), 0), "name"), "X");
    ct_value_free(all);
}

static void write_text(const folder *f, const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", f->name, name);
    FILE *out = fopen(path, "w");
    if (out == NULL || fputs(text, out) < 0 || fclose(out) != 0) abort();
}

static int make_folder(void **state)
{
    static folder f = {"/tmp/ct_json_XXXXXX"};
    *state = &f;
    if (mkdtemp(f.name) == NULL) return 1;
    write_text(&f, "good.json", good);
    write_text(&f, "bad.json", bad);
    return 0;
}

static int remove_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", ((folder *)*state)->name);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_with_their_places),
        cmocka_unit_test(the_flow),
        cmocka_unit_test(the_trace),
        cmocka_unit_test(what_there_is),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
