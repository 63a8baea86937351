/* lofar_tile.h: a stretch of a station's samples in the block's order, small enough to stay in the
 * processor's cache while one lane after the other writes its part of each row. Whole rows then go
 * to the block past the cache, so that a block that is larger than caches is written once, and not
 * read before.
 * Room: io/lofar. Knows blocks of arrays. Does not know packets. */
#ifndef CT_IO_LOFAR_TILE_H
#define CT_IO_LOFAR_TILE_H
#include "cornerturn_stage.h"

typedef struct ct_lofar_tile {
    void *memory;
    int64_t samples; /* of a step, with a tile or without: lanes are read so far in turn */
    bool used;       /* false: samples go straight to the block */
    bool past;       /* the block is larger than caches */
    ct_array array;  /* P,T,C: one station's samples of a step */
} ct_lofar_tile;

ct_status ct_lofar_tile_open(ct_lofar_tile *tile, ct_step *step);
/* Takes the block's order. There is no tile where it would gain nothing. */
void ct_lofar_tile_shape(ct_lofar_tile *tile, const ct_array *block);
/* The first `count` samples to the block's from `first` on. */
void ct_lofar_tile_store(const ct_lofar_tile *tile, ct_array *block, int64_t station, int64_t first,
                         int64_t count);

#endif
