/* step.cl: the difference from the sample before. */
kernel void make_step(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    Y_SAVE(ID_S, ID_T, X_LOAD(ID_S, ID_T) - X_LOAD(ID_S, ID_T - 1));
}
