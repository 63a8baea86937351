/* dedisp.cl: a work-item makes CELLS_D * CELL_D trials x VECTOR_T * VECTORS_T samples, TILE_C
 * channels at a time: CELL_D trials in registers, then the next CELL_D trials while the channels
 * are still in the cache. With SHARE=1 it makes a panel of PANEL_D trials x TILE_T samples, and
 * sums that trials have in common once. Time is contiguous where samples are read: in X or, from
 * launches before, in R (a copy) or Z (sums of neighbours). dedisp_emit.c defines RANGE and its
 * columns, SUM_LEVELS (Z's levels), HOLDS (1: some trials have fewer samples than the output, and
 * hold their values). */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TILE (VECTOR_T * VECTORS_T)
#define APART (VECTOR_T * WG) /* from one vector of a work-item to the next: its group's lie between */

/* Sums: narrow ones for TILE_C channels at a time, then wide ones; integers are exact. Without
 * vectors, narrow sums gain nothing. */
#if !HAVE_Z && X_IS_u8 && VECTOR_T > 1
#define NARROW ushort
#define WIDE uint
#elif !HAVE_Z && X_IS_i8 && VECTOR_T > 1
#define NARROW short
#define WIDE int
#elif X_IS_f32
#define NARROW float
#define WIDE float
#elif X_IS_i8
#define NARROW int
#define WIDE int
#else
#define NARROW uint
#define WIDE uint
#endif

#if WG > 1 /* a GPU's registers cannot be indexed */
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

#if VECTOR_T == 1
#define V(type) type
#define VLOAD(from) (*(from))
#define VSTORE(value, to) (*(to) = (value))
#define CONVERT(type, value) JOIN(convert_, type)(value)
#elif VECTOR_T == 32 /* beyond OpenCL C, for compilers made from clang: twice the 16-bit sums */
typedef uchar uchar32 __attribute__((ext_vector_type(32)));
typedef char char32 __attribute__((ext_vector_type(32)));
typedef ushort ushort32 __attribute__((ext_vector_type(32)));
typedef short short32 __attribute__((ext_vector_type(32)));
typedef uint uint32 __attribute__((ext_vector_type(32)));
typedef int int32 __attribute__((ext_vector_type(32)));
typedef float float32 __attribute__((ext_vector_type(32)));
#define V(type) JOIN(type, 32)
#define BOTH(low, high)                                                                            \
    __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,   \
                            17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
#define VLOAD(from) BOTH(vload16(0, from), vload16(1, from))
#define VSTORE(value, to) (vstore16((value).lo, 0, to), vstore16((value).hi, 1, to))
#define CONVERT(type, value) __builtin_convertvector(value, JOIN(type, 32))
#else
#define V(type) JOIN(type, VECTOR_T)
#define VLOAD(from) JOIN(vload, VECTOR_T)(0, from)
#define VSTORE(value, to) JOIN(vstore, VECTOR_T)(value, 0, to)
#define CONVERT(type, value) JOIN(JOIN(convert_, type), VECTOR_T)(value)
#endif

/* Rows of samples: `series` counts beams (or stations) and Stokes parameters together. */
#if HAVE_R
#define ROWS global const R_TYPE *restrict R_data
#define ROWS_DATA R_data
#define ROW(series, c, t) R(series, c, t)
#else
#define ROWS global const X_TYPE *restrict X_data
#define ROWS_DATA X_data
#define ROW(series, c, t) X((series) / X_N_Q, (series) % X_N_Q, t, c)
#endif

/* What trials are made from: t counts their own samples. */
#if HAVE_Z
#define STORED Z_TYPE
#define INPUT global const Z_TYPE *restrict Z_data
#define INPUT_DATA Z_data
#define AT(series, t, c) Z(series, c, t)
#else
#define STORED X_TYPE
#define INPUT ROWS
#define INPUT_DATA ROWS_DATA
#define AT(series, t, c) ROW(series, c, t)
#endif
#define SHIFTS global const int *restrict SHIFT_data

typedef struct {
    int series, first, last, t;
} tile;

