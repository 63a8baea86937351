/* smooth.cl: a group of work-items packs the samples that its outputs need, and adds them up. */
kernel void smooth(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    R_SPACE R_TYPE r[R_SIZE] __attribute__((aligned(64)));
    const int c = get_group_id(0) * R_N_C, t = get_group_id(1) * R_N_T, b = get_group_id(2);
    PACK_A(a, b, t * DECIMATE, c);
    CT_BARRIER;
    for (int n = CT_LID; n < R_N_T * R_N_C; n += CT_ITEMS) {
        const int i = n / R_N_C, j = n % R_N_C;
        float sum = 0.0f;
        for (int k = 0; k < N_K; k++)
            sum += W(k) * a[A_AT(i * DECIMATE + k, j)];
        r[R_AT(i, j)] = sum;
    }
    CT_BARRIER;
    STORE_R(r, b, t, c);
}
