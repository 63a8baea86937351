/* solve_reduce.c: fewer values for each variable, before the work begins: those that no possible
 * solution has, and those than which another one is never worse.
 * Room: tuner/solve. */
#include "solve_inner.h"

#include <math.h>
#include <string.h>

/* A table seen from one variable: cost[(outer * values + value) * inner + i]. */
typedef struct reduce_slices {
    const double *cost;
    size_t outer, values, inner;
} reduce_slices;

static reduce_slices reduce_slice(const ct_solve *solve, const ct_term *term, int variable)
{
    reduce_slices out = {term->cost, 1, (size_t)solve->extent[variable], 1};
    bool before = true;
    for (int k = 0; k < term->count; k++) {
        if (term->scope[k] == variable)
            before = false;
        else if (before)
            out.outer *= (size_t)solve->extent[term->scope[k]];
        else
            out.inner *= (size_t)solve->extent[term->scope[k]];
    }
    return out;
}

static bool reduce_slice_possible(const reduce_slices *of, size_t value)
{
    for (size_t o = 0; o < of->outer; o++)
        for (size_t i = 0; i < of->inner; i++)
            if (of->cost[(o * of->values + value) * of->inner + i] < INFINITY) return true;
    return false;
}

static bool reduce_slice_better(const reduce_slices *of, size_t a, size_t b)
{
    for (size_t o = 0; o < of->outer; o++)
        for (size_t i = 0; i < of->inner; i++)
            if (of->cost[(o * of->values + a) * of->inner + i] >
                of->cost[(o * of->values + b) * of->inner + i])
                return false;
    return true;
}

static double reduce_price(const ct_copies *copies, int from, int to)
{
    return from == to ? 0.0 : copies->factor->cost[from * copies->factor->layouts + to];
}

static int reduce_extent(const ct_solve *solve, const ct_copies *copies, int role)
{
    return copies->variable[role] < 0 ? 1 : solve->extent[copies->variable[role]];
}

/* The role of a variable in copies: -1 where it has several. */
static int reduce_role(const ct_copies *copies, int variable)
{
    int role = -1;
    for (int r = 0; r < copies->roles; r++) {
        if (copies->variable[r] != variable) continue;
        if (role >= 0) return -1;
        role = r;
    }
    return role;
}

static bool reduce_reaches(const ct_solve *solve, const ct_copies *copies, int from, int reader)
{
    for (int x = 0; x < reduce_extent(solve, copies, reader); x++)
        if (reduce_price(copies, from, copies->layout[reader][x]) < INFINITY) return true;
    return false;
}

static bool reduce_reader_possible(const ct_solve *solve, const ct_copies *copies, int layout)
{
    for (int x = 0; x < reduce_extent(solve, copies, 0); x++)
        if (reduce_price(copies, copies->layout[0][x], layout) < INFINITY) return true;
    return false;
}

static bool reduce_copies_possible(const ct_solve *solve, const ct_copies *copies, int variable,
                                   int value)
{
    const int role = reduce_role(copies, variable);
    if (role > 0) return reduce_reader_possible(solve, copies, copies->layout[role][value]);
    for (int r = 1; role == 0 && r < copies->roles; r++)
        if (!reduce_reaches(solve, copies, copies->layout[0][value], r)) return false;
    return true;
}

/* A written layout from which nothing is dearer. */
static bool reduce_writer_better(const ct_solve *solve, const ct_copies *copies, int a, int b)
{
    for (int r = 1; r < copies->roles; r++)
        for (int x = 0; x < reduce_extent(solve, copies, r); x++) {
            int to = copies->layout[r][x];
            if (reduce_price(copies, a, to) > reduce_price(copies, b, to)) return false;
        }
    return true;
}

/* For a reader only the same layout is as good for sure: others may pay for another one. */
static bool reduce_copies_better(const ct_solve *solve, const ct_copies *copies, int variable,
                                 int a, int b)
{
    const int role = reduce_role(copies, variable);
    if (role < 0) return false;
    const int *layout = copies->layout[role];
    if (layout[a] == layout[b]) return true;
    return role == 0 && reduce_writer_better(solve, copies, layout[a], layout[b]);
}

