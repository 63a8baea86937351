/* Poly-phase FIR: y[t][c] = sum_k W[k][c] x[(t + k) N + c].
 *
 * A work-group makes a tile of TILE_S stations, TILE_P polarizations, TILE_F subbands, TILE_T spectra
 * and TILE_C channels; one work-item makes TILE_T spectra of VECTOR_C neighbouring channels at a time, so that
 * each sample is loaded and converted once for all of them. Samples that are not contiguous come
 * through tile A, row by row of the filter bank; results for an output whose channels are not
 * contiguous leave through tile R. VEC (VECTOR_C complex numbers), REALS (VECTOR_C numbers), RAW,
 * PUT and the like are defined by fir_emit.c. */

#define ROWS (TILE_T + N_K - 1) /* of samples behind TILE_T spectra */
#define LAST_ROW (Y_N_T + N_K - 2)
#define ROW(row) (Y_N_T % TILE_T == 0 ? t0 + (row) : min(t0 + (row), LAST_ROW))
#define VECTORS (TILE_C / VECTOR_C)
#define UNITS (TILE_S * TILE_P * TILE_F * VECTORS)

#if X_IS_ci4
/* Low nibble real, high nibble imaginary, both signed. */
CHARS nibbles(const BYTES bytes)
{
    const SHORTS both = CONVERT_SHORTS(bytes);
    const SHORTS low = (SHORTS)((SHORTS)(both << (SHORTS)12) >> (SHORTS)12);
    const SHORTS high = (SHORTS)(both >> (SHORTS)4);
    return AS_CHARS((SHORTS)((low & (SHORTS)255) | (SHORTS)(high << (SHORTS)8)));
}
#endif

#if X_COMPLEX
#define COMPLEX(values) (values)
#else
VEC with_zeros(const REALS re)
{
    VEC v = 0.0f;
    v.even = re;
    return v;
}
#define COMPLEX(values) with_zeros(values)
#endif

/* In the loop over units: where a unit's samples are, and where its results go. */
#if X_DIRECT
#define FROM global const X_TYPE *from = X_data + X_AT(s0 + s, p0 + p, t0 * N_C + c, f0 + f)
#define SAMPLES(row) COMPLEX(CONVERT(RAW(from + (long)(ROW(row) - t0) * N_C)))
#else
#define FROM A_SPACE const A_TYPE *from = a + A_AT(s, p, f, i_c)
#define SAMPLES(row) COMPLEX(CONVERT(TILE_RAW(from + (row) * A_SIZE)))
#endif
#if Y_DIRECT
#define TO global Y_TYPE *to = Y_data + Y_AT(s0 + s, p0 + p, t0, f0 + f, c)
#define RESULT(i, v)                                                                               \
    if (Y_N_T % TILE_T == 0 || t0 + (i) < Y_N_T) PUT(v, to + (long)(i) * Y_STRIDE_T)
#else
#define TO R_SPACE R_TYPE *to = r + R_AT(s, p, f, 0, i_c)
#define RESULT(i, v) PUT_TILE(v, to + (i) * R_STRIDE_T)
#endif

/* Prefetches the n-th share of a later tile's samples, in the order of memory. */
#define ROW_LINES ((TILE_C * (int)sizeof(X_TYPE) + 63) / 64)
#define SHARE ((TILE_T * ROW_LINES * VECTOR_C + TILE_C - 1) / TILE_C)
void prefetch_share(global const X_TYPE *tile, const int n)
{
    for (int line = n * SHARE; line < n * SHARE + SHARE; line++)
        PREFETCH_LINE(tile + line / ROW_LINES * N_C + line % ROW_LINES * 64 / (int)sizeof(X_TYPE));
}

kernel CT_GROUP void fir(CT_ARGS)
{
    const int s0 = ID_S * TILE_S, p0 = ID_P * TILE_P, f0 = ID_F * TILE_F;
    const int t0 = ID_T * TILE_T, c0 = ID_C / WG * TILE_C;
#if !X_DIRECT
    A_SPACE A_TYPE a[ROWS * A_SIZE] __attribute__((aligned(64)));
    for (int row = 0; row < ROWS; row++)
        PACK_A(a + row * A_SIZE, s0, p0, ROW(row) * N_C + c0, f0);
    CT_BARRIER;
#endif
#if !Y_DIRECT
    R_SPACE R_TYPE r[R_SIZE] __attribute__((aligned(64)));
#endif
    for (int unit = CT_LID; unit < UNITS; unit += CT_ITEMS) {
        const int s = unit / (TILE_P * TILE_F * VECTORS), p = unit / (TILE_F * VECTORS) % TILE_P;
        const int f = unit / VECTORS % TILE_F, i_c = unit % VECTORS * VECTOR_C, c = c0 + i_c;
        if (s0 + s >= N_S || p0 + p >= N_P || f0 + f >= N_F || c >= N_C) continue;
        FROM;
        TO;
#if PREFETCH && X_DIRECT
        prefetch_share(X_data + X_AT(s0 + s, p0 + p,
                                     (t0 + TILE_T * PREFETCH + N_K - 1) * N_C + c0, f0 + f),
                       i_c / VECTOR_C);
#endif
        VEC h[N_K];
        UNROLL for (int k = 0; k < N_K; k++) h[k] = LOAD_TAPS(W_data + W_AT(k, c));
#if SLIDE
        VEC x[CELL_T + N_K - 1];
        UNROLL for (int k = 0; k < N_K - 1; k++) x[k] = SAMPLES(k);
        for (int t = 0; t < TILE_T; t += CELL_T) {
            UNROLL for (int i = 0; i < CELL_T; i++)
            {
                VEC sum = 0.0f;
                x[N_K - 1 + i] = SAMPLES(t + N_K - 1 + i);
                UNROLL for (int k = 0; k < N_K; k++) sum = fma(h[k], x[i + k], sum);
                RESULT(t + i, sum);
            }
            UNROLL for (int k = 0; k < N_K - 1; k++) x[k] = x[k + CELL_T];
        }
#else
        for (int t = 0; t < TILE_T; t += CELL_T) {
            VEC sum[CELL_T];
            UNROLL for (int i = 0; i < CELL_T; i++) sum[i] = 0.0f;
            UNROLL for (int row = 0; row < CELL_T + N_K - 1; row++)
            {
                const VEC x = SAMPLES(t + row);
                UNROLL for (int i = 0; i < CELL_T; i++) if (row >= i && row - i < N_K) sum[i] =
                    fma(h[row - i], x, sum[i]);
            }
            UNROLL for (int i = 0; i < CELL_T; i++) RESULT(t + i, sum[i]);
        }
#endif
    }
#if !Y_DIRECT
    CT_BARRIER;
    STORE_R(r, s0, p0, t0, f0, c0);
#endif
}
