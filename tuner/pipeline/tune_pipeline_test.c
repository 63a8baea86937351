/* tune_pipeline_test.c: the search on made-up costs: how much worse is what it chooses than the
 * best there is, for many streams of noise. */
#include "backend_costs.h"
#include "confirm.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "exhaustive.h"
#include "fusion_variant.h"
#include "phases.h"
#include "results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SEEDS = 100 };

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {"
    "  \"v\": { \"stage\": \"source.simulate\", \"stations\": 13, \"samples\": 16384 },"
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"v\", \"channels\": 32, \"taps\": 8 },"
    "  \"fft\": { \"stage\": \"fft\", \"input\": \"fir\" },"
    "  \"power\": { \"stage\": \"detect\", \"input\": \"fft\" },"
    "  \"vis\": { \"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 128 },"
    "  \"a\": { \"stage\": \"sink.raw\", \"input\": \"power\", \"file\": \"/dev/null\" },"
    "  \"b\": { \"stage\": \"sink.npy\", \"input\": \"vis\", \"file\": \"/dev/null\" } },"
    "  \"block\": { \"T\": 4096 } }";

typedef struct fixture {
    ct_context *context;
    ct_graph *graph;
    ct_fusion_variant *variant;
    ct_error err;
} fixture;

/* 0 to 1, the same every time. */
static double chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* What its layouts take one by one, and a part that only the two together take: a stage that
 * guesses have to be careful with. */
static void print_node(ct_text *text, const ct_space_node *node, uint64_t *state)
{
    double arm[CT_PORTS][1024];
    const double scale = 0.01 + 0.05 * chance(state);
    for (int a = 0; a < node->axes; a++)
        for (int i = 0; i < node->axis[a].count; i++)
            arm[a][i] = scale * (0.5 + chance(state));
    for (int64_t choice = 0; choice < node->choices; choice++) {
        char at[CT_SPACE_AT];
        int places[CT_PORTS];
        double seconds = 0;
        ct_space_places(node, choice, places);
        for (int a = 0; a < node->axes; a++)
            seconds += arm[a][places[a]];
        ct_space_print(node, choice, at);
        ct_text_add(text, "%s\"%s\": %.9g", choice ? ", " : "", at,
                    seconds * (0.93 + 0.14 * chance(state)));
    }
}

static void print_transposes(ct_text *text, const ct_space_edge *edge, uint64_t *state)
{
    const double scale = 0.003 + 0.01 * chance(state);
    bool any = false;
    for (int from = 0; from < edge->layouts; from++)
        for (int to = 0; to < edge->layouts; to++) {
            if (from == to) continue;
            ct_text_add(text, "%s\"%s>%s\": %.9g", any ? ", " : "", edge->list[from].dim,
                        edge->list[to].dim, scale * (1 + 2 * chance(state)));
            any = true;
        }
}

static void print_costs(ct_text *text, const ct_space *space, uint64_t state)
{
    bool any = false;
    ct_text_add(text, "{ \"cornerturn_costs\": 1, \"noise\": 0.03, \"nodes\": {");
    for (int s = 0; s < space->nodes; s++) {
        if (!space->node[s].free) continue;
        ct_text_add(text, "%s\"%s\": {", any ? ", " : "", space->node[s].name);
        print_node(text, &space->node[s], &state);
        ct_text_add(text, "}");
        any = true;
    }
    ct_text_add(text, "}, \"transposes\": {");
    for (int i = 0; i < space->edges; i++) {
        const ct_space_edge *edge = &space->edge[i];
        ct_text_add(text, "%s\"%s\": {", i ? ", " : "", space->node[edge->writer].name);
        print_transposes(text, edge, &state);
        ct_text_add(text, "}");
    }
    ct_text_add(text, "} }");
}

/* `file`: NULL: the pipeline above. */
static void open_fixture(fixture *f, const char *file)
{
    assert_int_equal(ct_context_open(&f->context, &f->err), CT_OK);
    const ct_status status =
        file ? ct_graph_load(&f->graph, f->context, file, NULL, &f->err)
             : ct_graph_parse(&f->graph, f->context, pipeline, "p.json", NULL, &f->err);
    if (status != CT_OK) print_error("%s\n", f->err.text);
    assert_int_equal(status, CT_OK);
    assert_int_equal(ct_fusion_variant_new(&f->variant, f->graph, NULL, &f->err), CT_OK);
}

static void close_fixture(fixture *f)
{
    ct_fusion_variant_free(f->variant);
    ct_graph_free(f->graph);
    ct_context_free(f->context);
}

/* What the search chooses; *measured choices and transposes. */
static double search(const fixture *f, const ct_value *costs, bool exhaustive, int64_t seed,
                     int64_t *measured)
{
    ct_backend_costs *made_up = NULL;
    ct_fusion_variant *variant;
    ct_candidate chosen;
    ct_verdict verdict;
    ct_error err = {0};
    bool whole;
    const ct_tune options = {.size = sizeof options, .exhaustive = exhaustive};
    assert_int_equal(ct_fusion_variant_new(&variant, f->graph, NULL, &err), CT_OK);
    assert_int_equal(
        ct_backend_costs_new(&made_up, &variant->backend, variant->space, costs, "costs", &err),
        CT_OK);
    assert_int_equal(ct_fusion_variant_ready(variant, &options, &err), CT_OK);
    ct_backend_costs_seed(made_up, seed);
    if (exhaustive) ct_backend_costs_quiet(made_up);
    ct_tuner *tuner = &variant->tuner;
    tuner->results->transposes_in_place = 1;
    assert_int_equal(ct_confirm_default(tuner, &err), CT_OK);
    assert_int_equal(ct_phases_run(tuner, 1, &whole, &err), CT_OK);
    assert_true(whole);
    assert_int_equal(ct_confirm_choose(&tuner, 1, &chosen, &verdict, &err), CT_OK);
    const double seconds = ct_backend_costs_true(made_up, chosen.choice);
    *measured = tuner->results->measured;
    ct_fusion_variant_free(variant);
    ct_backend_costs_free(made_up);
    return seconds;
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Against the exhaustive search without noise, which is exact. `share`: of what that measures, the
 * search may measure no more. */
static void check_regret(const fixture *f, const char *name, const ct_value *costs, double share)
{
    double regret[SEEDS];
    const int seeds = (int)few_or_all(20, SEEDS);
    int64_t all, most = 0, some;
    const double best = search(f, costs, true, 1, &all);
    for (int seed = 0; seed < seeds; seed++) {
        regret[seed] = search(f, costs, false, seed + 1, &some) / best - 1;
        if (some > most) most = some;
    }
    qsort(regret, (size_t)seeds, sizeof *regret, order);
    print_message("%s: median %.2f %%, worst %.2f %%; at most %d of %d measured\n", name,
                  100 * regret[seeds / 2], 100 * regret[seeds - 1], (int)most, (int)all);
    assert_true(regret[0] > -1e-9);
    if (seeds == SEEDS) assert_true(regret[seeds / 2] <= 0.01);
    assert_true(regret[seeds - 1] <= 0.03);
    assert_true((double)most <= share * (double)all);
}

/* Layouts' costs have nothing to do with each other here: more than a share has to be measured. */
static void regret_is_small_where_layouts_are_not_alike(void **state)
{
    (void)state;
    fixture f = {0};
    open_fixture(&f, NULL);
    for (uint64_t table = 1; table <= 3; table++) {
        ct_text text = {0};
        ct_value *costs = NULL;
        print_costs(&text, f.variant->space, table * 7919);
        assert_int_equal(ct_value_parse(&costs, text.data, "costs", NULL), CT_OK);
        check_regret(&f, "made up", costs, 1);
        ct_value_free(costs);
        ct_text_free(&text);
    }
    close_fixture(&f);
}

/* What was measured on a device, all of it. */
static void check_measured(const char *name)
{
    fixture f = {0};
    ct_value *costs = NULL;
    char pipeline_file[256], costs_file[256];
    snprintf(pipeline_file, sizeof pipeline_file, "bench/experiments/%s.json", name);
    snprintf(costs_file, sizeof costs_file, "bench/experiments/costs/%s.json", name);
    open_fixture(&f, pipeline_file);
    assert_int_equal(ct_value_load(&costs, costs_file, &f.err), CT_OK);
    check_regret(&f, name, costs, 0.1);
    ct_value_free(costs);
    close_fixture(&f);
}

static void a_tenth_of_what_there_is_suffices(void **state)
{
    (void)state;
    check_measured("pipeline1-small");
    check_measured("fanout-small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regret_is_small_where_layouts_are_not_alike),
        cmocka_unit_test(a_tenth_of_what_there_is_suffices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
