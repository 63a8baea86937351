/* Channels side by side: a vector's lanes are LANES of a spectrum's channels. Filtered rows, real and
 * imaginary parts apart, are transformed in place, each in ROW_STRIDE vectors of the first cache. Where
 * channels are contiguous in the output spectra leave one after the other (BY_CHANNELS). Else the last
 * pass takes the same vector of LANES spectra, which lie together in the output (Y_DIRECT) or in
 * tile R. Spectrum (s, p, t) of the tile is row ROW_AT; place n of those that leave is row PLACE_AT.
 * WHOLE_ROWS: all passes of a row follow each other, since the last one makes more than memory takes. */
#define WHOLE_ROWS (BY_CHANNELS && N_C >= SQUARE)
#define ROWS (TILE_S * TILE_P * TILE_T)
#define HISTORY (N_K - 1)
#define LAST_ROW (Y_N_T + HISTORY - 1)
#define ROW_AT(s, p, t) ((((s) * TILE_P + (p)) * TILE_T + (t)) * ROW_STRIDE)

#if X_DIRECT
#define SAMPLES(row, re, im)                                                                       \
    X_SAMPLES(global, from + (long)(min(t0 + (row), LAST_ROW) - t0) * N_C, re, im)
#define FROM global const X_TYPE *from
#else
#define SAMPLES(row, re, im) TILE_SAMPLES(private, from + (row) * G_SIZE, re, im)
#define FROM private const G_TYPE *from
#endif

/* Of a tile's; the others lie beyond the arrays. */
#define STATIONS(s0) (PART ? min(TILE_S, Y_N_S - (s0)) : TILE_S)

/* The samples of HISTORY rows as they are in registers, from a tile for the next one along T. */
#define KEEPS (SLIDE && TILES_T > 1)
#define KEPT_AT(s, p, c) ((((s) * TILE_P + (p)) * VECTORS + (c) / LANES) * 2 * HISTORY)

/* LANES channels of TILE_T spectra. */
INLINE void filter(FROM, global const float *taps, const int t0, const bool first, private V *kept,
                   private V *re, private V *im)
{
#if SLIDE
    V h[N_K], x[HISTORY + CELL_T], y[HISTORY + CELL_T];
    UNROLL_TAPS for (int k = 0; k < N_K; k++) h[k] = vload16(0, taps + k * W_STRIDE_K);
    if (!KEEPS || first)
        UNROLL_TAPS for (int k = 0; k < HISTORY; k++) SAMPLES(k, x[k], y[k]);
    else
        UNROLL_TAPS for (int k = 0; k < HISTORY; k++) x[k] = kept[2 * k], y[k] = kept[2 * k + 1];
    for (int t = 0; t < TILE_T; t += CELL_T) {
        UNROLL for (int i = 0; i < CELL_T; i++)
        {
            SAMPLES(t + HISTORY + i, x[HISTORY + i], y[HISTORY + i]);
            V sum = h[0] * x[i], sum_y = h[0] * y[i];
            UNROLL_TAPS for (int k = 1; k < N_K; k++)
            {
                sum = fma(h[k], x[i + k], sum);
                sum_y = fma(h[k], y[i + k], sum_y);
            }
            re[(t + i) * ROW_STRIDE] = sum, im[(t + i) * ROW_STRIDE] = sum_y;
        }
        UNROLL_TAPS for (int k = 0; k < HISTORY; k++) x[k] = x[k + CELL_T], y[k] = y[k + CELL_T];
    }
    if (KEEPS)
        UNROLL_TAPS for (int k = 0; k < HISTORY; k++) kept[2 * k] = x[k], kept[2 * k + 1] = y[k];
#else
    for (int t = 0; t < TILE_T; t += CELL_T) {
        V sum[CELL_T], sum_y[CELL_T];
        UNROLL for (int i = 0; i < CELL_T; i++) sum[i] = sum_y[i] = 0.0f;
        UNROLL_TAPS for (int row = 0; row < CELL_T + HISTORY; row++)
        {
            V x, y;
            SAMPLES(t + row, x, y);
            UNROLL for (int i = 0; i < CELL_T; i++) if (row >= i && row - i < N_K)
            {
                const V h = vload16(0, taps + (row - i) * W_STRIDE_K);
                sum[i] = fma(h, x, sum[i]), sum_y[i] = fma(h, y, sum_y[i]);
            }
        }
        UNROLL for (int i = 0; i < CELL_T; i++)
            re[(t + i) * ROW_STRIDE] = sum[i], im[(t + i) * ROW_STRIDE] = sum_y[i];
    }
#endif
}

/* The n-th share of a later tile's samples, in the order of memory. */
#define ROW_LINES ((N_C * (int)sizeof(X_TYPE) + 63) / 64)
#define SHARE ((TILE_T * ROW_LINES + VECTORS - 1) / VECTORS)
INLINE void prefetch_share(global const X_TYPE *tile, const int n)
{
#if PREFETCH
    for (int line = n * SHARE; line < n * SHARE + SHARE; line++)
        __builtin_prefetch(tile + line / ROW_LINES * N_C + line % ROW_LINES * 64 / (int)sizeof(X_TYPE));
#endif
}

/* All passes but the last one, of a row; and of those that follow each other. */
INLINE void transform_row(private V *re, private V *im, global const float *factors)
{
    first_pass(0, re, im, factors, 0);
    second_pass(re, im, factors + 2 * (N_C - M1));
}
INLINE void transform(private V *re, private V *im, global const float *factors, const int rows)
{
#if !WHOLE_ROWS
    for (int row = 0; row < rows * ROW_STRIDE; row += ROW_STRIDE)
        transform_row(re + row, im + row, factors);
#endif
}

