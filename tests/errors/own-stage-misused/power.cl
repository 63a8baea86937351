kernel void power(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    Y_SAVE(ID_S, ID_T, ID_C, G(ID_S, ID_C) * X_LOAD(ID_S, 0, ID_T * DECIMATE, ID_C * P_MEAN).x);
}
