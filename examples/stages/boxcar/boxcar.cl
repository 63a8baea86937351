kernel void boxcar(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    float sum = 0.0f;
    for (int k = 0; k < P_WIDTH; k++)
        sum += X_LOAD(ID_S, ID_Q, ID_D, ID_T + k);
    Y_SAVE(ID_S, ID_Q, ID_D, ID_T, sum * rsqrt((float)P_WIDTH));
}
