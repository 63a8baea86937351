/* server_test.c: what is answered: plans, legal values, steps that are right, and every way in
 * which one is not. The stage is the test's own: a tunable chooses what is wrong with its kernel.
 * Room: tuner/server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "device.h"
#include "server.h"
#include "text.h"

static const char source_text[] = "CT_GROUP kernel void twice(CT_ARGS)\n"
                                  "{\n"
                                  "    if (CT_OUTSIDE) return;\n"
                                  "#if FAULT_IS_compile\n"
                                  "#error no such thing\n"
                                  "#endif\n"
                                  "    float value = 2 * X_LOAD(ID_S, ID_T);\n"
                                  "    if (FAULT_IS_wrong && ID_T == 40) value += 1;\n"
                                  "    if (FAULT_IS_near) value *= 1.000001f;\n"
                                  "    if (FAULT_IS_unwritten && ID_S == 1 && ID_T > 50) return;\n"
                                  "    if (FAULT_IS_infinite && ID_T == 7) value = INFINITY;\n"
                                  "    Y_SAVE(ID_S, ID_T, value);\n"
                                  "}\n";

static const ct_tunable twice_tunables[] = {
    {"FAULT", "none wrong near unwritten infinite compile", "none", "none", "what is wrong"},
    {"WG", "1 16 1048576", "1", "1", "work-items of a work-group"},
    {"VECTOR_T", "1 2 4", "1", "1", "only for its legal values"},
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
    .tuning = {.tunables = twice_tunables, .where = "VECTOR_T == 1 || N_T % (64 * VECTOR_T) == 0"},
    .kernel = {.text = source_text, .name = "twice.cl", .entry = "twice", .parallel = "T:WG, S"},
    .verify = {.tolerance = 1e-6},
};

static const char hello[] = "{\"hello\": 1, \"name\": \"dir/p.json\", \"pipeline\": "
                            "{\"cornerturn\": 1, \"block\": {\"T\": 64}, \"nodes\": {"
                            "\"in\": {\"stage\": \"test.make\"}, "
                            "\"two\": {\"stage\": \"test.twice\", \"input\": \"in\"}, "
                            "\"four\": {\"stage\": \"test.twice\", \"input\": \"two\"}}}}";

/* A plan of that pipeline. */
#define PLAN(write, more)                                                                          \
    "{\"cornerturn_plan\": 2, \"nodes\": {\"in\": {\"stage\": \"test.make\", \"version\": 0, "     \
    "\"shape\": \"f32 S=3\"}, "                                                                    \
    "\"two\": {\"stage\": \"test.twice\", \"version\": 1, \"shape\": \"f32 S=3\", "                \
    "\"layouts\": {\"X\": \"ST\", \"Y\": \"" write "\"}, " more "}, "                              \
    "\"four\": {\"stage\": \"test.twice\", \"version\": 1, \"shape\": \"f32 S=3\", "               \
    "\"layouts\": {\"X\": \"ST\", \"Y\": \"ST\"}}}}"
#define FAULT(fault) "\"tunables\": {\"FAULT\": \"" fault "\"}"

/* ---------------------------------------------------------------- asking */

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

#define DO(what, step, plan) "{\"do\": \"" what "\", \"step\": \"" step "\", \"plan\": " plan "}"

/* ---------------------------------------------------------------- tests */

static void questions_that_are_none(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server, "{", "usage", "question:1:2: no valid JSON");
    expect(server, "[1]", "usage", "expected an object with \"hello\", or with \"do\"");
    expect(server, "{\"do\": \"dance\"}", "usage", "expected an object with \"hello\"");
    expect(server, "{\"do\": \"resolve\"}", "usage", "expected \"hello\" before \"resolve\"");
    expect(server, "{\"hello\": 1}", "usage", "expected a \"pipeline\"");
    expect(server, "{\"hello\": 1, \"pipelin\": {}}", "usage", "\"hello\" knows no \"pipelin\"");
    expect(server, "{\"hello\": 1, \"pipeline\": {}}", "usage", "missing \"cornerturn\"");
    expect(server, hello, "ok", "");
    expect(server, "{\"do\": \"resolve\"}", "usage", "expected a \"plan\"");
    expect(server, "{\"do\": \"resolve\", \"plan\": 5}", "constraints", "expected a plan");
    expect(server, "{\"do\": \"build\", \"plan\": " PLAN("ST", "\"tunables\": {}") "}", "usage",
           "expected a \"step\"");
    expect(server, DO("build", "five", PLAN("ST", "\"tunables\": {}")), "usage",
           "the plan has no step \"five\"");
    expect(server, DO("build", "in", PLAN("ST", "\"tunables\": {}")), "usage",
           "step \"in\" is a source or a sink");
    expect(server, "{\"do\": \"time\", \"pairs\": 0, \"step\": \"two\", \"plan\": {}}", "usage",
           "expected 1 to 99 \"pairs\"");
    ct_server_free(server);
}

