kernel void half_(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    Y_SAVE(ID_S, ID_P, ID_T, 0.5f * X_LOAD(ID_S, ID_P, ID_T));
}
