/* Passes of transforms whose vectors run along them: a vector's lanes are LANES neighbouring channels.
 * N = R1 R2 LANES, radices R1, R2 (1 where there is none) and LANES, before whose pass LANES x LANES
 * numbers are transposed in registers. Where N is below LANES LANES, TOGETHER spectra are transformed
 * at a time. Vector k of a spectrum has the numbers k LANES and following, real parts in zr, imaginary
 * ones in zi; passes work in place. From one spectrum to the next are ROW_STRIDE vectors.
 *
 * Here and there they ask for ASKS lines of a spectrum that is read later, `ahead`: all at once these would take
 * the processor's buffers from the stores. */
#define M1 (N_C / R1) /* numbers of a transform behind the first pass */
#define VECTORS (N_C / LANES)
#define SQUARE 256 /* LANES LANES */
#define TOGETHER (N_C < SQUARE ? SQUARE / N_C : 1)

/* ---- passes before the last: of numbers STEP vectors apart, from `base` on; `column` is how far that
 * is from the transform's first vector */

/* From memory at x, interleaved. */
#define GET_X(k, re, im)                                                                           \
    do {                                                                                           \
        global const float *p = x + 2 * LANES * ((k) * STEP + base);                               \
        const V a = vload16(0, p), b = vload16(1, p);                                              \
        re = SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);             \
        im = SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);             \
    } while (0)
#define GET_Z(k, re, im) re = zr[(k) * STEP + base], im = zi[(k) * STEP + base]
/* Times exp(-2 pi i k m / M), m the number's place behind its transform's first, M = RADIX STEP LANES:
 * the table has (RADIX - 1) STEP LANES cosines, then as many sines. */
#define PUT_Z(k, re, im)                                                                           \
    do {                                                                                           \
        V a = re, b = im;                                                                          \
        if (k) weigh(&a, &b, w + (((k) - 1) * STEP + column) * LANES, (RADIX - 1) * STEP * LANES); \
        zr[(k) * STEP + base] = a, zi[(k) * STEP + base] = b;                                      \
    } while (0)

INLINE void ask(global const float *ahead, const int line)
{
    UNROLL for (int n = 0; n < ASKS; n++) __builtin_prefetch(ahead + LANES * (line + n));
}

INLINE void weigh(V *re, V *im, global const float *w, const int sines)
{
    const V c = vload16(0, w), s = vload16(0, w + sines), x = *re, y = *im;
    *re = fma(y, s, x * c);
    *im = fma(x, -s, y * c);
}

/* A function: numbers come by GET. Of radix 16 it asks for the first half with ASKS 2, for all with 4. */
#define ASK_FIRST(n) ask(ahead, ASKS * (8 * base + (n)))
#if R1 > 1
#define FIRST_PASS(NAME, GET)                                                                      \
    INLINE void NAME(global const float *x, private V *zr, private V *zi, global const float *w,   \
                     global const float *ahead)                                                    \
    {                                                                                              \
        enum { RADIX = R1, STEP = M1 / LANES };                                                    \
        for (int base = 0; base < STEP; base++) {                                                  \
            const int column = base;                                                               \
            RUN(R1, GET, PUT_Z, ASK_FIRST);                                                        \
        }                                                                                          \
    }
#else
#define FIRST_PASS(NAME, GET)                                                                      \
    INLINE void NAME(global const float *x, private V *zr, private V *zi, global const float *w,   \
                     global const float *ahead)                                                    \
    {                                                                                              \
        enum { STEP = 1 };                                                                         \
        const int base = 0;                                                                        \
        GET(0, zr[0], zi[0]);                                                                      \
    }
#endif
FIRST_PASS(first_pass, GET_FIRST) /* GET_X or GET_Z */

INLINE void second_pass(private V *zr, private V *zi, global const float *w)
{
#if R2 > 1
    enum { RADIX = R2, STEP = 1 };
    const int column = 0;
    for (int base = 0; base < VECTORS; base += R2)
        RUN(R2, GET_Z, PUT_Z, NOTHING);
#endif
}

/* ---- the last pass: a square of LANES vectors is transposed, then transformed */

