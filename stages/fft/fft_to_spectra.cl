/* Channels contiguous in the input, spectra side by side in the output. LANES of them at a time are brought
 * close and transformed one after the other but for the last pass, which takes the same vector of all
 * (fft_along.cl). Row n of the tile is the spectrum at ROW_S(n), ROW_P(n), ROW_T(n); rows lie together in
 * the output. */

#define PLACE_AT(n) ((n) * ROW_STRIDE)
#define OUT_TYPE global Y_TYPE
#define OUT_STRIDE_C Y_STRIDE_C
#define PUT(value, p) STREAM(value, (global float *)(p))
LEAVE_TOGETHER(leave_together)

#define ROW_AT(n) FROM_AT(s + ROW_S(n), p + ROW_P(n), t + ROW_T(n))

/* The lines of the spectrum that is read PREFETCH later. */
INLINE void prefetch(global const X_TYPE *from)
{
#if PREFETCH
    UNROLL for (int line = 0; line < N_C / 8; line++) __builtin_prefetch(from + line * 8);
#endif
}

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t)
{
    V zr[ROWS * ROW_STRIDE], zi[ROWS * ROW_STRIDE];
    for (int row = 0; row < ROWS; row++) {
        private V *re = zr + row * ROW_STRIDE, *im = zi + row * ROW_STRIDE;
        const int later = row + PREFETCH;
        prefetch(X_data + (later < ROWS ? ROW_AT(later) : ROW_AT(later - ROWS) + NEXT_TILE));
        first_pass((global const float *)(X_data + ROW_AT(row)), re, im, W_data);
        second_pass(re, im, W_data + 2 * (N_C - M1));
    }
    for (int vector = 0; vector < VECTORS; vector++)
        for (int row = 0; row < ROWS; row += LANES)
            leave_together(zr + row * ROW_STRIDE + vector, zi + row * ROW_STRIDE + vector,
                           Y_data + Y_AT(s, p, t, CHANNEL(vector)) + row);
}
