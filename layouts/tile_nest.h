/* tile_nest.h: PACK and STORE by vectors, for a work-item that moves a whole box alone.
 * Room: layouts. Private to tile*.c. */
#ifndef CT_LAYOUTS_TILE_NEST_H
#define CT_LAYOUTS_TILE_NEST_H
#include "tile_plan.h"
#include "weave.h"

/* Where a type is converted: next to the tile, so that the narrower words go through the registers;
 * next to the array for halves, which only loads and stores can convert. */
typedef enum ct_nest_conversion { NEST_SAME, NEST_AT_TILE, NEST_AT_ARRAY } ct_nest_conversion;

typedef struct ct_nest {
    const ct_tile_plan *plan;
    ct_weave weave; /* `to` is the tile in PACK, the array in STORE */
    ct_nest_conversion conversion;
    int parts; /* numbers (components) of the tile's type per word */
} ct_nest;

/* False where there is nothing to gain or no way: then tile_plain.c does it all. */
bool ct_nest_plan(ct_nest *nest, const ct_tile_plan *plan);
/* The functions ct_pack_A_boxes, for what lies inside the array, and with `_stream` its twin. */
void ct_nest_emit(ct_text *text, const ct_nest *nest);
/* Statements that call them, with ct_pack_A_plain for boxes that no vector fits. */
void ct_nest_emit_calls(ct_text *text, const ct_nest *nest);

/* tile_form.c: loads and stores with conversion. */
ct_weave_form ct_nest_form(const ct_nest *nest, bool streams);
void ct_nest_types(ct_text *text, const ct_nest *nest); /* what the form's texts use */
void ct_nest_pointer(ct_text *text, const ct_nest *nest, bool array); /* "global const ct_word8" */
int ct_nest_part_bytes(const char *type);                             /* "float2" 4 */
void ct_nest_part(char out[16], const char *type);                    /* "float2" -> "float" */

#endif
