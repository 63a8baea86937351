/* tile_plan.h: what the parts of the PACK and STORE generator share: a box as a list of dimensions.
 * Room: layouts. Private to tile*.c. */
#ifndef CT_LAYOUTS_TILE_PLAN_H
#define CT_LAYOUTS_TILE_PLAN_H
#include "tile.h"

/* One letter of the tile's order: a loop of the copy. */
typedef struct ct_tile_dim {
    char letter;  /* as in `order`: 'T', or 't' for an inner part */
    int argument; /* place among the port's letters */
    int64_t extent;
    int64_t step;        /* coordinates of the array per index: more than 1 before an inner part */
    int64_t array, tile; /* strides in elements */
} ct_tile_dim;

typedef struct ct_tile_plan {
    const ct_box *box;
    int count;
    ct_tile_dim dim[CT_DIMS]; /* in the tile's order */
    int order[CT_DIMS];       /* dimensions in the array's memory order, slowest first */
    int64_t size;             /* of the tile, padding included */
} ct_tile_plan;

/* "4 * T + t" as the array's coordinate of one argument relative to the box: the variables are
 * the dimensions' letters with `i_` before them. Returns false where no dimension belongs to the
 * argument. */
bool ct_tile_plan_coordinate(ct_text *text, const ct_tile_plan *plan, int argument);
void ct_tile_plan_tile_index(ct_text *text, const ct_tile_plan *plan);  /* "i_C * 8 + i_t" */
void ct_tile_plan_array_index(ct_text *text, const ct_tile_plan *plan); /* "at + i_C * 512 + i_t" */
/* Of the box along an argument. */
int64_t ct_tile_plan_extent(const ct_tile_plan *plan, int argument);

#endif
