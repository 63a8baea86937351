/* ranking.c: solutions in ascending order of cost. A subset is a set of allowed values with its
 * best solution, or a bound for it; the cheapest subset is taken, its best solution returned, and
 * the rest of it divided into subsets, so that no solution is in two of them (Lawler 1972).
 * Room: tuner/solve. Knows subsets. Does not know how one is solved. */
#include "fail.h"
#include "memory.h"
#include "solve_inner.h"

#include <math.h>
#include <string.h>

typedef struct ranking_subset {
    double cost; /* of the best, or a bound */
    int split;   /* -1: `values` are the best; else the variable to branch on */
    size_t made; /* of equally cheap subsets the one that was made first comes first */
    int *values;
    bool allowed[];
} ranking_subset;

struct ct_ranking {
    const ct_problem *problem;
    ranking_subset **heap; /* the cheapest first */
    size_t subsets, room, made;
    ranking_subset *given; /* whose best was returned last, not yet divided; NULL: none */
};

static bool ranking_before(const ranking_subset *a, const ranking_subset *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->made < b->made);
}

static ct_status ranking_push(ct_ranking *ranking, ranking_subset *subset, ct_error *err)
{
    ct_status status = CT_OK;
    if (ranking->subsets == ranking->room) {
        const size_t room = 2 * ranking->room + 16;
        CT_TRY(ct_memory_grow(&ranking->heap, sizeof(ranking_subset *) * room, err));
        ranking->room = room;
    }
    size_t at = ranking->subsets++;
    for (; at > 0 && ranking_before(subset, ranking->heap[(at - 1) / 2]); at = (at - 1) / 2)
        ranking->heap[at] = ranking->heap[(at - 1) / 2];
    ranking->heap[at] = subset;
out:
    return status;
}

static ranking_subset *ranking_pop(ct_ranking *ranking)
{
    ranking_subset *out = ranking->heap[0], *last = ranking->heap[--ranking->subsets];
    size_t at = 0;
    for (size_t child = 1; child < ranking->subsets; child = 2 * at + 1) {
        if (child + 1 < ranking->subsets &&
            ranking_before(ranking->heap[child + 1], ranking->heap[child]))
            child++;
        if (!ranking_before(ranking->heap[child], last)) break;
        ranking->heap[at] = ranking->heap[child];
        at = child;
    }
    ranking->heap[at] = last;
    return out;
}

static void ranking_free_subset(ranking_subset *subset)
{
    if (subset) ct_memory_free(subset->values);
    ct_memory_free(subset);
}

/* Makes a subset of these values, if one of them is possible. */
static ct_status ranking_add(ct_ranking *ranking, const bool *allowed, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_problem *problem = ranking->problem;
    const size_t values = sizeof(int) * (size_t)problem->variables;
    ct_bound bound;
    ranking_subset *subset = ct_memory_get(sizeof *subset + problem->total);
    CT_NEED(subset, sizeof *subset + problem->total, err);
    subset->values = ct_memory_get(values);
    CT_NEED(subset->values, values, err);
    memcpy(subset->allowed, allowed, problem->total);
    CT_TRY(ct_solve_bound(&bound, problem, allowed, subset->values, err));
    subset->split = bound.split;
    subset->cost = bound.split < 0 ? bound.cost : bound.least;
    subset->made = ranking->made++;
    if (subset->cost == INFINITY) goto out;
    CT_TRY(ranking_push(ranking, subset, err));
    subset = NULL;
out:
    ranking_free_subset(subset);
    return status;
}

static void ranking_fix(const ct_problem *problem, bool *allowed, int variable, int value)
{
    bool *own = allowed + problem->first[variable];
    memset(own, false, (size_t)problem->values[variable]);
    own[value] = true;
}

/* A subset whose best is not known: one for each value of a variable. */
static ct_status ranking_branch(ct_ranking *ranking, const ranking_subset *subset, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_problem *problem = ranking->problem;
    const bool *own = subset->allowed + problem->first[subset->split];
    bool *allowed = ct_memory_get(problem->total);
    CT_NEED(allowed, problem->total, err);
    for (int x = 0; x < problem->values[subset->split]; x++) {
        if (!own[x]) continue;
        memcpy(allowed, subset->allowed, problem->total);
        ranking_fix(problem, allowed, subset->split, x);
        CT_TRY(ranking_add(ranking, allowed, err));
    }
out:
    ct_memory_free(allowed);
    return status;
}

/* All of a subset but its best: variable by variable those that differ there first. */
static ct_status ranking_part(ct_ranking *ranking, ranking_subset *subset, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_problem *problem = ranking->problem;
    for (int v = 0; v < problem->variables; v++) {
        bool *own = subset->allowed + problem->first[v];
        own[subset->values[v]] = false;
        if (memchr(own, true, (size_t)problem->values[v]))
            CT_TRY(ranking_add(ranking, subset->allowed, err));
        ranking_fix(problem, subset->allowed, v, subset->values[v]);
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

/* The first subset whose best is known becomes the given one; CT_EOF where no combination is left.
 */
static ct_status ranking_find(ct_ranking *ranking, ct_error *err)
{
    ct_status status = CT_OK;
    while (ranking->subsets > 0) {
        ranking_subset *subset = ranking_pop(ranking);
        if (subset->split < 0) {
            ranking->given = subset;
            return CT_OK;
        }
        status = ranking_branch(ranking, subset, err);
        ranking_free_subset(subset);
        if (status != CT_OK) return status;
    }
    return CT_EOF;
}

ct_status ct_ranking_next(ct_ranking *ranking, int *values, double *cost, ct_error *err)
{
    ct_status status = CT_OK;
    if (ranking->given) CT_TRY(ranking_part(ranking, ranking->given, err));
    ranking_free_subset(ranking->given);
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
    while (ranking->subsets > 0)
        ranking_free_subset(ranking->heap[--ranking->subsets]);
    ranking_free_subset(ranking->given);
    ct_memory_free(ranking->heap);
    ct_memory_free(ranking);
}
