/* dedisp_sweep.cl: a work-item makes a panel of PANEL_D trials x PANEL_T samples, whose sums stay in the
 * second-level cache, some channels at a time. For these it takes tiles of TILE_T samples that lie along
 * their sweep, so that what one trial reads is still in the first-level cache when the next one does:
 * seen from the highest channel, each trial's tile begins earlier than that of the trial before, by as
 * much as its shift is longer. Each sum takes its channels in their order, as in dedisp_cells.cl. Put
 * before dedisp.cl, after dedisp_vectors.cl.
 * Room: stages/dedisp. Knows shifts. Does not know how panels are divided over work-items. */

#define GROUP_SAMPLES PANEL_T
#define CHANNELS 8 /* of a pass over the sums: more windows of samples would not fit in the cache */
#define ROW_STRIDE (PANEL_T + 48) /* between trials' sums: not all of them share a cache's set */
#define WIDENED (X_N_C > TILE_C) /* narrow sums are added to wide ones after each TILE_C channels */

/* Channels that are added in one pass. */
typedef struct {
    int c[CHANNELS], count;
    int next;           /* the channel after them */
    bool opens, closes; /* TILE_C channels begin, and end, with them */
    int tiles;          /* of TILE_C channels before these */
} pass;

/* Where a panel's sums lie between passes, or a trial's; where its samples begin; how often each is
 * stored. */
typedef struct {
    local NARROW *narrow;
    local WIDE *wide;
    int level, hold;
} kept;

static int skip_masked(SHIFTS, int trial, int c)
{
    while (c < X_N_C && SHIFT(trial, c) < 0)
        c++;
    return c;
}

/* The channels after those of the pass before. */
static pass take_channels(SHIFTS, int trial, pass before)
{
    int c = before.next;
    const int end = min((c / TILE_C + 1) * TILE_C, X_N_C);
    pass of = {.opens = before.closes, .tiles = before.tiles + before.closes};
    while (c < end && of.count < CHANNELS) {
        of.c[of.count++] = c;
        c = skip_masked(SHIFT_data, trial, c + 1);
    }
    of.next = c;
    of.closes = c >= end;
    return of;
}

/* Adds VECTORS_T vectors of a channel. */
static void add_row(V(NARROW) sum[VECTORS_T], global const STORED *from)
{
#pragma unroll
    for (int v = 0; v < VECTORS_T; v++)
        sum[v] += CONVERT(NARROW, TAKE(global, stored, from + v * VECTOR_T));
}

/* A pass takes up sums where the one before has left them. */
static void take_up(V(NARROW) sum[VECTORS_T], local const NARROW *from, const pass *of)
{
#pragma unroll
    for (int v = 0; v < VECTORS_T; v++)
        sum[v] = of->opens ? (V(NARROW))0 : TAKE(local, narrow, from + v * VECTOR_T);
}

static void leave(const V(NARROW) sum[VECTORS_T], local NARROW *to)
{
#pragma unroll
    for (int v = 0; v < VECTORS_T; v++)
        PUT(sum[v], narrow, to + v * VECTOR_T);
}

/* After the last channels of a tile; `at.t`: where the vectors belong in the output. */
static void close(const V(NARROW) sum[VECTORS_T], local WIDE *total, const pass *of,
                  global Y_TYPE *restrict Y_data, tile at, int hold)
{
#pragma unroll
    for (int v = 0; v < VECTORS_T; v++) {
        V(WIDE) now = CONVERT(WIDE, sum[v]);
        if (WIDENED && of->tiles > 0) now += TAKE(local, wide, total + v * VECTOR_T);
        if (of->next < X_N_C)
            PUT(now, wide, total + v * VECTOR_T);
        else
            store(Y_data, CONVERT(float, now), at.series, at.first, at.t + v * VECTOR_T, hold);
    }
}

/* Adds the channels of a pass to samples begin..end of trial at.first. */
static void add_samples(kept to, const pass *of, global const STORED *const from[CHANNELS],
                        global Y_TYPE *restrict Y_data, tile at, int begin, int end)
{
    for (int t = begin; t < end; t += TILE) {
        const tile vectors = {at.series, at.first, at.last, at.t + t};
        V(NARROW) sum[VECTORS_T];
        take_up(sum, to.narrow + t, of);
        if (of->count == CHANNELS) {
#pragma unroll
            for (int k = 0; k < CHANNELS; k++)
                add_row(sum, from[k] + t);
        } else
            for (int k = 0; k < of->count; k++)
                add_row(sum, from[k] + t);
        if (of->closes)
            close(sum, to.wide + t, of, Y_data, vectors, to.hold);
        else
            leave(sum, to.narrow + t);
    }
}

static void add_trial(kept to, INPUT, SHIFTS, const pass *of, global Y_TYPE *restrict Y_data,
                      tile at, int begin, int end)
{
    global const STORED *from[CHANNELS];
    if (begin >= end) return;
    for (int k = 0; k < of->count; k++)
        from[k] = &AT(at.series, to.level + at.t + SHIFT(at.first, of->c[k]), of->c[k]);
    add_samples(to, of, from, Y_data, at, begin, end);
}

/* By how much each trial's tiles begin earlier, in whole rounds of the loop over samples; gives the
 * least and the most. Trials that lie further apart than a panel is long share nothing anyway. */
static int2 find_lags(int lag[PANEL_D], SHIFTS, tile at, int c)
{
    int2 ends = 0;
    int whole = 0;
    lag[0] = 0;
    for (int d = at.first + 1; d <= at.last; d++) {
        whole += clamp(SHIFT(d, c) - SHIFT(d - 1, c), -PANEL_T, PANEL_T);
        lag[d - at.first] = whole - (whole % TILE + TILE) % TILE;
        ends = (int2)(min(ends.x, lag[d - at.first]), max(ends.y, lag[d - at.first]));
    }
    return ends;
}

/* All tiles of a pass. */
static void sweep(kept to, INPUT, SHIFTS, const pass *of, global Y_TYPE *restrict Y_data, tile at)
{
    int lag[PANEL_D];
    const int2 ends = find_lags(lag, SHIFT_data, at, of->c[of->count / 2]);
    for (int t = ends.x; t < PANEL_T + ends.y; t += TILE_T)
        for (int d = 0; d <= at.last - at.first; d++) {
            const tile one = {at.series, at.first + d, at.last, at.t};
            const kept its = {to.narrow + d * ROW_STRIDE, to.wide + WIDENED * d * ROW_STRIDE, to.level,
                              to.hold};
            add_trial(its, INPUT_DATA, SHIFT_data, of, Y_data, one, max(t - lag[d], 0),
                      min(t - lag[d] + TILE_T, PANEL_T));
        }
}

static void add_panel(kept to, INPUT, SHIFTS, global Y_TYPE *restrict Y_data, tile at)
{
    pass of = {.next = skip_masked(SHIFT_data, at.first, 0), .closes = true, .tiles = -1};
    while (of.next < X_N_C) {
        of = take_channels(SHIFT_data, at.first, of);
        sweep(to, INPUT_DATA, SHIFT_data, &of, Y_data, at);
    }
}
