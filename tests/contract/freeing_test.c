/* freeing_test.c: "Freeing": what is made from something holds it: context, device, graph, plan and
 * run may be freed in any order, and those that are left work as before. */
#include "contract.h"

enum { CONTEXT, DEVICE, GRAPH, PLAN, RUN, OBJECTS };

static void free_one(contract *c, int object)
{
    if (object == CONTEXT) ct_context_free(c->context), c->context = NULL;
    if (object == DEVICE) ct_device_free(c->device), c->device = NULL;
    if (object == GRAPH) ct_graph_free(c->graph), c->graph = NULL;
    if (object == PLAN) ct_plan_free(c->plan), c->plan = NULL;
    if (object == RUN) ct_run_free(c->run), c->run = NULL;
}

static void expect_text(ct_status status, char *text, const char *words)
{
    assert_int_equal(status, CT_OK);
    assert_non_null(strstr(text, words));
    free(text);
}

/* Asks everything that is left. */
static void use_what_is_left(contract *c, int block)
{
    ct_error err = {0};
    char *text = NULL;
    if (c->context) assert_non_null(ct_context_stage(c->context, "fir"));
    if (c->device) assert_true(ct_device_name(c->device)[0] != 0);
    if (c->graph) assert_string_equal(ct_graph_warnings(c->graph), "");
    if (c->plan) {
        ct_status status = ct_explain_plan(&text, c->plan, CT_FORM_TEXT, &err);
        expect_text(status, text, "source.simulate");
        status = ct_plan_source(&text, c->plan, &err);
        expect_text(status, text, "kernel");
    }
    if (c->run) {
        assert_int_equal(ct_run_block(c->run, &err), block < 4 ? CT_OK : CT_EOF);
        ct_status status = ct_run_trace(&text, c->run, CT_FORM_JSON, &err);
        expect_text(status, text, "source.simulate");
    }
}

static void free_in_order(const int order[OBJECTS], const char *pipeline)
{
    contract c;
    contract_open(&c, pipeline);
    for (int i = 0; i < OBJECTS; i++) {
        use_what_is_left(&c, i);
        free_one(&c, order[i]);
    }
    contract_close(&c);
}

/* Every order of five. */
static void permute(int order[OBJECTS], int from, const char *pipeline)
{
    if (from == OBJECTS) free_in_order(order, pipeline);
    for (int i = from; i < OBJECTS; i++) {
        const int first = order[from];
        order[from] = order[i];
        order[i] = first;
        permute(order, from + 1, pipeline);
        order[i] = order[from];
        order[from] = first;
    }
}

static void in_any_order(void **state)
{
    int order[OBJECTS] = {CONTEXT, DEVICE, GRAPH, PLAN, RUN};
    (void)state;
    permute(order, 0, CONTRACT_PIPELINE);
}

/* Only the run is left, in the middle of its work, and writes its files. */
static void a_run_needs_nobody(void **state)
{
    contract c;
    ct_error err = {0};
    ct_status status;
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    status = ct_run_block(c.run, &err);
    for (int object = CONTEXT; object < RUN; object++)
        free_one(&c, object);
    while (status == CT_OK)
        status = ct_run_block(c.run, &err);
    assert_int_equal(status, CT_EOF);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_int_equal(contract_files(&c), 4);
    assert_int_equal(access(ct_run_file(c.run, 0), R_OK), 0);
    assert_string_equal(ct_run_warnings(c.run), "");
    contract_close(&c);
}

static void explained_when_all_else_is_gone(void **state)
{
    contract c;
    ct_error err = {0};
    char *before = NULL, *after = NULL;
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_must(ct_explain_plan(&before, c.plan, CT_FORM_JSON, &err), &err);
    free_one(&c, RUN);
    free_one(&c, GRAPH);
    free_one(&c, CONTEXT);
    free_one(&c, DEVICE);
    contract_must(ct_explain_plan(&after, c.plan, CT_FORM_JSON, &err), &err);
    assert_string_equal(before, after);
    free(before);
    free(after);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(a_run_needs_nobody),
        cmocka_unit_test(explained_when_all_else_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
