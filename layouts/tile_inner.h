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
 * zeroes what of the tile the array does not fill. */
void ct_tile_plain_emit_inside(ct_text *text, const ct_tile_plan *plan);
/* The loops; `at` is the index of the box's first element. */
void ct_tile_plain_emit(ct_text *text, const ct_tile_plan *plan);

/* "n_t < 8 || n_s < 64": something of the box lies outside. False where nothing ever can. */
bool ct_tile_plain_add_ragged(ct_text *text, const ct_tile_plan *plan);
/* One assignment between `at + ...` and `tile[...]`, from the dimensions' i_s, i_t, ... */
void ct_tile_plain_emit_move(ct_text *text, const ct_tile_plan *plan);

/* ---- tile_clear.c: zeroes what of a tile lies outside the array, for PACK */

/* The function ct_clear_A, and statements that call it. */
void ct_tile_clear_emit_function(ct_text *text, const ct_tile_plan *plan);
void ct_tile_clear_emit(ct_text *text, const ct_tile_plan *plan);

/* ---- tile_group.c: by the work-items of a group together */

/* The loops; `at` is the index of the box's first element, n_s, n_t, ... what lies inside. */
void ct_tile_group_emit(ct_text *text, const ct_tile_plan *plan);

/* ---- tile_parts.c: what of a box lies inside the array, in parts that vectors can move */

typedef struct ct_tile_part {
    int number;
    int64_t extent[CT_DIMS]; /* in the tile's order: the length for which vectors are chosen */
    bool cut[CT_DIMS];  /* it may be another one when the kernel runs, at least that of a vector */
    bool last[CT_DIMS]; /* of an outer part only the last index, which the array does not fill */
} ct_tile_part;

/* The extent of the array along an argument, and how much of it the last box has, if boxes begin at
 * multiples of their length: 0 where that is all of a box. */
int64_t ct_tile_part_array_extent(const ct_tile_plan *plan, int argument);
int64_t ct_tile_part_expected(const ct_tile_plan *plan, int argument);
/* The other part of a split dimension; -1 where it is not split. */
int ct_tile_part_other(const ct_tile_plan *plan, int k);
/* Bit by bit of `number`: the full inner parts of a split dimension, or the rest. False where there
 * is no such part, or nothing in it. */
bool ct_tile_part_describe(ct_tile_part *part, const ct_tile_plan *plan, int number);
/* The same for the end of the array, bit by bit of `number` for each dimension that is shorter
 * there than a box of registers, which has `least`. False where there are fewer. */
bool ct_tile_part_shorten(ct_tile_part *part, const ct_tile_plan *plan,
                          const int64_t least[CT_DIMS], int number);

/* How many indices along a dimension lie inside: "n_s", "n_s / 8", "n_s % 8". */
void ct_tile_part_add_length(ct_text *text, const ct_tile_plan *plan, int k);

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
    ct_tile_part part;
    int number;                      /* of the function's name */
    ct_register_transpose registers; /* `to` is the tile in PACK, the array in STORE */
    ct_tile_conversion conversion;
    int parts; /* numbers (components) of the tile's type per word */
} ct_tile_vectors;

bool ct_tile_vectors_plan(ct_tile_vectors *vectors, const ct_tile_plan *plan,
                          const ct_tile_part *part);
/* The functions ct_pack_A_boxes0, .., and with `_nontemporal` its twin. */
void ct_tile_vectors_emit(ct_text *text, const ct_tile_vectors *vectors);
/* Words along a dimension of the copy that a box of registers has; and how many there are when the
 * kernel runs, of a whole box or of what lies inside. */
int64_t ct_tile_vectors_box(const ct_tile_vectors *vectors, int k);
void ct_tile_vectors_add_count(ct_text *text, const ct_tile_vectors *vectors, int k, bool inside);
/* Whether whole lines can be stored past the caches; how many indices along a dimension of the copy
 * make whole ones; whether rows may end inside one there, and the dimension along which they then
 * may: what comes after the last whole line is stored word by word. -1: none. */
bool ct_tile_vectors_can_bypass(const ct_tile_vectors *vectors);
int64_t ct_tile_vectors_line(const ct_tile_vectors *vectors, int k);
bool ct_tile_vectors_may_split(const ct_tile_vectors *vectors, int k);
int ct_tile_vectors_split(const ct_tile_vectors *vectors);
/* A box of registers has less than a line of a row. Past the caches it then moves the ends of rows,
 * where these are less than a line, too: word by word. */
bool ct_tile_vectors_short(const ct_tile_vectors *vectors);

/* tile_convert.c: loads and stores with conversion, and the types that their texts use. */
ct_register_transpose_io ct_tile_vectors_io(const ct_tile_vectors *vectors, bool nontemporal);
void ct_tile_vectors_types(ct_text *text, const ct_tile_vectors *vectors);
/* CT_CONVERT_char16_sat_rte and so on, of floats to the integers of 8 or 16 bits that the array has:
 * for STORE, and for kernels whose tile has them, too. */
void ct_tile_round_emit(ct_text *text, const ct_box *box);
/* "global const ct_word8": a pointer's type at the array's or the tile's side. */
void ct_tile_vectors_pointer(ct_text *text, const ct_tile_vectors *vectors, bool array);

/* ---- tile_ways.c: the ways that a kernel has, and its choice when it runs */

enum { CT_TILE_WAYS = 8 };

/* Ways to move what lies inside the array: of each part those with long boxes of registers first.
 */
typedef struct ct_tile_ways {
    int count;
    ct_tile_vectors way[CT_TILE_WAYS];
} ct_tile_ways;

/* False where there is nothing to gain or no way: then tile_plain.c does it all. */
bool ct_tile_ways_plan(ct_tile_ways *ways, const ct_tile_plan *plan);
/* Statements that move the box where one of the ways fits, and begin the one that does it else. */
void ct_tile_ways_emit_calls(ct_text *text, const ct_tile_ways *ways);

#endif
