/* Spectra one after the other, their channels contiguous on both sides (fft_along.cl). A work-item makes
 * a tile of them in the order in which they lie in the input, TOGETHER at a time: row n is the spectrum at
 * ROW_S(n), ROW_P(n), ROW_T(n). */

#if N_C >= SQUARE
INLINE void transform_together(global const float *from[], global float *to[],
                               global const float *ahead[], global const float *w)
{
    V zr[VECTORS], zi[VECTORS];
    first_pass(from[0], zr, zi, w, ahead[0]);
    second_pass(zr, zi, w + 2 * (N_C - M1));
    last_pass(zr, zi, to[0], 0, ahead[0]);
}
#else
INLINE void transform_together(global const float *from[], global float *to[],
                               global const float *ahead[], global const float *w)
{
    V zr[16], zi[16];
    for (int n = 0; n < TOGETHER; n++) {
        first_pass(from[n], zr + n * VECTORS, zi + n * VECTORS, w, 0);
        for (int line = 0; line < 2 * VECTORS; line += 2)
            ask(ahead[n], line);
    }
    last_pass(zr, zi, to);
}
#endif

/* Tiles may end beyond the arrays: what is there is the last one again. */
#define WITHIN(at, extent) min((at), (extent) - 1)
#define ROW_AT(SIDE, n)                                                                            \
    SIDE##_AT(WITHIN(s + ROW_S(n), Y_N_S), WITHIN(p + ROW_P(n), Y_N_P),                            \
              WITHIN(t + ROW_T(n), Y_N_T))

#define AHEAD_AT(later)                                                                            \
    (later < ROWS ? ROW_AT(FROM, later) : ROW_AT(FROM, later - ROWS) + NEXT_TILE)

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t)
{
    global const float *from[TOGETHER], *ahead[TOGETHER]; /* what is read PREFETCH rounds later */
    global float *to[TOGETHER];
    for (int row = 0; row < ROWS; row += TOGETHER) {
        if (s + ROW_S(row) >= Y_N_S || p + ROW_P(row) >= Y_N_P || t + ROW_T(row) >= Y_N_T) continue;
        for (int n = 0; n < TOGETHER; n++) {
            const int at = min(row + n, ROWS - 1), later = at + PREFETCH * TOGETHER;
            from[n] = (global const float *)(X_data + ROW_AT(FROM, at));
            to[n] = (global float *)(Y_data + ROW_AT(TO, at));
            ahead[n] = (global const float *)(X_data + AHEAD_AT(later));
        }
        transform_together(from, to, ahead, W_data);
    }
}
