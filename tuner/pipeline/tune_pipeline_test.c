/* tune_pipeline_test.c: the search on made-up costs: how much worse is what it chooses than the
 * best there is, for many streams of noise. */
#include <string.h>

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
static void check_regret(const fixture *f, const char *name, const ct_value *costs, search_way way,
                         double share)
{
    double regret[SEEDS];
    const int seeds = way == SEARCH_CERTAIN ? (int)few_or_all(5, 10) : (int)few_or_all(20, SEEDS);
    int64_t all, most = 0, some;
    const double best = search(f, costs, SEARCH_ALL, 1, &all);
    for (int seed = 0; seed < seeds; seed++) {
        regret[seed] = search(f, costs, way, seed + 1, &some) / best - 1;
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
        check_regret(&f, "made up", costs, SEARCH_PLAIN, 1);
        ct_value_free(costs);
        ct_text_free(&text);
    }
    close_fixture(&f);
}

/* What was measured on a device, all of it. */
static void load_measured(fixture *f, const char *name, ct_value **costs)
{
    char pipeline_file[256], costs_file[256];
    *f = (fixture){0};
    snprintf(pipeline_file, sizeof pipeline_file, "bench/experiments/%s.json", name);
    snprintf(costs_file, sizeof costs_file, "bench/experiments/costs/%s.json", name);
    open_fixture(f, pipeline_file, NULL);
    assert_int_equal(ct_value_load(costs, costs_file, &f->err), CT_OK);
}

static void check_measured(const char *name)
{
    fixture f;
    ct_value *costs = NULL;
    load_measured(&f, name, &costs);
    check_regret(&f, name, costs, SEARCH_PLAIN, 0.1);
    ct_value_free(costs);
    close_fixture(&f);
}

static void a_tenth_of_what_there_is_suffices(void **state)
{
    (void)state;
    check_measured("pipeline1-small");
    check_measured("fanout-small");
}

/* A measured table's seconds, each times its own factor: of the layouts it reads and writes, and of
 * its own. */
static void print_like(ct_text *text, const ct_value *table, uint64_t seed)
{
    for (size_t i = 0; i < ct_value_count(table); i++) {
        const char *at = ct_value_key(table, i), *to = strchr(at, '>');
        uint64_t from_dice = seed, to_dice = seed + 977, own = seed + 7919 * (i + 1);
        for (const char *c = at; c < to; c++)
            from_dice = from_dice * 6364136223846793005u + (uint64_t)*c;
        for (const char *c = to; *c; c++)
            to_dice = to_dice * 6364136223846793005u + (uint64_t)*c;
        for (int n = 0; n < 3; n++)
            (void)chance(&from_dice), (void)chance(&to_dice), (void)chance(&own);
        const double spread = 0.5 * (chance(&from_dice) + chance(&to_dice) - 1) +
                              0.2 * (chance(&own) + chance(&own) + chance(&own) - 1.5);
        ct_text_add(text, "%s\"%s\": %.9g", i ? ", " : "", at,
                    ct_value_real(ct_value_at(table, i), 1) * exp(spread));
    }
}

static ct_value *like_measured(const ct_value *costs, uint64_t seed)
{
    ct_text text = {0};
    ct_value *out = NULL;
    static const char *const sections[] = {"nodes", "transposes"};
    ct_text_add(&text, "{ \"cornerturn_costs\": 1, \"noise\": 0.03");
    for (int s = 0; s < 2; s++) {
        const ct_value *section = ct_value_get(costs, sections[s]);
        ct_text_add(&text, ", \"%s\": {", sections[s]);
        for (size_t n = 0; n < ct_value_count(section); n++) {
            ct_text_add(&text, "%s\"%s\": {", n ? ", " : "", ct_value_key(section, n));
            print_like(&text, ct_value_at(section, n), seed * 1000003 + 31 * n + (uint64_t)s);
            ct_text_add(&text, "}");
        }
        ct_text_add(&text, "}");
    }
    ct_text_add(&text, "}");
    assert_int_equal(ct_value_parse(&out, text.data, "costs", NULL), CT_OK);
    ct_text_free(&text);
    return out;
}

static void check_like(const char *name)
{
    fixture f;
    ct_value *costs = NULL;
    load_measured(&f, name, &costs);
    for (uint64_t table = 1; table <= (uint64_t)few_or_all(2, 5); table++) {
        ct_value *like = like_measured(costs, table);
        check_regret(&f, name, like, SEARCH_CERTAIN, 1);
        ct_value_free(like);
    }
    ct_value_free(costs);
    close_fixture(&f);
}

/* With the time that it takes. */
static void the_whole_search_is_near_the_best(void **state)
{
    (void)state;
    check_like("pipeline1-small");
    check_like("fanout-small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regret_is_small_where_layouts_are_not_alike),
        cmocka_unit_test(a_tenth_of_what_there_is_suffices),
        cmocka_unit_test(the_whole_search_is_near_the_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
