/* Poly-phase FIR: y[t][c] = sum_k W[k][c] x[(t + k) N + c]. One work-item makes TB spectra of one
 * channel, so that each sample is read once for all of them. */

#if X_COMPLEX
#define SAMPLE(s, p, t) X_LOAD(s, p, t)
#else
#define SAMPLE(s, p, t) (float2)(X_LOAD(s, p, t), 0.0f)
#endif

kernel void fir(CT_ARGS)
{
    const int s = ID_S, p = ID_P, t0 = ID_T * TB, c = ID_C;
    float2 sum[TB];
    if (CT_OUTSIDE) return;
    for (int i = 0; i < TB; i++)
        sum[i] = 0.0f;
    for (int row = 0; row < TB + N_K - 1; row++) {
        const float2 x = SAMPLE(s, p, min(t0 + row, Y_N_T + N_K - 2) * N_C + c);
        for (int i = 0; i < TB; i++)
            if (row >= i && row - i < N_K) sum[i] += W(row - i, c) * x;
    }
    for (int i = 0; i < TB; i++)
        if (t0 + i < Y_N_T) Y_SAVE(s, p, t0 + i, c, sum[i]);
}
