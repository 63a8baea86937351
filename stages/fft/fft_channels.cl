/* Spectra one after the other, their channels contiguous on both sides (fft_along.cl). A work-item makes
 * TILE_T of them, TOGETHER at a time. */
#define START(first, tile, extent) (first)

#if N_C >= SQUARE
INLINE void transform_together(global const float *from[], global float *to[],
                               global const float *w)
{
    V zr[VECTORS], zi[VECTORS];
    first_pass(from[0], zr, zi, w);
    second_pass(zr, zi, w + 2 * (N_C - M1));
    last_pass(zr, zi, to[0], 0);
}
#else
INLINE void transform_together(global const float *from[], global float *to[],
                               global const float *w)
{
    V zr[16], zi[16];
    for (int n = 0; n < TOGETHER; n++)
        first_pass(from[n], zr + n * VECTORS, zi + n * VECTORS, w);
    last_pass(zr, zi, to);
}
#endif

/* The lines that are read PREFETCH rounds later. */
INLINE void prefetch(global const float *from)
{
#if PREFETCH
    UNROLL for (int k = 0; k < VECTORS * 2; k++) __builtin_prefetch(from + k * LANES);
#endif
}

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t0)
{
    global const float *from[TOGETHER];
    global float *to[TOGETHER];
    for (int t = t0; t < min(t0 + TILE_T, Y_N_T); t += TOGETHER) {
        for (int n = 0; n < TOGETHER; n++) { /* what is beyond the end: the last one again */
            const int at = min(t + n, Y_N_T - 1);
            from[n] = (global const float *)(X_data + FROM_AT(s, p, at));
            to[n] = (global float *)(Y_data + TO_AT(s, p, at));
            prefetch(from[n] + 2 * (long)PREFETCH * TOGETHER * X_STRIDE_T);
        }
        transform_together(from, to, W_data);
    }
}
