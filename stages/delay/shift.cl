/* shift.cl: a work-item takes a tile of one station and polarization from where its samples lie in the
 * window before and behind them. Where a tile reaches over a change, samples go one by one. See
 * README.md. */

/* The last shift that begins at this sample or before it. */
static inline int shift_of(global const N_TYPE *restrict N_data, int k, const int t)
{
    while (k + 1 < N_K && N(k + 1) <= t)
        k++;
    return k;
}

kernel void shift(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    const int c = get_global_id(0) * TILE_C, t = get_global_id(1) * TILE_T;
    const int s = get_global_id(2) / Y_N_P, p = get_global_id(2) % Y_N_P, q = H_N_P > 1 ? p : 0;
    const int end = min(t + TILE_T, Y_N_T);
    const int first = shift_of(N_data, 0, t), last = shift_of(N_data, first, end - 1);
    bool same = true;
    for (int k = first; k < last; k++)
        same = same && H(s, q, k + 1) == H(s, q, first);
    if (same) {
        PACK_A(a, s, p, t + H(s, q, first), c);
        STORE_R(a, s, p, t, c);
        return;
    }
    for (int i = t, k = first; i < end; i++) {
        k = shift_of(N_data, k, i);
        for (int n = c; n < min(c + TILE_C, Y_N_C); n++)
            Y_SAVE(s, p, i, n, X_LOAD(s, p, i + H(s, q, k), n));
    }
}
