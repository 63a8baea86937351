/* solve_copies.c: copies of an array that several readers share: what they cost, and how the
 * readers are eliminated together.
 * Room: tuner/solve.
 *
 * One layout after the other is given to some of the readers: which readers have theirs is all
 * that the next layout needs to know, 2^readers states instead of layouts^readers combinations. */
#include "solve_inner.h"

#include <math.h>
#include <string.h>

enum { CT_SHARED = 10 }; /* most readers that are eliminated together */

double ct_solve_copies_cost(const ct_factor *factor, const int *layout, int roles)
{
    double sum = 0.0;
    for (int r = 1; r < roles; r++) {
        bool there = layout[r] == layout[0];
        for (int q = 1; q < r && !there; q++)
            there = layout[q] == layout[r];
        if (!there) sum += factor->cost[layout[0] * factor->layouts + layout[r]];
    }
    return sum;
}

static int copies_layout_at(const ct_copies *copies, const int *at, int role)
{
    return copies->layout[role][copies->variable[role] < 0 ? 0 : at[copies->variable[role]]];
}

double ct_solve_copies_at(const ct_copies *copies, const int *at)
{
    int layout[CT_PROBLEM_SCOPE + 1];
    for (int r = 0; r < copies->roles; r++)
        layout[r] = copies_layout_at(copies, at, r);
    return ct_solve_copies_cost(copies->factor, layout, copies->roles);
}

/* What copies depend on, when they name fewer readers. */
static bool copies_scope(ct_solve *solve, ct_term *wide)
{
    int *scope = ct_arena_get(solve->arena, sizeof *scope * (size_t)wide->count);
    int count = 0;
    if (scope == NULL) return false;
    for (int k = 0; k < wide->count; k++)
        for (int r = 0; r < wide->copies->roles; r++)
            if (wide->copies->variable[r] == wide->scope[k]) {
                scope[count++] = wide->scope[k];
                break;
            }
    wide->scope = scope;
    wide->count = count;
    wide->done = wide->copies->roles < 2;
    return true;
}

bool ct_solve_copies_drop(ct_solve *solve, ct_term *wide)
{
    ct_copies *less = ct_arena_get(solve->arena, sizeof *less);
    if (less == NULL) return false;
    *less = *wide->copies;
    int role = less->roles - 1;
    while (role > 0 && less->variable[role] < 0)
        role--;
    if (solve->split < 0)
        solve->split = less->variable[0] >= 0 ? less->variable[0] : less->variable[role];
    less->roles = role;
    wide->copies = less;
    return copies_scope(solve, wide);
}

/* Terms other than the copies that depend on a variable. */
static bool copies_other(const ct_term *wide, const ct_term *term, int variable)
{
    return term != wide && !term->done && ct_solve_terms_has(term, variable);
}

/* A reader that has one role here, none in other shared copies, and shares nothing else with those
 * that are chosen. */
static bool copies_free(const ct_solve *solve, const ct_term *wide, const ct_bucket *chosen,
                        int role)
{
    const ct_copies *copies = wide->copies;
    const int v = copies->variable[role];
    if (v < 0) return false;
    for (int r = 0; r < copies->roles; r++)
        if (r != role && copies->variable[r] == v) return false;
    for (int t = 0; t < solve->terms; t++) {
        const ct_term *term = &solve->term[t];
        if (!copies_other(wide, term, v)) continue;
        if (term->copies) return false;
        for (int i = 0; i < chosen->count; i++)
            if (ct_solve_terms_has(term, chosen->variable[i])) return false;
    }
    return true;
}

/* The terms of the chosen readers, and everything else that these and the copies depend on. */
static bool copies_surround(ct_solve *solve, const ct_term *wide, ct_bucket *out)
{
    const int n = solve->problem->variables;
    int *of = ct_arena_get(solve->arena, sizeof *of * (size_t)solve->terms);
    int *scope = ct_arena_get(solve->arena, sizeof *scope * (size_t)n);
    out->term = ct_arena_get(solve->arena, sizeof *out->term * (size_t)solve->terms);
    if (!of || !scope || !out->term) return false;
    out->of = of;
    out->scope = scope;
    memset(solve->mark, 0, sizeof *solve->mark * (size_t)n);
    for (int k = 0; k < wide->count; k++)
        solve->mark[wide->scope[k]] = 1;
    for (int i = 0; i < out->count; i++)
        for (int t = 0; t < solve->terms; t++) {
            const ct_term *term = &solve->term[t];
            if (!copies_other(wide, term, out->variable[i])) continue;
            of[out->terms] = i;
            out->term[out->terms++] = term;
            for (int k = 0; k < term->count; k++)
                solve->mark[term->scope[k]] = 1;
        }
    for (int i = 0; i < out->count; i++)
        solve->mark[out->variable[i]] = 0;
    for (int v = 0; v < n; v++)
        if (solve->mark[v]) scope[out->scopes++] = v;
    return true;
}

