/* delay.cl: a work-item, or a group of them, takes a tile of one station and polarization (of both where
 * matrices mix them): packs it, multiplies each sample by exp(2 pi i cycles) and by its gain, and stores
 * it. Cycles and gains lie on straight lines in time; a tile may reach over several. See README.md. */

#if HAVE_J
#define GAIN_SPACE U_SPACE
#define GAIN_TYPE U_TYPE
#elif HAVE_G
#define GAIN_SPACE H_SPACE
#define GAIN_TYPE H_TYPE
#else
#define GAIN_SPACE L_SPACE
#define GAIN_TYPE float
#endif

/* exp(2 pi i cycles): |r| <= 1/2 is left of a whole number of cycles, which 1.5 x 2^23 takes up (right
 * below 2^22 cycles; rint costs a sixth of the stage's time on CPUs); sine and cosine of pi r are
 * polynomials (Chebyshev's points, errors below 5e-8), doubled at the end. */
#define PHASOR(real, name) \
    static inline void name(const real cycles, real *restrict re, real *restrict im) \
    { \
        const real r = cycles - ((cycles + (real)12582912.0f) - (real)12582912.0f); \
        const real z = r * r; \
        const real s = r * fma(fma(fma(fma((real)0.0776559122f, z, (real)-0.598290411f), z, \
                                       (real)2.55007739f), z, (real)-5.16771008f), z, \
                               (real)3.14159264f); \
        const real c = fma(fma(fma(fma((real)0.219682424f, z, (real)-1.33187297f), z, \
                                   (real)4.05841079f), z, (real)-4.9347928f), z, \
                           (real)0.999999953f); \
        *re = fma((real)-2.0f * s, s, (real)1.0f); \
        *im = (real)2.0f * s * c; \
    }

#if WG == 1
/* CPUs: LANES channels at a time, of all rows, so that their lines stay in registers. */
#if TILE_C >= 16
#define LANES 16
typedef float16 lanes;
#define PAIRS_LOW(v) (v).s0011223344556677
#define PAIRS_HIGH(v) (v).s8899aabbccddeeff
#define SWAPPED(v) (v).s1032547698badcfe
#define EVENS(v) (v).s0022446688aaccee
#define ODDS(v) (v).s1133557799bbddff
#define SIGNS ((lanes)(-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1))
#else
#define LANES 8
typedef float8 lanes;
#define PAIRS_LOW(v) (v).s00112233
#define PAIRS_HIGH(v) (v).s44556677
#define SWAPPED(v) (v).s10325476
#define EVENS(v) (v).s00224466
#define ODDS(v) (v).s11335577
#define SIGNS ((lanes)(-1, 1, -1, 1, -1, 1, -1, 1))
#endif
PHASOR(lanes, phasors)
/* Channels of a tile that the array has: vectors without any are left out. */
#define INSIDE(c) (X_N_C % TILE_C == 0 ? TILE_C : min(TILE_C, X_N_C - (c)))

/* Real and imaginary parts in turn, as they lie in the tile. */
static inline lanes rotated(const lanes x, const lanes re, const lanes im)
{
    return fma(SWAPPED(x), im * SIGNS, x * re);
}

/* A row of the lines' numbers: `at` and what is added with each sample. */
#define LANES_AT(p) ((lanes)((p)[0].even, (p)[1].even))
#define LANES_RATE(p) ((lanes)((p)[0].odd, (p)[1].odd))

#if HAVE_J
/* x times one element of the matrices, `after` samples behind where these lines begin; x and the element
 * are LANES / 2 channels, real and imaginary parts in turn. */
static inline lanes times(const lanes x, const U_SPACE lanes *u, const U_SPACE lanes *rate,
                          const float after)
{
#if J_N_Q > 4
    const lanes m = fma(*rate, (lanes)after, *u);
#else
    const lanes m = *u;
#endif
    return fma(SWAPPED(x), ODDS(m) * SIGNS, x * EVENS(m));
}

