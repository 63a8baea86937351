/* plan_file_test.c: what a plan file keeps, and what it may leave open.
 * Room: core/plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "file.h"
#include "graph.h"
#include "memory.h"
#include "plan.h"
#include "row_stride.h"
#include "text.h"

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {\n"
    " \"sky\": { \"stage\": \"source.simulate\", \"stations\": 3, \"samples\": 4096, \"layout\": "
    "\"SPT\" },\n"
    " \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 8, \"taps\": 4 },\n"
    " \"one\": { \"stage\": \"sink.npy\", \"input\": \"sky\", \"file\": \"1.npy\" },\n"
    " \"two\": { \"stage\": \"sink.npy\", \"input\": \"sky\", \"file\": \"2.npy\" },\n"
    " \"out\": { \"stage\": \"sink.npy\", \"input\": \"fir\", \"file\": \"3.npy\" } } }\n";

static char *saved(const ct_plan *plan, const char *name)
{
    char *text = NULL;
    size_t length;
    ct_error err = {0};
    if (ct_plan_save(plan, name, &err) != CT_OK ||
        ct_file_read(&text, &length, name, &err) != CT_OK)
        fail_msg("%s", err.text);
    return text;
}

/* What a tuner says of its plan is kept. */
static void plans_keep_what_they_are_for(void **state)
{
    static const char about[] = "\"key\": {\"device\":\"cpu\",\"cpu\":[1,2.5]},\n  \"tuned\": {}";
    char name[] = "/tmp/plans_test_XXXXXX";
    ct_context *context = NULL;
    ct_graph *written = NULL;
    ct_plan *usual = NULL, *loaded = NULL;
    ct_error err = {0};
    (void)state;
    close(mkstemp(name));
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_graph_parse(&written, context, pipeline, "file.json", NULL, &err), CT_OK);
    assert_int_equal(ct_plan_default(&usual, written, NULL, &err), CT_OK);
    char *text = saved(usual, name);
    const size_t head = strcspn(text, "\n") + 1; /* two lines, then what it is for */
    const size_t about_at = head + strcspn(text + head, "\n") + 1;
    ct_text more = {0};
    ct_text_add(&more, "%.*s  %s,\n%s", (int)about_at, text, about, text + about_at);
    assert_int_equal(ct_file_write(name, more.data, more.length, &err), CT_OK);
    if (ct_plan_load(&loaded, written, name, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    char *again = saved(loaded, name);
    assert_string_equal(more.data, again);
    ct_memory_free(text);
    ct_text_free(&more);
    ct_memory_free(again);
    ct_plan_free(loaded);
    ct_plan_free(usual);
    ct_graph_free(written);
    ct_context_free(context);
    remove(name);
}

/* By hand: little is said; the rest is as by default. */
static void plans_leave_open(void **state)
{
    static const char text[] =
        "{ \"cornerturn_plan\": 2, \"comment\": \"by hand\", \"block\": { \"T\": 1024 }, "
        "\"nodes\": {\"sky\": { \"stage\": \"source.simulate\", \"version\": 1, \"shape\": \"ci8 "
        "S=3 P=2\" },"
        "\"fir\": { \"stage\": \"fir\", \"version\": 1, \"shape\": \"ci8 S=3 P=2\", "
        "\"row_strides\": { \"Y\": 11 }, \"layouts\": { \"X\": \"TPS\" } },"
        "\"one\": { \"stage\": \"sink.npy\", \"version\": 1, \"shape\": \"ci8 S=3 P=2\", "
        "\"layouts\": { \"X\": \"TPS\" }, \"transposes\": { \"X\": { \"row_stride\": \"dense\" } } "
        "},"
        "\"two\": { \"stage\": \"sink.npy\", \"version\": 1, \"shape\": \"ci8 S=3 P=2\", "
        "\"layouts\": { \"X\": \"TPS\" } } } }";
    char name[] = "/tmp/plan_file_test_XXXXXX";
    ct_context *context = NULL;
    ct_graph *written = NULL;
    ct_plan *plan = NULL;
    ct_error err = {0};
    (void)state;
    close(mkstemp(name));
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_graph_parse(&written, context, pipeline, "file.json", NULL, &err), CT_OK);
    assert_int_equal(ct_file_write(name, text, strlen(text), &err), CT_OK);
    if (ct_plan_load(&plan, written, name, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(plan->graph->block, 1024);
    assert_int_equal(plan->count,
                     7); /* "two" shares the first copy, which is fir's; "one" has its own */
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        const ct_edge *edge = &plan->edges[at->edge[at->node < 0]];
        if (strcmp(at->name, "fir") == 0)
            assert_int_equal(ct_array_stride(&at->step->port[1], 'T'), 11);
        if (strcmp(at->name, "two") == 0) assert_string_equal(edge->name, "sky>TPS");
        if (strcmp(at->name, "one") != 0) continue;
        assert_string_equal(edge->name, "sky>TPS one");
        assert_int_equal(edge->rows, CT_ROWS_DENSE);
    }
    ct_plan_free(plan);
    ct_graph_free(written);
    ct_context_free(context);
    remove(name);
}

/* A text does without a file, and messages have its name. */
static void plans_are_texts(void **state)
{
    ct_context *context = NULL;
    ct_graph *written = NULL;
    ct_plan *usual = NULL, *parsed = NULL;
    char *text = NULL, *again = NULL;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_graph_parse(&written, context, pipeline, "file.json", NULL, &err), CT_OK);
    assert_int_equal(ct_plan_default(&usual, written, NULL, &err), CT_OK);
    assert_int_equal(ct_plan_print(&text, usual, &err), CT_OK);
    assert_int_equal(ct_plan_parse(&parsed, written, text, "candidate 7", NULL, &err), CT_OK);
    assert_int_equal(ct_plan_print(&again, parsed, &err), CT_OK);
    assert_string_equal(text, again);
    ct_plan_free(parsed);
    assert_int_equal(ct_plan_parse(&parsed, written, "{}", "candidate 7", NULL, &err), CT_INVALID);
    assert_non_null(strstr(err.text, "candidate 7: expected a plan"));
    assert_null(parsed);
    free(text);
    free(again);
    ct_plan_free(usual);
    ct_graph_free(written);
    ct_context_free(context);
}

