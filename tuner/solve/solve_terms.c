/* solve_terms.c: a problem's costs as terms over the live values only.
 * Room: tuner/solve. Knows tables. Does not know which values live, or why. */
#include "solve_inner.h"

#include <string.h>

static bool terms_grow(ct_solve *solve)
{
    const int room = 2 * solve->room + 16;
    ct_term *more = ct_arena_get(solve->arena, sizeof *more * (size_t)room);
    if (more == NULL) return false;
    if (solve->terms) memcpy(more, solve->term, sizeof *more * (size_t)solve->terms);
    solve->term = more;
    solve->room = room;
    return true;
}

ct_term *ct_solve_terms_add(ct_solve *solve, const int *scope, int count)
{
    int *own = ct_arena_get(solve->arena, sizeof *own * (size_t)count);
    if (own == NULL || (solve->terms == solve->room && !terms_grow(solve))) return NULL;
    ct_term *term = &solve->term[solve->terms++];
    if (count) memcpy(own, scope, sizeof *own * (size_t)count);
    *term = (ct_term){.count = count, .scope = own};
    return term;
}

double ct_solve_terms_size(const ct_solve *solve, const int *scope, int count)
{
    double size = 1.0;
    for (int k = 0; k < count; k++)
        size *= solve->extent[scope[k]];
    return size;
}

/* The different variables of a factor that have several live values, ascending. */
static int terms_scope(const ct_solve *solve, const ct_factor *factor, int *scope)
{
    int count = 0;
    for (int k = 0; k < factor->count; k++) {
        int v = factor->variable[k], at = count;
        bool there = solve->extent[v] < 2;
        for (int i = 0; i < count; i++)
            there = there || scope[i] == v;
        if (there) continue;
        for (; at > 0 && scope[at - 1] > v; at--)
            scope[at] = scope[at - 1];
        scope[at] = v;
        count++;
    }
    return count;
}

/* Where in the given table the live values of a walk are. */
static size_t terms_entry(const ct_solve *solve, const ct_factor *factor)
{
    size_t entry = 0;
    for (int k = 0; k < factor->count; k++) {
        int v = factor->variable[k];
        entry = entry * (size_t)solve->problem->values[v] + (size_t)solve->live[v][solve->at[v]];
    }
    return entry;
}

static int *terms_layouts(const ct_solve *solve, const int *layout, int variable)
{
    int *live = ct_arena_get(solve->arena, sizeof *live * (size_t)solve->extent[variable]);
    for (int x = 0; live && x < solve->extent[variable]; x++)
        live[x] = layout[solve->live[variable][x]];
    return live;
}

static ct_copies *terms_copies(const ct_solve *solve, const ct_factor *factor)
{
    ct_copies *copies = ct_arena_get(solve->arena, sizeof *copies);
    int *variable = ct_arena_get(solve->arena, sizeof *variable * (size_t)factor->count);
    int **layout = ct_arena_get(solve->arena, sizeof *layout * (size_t)factor->count);
    if (!copies || !variable || !layout) return NULL;
    for (int r = 0; r < factor->count; r++) {
        int v = factor->variable[r];
        variable[r] = solve->extent[v] > 1 ? v : -1;
        layout[r] = terms_layouts(solve, factor->layout[r], v);
        if (layout[r] == NULL) return NULL;
    }
    *copies = (ct_copies){factor, factor->count, variable, layout};
    return copies;
}

/* A row of a table: all live values of the variable that is fastest in memory. */
static double *terms_row(const ct_solve *solve, const ct_factor *factor, int variable, double *to)
{
    size_t stride = 1;
    for (int k = factor->count - 1; factor->variable[k] != variable; k--)
        stride *= (size_t)solve->problem->values[factor->variable[k]];
    const int *live = solve->live[variable];
    const double *from = factor->cost + terms_entry(solve, factor) - (size_t)live[0] * stride;
    for (int x = 0; x < solve->extent[variable]; x++)
        *to++ = from[(size_t)live[x] * stride];
    return to;
}

static const double *terms_fill(ct_solve *solve, const ct_factor *factor, const ct_copies *copies,
                                const int *scope, int count)
{
    const size_t size = (size_t)ct_solve_terms_size(solve, scope, count);
    double *cost = ct_arena_get(solve->arena, sizeof *cost * size), *next = cost;
    const int outer = copies || count == 0 ? count : count - 1;
    ct_walk walk;
    for (int k = 0; k < factor->count; k++)
        solve->at[factor->variable[k]] = 0;
    if (!cost || !ct_walk_start(&walk, solve, scope, outer, NULL, 0)) return NULL;
    do
        if (outer < count)
            next = terms_row(solve, factor, scope[outer], next);
        else
            *next++ = copies ? ct_solve_copies_at(copies, solve->at)
                             : factor->cost[terms_entry(solve, factor)];
    while (ct_walk_next(&walk));
    return cost;
}

static bool terms_factor(ct_solve *solve, const ct_factor *factor)
{
    int scope[CT_PROBLEM_SCOPE + 1];
    const int count = terms_scope(solve, factor, scope);
    const double size = ct_solve_terms_size(solve, scope, count);
    const size_t limit = solve->problem->limit;
    const double dense = (double)(limit < CT_SOLVE_DENSE ? limit : CT_SOLVE_DENSE);
    ct_copies *copies = factor->layouts ? terms_copies(solve, factor) : NULL;
    if (factor->layouts && copies == NULL) return false;
    const bool wide = copies && count > 0 && size > dense;
    const double *cost = wide ? NULL : terms_fill(solve, factor, copies, scope, count);
    if (!wide && cost == NULL) return false;
    if (count == 0) {
        solve->constant += cost[0];
        return true;
    }
    ct_term *term = ct_solve_terms_add(solve, scope, count);
    if (term == NULL) return false;
    term->cost = cost;
    term->copies = wide ? copies : NULL;
    return true;
}

bool ct_solve_terms(ct_solve *solve)
{
    solve->terms = 0;
    solve->constant = 0.0;
    for (int f = 0; f < solve->problem->factors; f++)
        if (!terms_factor(solve, &solve->problem->factor[f])) return false;
    return true;
}