/* Both polarizations of rows i to end: of the same lines, or of one each. */
static inline void rotate_both(A_SPACE A_TYPE *restrict a, const L_SPACE L_TYPE *restrict line,
                               const U_SPACE U_TYPE *restrict u, const int i, const int end,
                               const int after, const int channels)
{
    for (int n = 0; n < channels; n += LANES) {
        const L_SPACE lanes *l = (const L_SPACE lanes *)(line + n);
        const L_SPACE lanes *m = (const L_SPACE lanes *)(line + (D_N_P - 1) * L_SIZE + n);
        const lanes at = LANES_AT(l), rate = LANES_RATE(l), at_y = LANES_AT(m), rate_y = LANES_RATE(m);
        for (int row = i; row < end; row++) {
            A_SPACE lanes *x = (A_SPACE lanes *)(a + A_AT(row, n));
            A_SPACE lanes *y = (A_SPACE lanes *)(a + A_SIZE + A_AT(row, n));
            const float since = after + row;
            lanes re, im, re_y, im_y;
            phasors(fma(rate, (lanes)since, at), &re, &im);
            re_y = re, im_y = im;
            if (D_N_P > 1) phasors(fma(rate_y, (lanes)since, at_y), &re_y, &im_y);
            const lanes in[2][2] = {
                {rotated(x[0], PAIRS_LOW(re), PAIRS_LOW(im)), rotated(x[1], PAIRS_HIGH(re), PAIRS_HIGH(im))},
                {rotated(y[0], PAIRS_LOW(re_y), PAIRS_LOW(im_y)),
                 rotated(y[1], PAIRS_HIGH(re_y), PAIRS_HIGH(im_y))}};
            for (int h = 0; h < 2; h++) {
                const U_SPACE lanes *e[8];
                for (int q = 0; q < 8; q++)
                    e[q] = (const U_SPACE lanes *)(u + U_AT(q % J_N_Q, n)) + h;
                x[h] = times(in[0][h], e[0], e[4], since) + times(in[1][h], e[1], e[5], since);
                y[h] = times(in[0][h], e[2], e[6], since) + times(in[1][h], e[3], e[7], since);
            }
        }
    }
}
#else
/* Rows i to end of a tile, whose first one lies `after` samples behind the line's beginning. */
static inline void rotate_rows(A_SPACE A_TYPE *restrict a, const L_SPACE L_TYPE *restrict line,
                               const GAIN_SPACE GAIN_TYPE *restrict gain, const int i, const int end,
                               const int after, const int channels)
{
    for (int n = 0; n < channels; n += LANES) {
        const L_SPACE lanes *l = (const L_SPACE lanes *)(line + n);
        const lanes at = LANES_AT(l), rate = LANES_RATE(l);
#if HAVE_G
        const GAIN_SPACE lanes *g = (const GAIN_SPACE lanes *)(gain + n);
#endif
        for (int row = i; row < end; row++) {
            A_SPACE lanes *x = (A_SPACE lanes *)(a + A_AT(row, n));
            lanes re, im;
            phasors(fma(rate, (lanes)(float)(after + row), at), &re, &im);
#if HAVE_G && G_COMPLEX
            const lanes factor = fma(LANES_RATE(g), (lanes)(float)(after + row), LANES_AT(g));
            re *= factor;
            im *= factor;
#elif HAVE_G
            re *= *g;
            im *= *g;
#endif
            x[0] = rotated(x[0], PAIRS_LOW(re), PAIRS_LOW(im));
            x[1] = rotated(x[1], PAIRS_HIGH(re), PAIRS_HIGH(im));
        }
    }
}
#endif
#else
PHASOR(float, phasor)
#define INSIDE(c) TILE_C

static inline float2 rotated(const float2 x, const float re, const float im)
{
    return (float2)(fma(-x.y, im, x.x * re), fma(x.x, im, x.y * re));
}

/* The work-items of a group take the rows' elements in turn. */
#if HAVE_J
static inline float2 times(const float2 x, const U_SPACE U_TYPE *u, const int q, const int n,
                           const float after)
{
    float2 m = u[U_AT(q, n)];
#if J_N_Q > 4
    m = fma(u[U_AT(q + 4, n)], (float2)after, m);
#endif
    return rotated(x, m.x, m.y);
}

static inline void rotate_both(A_SPACE A_TYPE *restrict a, const L_SPACE L_TYPE *restrict line,
                               const U_SPACE U_TYPE *restrict u, const int i, const int end,
                               const int after, const int channels)
{
    for (int k = i * channels + CT_LID; k < end * channels; k += CT_ITEMS) {
        const int row = k / channels, n = k % channels, m = (D_N_P - 1) * L_SIZE + n;
        const float since = after + row;
        float re, im;
        phasor(fma(line[n].y, since, line[n].x), &re, &im);
        const float2 x = rotated(a[A_AT(row, n)], re, im);
        if (D_N_P > 1) phasor(fma(line[m].y, since, line[m].x), &re, &im);
        const float2 y = rotated(a[A_SIZE + A_AT(row, n)], re, im);
        a[A_AT(row, n)] = times(x, u, 0, n, since) + times(y, u, 1, n, since);
        a[A_SIZE + A_AT(row, n)] = times(x, u, 2, n, since) + times(y, u, 3, n, since);
    }
}
#else
static inline void rotate_rows(A_SPACE A_TYPE *restrict a, const L_SPACE L_TYPE *restrict line,
                               const GAIN_SPACE GAIN_TYPE *restrict gain, const int i, const int end,
                               const int after, const int channels)
{
    for (int k = i * channels + CT_LID; k < end * channels; k += CT_ITEMS) {
        const int row = k / channels, n = k % channels;
        float re, im;
        phasor(fma(line[n].y, (float)(after + row), line[n].x), &re, &im);
#if HAVE_G && G_COMPLEX
        const float factor = fma(gain[n].y, (float)(after + row), gain[n].x);
#elif HAVE_G
        const float factor = gain[n];
#else
        const float factor = 1.0f;
#endif
        a[A_AT(row, n)] = rotated(a[A_AT(row, n)], factor * re, factor * im);
    }
}
#endif
#endif

