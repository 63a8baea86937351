/* random_graphs_test.c: the exhaustive search on random graphs with made-up costs: branches, joins,
 * pins, nodes of one layout, and choices that cannot be built. The oracle tries every plan.
 * Room: tuner/pipeline. */
#include <string.h>

#include "exhaustive.h"
#include "simulated_search.h"

/* Graphs; plans that the oracle tries at most; pins that are tried for one graph. */
enum { GRAPHS = 160, PLANS = 60000, TRIES = 60, TEXT = 4096 };

/* A node: its name, and what it is but for its layouts. */
typedef struct form_node {
    const char *name, *body;
} form_node;

#define FORM_START                                                                                 \
    {"fir", "\"stage\": \"fir\", \"input\": \"v\", \"channels\": 8, \"taps\": 4"},                 \
    {                                                                                              \
        "fft", "\"stage\": \"fft\", \"input\": \"fir\""                                            \
    }

/* A chain, a branch, a join of two branches, and one of two outputs of one node. */
static const form_node forms[][6] = {
    {FORM_START, {"power", "\"stage\": \"detect\", \"input\": \"fft\""}},
    {FORM_START,
     {"power", "\"stage\": \"detect\", \"input\": \"fft\""},
     {"vis", "\"stage\": \"correlator\", \"input\": \"fft\", \"integrate\": 32"}},
    {FORM_START,
     {"rfi", "\"stage\": \"flag\", \"input\": \"fft\", \"window\": 32"},
     {"again",
      "\"stage\": \"flag\", \"input\": {\"X\": \"fft\", \"M\": \"rfi.F\"}, \"window\": 32"}},
    {FORM_START,
     {"rfi", "\"stage\": \"flag\", \"input\": \"fft\", \"window\": 32"},
     {"power", "\"stage\": \"detect\", \"input\": \"fft\""},
     {"again",
      "\"stage\": \"flag\", \"input\": {\"X\": \"rfi\", \"M\": \"rfi.F\"}, \"window\": 32"}}};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* The layouts that each node is pinned to; "" free. */
typedef struct form_pins {
    char read[6][CT_DIMS + 1], write[6][CT_DIMS + 1];
} form_pins;

static void form_print(ct_text *out, const form_node *form, const form_pins *pins)
{
    ct_text_add(out, "{ \"cornerturn\": 1, \"nodes\": { \"v\": { \"stage\": \"source.simulate\", "
                     "\"stations\": 3, \"samples\": 4096 }");
    for (int n = 0; n < 6 && form[n].name; n++) {
        const char *read = pins->read[n], *write = pins->write[n];
        ct_text_add(out, ", \"%s\": { %s, \"layout\": {\"read\": \"%s\", \"write\": \"%s\"} }",
                    form[n].name, form[n].body, *read ? read : "auto", *write ? write : "auto");
        if (n > 1)
            ct_text_add(out,
                        ", \"s%d\": { \"stage\": \"sink.raw\", \"input\": \"%s\", \"file\": "
                        "\"/tmp/unwritten%d\" }",
                        n, form[n].name, n);
    }
    ct_text_add(out, " }, \"block\": { \"T\": 1024 } }");
}

static double plans_of(const ct_space *space)
{
    double all = 1;
    for (int s = 0; s < space->nodes; s++)
        if (space->node[s].free) all *= (double)space->node[s].choices;
    return all;
}

/* One more pin, of a choice that the node allows. */
static void form_pin(form_pins *pins, const form_node *form, const ct_space *space, uint64_t *state)
{
    int nodes = 0, places[CT_PORTS];
    while (nodes < 6 && form[nodes].name)
        nodes++;
    const int n = (int)(chance(state) * nodes);
    const ct_space_node *node = &space->node[ct_space_find(space, form[n].name)];
    const bool read = chance(state) < 0.5;
    int64_t choice = (int64_t)(chance(state) * (double)node->choices);
    while (!ct_space_allows(node, choice))
        choice = (choice + 1) % node->choices;
    ct_space_places(node, choice, places);
    const ct_space_axis *axis = &node->axis[read ? 0 : node->inputs];
    snprintf(read ? pins->read[n] : pins->write[n], CT_DIMS + 1, "%s",
             axis->list[places[read ? 0 : node->inputs]].dim);
}

