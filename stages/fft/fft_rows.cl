/* Spectra side by side (fft_across.cl). A work-item makes TILE_S x TILE_P x TILE_T of them. Where these
 * lie together in the input, the first pass reads them there, else tile A is packed; where they do in
 * the output, the last pass writes them there, else tile R is stored. */

#define INNER A_N_c
#define FACTORS factors

#if Y_DIRECT
#define PUT_LAST PUT_Y
#else
#define PUT_LAST PUT_R
#endif

/* All vectors of a row of the tile, one after the other: number n of the first pass, transform n of
 * the last one. */
#define FIRST_PASS(radix, span)                                                                    \
    do {                                                                                           \
        enum { RADIX = radix, SPAN = span };                                                       \
        for (int n = 0; n < SPAN; n++) {                                                           \
            prefetch(from, n + PREFETCH, RADIX, SPAN);                                             \
            for (int v = 0; v < ROWS; v += LANES) {                                                \
                private float *z = tile + 2 * v, *at = z + 2 * AT(n);                              \
                RUN(radix, GET_FIRST, PUT_Z, NOTHING);                                             \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* What the first pass reads for number n, where that is from memory. */
INLINE void prefetch(global const X_TYPE *from, const int n, const int radix, const int span)
{
#if X_DIRECT && PREFETCH
    if (n < span)
        for (int k = 0; k < radix; k++)
            UNROLL for (int v = 0; v < ROWS; v += 8)
                __builtin_prefetch(from + (long)(k * span + n) * X_STRIDE_C + v);
#endif
}

INLINE void transform_rows(global const X_TYPE *from, global Y_TYPE *to,
                           global const float *factors, private float *tile, private float *out)
{
#if PASSES > 1
    global const float *w = factors;
    FIRST_PASS(RADIX_FIRST, N_C / RADIX_FIRST);
    MIDDLE_PASSES
    LAST_PASS(RADIX_LAST, GET_Z, PUT_LAST);
#else
    LAST_PASS(RADIX_LAST, GET_FIRST, PUT_LAST);
#endif
}

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t)
{
    A_TYPE a[A_SIZE] __attribute__((aligned(64)));
#if !X_DIRECT
    PACK_A(a, s, p, t, 0, 0);
#endif
#if !Y_DIRECT
    R_TYPE r[R_SIZE] __attribute__((aligned(64)));
#else
    A_TYPE *r = a;
#endif
    transform_rows(X_data + FROM_AT(s, p, t), Y_data + TO_AT(s, p, t), W_data,
                   (private float *)a, (private float *)r);
#if !Y_DIRECT
    STORE_R(r, s, p, t, 0);
#endif
}
