/* dedisp_share.cl: a work-item makes a panel of PANEL_D trials x PANEL_T samples, and sums that trials
 * have in common once: rows in local memory, as SUMS says; see dedisp_share.c. Put before dedisp.cl,
 * after dedisp_vectors.cl.
 * Room: stages/dedisp. Knows the table. Does not know how panels are divided over work-items. */

#define SUM_TABLE global const int *restrict SUMS_data
#define GROUP_SAMPLES PANEL_T
#define ROW_VECTORS 4 /* of a row, in registers */
#define PLACE_AT(k) (SUMS(k) + SUMS((k) + 1) * PANEL_T)
#define INSIDE(t, length) min(t, (length) - VECTOR_T) /* the last vector moves back */

/* Some vectors of a row that adds all channels of a quad. */
static void add_quad(local NARROW *to, global const STORED *const from[QUAD], int t)
{
    V(NARROW) sum[ROW_VECTORS];
#pragma unroll
    for (int v = 0; v < ROW_VECTORS; v++)
        sum[v] = CONVERT(NARROW, TAKE(global, stored, from[0] + t + v * VECTOR_T));
#pragma unroll
    for (int i = ROW_VECTORS; i < QUAD * ROW_VECTORS; i++) {
        const int v = i % ROW_VECTORS, k = i / ROW_VECTORS;
        sum[v] += CONVERT(NARROW, TAKE(global, stored, from[k] + t + v * VECTOR_T));
    }
#pragma unroll
    for (int v = 0; v < ROW_VECTORS; v++)
        PUT(sum[v], narrow, to + t + v * VECTOR_T);
}

/* A vector of the n channels that are not masked. */
static void add_some(local NARROW *to, global const STORED *const from[QUAD], int n, int t)
{
    V(NARROW) sum = 0;
    for (int k = 0; k < n; k++)
        sum += CONVERT(NARROW, TAKE(global, stored, from[k] + t));
    PUT(sum, narrow, to + t);
}

static void make_quad(local NARROW *rows, INPUT, SUM_TABLE, tile at, int entry)
{
    local NARROW *to = rows + PLACE_AT(entry);
    const int length = PANEL_T + SUMS(entry + 2), c = SUMS(entry + 3);
    global const STORED *from[QUAD];
    int n = 0, t = 0;
    for (int k = 0; k < QUAD; k++)
        if (SUMS(entry + 4 + k) >= 0) from[n++] = &AT(at.series, at.t + SUMS(entry + 4 + k), c + k);
    for (; n == QUAD && t + ROW_VECTORS * VECTOR_T <= length; t += ROW_VECTORS * VECTOR_T)
        add_quad(to, from, t);
    for (; t < length; t += VECTOR_T)
        add_some(to, from, n, INSIDE(t, length));
}

static void add_pair(local NARROW *to, local const NARROW *one, local const NARROW *two)
{
    V(NARROW) sum[ROW_VECTORS];
#pragma unroll
    for (int v = 0; v < ROW_VECTORS; v++)
        sum[v] = TAKE(local, narrow, one + v * VECTOR_T) + TAKE(local, narrow, two + v * VECTOR_T);
#pragma unroll
    for (int v = 0; v < ROW_VECTORS; v++)
        PUT(sum[v], narrow, to + v * VECTOR_T);
}

static void make_pair(local NARROW *rows, SUM_TABLE, int entry)
{
    local NARROW *to = rows + PLACE_AT(entry);
    local const NARROW *one = rows + PLACE_AT(entry + 3), *two = rows + PLACE_AT(entry + 5);
    int length = PANEL_T + SUMS(entry + 2), t = 0;
    for (; t + ROW_VECTORS * VECTOR_T <= length; t += ROW_VECTORS * VECTOR_T)
        add_pair(to + t, one + t, two + t);
    for (; t < length; t += VECTOR_T) {
        V(NARROW) sum = TAKE(local, narrow, one + INSIDE(t, length));
        sum += TAKE(local, narrow, two + INSIDE(t, length));
        PUT(sum, narrow, to + INSIDE(t, length));
    }
}

/* All rows of a tile, section by section, while its quads are still in the cache. */
static void make_rows(local NARROW *rows, INPUT, SUM_TABLE, tile at, int sections, int entry)
{
    for (; sections > 0; sections--) {
        int quads = SUMS(entry), pairs = SUMS(entry + 1);
        for (entry += 2; quads > 0; quads--, entry += QUAD_ENTRY)
            make_quad(rows, INPUT_DATA, SUMS_data, at, entry);
        for (; pairs > 0; pairs--, entry += PAIR_ENTRY)
            make_pair(rows, SUMS_data, entry);
    }
}

/* Adds a tile's rows to a trial, whose places begin at `place`. */
static void add_rows(local WIDE *total, local const NARROW *rows, SUM_TABLE, int groups, int place,
                     bool first)
{
    for (int t = 0; t < PANEL_T; t += TILE) {
        V(NARROW) sum[VECTORS_T];
#pragma unroll
        for (int v = 0; v < VECTORS_T; v++)
            sum[v] = 0;
        for (int k = 0; k < groups; k++) {
            local const NARROW *from = rows + PLACE_AT(place + k * PLACE) + t;
#pragma unroll
            for (int v = 0; v < VECTORS_T; v++)
                sum[v] += TAKE(local, narrow, from + v * VECTOR_T);
        }
#pragma unroll
        for (int v = 0; v < VECTORS_T; v++) {
            local WIDE *to = total + t + v * VECTOR_T;
            V(WIDE) now = CONVERT(WIDE, sum[v]);
            if (!first) now += TAKE(local, wide, to);
            PUT(now, wide, to);
        }
    }
}

/* A panel, whose tiles' heads begin at `head`. */
static void add_panel(local WIDE *total, local NARROW *rows, INPUT, SUM_TABLE, tile at, int head)
{
    const int trials = at.last - at.first + 1;
    for (int c = 0; c < TILES_C; c++, head += HEAD) {
        const int groups = SUMS(head), place = SUMS(head + 3);
        make_rows(rows, INPUT_DATA, SUMS_data, at, SUMS(head + 1), SUMS(head + 2));
        for (int d = 0; d < trials; d++)
            add_rows(total + d * PANEL_T, rows, SUMS_data, groups, place + d * groups * PLACE,
                     c == 0);
    }
}