/* As a file has it: constants are put in here. */
static void pipelines_have_constants(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server,
           "{\"hello\": 1, \"pipeline\": {\"cornerturn\": 1, \"constants\": {\"what\": \"in\"}, "
           "\"nodes\": {\"in\": {\"stage\": \"test.make\"}, "
           "\"two\": {\"stage\": \"test.twice\", \"input\": \"$what\"}}}}",
           "ok", "");
    ct_server_free(server);
}

static void the_default_comes_back_as_it_was(void **state)
{
    ct_server *server = server_new();
    ct_text question = {0}, again = {0};
    char *first = NULL, *second = NULL;
    (void)state;
    ct_value *answer = ask(server, hello);
    assert_true(ct_value_int(ct_value_get(answer, "global_bytes"), 0) > 0);
    assert_true(*text_of(answer, "device") && *text_of(answer, "driver"));
    ct_value_free(answer);
    assert_int_equal(ct_server_answer(&first, server, hello, NULL), CT_OK);
    ct_text_add(&question, "{\"do\": \"resolve\", \"plan\": %s}",
                strstr(first, "\"default\": ") + strlen("\"default\": "));
    question.data[question.length - 2] = ' '; /* the answer's own end */
    assert_int_equal(ct_server_answer(&second, server, question.data, NULL), CT_OK);
    const char *plan = strstr(first, "\"default\": ") + strlen("\"default\": ");
    ct_text_add(&again, "%.*s", (int)strlen(plan) - 1, plan);
    assert_non_null(strstr(second, again.data));
    ct_text_free(&again);
    ct_text_free(&question);
    free(first);
    free(second);
    ct_server_free(server);
}

static const ct_value *step_of(const ct_value *answer, const char *name)
{
    const ct_value *steps = ct_value_get(answer, "steps");
    for (size_t i = 0; i < ct_value_count(steps); i++)
        if (strcmp(text_of(ct_value_at(steps, i), "name"), name) == 0) return ct_value_at(steps, i);
    fail_msg("no step %s", name);
    return NULL;
}

static void resolved_plans_say_their_steps(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server, hello, "ok", "");
    ct_value *answer =
        ask(server, "{\"do\": \"resolve\", \"plan\": " PLAN("TS", "\"tunables\": {}") "}");
    const ct_value *two = step_of(answer, "two"), *four = step_of(answer, "four");
    const ct_value *copy = step_of(answer, "two>ST");
    assert_int_equal(ct_value_count(ct_value_get(answer, "steps")), 3);
    assert_string_equal(text_of(two, "node"), "two");
    assert_null(ct_value_get(copy, "node"));
    assert_int_equal(strlen(text_of(two, "source")), 64);
    assert_string_not_equal(text_of(two, "same"), text_of(four, "same"));
    assert_true(ct_value_real(ct_value_get(two, "bytes"), 0) == 2 * 3 * 64 * 4);
    const ct_value *fault = ct_value_at(ct_value_get(two, "tunables"), 0);
    assert_string_equal(text_of(fault, "value"), "none");
    assert_int_equal(ct_value_count(ct_value_get(fault, "values")), 6);
    assert_true(ct_value_int(ct_value_get(answer, "device_bytes"), 0) >= 2 * 3 * 64 * 4);
    ct_value_free(answer);
    /* The same work under another name. */
    answer = ask(server, "{\"do\": \"resolve\", \"plan\": " PLAN("ST", "\"tunables\": {}") "}");
    assert_string_equal(text_of(step_of(answer, "two"), "same"),
                        text_of(step_of(answer, "four"), "same"));
    ct_value_free(answer);
    ct_server_free(server);
}

