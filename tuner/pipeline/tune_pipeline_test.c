/* tune_pipeline_test.c: the search on made-up costs: how much worse is what it chooses than the
 * best there is, for many streams of noise. */
#include "exhaustive.h"
#include "simulated_search.h"

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
    open_fixture(&f, NULL, pipeline);
    for (uint64_t table = 1; table <= 3; table++) {
        ct_text text = {0};
        ct_value *costs = NULL;
        print_costs(&text, f.variant->space, 0, table * 7919);
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
    open_fixture(&f, pipeline_file, NULL);
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
