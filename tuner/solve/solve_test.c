/* solve_test.c: the solver against every combination of small random problems.
 * The oracle keeps costs of its own and adds them as the header says, one combination at a time. */
#include "memory.h"
#include "problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    VARIABLES = 8,
    FACTORS = 20,
    LAYOUTS = 5,
    COMBINATIONS = 2048,
    RANKED = 20,
    PROBLEMS = 10000
};

typedef struct cost_of {
    int count, variable[VARIABLES]; /* of copies: the writer, then the readers */
    double cost[512];               /* a table's or transpose[LAYOUTS][LAYOUTS] */
    bool copies;
    int layout[VARIABLES][VARIABLES]; /* [of role][value] */
} cost_of;

typedef struct random_problem {
    uint64_t state;
    int variables, values[VARIABLES], factors;
    cost_of factor[FACTORS];
    bool whole; /* costs are small integers: many are equal */
    ct_problem *problem;
} random_problem;

static int draw(random_problem *of, int below)
{
    of->state = of->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((of->state >> 33) % (uint64_t)below);
}

static double draw_cost(random_problem *of, int impossible)
{
    if (draw(of, 100) < impossible) return INFINITY;
    return of->whole ? draw(of, 5) : draw(of, 1000000) * 1e-5;
}

static size_t entries_of(const random_problem *of, const cost_of *factor)
{
    size_t entries = 1;
    for (int k = 0; k < factor->count; k++)
        entries *= (size_t)of->values[factor->variable[k]];
    return entries;
}

static double copies_of(const cost_of *factor, const int *values)
{
    bool wanted[LAYOUTS] = {false};
    double sum = 0.0;
    int from = factor->layout[0][values[factor->variable[0]]];
    for (int r = 1; r < factor->count; r++)
        wanted[factor->layout[r][values[factor->variable[r]]]] = true;
    for (int l = 0; l < LAYOUTS; l++)
        if (wanted[l] && l != from) sum += factor->cost[from * LAYOUTS + l];
    return sum;
}

static double oracle(const random_problem *of, const int *values)
{
    double sum = 0.0;
    for (int f = 0; f < of->factors; f++) {
        const cost_of *factor = &of->factor[f];
        size_t entry = 0;
        for (int k = 0; k < factor->count; k++)
            entry = entry * (size_t)of->values[factor->variable[k]] +
                    (size_t)values[factor->variable[k]];
        sum += factor->copies ? copies_of(factor, values) : factor->cost[entry];
    }
    return sum;
}

static void table(random_problem *of, const int *variables, int count)
{
    cost_of *factor = &of->factor[of->factors++];
    const int impossible = draw(of, 3) * 15;
    *factor = (cost_of){.count = count};
    memcpy(factor->variable, variables, sizeof *variables * (size_t)count);
    for (size_t i = 0; i < entries_of(of, factor); i++)
        factor->cost[i] = draw_cost(of, impossible);
    assert_int_equal(ct_problem_table(of->problem, variables, count, factor->cost, NULL, NULL),
                     CT_OK);
}

static void copies(random_problem *of, int writer, const int *readers, int count)
{
    cost_of *factor = &of->factor[of->factors++];
    const int impossible = draw(of, 3) * 10;
    const int *layout[VARIABLES];
    *factor = (cost_of){.count = count + 1, .variable = {writer}, .copies = true};
    memcpy(factor->variable + 1, readers, sizeof *readers * (size_t)count);
    for (int i = 0; i < LAYOUTS * LAYOUTS; i++)
        factor->cost[i] = draw_cost(of, impossible);
    for (int r = 0; r <= count; r++) {
        for (int x = 0; x < of->values[factor->variable[r]]; x++)
            factor->layout[r][x] = draw(of, LAYOUTS);
        if (r) layout[r - 1] = factor->layout[r];
    }
    const ct_problem_array array = {writer, factor->layout[0], count,       readers,
                                    layout, LAYOUTS,           factor->cost};
    assert_int_equal(ct_problem_copies(of->problem, &array, NULL, NULL), CT_OK);
}

/* read and write of each step a table, copies between: a chain, a tree, or a diamond that ends in a
 * table of two. */
static void steps(random_problem *of)
{
    const int last = of->variables / 2 - 1, kind = draw(of, 3);
    int writer[VARIABLES] = {0};
    for (int s = 0; s <= last; s++) {
        const int pair[] = {2 * s, 2 * s + 1};
        table(of, pair, 2);
        if (s) writer[s] = kind == 0 ? s - 1 : draw(of, s);
    }
    for (int w = 0; w < last; w++) {
        int readers[VARIABLES], count = 0;
        for (int s = 1; s <= last; s++)
            if (writer[s] == w) readers[count++] = 2 * s;
        if (count) copies(of, 2 * w + 1, readers, count);
    }
    const int ends[] = {2 * last - 1, 2 * last + 1};
    if (kind == 2 && last > 0) table(of, ends, 2);
}

