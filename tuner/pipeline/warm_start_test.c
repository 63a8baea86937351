/* warm_start_test.c: searches on measured costs that begin from the costs of another pipeline: they
 * measure less and choose as well; with costs that were shuffled they choose as well, too. And what
 * a prior lets expect of single choices. */
#include "exhaustive.h"
#include "prior.h"
#include "simulated_search.h"

#include <string.h>

enum { SEEDS = 50 };

static void load(fixture *f, ct_value **costs, const char *name)
{
    char file[256];
    snprintf(file, sizeof file, "bench/experiments/%s.json", name);
    open_fixture(f, file, NULL);
    snprintf(file, sizeof file, "bench/experiments/costs/%s.json", name);
    assert_int_equal(ct_value_load(costs, file, &f->err), CT_OK);
}

/* ---- a prior from a file of costs */

static double costs_of(const ct_value *costs, const ct_space_node *node, int64_t choice)
{
    char at[CT_SPACE_AT];
    ct_space_print(node, choice, at);
    const ct_value *own = ct_value_get(ct_value_get(costs, "nodes"), node->name);
    return ct_value_real(ct_value_get(own, at), 0);
}

/* Of all choices of the nodes that both have; `shuffled`: each gets another one's. */
static ct_prior *prior_of(const ct_space *space, const ct_value *costs, bool shuffled)
{
    ct_prior *prior;
    uint64_t state = 77;
    assert_int_equal(ct_prior_new(&prior, space, NULL), CT_OK);
    for (int s = 0; s < space->nodes; s++) {
        const ct_space_node *node = &space->node[s];
        const double first = costs_of(costs, node, 0);
        for (int64_t choice = 0; first > 0 && choice < node->choices; choice++) {
            const int64_t other = (int64_t)(chance(&state) * (double)node->choices);
            const double seconds = costs_of(costs, node, shuffled && choice ? other : choice);
            const ct_question q = {.node = s, .choice = choice};
            if (seconds > 0) ct_prior_add(prior, &q, seconds / first, 0.2);
        }
    }
    return prior;
}

/* ---- searches */

typedef struct outcome {
    double worst, mean; /* regret */
    double measured;    /* in the mean */
} outcome;

static int seeds(void)
{
    return (int)few_or_all(10, SEEDS);
}

static outcome run(const fixture *f, const ct_value *costs, const ct_value *from, bool shuffled)
{
    outcome out = {0};
    int64_t measured;
    ct_prior *prior = from ? prior_of(f->variant->space, from, shuffled) : NULL;
    const double best = search(f, costs, SEARCH_ALL, 1, &measured);
    for (int seed = 0; seed < seeds(); seed++) {
        const double regret = search_from(f, costs, prior, SEARCH_PLAIN, seed + 1, &measured) / best - 1;
        out.worst = fmax(out.worst, regret);
        out.mean += regret / seeds();
        out.measured += (double)measured / seeds();
    }
    ct_prior_free(prior);
    return out;
}

static void check(const char *name, const char *from)
{
    fixture f = {0}, other = {0};
    ct_value *costs = NULL, *theirs = NULL;
    load(&f, &costs, name);
    load(&other, &theirs, from);
    const outcome cold = run(&f, costs, NULL, false), warm = run(&f, costs, theirs, false);
    const outcome wrong = run(&f, costs, theirs, true);
    print_message("%s: from nothing %.0f measured, worst %.2f %%; from %s %.0f, %.2f %%; shuffled "
                  "%.0f, %.2f %%\n",
                  name, cold.measured, 100 * cold.worst, from, warm.measured, 100 * warm.worst,
                  wrong.measured, 100 * wrong.worst);
    assert_true(warm.measured < 0.75 * cold.measured);
    assert_true(warm.worst <= 0.03);
    assert_true(wrong.worst <= fmax(0.03, cold.worst));
    assert_true(wrong.measured <= 1.5 * cold.measured);
    ct_value_free(costs);
    ct_value_free(theirs);
    close_fixture(&f);
    close_fixture(&other);
}

static void a_search_that_knows_another_pipeline_measures_less(void **state)
{
    (void)state;
    check("pipeline1-small", "fanout-small");
    check("fanout-small", "pipeline1-small");
}

/* ---- single choices */

/* Seconds expected of a choice, with the default's one second. */
static double expected(const ct_results *results, int s, int64_t choice)
{
    results->of_node[s].base = 1;
    return ct_results_choice(results, s, choice, NULL);
}

static void what_is_expected_is_a_ratio_to_this_default(void **state)
{
    (void)state;
    fixture f = {0};
    ct_value *costs = NULL;
    ct_results *results = NULL;
    load(&f, &costs, "pipeline1-small");
    const ct_space *space = f.variant->space;
    const int s = ct_space_find(space, "fft");
    ct_prior *prior = prior_of(space, costs, false);
    assert_int_equal(ct_results_new(&results, space, NULL), CT_OK);
    assert_int_equal(ct_prior_give(prior, results, NULL), CT_OK);
    assert_float_equal(expected(results, s, 0), 1, 1e-6);
    double wrong = 0;
    const ct_space_node *node = &space->node[s];
    for (int64_t choice = 1; choice < node->choices; choice++)
        wrong += fabs(log(expected(results, s, choice) * costs_of(costs, node, 0) /
                          costs_of(costs, node, choice)));
    assert_true(wrong / (double)node->choices < 0.12);
    assert_int_equal(ct_predict_expect_first(results->of_node[s].predict, NULL, 0, NULL), CT_OK);
    assert_float_equal(expected(results, s, 1), 1, 1e-6);
    ct_results_free(results);
    ct_prior_free(prior);
    ct_value_free(costs);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_expected_is_a_ratio_to_this_default),
        cmocka_unit_test(a_search_that_knows_another_pipeline_measures_less)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