#if X_DIRECT
/* Series after series, so that its rows are transformed while they are in the first cache. */
INLINE void filter_tile(CT_ARGS, const int s0, const int p0, const int t0, const bool first,
                        private V *kept, private V *re, private V *im)
{
    for (int s = 0; s < STATIONS(s0); s++)
        for (int p = 0; p < TILE_P; p++) {
            const int row = ROW_AT(s, p, 0);
            global const X_TYPE *from =
                X_data + X_AT(min(s0 + s, Y_N_S - 1), min(p0 + p, Y_N_P - 1), t0 * N_C, 0);
            for (int c = 0; c < N_C; c += LANES) {
                prefetch_share(from + (long)(TILE_T * PREFETCH + HISTORY) * N_C, c / LANES);
                filter(from + c, W_data + W_AT(0, c), t0, first, kept + KEPT_AT(s, p, c),
                       re + row + c / LANES, im + row + c / LANES);
            }
            transform(re + row, im + row, F_data, TILE_T);
        }
}
#else
/* TILE_C channels after another, by way of tile G. */
INLINE void filter_tile(CT_ARGS, const int s0, const int p0, const int t0, const bool first,
                        private V *kept, private V *re, private V *im)
{
    for (int c0 = 0; c0 < N_C; c0 += TILE_C) {
        G_TYPE g[(TILE_T + HISTORY) * G_SIZE] __attribute__((aligned(64)));
        for (int row = !KEEPS || first ? 0 : HISTORY; row < TILE_T + HISTORY; row++)
            PACK_G(g + row * G_SIZE, s0, p0, min(t0 + row, LAST_ROW) * N_C + c0, 0);
        for (int s = 0; s < STATIONS(s0); s++)
            for (int p = 0; p < TILE_P; p++)
                for (int c = c0; c < c0 + TILE_C; c += LANES) {
                    const int row = ROW_AT(s, p, 0) + c / LANES;
                    filter(g + G_AT(s, p, c - c0), W_data + W_AT(0, c), t0, first,
                           kept + KEPT_AT(s, p, c), re + row, im + row);
                }
    }
    transform(re, im, F_data, STATIONS(s0) * TILE_P * TILE_T);
}
#endif

#if BY_CHANNELS
#if WHOLE_ROWS
INLINE void leave(global Y_TYPE *Y_data, global const float *factors, private V *re, private V *im,
                  const int s0, const int p0, const int t0)
{
    for (int s = 0; s < TILE_S; s++)
        for (int p = 0; p < TILE_P; p++)
            for (int t = 0; t < TILE_T; t++)
                if (!CLIPS || (s0 + s < Y_N_S && p0 + p < Y_N_P && t0 + t < Y_N_T)) {
                    private V *zr = re + ROW_AT(s, p, t), *zi = im + ROW_AT(s, p, t);
                    transform_row(zr, zi, factors);
                    last_pass(zr, zi, (global float *)(Y_data + Y_AT(s0 + s, p0 + p, t0 + t, 0)), 0, 0);
                }
}
#else
INLINE void leave(global Y_TYPE *Y_data, global const float *factors, private V *re, private V *im,
                  const int s0, const int p0, const int t0)
{
    global float *to[TOGETHER];
    for (int row = 0; row < ROWS; row += TOGETHER) {
        for (int n = 0; n < TOGETHER; n++)
            to[n] = (global float *)(Y_data + Y_AT(s0 + (row + n) / (TILE_P * TILE_T),
                                                   p0 + (row + n) / TILE_T % TILE_P,
                                                   t0 + (row + n) % TILE_T, 0));
        last_pass(re + row * ROW_STRIDE, im + row * ROW_STRIDE, to);
    }
}
#endif
#else
#if Y_DIRECT
#define OUT_STRIDE_C Y_STRIDE_C
#define PUT(value, p, n) STREAM_SOME(value, (global float *)(p), n)
#define OUT_TYPE global Y_TYPE
#else
#define OUT_STRIDE_C R_STRIDE_C
#define PUT(value, p, n) *(private V_NEAR *)(p) = (value)
#define OUT_TYPE private R_TYPE
#endif
#define ASK_FAR NOTHING
LEAVE_TOGETHER(leave_together)

INLINE void leave(global Y_TYPE *Y_data, global const float *factors, private V *re, private V *im,
                  const int s0, const int p0, const int t0)
{
#if !Y_DIRECT
    R_TYPE r[R_SIZE] __attribute__((aligned(64)));
#endif
    for (int first = 0; first < ROWS; first += LANES) {
        const int row = PLACE_AT(first);
#if Y_DIRECT
        OUT_TYPE *to = Y_data + Y_AT(s0 + row / ROW_STRIDE / (TILE_P * TILE_T), p0 + row / ROW_STRIDE / TILE_T % TILE_P,
                                     t0 + row / ROW_STRIDE % TILE_T, 0);
#else
        OUT_TYPE *to = r + first;
#endif
        for (int vector = 0; vector < VECTORS; vector++)
            LEAVE(re + row + vector, im + row + vector, to + (long)CHANNEL(vector) * OUT_STRIDE_C, 0,
                  LEFT_AT(s0, first));
    }
#if !Y_DIRECT
    STORE_R(r, s0, p0, t0, 0);
#endif
}
#endif

INLINE void spectra(CT_ARGS, const int s, const int p, const int t0)
{
    V re[ROWS * ROW_STRIDE], im[ROWS * ROW_STRIDE];
    V kept[KEEPS ? KEPT_AT(TILE_S, 0, 0) : 1];
    for (int t = t0; t < t0 + REACH_T && (!CLIPS || t < Y_N_T); t += TILE_T) {
        filter_tile(X_data, Y_data, W_data, F_data, s, p, t, t == t0, kept, re, im);
        leave(Y_data, F_data, re, im, s, p, t);
    }
}
