/* Squares of LANES vectors of LANES numbers, transposed in registers. */
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

/* r[4 k + q], i[..]: result k + 4 q, whose lanes are the vectors ROW(0), ROW(1), ...; ASK(0) to ASK(3) as
 * in RUN. */
#define TRANSFORM_SQUARE(ROW, ASK)                                                                 \
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
        ASK(c);                                                                                    \
    }
