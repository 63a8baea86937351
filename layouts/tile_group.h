/* tile_group.h: PACK and STORE by the work-items of a group together.
 * Room: layouts. Private to tile*.c. */
#ifndef CT_LAYOUTS_TILE_GROUP_H
#define CT_LAYOUTS_TILE_GROUP_H
#include "tile_plan.h"

/* The loops; `at` is the index of the box's first element, n_s, n_t, ... what lies inside. */
void ct_tile_group_emit(ct_text *text, const ct_tile_plan *plan);

#endif