static void legal_values_are_said(void **state)
{
    ct_server *server = server_new();
    static const bool legal[] = {true, false, false};
    (void)state;
    expect(server, hello, "ok", "");
    ct_value *answer = ask(server, DO("tunables", "two", PLAN("ST", "\"tunables\": {}")));
    const ct_value *vector = ct_value_at(ct_value_get(answer, "tunables"), 2);
    assert_string_equal(text_of(vector, "name"), "VECTOR_T");
    for (size_t i = 0; i < 3; i++) {
        const ct_value *one = ct_value_at(ct_value_get(vector, "values"), i);
        assert_int_equal(ct_value_int(ct_value_get(one, "value"), 0), 1 << i);
        assert_int_equal(ct_value_bool(ct_value_get(one, "legal"), false), legal[i]);
    }
    ct_value_free(answer);
    ct_server_free(server);
}

static void every_fault_is_found(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server, hello, "ok", "");
    expect(server, DO("build", "two", PLAN("ST", FAULT("none"))), "correct", "");
    expect(server, DO("build", "two", PLAN("TS", FAULT("near"))), "correct", "");
    expect(server, DO("build", "two", PLAN("TS", FAULT("wrong"))), "correctness",
           "Y is wrong at s=0 t=40: got ");
    expect(server, DO("build", "two", PLAN("ST", FAULT("unwritten"))), "correctness",
           "Y is partly unwritten: 13 of its 192 numbers, first at s=1 t=51");
    expect(server, DO("build", "two", PLAN("ST", FAULT("infinite"))), "correctness",
           "Y is not finite: 3 of its 192 numbers, first at s=0 t=7");
    expect(server, DO("build", "two", PLAN("ST", FAULT("compile"))), "compile", "no such thing");
    expect(server, DO("build", "two", PLAN("ST", "\"tunables\": {\"WG\": 1048576}")), "constraints",
           "has 1048576 work-items in a group");
    expect(server, DO("build", "two", PLAN("ST", "\"tunables\": {\"VECTOR_T\": 4}")), "constraints",
           "the plan's tunables are not legal together");
    expect(server, DO("time", "two", PLAN("ST", FAULT("unwritten"))), "correctness", "unwritten");
    expect(server, DO("build", "two>ST", PLAN("TS", FAULT("none"))), "correct", "");
    ct_server_free(server);
}

static void times_come_in_pairs(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server, hello, "ok", "");
    static const char *const questions[] = {
        "{\"do\": \"time\", \"pairs\": 4, \"hopeless\": 1000, \"step\": \"two\", \"plan\": " PLAN(
            "TS", FAULT("none")) "}",
        "{\"do\": \"time\", \"pairs\": 4, \"hopeless\": 1000, \"step\": \"two>ST\", "
        "\"plan\": " PLAN("TS", FAULT("none")) "}"};
    for (int i = 0; i < 2; i++) {
        ct_value *answer = ask(server, questions[i]);
        const ct_value *seconds = ct_value_get(answer, "seconds");
        const ct_value *defaults = ct_value_get(answer, "default_seconds");
        const double load = ct_value_real(ct_value_get(answer, "load"), 0);
        assert_string_equal(text_of(answer, "status"), "correct");
        assert_in_range(ct_value_count(seconds), 3, 4);
        assert_int_equal(ct_value_count(seconds), ct_value_count(defaults));
        assert_true(ct_value_real(ct_value_at(seconds, 0), 0) > 0);
        assert_true(ct_value_real(ct_value_at(defaults, 0), 0) > 0);
        assert_true(load >= 0 && load <= 1);
        ct_value_free(answer);
    }
    ct_server_free(server);
}

