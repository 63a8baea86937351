/* tile_inner.h: what the files of the PACK and STORE generator use together.
 * Room: layouts. Private to tile*.c. */
#ifndef CT_LAYOUTS_TILE_INNER_H
#define CT_LAYOUTS_TILE_INNER_H
#include "register_transpose.h"
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

/* ---- tile_plain.c: element by element, for any box */

/* n_s, n_t, ...: how many coordinates of the box lie inside the array; PACK for one work-item also
 * zeroes a tile that the array does not fill. */
void ct_tile_plain_emit_inside(ct_text *text, const ct_tile_plan *plan);
/* The loops; `at` is the index of the box's first element. */
void ct_tile_plain_emit(ct_text *text, const ct_tile_plan *plan);

/* "n_t < 8 || n_s < 64": something of the box lies outside. False where nothing ever can. */
bool ct_tile_plain_add_ragged(ct_text *text, const ct_tile_plan *plan);
/* One assignment between `at + ...` and `tile[...]`, from the dimensions' i_s, i_t, ... */
void ct_tile_plain_emit_move(ct_text *text, const ct_tile_plan *plan);

/* ---- tile_group.c: by the work-items of a group together */

/* The loops; `at` is the index of the box's first element, n_s, n_t, ... what lies inside. */
void ct_tile_group_emit(ct_text *text, const ct_tile_plan *plan);

/* ---- tile_vectors.c: by vectors, for a work-item that moves a whole box by itself */

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
