kernel void average(CT_ARGS)
{
    if (CT_OUTSIDE) return;
#if X_COMPLEX
    float2 sum = 0.0f;
#else
    float sum = 0.0f;
#endif
    for (int t = 0; t < P_SAMPLES; t++)
        for (int c = 0; c < P_CHANNELS; c++)
            sum += X_LOAD(ID_S, ID_P, ID_T * P_SAMPLES + t, ID_C * P_CHANNELS + c);
    Y_SAVE(ID_S, ID_P, ID_T, ID_C, sum / (P_SAMPLES * P_CHANNELS));
}
