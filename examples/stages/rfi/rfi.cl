/* rfi.cl: a work-item judges P_WINDOW samples of a station by each other: in each polarization, how far is
 * the power of a sample from the median of all, in units of the median of these distances? A sample
 * without any power is missing, and has no say. */

static float power_of(global const X_TYPE *restrict X_data, int s, int p, int t)
{
    float sum = 0.0f;
    for (int c = 0; c < X_N_C; c++) {
        const float2 x = X_LOAD(s, p, t, c);
        sum += x.x * x.x + x.y * x.y;
    }
    return sum;
}

static void insert(float *sorted, int count, float value)
{
    int at = count;
    for (; at > 0 && sorted[at - 1] > value; at--)
        sorted[at] = sorted[at - 1];
    sorted[at] = value;
}

static float middle(const float *sorted, int count)
{
    return 0.5f * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

/* The powers that are too large or too small for the others. */
static void judge(const float *power, int count, uchar *flag)
{
    float sorted[P_WINDOW];
    int present = 0;
    for (int k = 0; k < count; k++)
        if (power[k] > 0.0f) insert(sorted, present++, power[k]);
    if (present < 3) return;
    const float median = middle(sorted, present);
    present = 0;
    for (int k = 0; k < count; k++)
        if (power[k] > 0.0f) insert(sorted, present++, fabs(power[k] - median));
    const float most = P_THRESHOLD * 1.4826f * middle(sorted, present);
    for (int k = 0; k < count; k++)
        flag[k] |= power[k] > 0.0f && fabs(power[k] - median) > most;
}

kernel void rfi(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    const int first = ID_T * P_WINDOW, count = min(P_WINDOW, X_N_T - first);
    uchar flag[P_WINDOW];
    for (int k = 0; k < count; k++)
        flag[k] = 0;
    for (int p = 0; p < X_N_P; p++) {
        float power[P_WINDOW];
        for (int k = 0; k < count; k++)
            power[k] = power_of(X_data, ID_S, p, first + k);
        judge(power, count, flag);
    }
    for (int k = 0; k < count; k++) {
        F(ID_S, first + k) = flag[k];
        for (int p = 0; p < X_N_P; p++)
            for (int c = 0; c < X_N_C; c++)
                Y_SAVE(ID_S, p, first + k, c, flag[k] ? (float2)(0.0f) : X_LOAD(ID_S, p, first + k, c));
    }
}
