/* delay.cl: a work-item, or a group of them, takes a tile of one station and polarization: packs it,
 * multiplies each sample by exp(2 pi i cycles), and stores it. Cycles lie on straight lines in time; a
 * tile may reach over several. See README.md. */

#if HAVE_G
#define GAIN_SPACE H_SPACE
#else
#define GAIN_SPACE L_SPACE
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
#define SIGNS ((lanes)(-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1))
#else
#define LANES 8
typedef float8 lanes;
#define PAIRS_LOW(v) (v).s00112233
#define PAIRS_HIGH(v) (v).s44556677
#define SWAPPED(v) (v).s10325476
#define SIGNS ((lanes)(-1, 1, -1, 1, -1, 1, -1, 1))
#endif
PHASOR(lanes, phasors)

/* Real and imaginary parts in turn, as they lie in the tile. */
static inline lanes rotated(const lanes x, const lanes re, const lanes im)
{
    return fma(SWAPPED(x), im * SIGNS, x * re);
}

/* Rows i to end of a tile, whose first one lies `after` samples behind the line's beginning. */
static inline void rotate_rows(A_SPACE A_TYPE *restrict a, const L_SPACE L_TYPE *restrict line,
                               const GAIN_SPACE float *restrict gain, const int i, const int end,
                               const int after)
{
    for (int n = 0; n < TILE_C; n += LANES) {
        const L_SPACE lanes *l = (const L_SPACE lanes *)(line + n);
        const lanes at = (lanes)(l[0].even, l[1].even), rate = (lanes)(l[0].odd, l[1].odd);
        for (int row = i; row < end; row++) {
            A_SPACE lanes *x = (A_SPACE lanes *)(a + A_AT(row, n));
            lanes re, im;
            phasors(fma(rate, (lanes)(float)(after + row), at), &re, &im);
#if HAVE_G
            re *= *(const GAIN_SPACE lanes *)(gain + n);
            im *= *(const GAIN_SPACE lanes *)(gain + n);
#endif
            x[0] = rotated(x[0], PAIRS_LOW(re), PAIRS_LOW(im));
            x[1] = rotated(x[1], PAIRS_HIGH(re), PAIRS_HIGH(im));
        }
    }
}
#else
PHASOR(float, phasor)

/* The work-items of a group take the rows' elements in turn. */
static inline void rotate_rows(A_SPACE A_TYPE *restrict a, const L_SPACE L_TYPE *restrict line,
                               const GAIN_SPACE float *restrict gain, const int i, const int end,
                               const int after)
{
    for (int k = i * TILE_C + CT_LID; k < end * TILE_C; k += CT_ITEMS) {
        const int row = k / TILE_C, n = k % TILE_C;
        const float2 x = a[A_AT(row, n)];
        float re, im;
        phasor(fma(line[n].y, (float)(after + row), line[n].x), &re, &im);
#if HAVE_G
        re *= gain[n];
        im *= gain[n];
#endif
        a[A_AT(row, n)] = (float2)(fma(-x.y, im, x.x * re), fma(x.x, im, x.y * re));
    }
}
#endif

/* The last line that begins at this sample or before it. */
static inline int line_of(global const N_TYPE *restrict N_data, int k, const int t)
{
    while (k + 1 < N_K && N(k + 1) <= t)
        k++;
    return k;
}

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
#if HAVE_G
    PACK_H(gain, s, p, c);
#endif
    for (int i = 0, k = line_of(N_data, 0, t); i < end; k++) {
        const int first = N(k), next = k + 1 < N_K ? min(end, N(k + 1) - t) : end;
        PACK_L(line, s, D_N_P > 1 ? p : 0, k, c);
        CT_BARRIER;
        rotate_rows(a, line, gain, i, next, t - first);
        CT_BARRIER;
        i = max(i, next);
    }
    STORE_R(a, s, p, t, c);
}
