/* solve_eliminate.c: one variable after the other is replaced by a table of what it costs at least,
 * the cheapest first. Where that table would be too large, the terms are split among several, which
 * gives a lower bound.
 * Room: tuner/solve. */
#include "solve_inner.h"

#include <string.h>

static void eliminate_mark(ct_solve *solve, const ct_term *term)
{
    for (int k = 0; k < term->count; k++)
        solve->mark[term->scope[k]] = 1;
}

/* The size of what the marked variables span. */
static double eliminate_span(const ct_solve *solve)
{
    double size = 1.0;
    for (int v = 0; v < solve->problem->variables; v++)
        if (solve->mark[v]) size *= solve->extent[v];
    return size;
}

static void eliminate_unmark(ct_solve *solve)
{
    memset(solve->mark, 0, sizeof *solve->mark * (size_t)solve->problem->variables);
}

/* The work of one variable; 0 where it waits for copies. */
static double eliminate_work(ct_solve *solve, int variable)
{
    eliminate_unmark(solve);
    solve->mark[variable] = 1;
    for (int t = 0; t < solve->terms; t++) {
        const ct_term *term = &solve->term[t];
        if (term->done || !ct_solve_terms_has(term, variable)) continue;
        if (term->copies) return 0.0;
        eliminate_mark(solve, term);
    }
    return eliminate_span(solve);
}

/* The cheapest variable, count 0 where all wait or none is left. */
static ct_bucket eliminate_find(ct_solve *solve)
{
    ct_bucket best = {0};
    for (int v = 0; v < solve->problem->variables; v++) {
        double work = solve->gone[v] ? 0.0 : eliminate_work(solve, v);
        if (work <= 0.0 || (best.count && work >= best.work)) continue;
        best.count = 1;
        best.variable[0] = v;
        best.work = work;
    }
    return best;
}

/* The cheapest readers to eliminate together; *wide: of which term, -1: none. */
static bool eliminate_find_copies(ct_solve *solve, ct_bucket *best, int *wide)
{
    *best = (ct_bucket){0};
    *wide = -1;
    for (int t = 0; t < solve->terms; t++) {
        ct_bucket bucket;
        if (solve->term[t].done || !solve->term[t].copies) continue;
        if (*wide < 0) *wide = t;
        if (!ct_solve_copies_bucket(solve, &solve->term[t], &bucket)) return false;
        if (bucket.count == 0 || (best->count && bucket.work >= best->work)) continue;
        *best = bucket;
        *wide = t;
    }
    return true;
}

static double *eliminate_result(ct_solve *solve, const ct_bucket *bucket)
{
    const double size = ct_solve_terms_size(solve, bucket->scope, bucket->scopes);
    return ct_arena_get(solve->arena, sizeof(double) * (size_t)size);
}

static bool eliminate_add(ct_solve *solve, const ct_bucket *bucket, const double *result)
{
    if (bucket->scopes == 0) {
        solve->constant += result[0];
        return true;
    }
    ct_term *term = ct_solve_terms_add(solve, bucket->scope, bucket->scopes);
    if (term) term->cost = result;
    return term != NULL;
}

static void eliminate_row(const ct_bucket *bucket, const size_t *offset, const size_t *stride,
                          double *row, int extent)
{
    memset(row, 0, sizeof *row * (size_t)extent);
    for (int t = 0; t < bucket->terms; t++) {
        const double *from = bucket->term[t]->cost + offset[t];
        for (int x = 0; x < extent; x++)
            row[x] += from[(size_t)x * stride[t]];
    }
}

static int eliminate_least(const double *row, int extent)
{
    int best = 0;
    for (int x = 1; x < extent; x++)
        if (row[x] < row[best]) best = x;
    return best;
}

/* The least over the bucket's variable for every combination of its scope. */
static bool eliminate_fill(ct_solve *solve, const ct_bucket *bucket, double *result)
{
    const int v = bucket->variable[0], extent = solve->extent[v];
    double *row = ct_arena_get(solve->arena, sizeof *row * (size_t)extent);
    size_t *stride = ct_arena_get(solve->arena, sizeof *stride * (size_t)bucket->terms);
    ct_walk walk;
    if (!result || !row || !stride ||
        !ct_walk_start(&walk, solve, bucket->scope, bucket->scopes, bucket->term, bucket->terms))
        return false;
    for (int t = 0; t < bucket->terms; t++)
        stride[t] = ct_walk_stride(solve, bucket->term[t], v);
    do {
        eliminate_row(bucket, walk.offset, stride, row, extent);
        *result++ = row[eliminate_least(row, extent)];
    } while (ct_walk_next(&walk));
    return true;
}

/* Marks what those terms of the bucket span that fit into one table of `limit` entries, at least
 * the first, and takes them. */
static void eliminate_take(ct_solve *solve, const ct_bucket *whole, ct_bucket *part, bool *taken,
                           int *marked)
{
    const size_t marks = sizeof *marked * (size_t)solve->problem->variables;
    eliminate_unmark(solve);
    solve->mark[whole->variable[0]] = 1;
    for (int t = 0; t < whole->terms; t++) {
        if (taken[t]) continue;
        memcpy(marked, solve->mark, marks);
        eliminate_mark(solve, whole->term[t]);
        if (part->terms && eliminate_span(solve) > (double)solve->problem->limit) {
            memcpy(solve->mark, marked, marks);
            continue;
        }
        taken[t] = true;
        part->term[part->terms++] = whole->term[t];
    }
}

