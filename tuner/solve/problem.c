/* problem.c: variables and costs, as they are given.
 * Room: tuner/solve. Knows costs. Does not know how the least of them is found. */
#include "fail.h"
#include "memory.h"
#include "solve_inner.h"

#include <math.h>
#include <string.h>

#define CT_PROBLEM_LIMIT ((size_t)1 << 22)
#define CT_PROBLEM_LIMIT_MOST ((size_t)1 << 26)

ct_status ct_problem_new(ct_problem **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_problem *problem = *out = ct_memory_get(sizeof *problem);
    CT_NEED(problem, sizeof *problem, err);
    problem->limit = CT_PROBLEM_LIMIT;
    problem->arena = ct_arena_new();
    if (problem->arena) return CT_OK;
    ct_problem_free(problem);
    *out = NULL;
    CT_TRY(ct_memory_fail(0, err));
out:
    return status;
}

void ct_problem_free(ct_problem *problem)
{
    if (problem == NULL) return;
    ct_memory_free(problem->values);
    ct_memory_free(problem->first);
    ct_memory_free(problem->factor);
    ct_arena_free(problem->arena);
    ct_memory_free(problem);
}

void ct_problem_limit(ct_problem *problem, size_t entries)
{
    problem->limit = entries < CT_PROBLEM_LIMIT_MOST ? entries : CT_PROBLEM_LIMIT_MOST;
}

ct_status ct_problem_variable(ct_problem *problem, int values, int *variable, ct_error *err)
{
    ct_status status = CT_OK;
    int n = problem->variables;
    if (values < 1)
        return ct_error_add(err, CT_USAGE, "a variable has %d values, but needs at least one",
                            values);
    CT_TRY(ct_memory_grow(&problem->values, sizeof *problem->values * (size_t)(n + 1), err));
    CT_TRY(ct_memory_grow(&problem->first, sizeof *problem->first * (size_t)(n + 1), err));
    problem->values[n] = values;
    problem->first[n] = problem->total;
    problem->total += (size_t)values;
    problem->variables++;
    *variable = n;
out:
    return status;
}

/* Adds a factor, if all its memory was there. */
static ct_status problem_factor(ct_problem *problem, const ct_factor *made, int *factor,
                                ct_error *err)
{
    ct_status status = CT_OK;
    int n = problem->factors;
    CT_TRY(ct_arena_check(problem->arena, err));
    CT_TRY(ct_memory_grow(&problem->factor, sizeof *problem->factor * (size_t)(n + 1), err));
    problem->factor[n] = *made;
    problem->factors++;
    if (factor) *factor = n;
out:
    return status;
}

static ct_status problem_check_scope(const ct_problem *problem, const int *variables, int count,
                                     ct_error *err)
{
    if (count < 0 || count > CT_PROBLEM_SCOPE)
        return ct_error_add(err, CT_USAGE, "a cost depends on %d variables, but can on 0 to %d",
                            count, CT_PROBLEM_SCOPE);
    for (int k = 0; k < count; k++)
        if (variables[k] < 0 || variables[k] >= problem->variables)
            return ct_error_add(err, CT_USAGE, "there is no variable %d, but only 0 to %d",
                                variables[k], problem->variables - 1);
    return CT_OK;
}

static ct_status problem_check_different(const int *variables, int count, ct_error *err)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < k; i++)
            if (variables[i] == variables[k])
                return ct_error_add(err, CT_USAGE, "a table names variable %d twice", variables[k]);
    return CT_OK;
}

static ct_status problem_check_cost(double cost, bool transpose, size_t entry, ct_error *err)
{
    if (isnan(cost) || cost == -INFINITY || (transpose && cost < 0))
        return ct_error_add(err, CT_USAGE, "cost %zu is %g, but costs are numbers or infinity%s",
                            entry, cost, transpose ? ", those of transposes at least 0" : "");
    return CT_OK;
}

static ct_status problem_check_costs(const double *cost, size_t entries, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < entries; i++)
        CT_TRY(problem_check_cost(cost[i], false, i, err));
out:
    return status;
}

