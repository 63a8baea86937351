/* server_built_test.c: what was built last is what is timed next, and is not made again. The stage
 * is the test's own.
 * Room: tuner/server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "device.h"
#include "server.h"
#include "text.h"

static const char source_text[] = "CT_GROUP kernel void twice(CT_ARGS)\n"
                                  "{\n"
                                  "    if (CT_OUTSIDE) return;\n"
                                  "    float value = 2 * X_LOAD(ID_S, ID_T);\n"
                                  "    if (FAULT_IS_wrong && ID_T == 40) value += 1;\n"
                                  "    Y_SAVE(ID_S, ID_T, value);\n"
                                  "}\n";

static const ct_tunable twice_tunables[] = {
    {"FAULT", "none wrong", "none", "none", "what is wrong"},
    {"WG", "1 16", "1", "1", "work-items of a work-group"},
    {0}};

static ct_status make_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_add(out, 'S', 3);
    ct_array_add(out, 'T', 0);
    out->meta.total = 128;
    return CT_OK;
}

static const ct_stage make = {.api = CT_API,
                              .name = "test.make",
                              .infer = make_infer,
                              .ports = {{"Y", CT_OUT, 0, "ST", "f32", "*", NULL, NULL}}};
static const ct_stage twice = {
    .api = CT_API,
    .version = 1,
    .name = "test.twice",
    .summary = "two times",
    .ports = {{"X", CT_IN, 0, "ST", "f32", "*", "ST", NULL},
              {"Y", CT_OUT, 0, "ST", "f32", "*", "ST", NULL}},
    .tuning = {.tunables = twice_tunables},
    .kernel = {.text = source_text, .name = "twice.cl", .entry = "twice", .parallel = "T:WG, S"},
    .verify = {.tolerance = 1e-6},
};

static const char hello[] = "{\"hello\": 1, \"name\": \"dir/p.json\", \"pipeline\": "
                            "{\"cornerturn\": 1, \"block\": {\"T\": 64}, \"nodes\": {"
                            "\"in\": {\"stage\": \"test.make\"}, "
                            "\"two\": {\"stage\": \"test.twice\", \"input\": \"in\"}}}}";

/* A question about a plan of that pipeline. */
#define ASK(what, write, fault)                                                                    \
    "{\"do\": " what ", \"step\": \"two\", \"plan\": {\"cornerturn_plan\": 2, "                    \
    "\"nodes\": {\"in\": {\"stage\": \"test.make\", \"version\": 0, "                              \
    "\"shape\": \"f32 S=3\"}, "                                                                    \
    "\"two\": {\"stage\": \"test.twice\", \"version\": 1, \"shape\": \"f32 S=3\", "                \
    "\"layouts\": {\"X\": \"ST\", \"Y\": \"" write "\"}, "                                         \
    "\"tunables\": {\"FAULT\": \"" fault "\"}}}}}"
#define BUILD "\"build\""
#define TIME "\"time\""
#define CHECKED ", \"checked\": true"

static ct_server *server_new(void)
{
    ct_context *context = NULL;
    ct_server *server = NULL;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    assert_int_equal(ct_context_add_stage(context, &make, NULL), CT_OK);
    assert_int_equal(ct_context_add_stage(context, &twice, NULL), CT_OK);
    assert_int_equal(ct_server_new(&server, context, NULL), CT_OK);
    ct_context_free(context);
    return server;
}

static ct_value *ask(ct_server *server, const char *question)
{
    char *line = NULL;
    ct_value *answer = NULL;
    assert_int_equal(ct_server_answer(&line, server, question, NULL), CT_OK);
    assert_null(strchr(line, '\n'));
    assert_int_equal(ct_value_parse(&answer, line, "answer", NULL), CT_OK);
    free(line);
    return answer;
}

static const char *text_of(const ct_value *answer, const char *key)
{
    return ct_value_text(ct_value_get(answer, key), "");
}

static void expect(ct_server *server, const char *question, const char *status, const char *say)
{
    ct_value *answer = ask(server, question);
    if (strcmp(text_of(answer, "status"), status) != 0 || !strstr(text_of(answer, "say"), say))
        fail_msg("%s: got %s: %s", question, text_of(answer, "status"), text_of(answer, "say"));
    ct_value_free(answer);
}

/* How long it took to build what is asked about, to the last digit: the same where it is the same
 * build. */
static double build_s(ct_server *server, const char *question)
{
    ct_value *answer = ask(server, question);
    assert_string_equal(text_of(answer, "status"), "correct");
    const double seconds = ct_value_real(ct_value_get(answer, "build_s"), 0);
    assert_true(seconds > 0);
    ct_value_free(answer);
    return seconds;
}

static void what_was_built_last_is_timed(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server, hello, "ok", "");
    const double built = build_s(server, ASK(BUILD, "TS", "none"));
    assert_true(build_s(server, ASK(TIME CHECKED, "TS", "none")) == built);
    const double again = build_s(server, ASK(TIME CHECKED, "TS", "none")); /* it is gone */
    assert_true(again != built);
    const double first = build_s(server, ASK(BUILD, "TS", "none"));
    assert_true(build_s(server, ASK(BUILD, "ST", "none")) != first);
    assert_true(build_s(server, ASK(TIME, "TS", "none")) != first); /* not the last */
    ct_server_free(server);
}

/* Where one is asked whether it is right, it is compared, though it was built without that. */
static void what_was_not_compared_can_be(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server, hello, "ok", "");
    expect(server, ASK(BUILD CHECKED, "TS", "wrong"), "correct", "");
    expect(server, ASK(TIME, "TS", "wrong"), "correctness", "Y is wrong at s=0 t=40: got ");
    expect(server, ASK(BUILD CHECKED, "TS", "wrong"), "correct", "");
    expect(server, ASK(BUILD, "TS", "wrong"), "correctness", "Y is wrong at s=0 t=40: got ");
    expect(server, ASK(TIME, "TS", "none"), "correct", "");
    ct_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_built_last_is_timed),
        cmocka_unit_test(what_was_not_compared_can_be),
    };
    ct_device *device = NULL;
    if (ct_device_open(&device, NULL, NULL) != CT_OK) return 77;
    ct_device_free(device);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