/* Pins are added until the oracle can try all plans; where some make no pipeline, from the
 * beginning. */
static void open_random(fixture *f, const form_node *form, uint64_t *state)
{
    form_pins pins = {{{0}}, {{0}}};
    *f = (fixture){0};
    assert_int_equal(ct_context_open(&f->context, &f->err), CT_OK);
    for (int tries = 0; tries < TRIES; tries++) {
        ct_text text = {0};
        ct_error err = {0};
        form_print(&text, form, &pins);
        const bool fine =
            ct_graph_parse(&f->graph, f->context, text.data, "p.json", NULL, &err) == CT_OK &&
            ct_fusion_variant_new(&f->variant, f->graph, NULL, false, &err) == CT_OK;
        ct_text_free(&text);
        if (fine && plans_of(f->variant->space) <= PLANS) return;
        if (fine)
            form_pin(&pins, form, f->variant->space, state);
        else
            memset(&pins, 0, sizeof pins);
        ct_fusion_variant_free(f->variant);
        ct_graph_free(f->graph);
        f->variant = NULL;
        f->graph = NULL;
    }
    fail_msg("no pins make a graph with few plans");
}

/* The least that any plan takes, and what the default does. */
static double try_all(const fixture *f, const ct_value *costs, double *defaults)
{
    double best = INFINITY;
    ct_backend backend;
    ct_backend_costs *made_up = NULL;
    int64_t choices[32] = {0};
    const ct_space *space = f->variant->space;
    assert_true(space->nodes <= 32);
    assert_int_equal(ct_backend_costs_new(&made_up, &backend, space, costs, "costs", NULL), CT_OK);
    *defaults = ct_backend_costs_true(made_up, choices);
    for (int s = 0; s < space->nodes;) {
        best = fmin(best, ct_backend_costs_true(made_up, choices));
        for (s = 0; s < space->nodes && ++choices[s] == space->node[s].choices; s++)
            choices[s] = 0;
    }
    ct_backend_costs_free(made_up);
    return best;
}

static int ones_of(const ct_space *space)
{
    int ones = 0;
    for (int s = 0; s < space->nodes; s++)
        ones += space->node[s].free && space->node[s].choices == 1;
    return ones;
}

static void the_exhaustive_search_is_exact(void **state)
{
    const int graphs = (int)few_or_all(40, GRAPHS);
    int ones = 0, better = 0;
    (void)state;
    for (int g = 0; g < graphs; g++) {
        uint64_t dice = 88172645463325252u + 7919u * (uint64_t)g;
        ct_text text = {0};
        ct_value *costs = NULL;
        int64_t measured;
        double defaults;
        fixture f;
        open_random(&f, forms[g % FORMS], &dice);
        print_costs(&text, f.variant->space, g % 3 ? 0.15 : 0, dice);
        assert_int_equal(ct_value_parse(&costs, text.data, "costs", NULL), CT_OK);
        const double best = try_all(&f, costs, &defaults);
        const double found = search(&f, costs, SEARCH_ALL, 1, &measured);
        if (fabs(found / best - 1) > 1e-9)
            print_error("graph %d, %d nodes of one layout: %g instead of %g\n", g,
                        ones_of(f.variant->space), found, best);
        assert_true(fabs(found / best - 1) <= 1e-9);
        ones += ones_of(f.variant->space) > 0;
        better += best < defaults * (1 - 1e-9);
        ct_value_free(costs);
        ct_text_free(&text);
        close_fixture(&f);
    }
    print_message("%d graphs, %d with nodes of one layout, %d with a better plan\n", graphs, ones,
                  better);
    assert_true(ones > graphs / 4 && better > graphs / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_exhaustive_search_is_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