static void *problem_copy(ct_problem *problem, const void *from, size_t bytes)
{
    void *to = ct_arena_get(problem->arena, bytes);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

ct_status ct_problem_table(ct_problem *problem, const int *variables, int count, const double *cost,
                           int *factor, ct_error *err)
{
    ct_status status = CT_OK;
    ct_factor made = {.count = count, .entries = 1};
    CT_TRY(problem_check_scope(problem, variables, count, err));
    CT_TRY(problem_check_different(variables, count, err));
    for (int k = 0; k < count; k++)
        made.entries *= (size_t)problem->values[variables[k]];
    CT_TRY(problem_check_costs(cost, made.entries, err));
    made.variable = problem_copy(problem, variables, sizeof *variables * (size_t)count);
    made.cost = problem_copy(problem, cost, sizeof *cost * made.entries);
    CT_TRY(problem_factor(problem, &made, factor, err));
out:
    return status;
}

static ct_status problem_check_layouts(const int *layout, int values, int layouts, ct_error *err)
{
    for (int x = 0; x < values; x++)
        if (layout[x] < 0 || layout[x] >= layouts)
            return ct_error_add(err, CT_USAGE, "value %d has layout %d, but there are 0 to %d", x,
                                layout[x], layouts - 1);
    return CT_OK;
}

static ct_status problem_check_array(const ct_problem *problem, const ct_problem_array *array,
                                     ct_error *err)
{
    ct_status status = CT_OK;
    const int n = array->layouts;
    if (n < 1)
        return ct_error_add(err, CT_USAGE, "an array has %d layouts, but needs at least one", n);
    CT_TRY(problem_check_scope(problem, &array->writer, 1, err));
    CT_TRY(problem_check_scope(problem, array->reader, array->readers, err));
    CT_TRY(problem_check_layouts(array->layout_of_writer, problem->values[array->writer], n, err));
    for (int r = 0; r < array->readers; r++)
        CT_TRY(problem_check_layouts(array->layout_of_reader[r], problem->values[array->reader[r]],
                                     n, err));
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        if (i % (size_t)(n + 1) != 0) CT_TRY(problem_check_cost(array->transpose[i], true, i, err));
out:
    return status;
}

ct_status ct_problem_copies(ct_problem *problem, const ct_problem_array *array, int *factor,
                            ct_error *err)
{
    ct_status status = CT_OK;
    const size_t roles = (size_t)array->readers + 1, n = (size_t)array->layouts;
    CT_TRY(problem_check_array(problem, array, err));
    int *variable = ct_arena_get(problem->arena, sizeof *variable * roles);
    const int **layout = ct_arena_get(problem->arena, sizeof *layout * roles);
    for (size_t r = 0; variable && layout && r < roles; r++) {
        variable[r] = r ? array->reader[r - 1] : array->writer;
        layout[r] =
            problem_copy(problem, r ? array->layout_of_reader[r - 1] : array->layout_of_writer,
                         sizeof **layout * (size_t)problem->values[variable[r]]);
    }
    const ct_factor made = {.count = (int)roles,
                            .variable = variable,
                            .layout = layout,
                            .layouts = array->layouts,
                            .cost = problem_copy(problem, array->transpose, sizeof(double) * n * n),
                            .entries = n * n};
    CT_TRY(problem_factor(problem, &made, factor, err));
out:
    return status;
}

ct_status ct_problem_set(ct_problem *problem, int factor, size_t entry, double cost, ct_error *err)
{
    ct_status status = CT_OK;
    if (factor < 0 || factor >= problem->factors || entry >= problem->factor[factor].entries)
        return ct_error_add(err, CT_USAGE, "there is no cost %zu of factor %d", entry, factor);
    CT_TRY(problem_check_cost(cost, problem->factor[factor].layouts > 0, entry, err));
    problem->factor[factor].cost[entry] = cost;
out:
    return status;
}

static double problem_cost_table(const ct_problem *problem, const ct_factor *factor,
                                 const int *values)
{
    size_t entry = 0;
    for (int k = 0; k < factor->count; k++)
        entry = entry * (size_t)problem->values[factor->variable[k]] +
                (size_t)values[factor->variable[k]];
    return factor->cost[entry];
}

static double problem_cost_copies(const ct_factor *factor, const int *values)
{
    int layout[CT_PROBLEM_SCOPE + 1];
    for (int r = 0; r < factor->count; r++)
        layout[r] = factor->layout[r][values[factor->variable[r]]];
    return ct_solve_copies_cost(factor, layout, factor->count);
}

double ct_problem_cost(const ct_problem *problem, const int *values)
{
    double sum = 0.0;
    for (int f = 0; f < problem->factors; f++) {
        const ct_factor *factor = &problem->factor[f];
        sum += factor->layouts ? problem_cost_copies(factor, values)
                               : problem_cost_table(problem, factor, values);
    }
    return sum;
}

ct_status ct_problem_best(const ct_problem *problem, int *values, double *cost, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = NULL;
    CT_TRY(ct_ranking_new(&ranking, problem, err));
    status = ct_ranking_next(ranking, values, cost, err);
    if (status == CT_EOF)
        status = ct_error_add(err, CT_INVALID, "no combination of values is possible");
out:
    ct_ranking_free(ranking);
    return status;
}
