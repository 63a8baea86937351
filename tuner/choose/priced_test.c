/* priced_test.c: the default plan has the least price that there is, among all layouts and ways of
 * fusing; pins bind it, and files stay as they are.
 * Room: tuner/choose, tests. */
#include "choose.h"
#include "choose_inner.h"
#include "cornerturn_stage.h"
#include "fuse.h"
#include "layout.h"
#include "memory.h"
#include "space_problem.h"
#include "text.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int open_context(void **state)
{
    ct_error err = {0};
    return ct_context_open((ct_context **)state, &err) == CT_OK ? 0 : -1;
}

static int close_context(void **state)
{
    ct_context_free(*state);
    return 0;
}

#define BANK                                                                                       \
    "\"in\": {\"stage\": \"source.simulate\", \"stations\": 5, \"samples\": 65536},"               \
    "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 16, \"taps\": 4},"

static ct_graph *graph_of(ct_context *context, const char *nodes)
{
    char text[4096];
    ct_error err = {0};
    ct_graph *graph = NULL;
    snprintf(text, sizeof text, "{\"cornerturn\": 1, \"block\": {\"T\": 32768}, \"nodes\": {%s}}",
             nodes);
    if (ct_graph_parse(&graph, context, text, "priced", NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    return graph;
}

static ct_plan *plan_of(const ct_graph *graph)
{
    ct_error err = {0};
    ct_plan *plan = NULL;
    if (ct_plan_default(&plan, graph, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    return plan;
}

static const ct_plan_step *step_of(const ct_plan *plan, const char *name)
{
    for (int s = 0; s < plan->count; s++)
        if (!strcmp(plan->steps[s].name, name)) return &plan->steps[s];
    return NULL;
}

/* What a choice of layouts costs, by the formula that prices.h gives; no transposes. */
static double cost_of(const ct_prices *prices, const ct_step *step, const ct_layout *read,
                      const ct_layout *written)
{
    return CT_CHOOSE_STEP_S +
           exp(ct_prices_step(prices, step) + ct_prices_port(prices, step, 0, read) +
               ct_prices_port(prices, step, 1, written) +
               ct_prices_pair(prices, step, 0, read, 1, written));
}

/* Every layout of the array between fir and fft, tried one after the other, where nothing else can
 * be chosen. */
static void nothing_is_cheaper(void **state)
{
    ct_error err = {0};
    double seconds = 0, least = INFINITY;
    ct_prices *prices = NULL;
    ct_layout *all = NULL, best = {0};
    ct_graph *graph = graph_of(
        *state, BANK "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\", \"fuse\": false, "
                     "\"layout\": {\"write\": \"STCP\"}}, "
                     "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"x.npy\"}");
    ct_choice *choices = ct_memory_get(sizeof *choices * (size_t)graph->count);
    assert_int_equal(ct_prices_new(&prices, &err), CT_OK);
    assert_int_equal(ct_choose_usual(choices, graph, &err), CT_OK);
    const ct_step *fir = graph->nodes[ct_graph_find(graph, "fir")].step;
    const ct_step *fft = graph->nodes[ct_graph_find(graph, "fft")].step;
    const ct_layout source = choices[0].layout[0], end = choices[2].layout[1];
    assert_string_equal(end.dim, "STCP");
    const int64_t count = ct_step_layouts(&all, fir, 1, NULL);
    assert_true(count == 24);
    for (int64_t i = 0; i < count; i++) {
        const double cost =
            cost_of(prices, fir, &source, &all[i]) + cost_of(prices, fft, &all[i], &end);
        if (cost >= least) continue;
        least = cost;
        best = all[i];
    }
    assert_int_equal(ct_choose_priced(choices, &seconds, graph, prices, 0, &err), CT_OK);
    assert_true(seconds <= least * (1 + 1e-9)); /* less with a transpose */
    if (ct_layout_equal(&choices[1].layout[1], &choices[2].layout[0])) {
        assert_true(fabs(seconds / least - 1) < 1e-9);
        assert_string_equal(choices[1].layout[1].dim, best.dim);
    }
    ct_memory_free(all);
    ct_memory_free(choices);
    ct_prices_free(prices);
    ct_graph_free(graph);
}

static void pins_bind(void **state)
{
    ct_graph *graph = graph_of(
        *state, BANK "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\", \"layout\": {\"read\": "
                     "\"TCSP\", \"write\": \"PCTS\"}},"
                     "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"x.npy\", "
                     "\"layout\": \"CTPS\"}");
    ct_plan *plan = plan_of(graph);
    const ct_plan_step *fft = step_of(plan, "fft"), *out = step_of(plan, "out");
    assert_non_null(step_of(plan, "fir")); /* what is pinned is not fused */
    assert_string_equal(fft->step->port[0].layout.dim, "TCSP");
    assert_string_equal(fft->step->port[1].layout.dim, "PCTS");
    assert_string_equal(out->step->port[0].layout.dim, "CTPS");
    ct_plan_free(plan);
    ct_graph_free(graph);
}

/* What the sink reads with the fusion that "fuse" pins, and whether fir is a step. */
static void read_by_sink(ct_context *context, const char *fuse, char layout[CT_DIMS + 1],
                         bool *apart)
{
    char nodes[1024];
    snprintf(nodes, sizeof nodes,
             BANK "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"%s},"
                  "\"out\": {\"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"x.npy\"}",
             fuse);
    ct_graph *graph = graph_of(context, nodes);
    ct_plan *plan = plan_of(graph);
    snprintf(layout, CT_DIMS + 1, "%s", step_of(plan, "out")->step->port[0].layout.dim);
    *apart = step_of(plan, "fir") != NULL;
    ct_plan_free(plan);
    ct_graph_free(graph);
}

/* A file's layout does not depend on what is fused, and a filter bank is fused where nothing is
 * against it. */
static void files_stay(void **state)
{
    char pinned[CT_DIMS + 1], forbidden[CT_DIMS + 1], open[CT_DIMS + 1];
    bool apart;
    read_by_sink(*state, ", \"fuse\": true", pinned, &apart);
    assert_false(apart);
    read_by_sink(*state, ", \"fuse\": false", forbidden, &apart);
    assert_true(apart);
    read_by_sink(*state, "", open, &apart);
    assert_false(apart);
    assert_string_equal(open, forbidden);
}

/* Who else reads what is between two nodes needs it. */
static void what_is_read_is_not_fused(void **state)
{
    ct_graph *graph = graph_of(
        *state, BANK "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
                     "\"a\": {\"stage\": \"sink.npy\", \"input\": \"fft\", \"file\": \"a.npy\"},"
                     "\"b\": {\"stage\": \"sink.npy\", \"input\": \"fir\", \"file\": \"b.npy\"}");
    ct_plan *plan = plan_of(graph);
    assert_non_null(step_of(plan, "fir"));
    ct_plan_free(plan);
    ct_graph_free(graph);
}

/* A step whose input keeps history has the price with which its layout was chosen. */
static void no_other_choice_is_cheaper(void **state)
{
    double own = 0, next = 0;
    ct_text text = {0};
    ct_graph *graph =
        graph_of(*state, BANK
                 "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"},"
                 "\"power\": {\"stage\": \"detect\", \"input\": \"fft\", \"stokes\": \"I\"},"
                 "\"dd\": {\"stage\": \"dedisp\", \"input\": \"power\", "
                 "\"dm\": {\"start\": 0, \"step\": 2, \"count\": 9}},"
                 "\"pulses\": {\"stage\": \"pulses\", \"input\": \"dd\"},"
                 "\"out\": {\"stage\": \"sink.npy\", \"input\": \"pulses\", \"file\": \"x.npy\"}");
    ct_plan *plan = plan_of(graph);
    ct_choose_say(&text, plan);
    assert_non_null(strstr(text.data, "dd "));
    assert_int_equal(sscanf(text.data, "\nprice: %lf", &own), 1);
    assert_int_equal(sscanf(strstr(text.data, "next best"), "next best, %lf", &next), 1);
    assert_true(own > 0 && next >= own);
    ct_text_free(&text);
    ct_plan_free(plan);
    ct_graph_free(graph);
}

/* An array with many readers would take the solver too long. */
static void many_readers_go_by_rule(void **state)
{
    char nodes[2048];
    size_t used = (size_t)snprintf(nodes, sizeof nodes,
                                   BANK "\"fft\": {\"stage\": \"fft\", \"input\": \"fir\"}");
    for (int i = 0; i < 9; i++)
        used += (size_t)snprintf(
            nodes + used, sizeof nodes - used,
            ", \"v%d\": {\"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 32}", i);
    ct_graph *graph = graph_of(*state, nodes);
    ct_plan *plan = plan_of(graph);
    assert_string_equal(step_of(plan, "fft")->reason[1], "the reader prefers it");
    ct_plan_free(plan);
    ct_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_cheaper, open_context, close_context),
        cmocka_unit_test_setup_teardown(pins_bind, open_context, close_context),
        cmocka_unit_test_setup_teardown(files_stay, open_context, close_context),
        cmocka_unit_test_setup_teardown(what_is_read_is_not_fused, open_context, close_context),
        cmocka_unit_test_setup_teardown(no_other_choice_is_cheaper, open_context, close_context),
        cmocka_unit_test_setup_teardown(many_readers_go_by_rule, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
