/* missing_test.c: "Failing": NULL for a pointer that may not be NULL. Every public call, every such
 * argument: CT_USAGE, and a sentence that names both; of a call without a status NULL, 0, false or
 * "". tests/house/exports_test.sh sees to it that no public call is left out here and in
 * missing_stage_test.c. */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "missing.h"
#include <math.h>

static void contexts_devices_and_graphs(void **state)
{
    ct_context *context = c.context;
    ct_device *device = NULL;
    ct_graph *graph = c.graph;
    char *text = NULL;
    bool complete;
    (void)state;
    LACKS("out", ct_error_list, NULL, "a.json:1:1: no", &err);
    LACKS("out", ct_context_open, NULL, &err);
    LACKS("context", ct_context_add_stage, NULL, step->stage, &err);
    LACKS("stage", ct_context_add_stage, context, NULL, &err);
    LACKS("context", ct_context_add_file, NULL, "a.json", &err);
    LACKS("file", ct_context_add_file, context, NULL, &err);
    LACKS("context", ct_context_add_library, NULL, "a.so", &err);
    LACKS("file", ct_context_add_library, context, NULL, &err);
    LACKS("out", ct_device_open, NULL, NULL, &err);
    LACKS("device", ct_device_check, NULL, &err);
    LACKS("out", ct_graph_load, NULL, context, "p.json", NULL, &err);
    LACKS("context", ct_graph_load, &graph, NULL, "p.json", NULL, &err);
    assert_null(graph);
    LACKS("pipeline_json", ct_graph_load, &graph, context, NULL, NULL, &err);
    LACKS("out", ct_graph_parse, NULL, context, "{}", "p.json", NULL, &err);
    LACKS("context", ct_graph_parse, &graph, NULL, "{}", "p.json", NULL, &err);
    LACKS("text", ct_graph_parse, &graph, context, NULL, "p.json", NULL, &err);
    LACKS("name", ct_graph_parse, &graph, context, "{}", NULL, NULL, &err);
    LACKS("out", ct_graph_check, NULL, context, "p.json", NULL, &complete, &err);
    LACKS("context", ct_graph_check, &graph, NULL, "p.json", NULL, &complete, &err);
    LACKS("pipeline_json", ct_graph_check, &graph, context, NULL, NULL, &complete, &err);
    LACKS("complete", ct_graph_check, &graph, context, "p.json", NULL, NULL, &err);
    LACKS("graph", ct_graph_check_outputs, NULL, &err);
    LACKS("out", ct_describe_devices, NULL, CT_FORM_TEXT, &err);
    LACKS("out", ct_describe_device, NULL, context, c.device, CT_FORM_TEXT, &err);
    LACKS("context", ct_describe_device, &text, NULL, c.device, CT_FORM_TEXT, &err);
    LACKS("device", ct_describe_device, &text, context, device, CT_FORM_TEXT, &err);
    LACKS("out", ct_describe_stages, NULL, context, NULL, &err);
    LACKS("context", ct_describe_stages, &text, NULL, NULL, &err);
    LACKS("out", ct_describe_file, NULL, "a.npy", &err);
    LACKS("file", ct_describe_file, &text, NULL, &err);
    LACKS("said", ct_plot_file, NULL, context, "a.npy", "a.svg", NULL, &err);
    LACKS("context", ct_plot_file, &text, NULL, "a.npy", "a.svg", NULL, &err);
    LACKS("file", ct_plot_file, &text, context, NULL, "a.svg", NULL, &err);
    LACKS("picture", ct_plot_file, &text, context, "a.npy", NULL, NULL, &err);
    assert_int_equal(ct_error_add(NULL, CT_DATA, "nobody reads it"), CT_DATA);
    assert_string_equal(ct_device_name(NULL), "");
    assert_string_equal(ct_graph_warnings(NULL), "");
    assert_null(ct_graph_step_at(NULL, 0));
    assert_null(ct_context_stage(NULL, "fir"));
    assert_null(ct_context_stage(context, NULL));
    assert_null(ct_context_stage_at(NULL, 0));
    assert_non_null(ct_version());
    ct_context_tell(NULL, NULL, NULL);
    ct_context_free(NULL);
    ct_device_free(NULL);
    ct_graph_free(NULL);
}