/* Anything: tables of up to three, copies of up to four readers, one variable perhaps twice. */
static void tangle(random_problem *of)
{
    const int count = 1 + draw(of, 6);
    for (int f = 0; f < count; f++) {
        int some[5], n = 1 + draw(of, 3), first = draw(of, of->variables);
        const bool shared = draw(of, 2);
        if (n > of->variables) n = of->variables;
        for (int k = 0; k < 5; k++)
            some[k] = shared ? draw(of, of->variables) : (first + k) % of->variables;
        if (shared)
            copies(of, some[0], some + 1, 1 + draw(of, 4));
        else
            table(of, some, n);
    }
}

/* One array with up to four readers, of which some are bound together by what comes behind. */
static void fan(random_problem *of)
{
    int readers[VARIABLES], count = of->variables - 1 > 4 ? 4 : of->variables - 1;
    for (int v = 0; v < of->variables; v++)
        table(of, &v, 1);
    for (int r = 0; r < count; r++)
        readers[r] = r + 1;
    if (count > 0) copies(of, 0, readers, count);
    for (int v = count; v < of->variables && v > 1; v++) {
        const int pair[] = {v, 1 + draw(of, v - 1)};
        table(of, pair, 2);
    }
}

static random_problem *make(uint64_t seed)
{
    static void (*const kinds[])(random_problem *) = {steps, tangle, fan};
    static const size_t limits[] = {1, 6, 60, 400, (size_t)1 << 22};
    random_problem *of = ct_memory_get(sizeof *of);
    int combinations = 1;
    of->state = seed;
    for (int i = 0; i < 4; i++)
        (void)draw(of, 2);
    assert_int_equal(ct_problem_new(&of->problem, NULL), CT_OK);
    of->whole = draw(of, 2);
    of->variables = 2 + draw(of, VARIABLES - 1);
    for (int v = 0; v < of->variables; v++) {
        int number = 0;
        const int values = 1 + draw(of, v % 2 ? 5 : 3);
        of->values[v] =
            combinations * values * (1 << (of->variables - v - 1)) > COMBINATIONS ? 2 : values;
        combinations *= of->values[v];
        assert_int_equal(ct_problem_variable(of->problem, of->values[v], &number, NULL), CT_OK);
        assert_int_equal(number, v);
    }
    ct_problem_limit(of->problem, limits[draw(of, 5)]);
    kinds[draw(of, 3)](of);
    return of;
}

static void drop(random_problem *of)
{
    ct_problem_free(of->problem);
    ct_memory_free(of);
}

static bool next_combination(const random_problem *of, int *values)
{
    for (int v = of->variables - 1; v >= 0; v--) {
        if (++values[v] < of->values[v]) return true;
        values[v] = 0;
    }
    return false;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The costs of all possible combinations, sorted. */
static int all_costs(const random_problem *of, double *costs)
{
    int values[VARIABLES] = {0}, count = 0;
    do {
        double cost = oracle(of, values);
        if (cost < INFINITY) costs[count++] = cost;
    } while (next_combination(of, values));
    qsort(costs, (size_t)count, sizeof *costs, ascending);
    return count;
}

static void assert_near(double a, double b, uint64_t seed)
{
    if (!(fabs(a - b) <= 1e-9 * (1.0 + fabs(b))))
        fail_msg("problem %llu: %.17g, expected %.17g", (unsigned long long)seed, a, b);
}

static void best_is_the_least(const random_problem *of, const double *costs, int count,
                              uint64_t seed)
{
    int values[VARIABLES];
    double cost;
    ct_error err = {0};
    ct_status status = ct_problem_best(of->problem, values, &cost, &err);
    assert_int_equal(status, count ? CT_OK : CT_INVALID);
    if (count == 0) return;
    assert_near(cost, costs[0], seed);
    assert_near(oracle(of, values), costs[0], seed);
    assert_near(ct_problem_cost(of->problem, values), costs[0], seed);
}

/* The first of the ranking, in order and each once; all of it where there are few. */
static void ranking_is_sorted(const random_problem *of, const double *costs, int count,
                              uint64_t seed)
{
    int values[RANKED + 1][VARIABLES] = {{0}};
    ct_ranking *ranking = NULL;
    assert_int_equal(ct_ranking_new(&ranking, of->problem, NULL), CT_OK);
    for (int n = 0; n < RANKED; n++) {
        double cost;
        ct_status status = ct_ranking_next(ranking, values[n], &cost, NULL);
        assert_int_equal(status, n < count ? CT_OK : CT_EOF);
        if (n >= count) break;
        assert_near(cost, costs[n], seed);
        assert_near(oracle(of, values[n]), costs[n], seed);
        for (int i = 0; i < n; i++)
            assert_memory_not_equal(values[i], values[n], sizeof(int) * (size_t)of->variables);
    }
    ct_ranking_free(ranking);
}

/* What values need of a memory that has room for less than half of the most. */
static int memory_of(const random_problem *of, const int *values)
{
    int sum = 0;
    for (int v = 0; v < of->variables; v++)
        sum += (values[v] * 7 + v * 3) % 5;
    return sum;
}

static void first_that_fits_is_the_least(const random_problem *of, uint64_t seed)
{
    int values[VARIABLES] = {0};
    double least = INFINITY, cost = INFINITY;
    const int room = of->variables + (int)(seed % 4);
    do {
        if (memory_of(of, values) <= room && oracle(of, values) < least) least = oracle(of, values);
    } while (next_combination(of, values));
    ct_ranking *ranking = NULL;
    assert_int_equal(ct_ranking_new(&ranking, of->problem, NULL), CT_OK);
    ct_status status = CT_OK;
    do
        status = ct_ranking_next(ranking, values, &cost, NULL);
    while (status == CT_OK && memory_of(of, values) > room);
    ct_ranking_free(ranking);
    assert_int_equal(status, least < INFINITY ? CT_OK : CT_EOF);
    if (least < INFINITY) assert_near(cost, least, seed);
}

static void random_problems_are_solved(void **state)
{
    (void)state;
    double *costs = ct_memory_get(sizeof *costs * COMBINATIONS * 4);
    int possible = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        random_problem *of = make(seed);
        int count = all_costs(of, costs);
        possible += count > 0;
        best_is_the_least(of, costs, count, seed);
        if (seed % 2 == 0) ranking_is_sorted(of, costs, count, seed);
        if (seed % 4 == 0) first_that_fits_is_the_least(of, seed);
        drop(of);
    }
    assert_in_range(possible, PROBLEMS / 2, PROBLEMS - 1);
    ct_memory_free(costs);
}

