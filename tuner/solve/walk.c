/* walk.c: all combinations of some variables' live values, and where each is in several tables.
 * Room: tuner/solve. */
#include "solve_inner.h"

bool ct_solve_terms_has(const ct_term *term, int variable)
{
    for (int k = 0; k < term->count; k++)
        if (term->scope[k] == variable) return true;
    return false;
}

size_t ct_walk_stride(const ct_solve *solve, const ct_term *term, int variable)
{
    size_t stride = 1;
    for (int k = term->count - 1; k >= 0; k--) {
        if (term->scope[k] == variable) return stride;
        stride *= (size_t)solve->extent[term->scope[k]];
    }
    return 0;
}

size_t ct_walk_offset(const ct_solve *solve, const ct_term *term)
{
    size_t offset = 0;
    for (int k = 0; k < term->count; k++)
        offset = offset * (size_t)solve->extent[term->scope[k]] + (size_t)solve->at[term->scope[k]];
    return offset;
}

bool ct_walk_start(ct_walk *walk, ct_solve *solve, const int *scope, int dims,
                   const ct_term *const *terms, int streams)
{
    walk->dims = dims;
    walk->streams = streams;
    walk->offset = ct_arena_get(solve->arena, sizeof *walk->offset * (size_t)streams);
    walk->stride =
        ct_arena_get(solve->arena, sizeof *walk->stride * (size_t)streams * (size_t)dims);
    if (!walk->offset || !walk->stride) return false;
    for (int k = 0; k < dims; k++) {
        walk->extent[k] = solve->extent[scope[k]];
        walk->at[k] = &solve->at[scope[k]];
        *walk->at[k] = 0;
        for (int s = 0; s < streams; s++)
            walk->stride[k * streams + s] = ct_walk_stride(solve, terms[s], scope[k]);
    }
    return true;
}

bool ct_walk_next(ct_walk *walk)
{
    for (int k = walk->dims - 1; k >= 0; k--) {
        const size_t *stride = &walk->stride[k * walk->streams];
        const bool over = ++*walk->at[k] == walk->extent[k];
        if (over) *walk->at[k] = 0;
        const size_t back = over ? (size_t)walk->extent[k] : 0;
        for (int s = 0; s < walk->streams; s++)
            walk->offset[s] += stride[s] - back * stride[s];
        if (!over) return true;
    }
    return false;
}
