/* Transforms by a work-group, on GPUs: ROWS spectra at a time, TILE_S x TILE_P x TILE_T of them, whose numbers lie
 * in local memory between passes. A pass works in place: each of its butterflies is a work-item's, in
 * registers, and a barrier ends it.
 *
 * In `z` position q of spectrum (s, p, t) is at ROW_AT(s, p, t) + AT(q), gaps against conflicts of banks
 * included. DIGIT_x_X(i, count) of item i of a loop is its place along x where neighbours in X are neighbouring
 * items, and along C of `count` places; likewise of Y and of Z. After the passes position b R + q has the
 * channel CHANNEL(b) + q N / R, and BUTTERFLY(CHANNEL(b)) is b. All of these are defined by fft_group.c. */
#define ROWS (TILE_S * TILE_P * TILE_T)
#define LAST_CHANNELS (N_C / RADIX_LAST)
/* All work-items take part; a body has no barrier. What reads memory is unrolled so far that a work-item
 * asks for 16 numbers at a time. */
#define UNROLL_16 _Pragma("unroll 16")
#define FOR_ITEMS(i, count)                                                                        \
    for (uint i##_n = 0, i = item; i##_n < ((count) + WG - 1) / WG; i##_n++, i += WG)              \
        if ((count) % WG == 0 || i < (count))

#define AT(q) ((q) + (q) / 16 + (Z_GAP ? (q) / (N_C / RADIX_FIRST) * Z_GAP : 0))
#define ROW_AT(s, p, t) ((s) * Z_STRIDE_S + (p) * Z_STRIDE_P + (t) * Z_STRIDE_T)
/* Of number k of a butterfly, from its first one on at position q, which is at `at`. */
#define GAP_FIRST (SPAN * RADIX == N_C ? Z_GAP : 0)
#define PLACE(k)                                                                                   \
    (SPAN % 16 == 0            ? at + (k) * (SPAN + SPAN / 16 + GAP_FIRST)                         \
     : 16 % (SPAN * RADIX) == 0 ? at + (k) * SPAN                                                  \
                                : at - AT(q) + AT(q + (k) * SPAN))

/* Of the last tile along a side, which may reach beyond the end: `left` are there. */
#define WITHIN(i, left, extent, tile) ((extent) % (tile) == 0 || (int)(i) < (left))
#define NEAREST(i, left, extent, tile) ((extent) % (tile) == 0 ? (int)(i) : min((int)(i), (left) - 1))

#define GET_Z(k, re, im)                                                                           \
    do {                                                                                           \
        const float2 v = z[PLACE(k)];                                                              \
        re = v.x, im = v.y;                                                                        \
    } while (0)
/* Times exp(-2 pi i k n / (SPAN R)), from the table: (R - 1) SPAN cosines, then as many sines. */
#define PUT_Z(k, re, im)                                                                           \
    do {                                                                                           \
        V a = re, b = im;                                                                          \
        if (k) times(&a, &b, w[((k) - 1) * SPAN + n], w[(RADIX - 1 + (k) - 1) * SPAN + n]);        \
        z[PLACE(k)] = (float2)(a, b);                                                              \
    } while (0)
#define PUT_PLAIN(k, re, im) z[PLACE(k)] = (float2)(re, im)
#define PUT_Y(k, re, im) to[(k) * LAST_CHANNELS * Y_STRIDE_C] = (float2)(re, im)

/* In place, over `count` transforms of radix * span numbers of each spectrum. */
#define MIDDLE_PASS(radix, count, span, weights)                                                   \
    do {                                                                                           \
        enum { RADIX = radix, SPAN = span };                                                       \
        global const float *w = factors + (weights);                                               \
        FOR_ITEMS(i, ROWS * (count) * SPAN)                                                        \
        {                                                                                          \
            const uint j = DIGIT_C_Z(i, (count) * SPAN), n = j % SPAN, q = j / SPAN * (RADIX * SPAN) + n; \
            const uint at = ROW_AT(DIGIT_S_Z(i, (count) * SPAN), DIGIT_P_Z(i, (count) * SPAN),     \
                                   DIGIT_T_Z(i, (count) * SPAN)) + AT(q);                          \
            RUN(radix, GET_Z, PUT_Z, NOTHING);                                                     \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    } while (0)

/* The last pass, whose results leave. Where too few channels of a butterfly's neighbours lie
 * together they stay in place, and leave in the order of memory. */
INLINE void last_pass(local float2 *z, const uint item, global Y_TYPE *y, const int left_s, const int left_p,
                      const int left_t)
{
    enum { RADIX = RADIX_LAST, SPAN = 1 };
#if Y_STAGED
    FOR_ITEMS(i, ROWS * LAST_CHANNELS)
    {
        const uint q = DIGIT_C_Z(i, LAST_CHANNELS) * RADIX;
        const uint at = ROW_AT(DIGIT_S_Z(i, LAST_CHANNELS), DIGIT_P_Z(i, LAST_CHANNELS),
                               DIGIT_T_Z(i, LAST_CHANNELS)) + AT(q);
        RUN(RADIX_LAST, GET_Z, PUT_PLAIN, NOTHING);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL_16 FOR_ITEMS(i, ROWS * N_C)
    {
        const uint c = DIGIT_C_Y(i, N_C), s = DIGIT_S_Y(i, N_C), p = DIGIT_P_Y(i, N_C), t = DIGIT_T_Y(i, N_C);
        const uint q = BUTTERFLY(c % LAST_CHANNELS) * RADIX + c / LAST_CHANNELS;
        if (WITHIN(s, left_s, Y_N_S, TILE_S) && WITHIN(p, left_p, Y_N_P, TILE_P) && WITHIN(t, left_t, Y_N_T, TILE_T))
            y[TO_STEP(s, p, t, c)] = z[ROW_AT(s, p, t) + AT(q)];
    }
#else
    FOR_ITEMS(i, ROWS * LAST_CHANNELS)
    {
        const uint c = DIGIT_C_Y(i, LAST_CHANNELS), q = BUTTERFLY(c) * RADIX;
        const uint s = DIGIT_S_Y(i, LAST_CHANNELS), p = DIGIT_P_Y(i, LAST_CHANNELS), t = DIGIT_T_Y(i, LAST_CHANNELS);
        const uint at = ROW_AT(s, p, t) + AT(q);
        global Y_TYPE *to = y + TO_STEP(s, p, t, c);
        if (WITHIN(s, left_s, Y_N_S, TILE_S) && WITHIN(p, left_p, Y_N_P, TILE_P) && WITHIN(t, left_t, Y_N_T, TILE_T))
            RUN(RADIX_LAST, GET_Z, PUT_Y, NOTHING);
    }
#endif
}
