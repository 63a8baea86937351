/* Spectra side by side: a vector's lanes are LANES of the tile's spectra, in the order T, S, P. Tile U has
 * the samples of channel after channel, rows in the same order, so that those of the next tap lie
 * TILE_S TILE_P places further. Spectra that lie together in the output leave by themselves, others by
 * way of tile R. */
#define INNER A_N_c
#define FACTORS F_data
#if Y_DIRECT
#define PUT_LAST PUT_Y
#else
#define PUT_LAST PUT_R
#endif

/* Stores undo this order of the lanes. */
#define ORDERED(v) SHUFFLE(v, v, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15)

INLINE void filter(private const U_TYPE *from, global const float *taps, private float *to)
{
    V re = 0.0f, im = 0.0f;
    for (int k = 0; k < N_K; k++) {
        const V h = taps[k * W_STRIDE_K];
        V x, y;
        TILE_SAMPLES(private, from + k * U_STRIDE_T, x, y);
        re = fma(h, x, re), im = fma(h, y, im);
    }
    *(private V_NEAR *)to = ORDERED(re), *(private V_NEAR *)(to + LANES) = ORDERED(im);
}

INLINE void spectra(CT_ARGS, const int s, const int p, const int t)
{
    U_TYPE u[U_SIZE] __attribute__((aligned(64)));
    A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    private float *tile = (private float *)a;
    global Y_TYPE *to = Y_data + Y_AT(s, p, t, 0);
    PACK_U(u, s, p, t * N_C, 0);
    for (int c = 0; c < N_C; c++)
        for (int v = 0; v < ROWS; v += LANES)
            filter(u + c * U_STRIDE_t + v, W_data + W_AT(0, c), tile + 2 * AT(c) + 2 * v);
    MIDDLE_PASSES
#if Y_DIRECT
    private float *out = tile;
    LAST_PASS(RADIX_LAST, GET_Z, PUT_LAST);
#else
    R_TYPE r[R_SIZE] __attribute__((aligned(64)));
    private float *out = (private float *)r;
    LAST_PASS(RADIX_LAST, GET_Z, PUT_LAST);
    STORE_R(r, s, p, t, 0);
#endif
}
