/* A work-group's spectra (fft_group.cl) row by row: the first pass reads them from memory, in the
 * order in which they lie there, or where too few channels of a butterfly's neighbours lie together they come to local memory
 * first, so that the first pass is one like others. */
#define GET_X(k, re, im)                                                                           \
    do {                                                                                           \
        const float2 v = from[(k) * SPAN * X_STRIDE_C];                                            \
        re = v.x, im = v.y;                                                                        \
    } while (0)

/* The place in X of item i of a loop over the tile and `count` channels; the last row stands for those beyond. */
#define FROM_ITEM(i, count)                                                                        \
    FROM_STEP(NEAREST(DIGIT_S_X(i, count), left_s, Y_N_S, TILE_S),                                 \
              NEAREST(DIGIT_P_X(i, count), left_p, Y_N_P, TILE_P),                                 \
              NEAREST(DIGIT_T_X(i, count), left_t, Y_N_T, TILE_T), DIGIT_C_X(i, count))
#define ROW_ITEM(i, count) ROW_AT(DIGIT_S_X(i, count), DIGIT_P_X(i, count), DIGIT_T_X(i, count))

INLINE void transform_group(local float2 *z, const uint item, global const X_TYPE *x, global Y_TYPE *y,
                            global const float *factors, const int left_s, const int left_p, const int left_t)
{
#if X_STAGED
    UNROLL_16 FOR_ITEMS(i, ROWS * N_C)
        z[ROW_ITEM(i, N_C) + AT(DIGIT_C_X(i, N_C))] = x[FROM_ITEM(i, N_C)];
#else
    enum { RADIX = RADIX_FIRST, SPAN = N_C / RADIX_FIRST };
    global const float *w = factors;
    UNROLL_FIRST FOR_ITEMS(i, ROWS * SPAN)
    {
        const uint n = DIGIT_C_X(i, SPAN), q = n;
        const uint at = ROW_ITEM(i, SPAN) + AT(q);
        global const X_TYPE *from = x + FROM_ITEM(i, SPAN);
        RUN(RADIX_FIRST, GET_X, PUT_Z, NOTHING);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    MIDDLE_PASSES
    last_pass(z, item, y, left_s, left_p, left_t);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void fft(CT_ARGS)
{
    local float2 z[Z_SIZE];
    const GROUP_TYPE group = get_group_id(0);
    const int s = GROUP_S(group) * TILE_S, p = GROUP_P(group) * TILE_P, t = GROUP_T(group) * TILE_T, f = GROUP_F(group);
    transform_group(z, get_local_id(0), X_data + (long)f * X_STRIDE_F + FROM_AT(s, p, t),
                    Y_data + (long)f * N_C * Y_STRIDE_C + TO_AT(s, p, t), W_data, Y_N_S - s, Y_N_P - p, Y_N_T - t);
}
