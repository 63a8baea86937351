/* dedisp.cl: which trials and samples a work-item makes, and the launches before. How it makes them is
 * in dedisp_share.cl (SHARE=1), dedisp_sweep.cl (TILE_T > 0) or dedisp_cells.cl. dedisp_emit.c defines
 * RANGE and its columns, and SUM_LEVELS (Z's levels). */

/* ---- the whole */

kernel void dedisp(CT_ARGS)
{
    const int place = (int)get_global_id(0) % GROUPS_T;
    int r = 0, number = (int)get_global_id(0) / GROUPS_T;
    for (; number >= RANGE[r][TILES]; r++)
        number -= RANGE[r][TILES];
    const int start = ((int)get_group_id(1) * GROUPS_T + place) * GROUP_SAMPLES;
#if !(WG > 1 && CELLS_D > 1)
    if (start >= RANGE[r][SAMPLES]) return;
#endif
    const int t = min(start, RANGE[r][SAMPLES] - GROUP_SAMPLES) + (int)get_local_id(1) * VECTOR_T;
    tile at = {get_global_id(2), RANGE[r][FIRST] + number * CELLS_D * CELL_D, RANGE[r][LAST],
               t + RANGE[r][LEVEL]};

#if SHARE
    const int head = (int)get_global_id(0) / GROUPS_T * TILES_C * HEAD;
    local NARROW rows[ROWS_SIZE] __attribute__((aligned(64)));
    local WIDE total[PANEL_D * PANEL_T] __attribute__((aligned(64)));
    at.first = SUMS(head + 4);
    at.last = at.first + SUMS(head + 5) - 1;
    add_panel(total, rows, INPUT_DATA, SUMS_data, at, head);
    for (int d = 0; d <= at.last - at.first; d++)
        for (int i = 0; i < PANEL_T; i += VECTOR_T)
            store(Y_data, CONVERT(float, TAKE(local, wide, total + d * PANEL_T + i)), at.series,
                  at.first + d, t + i, RANGE[r][HOLD]);
#elif TILE_T
    local NARROW narrow_sums[PANEL_D * ROW_STRIDE] __attribute__((aligned(64)));
    local WIDE wide_sums[WIDENED ? PANEL_D * ROW_STRIDE : 1] __attribute__((aligned(64)));
    const kept sums = {narrow_sums, wide_sums, RANGE[r][LEVEL], RANGE[r][HOLD]};
    at.last = min(at.first + PANEL_D - 1, at.last);
    at.t = t;
    add_panel(sums, INPUT_DATA, SHIFT_data, Y_data, at);
#elif WG > 1 && CELLS_D > 1
    local WORD rows[ROWS_C * SPAN];
    local int places[ROWS_C * PANEL_D] __attribute__((aligned(16)));
    local int2 spans[ROWS_C];
    const int item = get_local_id(1);
    cell sums;
    at.t -= item;
    if (start >= RANGE[r][SAMPLES]) at.last = -1; /* see dedisp_group.cl */
    add_channels(&sums, rows, places, spans, INPUT_DATA, SHIFT_data, at, item);
    store_cell(Y_data, &sums, at, t - item, item, RANGE[r][HOLD]);
#else
    V(WIDE) total[CELLS_D][CELL_D][VECTORS_T];
    UNROLL for (int i = 0; i < CELLS_D * CELL_D * VECTORS_T; i++)
        total[i / VECTORS_T / CELL_D][i / VECTORS_T % CELL_D][i % VECTORS_T] = 0;
    for (int c = 0; c < X_N_C; c += TILE_C)
        add_tile(total, INPUT_DATA, SHIFT_data, at, c, min(c + TILE_C, X_N_C));
    UNROLL for (int i = 0; i < CELLS_D * CELL_D * VECTORS_T; i++)
        if (at.first + i / VECTORS_T <= at.last)
            store(Y_data,
                  CONVERT(float,
                          total[i / VECTORS_T / CELL_D][i / VECTORS_T % CELL_D][i % VECTORS_T]),
                  at.series, at.first + i / VECTORS_T, t + i % VECTORS_T * APART, RANGE[r][HOLD]);
#endif
}

/* ---- the launches before */

#if HAVE_R
kernel void dedisp_transpose(CT_ARGS)
{
    CT_TRANSPOSE_TILE;
    CT_TRANSPOSE(X_data, R_data);
}
#endif

#if HAVE_Z
typedef JOIN(Z_TYPE, 16) sums;

/* Sums of neighbours for k..end, by 16, as far as that goes: compilers do not make vectors of
 * pairs. */
static int sum_pairs(global Z_TYPE *to, global const X_TYPE *row, int k, int end)
{
    for (; k + 16 <= end; k += 16) {
        const sums low = JOIN(JOIN(convert_, Z_TYPE), 16)(vload16(0, row + 2 * k));
        const sums high = JOIN(JOIN(convert_, Z_TYPE), 16)(vload16(1, row + 2 * k));
        vstore16((sums)(low.even + low.odd, high.even + high.odd), 0, to + k);
    }
    return k;
}

/* One level, which starts at `level` and adds n samples for each: as far as it lies in this piece.
 */
static void sum_level(global Z_TYPE *restrict Z_data, ROWS, int4 piece, int level, int end,
                      const int n)
{
    global const X_TYPE *row = &ROW(piece.x, piece.y, 0);
    global Z_TYPE *to = &Z(piece.x, piece.y, level);
    int k = max(piece.z - level, 0);
    const int stop = min(piece.w, end) - level;
    if (n == 2) k = sum_pairs(to, row, k, stop);
    for (; k < stop; k++) {
        Z_TYPE sum = 0;
        for (int i = 0; i < n; i++)
            sum += row[k * n + i];
        to[k] = sum;
    }
}

/* A work-item makes a piece of a row of Z: its series, channel, first sample and end. SUM_LEVELS
 * calls sum_level for each level. */
kernel void dedisp_downsample(CT_ARGS)
{
    const int first = (int)get_global_id(1) * SUM_SAMPLES;
    const int4 piece = (int4)(get_global_id(2), get_global_id(0), first, first + SUM_SAMPLES);
    SUM_LEVELS(Z_data, ROWS_DATA, piece);
}
#endif
