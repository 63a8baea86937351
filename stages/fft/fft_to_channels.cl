/* Spectra side by side in the input, their channels contiguous in the output; N = 16 R2 16. The first
 * pass reads LANES spectra at a time (fft_load.cl). Its 16 results of each are transposed in registers: the
 * lanes of all that follows are 16 channels, which are neighbours in the output. Row n of the tile is
 * the spectrum at ROW_S(n), ROW_P(n), ROW_T(n). */
#define INNER A_N_c
#define NUMBERS (N_C / LANES)    /* of a transform behind the first pass */
#define ROW_STRIDE (NUMBERS + 1) /* vectors, one of padding: rows do not share a set */
#define LANE(l) (2 * ((l) / 4) + (l) % 2 + 8 * ((l) / 2 % 2))

/* Lanes change place with vectors. Those of the first pass were not in the order of memory; the last
 * one stores pairs of real and imaginary parts. */
INLINE void transpose(private const V *x, private V *to)
{
    V u[16], v[16];
    UNROLL for (int l = 0; l < 16; l += 4)
        gather_rows(x + LANE(l), x + LANE(l + 1), x + LANE(l + 2), x + LANE(l + 3), u + l);
    UNROLL for (int c = 0; c < 4; c++) gather_columns(u + c, v + c);
    UNROLL for (int l = 0; l < 16; l++) to[LANE(l) * ROW_STRIDE] = v[l];
}

#define KEEP(k, re, im)                                                                            \
    do {                                                                                           \
        x[k] = re, y[k] = im;                                                                      \
        if (k) times(&x[k], &y[k], w[((k) - 1) * SPAN + n], w[(15 + (k) - 1) * SPAN + n]);         \
    } while (0)

/* What is read for number n, where that is from memory. */
INLINE void prefetch(global const X_TYPE *from, const int n)
{
#if X_DIRECT && PREFETCH
    if (n < NUMBERS)
        for (int k = 0; k < LANES; k++)
            UNROLL for (int line = 0; line < ROWS / 8; line++)
                __builtin_prefetch(from + (long)(k * NUMBERS + n) * X_STRIDE_C + line * 8);
#endif
}

/* All vectors that lie together, one after the other. */
INLINE void first_pass(global const X_TYPE *from, private float *tile, global const float *w,
                       private V *zr, private V *zi)
{
    enum { SPAN = NUMBERS };
    for (int n = 0; n < SPAN; n++) {
        prefetch(from, n + PREFETCH);
        for (int v = 0; v < ROWS; v += LANES) {
            private float *z = tile + 2 * v;
            V x[16], y[16];
            RUN(16, GET_FIRST, KEEP, NOTHING);
            transpose(x, zr + v * ROW_STRIDE + n);
            transpose(y, zi + v * ROW_STRIDE + n);
        }
    }
}

/* The other passes, of one spectrum. */
#define GET_ROW(k, re, im) re = zr[at + (k) * SPAN], im = zi[at + (k) * SPAN]
#define PUT_ROW(k, re, im)                                                                         \
    do {                                                                                           \
        V a = re, b = im;                                                                          \
        if (k) times(&a, &b, w[((k) - 1) * SPAN + at], w[(RADIX - 1 + (k) - 1) * SPAN + at]);      \
        zr[at + (k) * SPAN] = a, zi[at + (k) * SPAN] = b;                                          \
    } while (0)
#define PUT_CHANNELS(k, re, im)                                                                    \
    do {                                                                                           \
        global float *p = to + 2 * ((k) * NUMBERS + at);                                           \
        STREAM(LOWER(re, im), p);                                                                  \
        STREAM(UPPER(re, im), p + LANES);                                                          \
    } while (0)
INLINE void finish(private V *zr, private V *zi, global const float *w, global float *to)
{
#if R2 > 1
    {
        enum { RADIX = R2, SPAN = LANES };
        for (int at = 0; at < SPAN; at++)
            RUN(R2, GET_ROW, PUT_ROW, NOTHING);
    }
#endif
    enum { SPAN = 1 };
    for (int at = 0; at < NUMBERS; at += LANES)
        RUN(16, GET_ROW, PUT_CHANNELS, NOTHING);
}

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t)
{
    V zr[ROWS * ROW_STRIDE], zi[ROWS * ROW_STRIDE];
    A_TYPE a[A_SIZE] __attribute__((aligned(64)));
#if !X_DIRECT
    PACK_A(a, s, p, t, 0, 0);
#endif
    first_pass(X_data + FROM_AT(s, p, t), (private float *)a, W_data, zr, zi);
    for (int row = 0; row < ROWS; row++) {
        const int rs = s + ROW_S(row), rp = p + ROW_P(row), rt = t + ROW_T(row);
        if (!CLIPS || (rs < Y_N_S && rp < Y_N_P && rt < Y_N_T))
            finish(zr + row * ROW_STRIDE, zi + row * ROW_STRIDE, W_data + 2 * (N_C - NUMBERS),
                   (global float *)(Y_data + TO_AT(rs, rp, rt)));
    }
}
