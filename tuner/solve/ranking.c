/* ranking.c: solutions in ascending order of cost. A cell is a set of allowed values with its best
 * solution, or a bound for it; the cheapest cell is taken, its best solution given out, and what is
 * left of it parted into cells, so that no solution is in two of them (Lawler 1972).
 * Room: tuner/solve. Knows cells. Does not know how one is solved. */
#include "fail.h"
#include "memory.h"
#include "solve_inner.h"

#include <math.h>
#include <string.h>

typedef struct ranking_cell {
    double cost; /* of the best, or a bound */
    int split;   /* -1: `values` are the best; else the variable to branch on */
    size_t made; /* of equally cheap cells the earlier made one comes first */
    int *values;
    bool allowed[];
} ranking_cell;

struct ct_ranking {
    const ct_problem *problem;
    ranking_cell **heap; /* the cheapest first */
    size_t cells, room, made;
    ranking_cell *given; /* whose best was given out last, not yet parted; NULL none */
};

static bool ranking_before(const ranking_cell *a, const ranking_cell *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->made < b->made);
}

static ct_status ranking_push(ct_ranking *ranking, ranking_cell *cell, ct_error *err)
{
    ct_status status = CT_OK;
    if (ranking->cells == ranking->room) {
        const size_t room = 2 * ranking->room + 16;
        CT_TRY(ct_memory_grow(&ranking->heap, sizeof(ranking_cell *) * room, err));
        ranking->room = room;
    }
    size_t at = ranking->cells++;
    for (; at > 0 && ranking_before(cell, ranking->heap[(at - 1) / 2]); at = (at - 1) / 2)
        ranking->heap[at] = ranking->heap[(at - 1) / 2];
    ranking->heap[at] = cell;
out:
    return status;
}

static ranking_cell *ranking_pop(ct_ranking *ranking)
{
    ranking_cell *out = ranking->heap[0], *last = ranking->heap[--ranking->cells];
    size_t at = 0;
    for (size_t child = 1; child < ranking->cells; child = 2 * at + 1) {
        if (child + 1 < ranking->cells &&
            ranking_before(ranking->heap[child + 1], ranking->heap[child]))
            child++;
        if (!ranking_before(ranking->heap[child], last)) break;
        ranking->heap[at] = ranking->heap[child];
        at = child;
    }
    ranking->heap[at] = last;
    return out;
}

static void ranking_free_cell(ranking_cell *cell)
{
    if (cell) ct_memory_free(cell->values);
    ct_memory_free(cell);
}

/* A cell of its own for these values, where one of them is possible. */
static ct_status ranking_add(ct_ranking *ranking, const bool *allowed, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_problem *problem = ranking->problem;
    const size_t values = sizeof(int) * (size_t)problem->variables;
    ct_bound bound;
    ranking_cell *cell = ct_memory_get(sizeof *cell + problem->total);
    CT_NEED(cell, sizeof *cell + problem->total, err);
    cell->values = ct_memory_get(values);
    CT_NEED(cell->values, values, err);
    memcpy(cell->allowed, allowed, problem->total);
    CT_TRY(ct_solve_bound(&bound, problem, allowed, cell->values, err));
    cell->split = bound.split;
    cell->cost = bound.split < 0 ? bound.cost : bound.least;
    cell->made = ranking->made++;
    if (cell->cost == INFINITY) goto out;
    CT_TRY(ranking_push(ranking, cell, err));
    cell = NULL;
out:
    ranking_free_cell(cell);
    return status;
}

static void ranking_fix(const ct_problem *problem, bool *allowed, int variable, int value)
{
    bool *own = allowed + problem->first[variable];
    memset(own, false, (size_t)problem->values[variable]);
    own[value] = true;
}

/* A cell whose best is not known: one for each value of a variable. */
static ct_status ranking_branch(ct_ranking *ranking, const ranking_cell *cell, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_problem *problem = ranking->problem;
    const bool *own = cell->allowed + problem->first[cell->split];
    bool *allowed = ct_memory_get(problem->total);
    CT_NEED(allowed, problem->total, err);
    for (int x = 0; x < problem->values[cell->split]; x++) {
        if (!own[x]) continue;
        memcpy(allowed, cell->allowed, problem->total);
        ranking_fix(problem, allowed, cell->split, x);
        CT_TRY(ranking_add(ranking, allowed, err));
    }
out:
    ct_memory_free(allowed);
    return status;
}

/* All of a cell but its best: variable by variable those that differ there first. */
static ct_status ranking_part(ct_ranking *ranking, ranking_cell *cell, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_problem *problem = ranking->problem;
    for (int v = 0; v < problem->variables; v++) {
        bool *own = cell->allowed + problem->first[v];
        own[cell->values[v]] = false;
        if (memchr(own, true, (size_t)problem->values[v]))
            CT_TRY(ranking_add(ranking, cell->allowed, err));
        ranking_fix(problem, cell->allowed, v, cell->values[v]);
    }
out:
    return status;
}

ct_status ct_ranking_new(ct_ranking **out, const ct_problem *problem, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = ct_memory_get(sizeof *ranking);
    bool *allowed = ct_memory_get(problem->total);
    *out = NULL;
    CT_NEED(ranking, sizeof *ranking, err);
    CT_NEED(allowed, problem->total, err);
    ranking->problem = problem;
    memset(allowed, true, problem->total);
    CT_TRY(ranking_add(ranking, allowed, err));
    *out = ranking;
    ranking = NULL;
out:
    ct_memory_free(allowed);
    ct_ranking_free(ranking);
    return status;
}

/* The first cell whose best is known becomes the given one; CT_EOF where no combination is left. */
static ct_status ranking_find(ct_ranking *ranking, ct_error *err)
{
    ct_status status = CT_OK;
    while (ranking->cells > 0) {
        ranking_cell *cell = ranking_pop(ranking);
        if (cell->split < 0) {
            ranking->given = cell;
            return CT_OK;
        }
        status = ranking_branch(ranking, cell, err);
        ranking_free_cell(cell);
        if (status != CT_OK) return status;
    }
    return CT_EOF;
}

ct_status ct_ranking_next(ct_ranking *ranking, int *values, double *cost, ct_error *err)
{
    ct_status status = CT_OK;
    if (ranking->given) CT_TRY(ranking_part(ranking, ranking->given, err));
    ranking_free_cell(ranking->given);
    ranking->given = NULL;
    CT_TRY(ranking_find(ranking, err));
    memcpy(values, ranking->given->values, sizeof *values * (size_t)ranking->problem->variables);
    if (cost) *cost = ranking->given->cost;
out:
    return status;
}

void ct_ranking_free(ct_ranking *ranking)
{
    if (ranking == NULL) return;
    while (ranking->cells > 0)
        ranking_free_cell(ranking->heap[--ranking->cells]);
    ranking_free_cell(ranking->given);
    ct_memory_free(ranking->heap);
    ct_memory_free(ranking);
}
