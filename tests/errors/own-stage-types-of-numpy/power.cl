/* power.cl: one work-item makes one output. Written in coordinates: docs/kernels.md lists every name
 * that is defined here. */
kernel void make_power(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    float sum = 0.0f;
    for (int k = 0; k < P_SUM; k++) {
        const float2 x = X_LOAD(ID_S, ID_P, ID_T * P_SUM + k);
        sum += x.x * x.x + x.y * x.y;
    }
    Y_SAVE(ID_S, ID_P, ID_T, sum);
}
