/* What the first pass reads where its lanes are spectra: LANES of them that lie together in the input,
 * or in tile A. */
/* Interleaved, in memory or in a tile. Lanes are not in the order of memory in between. */
#define SPLIT(a, b, re, im)                                                                        \
    do {                                                                                           \
        const V first = a, second = b;                                                             \
        re = EVENS(first, second), im = ODDS(first, second);                                       \
    } while (0)
#define GET_X(k, re, im)                                                                           \
    do {                                                                                           \
        global const float *p = (global const float *)(from + v + (long)((k) * SPAN + n) * X_STRIDE_C);   \
        SPLIT(vload16(0, p), vload16(1, p), re, im);                                               \
    } while (0)
#define GET_A(k, re, im)                                                                           \
    do {                                                                                           \
        private float *p = z + 2 * (AT(n) + APART(k, SPAN));                                       \
        SPLIT(NEAR(p), NEAR(p + LANES), re, im);                                                   \
    } while (0)
#if X_DIRECT
#define GET_FIRST GET_X
#else
#define GET_FIRST GET_A
#endif
