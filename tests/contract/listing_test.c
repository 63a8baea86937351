/* listing_test.c: nodes of a graph and steps of a plan, one by one, and their arrays. */
#include "contract.h"

static const char pipeline[] = CONTRACT_HEAD CONTRACT_SOURCE
    "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 4, \"taps\": 3, "
    "\"layout\": {\"write\": \"SPTC\"}},"
    "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fir\", \"file\": \"out.npy\", \"layout\": "
    "\"CSTP\"}}}";

static void expect_names(const ct_step *step, const char *name, const char *stage, const char *port)
{
    assert_non_null(step);
    assert_string_equal(ct_step_name(step), name);
    assert_string_equal(step->stage->name, stage);
    assert_string_equal(step->stage->ports[0].name, port);
    assert_null(ct_step_array(step, "NONE"));
}

static void nodes_of_a_graph(void **state)
{
    contract c;
    (void)state;
    contract_open(&c, pipeline);
    expect_names(ct_graph_step_at(c.graph, 0), "in", "source.simulate", "Y");
    expect_names(ct_graph_step_at(c.graph, 1), "fir", "fir", "X");
    expect_names(ct_graph_step_at(c.graph, 2), "out", "sink.npy", "X");
    assert_null(ct_graph_step_at(c.graph, 3));
    const ct_array *array = ct_step_array(ct_graph_step_at(c.graph, 1), "Y");
    assert_string_equal(array->dim, "SPTC");
    assert_int_equal(ct_array_extent(array, 'T'), 240 / 4);
    assert_int_equal(array->layout.rank, 0);
    assert_int_equal(array->meta.frequencies, 4);
    assert_int_equal(ct_step_array(ct_graph_step_at(c.graph, 0), "Y")->meta.total, 960);
    contract_close(&c);
}

/* The transpose stands between, and its array too. */
static void steps_and_arrays_of_a_plan(void **state)
{
    contract c;
    (void)state;
    contract_open(&c, pipeline);
    expect_names(ct_plan_step_at(c.plan, 2), "fir>CSTP", "transpose", "X");
    expect_names(ct_plan_step_at(c.plan, 3), "out", "sink.npy", "X");
    assert_null(ct_plan_step_at(c.plan, 4));
    const ct_array *array = ct_step_array(ct_plan_step_at(c.plan, 2), "Y");
    assert_string_equal(array->layout.dim, "CSTP");
    assert_int_equal(ct_array_stride(array, 'P'), 1);
    assert_int_equal(ct_array_extent(array, 'C'), 4);
    assert_true(array->type == CT_CF32);
    contract_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_a_graph),
        cmocka_unit_test(steps_and_arrays_of_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