#if N_C >= SQUARE
/* Lanes are channels that follow each other, in such an order that pairs of re and im come out right:
 * vector (k1, k2) has channels k1 + R1 k2 + R1 R2 k3, k3 the result's number. */
#define LANE(l) (16 * square + 2 * ((l) / 4) + (l) % 2 + 8 * ((l) / 2 % 2))
#define ROW(l) (LANE(l) % R1 * R2 + LANE(l) / R1)
/* A function: PUT(c, lower, upper) takes channels c to c + 7 and the next 8, pairs of real and
 * imaginary parts; y is where they go to, `row` a spectrum that it may keep. It asks for the second half. */
#define ASK_LAST(n) ask(ahead, N_C / 16 + 16 * square + 2 * (n))
#define LAST_PASS(NAME, PUT)                                                                       \
    INLINE void NAME(private V *zr, private V *zi, global float *y, private V *row,                \
                     global const float *ahead)                                                    \
    {                                                                                              \
        for (int square = 0; square < N_C / SQUARE; square++) {                                    \
            TRANSFORM_SQUARE(ROW, ASK_LAST)                                                        \
            UNROLL for (int k = 0; k < 4; k++)                                                     \
            {                                                                                      \
                butterfly_4(r, i, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);                         \
                UNROLL for (int q = 0; q < 4; q++)                                                 \
                    PUT((k + 4 * q) * VECTORS + 16 * square, LOWER(r[4 * k + q], i[4 * k + q]),    \
                        UPPER(r[4 * k + q], i[4 * k + q]));                                        \
                IN_ORDER;                                                                          \
                ASK_LAST(4 + k);                                                                   \
            }                                                                                      \
        }                                                                                          \
    }
#define PUT_Y(c, lower, upper)                                                                     \
    do {                                                                                           \
        STREAM(lower, y + 2 * (c));                                                                \
        STREAM(upper, y + 2 * (c) + LANES);                                                        \
    } while (0)