/* Eliminates the variable from some of the bucket's terms; in *left those that are not taken yet.
 */
static bool eliminate_part(ct_solve *solve, const ct_bucket *whole, bool *taken, int *left)
{
    const int n = solve->problem->variables;
    ct_bucket part = {.count = 1, .variable = {whole->variable[0]}};
    int *scope = ct_arena_get(solve->arena, sizeof *scope * (size_t)n);
    int *marked = ct_arena_get(solve->arena, sizeof *marked * (size_t)n);
    part.term = ct_arena_get(solve->arena, sizeof *part.term * (size_t)whole->terms);
    part.scope = scope;
    if (!scope || !marked || !part.term) return false;
    eliminate_take(solve, whole, &part, taken, marked);
    for (int v = 0; v < n; v++)
        if (solve->mark[v] && v != part.variable[0]) scope[part.scopes++] = v;
    *left -= part.terms;
    double *result = eliminate_result(solve, &part);
    return eliminate_fill(solve, &part, result) && eliminate_add(solve, &part, result);
}

static bool eliminate_parts(ct_solve *solve, const ct_bucket *whole)
{
    bool *taken = ct_arena_get(solve->arena, (size_t)whole->terms + 1);
    int parts = 0;
    if (taken == NULL) return false;
    for (int left = whole->terms; left > 0; parts++)
        if (!eliminate_part(solve, whole, taken, &left)) return false;
    if (parts > 1 && solve->split < 0) solve->split = whole->variable[0];
    return true;
}

static void eliminate_done(ct_solve *solve, const ct_bucket *bucket)
{
    for (int i = 0; i < bucket->count; i++) {
        solve->gone[bucket->variable[i]] = true;
        for (int t = 0; t < solve->terms; t++)
            if (ct_solve_terms_has(&solve->term[t], bucket->variable[i]))
                solve->term[t].done = true;
    }
    solve->bucket[solve->buckets++] = *bucket;
}

static bool eliminate_variable(ct_solve *solve, ct_bucket *bucket)
{
    bucket->term = ct_arena_get(solve->arena, sizeof *bucket->term * (size_t)solve->terms);
    if (bucket->term == NULL) return false;
    for (int t = 0; t < solve->terms; t++)
        if (!solve->term[t].done && ct_solve_terms_has(&solve->term[t], bucket->variable[0]))
            bucket->term[bucket->terms++] = &solve->term[t];
    eliminate_done(solve, bucket);
    return eliminate_parts(solve, bucket);
}

static bool eliminate_copies(ct_solve *solve, const ct_bucket *bucket)
{
    double *result = eliminate_result(solve, bucket);
    if (result == NULL) return false;
    eliminate_done(solve, bucket);
    return ct_solve_copies_eliminate(solve, bucket, result) && eliminate_add(solve, bucket, result);
}

/* The next variable or readers; where all is too much, copies for one reader are free (a bound), or
 * a variable's terms are split. */
static bool eliminate_next(ct_solve *solve, bool *more)
{
    int wide;
    const double limit = (double)solve->problem->limit;
    ct_bucket copies, single = eliminate_find(solve);
    if (!eliminate_find_copies(solve, &copies, &wide)) return false;
    *more = single.count > 0 || wide >= 0;
    if (!*more) return true;
    if (copies.count && copies.work <= limit && (!single.count || copies.work < single.work))
        return eliminate_copies(solve, &copies);
    if (single.count && (single.work <= limit || wide < 0))
        return eliminate_variable(solve, &single);
    return ct_solve_copies_drop(solve, &solve->term[wide]);
}

bool ct_solve_eliminate(ct_solve *solve)
{
    bool more = true;
    for (int v = 0; v < solve->problem->variables; v++)
        solve->gone[v] = solve->extent[v] < 2;
    while (more)
        if (!eliminate_next(solve, &more)) return false;
    return true;
}

static bool eliminate_decide(ct_solve *solve, const ct_bucket *bucket)
{
    const int v = bucket->variable[0], extent = solve->extent[v];
    double *row = ct_arena_get(solve->arena, sizeof *row * (size_t)extent);
    size_t *place = ct_arena_get(solve->arena, sizeof *place * 2 * (size_t)bucket->terms);
    if (!row || !place) return false;
    solve->at[v] = 0;
    for (int t = 0; t < bucket->terms; t++) {
        place[t] = ct_walk_offset(solve, bucket->term[t]);
        place[bucket->terms + t] = ct_walk_stride(solve, bucket->term[t], v);
    }
    eliminate_row(bucket, place, place + bucket->terms, row, extent);
    solve->at[v] = eliminate_least(row, extent);
    return true;
}

bool ct_solve_decide(ct_solve *solve)
{
    memset(solve->at, 0, sizeof *solve->at * (size_t)solve->problem->variables);
    for (int b = solve->buckets - 1; b >= 0; b--)
        if (solve->bucket[b].copies ? !ct_solve_copies_decide(solve, &solve->bucket[b])
                                    : !eliminate_decide(solve, &solve->bucket[b]))
            return false;
    return true;
}
