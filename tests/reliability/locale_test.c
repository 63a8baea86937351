/* locale_test.c: a program whose locale has a comma before the decimals gets the same bytes in
 * every file, and the same texts, as one without. The locale is made here, so that none need be
 * installed. Room: tests. Knows the public headers only. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cornerturn_stage.h"

static const char definition[] = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                                 "grouping 3;3\nEND LC_NUMERIC\n";

/* Dedispersion has a real default (the dispersion constant); simulated times, frequencies and the
 * files beside arrays are reals as text. */
static const char pipeline[] =
    "{\"cornerturn\": 1, \"nodes\": {"
    "\"sky\": {\"stage\": \"source.simulate\", \"kind\": \"filterbank\", \"channels\": 32,"
    " \"duration_s\": 0.75, \"frequency_hz\": 350.5e6, \"bandwidth_hz\": 16.25e6, \"seed\": 7,"
    " \"pulses\": [{\"dm\": 12.5, \"time_s\": 0.25, \"width_s\": 0.004, \"amplitude\": 2.5}]},"
    "\"dd\": {\"stage\": \"dedisp\", \"input\": \"sky\", \"dm\": {\"start\": 0, \"step\": 12.5, "
    "\"count\": 3}},"
    "\"npy\": {\"stage\": \"sink.npy\", \"input\": \"dd\", \"file\": \"dd.npy\"},"
    "\"fil\": {\"stage\": \"sink.sigproc\", \"input\": \"sky\", \"file\": \"sky.fil\"},"
    "\"found\": {\"stage\": \"sink.candidates\", \"input\": \"dd\", \"file\": \"found.json\","
    " \"picture\": \"found.svg\"}}}";

static const char *const files[] = {"dd.npy",    "dd.npy.json", "sky.fil", "found.json",
                                    "found.svg", "plan.json",   NULL};

typedef struct outcome {
    char *explain, *source, *bytes[8];
    size_t size[8];
} outcome;

static char folder[] = "/tmp/ct_locale_XXXXXX";

static char *read_all(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail_msg("%s was not written", path);
    char *bytes = malloc(1 << 24);
    *size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    remove(path);
    return bytes;
}

static void run_pipeline(outcome *out)
{
    char name[512], saved[512];
    ct_error err = {0};
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_device *device = NULL;
    ct_run *run = NULL;
    snprintf(name, sizeof name, "%s/pipeline.json", folder);
    snprintf(saved, sizeof saved, "%s/plan.json", folder);
    ct_status status = ct_context_open(&context, &err);
    if (!status) status = ct_graph_parse(&graph, context, pipeline, name, NULL, &err);
    if (!status) status = ct_device_open(&device, NULL, &err);
    if (!status) status = ct_plan_default(&plan, graph, device, &err);
    if (!status) status = ct_plan_save(plan, saved, &err);
    if (!status) status = ct_explain_plan(&out->explain, plan, CT_FORM_TEXT, &err);
    if (!status) status = ct_plan_source(&out->source, plan, &err);
    if (!status) status = ct_run_new(&run, plan, device, &err);
    while (!status)
        status = ct_run_block(run, &err);
    if (status == CT_EOF) status = ct_run_finish(run, &err);
    if (status) fail_msg("%s", err.text);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
    ct_device_free(device);
    for (int i = 0; files[i]; i++)
        out->bytes[i] = read_all(files[i], &out->size[i]);
}

static void free_outcome(outcome *out)
{
    free(out->explain);
    free(out->source);
    for (int i = 0; files[i]; i++)
        free(out->bytes[i]);
}

/* Makes the locale "comma" beside the files; false where localedef is not there. */
static bool make_locale(void)
{
    char path[512], command[2048];
    snprintf(path, sizeof path, "%s/comma.src", folder);
    FILE *file = fopen(path, "w");
    fputs(definition, file);
    fclose(file);
    snprintf(command, sizeof command,
             "localedef -c -f ANSI_X3.4-1968 -i %s/comma.src %s/comma >%s/log 2>&1", folder, folder,
             folder);
    (void)!system(command); /* it warns of the other categories */
    setenv("LOCPATH", folder, 1);
    const char *set = setlocale(LC_NUMERIC, "comma");
    return set != NULL && localeconv()->decimal_point[0] == ',';
}

static void test_same_in_every_locale(void **state)
{
    (void)state;
    outcome plain = {0}, comma = {0};
    assert_non_null(mkdtemp(folder));
    run_pipeline(&plain);
    if (!make_locale()) skip();
    run_pipeline(&comma);
    double read = ct_number_read("4148.808", NULL);
    char text[32];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* the caller's locale is as it was */
    setlocale(LC_ALL, "C");
    assert_true(read == 4148.808);
    assert_string_equal(plain.explain, comma.explain);
    assert_string_equal(plain.source, comma.source);
    for (int i = 0; files[i]; i++) {
        if (plain.size[i] != comma.size[i] || memcmp(plain.bytes[i], comma.bytes[i], plain.size[i]))
            fail_msg("%s differs", files[i]);
    }
    free_outcome(&plain);
    free_outcome(&comma);
    char command[600];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_in_every_locale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
