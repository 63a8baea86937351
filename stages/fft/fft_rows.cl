/* Transforms side by side: a vector's lanes are as many spectra, and no number ever changes its lane.
 *
 * A work-item makes TILE_S x TILE_P x TILE_T spectra. Where these lie together in the input, the first
 * pass reads them there, else tile A is packed; where they do in the output, the last pass writes them
 * there, else tile R is stored. In between passes work in place, position p of tile A holding LANES real
 * parts and LANES imaginary ones. After the last pass position b R + q has the channel
 * CHANNEL(b) + q N / R: digits of b reversed. */
#define ROWS (TILE_S * TILE_P * TILE_T)
#define INNER A_N_c
#define AT(p) ((p) / INNER * A_STRIDE_C + (p) % INNER * A_STRIDE_c)
/* Between two positions `far` numbers of a pass apart, k times: a pass of steps within one INNER, or
 * from one to the next. */
#define APART(k, far) ((far) % INNER == 0 ? (k) * ((far) / INNER) * A_STRIDE_C : (k) * (far) * A_STRIDE_c)

#if CLIPS
#define START(first, tile, extent) (first)
#else /* the last tile moves back */
#define START(first, tile, extent) min((first), (extent) - (tile))
#endif

#define NEAR(p) (*(private V_NEAR *)(p))

/* Interleaved, in memory or in a tile. Lanes are not in the order of memory in between. */
#define SPLIT(a, b, re, im)                                                                        \
    do {                                                                                           \
        const V first = a, second = b;                                                             \
        re = EVENS(first, second), im = ODDS(first, second);                                       \
    } while (0)
#define GET_X(k, re, im)                                                                           \
    do {                                                                                           \
        global const float *p = (global const float *)(x + (long)((k) * SPAN + n) * X_STRIDE_C);   \
        SPLIT(vload16(0, p), vload16(1, p), re, im);                                               \
    } while (0)
#define GET_A(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = z + 2 * (AT(n) + APART(k, SPAN));                                       \
        SPLIT(NEAR(p), NEAR(p + LANES), re, im);                                                   \
    } while (0)
#define GET_Z(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = at + 2 * APART(k, SPAN);                                                \
        re = NEAR(p), im = NEAR(p + LANES);                                                        \
    } while (0)
/* Times exp(-2 pi i k n / (SPAN R)), from the table: (R - 1) SPAN cosines, then as many sines. */
#define PUT_Z(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = at + 2 * APART(k, SPAN);                                                \
        V a = re, b = im;                                                                          \
        if (k) times(&a, &b, w[((k) - 1) * SPAN + n], w[(RADIX - 1 + (k) - 1) * SPAN + n]);        \
        NEAR(p) = a, NEAR(p + LANES) = b;                                                          \
    } while (0)
#define PUT_Y(k, re, im)                                                                           \
    do {                                                                                           \
        global Y_TYPE *p = y + (long)(CHANNEL(n) + (k) * (N_C / RADIX)) * Y_STRIDE_C;              \
        STREAM(LOWER(re, im), (global float *)p);                                                   \
        STREAM(UPPER(re, im), (global float *)p + LANES);                                            \
    } while (0)
#define PUT_R(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = row + 2 * AT(CHANNEL(n) + (k) * (N_C / RADIX));                         \
        NEAR(p) = LOWER(re, im), NEAR(p + LANES) = UPPER(re, im);                                  \
    } while (0)

#if X_DIRECT
#define GET_FIRST GET_X
#else
#define GET_FIRST GET_A
#endif
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
                global const X_TYPE *x = from + v;                                                 \
                private float *z = tile + 2 * v, *at = z + 2 * AT(n);                              \
                RUN(radix, GET_FIRST, PUT_Z);                                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)
/* In place, over `count` transforms of radix * span numbers. */
#define MIDDLE_PASS(radix, count, span, weights)                                                  \
    do {                                                                                           \
        enum { RADIX = radix, SPAN = span };                                                       \
        global const float *w = W_data + W_AT(weights);                                            \
        for (int v = 0; v < ROWS; v += LANES)                                                      \
            for (int part = 0; part < count; part++)                                               \
                for (int n = 0; n < SPAN; n++) {                                                   \
                    private float *at = tile + 2 * v + 2 * AT(part * RADIX * SPAN + n);            \
                    RUN(radix, GET_Z, PUT_Z);                                                      \
                }                                                                                  \
    } while (0)
#define LAST_PASS(radix, GET)                                                                      \
    do {                                                                                           \
        enum { RADIX = radix, SPAN = 1 };                                                          \
        for (int n = 0; n < N_C / RADIX; n++)                                                      \
            for (int v = 0; v < ROWS; v += LANES) {                                                \
                global const X_TYPE *x = from + v;                                                 \
                global Y_TYPE *y = to + v;                                                         \
                private float *z = tile + 2 * v, *at = z + 2 * AT(n * RADIX), *row = out + 2 * v;  \
                RUN(radix, GET, PUT_LAST);                                                         \
            }                                                                                      \
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
                           global const float *W_data, private float *tile, private float *out)
{
#if PASSES > 1
    global const float *w = W_data;
    FIRST_PASS(RADIX_FIRST, N_C / RADIX_FIRST);
    MIDDLE_PASSES
    LAST_PASS(RADIX_LAST, GET_Z);
#else
    LAST_PASS(RADIX_LAST, GET_FIRST);
#endif
}

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t)
{
    A_TYPE a[A_SIZE] __attribute__((aligned(64)));
#if !X_DIRECT
    PACK_A(a, s, p, t, 0);
#endif
#if !Y_DIRECT
    R_TYPE r[R_SIZE] __attribute__((aligned(64)));
#else
    A_TYPE *r = a;
#endif
    transform_rows(X_data + X_AT(s, p, t, 0), Y_data + Y_AT(s, p, t, 0), W_data,
                   (private float *)a, (private float *)r);
#if !Y_DIRECT
    STORE_R(r, s, p, t, 0);
#endif
}
