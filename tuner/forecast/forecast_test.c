/* forecast_test.c: what is predicted of a plan over ranks, worked out by hand.
 * Room: tuner/forecast. */
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
#include "exchange.h"
#include "forecast.h"

/* 6 stations on 4 ranks: the busiest has 2 of them. 16 channels: 4 each. */
static const char pipeline[] =
    "{ \"cornerturn\": 1, \"block\": { \"T\": 1024 }, \"nodes\": {\n"
    " \"sky\": { \"stage\": \"source.simulate\", \"stations\": 6, \"samples\": 4096, \"layout\": "
    "\"S|PT\" },\n"
    " \"fir\": { \"stage\": \"fir\", \"input\": \"sky\", \"channels\": 16, \"taps\": 4, "
    "\"layout\": { \"read\": \"S|PT\" } },\n"
    " \"fft\": { \"stage\": \"fft\", \"input\": \"fir\", \"layout\": { \"read\": \"S|PTC\" } },\n"
    " \"vis\": { \"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 64, "
    "\"layout\": { \"read\": \"C|TSP\" } },\n"
    " \"out\": { \"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"vis.npy\" } } }\n";

typedef struct made {
    ct_context *context;
    ct_graph *graph;
    ct_ranks *ranks;
    ct_plan *plan;
} made;

static made make(const char *ranks)
{
    made m = {NULL, NULL, NULL, NULL};
    ct_error err = {0};
    if (ct_context_open(&m.context, &err) != CT_OK ||
        ct_graph_parse(&m.graph, m.context, pipeline, "p.json", NULL, &err) != CT_OK ||
        ct_ranks_suppose(&m.ranks, ranks, &err) != CT_OK ||
        ct_graph_set_ranks(m.graph, m.ranks, &err) != CT_OK ||
        ct_plan_default(&m.plan, m.graph, NULL, &err) != CT_OK)
        fail_msg("%s", err.text);
    return m;
}

static void drop(made *m)
{
    ct_plan_free(m->plan);
    ct_graph_free(m->graph);
    ct_ranks_close(m->ranks);
    ct_context_free(m->context);
}

static const ct_forecast_step *forecast_of(const ct_plan *plan, const char *begins)
{
    for (int s = 0; s < plan->count; s++)
        if (!strncmp(plan->steps[s].name, begins, strlen(begins))) return &plan->forecast->step[s];
    fail_msg("no step %s", begins);
    return NULL;
}

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * expected))
        fail_msg("found %.15g, expected %.15g", found, expected);
}

/* 6 x P x T x 16 complex numbers of 8 bytes; ranks have 1, 2, 1, 2 stations and 4 channels each. */
static void blocks_are_predicted(void **state)
{
    made m = make("4");
    double node_s[5] = {0.4, 0.6, 1.2, 0.3, 0.1};
    const ct_network network = {1e-3, 1e5};
    const ct_forecast_known known = {.node_s = node_s,
                                     .host_s = 0.05,
                                     .io_load = 0.5,
                                     .rate = 1e6,
                                     .measured = "by hand",
                                     .network = &network};
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_forecast_plan(m.plan, &known, &err), CT_OK);
    const ct_array *spectra = &m.graph->nodes[2].step->port[1];
    const int64_t one = ct_array_extent(spectra, 'P') * ct_array_extent(spectra, 'T') * 8 * 4;
    const ct_forecast_step *fft_exchange = forecast_of(m.plan, "fft>"),
                           *vis_exchange = forecast_of(m.plan, "vis>");
    near(forecast_of(m.plan, "fir")->seconds, 0.2);
    near(forecast_of(m.plan, "vis")->seconds, 0.075);
    assert_int_equal(fft_exchange->traffic.link, 2 * one);
    assert_int_equal(fft_exchange->traffic.sent, 3 * 2 * one);
    assert_int_equal(fft_exchange->traffic.received, 5 * one);
    assert_int_equal(fft_exchange->traffic.kept, 2 * one);
    near(fft_exchange->transfer_s, 3 * 1e-3 + 6 * (double)one / 1e5);
    near(fft_exchange->seconds, (6 + 5 + 2) * (double)one / 1e6);
    const ct_forecast *forecast = m.plan->forecast;
    near(forecast->one_s, 2.1 + 0.05 + 0.5 * (0.4 + 0.1));
    near(forecast->device_s, 0.2 + 0.4 + 0.075 + fft_exchange->seconds + vis_exchange->seconds);
    near(forecast->transfer_s, fft_exchange->transfer_s + vis_exchange->transfer_s);
    near(forecast->host_s, 0.05 + 0.5 * (0.4 / 3 + 0.1)); /* the sink is rank 0's */
    near(forecast->io_s, 0.4 / 3);
    assert_true(ct_plan_overlaps(m.plan));
    near(forecast->block_s, fmax(forecast->device_s + forecast->host_s, forecast->transfer_s));
    near(forecast->serial_s, forecast->device_s + forecast->host_s + forecast->transfer_s);
    near(forecast->known_s, forecast->block_s);
    node_s[0] = 30; /* a source that takes longer than all else */
    assert_int_equal(ct_forecast_plan(m.plan, &known, &err), CT_OK);
    near(m.plan->forecast->block_s, 10);
    near(m.plan->forecast->one_s, 30);
    drop(&m);
}

/* What is not known is not made up. */
static void what_is_unknown_stays_so(void **state)
{
    made m = make("2");
    const ct_network network = {1e-3, 1e9};
    const ct_forecast_known only_network = {.host_s = NAN,
                                            .io_load = NAN,
                                            .rate = NAN,
                                            .network = &network},
                            nothing = {.host_s = NAN, .io_load = NAN, .rate = NAN};
    (void)state;
    assert_int_equal(ct_forecast_plan(m.plan, &only_network, NULL), CT_OK);
    assert_true(isnan(m.plan->forecast->block_s) && isnan(m.plan->forecast->device_s));
    assert_true(m.plan->forecast->transfer_s > 0);
    assert_int_equal(ct_forecast_plan(m.plan, &nothing, NULL), CT_OK);
    assert_true(isnan(m.plan->forecast->transfer_s));
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_predicted),
        cmocka_unit_test(what_is_unknown_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
