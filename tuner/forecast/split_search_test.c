/* split_search_test.c: the splits that are chosen are the best of all, tried one by one here; a
 * slow network has ranks do all, a fast one divide the work; what does not fit is not chosen. Room:
 * tuner/pipeline (test). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "partition.h"
#include "split_search.h"

enum { SKY, FIR, FFT, VIS, OUT, NODES };

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"block\": { \"T\": 1024 }, \"nodes\": {\n"
    " \"sky\": { \"stage\": \"source.simulate\", \"stations\": 5, \"samples\": 4096 },\n"
    " \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, \"taps\": 4 },\n"
    " \"fft\": { \"stage\": \"fft\", \"input\": \"fir\", \"fuse\": false },\n"
    " \"vis\": { \"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 64 },\n"
    " \"out\": { \"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"vis.npy\" } } }\n";

static const double node_s[NODES] = {NAN, 0.6, 1.2, 0.3, NAN};

typedef struct made {
    ct_context *context;
    ct_graph *graph;
    ct_ranks *ranks;
    char *text; /* a plan of one process */
    ct_network network;
    ct_forecast_known known;
    ct_split_job job;
} made;

static void make(made *m, ct_network network)
{
    ct_error err = {0};
    *m = (made){.network = network};
    ct_plan *one = NULL;
    if (ct_context_open(&m->context, &err) != CT_OK ||
        ct_graph_parse(&m->graph, m->context, pipeline, "p.json", NULL, &err) != CT_OK ||
        ct_plan_default(&one, m->graph, NULL, &err) != CT_OK ||
        ct_plan_print(&m->text, one, &err) != CT_OK ||
        ct_ranks_suppose(&m->ranks, "3", &err) != CT_OK ||
        ct_graph_set_ranks(m->graph, m->ranks, &err) != CT_OK)
        fail_msg("%s", err.text);
    ct_plan_free(one);
    m->known = (ct_forecast_known){
        .node_s = node_s, .rate = 1e9, .measured = "by hand", .network = &m->network};
    m->job = (ct_split_job){m->graph, NULL, m->text, "plan", 3, &m->known, 0, CT_SPLIT_TRY_ALL};
}

static void drop(made *m)
{
    ct_graph_free(m->graph);
    ct_ranks_close(m->ranks);
    ct_context_free(m->context);
    free(m->text);
}

static ct_plan *search(const made *m, double *rule_s)
{
    ct_plan *plan = NULL;
    ct_error err = {0};
    bool all;
    if (ct_split_search(&plan, &m->job, rule_s, &all, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(all, m->job.try_all > 0);
    return plan;
}

/* INFINITY: a stage cannot be split so. */
static double seconds_of(const made *m, const char *const *splits)
{
    ct_plan *plan = NULL;
    double seconds = INFINITY;
    if (ct_plan_parse_split(&plan, m->graph, m->text, "plan", splits, NULL, NULL) == CT_OK) {
        assert_int_equal(ct_forecast_plan(plan, &m->known, NULL), CT_OK);
        seconds = plan->forecast->known_s;
    }
    ct_plan_free(plan);
    return seconds;
}

/* Every letter at every node, time left out. */
static double least_of_all(const made *m)
{
    static const char *const dims[] = {"", "S", "P", "C"};
    double least = INFINITY;
    for (int i = 0; i < 256; i++) {
        const char *splits[NODES] = {[SKY] = dims[i & 3],
                                     [FIR] = dims[i >> 2 & 3],
                                     [FFT] = dims[i >> 4 & 3],
                                     [VIS] = dims[i >> 6]};
        const double seconds = seconds_of(m, splits);
        if (seconds < least) least = seconds;
    }
    return least;
}

static void check_best(ct_network network, int try_all)
{
    made m;
    double rule_s;
    make(&m, network);
    m.job.try_all = try_all;
    ct_plan *plan = search(&m, &rule_s);
    const double least = least_of_all(&m), found = plan->forecast->known_s;
    assert_true(isfinite(least));
    if (fabs(found - least) > 1e-9 * least) fail_msg("found %.9g, the best %.9g", found, least);
    assert_true(found <= rule_s * (1 + 1e-9));
    ct_plan_free(plan);
    drop(&m);
}

static void the_best_of_all_is_chosen(void **state)
{
    (void)state;
    for (double bandwidth = 1e3; bandwidth < 1e12; bandwidth *= 30)
        check_best((ct_network){1e-4, bandwidth}, CT_SPLIT_TRY_ALL);
}

/* Where they are too many to be tried. */
static void node_by_node_finds_it_too(void **state)
{
    (void)state;
    for (double bandwidth = 1e3; bandwidth < 1e12; bandwidth *= 30)
        check_best((ct_network){1e-4, bandwidth}, 0);
}

static void what_a_network_costs_decides(void **state)
{
    made m;
    double rule_s;
    (void)state;
    make(&m, (ct_network){1e-6, 1e12});
    ct_plan *fast = search(&m, &rule_s);
    assert_int_equal(fast->partition[FFT].axes, 1);
    assert_true(fast->forecast->known_s < 0.5 * 2.1); /* 2 of 5 stations, 6 of 16 channels */
    drop(&m);
    make(&m, (ct_network){1, 10});
    ct_plan *slow = search(&m, &rule_s);
    for (int n = SKY; n < OUT; n++)
        assert_int_equal(slow->partition[n].axes, 0);
    assert_true(fabs(slow->forecast->known_s - 2.1) < 1e-9);
    assert_true(rule_s > 2.1);
    assert_true(slow->device_bytes > fast->device_bytes);
    m.job.memory = slow->device_bytes - 1;
    ct_plan_free(slow);
    slow = search(&m, &rule_s);
    assert_true(slow->device_bytes <= m.job.memory);
    ct_plan_free(slow);
    ct_plan_free(fast);
    drop(&m);
}

static void what_does_not_fit_is_said(void **state)
{
    made m;
    double rule_s;
    bool all;
    ct_plan *plan = NULL;
    ct_error err = {0};
    (void)state;
    make(&m, (ct_network){1e-6, 1e9});
    m.job.memory = 1000;
    assert_int_equal(ct_split_search(&plan, &m.job, &rule_s, &all, &err), CT_INVALID);
    assert_non_null(
        strstr(err.text, "no splits over 3 ranks fit into 1000 bytes on each device: the least"));
    assert_null(plan);
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_of_all_is_chosen),
        cmocka_unit_test(node_by_node_finds_it_too),
        cmocka_unit_test(what_a_network_costs_decides),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