#if !SHARE
/* ---- adding */

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

#endif

/* ---- storing */

#define PLACE(series, d, t) Y((series) / Y_N_Q, (series) % Y_N_Q, d, t)

/* Each of the VECTOR_T values is stored `hold` times in the output. */
static void store_held(global Y_TYPE *restrict Y_data, V(float) value, int series, int d, int t,
                       int hold)
{
    float each[VECTOR_T];
    VSTORE(value, each);
    for (int i = 0; i < VECTOR_T; i++) {
        const int end = (t + i + 1) * hold;
        for (int to = (t + i) * hold; to < end; to++)
            PLACE(series, d, to) = each[i];
    }
}

static void store(global Y_TYPE *restrict Y_data, V(float) value, int series, int d, int t,
                  int hold)
{
#if Y_STRIDE_T == 1
    if (!HOLDS || hold == 1) {
        VSTORE(value, &PLACE(series, d, t));
        return;
    }
#endif
    store_held(Y_data, value, series, d, t, hold);
}

#if SHARE
/* ---- sums that trials share: rows in local memory, as SUMS says; see dedisp_share.c */

#define SUM_TABLE global const int *restrict SUMS_data
#define GROUP_SAMPLES TILE_T
#define ROW_VECTORS 4 /* of a row, in registers */
#define PLACE_AT(k) (SUMS(k) + SUMS((k) + 1) * TILE_T)
#if VECTOR_T > 1 /* in one access: of two halves compilers make many small pieces */
typedef V(STORED) stored __attribute__((aligned(sizeof(STORED))));
typedef V(NARROW) narrow __attribute__((aligned(sizeof(NARROW))));
typedef V(WIDE) wide __attribute__((aligned(sizeof(WIDE))));
#define TAKE(space, type, from) (*(space const type *)(from))
#define PUT(value, type, to) (*(local type *)(to) = (value))
#else
#define TAKE(space, type, from) VLOAD(from)
#define PUT(value, type, to) VSTORE(value, to)
#endif
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
    const int length = TILE_T + SUMS(entry + 2), c = SUMS(entry + 3);
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
    int length = TILE_T + SUMS(entry + 2), t = 0;
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
    for (int t = 0; t < TILE_T; t += TILE) {
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
            add_rows(total + d * TILE_T, rows, SUMS_data, groups, place + d * groups * PLACE,
                     c == 0);
    }
}
#else
#define GROUP_SAMPLES (WG * TILE)
#endif

/* ---- the whole */

kernel void dedisp(CT_ARGS)
{
    const int place = (int)get_global_id(0) % GROUPS_T;
    int r = 0, number = (int)get_global_id(0) / GROUPS_T;
    for (; number >= RANGE[r][TILES]; r++)
        number -= RANGE[r][TILES];
    const int start = ((int)get_group_id(1) * GROUPS_T + place) * GROUP_SAMPLES;
    if (start >= RANGE[r][SAMPLES]) return;
    const int t = min(start, RANGE[r][SAMPLES] - GROUP_SAMPLES) + (int)get_local_id(1) * VECTOR_T;
    tile at = {get_global_id(2), RANGE[r][FIRST] + number * CELLS_D * CELL_D, RANGE[r][LAST],
               t + RANGE[r][LEVEL]};

#if SHARE
    const int head = (int)get_global_id(0) / GROUPS_T * TILES_C * HEAD;
    local NARROW rows[ROWS_SIZE] __attribute__((aligned(64)));
    local WIDE total[PANEL_D * TILE_T] __attribute__((aligned(64)));
    at.first = SUMS(head + 4);
    at.last = at.first + SUMS(head + 5) - 1;
    add_panel(total, rows, INPUT_DATA, SUMS_data, at, head);
    for (int d = 0; d <= at.last - at.first; d++)
        for (int i = 0; i < TILE_T; i += VECTOR_T)
            store(Y_data, CONVERT(float, TAKE(local, wide, total + d * TILE_T + i)), at.series,
                  at.first + d, t + i, RANGE[r][HOLD]);
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
