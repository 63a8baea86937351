/* Poly-phase FIR: y[t][c] = sum_k W[k][c] x[(t + k) N + c].
 *
 * A work-group makes a block of SB stations, PB polarizations, TB spectra and CB channels; one
 * work-item makes TB spectra of VW neighbouring channels at a time, so that each sample is loaded
 * and converted once for all of them. Samples that are not contiguous come through tile A, row by
 * row of the filter bank; results for an output whose channels are not contiguous leave through
 * tile R. VEC (VW complex numbers), REALS (VW numbers), RAW, PUT and the like are defined by
 * fir_emit.c. */

#define ROWS (TB + N_K - 1) /* of samples behind TB spectra */
#define LAST_ROW (Y_N_T + N_K - 2)
#define ROW(row) (Y_N_T % TB == 0 ? t0 + (row) : min(t0 + (row), LAST_ROW))
#define UNITS (SB * PB * (CB / VW))

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

/* The coefficients of VW channels, each twice: real and imaginary parts are multiplied alike. */
VEC taps(global const float *restrict W_data, const int k, const int c)
{
    const REALS h = LOAD_REALS(W_data + W_AT(k, c));
    VEC both;
    both.even = h;
    both.odd = h;
    return both;
}

kernel CT_GROUP void fir(CT_ARGS)
{
    const int s0 = ID_S * SB, p0 = ID_P * PB, t0 = ID_T * TB, c0 = ID_C / WG * CB;
#if !X_DIRECT
    A_SPACE A_TYPE a[ROWS * A_SIZE] __attribute__((aligned(64)));
    for (int row = 0; row < ROWS; row++)
        PACK_A(a + row * A_SIZE, s0, p0, ROW(row) * N_C + c0);
    CT_BARRIER;
#endif
#if !Y_DIRECT
    R_SPACE R_TYPE r[R_SIZE] __attribute__((aligned(64)));
#endif
    for (int unit = CT_LID; unit < UNITS; unit += CT_ITEMS) {
        const int s = unit / (PB * (CB / VW)), p = unit / (CB / VW) % PB;
        const int i_c = unit % (CB / VW) * VW, c = c0 + i_c;
        if (s0 + s >= N_S || p0 + p >= N_P || c >= N_C) continue;
        VEC sum[TB], h[N_K];
        UNROLL for (int k = 0; k < N_K; k++) h[k] = taps(W_data, k, c);
        UNROLL for (int i = 0; i < TB; i++) sum[i] = 0.0f;
        UNROLL for (int row = 0; row < ROWS; row++)
        {
#if X_DIRECT
            const VEC x =
                COMPLEX(CONVERT(RAW(X_data + X_AT(s0 + s, p0 + p, ROW(row) * N_C + c))));
#else
            const VEC x = COMPLEX(TILE_RAW(a + row * A_SIZE + A_AT(s, p, i_c)));
#endif
            UNROLL for (int i = 0; i < TB; i++) if (row >= i && row - i < N_K) sum[i] =
                fma(h[row - i], x, sum[i]);
        }
        UNROLL for (int i = 0; i < TB; i++)
        {
#if Y_DIRECT
            if (Y_N_T % TB == 0 || t0 + i < Y_N_T)
                PUT(sum[i], Y_data + Y_AT(s0 + s, p0 + p, t0 + i, c));
#else
            PUT_TILE(sum[i], r + R_AT(s, p, i, i_c));
#endif
        }
    }
#if !Y_DIRECT
    CT_BARRIER;
    STORE_R(r, s0, p0, t0, c0);
#endif
}
