/* space_problem.c: see space_problem.h.
 * Room: tuner/space. */
#include "space_problem.h"

#include "fail.h"

struct ct_space_problem {
    const ct_space *space;
    ct_problem *solver;
    int *variable; /* [node * CT_PORTS + axis] */
    int *table;    /* [node]: the factor */
    int *copies;   /* [edge] */
    int *values;   /* [variables] */
    ct_arena *arena;
};

static int problem_variable(const ct_space_problem *problem, int node, int axis)
{
    return problem->variable[node * CT_PORTS + axis];
}

static ct_status problem_node(ct_space_problem *problem, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_space_node *node = &problem->space->node[s];
    int *variables = &problem->variable[s * CT_PORTS];
    for (int a = 0; a < node->axes; a++)
        CT_TRY(ct_problem_variable(problem->solver, node->axis[a].count, &variables[a], err));
    double *none = ct_arena_get(problem->arena, sizeof *none * (size_t)node->choices);
    CT_NEED(none, sizeof *none * (size_t)node->choices, err);
    CT_TRY(ct_problem_table(problem->solver, variables, node->axes, none, &problem->table[s], err));
out:
    return status;
}

static ct_status problem_edge(ct_space_problem *problem, int i, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_space_edge *edge = &problem->space->edge[i];
    int readers[CT_SPACE_READERS];
    const size_t layouts = (size_t)edge->layouts;
    double *none = ct_arena_get(problem->arena, sizeof *none * layouts * layouts);
    CT_NEED(none, sizeof *none * layouts * layouts, err);
    for (int r = 0; r < edge->readers; r++)
        readers[r] = problem_variable(problem, edge->reader_node[r], edge->reader_axis[r]);
    const ct_problem_array array = {.writer =
                                        problem_variable(problem, edge->writer, edge->writer_axis),
                                    .layout_of_writer = edge->number[0],
                                    .readers = edge->readers,
                                    .reader = readers,
                                    .layout_of_reader = (const int *const *)&edge->number[1],
                                    .layouts = edge->layouts,
                                    .transpose = none};
    CT_TRY(ct_problem_copies(problem->solver, &array, &problem->copies[i], err));
out:
    return status;
}

ct_status ct_space_problem_new(ct_space_problem **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t axes = (size_t)space->nodes * CT_PORTS;
    ct_arena *arena = NULL;
    ct_space_problem *problem = ct_arena_begin(&arena, sizeof *problem);
    CT_NEED(problem, sizeof *problem, err);
    *problem = (ct_space_problem){.space = space, .arena = arena};
    problem->variable = ct_arena_get(arena, sizeof(int) * axes);
    problem->values = ct_arena_get(arena, sizeof(int) * axes);
    problem->table = ct_arena_get(arena, sizeof(int) * (size_t)space->nodes);
    problem->copies = ct_arena_get(arena, sizeof(int) * (size_t)(space->edges + 1));
    CT_TRY(ct_arena_check(arena, err));
    CT_TRY(ct_problem_new(&problem->solver, err));
    for (int s = 0; s < space->nodes; s++)
        CT_TRY(problem_node(problem, s, err));
    for (int i = 0; i < space->edges; i++)
        CT_TRY(problem_edge(problem, i, err));
out:
    if (status != CT_OK) {
        ct_space_problem_free(problem);
        problem = NULL;
    }
    *out = problem;
    return status;
}

void ct_space_problem_free(ct_space_problem *problem)
{
    if (!problem) return;
    ct_problem_free(problem->solver);
    ct_arena_free(problem->arena);
}

ct_status ct_space_problem_set_choice(ct_space_problem *problem, int node, int64_t choice,
                                      double cost, ct_error *err)
{
    return ct_problem_set(problem->solver, problem->table[node], (size_t)choice, cost, err);
}

ct_status ct_space_problem_set_transpose(ct_space_problem *problem, int edge, int from, int to,
                                         double cost, ct_error *err)
{
    const size_t entry = (size_t)from * (size_t)problem->space->edge[edge].layouts + (size_t)to;
    return ct_problem_set(problem->solver, problem->copies[edge], entry, cost, err);
}

/* ---- solving */

static void problem_choices(const ct_space_problem *problem, int64_t *choices)
{
    for (int s = 0; s < problem->space->nodes; s++) {
        int places[CT_PORTS] = {0};
        for (int a = 0; a < problem->space->node[s].axes; a++)
            places[a] = problem->values[problem_variable(problem, s, a)];
        choices[s] = ct_space_choice(&problem->space->node[s], places);
    }
}

ct_status ct_space_problem_best(const ct_space_problem *problem, int64_t *choices, double *cost,
                                ct_error *err)
{
    const ct_status status = ct_problem_best(problem->solver, problem->values, cost, err);
    if (status == CT_OK) problem_choices(problem, choices);
    return status;
}

ct_status ct_space_problem_rank(ct_ranking **out, const ct_space_problem *problem, ct_error *err)
{
    return ct_ranking_new(out, problem->solver, err);
}

ct_status ct_space_problem_next(const ct_space_problem *problem, ct_ranking *ranking,
                                int64_t *choices, double *cost, ct_error *err)
{
    const ct_status status = ct_ranking_next(ranking, problem->values, cost, err);
    if (status == CT_OK) problem_choices(problem, choices);
    return status;
}
