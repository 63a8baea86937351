/* requantise_ref.cl: what is rounded is the product in single precision, as the kernel has it: the
 * exact product may lie on the other side of a half. */
static int is_cut(double x)
{
    return x < -128.0 || x > 127.0;
}

kernel void requantise(CT_ARGS)
{
    int cut = 0;
    for (int c = 0; c < X_N_C; c++) {
#if X_COMPLEX
        const double2 x = convert_double2(rint(convert_float2(X_LOAD(ID_S, ID_P, ID_T, c)) * (float)P_SCALE));
        cut += is_cut(x.x) || is_cut(x.y);
#else
        const double x = rint((float)X_LOAD(ID_S, ID_P, ID_T, c) * (float)P_SCALE);
        cut += is_cut(x);
#endif
        if (c == ID_C) Y_SAVE(ID_S, ID_P, ID_T, c, clamp(x, -128.0, 127.0));
    }
    N_SAVE(ID_S, ID_P, ID_T, cut);
}
