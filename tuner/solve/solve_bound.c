/* solve_bound.c: the best solution of a problem whose variables have some of their values, or a
 * bound for it and a good solution.
 * Room: tuner/solve. */
#include "fail.h"
#include "solve_inner.h"

#include <math.h>

static ct_status bound_begin(ct_solve *solve, const ct_problem *problem, ct_error *err)
{
    const size_t n = (size_t)problem->variables;
    *solve = (ct_solve){.problem = problem, .arena = ct_arena_new(), .split = -1};
    if (solve->arena == NULL) return ct_memory_fail(0, err);
    solve->values = ct_arena_get(solve->arena, sizeof *solve->values * problem->total);
    solve->extent = ct_arena_get(solve->arena, sizeof *solve->extent * n);
    solve->live = ct_arena_get(solve->arena, sizeof *solve->live * n);
    solve->at = ct_arena_get(solve->arena, sizeof *solve->at * n);
    solve->mark = ct_arena_get(solve->arena, sizeof *solve->mark * n);
    solve->gone = ct_arena_get(solve->arena, sizeof *solve->gone * n);
    solve->bucket = ct_arena_get(solve->arena, sizeof *solve->bucket * n);
    return ct_arena_check(solve->arena, err);
}

static void bound_allow(ct_solve *solve, const bool *allowed)
{
    const ct_problem *problem = solve->problem;
    for (int v = 0; v < problem->variables; v++) {
        solve->live[v] = solve->values + problem->first[v];
        for (int x = 0; x < problem->values[v]; x++)
            if (allowed[problem->first[v] + (size_t)x]) solve->live[v][solve->extent[v]++] = x;
    }
}

static void bound_end(ct_bound *out, const ct_solve *solve, int *values)
{
    const ct_problem *problem = solve->problem;
    for (int v = 0; v < problem->variables; v++)
        values[v] = solve->live[v][solve->at[v]];
    out->least = solve->constant;
    out->cost = ct_problem_cost(problem, values);
    out->split = out->cost <= out->least ? -1 : solve->split;
}

ct_status ct_solve_bound(ct_bound *out, const ct_problem *problem, const bool *allowed, int *values,
                         ct_error *err)
{
    ct_status status = CT_OK;
    ct_solve solve;
    *out = (ct_bound){INFINITY, INFINITY, -1};
    CT_TRY(bound_begin(&solve, problem, err));
    bound_allow(&solve, allowed);
    if (ct_solve_reduce(&solve) && ct_solve_eliminate(&solve) && solve.constant < INFINITY &&
        ct_solve_decide(&solve))
        bound_end(out, &solve, values);
    CT_TRY(ct_arena_check(solve.arena, err));
out:
    ct_arena_free(solve.arena);
    return status;
}