static void plans(void **state)
{
    ct_plan *plan = c.plan;
    const ct_array *array = NULL;
    char *text = NULL;
    (void)state;
    LACKS("out", ct_plan_default, NULL, c.graph, NULL, &err);
    LACKS("graph", ct_plan_default, &plan, NULL, c.device, &err);
    assert_null(plan);
    LACKS("out", ct_plan_load, NULL, c.graph, "a.json", NULL, &err);
    LACKS("graph", ct_plan_load, &plan, NULL, "a.json", NULL, &err);
    LACKS("file", ct_plan_load, &plan, c.graph, NULL, NULL, &err);
    LACKS("out", ct_plan_parse, NULL, c.graph, "{}", "a", NULL, &err);
    LACKS("graph", ct_plan_parse, &plan, NULL, "{}", "a", NULL, &err);
    LACKS("text", ct_plan_parse, &plan, c.graph, NULL, "a", NULL, &err);
    LACKS("name", ct_plan_parse, &plan, c.graph, "{}", NULL, NULL, &err);
    LACKS("plan", ct_plan_check, NULL, c.device, &err);
    LACKS("device", ct_plan_check, c.plan, NULL, &err);
    LACKS("plan", ct_plan_save, NULL, "a.json", &err);
    LACKS("file", ct_plan_save, c.plan, NULL, &err);
    LACKS("out", ct_plan_print, NULL, c.plan, &err);
    LACKS("plan", ct_plan_print, &text, NULL, &err);
    LACKS("out", ct_plan_source, NULL, c.plan, &err);
    LACKS("plan", ct_plan_source, &text, NULL, &err);
    LACKS("out", ct_plan_find, NULL, c.plan, "in.Y", &err);
    LACKS("plan", ct_plan_find, &array, NULL, "in.Y", &err);
    LACKS("port", ct_plan_find, &array, c.plan, NULL, &err);
    LACKS("out", ct_explain_plan, NULL, c.plan, CT_FORM_TEXT, &err);
    LACKS("plan", ct_explain_plan, &text, NULL, CT_FORM_TEXT, &err);
    assert_null(ct_plan_step_at(NULL, 0));
    ct_plan_free(NULL);
}

static void runs(void **state)
{
    contract_end end = {0};
    const ct_io io = {sizeof io, &end, contract_read, contract_write, NULL};
    ct_progress now = {.size = sizeof now};
    const ct_array fill = {.type = CT_F32};
    ct_run *run = c.run;
    ct_counter counter;
    char *text = NULL;
    int64_t block;
    (void)state;
    LACKS("out", ct_run_new, NULL, c.plan, c.device, &err);
    LACKS("plan", ct_run_new, &run, NULL, c.device, &err);
    assert_null(run);
    LACKS("device", ct_run_new, &run, c.plan, NULL, &err);
    LACKS("run", ct_run_bind, NULL, "in", &io, &err);
    LACKS("node", ct_run_bind, c.run, NULL, &io, &err);
    expect_usage(ct_run_bind(c.run, "in", NULL, &err), "ct_io: none is given");
    LACKS("run", ct_run_build, NULL, &err);
    assert_true(isinf(ct_run_starts_in(NULL)));
    LACKS("run", ct_run_block, NULL, &err);
    LACKS("run", ct_run_finish, NULL, &err);
    LACKS("run", ct_run_swap, NULL, c.plan, &err);
    LACKS("plan", ct_run_swap, c.run, NULL, &err);
    LACKS("run", ct_run_swapped, NULL, &block, &err);
    LACKS("block", ct_run_swapped, c.run, NULL, &err);
    LACKS("run", ct_run_table, NULL, "fir", "W", &fill, &err);
    LACKS("node", ct_run_table, c.run, NULL, "W", &fill, &err);
    LACKS("port", ct_run_table, c.run, "fir", NULL, &fill, &err);
    LACKS("fill", ct_run_table, c.run, "fir", "W", NULL, &err);
    LACKS("run", ct_run_resume, NULL, 1, &block, &err);
    LACKS("run", ct_run_keep, NULL, &err);
    LACKS("run", ct_run_progress, NULL, &now, &err);
    expect_usage(ct_run_progress(c.run, NULL, &err), "ct_progress: none is given");
    LACKS("out", ct_run_stats, NULL, c.run, NULL, CT_FORM_JSON, &err);
    LACKS("run", ct_run_stats, &text, NULL, NULL, CT_FORM_JSON, &err);
    LACKS("out", ct_run_trace, NULL, c.run, CT_FORM_TEXT, &err);
    LACKS("run", ct_run_trace, &text, NULL, CT_FORM_TEXT, &err);
    LACKS("run", ct_run_collect, NULL, &err);
    assert_string_equal(ct_run_warnings(NULL), "");
    assert_null(ct_run_file(NULL, 0));
    assert_null(ct_run_file_holds(NULL, 0));
    assert_false(ct_run_counter(NULL, 0, &counter, NULL));
    assert_false(ct_run_counter(c.run, 0, NULL, NULL));
    assert_string_equal(ct_run_says(NULL), "");
    assert_null(ct_run_at(NULL));
    assert_null(ct_run_device_at(NULL));
    ct_run_cancel(NULL);
    ct_run_free(NULL);
}

