/* beamformer.cl: beam[b][p][t][c] = sum_s w[b][s][c] x[s][p][t][c], or the sum of powers.
 * See README.md. */

kernel void beamformer(CT_ARGS)
{
    const int c = get_global_id(0), t = get_global_id(1);
    const int b = get_global_id(2) / Y_N_P, p = get_global_id(2) % Y_N_P;
#if HAVE_W
    float2 sum = 0.0f;
    for (int s = 0; s < X_N_S; s++) {
        const float2 w = W_LOAD(b, s, c), x = X_LOAD(s, p, t, c);
        sum += (float2)(w.x * x.x - w.y * x.y, w.x * x.y + w.y * x.x);
    }
#else
    float sum = 0.0f;
    for (int s = 0; s < X_N_S; s++) {
        const float2 x = X_LOAD(s, p, t, c);
        sum += dot(x, x);
    }
    if (P_NORMALISE_IS_mean)
        sum *= 1.0f / X_N_S;
#endif
    Y_SAVE(b, p, t, c, sum);
}