static void set_costs_count(void **state)
{
    (void)state;
    ct_problem *problem = NULL;
    ct_error err = {0};
    int a, b, table_of, copies_of_a, values[2];
    const int layout[] = {0, 1}, *const layouts[] = {layout};
    const double cost[] = {1, 2, 3, 0}, transpose[] = {0, 5, 5, 0};
    double least;
    assert_int_equal(ct_problem_new(&problem, NULL), CT_OK);
    ct_problem_variable(problem, 2, &a, NULL);
    ct_problem_variable(problem, 2, &b, NULL);
    const int both[] = {a, b};
    const ct_problem_array array = {a, layout, 1, &b, layouts, 2, transpose};
    assert_int_equal(ct_problem_table(problem, both, 2, cost, &table_of, &err), CT_OK);
    assert_int_equal(ct_problem_copies(problem, &array, &copies_of_a, &err), CT_OK);
    assert_int_equal(ct_problem_best(problem, values, &least, &err), CT_OK);
    assert_true(least == 0 && values[0] == 1 && values[1] == 1);
    assert_int_equal(ct_problem_set(problem, table_of, 3, 9, &err), CT_OK);
    assert_int_equal(ct_problem_best(problem, values, &least, &err), CT_OK);
    assert_true(least == 1 && values[0] == 0 && values[1] == 0);
    assert_int_equal(ct_problem_set(problem, table_of, 0, INFINITY, &err), CT_OK);
    assert_int_equal(ct_problem_set(problem, copies_of_a, 2, 0.5, &err), CT_OK);
    assert_int_equal(ct_problem_best(problem, values, &least, &err), CT_OK);
    assert_true(least == 3.5 && values[0] == 1 && values[1] == 0);
    ct_problem_free(problem);
}

static void wrong_problems_are_refused(void **state)
{
    (void)state;
    ct_problem *problem = NULL;
    int a;
    const int missing = 7, twice[] = {0, 0}, layout[] = {0, 2}, *const layouts[] = {layout};
    const double bad[] = {0, NAN}, good[] = {0, 1, 2, 3}, transpose[] = {0, -1, 1, 0};
    assert_int_equal(ct_problem_new(&problem, NULL), CT_OK);
    assert_int_equal(ct_problem_variable(problem, 0, &a, NULL), CT_USAGE);
    assert_int_equal(ct_problem_variable(problem, 2, &a, NULL), CT_OK);
    assert_int_equal(ct_problem_table(problem, &missing, 1, good, NULL, NULL), CT_USAGE);
    assert_int_equal(ct_problem_table(problem, twice, 2, good, NULL, NULL), CT_USAGE);
    assert_int_equal(ct_problem_table(problem, &a, 1, bad, NULL, NULL), CT_USAGE);
    const ct_problem_array outside = {a, layout, 1, &a, layouts, 2, good};
    assert_int_equal(ct_problem_copies(problem, &outside, NULL, NULL), CT_USAGE);
    const ct_problem_array negative = {a, twice, 0, NULL, NULL, 2, transpose};
    assert_int_equal(ct_problem_copies(problem, &negative, NULL, NULL), CT_USAGE);
    assert_int_equal(ct_problem_set(problem, 0, 0, 1.0, NULL), CT_USAGE);
    ct_problem_free(problem);
    ct_problem_free(NULL);
    ct_ranking_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems_are_solved),
                                       cmocka_unit_test(set_costs_count),
                                       cmocka_unit_test(wrong_problems_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
