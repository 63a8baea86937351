/* A work-group's spectra (fft_group.cl), on GPUs: a work-item filters TILE_T spectra of one channel, whose samples
 * are its neighbours' neighbours in memory, CELL_T at a time: each sample is read and converted once for all that
 * it adds to. The sums go to local memory, where the passes of the transform follow. */
#if X_COMPLEX
typedef float2 SUM;
#define COMPLEX(sum) (sum)
#else
typedef float SUM;
#define COMPLEX(sum) (float2)(sum, 0.0f)
#endif
/* Row n from where X_data points to; `last` is the last one that there is. */
#define SAMPLE(n) X_LOAD(0, 0, (Y_N_T % TILE_T == 0 ? (n) : min(n, last)) * N_C, 0)

/* Channel c of CELL_T spectra from the rows of samples that begin at X_data, to `to` and on. */
INLINE void filter_cell(global const X_TYPE *X_data, global const W_TYPE *W_data, const float *h, local float2 *to,
                        const int last, const int c)
{
    SUM sum[CELL_T];
    UNROLL for (int n = 0; n < CELL_T; n++) sum[n] = 0.0f;
#if TAPS_WRITTEN_OUT
    UNROLL for (int row = 0; row < CELL_T + N_K - 1; row++)
    {
        const SUM x = SAMPLE(row);
        UNROLL for (int n = 0; n < CELL_T; n++) if (row >= n && row - n < N_K) sum[n] =
            fma((SUM)(h[row - n]), x, sum[n]);
    }
#else
    for (int k = 0; k < N_K; k++) {
        const SUM tap = (SUM)(W(k, c));
        UNROLL for (int n = 0; n < CELL_T; n++) sum[n] = fma(tap, SAMPLE(n + k), sum[n]);
    }
#endif
    UNROLL for (int n = 0; n < CELL_T; n++) to[n * Z_STRIDE_T] = COMPLEX(sum[n]);
}

/* Channel c of TILE_T spectra, of which `left` are there. */
INLINE void filter(global const X_TYPE *x, global const W_TYPE *W_data, local float2 *to, const int left, const int c)
{
    float h[TAPS_WRITTEN_OUT ? N_K : 1];
#if TAPS_WRITTEN_OUT
    UNROLL for (int k = 0; k < N_K; k++) h[k] = W(k, c);
#endif
    for (int t = 0; t < TILE_T; t += CELL_T)
        filter_cell(x + (X_INDEX)t * N_C * X_STRIDE_T, W_data, h, to + t * Z_STRIDE_T, left + N_K - 2 - t, c);
}

INLINE void spectra_of_group(CT_ARGS, local float2 *z, const uint item, const int s0, const int p0, const int t0)
{
    global const float *factors = F_data;
    FOR_ITEMS(i, TILE_S * TILE_P * N_C)
    {
        const uint c = DIGIT_C_X(i, N_C), s = DIGIT_S_X(i, N_C), p = DIGIT_P_X(i, N_C);
        const int s1 = s0 + NEAREST(s, Y_N_S - s0, Y_N_S, TILE_S), p1 = p0 + NEAREST(p, Y_N_P - p0, Y_N_P, TILE_P);
        filter(X_data + X_AT(s1, p1, t0 * N_C + (int)c, 0) - X_OFFSET, W_data, z + ROW_AT(s, p, 0) + AT(c),
               Y_N_T - t0, c);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    MIDDLE_PASSES
    last_pass(z, item, Y_data + Y_AT(s0, p0, t0, 0), Y_N_S - s0, Y_N_P - p0, Y_N_T - t0);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void ppf(CT_ARGS)
{
    local float2 z[Z_SIZE];
    const GROUP_TYPE group = get_group_id(0);
    const int f = GROUP_F(group);
    spectra_of_group(X_data + (long)f * X_STRIDE_F, Y_data + (long)f * N_C * Y_STRIDE_C, W_data, F_data, z,
                     get_local_id(0), GROUP_S(group) * TILE_S, GROUP_P(group) * TILE_P, GROUP_T(group) * TILE_T);
}
