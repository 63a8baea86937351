kernel void average(CT_ARGS)
{
#if X_COMPLEX
    double2 sum = 0.0;
#else
    double sum = 0.0;
#endif
    for (int t = 0; t < P_SAMPLES; t++)
        for (int c = 0; c < P_CHANNELS; c++)
            sum += X_LOAD(ID_S, ID_P, ID_T * P_SAMPLES + t, ID_C * P_CHANNELS + c);
    Y_SAVE(ID_S, ID_P, ID_T, ID_C, sum / (P_SAMPLES * P_CHANNELS));
}