/* Damaged files are refused with a sentence, or are plans; nothing else happens. */
static void damaged_plans_do_no_harm(void **state)
{
    enum { TRIES = 400 };
    char name[] = "/tmp/plan_file_test_XXXXXX";
    ct_context *context = NULL;
    ct_graph *written = NULL;
    ct_plan *usual = NULL, *loaded;
    ct_error err = {0};
    uint64_t random = 7;
    int refused = 0;
    (void)state;
    close(mkstemp(name));
    assert_int_equal(ct_context_open(&context, &err), CT_OK);
    assert_int_equal(ct_graph_parse(&written, context, pipeline, "file.json", NULL, &err), CT_OK);
    assert_int_equal(ct_plan_default(&usual, written, NULL, &err), CT_OK);
    char *text = saved(usual, name);
    const size_t length = strlen(text);
    for (int i = 0; i < TRIES; i++) {
        char *damaged = ct_memory_copy(text);
        ct_error one = {0};
        random = random * 6364136223846793005u + 1442695040888963407u;
        const size_t at = (size_t)(random >> 33) % length, from = (size_t)(random >> 13) % length;
        damaged[at] = i % 2 ? text[from] : "0{}[],:\"-."[from % 10];
        assert_int_equal(ct_file_write(name, damaged, length, &err), CT_OK);
        const ct_status status = ct_plan_load(&loaded, written, name, NULL, &one);
        assert_true(status == CT_OK ? loaded != NULL : loaded == NULL && one.text[0]);
        refused += status != CT_OK;
        ct_plan_free(loaded);
        ct_memory_free(damaged);
    }
    assert_true(refused > TRIES / 4 && refused < TRIES);
    ct_memory_free(text);
    ct_plan_free(usual);
    ct_graph_free(written);
    ct_context_free(context);
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_what_they_are_for), cmocka_unit_test(plans_leave_open),
        cmocka_unit_test(plans_are_texts), cmocka_unit_test(damaged_plans_do_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