bool ct_solve_copies_bucket(ct_solve *solve, const ct_term *wide, ct_bucket *out)
{
    *out = (ct_bucket){.copies = wide->copies};
    for (int r = 1; r < wide->copies->roles && out->count < CT_SHARED; r++)
        if (copies_free(solve, wide, out, r)) {
            out->role[out->count] = r;
            out->variable[out->count++] = wide->copies->variable[r];
        }
    if (out->count == 0) return true;
    if (!copies_surround(solve, wide, out)) return false;
    const double layouts = wide->copies->factor->layouts;
    out->work = ct_solve_terms_size(solve, out->scope, out->scopes) * layouts * out->count *
                (double)(1 << out->count);
    return true;
}

/* The readers of a bucket, for one combination of what surrounds them. */
typedef struct copies_group {
    const ct_solve *solve;
    const ct_bucket *bucket;
    int layouts;
    size_t states; /* 2^readers */
    double *price; /* [layouts]: of a copy in this layout */
    double *wish;  /* [readers][layouts]: what else a reader costs that reads this layout */
    double *least; /* [layouts + 1][states]: these readers are served by layouts before this one */
    double *serving; /* [readers + 1][states]: one layout's share, reader by reader */
    double *row;     /* [the longest variable] */
} copies_group;

static bool copies_group_new(copies_group *out, ct_solve *solve, const ct_bucket *bucket)
{
    copies_group group = {.solve = solve, .bucket = bucket};
    const size_t readers = (size_t)bucket->count;
    size_t longest = 1;
    for (int i = 0; i < bucket->count; i++)
        if ((size_t)solve->extent[bucket->variable[i]] > longest)
            longest = (size_t)solve->extent[bucket->variable[i]];
    group.layouts = bucket->copies->factor->layouts;
    group.states = (size_t)1 << readers;
    const size_t layouts = (size_t)group.layouts;
    group.price = ct_arena_get(solve->arena, sizeof(double) * layouts);
    group.wish = ct_arena_get(solve->arena, sizeof(double) * layouts * readers);
    group.least = ct_arena_get(solve->arena, sizeof(double) * (layouts + 1) * group.states);
    group.serving = ct_arena_get(solve->arena, sizeof(double) * (readers + 1) * group.states);
    group.row = ct_arena_get(solve->arena, sizeof(double) * longest);
    *out = group;
    return group.price && group.wish && group.least && group.serving && group.row;
}

/* What reader `i` costs with each of its values. */
static void copies_row(copies_group *group, int i, const size_t *offset)
{
    const ct_bucket *bucket = group->bucket;
    const int v = bucket->variable[i], extent = group->solve->extent[v];
    memset(group->row, 0, sizeof *group->row * (size_t)extent);
    for (int t = 0; t < bucket->terms; t++) {
        if (bucket->of[t] != i) continue;
        const double *from = bucket->term[t]->cost + offset[t];
        const size_t stride = ct_walk_stride(group->solve, bucket->term[t], v);
        for (int x = 0; x < extent; x++)
            group->row[x] += from[(size_t)x * stride];
    }
}

static void copies_wishes(copies_group *group, const size_t *offset)
{
    for (int i = 0; i < group->bucket->count; i++) {
        const int *layout = group->bucket->copies->layout[group->bucket->role[i]];
        double *wish = group->wish + i * group->layouts;
        for (int l = 0; l < group->layouts; l++)
            wish[l] = INFINITY;
        copies_row(group, i, offset);
        for (int x = 0; x < group->solve->extent[group->bucket->variable[i]]; x++)
            if (group->row[x] < wish[layout[x]]) wish[layout[x]] = group->row[x];
    }
}

/* What copies in each layout cost; what is there for other readers costs nothing more, and its sum
 * is returned. */
