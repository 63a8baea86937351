/* making_test.c: "Making" and "Borrowing": a call that fails leaves NULL behind, freeing NULL is
 * fine, and nothing that a caller hands in has to stay after the call. */
#include "contract.h"

/* Something that a call has to replace. */
#define SOMETHING(type) ((type *)(void *)&err)

static void what_fails_leaves_null(void **state)
{
    ct_error err = {0};
    contract c;
    ct_device *device = SOMETHING(ct_device);
    ct_graph *graph = SOMETHING(ct_graph);
    ct_plan *plan = SOMETHING(ct_plan);
    ct_run *run = SOMETHING(ct_run);
    ct_value *value = SOMETHING(ct_value);
    char *text = SOMETHING(char);
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    assert_int_equal(ct_device_open(&device, "no such device", NULL), CT_NO_DEVICE);
    assert_null(device);
    assert_int_equal(ct_graph_load(&graph, c.context, "/none/p.json", NULL, NULL), CT_DATA);
    assert_null(graph);
    graph = SOMETHING(ct_graph);
    assert_int_equal(ct_graph_parse(&graph, c.context, "{", "p", NULL, NULL), CT_INVALID);
    assert_null(graph);
    assert_int_equal(ct_plan_load(&plan, c.graph, "/none/plan.json", c.device, NULL), CT_DATA);
    assert_null(plan);
    assert_int_equal(ct_run_new(&run, NULL, c.device, NULL), CT_USAGE);
    assert_null(run);
    assert_int_equal(ct_value_parse(&value, "[1,", "p", NULL), CT_INVALID);
    assert_null(value);
    assert_int_equal(ct_explain_plan(&text, c.plan, (ct_form)99, NULL), CT_USAGE);
    assert_null(text);
    contract_close(&c);
}

static void freeing_null_is_fine(void **state)
{
    (void)state;
    ct_run_free(NULL);
    ct_plan_free(NULL);
    ct_graph_free(NULL);
    ct_device_free(NULL);
    ct_context_free(NULL);
    ct_value_free(NULL);
    ct_run_cancel(NULL);
}

/* A copy that is wiped and freed as soon as the call is over. */
static char *lent(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    return strcpy(copy, text);
}

static void give_back(char *text)
{
    memset(text, 'x', strlen(text));
    free(text);
}

static ct_graph *parse_lent(ct_context *context, ct_error *err)
{
    ct_graph *graph = NULL;
    char *pipeline = lent(CONTRACT_PIPELINE), *name = lent("lent.json");
    char *setting = lent("in.stations=3");
    const char **settings = malloc(2 * sizeof *settings);
    assert_non_null(settings);
    settings[0] = setting;
    settings[1] = NULL;
    contract_must(ct_graph_parse(&graph, context, pipeline, name, settings, err), err);
    give_back(pipeline);
    give_back(name);
    give_back(setting);
    free(settings);
    return graph;
}

static void arguments_are_borrowed(void **state)
{
    ct_error err = {0};
    contract c = {0};
    contract_end raw = {0}, out = {0};
    char *text = NULL;
    (void)state;
    contract_must(ct_context_open(&c.context, &err), &err);
    contract_must(ct_device_open(&c.device, NULL, &err), &err);
    c.graph = parse_lent(c.context, &err);
    contract_must(ct_plan_default(&c.plan, c.graph, c.device, &err), &err);
    contract_must(ct_explain_plan(&text, c.plan, CT_FORM_TEXT, &err), &err);
    assert_non_null(strstr(text, "lent.json: 4 nodes"));
    assert_non_null(strstr(text, "S=3"));
    free(text);
    contract_must(ct_run_new(&c.run, c.plan, c.device, &err), &err);
    ct_io *io = malloc(sizeof *io);
    assert_non_null(io);
    char *node = lent("raw");
    *io = (ct_io){sizeof *io, &raw, contract_read, contract_write, NULL};
    contract_must(ct_run_bind(c.run, node, io, &err), &err);
    memset(io, 0xa5, sizeof *io);
    free(io);
    give_back(node);
    contract_bind(c.run, "out", &out); /* whose ct_io is gone when it returns */
    for (int block = 0; block < 4; block++)
        contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_finish(c.run, &err), &err);
    assert_int_equal(raw.calls, 4);
    assert_int_equal(out.calls, 4);
    ct_run_free(c.run);
    ct_plan_free(c.plan);
    ct_graph_free(c.graph);
    ct_device_free(c.device);
    ct_context_free(c.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fails_leaves_null),
        cmocka_unit_test(freeing_null_is_fine),
        cmocka_unit_test(arguments_are_borrowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
