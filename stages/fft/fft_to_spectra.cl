/* Channels contiguous in the input, spectra side by side in the output. LANES of them at a time are brought
 * close and transformed one after the other but for the last pass, which takes the same vector of all
 * (fft_along.cl). Row n of the tile is the spectrum at ROW_S(n), ROW_P(n), ROW_T(n); rows lie together in
 * the output. */

#define PLACE_AT(n) ((n) * ROW_STRIDE)
#define OUT_TYPE global Y_TYPE
#define OUT_STRIDE_C Y_STRIDE_C
#define PUT(value, p, n) STREAM_SOME(value, (global float *)(p), n)
/* While a tile leaves, the second cache is asked for the next one: as many lines for each square of LANES
 * vectors as these are. */
#if PREFETCH && N_C >= SQUARE
#define ASK_FAR(n)                                                                                 \
    UNROLL for (int line = 4 * (n); line < 4 * (n) + 4; line++)                                    \
        __builtin_prefetch(ahead + LANES * line, 0, 2)
#else
#define ASK_FAR NOTHING
#endif
LEAVE_TOGETHER(leave_together)

#define ROW_AT(n) FROM_AT(s + ROW_S(n), p + ROW_P(n), t + ROW_T(n))

/* What is read after square n of this tile has left, as much as a square. */
#define NEXT_AT(n) (ROW_AT((n) * SQUARE / N_C) + NEXT_TILE + (n) * SQUARE % N_C)

/* The lines of the spectrum that is read PREFETCH later, which short passes do not ask for. */
INLINE void prefetch(global const X_TYPE *from)
{
#if PREFETCH && N_C < SQUARE
    UNROLL for (int line = 0; line < N_C / 8; line++) __builtin_prefetch(from + line * 8);
#endif
}

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t)
{
    V zr[ROWS * ROW_STRIDE], zi[ROWS * ROW_STRIDE];
    for (int row = 0; row < ROWS; row++) {
        if (PART && s + ROW_S(row) >= Y_N_S) continue;
        private V *re = zr + row * ROW_STRIDE, *im = zi + row * ROW_STRIDE;
        const int later = row + PREFETCH;
        global const X_TYPE *ahead =
            X_data + (later < ROWS ? ROW_AT(later) : ROW_AT(later - ROWS) + NEXT_TILE);
        prefetch(ahead);
        first_pass((global const float *)(X_data + ROW_AT(row)), re, im, W_data,
                   (global const float *)ahead);
        second_pass(re, im, W_data + 2 * (N_C - M1));
    }
    for (int vector = 0; vector < VECTORS; vector++)
        for (int row = 0; row < ROWS; row += LANES)
            LEAVE(zr + row * ROW_STRIDE + vector, zi + row * ROW_STRIDE + vector,
                  Y_data + Y_AT(s, p, t, CHANNEL(vector)) + row,
                  (global const float *)(X_data + NEXT_AT((vector * ROWS + row) / LANES)),
                  LEFT_AT(s, row));
}