LAST_PASS(last_pass, PUT_Y)
#else
/* Swaps a bit of the vector's number with a bit of the lane's: of p and q, which differ in the first. */
#define SWAP_1(p, q, lo, hi)                                                                       \
    lo = SHUFFLE(p, q, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);                 \
    hi = SHUFFLE(p, q, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define SWAP_2(p, q, lo, hi)                                                                       \
    lo = SHUFFLE(p, q, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);                  \
    hi = SHUFFLE(p, q, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define SWAP_4(p, q, lo, hi)                                                                       \
    lo = SHUFFLE(p, q, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);                  \
    hi = SHUFFLE(p, q, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define SWAP_8(p, q, lo, hi)                                                                       \
    lo = SHUFFLE(p, q, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);                    \
    hi = SHUFFLE(p, q, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#define SWAP_ALL(x, bit, SWAP)                                                                     \
    UNROLL for (int k = 0; k < 16; k++) if (!(k & (bit)))                                          \
    {                                                                                              \
        const V p = x[k], q = x[k | (bit)];                                                        \
        SWAP(p, q, x[k], x[k | (bit)]);                                                            \
    }
/* x[k3] of lanes (spectrum, k1) becomes x[part TOGETHER + spectrum] of LANES channels k1 + R1 k3. */
INLINE void part(V *x)
{
#if R1 == 1
    SWAP_ALL(x, 1, SWAP_1) SWAP_ALL(x, 2, SWAP_2) SWAP_ALL(x, 4, SWAP_4) SWAP_ALL(x, 8, SWAP_8)
#elif R1 == 2
    SWAP_ALL(x, 1, SWAP_2) SWAP_ALL(x, 2, SWAP_4) SWAP_ALL(x, 4, SWAP_8)
#elif R1 == 4
    SWAP_ALL(x, 1, SWAP_4) SWAP_ALL(x, 2, SWAP_8)
#else
    SWAP_ALL(x, 1, SWAP_8)
#endif
}

#define ROW(l) ((l) / VECTORS * ROW_STRIDE + (l) % VECTORS)
INLINE void last_pass(private V *zr, private V *zi, global float *to[])
{
    V re[16], im[16];
    TRANSFORM_SQUARE(ROW, NOTHING)
    UNROLL for (int k = 0; k < 4; k++)
    {
        butterfly_4(r, i, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
        UNROLL for (int q = 0; q < 4; q++) re[k + 4 * q] = r[4 * k + q], im[k + 4 * q] = i[4 * k + q];
    }
    part(re);
    part(im);
    UNROLL for (int k = 0; k < 16; k++)
    {
        global float *y = to[k % TOGETHER] + k / TOGETHER * 2 * LANES;
        STREAM(SHUFFLE(re[k], im[k], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), y);
        STREAM(SHUFFLE(re[k], im[k], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
               y + 16);
    }
}
#endif

/* ---- the last pass where LANES spectra lie together in the output: a function that takes the same
 * vector of them, or of the first `count`: the others' lanes are copies of the last one's. Its maker says
 * what lies there (OUT_TYPE, OUT_STRIDE_C), how half a vector of spectra is stored (PUT; the first n of them), in
 * which vector behind zr and zi the spectrum of place n is (PLACE_AT), and what to ask for (ASK_FAR, of
 * `ahead`). Vector k1 R2 + k2 has channels k1 + R1 k2 + R1 R2 k3, k3 the result's number. */
#define CHANNEL(vector) ((vector) / R2 + R1 * ((vector) % R2))
/* In the order that suits pairs of real and imaginary parts. */
#define PLACE_OF(l) (2 * ((l) / 4) + (l) % 2 + 8 * ((l) / 2 % 2))
#define PLACE(l) PLACE_AT(PLACE_OF(l) < count ? PLACE_OF(l) : count - 1)
#define LEAVE_TOGETHER(NAME)                                                                       \
    INLINE void NAME(private V *zr, private V *zi, OUT_TYPE *to, global const float *ahead,        \
                     const int count)                                                              \
    {                                                                                              \
        TRANSFORM_SQUARE(PLACE, ASK_FAR)                                                           \
        UNROLL for (int k = 0; k < 4; k++)                                                         \
        {                                                                                          \
            butterfly_4(r, i, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);                             \
            UNROLL for (int q = 0; q < 4; q++)                                                     \
            {                                                                                      \
                OUT_TYPE *at = to + (long)((k + 4 * q) * VECTORS) * OUT_STRIDE_C;                  \
                PUT(LOWER(r[4 * k + q], i[4 * k + q]), at, count);                                 \
                PUT(UPPER(r[4 * k + q], i[4 * k + q]), at + LANES / 2, count - LANES / 2);         \
            }                                                                                      \
            IN_ORDER;                                                                              \
            ASK_FAR(4 + k);                                                                        \
        }                                                                                          \
    }
/* Calls it for LANES places, or for the last ones: of a tile that ends beyond the arrays PART are within
 * them (LEFT of all the tile's). A line that is only partly stored then has one store, or two, of the spectra's
 * own length, and none of it is stored again by another tile. */
#if PART
#define LEAVE(zr, zi, to, ahead, left)                                                             \
    do {                                                                                           \
        if ((left) >= LANES)                                                                       \
            leave_together(zr, zi, to, ahead, LANES);                                              \
        else if ((left) > 0)                                                                       \
            leave_together(zr, zi, to, ahead, PART);                                               \
    } while (0)
/* The first n of 8 spectra; n is known when this is compiled. */
INLINE void stream_some(const V v, global float *p, const int n)
{
    if (n & 4) vstore8(v.lo, 0, p);
    if (n & 2) vstore4(n & 4 ? v.s89ab : v.s0123, 0, p + 2 * (n & 4));
    if (n & 1) vstore2(n & 4 ? n & 2 ? v.scd : v.s89 : n & 2 ? v.s45 : v.s01, 0, p + 2 * (n & 6));
}
#define STREAM_SOME(value, p, n)                                                                   \
    do {                                                                                           \
        if ((n) >= LANES / 2)                                                                      \
            STREAM(value, p);                                                                      \
        else if ((n) > 0)                                                                          \
            stream_some(value, p, n);                                                              \
    } while (0)
#else
#define LEAVE(zr, zi, to, ahead, left) leave_together(zr, zi, to, ahead, LANES)
#define STREAM_SOME(value, p, n) STREAM(value, p)
#endif
