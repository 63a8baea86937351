/* listing_test.c: nodes and arrays of a graph and of a plan, one by one, as they are without
 * anything but cornerturn.h. */
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
    assert_string_equal(ct_step_stage_name(step), stage);
    assert_string_equal(ct_step_port_name(step, 0), port);
    assert_null(ct_step_port_name(step, 99));
    assert_null(ct_step_array(step, "NONE"));
}

static void nodes_of_a_graph(void **state)
{
    contract c;
    const char *port = NULL;
    (void)state;
    contract_open(&c, pipeline);
    expect_names(ct_graph_step_at(c.graph, 0), "in", "source.simulate", "Y");
    expect_names(ct_graph_step_at(c.graph, 1), "fir", "fir", "X");
    expect_names(ct_graph_step_at(c.graph, 2), "out", "sink.npy", "X");
    assert_null(ct_graph_step_at(c.graph, 3));
    assert_ptr_equal(ct_graph_input(c.graph, 1, "X", &port), ct_graph_step_at(c.graph, 0));
    assert_string_equal(port, "Y");
    assert_ptr_equal(ct_graph_input(c.graph, 2, "X", NULL), ct_graph_step_at(c.graph, 1));
    assert_null(ct_graph_input(c.graph, 0, "Y", &port));
    assert_null(ct_graph_input(c.graph, 1, "NONE", &port));
    assert_null(ct_graph_input(c.graph, 9, "X", &port));
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
    const char *name = NULL;
    size_t count = 0;
    (void)state;
    contract_open(&c, pipeline);
    expect_names(ct_plan_step_at(c.plan, 2), "fir>CSTP", "transpose", "X");
    expect_names(ct_plan_step_at(c.plan, 3), "out", "sink.npy", "X");
    assert_null(ct_plan_step_at(c.plan, 4));
    assert_string_equal(ct_plan_link(c.plan, 1, "Y"), "fir");
    assert_string_equal(ct_plan_link(c.plan, 3, "X"), "fir>CSTP");
    assert_null(ct_plan_link(c.plan, 1, "NONE"));
    assert_null(ct_plan_link(c.plan, 9, "X"));
    while (ct_plan_array(c.plan, count, &name))
        count++;
    assert_int_equal(count, 3);
    assert_string_equal(name, "fir>CSTP");
    const ct_array *array = ct_plan_array(c.plan, 2, NULL);
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
