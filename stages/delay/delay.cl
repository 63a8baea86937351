/* delay.cl: a work-item, or a group of them, takes a tile of one station and polarization: packs it,
 * multiplies each sample by exp(2 pi i cycles), and stores it. Cycles lie on straight lines in time; a
 * tile may reach over several. See README.md. */

#if HAVE_G
#define GAIN(n) gain[n]
#else
#define GAIN(n) 1.0f
#endif
/* Of a tile's row (time) and column (channel). */
#define WEIGHT(row, n) \
    (GAIN(n) * phasor(fma(line[n].y, (float)(t + (row) - first), line[n].x)))

/* exp(2 pi i cycles): |r| <= 1/2 is left of a whole number of cycles; sine and cosine of pi r are
 * polynomials (Chebyshev's points, errors below 5e-8), doubled at the end. */
static inline float2 phasor(const float cycles)
{
    const float r = cycles - rint(cycles), z = r * r;
    const float s = r * fma(fma(fma(fma(0.0776559122f, z, -0.598290411f), z, 2.55007739f), z,
                                -5.16771008f), z, 3.14159264f);
    const float c = fma(fma(fma(fma(0.219682424f, z, -1.33187297f), z, 4.05841079f), z,
                            -4.9347928f), z, 0.999999953f);
    return (float2)(fma(-2.0f * s, s, 1.0f), 2.0f * s * c);
}

static inline float2 rotate_by(const float2 x, const float2 w)
{
    return (float2)(x.x * w.x - x.y * w.y, x.x * w.y + x.y * w.x);
}

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
#endif
    const int c = get_group_id(0) * TILE_C, t = get_group_id(1) * TILE_T;
    const int s = get_group_id(2) / X_N_P, p = get_group_id(2) % X_N_P;
    const int end = min(TILE_T, X_N_T - t);
    PACK_A(a, s, p, t, c);
#if HAVE_G
    PACK_H(gain, s, p, c);
#endif
    for (int i = 0, k = line_of(N_data, 0, t); i < end; k++) {
        const int first = N(k), next = k + 1 < N_K ? min(end, N(k + 1) - t) : end;
        PACK_L(line, s, D_N_P > 1 ? p : 0, k, c);
        CT_BARRIER;
#if WG == 1
        for (int row = i; row < next; row++)
            for (int n = 0; n < TILE_C; n++)
                a[A_AT(row, n)] = rotate_by(a[A_AT(row, n)], WEIGHT(row, n));
#else
        for (int n = i * TILE_C + CT_LID; n < next * TILE_C; n += CT_ITEMS) {
            const int row = n / TILE_C, column = n % TILE_C;
            a[A_AT(row, column)] = rotate_by(a[A_AT(row, column)], WEIGHT(row, column));
        }
#endif
        CT_BARRIER;
        i = max(i, next);
    }
    STORE_R(a, s, p, t, c);
}
