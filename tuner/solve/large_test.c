/* large_test.c: problems that are too large to try all combinations: solved at all, and so that no
 * single change is better. */
#include "memory.h"
#include "problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1u << 31);
}

/* A large array of layouts: readers that nothing else binds together are solved reader by reader
 * for each subset of layouts. Checked by what no single change improves. */
static void large(int readers, int n, bool chained)
{
    ct_problem *problem = NULL;
    uint64_t state = 12345;
    int reader[CT_PROBLEM_SCOPE], writer, *layout = ct_memory_get(sizeof *layout * (size_t)n);
    const int *layouts[CT_PROBLEM_SCOPE];
    double *cost = ct_memory_get(sizeof *cost * (size_t)(n * n)), least = 0;
    assert_int_equal(ct_problem_new(&problem, NULL), CT_OK);
    ct_problem_variable(problem, n, &writer, NULL);
    for (int r = 0; r < readers; r++) {
        ct_problem_variable(problem, n, &reader[r], NULL);
        layouts[r] = layout;
        for (int i = 0; i < n * n; i++)
            cost[i] = 1.0 + draw(&state);
        const int pair[] = {reader[r], r && chained ? reader[r - 1] : writer};
        ct_problem_table(problem, pair, 2, cost, NULL, NULL);
    }
    for (int i = 0; i < n * n; i++)
        cost[i] = 0.3 + draw(&state);
    for (int x = 0; x < n; x++)
        layout[x] = x;
    const ct_problem_array array = {writer, layout, readers, reader, layouts, n, cost};
    assert_int_equal(ct_problem_copies(problem, &array, NULL, NULL), CT_OK);
    int values[CT_PROBLEM_SCOPE + 1];
    assert_int_equal(ct_problem_best(problem, values, &least, NULL), CT_OK);
    assert_true(fabs(ct_problem_cost(problem, values) - least) < 1e-9);
    for (int v = 0; v <= readers; v++)
        for (int x = 0, was = values[v]; x < n; x++) {
            values[v] = x;
            assert_true(ct_problem_cost(problem, values) >= least - 1e-12);
            values[v] = was;
        }
    ct_problem_free(problem);
    ct_memory_free(cost);
    ct_memory_free(layout);
}

static void large_problems_end(void **state)
{
    (void)state;
    large(6, 24, false);
    large(10, 24, false);
    large(3, 24, true);
    large(4, 12, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_problems_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
