/* turn_grid.h: a transpose as a grid of boxes, shared by turn_emit.c and turn_local.c.
 * Room: layouts. Private to turn*.c. */
#ifndef CT_LAYOUTS_TURN_GRID_H
#define CT_LAYOUTS_TURN_GRID_H
#include "turn_shape.h"
#include "weave.h"

typedef struct ct_turn_grid {
    ct_turn_shape shape;
    ct_weave weave;         /* dimensions in the source's order, slowest first */
    int64_t steps[CT_DIMS]; /* boxes along each dimension */
    int64_t along[CT_DIMS]; /* of these, how many one work-item moves */
    int64_t items;          /* work-items (group 1) or groups */
} ct_turn_grid;

ct_turn_grid ct_turn_plan(const ct_turn *turn);
/* The word where a box starts: from x_0, x_1, ... */
void ct_turn_offset(ct_text *text, const ct_turn_grid *grid, bool to);
/* The same copy through local memory, a box per group. */
void ct_turn_emit_local(ct_text *text, const ct_turn_grid *grid, int64_t group);
/* m_0, m_1, ... from `id`; x_0, x_1, ... from those. */
void ct_turn_emit_place(ct_text *text, const ct_turn_grid *grid);
void ct_turn_emit_starts(ct_text *text, const ct_turn_grid *grid, int depth);

#endif
