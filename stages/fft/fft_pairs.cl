/* Channels of both polarizations side by side, as pairs in the input (X_PAIRS), the output (Y_PAIRS) or
 * both: spectra of a station and time are transformed together. A work-item makes a tile of these, ROWS of
 * them in the order in which they lie in the input, ROW_S(n), ROW_T(n). N is LANES LANES at least. */

/* Numbers of one polarization, the n-th and n + 1-st float of every four. */
#define HALF(a, b, n)                                                                              \
    SHUFFLE(a, b, (n), (n) + 4, (n) + 8, (n) + 12, (n) + 16, (n) + 20, (n) + 24, (n) + 28,         \
            (n) + 1, (n) + 5, (n) + 9, (n) + 13, (n) + 17, (n) + 21, (n) + 25, (n) + 29)
#define GET_OF(n, k, re, im)                                                                       \
    do {                                                                                           \
        global const float *p = x + 4 * LANES * ((k) * STEP + base);                               \
        const V a = HALF(vload16(0, p), vload16(1, p), n), b = HALF(vload16(2, p), vload16(3, p), n); \
        re = SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);                \
        im = SHUFFLE(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);          \
    } while (0)
#define GET_0(k, re, im) GET_OF(0, k, re, im)
#define GET_1(k, re, im) GET_OF(2, k, re, im)
#if X_PAIRS
FIRST_PASS(first_pass_0, GET_0)
FIRST_PASS(first_pass_1, GET_1)
#else
#define first_pass_0 first_pass
#define first_pass_1 first_pass
#endif

/* The first polarization's spectrum is kept until the second one's is there. */
#define KEEP(c, lower, upper) row[(c) / 8] = lower, row[(c) / 8 + 1] = upper
#define ZIP(a, b, p)                                                                               \
    do {                                                                                           \
        const V first = a, second = b;                                                             \
        STREAM(SHUFFLE(first, second, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23), p); \
        STREAM(SHUFFLE(first, second, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31), \
               (p) + LANES);                                                                       \
    } while (0)
#define PUT_PAIRS(c, lower, upper)                                                                 \
    do {                                                                                           \
        ZIP(row[(c) / 8], lower, y + 4 * (c));                                                     \
        ZIP(row[(c) / 8 + 1], upper, y + 4 * (c) + 2 * LANES);                                     \
    } while (0)
#if Y_PAIRS
LAST_PASS(last_pass_0, KEEP)
LAST_PASS(last_pass_1, PUT_PAIRS)
#else
#define last_pass_0 last_pass
#define last_pass_1 last_pass
#endif

#define ROW_AT(SIDE, n) SIDE##_AT(s + ROW_S(n), 0, t + ROW_T(n))
#define AHEAD_AT(later)                                                                            \
    (later < ROWS ? ROW_AT(FROM, later) : ROW_AT(FROM, later - ROWS) + NEXT_TILE)

INLINE void transform_tile(CT_ARGS, const int s, const int p, const int t)
{
    global const float *w = W_data + 2 * (N_C - M1);
    for (int n = 0; n < ROWS; n++) {
        if (s + ROW_S(n) >= Y_N_S || t + ROW_T(n) >= Y_N_T) continue;
        V zr[VECTORS], zi[VECTORS], row[2 * VECTORS];
        global const float *from = (global const float *)(X_data + ROW_AT(FROM, n));
        global float *to = (global float *)(Y_data + ROW_AT(TO, n));
        const int later = n + PREFETCH;
        global const float *ahead = (global const float *)(X_data + AHEAD_AT(later));
        global const float *ahead_1 = ahead + 2 * (X_PAIRS ? N_C : X_STRIDE_P);
        first_pass_0(from, zr, zi, W_data, ahead);
        second_pass(zr, zi, w);
        last_pass_0(zr, zi, to, row, ahead);
        first_pass_1(from + (X_PAIRS ? 0 : 2 * X_STRIDE_P), zr, zi, W_data, ahead_1);
        second_pass(zr, zi, w);
        last_pass_1(zr, zi, to + (Y_PAIRS ? 0 : 2 * Y_STRIDE_P), row, ahead_1);
    }
}
