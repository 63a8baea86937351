/* rfi_ref.cl: each sample for itself. The median is the number that so many others are smaller than. */

static double place(const double *value, int count, int wanted)
{
    for (int i = 0; i < count; i++) {
        int below = 0, same = 0;
        for (int j = 0; j < count; j++) {
            below += value[j] < value[i];
            same += value[j] == value[i];
        }
        if (below <= wanted && wanted < below + same) return value[i];
    }
    return 0.0;
}

static double median(const double *value, int count)
{
    return 0.5 * (place(value, count, (count - 1) / 2) + place(value, count, count / 2));
}

kernel void rfi(CT_ARGS)
{
    const int first = ID_T / P_WINDOW * P_WINDOW, end = min(first + P_WINDOW, X_N_T);
    int flag = 0;
    for (int p = 0; p < X_N_P; p++) {
        double power[P_WINDOW], away[P_WINDOW], mine = 0.0;
        int count = 0;
        for (int t = first; t < end; t++) {
            double sum = 0.0;
            for (int c = 0; c < X_N_C; c++) {
                const double2 x = X_LOAD(ID_S, p, t, c);
                sum += x.x * x.x + x.y * x.y;
            }
            if (sum > 0.0) power[count++] = sum;
            if (t == ID_T) mine = sum;
        }
        const double middle = median(power, count);
        for (int i = 0; i < count; i++)
            away[i] = fabs(power[i] - middle);
        const double most = P_THRESHOLD * 1.4826 * median(away, count);
        flag |= count > 2 && mine > 0.0 && fabs(mine - middle) > most;
    }
    F_SAVE(ID_S, ID_T, flag);
    Y_SAVE(ID_S, ID_P, ID_T, ID_C, flag ? (double2)(0.0) : X_LOAD(ID_S, ID_P, ID_T, ID_C));
}
