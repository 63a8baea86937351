kernel void boxcar(CT_ARGS)
{
    double sum = 0.0;
    for (int k = 0; k < P_WIDTH; k++)
        sum += X_LOAD(ID_S, ID_Q, ID_D, ID_T + k);
    Y_SAVE(ID_S, ID_Q, ID_D, ID_T, sum / sqrt((double)P_WIDTH));
}
