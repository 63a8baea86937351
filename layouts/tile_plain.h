/* tile_plain.h: PACK and STORE element by element, for any box.
 * Room: layouts. Private to tile*.c. */
#ifndef CT_LAYOUTS_TILE_PLAIN_H
#define CT_LAYOUTS_TILE_PLAIN_H
#include "tile_plan.h"

/* n_s, n_t, ...: how many coordinates of the box lie inside the array; PACK for one work-item also
 * zeroes a tile that the array does not fill. */
void ct_tile_plain_emit_inside(ct_text *text, const ct_tile_plan *plan);
/* The loops; `at` is the index of the box's first element. */
void ct_tile_plain_emit(ct_text *text, const ct_tile_plan *plan);

/* "n_t < 8 || n_s < 64": something of the box lies outside. False where nothing ever can. */
bool ct_tile_plain_add_ragged(ct_text *text, const ct_tile_plan *plan);
/* One assignment between `at + ...` and `tile[...]`, from the dimensions' i_s, i_t, ... */
void ct_tile_plain_emit_move(ct_text *text, const ct_tile_plan *plan);

#endif
