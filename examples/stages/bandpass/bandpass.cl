/* bandpass.cl: each sample over its channel's gain. */
kernel void bandpass(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    Y_SAVE(ID_B, ID_P, ID_T, ID_C, X_LOAD(ID_B, ID_P, ID_T, ID_C) * G(ID_C));
}
