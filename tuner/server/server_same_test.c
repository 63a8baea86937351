/* server_same_test.c: which steps are the same work: a dimension of extent 1 may stand anywhere but
 * last, a native engine does not see it at all, and what differs in a tunable or a stride is other
 * work.
 * Room: tuner/server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "server.h"
#include "text.h"

static const char hello[] =
    "{\"hello\": 1, \"pipeline\": {\"cornerturn\": 1, \"block\": {\"T\": 1024}, \"nodes\": {"
    "\"sky\": {\"stage\": \"source.simulate\", \"stations\": 1, \"samples\": 4096}, "
    "\"fir\": {\"stage\": \"fir\", \"input\": \"sky\", \"channels\": 8, \"taps\": 4}, "
    "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"}, "
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"out.npy\"}}}}";

static void print_plan(ct_text *out, const char *fir, const char *fft, const char *tunables)
{
    ct_text_add(out,
                "\"plan\": {\"cornerturn_plan\": 2, \"nodes\": {"
                "\"sky\": {\"stage\": \"source.simulate\", \"version\": 1, \"shape\": \"ci8 S=1 "
                "P=2\", \"layouts\": {\"Y\": \"SPT\"}}, "
                "\"fir\": {\"stage\": \"fir\", \"version\": 1, \"shape\": \"ci8 S=1 P=2\", "
                "\"layouts\": {\"Y\": \"%s\"}, \"tunables\": {%s}}, "
                "\"fft\": {\"stage\": \"fft\", \"version\": 1, \"shape\": \"cf32 S=1 P=2 C=8\", "
                "\"layouts\": {\"Y\": \"%s\"}}, "
                "\"out\": {\"stage\": \"sink.npy\", \"version\": 1, \"shape\": \"cf32 S=1 P=2 "
                "C=8\", \"layouts\": {\"X\": \"PTSC\"}}}}",
                fir, tunables, fft);
}

static ct_value *ask(ct_server *server, ct_text *question)
{
    ct_value *answer = NULL;
    char *line = NULL;
    assert_int_equal(ct_server_answer(&line, server, question->data, NULL), CT_OK);
    assert_int_equal(ct_value_parse(&answer, line, "answer", NULL), CT_OK);
    ct_text_free(question);
    free(line);
    return answer;
}

/* The digest of a step where fir writes, and fft reads, in this layout, and fft writes in the
 * other: as `same` and as `resolve` says it. */
static char *same_of(ct_server *server, const char *step, const char *fir, const char *fft,
                     const char *tunables)
{
    ct_text question = {0};
    char *same = NULL;
    ct_text_add(&question, "{\"do\": \"resolve\", ");
    print_plan(&question, fir, fft, tunables);
    ct_text_add(&question, "}");
    ct_value *all = ask(server, &question);
    const ct_value *steps = ct_value_get(all, "steps");
    for (size_t i = 0; i < ct_value_count(steps); i++)
        if (strcmp(ct_value_text(ct_value_get(ct_value_at(steps, i), "name"), ""), step) == 0)
            same = strdup(ct_value_text(ct_value_get(ct_value_at(steps, i), "same"), ""));
    if (!same) fail_msg("no step %s", step);
    ct_text_add(&question, "{\"do\": \"same\", \"step\": \"%s\", ", step);
    print_plan(&question, fir, fft, tunables);
    ct_text_add(&question, "}");
    ct_value *one = ask(server, &question);
    assert_string_equal(ct_value_text(ct_value_get(one, "same"), ""), same);
    ct_value_free(one);
    ct_value_free(all);
    return same;
}

typedef struct timed {
    const char *step, *fir, *fft, *tunables;
} timed;

static void same_work_has_one_digest(void **state)
{
    static const struct {
        timed a, b;
        bool same;
    } pairs[] = {
        {{"fir", "SPTC", "SPTC", ""}, {"fir", "PTSC", "SPTC", ""}, true},
        {{"fir", "SPTC", "SPTC", ""}, {"fir", "SPTC", "PTSC", ""}, true},  /* another's layout */
        {{"fir", "SPTC", "SPTC", ""}, {"fir", "PTCS", "SPTC", ""}, false}, /* S is its fastest */
        {{"fir", "SPTC", "SPTC", ""}, {"fir", "SPCT", "SPTC", ""}, false},
        {{"fir", "SPTC", "SPTC", ""}, {"fir", "SPTC", "SPTC", "\"NONTEMPORAL\": 0"}, false},
        {{"fft", "SPTC", "SPTC", ""}, {"fft", "PTSC", "PTSC", ""}, true},
        {{"fft", "SPTC", "SPTC", ""}, {"fft", "PTSC", "CPTS", ""}, false},
        {{"fft>PTSC", "SPTC", "SPTC", ""}, {"fft>PTSC", "SPTC", "PTCS", ""}, true},
        {{"fft>PTSC", "SPTC", "SPTC", ""}, {"fft>PTSC", "SPTC", "CPTS", ""}, false},
    };
    ct_context *context = NULL;
    ct_server *server = NULL;
    char *answer = NULL;
    (void)state;
    assert_int_equal(ct_context_open(&context, NULL), CT_OK);
    assert_int_equal(ct_server_new(&server, context, NULL), CT_OK);
    assert_int_equal(ct_server_answer(&answer, server, hello, NULL), CT_OK);
    assert_non_null(strstr(answer, "\"status\": \"ok\""));
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const timed a = pairs[i].a, b = pairs[i].b;
        char *one = same_of(server, a.step, a.fir, a.fft, a.tunables);
        char *other = same_of(server, b.step, b.fir, b.fft, b.tunables);
        if ((strcmp(one, other) == 0) != pairs[i].same)
            fail_msg("%s in %s %s and %s %s", a.step, a.fir, a.fft, b.fir, b.fft);
        free(one);
        free(other);
    }
    free(answer);
    ct_server_free(server);
    ct_context_free(context);
}

int main(void)
{
    ct_device *device = NULL;
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_work_has_one_digest)};
    if (ct_device_open(&device, NULL, NULL) != CT_OK) return 77;
    ct_device_free(device);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