/* The last line that begins at this sample or before it. */
static inline int line_of(global const N_TYPE *restrict N_data, int k, const int t)
{
    while (k + 1 < N_N_K && N(k + 1) <= t)
        k++;
    return k;
}

#if HAVE_F
/* What is multiplied by 0 throughout has no solution. */
static inline int is_flagged(const GAIN_SPACE GAIN_TYPE *restrict gain, const int n)
{
#if HAVE_J
    bool zero = true;
    for (int q = 0; q < J_N_Q; q++)
        zero = zero && gain[U_AT(q, n)].x == 0.0f && gain[U_AT(q, n)].y == 0.0f;
    return zero;
#elif G_COMPLEX
    return gain[n].x == 0.0f && gain[n].y == 0.0f;
#else
    return gain[n] == 0.0f;
#endif
}

/* Of rows t to end, of channels from c on; for all channels the first group of them says it. */
static inline void flag_rows(global F_TYPE *restrict F_data, const GAIN_SPACE GAIN_TYPE *restrict gain,
                             const int s, const int t, const int end, const int c)
{
    const int channels = F_N_C > 1 ? min(TILE_C, F_N_C - c) : c == 0;
    for (int row = t; row < end; row++)
        for (int n = CT_LID; n < channels; n += CT_ITEMS)
            F(s, row, c + n) = (F_TYPE)is_flagged(gain, n);
}
#endif

/* Lines of both tables begin together. */
#define LINES(i, k, end, t) \
    for (int i = 0, next, k = line_of(N_data, 0, t); \
         next = k + 1 < N_N_K ? min(end, N(k + 1) - t) : end, i < end; i = max(i, next), k++)

#if HAVE_J
kernel void delay(CT_ARGS)
{
    A_SPACE A_TYPE a[2 * A_SIZE] __attribute__((aligned(64)));
    L_SPACE L_TYPE line[D_N_P * L_SIZE] __attribute__((aligned(64)));
    U_SPACE U_TYPE u[U_SIZE] __attribute__((aligned(64)));
    const int c = get_group_id(0) * TILE_C, t = get_group_id(1) * TILE_T, s = get_group_id(2);
    const int end = min(TILE_T, X_N_T - t);
#if PREFETCH
    PREFETCH_A(s, 0, t + TILE_T, c);
    PREFETCH_A(s, 1, t + TILE_T, c);
#endif
    PACK_A(a, s, 0, t, c);
    PACK_A(a + A_SIZE, s, 1, t, c);
    LINES(i, k, end, t) {
        PACK_L(line, s, 0, k, c);
#if D_N_P > 1
        PACK_L(line + L_SIZE, s, 1, k, c);
#endif
        PACK_U(u, s, 0, 0, k, c);
        CT_BARRIER;
        rotate_both(a, line, u, i, next, t - N(k), INSIDE(c));
#if HAVE_F
        flag_rows(F_data, u, s, t + i, t + next, c);
#endif
        CT_BARRIER;
    }
    STORE_R(a, s, 0, t, c);
    STORE_R(a + A_SIZE, s, 1, t, c);
}
#else
kernel void delay(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    L_SPACE L_TYPE line[L_SIZE] __attribute__((aligned(64)));
#if HAVE_G
    H_SPACE H_TYPE gain[H_SIZE] __attribute__((aligned(64)));
#else
    const GAIN_SPACE float *gain = 0;
#endif
    const int c = get_group_id(0) * TILE_C, t = get_group_id(1) * TILE_T;
    const int s = get_group_id(2) / X_N_P, p = get_group_id(2) % X_N_P;
    const int end = min(TILE_T, X_N_T - t);
#if PREFETCH
    PREFETCH_A(s, p, t + TILE_T, c);
#endif
    PACK_A(a, s, p, t, c);
#if HAVE_G && G_N_K == 1
    PACK_H(gain, s, p, 0, c);
#endif
    LINES(i, k, end, t) {
        PACK_L(line, s, D_N_P > 1 ? p : 0, k, c);
#if HAVE_G && G_N_K > 1
        PACK_H(gain, s, p, k, c);
#endif
        CT_BARRIER;
        rotate_rows(a, line, gain, i, next, t - N(k), INSIDE(c));
#if HAVE_F
        if (p == 0) flag_rows(F_data, gain, s, t + i, t + next, c);
#endif
        CT_BARRIER;
    }
    STORE_R(a, s, p, t, c);
}
#endif