static double copies_prices(copies_group *group)
{
    const ct_bucket *bucket = group->bucket;
    const ct_copies *copies = bucket->copies;
    const int written = copies_layout_at(copies, group->solve->at, 0);
    double sum = 0.0;
    memcpy(group->price, copies->factor->cost + written * group->layouts,
           sizeof *group->price * (size_t)group->layouts);
    group->price[written] = 0.0;
    for (int r = 1, i = 0; r < copies->roles; r++) {
        if (i < bucket->count && bucket->role[i] == r) {
            i++;
            continue;
        }
        const int layout = copies_layout_at(copies, group->solve->at, r);
        sum += group->price[layout];
        group->price[layout] = 0.0;
    }
    return sum;
}

/* One layout more: serving[i + 1] has the readers up to i choose it or not. */
static void copies_serve(copies_group *group, int layout)
{
    const double *before = group->least + (size_t)layout * group->states;
    for (size_t s = 0; s < group->states; s++)
        group->serving[s] = before[s] + group->price[layout];
    for (int i = 0; i < group->bucket->count; i++) {
        const double *from = group->serving + (size_t)i * group->states;
        double *to = group->serving + (size_t)(i + 1) * group->states;
        const double wish = group->wish[i * group->layouts + layout];
        for (size_t s = 0; s < group->states; s++) {
            const size_t bit = (size_t)1 << i;
            const double other = s & bit ? from[s ^ bit] + wish : INFINITY;
            to[s] = other < from[s] ? other : from[s];
        }
    }
}

static double copies_least(copies_group *group)
{
    const double *served = group->serving + (size_t)group->bucket->count * group->states;
    for (size_t s = 0; s < group->states; s++)
        group->least[s] = s ? INFINITY : 0.0;
    for (int l = 0; l < group->layouts; l++) {
        const double *before = group->least + (size_t)l * group->states;
        double *after = group->least + (size_t)(l + 1) * group->states;
        if (group->price[l] < INFINITY) copies_serve(group, l);
        for (size_t s = 0; s < group->states; s++)
            after[s] = group->price[l] < INFINITY && served[s] < before[s] ? served[s] : before[s];
    }
    return group->least[(size_t)group->layouts * group->states + group->states - 1];
}

bool ct_solve_copies_eliminate(ct_solve *solve, const ct_bucket *bucket, double *result)
{
    copies_group group;
    ct_walk walk;
    if (!copies_group_new(&group, solve, bucket) ||
        !ct_walk_start(&walk, solve, bucket->scope, bucket->scopes, bucket->term, bucket->terms))
        return false;
    do {
        copies_wishes(&group, walk.offset);
        const double there = copies_prices(&group);
        *result++ = there + copies_least(&group);
    } while (ct_walk_next(&walk));
    return true;
}

/* The lowest value of reader `i` that costs the least of those with this layout. */
static void copies_choose(copies_group *group, ct_solve *solve, int i, int layout,
                          const size_t *offset)
{
    const ct_bucket *bucket = group->bucket;
    const int *layouts = bucket->copies->layout[bucket->role[i]];
    const int v = bucket->variable[i];
    int best = -1;
    copies_row(group, i, offset);
    for (int x = 0; x < solve->extent[v]; x++)
        if (layouts[x] == layout && (best < 0 || group->row[x] < group->row[best])) best = x;
    solve->at[v] = best < 0 ? 0 : best;
}

/* Who is served by the last layout, and so on to the first. */
static void copies_trace(copies_group *group, ct_solve *solve, const size_t *offset)
{
    size_t s = group->states - 1;
    for (int l = group->layouts - 1; l >= 0; l--) {
        const double *least = group->least + (size_t)l * group->states;
        if (least[group->states + s] == least[s]) continue;
        copies_serve(group, l);
        for (int i = group->bucket->count - 1; i >= 0; i--) {
            const double *from = group->serving + (size_t)i * group->states;
            if (from[group->states + s] == from[s]) continue;
            s ^= (size_t)1 << i;
            copies_choose(group, solve, i, l, offset);
        }
    }
}

bool ct_solve_copies_decide(ct_solve *solve, const ct_bucket *bucket)
{
    copies_group group;
    size_t *offset = ct_arena_get(solve->arena, sizeof *offset * (size_t)bucket->terms);
    if (!offset || !copies_group_new(&group, solve, bucket)) return false;
    for (int i = 0; i < bucket->count; i++)
        solve->at[bucket->variable[i]] = 0;
    for (int t = 0; t < bucket->terms; t++)
        offset[t] = ct_walk_offset(solve, bucket->term[t]);
    copies_wishes(&group, offset);
    (void)copies_prices(&group);
    (void)copies_least(&group);
    copies_trace(&group, solve, offset);
    return true;
}
