/* A spectrum, number by number, wherever its samples lie and its channels go (LANES is 1): real and
 * imaginary parts in turns. */
#define INNER N_C
#define A_STRIDE_c 1
#define A_STRIDE_C 0 /* there is one INNER */
#define FACTORS F_data
#define PUT_LAST(k, re, im)                                                                        \
    Y_SAVE(s, p, t, CHANNEL(n) + (k) * (N_C / RADIX), (float2)(re, im))

#if X_COMPLEX
#define SAMPLE(t) X_LOAD(s, p, t, 0)
#else
#define SAMPLE(t) (float2)(X_LOAD(s, p, t, 0), 0.0f)
#endif

INLINE void spectra(CT_ARGS, const int s, const int p, const int t)
{
    float tile[2 * N_C];
    private float *out = tile;
    global Y_TYPE *to = Y_data;
    for (int c = 0; c < N_C; c++) {
        float2 sum = 0.0f;
        for (int k = 0; k < N_K; k++)
            sum = fma((float2)(W(k, c)), SAMPLE((t + k) * N_C + c), sum);
        tile[2 * c] = sum.x, tile[2 * c + 1] = sum.y;
    }
    MIDDLE_PASSES
    LAST_PASS(RADIX_LAST, GET_Z, PUT_LAST);
}
