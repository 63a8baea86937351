kernel void sum(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    float sum = 0;
    for (int s = 0; s < X_N_S; s++)
        sum += X_LOAD(s, ID_T);
    Y_SAVE(ID_T, sum);
}
