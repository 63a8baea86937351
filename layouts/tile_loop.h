/* tile_loop.h: the loops of PACK and STORE.
 * Room: layouts. Private to tile*.c. */
#ifndef CT_LAYOUTS_TILE_LOOP_H
#define CT_LAYOUTS_TILE_LOOP_H
#include "tile_copy.h"

/* The body of a function whose arguments are X_data, tile, s0, p0, ...; `at` is the index of the
 * box's first element. */
void ct_loop_emit(ct_text *text, const ct_copy *copy);

#endif
