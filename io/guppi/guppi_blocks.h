/* guppi_blocks.h: the blocks of one or several GUPPI raw files, each at its time.
 * Room: io/guppi. Knows PKTIDX. Does not know samples' places in a block. */
#ifndef CT_IO_GUPPI_BLOCKS_H
#define CT_IO_GUPPI_BLOCKS_H
#include "guppi.h"

typedef struct ct_guppi_block {
    int64_t file;    /* which */
    int64_t data_at; /* byte of it */
    int64_t begin;   /* sample along T */
    int64_t samples; /* until the next block, or a hole */
} ct_guppi_block;

typedef struct ct_guppi_blocks {
    const char **file;
    int64_t files;
    ct_guppi first;
    ct_guppi_block *block;
    int64_t count, room;
    int64_t total;   /* samples, with holes */
    int64_t holes;   /* how many */
    int64_t missing; /* samples in them */
} ct_guppi_blocks;

/* Of the node's "files" and "max_gap_s"; what is left out, or missing, is warned of. */
ct_status ct_guppi_blocks_find(ct_guppi_blocks *out, ct_step *step, ct_error *err);
/* The last block that begins at this sample or before. */
const ct_guppi_block *ct_guppi_blocks_at(const ct_guppi_blocks *blocks, int64_t sample);

#endif
