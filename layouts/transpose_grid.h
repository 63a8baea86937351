/* transpose_grid.h: a transpose as a grid of boxes, shared by emit_transpose.c and
 * transpose_local.c. Room: layouts. Private to transpose*.c. */
#ifndef CT_LAYOUTS_TRANSPOSE_GRID_H
#define CT_LAYOUTS_TRANSPOSE_GRID_H
#include "register_transpose.h"

enum { CT_LINE = 64 }; /* bytes of a cache line, and of the widest vector */

typedef struct ct_transpose_grid {
    ct_register_transpose registers; /* dimensions in the source's order, slowest first */
    int64_t steps[CT_COPY_DIMS];     /* boxes along each dimension */
    int64_t along[CT_COPY_DIMS];     /* of these, how many one work-item moves */
    int64_t rest[CT_COPY_DIMS];      /* at a dimension's end, what boxes leave out; 0 */
    int64_t items;                   /* work-items (group 1) or groups */
    int next_from, next_to; /* the dimensions along which the boxes of one item follow; -1 none */
} ct_transpose_grid;

/* Whether the arrays match and the numbers make sense: else there is nothing to plan. */
bool ct_transpose_is_possible(const ct_transpose *transpose);
ct_transpose_grid ct_transpose_plan(const ct_transpose *transpose);
/* The word where a box starts: from x_0, x_1, ... */
void ct_transpose_offset(ct_text *text, const ct_transpose_grid *grid, bool to);
/* The same copy through local memory, a box per group. */
void ct_transpose_emit_local(ct_text *text, const ct_transpose_grid *grid, int64_t group);
/* m_0, m_1, ... from `id`; x_0, x_1, ... from those, or from i_0, i_1, ... where one item has
 * several. */
void ct_transpose_emit_place(ct_text *text, const ct_transpose_grid *grid);
void ct_transpose_emit_loop(ct_text *text, const ct_transpose_grid *grid, int k, int depth);
const char *ct_transpose_index(const ct_transpose_grid *grid, int k); /* "m" or "i" */
void ct_transpose_emit_starts(ct_text *text, const ct_transpose_grid *grid, int depth);

/* Every store is a whole line at a line's start, but for boxes that ct_transpose_condition leaves
 * out: the text of a condition, empty where there is none. */
bool ct_transpose_is_aligned(const ct_transpose_grid *grid);
void ct_transpose_condition(ct_text *text, const ct_transpose_grid *grid);
/* The only dimension along which boxes are left out; -1: there is none, or more than one. Its
 * `rest` then is what comes after the last whole line, so that all boxes are aligned. */
int ct_transpose_split(ct_transpose_grid *grid);
/* How words are loaded from `from` and stored to `to`, past the caches where `nontemporal`. */
ct_register_transpose_io ct_transpose_io(const ct_transpose_grid *grid, bool nontemporal);
/* One work-item's boxes by way of a buffer: long rows on both sides. */
bool ct_transpose_can_stage(const ct_transpose_grid *grid);
void ct_transpose_emit_staged(ct_text *text, const ct_transpose_grid *grid, bool nontemporal);

int ct_transpose_log2(int64_t value); /* of a number above 0, rounded down */

#endif
