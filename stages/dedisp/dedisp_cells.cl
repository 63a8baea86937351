/* dedisp_cells.cl: a work-item makes CELLS_D * CELL_D trials x VECTOR_T * VECTORS_T samples, TILE_C
 * channels at a time: CELL_D trials in registers, then the next CELL_D trials while the channels
 * are still in the cache. Put before dedisp.cl, after dedisp_vectors.cl.
 * Room: stages/dedisp. Knows shifts. Does not know how trials are divided over work-items. */

#define GROUP_SAMPLES (WG * TILE)
#define APART (VECTOR_T * WG) /* from one vector of a work-item to the next: its group's lie between */

/* Adds VECTORS_T vectors of one trial and channel. */
static void add_vectors(V(NARROW) sum[VECTORS_T], INPUT, tile at, int shift, int c)
{
    global const STORED *from = &AT(at.series, at.t + shift, c);
#pragma unroll
    for (int v = 0; v < VECTORS_T; v++)
        sum[v] += CONVERT(NARROW, VLOAD(from + v * APART));
}

/* Adds a tile's channels to CELL_D trials. */
static void add_trials(V(WIDE) total[CELL_D][VECTORS_T], INPUT, SHIFTS, tile at, int c_first,
                       int c_end)
{
    V(NARROW) sum[CELL_D][VECTORS_T];
#pragma unroll
    for (int i = 0; i < CELL_D * VECTORS_T; i++)
        sum[i / VECTORS_T][i % VECTORS_T] = 0;
    for (int c = c_first; c < c_end; c++) {
        if (SHIFT(at.first, c) < 0) continue;
#pragma unroll
        for (int d = 0; d < CELL_D; d++)
            add_vectors(sum[d], INPUT_DATA, at, SHIFT(min(at.first + d, at.last), c), c);
    }
#pragma unroll
    for (int i = 0; i < CELL_D * VECTORS_T; i++)
        total[i / VECTORS_T][i % VECTORS_T] += CONVERT(WIDE, sum[i / VECTORS_T][i % VECTORS_T]);
}

static void add_tile(V(WIDE) total[CELLS_D][CELL_D][VECTORS_T], INPUT, SHIFTS, tile at,
                      int c_first, int c_end)
{
    for (int p = 0; p < CELLS_D && at.first <= at.last; p++) {
        add_trials(total[p], INPUT_DATA, SHIFT_data, at, c_first, c_end);
        at.first += CELL_D;
    }
}
