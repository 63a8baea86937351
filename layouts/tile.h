/* tile.h: the generator of PACK and STORE: moving a box between an array of any layout and a tile
 * of one fixed order. docs/generator.md explains it to a newcomer.
 * Room: layouts. Knows arrays, orders, vector widths. Does not know stages or OpenCL calls. */
#ifndef CT_LAYOUTS_TILE_H
#define CT_LAYOUTS_TILE_H
#include "access.h"
#include "cornerturn_stage.h"

typedef struct ct_box {
    const char *name;          /* "A": PACK_A or STORE_A */
    ct_access access;          /* the array's side */
    const char *order;         /* the tile's letters, slowest first; lower case: inner part */
    int64_t extent[CT_DIMS];   /* of the tile, in the order of `order` */
    char padded;               /* the letter of `order` after all of which padding stands; '\0': the
                                  fastest one */
    int64_t padding;           /* elements after each row */
    const char *type;          /* "float2", "char2", "short2", ... in the tile */
    int group;                 /* work-items that share the work; 1: no barrier, no division */
    int vector;                /* widest vector, in bytes: 64 on AVX-512; 0: element by element */
    int nontemporal, prefetch; /* tunables of the same names; 0 off */
} ct_box;

/* CT_INVALID where the port's type cannot become the tile's, or a letter is not the port's. */
ct_status ct_tile_emit(ct_text *text, const ct_box *box, ct_error *err);

#endif
