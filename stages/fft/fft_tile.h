/* fft_tile.h: gathering a tile of rows from any layout into contiguous rows, and back.
 * Room: stages/fft. Knows strides of 8-byte elements. Does not know FFTW.
 * Order: axes, length, stride and row_stride set, ct_fft_tile_order, then gather or scatter. */
#ifndef CT_STAGES_FFT_TILE_H
#define CT_STAGES_FFT_TILE_H
#include "fft.h"

enum { FFT_TILE_ROWS = 1024 }; /* most rows of a tile */

/* One complex sample; only moved, never computed with. */
typedef struct fft_element {
    uint32_t re, im;
} fft_element;

/* Where a row of the tile starts: in the array, and among the rows. */
typedef struct fft_row {
    int64_t array, rows;
} fft_row;

/* A box of rows: along each batch axis `extent` transforms, `step` elements apart in the array.
 * Row r of the tile (last axis fastest) starts at r * row_stride. `length` elements per row,
 * `stride` apart in the array. */
typedef struct fft_tile {
    int axes;
    int64_t extent[CT_DIMS], step[CT_DIMS];
    int64_t length, stride, row_stride;
    int64_t count, near;        /* rows; how many in a group that steps less than a channel */
    fft_row row[FFT_TILE_ROWS]; /* in the array's memory order, group by group */
} fft_tile;

void ct_fft_tile_order(fft_tile *tile);
/* Prefetches the lines of rows that are contiguous. */
void ct_fft_tile_prefetch(const fft_tile *tile, const fft_element *from);
void ct_fft_tile_gather(const fft_tile *tile, fft_element *rows, const fft_element *from);
/* nontemporal: whole lines are stored past the caches. */
void ct_fft_tile_scatter(const fft_tile *tile, fft_element *to, const fft_element *rows,
                         bool nontemporal);

#endif
