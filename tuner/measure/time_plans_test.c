/* time_plans_test.c: two plans, one of which has a hundred times as much to do, in memory together
 * and one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "time_plans.h"

enum { ROUNDS = 6 };

static ct_status make_infer(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = CT_F32;
    ct_array_add(out, 'S', 8);
    ct_array_add(out, 'T', 0);
    out->meta.total = 1024;
    return CT_OK;
}

static ct_status work_infer(ct_step *step, ct_error *err)
{
    (void)err;
    step->overlap = ct_step_int(step, "loops");
    return CT_OK;
}

static const ct_param work_params[] = {{"loops", CT_PARAM_INT, "1", NULL, 1, 1e6, "of work"}, {0}};
static const char work_cl[] = "kernel void work(CT_ARGS) {\n"
                              "    float x = X(ID_S, ID_T);\n"
                              "    for (int i = 0; i < OVERLAP; i++) x = sin(x) + 0.5f;\n"
                              "    Y(ID_S, ID_T) = x;\n"
                              "}\n";
static const ct_stage make = {.api = CT_API,
                              .name = "test.make",
                              .infer = make_infer,
                              .ports = {{"Y", CT_OUT, 0, "ST", "f32", "*", NULL, NULL}}};
static const ct_stage timed = {
    .api = CT_API,
    .name = "test.work",
    .infer = work_infer,
    .params = work_params,
    .ports = {{"X", CT_IN, 0, "ST", "f32", "*", NULL, NULL},
              {"Y", CT_OUT, 0, "ST", "f32", "*", NULL, NULL}},
    .kernel = {.text = work_cl, .name = "work.cl", .entry = "work"},
};
static const ct_stage take = {
    .api = CT_API, .name = "test.take", .ports = {{"X", CT_IN, 0, "ST", "f32", "*", NULL, NULL}}};

typedef struct fixture {
    ct_context *context;
    ct_device *device;
    ct_plan *plan[2];
} fixture;

static ct_status plan_of(fixture *f, ct_plan **out, int loops, ct_error *err)
{
    char text[512];
    ct_graph *graph = NULL;
    snprintf(text, sizeof text,
             "{\"cornerturn\": 1, \"block\": {\"T\": 128}, \"nodes\": {\"in\": {\"stage\": "
             "\"test.make\"}, \"work\": {\"stage\": \"test.work\", \"input\": \"in\", \"loops\": "
             "%d}, \"out\": {\"stage\": \"test.take\", \"input\": \"work\"}}}",
             loops);
    ct_status status = ct_graph_parse(&graph, f->context, text, "test.json", NULL, err);
    if (status == CT_OK) status = ct_plan_default(out, graph, f->device, err);
    ct_graph_free(graph);
    return status;
}

static int open_all(void **state)
{
    static fixture f;
    const ct_stage *const stages[] = {&make, &timed, &take, NULL};
    ct_error err = {0};
    ct_status status = ct_context_open(&f.context, &err);
    for (int i = 0; stages[i] && status == CT_OK; i++)
        status = ct_context_add_stage(f.context, stages[i], &err);
    if (status == CT_OK) status = ct_device_open(&f.device, NULL, &err);
    if (status == CT_OK) status = plan_of(&f, &f.plan[0], 2, &err);
    if (status == CT_OK) status = plan_of(&f, &f.plan[1], 200, &err);
    if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
    *state = &f;
    return status != CT_OK;
}

static int close_all(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 2; i++)
        ct_plan_free(f->plan[i]);
    ct_device_free(f->device);
    ct_context_free(f->context);
    return 0;
}

static void compare(fixture *f, int first, int64_t room)
{
    ct_plan_times *all = NULL;
    const ct_plan *const plans[] = {f->plan[0], f->plan[1]};
    double ratio[3];
    const ct_time_plans_way way = {ROUNDS, first, room};
    assert_int_equal(ct_time_plans_run(&all, plans, 2, f->device, &way, NULL), CT_OK);
    assert_int_equal(all->plans, 2);
    for (int p = 0; p < 2; p++) {
        assert_int_equal(all->plan[p].steps, 3);
        assert_string_equal(all->plan[p].name[1], "work");
        for (int r = 0; r < ROUNDS; r++) {
            assert_true(all->plan[p].wall[r] > all->plan[p].seconds[1][r]);
            assert_true(all->plan[p].seconds[1][r] > 0 && all->plan[p].history[r] > 0);
        }
    }
    ct_tune_ratio(ratio, all->plan[1].seconds[1], all->plan[0].seconds[1], ROUNDS, NULL);
    assert_true(ratio[0] > 3 && ratio[1] > 1);
    ct_time_plans_free(all);
}

static void plans_are_compared_in_memory_together(void **state)
{
    compare(*state, 0, 0);
    compare(*state, 1, 0);
}

static void plans_that_do_not_fit_are_made_in_turn(void **state)
{
    compare(*state, 1, 1);
}

static void rehearsals_are_printed(void **state)
{
    fixture *f = *state;
    const ct_plan *const plans[] = {f->plan[0], f->plan[1]};
    ct_value *value = NULL;
    ct_error err = {0};
    char *json = NULL;
    assert_int_equal(ct_tune_rehearse(&json, plans, 2, f->device, 0, 0, &err), CT_USAGE);
    assert_int_equal(ct_tune_rehearse(&json, plans, 2, f->device, 3, 2, &err), CT_USAGE);
    assert_int_equal(ct_tune_rehearse(&json, plans, 2, f->device, 3, -1, &err), CT_USAGE);
    assert_null(json);
    assert_int_equal(ct_tune_rehearse(&json, plans, 2, f->device, 3, 1, NULL), CT_OK);
    assert_int_equal(ct_value_parse(&value, json, "rehearsal", NULL), CT_OK);
    const ct_value *second = ct_value_at(ct_value_get(value, "plans"), 1);
    assert_int_equal(ct_value_count(ct_value_get(second, "wall")), 3);
    const ct_value *step = ct_value_at(ct_value_get(second, "steps"), 1);
    assert_string_equal(ct_value_text(ct_value_get(step, "name"), ""), "work");
    assert_true(ct_value_real(ct_value_at(ct_value_get(step, "seconds"), 2), 0) > 0);
    ct_value_free(value);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_are_compared_in_memory_together),
                                       cmocka_unit_test(plans_that_do_not_fit_are_made_in_turn),
                                       cmocka_unit_test(rehearsals_are_printed)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
