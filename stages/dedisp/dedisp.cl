/* dedisp.cl: a work-item makes CELLS_D * CELL_D trials x VECTOR_T * VECTORS_T samples, TILE_C
 * channels at a time: CELL_D trials in registers, then the next CELL_D trials while the channels
 * are still in the cache. Time is contiguous where samples are read: in X or, from launches before,
 * in R (a copy) or Z (sums of neighbours). dedisp_emit.c defines RANGE and its columns,
 * SUM_LEVELS (Z's levels), HOLDS (1: some trials have fewer samples than the output, and hold their
 * values). */

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

/* ---- the whole */

kernel void dedisp(CT_ARGS)
{
    const int place = (int)get_global_id(0) % GROUPS_T;
    int r = 0, number = (int)get_global_id(0) / GROUPS_T;
    for (; number >= RANGE[r][TILES]; r++)
        number -= RANGE[r][TILES];
    const int start = ((int)get_group_id(1) * GROUPS_T + place) * WG * TILE;
    if (start >= RANGE[r][SAMPLES]) return;
    const int t = min(start, RANGE[r][SAMPLES] - WG * TILE) + (int)get_local_id(1) * VECTOR_T;
    const tile at = {get_global_id(2), RANGE[r][FIRST] + number * CELLS_D * CELL_D, RANGE[r][LAST],
                     t + RANGE[r][LEVEL]};

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
