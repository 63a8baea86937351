/* Passes of transforms whose vectors run along them: a vector's lanes are LANES neighbouring channels.
 * N = R1 R2 LANES, radices R1, R2 (1 where there is none) and LANES, before whose pass LANES x LANES
 * numbers are transposed in registers. Where N is below LANES LANES, TOGETHER spectra are transformed
 * at a time. Vector k of a spectrum has the numbers k LANES and following, real parts in zr, imaginary
 * ones in zi; passes work in place. From one spectrum to the next are ROW_STRIDE vectors. */
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

INLINE void weigh(V *re, V *im, global const float *w, const int sines)
{
    const V c = vload16(0, w), s = vload16(0, w + sines), x = *re, y = *im;
    *re = fma(y, s, x * c);
    *im = fma(x, -s, y * c);
}

/* GET_FIRST: GET_X or GET_Z. */
INLINE void first_pass(global const float *x, private V *zr, private V *zi, global const float *w)
{
    enum { RADIX = R1, STEP = M1 / LANES };
#if R1 > 1
    for (int base = 0; base < STEP; base++) {
        const int column = base;
        RUN(R1, GET_FIRST, PUT_Z);
    }
#else
    const int base = 0;
    GET_FIRST(0, zr[0], zi[0]);
#endif
}

INLINE void second_pass(private V *zr, private V *zi, global const float *w)
{
#if R2 > 1
    enum { RADIX = R2, STEP = 1 };
    const int column = 0;
    for (int base = 0; base < VECTORS; base += R2)
        RUN(R2, GET_Z, PUT_Z);
#endif
}

/* ---- the last pass: a square of LANES vectors is transposed, then transformed */

#define PAIRS_LOWER(a, b) SHUFFLE(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define PAIRS_UPPER(a, b) SHUFFLE(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define QUARTERS_EVEN(a, b) SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define QUARTERS_ODD(a, b) SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)

/* Four rows: out[c] has columns c, 4 + c, 8 + c, 12 + c of them. */
INLINE void gather_rows(private const V *a, private const V *b, private const V *c,
                        private const V *d, V *out)
{
    const V ab = LOWER(*a, *b), cd = LOWER(*c, *d), ab2 = UPPER(*a, *b), cd2 = UPPER(*c, *d);
    out[0] = PAIRS_LOWER(ab, cd), out[1] = PAIRS_UPPER(ab, cd);
    out[2] = PAIRS_LOWER(ab2, cd2), out[3] = PAIRS_UPPER(ab2, cd2);
}
/* Of these, in[0], in[4], .. : whole columns out[0], out[4], ... */
INLINE void gather_columns(const V *in, V *out)
{
    const V a = QUARTERS_EVEN(in[0], in[4]), b = QUARTERS_ODD(in[0], in[4]);
    const V c = QUARTERS_EVEN(in[8], in[12]), d = QUARTERS_ODD(in[8], in[12]);
    out[0] = QUARTERS_EVEN(a, c), out[8] = QUARTERS_ODD(a, c);
    out[4] = QUARTERS_EVEN(b, d), out[12] = QUARTERS_ODD(b, d);
}

/* r[4 k + q], i[..]: result k + 4 q, whose lanes are the vectors ROW(0), ROW(1), ... */
#define TRANSFORM_SQUARE(ROW)                                                                      \
    V u[16], v[16], r[16], i[16];                                                                  \
    UNROLL for (int l = 0; l < 16; l += 4)                                                         \
    {                                                                                              \
        gather_rows(zr + ROW(l), zr + ROW(l + 1), zr + ROW(l + 2), zr + ROW(l + 3), u + l);        \
        gather_rows(zi + ROW(l), zi + ROW(l + 1), zi + ROW(l + 2), zi + ROW(l + 3), v + l);        \
    }                                                                                              \
    UNROLL for (int c = 0; c < 4; c++)                                                             \
    {                                                                                              \
        gather_columns(u + c, r + c);                                                              \
        gather_columns(v + c, i + c);                                                              \
        quarter_16(r, i, c);                                                                       \
    }

#if N_C >= SQUARE
/* Lanes are channels that follow each other, in such an order that pairs of re and im come out right:
 * vector (k1, k2) has channels k1 + R1 k2 + R1 R2 k3, k3 the result's number. */
#define LANE(l) (16 * square + 2 * ((l) / 4) + (l) % 2 + 8 * ((l) / 2 % 2))
#define ROW(l) (LANE(l) % R1 * R2 + LANE(l) / R1)
INLINE void last_pass(private V *zr, private V *zi, global float *y)
{
    for (int square = 0; square < N_C / SQUARE; square++) {
        TRANSFORM_SQUARE(ROW)
        UNROLL for (int k = 0; k < 4; k++)
        {
            butterfly_4(r, i, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
            UNROLL for (int q = 0; q < 4; q++)
            {
                global float *to = y + 2 * ((k + 4 * q) * VECTORS + 16 * square);
                STREAM(LOWER(r[4 * k + q], i[4 * k + q]), to);
                STREAM(UPPER(r[4 * k + q], i[4 * k + q]), to + 16);
            }
        }
    }
}
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
    TRANSFORM_SQUARE(ROW)
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
