kernel void step_reference(CT_ARGS)
{
    Y_SAVE(ID_S, ID_T, X_LOAD(ID_S, ID_T) - X_LOAD(ID_S, ID_T - 1));
}