static void tuning(void **state)
{
    const ct_tune_files files = {.size = sizeof files};
    const ct_bench bench = {.size = sizeof bench, .stage = "fir"};
    const ct_plan *list[] = {NULL};
    const char *const worker[] = {"cornerturn", "serve", NULL};
    const double a[] = {1};
    ct_plan *plan = NULL;
    ct_builder *builder = NULL;
    double out[3];
    char *text = NULL;
    (void)state;
    LACKS("context", ct_tune_verify, NULL, c.device, "fir", NULL, NULL, &err);
    LACKS("device", ct_tune_verify, c.context, NULL, "fir", NULL, NULL, &err);
    LACKS("stage", ct_tune_verify, c.context, c.device, NULL, NULL, NULL, &err);
    LACKS("out", ct_tune_pipeline, NULL, c.context, c.graph, NULL, NULL, &err);
    LACKS("context", ct_tune_pipeline, &plan, NULL, c.graph, NULL, NULL, &err);
    LACKS("graph", ct_tune_pipeline, &plan, c.context, NULL, NULL, NULL, &err);
    expect_usage(ct_tune_pipeline(&plan, c.context, c.graph, NULL, NULL, &err),
                 "ct_tune: none is given");
    LACKS("plan", ct_tune_keep, &text, NULL, c.device, &err);
    LACKS("device", ct_tune_keep, &text, c.plan, NULL, &err);
    LACKS("out", ct_tune_stored, NULL, c.graph, c.device, false, &text, &err);
    LACKS("graph", ct_tune_stored, &plan, NULL, c.device, false, &text, &err);
    LACKS("device", ct_tune_stored, &plan, c.graph, NULL, false, &text, &err);
    LACKS("say", ct_tune_stored, &plan, c.graph, c.device, false, NULL, &err);
    LACKS("out", ct_tune_stored_as, NULL, c.graph, c.device, CT_TUNE_MATCH_USUAL, &text, &err);
    LACKS("graph", ct_tune_stored_as, &plan, NULL, c.device, CT_TUNE_MATCH_USUAL, &text, &err);
    LACKS("device", ct_tune_stored_as, &plan, c.graph, NULL, CT_TUNE_MATCH_USUAL, &text, &err);
    LACKS("say", ct_tune_stored_as, &plan, c.graph, c.device, CT_TUNE_MATCH_USUAL, NULL, &err);
    LACKS("out", ct_tune_load_as, NULL, c.graph, c.device, "p", CT_TUNE_MATCH_USUAL, &text, &err);
    LACKS("graph", ct_tune_load_as, &plan, NULL, c.device, "p", CT_TUNE_MATCH_USUAL, &text, &err);
    LACKS("file", ct_tune_load_as, &plan, c.graph, c.device, NULL, CT_TUNE_MATCH_USUAL, &text,
          &err);
    LACKS("say", ct_tune_load_as, &plan, c.graph, c.device, "p", CT_TUNE_MATCH_USUAL, NULL, &err);
    LACKS("out", ct_tune_describe, NULL, c.graph, NULL, NULL, &err);
    LACKS("graph", ct_tune_describe, &text, NULL, NULL, NULL, &err);
    expect_usage(ct_tune_describe(&text, c.graph, NULL, NULL, &err), "ct_tune: none is given");
    LACKS("journal", ct_tune_report, NULL, &files, &err);
    expect_usage(ct_tune_report("a.json", NULL, &err), "ct_tune_files: none is given");
    LACKS("plan", ct_tune_predict, NULL, "1Gb/s,1us", NULL, &err);
    LACKS("network", ct_tune_network, NULL, &err);
    LACKS("out", ct_tune_ranks, NULL, c.graph, NULL, "p", "1Gb/s,1us", "j", 0, &err);
    LACKS("graph", ct_tune_ranks, &plan, NULL, NULL, "p", "1Gb/s,1us", "j", 0, &err);
    LACKS("file", ct_tune_ranks, &plan, c.graph, NULL, NULL, "1Gb/s,1us", "j", 0, &err);
    LACKS("network", ct_tune_ranks, &plan, c.graph, NULL, "p", NULL, "j", 0, &err);
    LACKS("journal", ct_tune_ranks, &plan, c.graph, NULL, "p", "1Gb/s,1us", NULL, 0, &err);
    LACKS("json", ct_tune_bench, NULL, c.context, c.device, &bench, &err);
    LACKS("context", ct_tune_bench, &text, NULL, c.device, &bench, &err);
    LACKS("device", ct_tune_bench, &text, c.context, NULL, &bench, &err);
    expect_usage(ct_tune_bench(&text, c.context, c.device, NULL, &err), "ct_bench: none is given");
    LACKS("json", ct_tune_rehearse, NULL, list, 1, c.device, 1, 0, &err);
    LACKS("plans", ct_tune_rehearse, &text, NULL, 1, c.device, 1, 0, &err);
    LACKS("device", ct_tune_rehearse, &text, list, 1, NULL, 1, 0, &err);
    LACKS("plan", ct_tune_rehearse, &text, list, 1, c.device, 1, 0, &err);
    LACKS("out", ct_tune_ratio, NULL, a, NULL, 1, &err);
    LACKS("a", ct_tune_ratio, out, NULL, NULL, 1, &err);
    LACKS("context", ct_tune_serve, NULL, 0, 1, &err);
    LACKS("out", ct_builder_new, NULL, c.graph, c.plan, c.device, worker, &err);
    LACKS("graph", ct_builder_new, &builder, NULL, c.plan, c.device, worker, &err);
    LACKS("plan", ct_builder_new, &builder, c.graph, NULL, c.device, worker, &err);
    LACKS("device", ct_builder_new, &builder, c.graph, c.plan, NULL, worker, &err);
    LACKS("worker", ct_builder_new, &builder, c.graph, c.plan, c.device, NULL, &err);
    ct_builder_free(NULL);
}

