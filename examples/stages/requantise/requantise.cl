/* requantise.cl: a work-item takes all channels of one sample. */
kernel void requantise(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    int cut = 0;
    for (int c = 0; c < X_N_C; c++) {
#if X_COMPLEX
        const float2 x = rint(X_LOAD(ID_S, ID_P, ID_T, c) * P_SCALE);
        cut += fabs(x.x + 0.5f) > 127.5f || fabs(x.y + 0.5f) > 127.5f;
#else
        const float x = rint(X_LOAD(ID_S, ID_P, ID_T, c) * P_SCALE);
        cut += fabs(x + 0.5f) > 127.5f;
#endif
        Y_SAVE(ID_S, ID_P, ID_T, c, x);
    }
    N(ID_S, ID_P, ID_T) = cut;
}
