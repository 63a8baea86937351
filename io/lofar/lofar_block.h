/* lofar_block.h: samples of lanes to where a block wants them.
 * Room: io/lofar. Knows blocks of arrays, lanes and which beamlets are read. Does not know graphs.
 */
#ifndef CT_IO_LOFAR_BLOCK_H
#define CT_IO_LOFAR_BLOCK_H
#include "lofar_plan.h"
#include "lofar_tile.h"
#include "lofar_unpack.h"

/* Beamlets that follow each other in a lane's packets and in the array. */
typedef struct ct_lofar_row {
    int64_t lane, beamlet, c, count;
} ct_lofar_row;

typedef struct ct_lofar_block {
    ct_lofar_row *row;
    int64_t rows;
    ct_unpack_change change; /* of numbers */
    uint8_t *converted;      /* a packet, clamped and scaled; NULL: numbers stay as they are */
    ct_array *block;         /* where to; NULL: nothing is wanted of the samples */
    int64_t next;            /* the block's first sample */
    ct_lofar_tile tile;
} ct_lofar_block;

/* Samples of one lane. */
typedef struct ct_lofar_window {
    int64_t from, to; /* sample numbers */
    int64_t station, lane;
} ct_lofar_window;

ct_status ct_lofar_block_open(ct_lofar_block *to, ct_step *step);
/* What is taken next goes there: a block whose first sample has this number. */
void ct_lofar_block_begin(ct_lofar_block *to, ct_array *block, int64_t next);
/* Of a step of the block takes the lane's packets, as far as they are in order: those that come
 * late are taken with the next steps, or in the end. Those of the next windows stay with the lane.
 * *taken: adds how many samples of the block were there. *ended: nothing comes behind. */
ct_status ct_lofar_block_take(ct_lofar_block *to, ct_lane *lane, ct_lofar_window at, int64_t *taken,
                              bool *ended, ct_error *err);
/* Steps over what comes before the block, to a little behind this sample. */
ct_status ct_lofar_block_pass(ct_lofar_block *to, ct_lane *lane, int64_t sample, bool *ended,
                              ct_error *err);
/* Where all lanes of a station are taken: their samples are in the block. */
void ct_lofar_block_store(ct_lofar_block *to, ct_lofar_window at);
/* Takes what comes late of a block of which all steps are taken. `last`: looks for it even where
 * nothing is missing. */
ct_status ct_lofar_block_finish(ct_lofar_block *to, ct_lane *lane, ct_lofar_window at, bool last,
                                int64_t *taken, bool *ended, ct_error *err);
/* Zeros in the window, all of it. */
void ct_lofar_block_zero(ct_lofar_block *to, ct_lofar_window at);

#endif