/* Without ranks a process is one by itself. */
static void ranks(void **state)
{
    ct_ranks *supposed = NULL;
    ct_device *device = NULL;
    char network[CT_NETWORK_TEXT];
    (void)state;
    LACKS("out", ct_ranks_open, NULL, &err);
    LACKS("out", ct_ranks_suppose, NULL, "4", &err);
    LACKS("text", ct_ranks_suppose, &supposed, NULL, &err);
    LACKS("ranks", ct_ranks_grid, NULL, "S=2", &err);
    LACKS("what", ct_ranks_same, NULL, NULL, "a", NULL, &err);
    LACKS("file", ct_ranks_same, NULL, "options", NULL, NULL, &err);
    LACKS("out", ct_ranks_device, NULL, NULL, NULL, &err);
    LACKS("out", ct_tune_measure_network, NULL, NULL, &err);
    LACKS("work", ct_ranks_on_first, NULL, NULL, NULL, NULL, &err);
    LACKS("graph", ct_graph_set_ranks, NULL, NULL, &err);
    contract_must(ct_tune_measure_network(network, NULL, &err), &err);
    contract_must(ct_ranks_suppose(&supposed, "4", &err), &err);
    LACKS("text", ct_ranks_grid, supposed, NULL, &err);
    ct_ranks_close(supposed);
    contract_must(ct_ranks_device(&device, NULL, NULL, &err), &err);
    ct_device_free(device);
    assert_int_equal(ct_ranks_agree(NULL, CT_DATA, &err), CT_DATA);
    assert_int_equal(ct_ranks_rank(NULL), 0);
    assert_int_equal(ct_ranks_size(NULL), 1);
    assert_false(ct_ranks_asked(NULL));
    assert_true(ct_ranks_first());
    ct_ranks_forbid_overlap(NULL);
    ct_ranks_abort(NULL, CT_OK);
    ct_ranks_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_devices_and_graphs),
        cmocka_unit_test(plans),
        cmocka_unit_test(runs),
        cmocka_unit_test(tuning),
        cmocka_unit_test(ranks),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
