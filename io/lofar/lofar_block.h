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
/* Takes the lane's packets of one step of the block, as far as they are in order: late ones are
 * taken with the next steps, or at the end. Those of the next windows stay with the lane. *taken:
 * adds how many samples of the block were there. *ended: nothing comes after. */
ct_status ct_lofar_block_take(ct_lofar_block *to, ct_lane *lane, ct_lofar_window at, int64_t *taken,
                              bool *ended, ct_error *err);
/* Skips what comes before the block, to a little after this sample. */
ct_status ct_lofar_block_pass(ct_lofar_block *to, ct_lane *lane, int64_t sample, bool *ended,
                              ct_error *err);
/* After all lanes of a station were taken: moves their samples to the block. */
void ct_lofar_block_store(ct_lofar_block *to, ct_lofar_window at);
/* Takes late packets of a block whose steps were all taken. `last`: looks for them even if nothing
 * is missing. */
ct_status ct_lofar_block_finish(ct_lofar_block *to, ct_lane *lane, ct_lofar_window at, bool last,
                                int64_t *taken, bool *ended, ct_error *err);
/* Zeros in the window, all of it. */
void ct_lofar_block_zero(ct_lofar_block *to, ct_lofar_window at);

#endif