/* One variable and the terms that depend on it. */
typedef struct reduce_view {
    const ct_solve *solve;
    int variable, terms;
    const ct_term **term;  /* [terms] */
    reduce_slices *slices; /* [terms] */
} reduce_view;

static bool reduce_look(reduce_view *view, ct_solve *solve, int variable)
{
    const size_t most = (size_t)solve->terms;
    *view = (reduce_view){.solve = solve, .variable = variable};
    view->term = ct_arena_get(solve->arena, sizeof *view->term * most);
    view->slices = ct_arena_get(solve->arena, sizeof *view->slices * most);
    if (!view->term || !view->slices) return false;
    for (int t = 0; t < solve->terms; t++) {
        const ct_term *term = &solve->term[t];
        if (!ct_solve_terms_has(term, variable)) continue;
        view->slices[view->terms] = reduce_slice(solve, term, variable);
        view->term[view->terms++] = term;
    }
    return true;
}

static bool reduce_possible(const reduce_view *view, int value)
{
    for (int t = 0; t < view->terms; t++) {
        const ct_copies *copies = view->term[t]->copies;
        if (copies ? !reduce_copies_possible(view->solve, copies, view->variable, value)
                   : !reduce_slice_possible(&view->slices[t], (size_t)value))
            return false;
    }
    return true;
}

/* Value a costs nowhere more than b. */
static bool reduce_better(const reduce_view *view, int a, int b)
{
    for (int t = 0; t < view->terms; t++) {
        const ct_copies *copies = view->term[t]->copies;
        if (copies ? !reduce_copies_better(view->solve, copies, view->variable, a, b)
                   : !reduce_slice_better(&view->slices[t], (size_t)a, (size_t)b))
            return false;
    }
    return true;
}

/* Of values that are equally good the lowest stays. */
static bool reduce_dominated(const reduce_view *view, const bool *keep, int value)
{
    for (int a = 0; a < view->solve->extent[view->variable]; a++)
        if (a != value && keep[a] && reduce_better(view, a, value) &&
            (a < value || !reduce_better(view, value, a)))
            return true;
    return false;
}

/* Keeps those values; false: that is all of them. */
static bool reduce_pack(ct_solve *solve, int variable, const bool *keep)
{
    int count = 0, before = solve->extent[variable];
    for (int x = 0; x < before; x++)
        if (keep[x]) solve->live[variable][count++] = solve->live[variable][x];
    solve->extent[variable] = count;
    return count < before;
}

static void reduce_variable(const reduce_view *view, bool *keep)
{
    const int extent = view->solve->extent[view->variable];
    for (int x = 0; x < extent; x++)
        keep[x] = reduce_possible(view, x);
    for (int x = 0; x < extent; x++)
        keep[x] = keep[x] && !reduce_dominated(view, keep, x);
}

/* Removing a value of one variable is right whatever has been removed of others: each step keeps a
 * best solution. The terms are made anew after a round of all variables. */
static bool reduce_round(ct_solve *solve, bool *less)
{
    const int n = solve->problem->variables;
    const size_t *first = solve->problem->first;
    bool *keep = ct_arena_get(solve->arena, solve->problem->total);
    if (keep == NULL) return false;
    memset(keep, true, solve->problem->total);
    for (int v = 0; v < n; v++) {
        reduce_view view;
        if (solve->extent[v] < 2) continue;
        if (!reduce_look(&view, solve, v)) return false;
        reduce_variable(&view, keep + first[v]);
    }
    *less = false;
    for (int v = 0; v < n; v++)
        *less = reduce_pack(solve, v, keep + first[v]) || *less;
    return true;
}

bool ct_solve_reduce(ct_solve *solve)
{
    bool less;
    do {
        if (!ct_solve_terms(solve) || solve->constant == INFINITY) return false;
        if (!reduce_round(solve, &less)) return false;
        for (int v = 0; v < solve->problem->variables; v++)
            if (solve->extent[v] == 0) return false;
    } while (less);
    return true;
}
