/* simulated_search.h: a search on made-up costs: graphs, costs of everything that may be chosen,
 * and the search from its beginning to the choice. Room: tests of tuner/pipeline. Does not know
 * devices. */
#ifndef CT_TESTS_SIMULATED_SEARCH_H
#define CT_TESTS_SIMULATED_SEARCH_H
#include "backend_costs.h"
#include "chance.h"
#include "confirm.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fusion_variant.h"
#include "phases.h"
#include "prior.h"
#include "results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct fixture {
    ct_context *context;
    ct_graph *graph;
    ct_fusion_variant *variant;
    ct_error err;
} fixture;

/* What its layouts take one by one, and a part that only the two together take: a stage that
 * guesses have to be careful with. */
static inline void print_node(ct_text *text, const ct_space_node *node, double holes,
                              uint64_t *state)
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
        const double own = seconds * (0.93 + 0.14 * chance(state));
        if (!ct_space_allows(node, choice) || (holes > 0 && choice > 0 && chance(state) < holes))
            continue;
        ct_space_print(node, choice, at);
        ct_text_add(text, "%s\"%s\": %.9g", choice ? ", " : "", at, own);
    }
}

static inline void print_transposes(ct_text *text, const ct_space_edge *edge, double holes,
                                    uint64_t *state)
{
    const double scale = 0.003 + 0.01 * chance(state);
    bool any = false;
    for (int from = 0; from < edge->layouts; from++)
        for (int to = 0; to < edge->layouts; to++) {
            const bool hole = holes > 0 && from != edge->number[0][0] && chance(state) < holes;
            if (from == to || hole) continue;
            ct_text_add(text, "%s\"%s>%s\": %.9g", any ? ", " : "", edge->list[from].dim,
                        edge->list[to].dim, scale * (1 + 2 * chance(state)));
            any = true;
        }
}

/* The default can be built. `holes`: the part of other choices and transposes that cannot be built.
 */
static inline void print_costs(ct_text *text, const ct_space *space, double holes, uint64_t state)
{
    bool any = false;
    ct_text_add(text, "{ \"cornerturn_costs\": 1, \"noise\": 0.03, \"nodes\": {");
    for (int s = 0; s < space->nodes; s++) {
        if (!space->node[s].free) continue;
        ct_text_add(text, "%s\"%s\": {", any ? ", " : "", space->node[s].name);
        print_node(text, &space->node[s], holes, &state);
        ct_text_add(text, "}");
        any = true;
    }
    ct_text_add(text, "}, \"transposes\": {");
    for (int i = 0; i < space->edges; i++) {
        const ct_space_edge *edge = &space->edge[i];
        char array[CT_SPACE_NAME];
        ct_space_edge_name(array, space, i);
        ct_text_add(text, "%s\"%s\": {", i ? ", " : "", array);
        print_transposes(text, edge, holes, &state);
        ct_text_add(text, "}");
    }
    ct_text_add(text, "} }");
}

/* `file`, or where it is NULL the text. */
static inline void open_fixture(fixture *f, const char *file, const char *pipeline)
{
    assert_int_equal(ct_context_open(&f->context, &f->err), CT_OK);
    const ct_status status =
        file ? ct_graph_load(&f->graph, f->context, file, NULL, &f->err)
             : ct_graph_parse(&f->graph, f->context, pipeline, "p.json", NULL, &f->err);
    if (status != CT_OK) print_error("%s\n", f->err.text);
    assert_int_equal(status, CT_OK);
    assert_int_equal(ct_fusion_variant_new(&f->variant, f->graph, NULL, false, &f->err), CT_OK);
}

static inline void close_fixture(fixture *f)
{
    ct_fusion_variant_free(f->variant);
    ct_graph_free(f->graph);
    ct_context_free(f->context);
}

static inline void succeeds(ct_status status, const ct_error *err)
{
    if (status != CT_OK) print_error("%s\n", err->text);
    assert_int_equal(status, CT_OK);
}

/* Everything is measured, without noise; the search by itself; and then until it is certain. */
typedef enum search_way { SEARCH_ALL, SEARCH_PLAIN, SEARCH_CERTAIN } search_way;

/* What the search chooses; *measured choices and transposes. `prior`: what it begins from; NULL:
 * nothing. */
static inline double search_from(const fixture *f, const ct_value *costs, const ct_prior *prior,
                                 search_way way, int64_t seed, int64_t *measured)
{
    ct_backend_costs *made_up = NULL;
    ct_fusion_variant *variant;
    ct_candidate chosen;
    ct_verdict verdict;
    ct_error err = {0};
    bool whole;
    const ct_tune options = {.size = sizeof options, .exhaustive = way == SEARCH_ALL};
    succeeds(ct_fusion_variant_new(&variant, f->graph, NULL, false, &err), &err);
    succeeds(
        ct_backend_costs_new(&made_up, &variant->backend, variant->space, costs, "costs", &err),
        &err);
    succeeds(ct_fusion_variant_ready(variant, &options, &err), &err);
    ct_backend_costs_seed(made_up, seed);
    if (way == SEARCH_ALL) ct_backend_costs_quiet(made_up);
    ct_tuner *tuner = &variant->tuner;
    tuner->results->transposes_in_place = 1;
    if (prior) succeeds(ct_prior_give(prior, tuner->results, &err), &err);
    succeeds(ct_confirm_default(tuner, &err), &err);
    succeeds(ct_phases_run(tuner, 1, &whole, &err), &err);
    assert_true(whole);
    for (double share = 2 * CT_TUNER_SHARE;
         way == SEARCH_CERTAIN && share < 2 && !ct_phases_is_certain(tuner); share *= 2) {
        tuner->share = share;
        succeeds(ct_phases_certain(tuner, &err), &err);
    }
    succeeds(ct_confirm_choose(&tuner, 1, &chosen, &verdict, &err), &err);
    const double seconds = ct_backend_costs_true(made_up, chosen.choice);
    *measured = tuner->results->measured;
    ct_fusion_variant_free(variant);
    ct_backend_costs_free(made_up);
    return seconds;
}

static inline double search(const fixture *f, const ct_value *costs, search_way way, int64_t seed,
                            int64_t *measured)
{
    return search_from(f, costs, NULL, way, seed, measured);
}

#endif