static void whole_plans_are_rehearsed(void **state)
{
    ct_server *server = server_new();
    (void)state;
    expect(server, hello, "ok", "");
    expect(server, DO("build", "two", PLAN("TS", FAULT("none"))), "correct", "");
    ct_value *answer = ask(server, "{\"do\": \"rehearse\", \"rounds\": 3, \"plans\": [" PLAN(
                                       "ST", FAULT("none")) ", " PLAN("TS", FAULT("none")) "]}");
    const ct_value *plans = ct_value_get(answer, "plans"), *other = ct_value_at(plans, 1);
    assert_string_equal(text_of(answer, "status"), "correct");
    assert_int_equal(ct_value_count(plans), 2);
    assert_int_equal(ct_value_count(ct_value_get(other, "wall")), 3);
    assert_string_equal(text_of(ct_value_at(ct_value_get(other, "steps"), 2), "name"), "two>ST");
    ct_value_free(answer);
    /* What was given back to the device is made again. */
    expect(server, DO("build", "two", PLAN("TS", FAULT("wrong"))), "correctness", "is wrong");
    expect(server, DO("build", "two", PLAN("ST", FAULT("none"))), "correct", "");
    expect(server, "{\"do\": \"rehearse\", \"plans\": []}", "usage", "a list of 1 to 64");
    expect(server, "{\"do\": \"rehearse\", \"plans\": [{}]}", "constraints", "expected a plan");
    expect(server,
           "{\"do\": \"rehearse\", \"first\": 1, \"plans\": [" PLAN("ST", FAULT("none")) "]}",
           "usage", "\"first\": 0 to 0");
    ct_server_free(server);
}

/* A plan with another block is compared with the default at that block. */
static void blocks_have_defaults_of_their_own(void **state)
{
    ct_server *server = server_new();
    ct_text open = {0}, question = {0};
    (void)state;
    ct_text_add(&open, "%s", hello);
    memset(strstr(open.data, "\"block\": {\"T\": 64}, "), ' ', strlen("\"block\": {\"T\": 64}, "));
    expect(server, open.data, "ok", "");
    ct_text_add(&question, "%s", DO("build", "two", PLAN("TS", FAULT("none"))));
    for (int block = 16; block <= 32; block += 16) {
        ct_text other = {0};
        const char *nodes = strstr(question.data, "\"nodes\"");
        ct_text_add(&other, "%.*s\"block\": {\"T\": %d}, %s", (int)(nodes - question.data),
                    question.data, block, nodes);
        expect(server, other.data, "correct", "");
        ct_text_free(&other);
    }
    ct_text_free(&question);
    ct_text_free(&open);
    ct_server_free(server);
}

/* Line by line between two descriptors, a last line without its end included. */
static void lines_are_answered(void **state)
{
    int ask_ends[2], answer_ends[2];
    char answers[512];
    ct_context *context = NULL;
    static const char lines[] = "rubbish\n\r\n{\"do\": \"resolve\"}\r\n{}";
    (void)state;
    assert_int_equal(pipe(ask_ends), 0);
    assert_int_equal(pipe(answer_ends), 0);
    assert_int_equal(write(ask_ends[1], lines, strlen(lines)), strlen(lines));
    close(ask_ends[1]);
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    assert_int_equal(ct_tune_serve(context, ask_ends[0], answer_ends[1], NULL), CT_OK);
    const ssize_t length = read(answer_ends[0], answers, sizeof answers - 1);
    assert_true(length > 0);
    answers[length] = '\0';
    int count = 0;
    for (const char *at = answers; (at = strchr(at, '\n')); at++)
        count++;
    assert_int_equal(count, 3);
    assert_int_equal(ct_tune_serve(context, -1, 1, NULL), CT_USAGE);
    ct_context_free(context);
    close(ask_ends[0]);
    close(answer_ends[0]);
    close(answer_ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_that_are_none),
        cmocka_unit_test(pipelines_have_constants),
        cmocka_unit_test(the_default_comes_back_as_it_was),
        cmocka_unit_test(resolved_plans_say_their_steps),
        cmocka_unit_test(legal_values_are_said),
        cmocka_unit_test(every_fault_is_found),
        cmocka_unit_test(times_come_in_pairs),
        cmocka_unit_test(whole_plans_are_rehearsed),
        cmocka_unit_test(blocks_have_defaults_of_their_own),
        cmocka_unit_test(lines_are_answered),
    };
    ct_device *device = NULL;
    if (ct_device_open(&device, NULL, NULL) != CT_OK) return 77;
    ct_device_free(device);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
