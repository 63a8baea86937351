/* tile_vectors.h: PACK and STORE by vectors, for a work-item that moves a whole box by itself.
 * Room: layouts. Private to tile*.c. */
#ifndef CT_LAYOUTS_TILE_VECTORS_H
#define CT_LAYOUTS_TILE_VECTORS_H
#include "register_transpose.h"
#include "tile_plan.h"

/* Where a type is converted: next to the tile, so that the narrower words go through the registers;
 * next to the array for halves, which only loads and stores can convert. */
typedef enum ct_tile_conversion {
    CT_CONVERT_NONE,
    CT_CONVERT_AT_TILE,
    CT_CONVERT_AT_ARRAY
} ct_tile_conversion;

typedef struct ct_tile_vectors {
    const ct_tile_plan *plan;
    ct_register_transpose registers; /* `to` is the tile in PACK, the array in STORE */
    ct_tile_conversion conversion;
    int parts; /* numbers (components) of the tile's type per word */
} ct_tile_vectors;

/* False where there is nothing to gain or no way: then tile_plain.c does it all. */
bool ct_tile_vectors_plan(ct_tile_vectors *vectors, const ct_tile_plan *plan);
/* The functions ct_pack_A_boxes, for what lies inside the array, and with `_nontemporal` its twin.
 */
void ct_tile_vectors_emit(ct_text *text, const ct_tile_vectors *vectors);
/* Statements that call them, with ct_pack_A_plain for boxes that no vector fits. */
void ct_tile_vectors_emit_calls(ct_text *text, const ct_tile_vectors *vectors);

/* tile_convert.c: loads and stores with conversion, and the types that their texts use. */
ct_register_transpose_io ct_tile_vectors_io(const ct_tile_vectors *vectors, bool nontemporal);
void ct_tile_vectors_types(ct_text *text, const ct_tile_vectors *vectors);
/* "global const ct_word8": a pointer's type at the array's or the tile's side. */
void ct_tile_vectors_pointer(ct_text *text, const ct_tile_vectors *vectors, bool array);

#endif
