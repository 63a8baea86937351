/* dedisp.cl: a work-item makes DP * DB trials x VW * TV samples, CB channels at a time: DB trials
 * in registers, then the next DB trials while the channels are still in the cache.
 * dedisp_emit.c defines RANGE (below: its columns), ROWS (1: time is contiguous where we read),
 * WINDOW (elements of a packed row where it is not; 0: read in place), GROUPS (1: rows are packed
 * 16 channels at a time), HOLDS (1: some trials have fewer samples than the output, and hold their
 * values). */

enum { FIRST, LAST, TILES, SAMPLES, HOLD, DOWNSAMPLE, LEVEL };

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TILE (VW * TV)
#define APART (VW * WG) /* from one vector of a work-item to the next: its group's lie between */

/* Sums: narrow ones for CB channels at a time, then wide ones; integers are exact. Single values gain
 * nothing by being narrow. */
#if !HAVE_Z && X_IS_u8 && VW > 1
#define NARROW ushort
#define WIDE uint
#elif !HAVE_Z && X_IS_i8 && VW > 1
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

#if VW == 1
#define V(type) type
#define VLOAD(from) (*(from))
#define VSTORE(value, to) (*(to) = (value))
#define CONVERT(type, value) JOIN(convert_, type)(value)
#elif VW == 32 /* beyond OpenCL C, for compilers made from clang: twice the lanes of 16-bit sums */
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
#define V(type) JOIN(type, VW)
#define VLOAD(from) JOIN(vload, VW)(0, from)
#define VSTORE(value, to) JOIN(vstore, VW)(value, 0, to)
#define CONVERT(type, value) JOIN(JOIN(convert_, type), VW)(value)
#endif

/* The input: lane is beam and Stokes together, t counts the trial's own samples. */
#if HAVE_Z
#define STORED Z_TYPE
#define INPUT global const Z_TYPE *restrict Z_data
#define INPUT_DATA Z_data
#define AT(lane, t, c) Z(lane, c, t)
#else
#define STORED X_TYPE
#define INPUT global const X_TYPE *restrict X_data
#define INPUT_DATA X_data
#define AT(lane, t, c) X((lane) / X_N_Q, (lane) % X_N_Q, t, c)
#endif
#define SHIFTS global const int *restrict SHIFT_data

typedef struct {
    int lane, first, last, t;
} tile;

/* ---- packing: rows with time contiguous, each as long as the tile's trials need */

#if WINDOW
typedef struct {
    STORED row[CB][WINDOW] __attribute__((aligned(64)));
    int low[CB]; /* the shift at which each row starts */
} windows;

/* Shifts in one channel go up or down along the trials: their ends tell. Masked channels: none. */
static int2 shift_ends(SHIFTS, tile at, int c)
{
    const int a = SHIFT(at.first, c), b = SHIFT(min(at.first + DP * DB - 1, at.last), c);
    return a < 0 ? (int2)(INT_MAX, INT_MIN) : (int2)(min(a, b), max(a, b));
}
#else
typedef int windows; /* not used */
#endif

#if WINDOW && !GROUPS
static int row_of(int c, int c_first)
{
    return c - c_first;
}

static void pack(windows *to, INPUT, SHIFTS, tile at, int c_first, int c_end)
{
    for (int c = c_first; c < c_end; c++) {
        const int2 ends = shift_ends(SHIFT_data, at, c);
        to->low[c - c_first] = ends.x;
        if (ends.x > ends.y) continue;
        for (int i = 0; i < TILE + ends.y - ends.x; i++)
            to->row[c - c_first][i] = AT(at.lane, at.t + ends.x + i, c);
    }
}
#endif

#if WINDOW && GROUPS
typedef JOIN(STORED, 16) sixteen;
#define ZIP_LOW(a, b)                                                                              \
    (sixteen)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6,  \
              a.s7, b.s7)
#define ZIP_HIGH(a, b)                                                                             \
    (sixteen)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, b.se,  \
              a.sf, b.sf)

/* Four of these perfect shuffles transpose 16 vectors of 16. */
static void shuffle_rows(sixteen to[16], const sixteen from[16])
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        to[2 * i] = ZIP_LOW(from[i], from[i + 8]);
        to[2 * i + 1] = ZIP_HIGH(from[i], from[i + 8]);
    }
}

/* 16 channels from c on x 16 samples from t on; what lies behind the end is not used. */
static void pack_square(STORED *to, INPUT, int lane, int t, int c)
{
    sixteen a[16], b[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        a[i] = vload16(0, &AT(lane, min(t + i, X_N_T - 1), c));
    shuffle_rows(b, a);
    shuffle_rows(a, b);
    shuffle_rows(b, a);
    shuffle_rows(a, b);
#pragma unroll
    for (int i = 0; i < 16; i++)
        vstore16(a[i], 0, to + i * WINDOW);
}

/* The last group of 16 moves back to stay inside. */
static int row_of(int c, int c_first)
{
    const int group = c_first + (c - c_first) / 16 * 16;
    return group - c_first + c - min(group, X_N_C - 16);
}

/* A group starts all its rows at one shift, the least of its channels'. */
static void pack_group(windows *to, INPUT, SHIFTS, tile at, int row, int c)
{
    int2 ends = (int2)(INT_MAX, INT_MIN);
    for (int i = 0; i < 16; i++) {
        const int2 one = shift_ends(SHIFT_data, at, c + i);
        ends = (int2)(min(ends.x, one.x), max(ends.y, one.y));
    }
    for (int i = 0; i < 16; i++)
        to->low[row + i] = ends.x;
    if (ends.x > ends.y) return;
    for (int i = 0; i < TILE + ends.y - ends.x; i += 16)
        pack_square(&to->row[row][i], INPUT_DATA, at.lane, at.t + ends.x + i, c);
}

static void pack(windows *to, INPUT, SHIFTS, tile at, int c_first, int c_end)
{
    for (int group = c_first; group < c_end; group += 16)
        pack_group(to, INPUT_DATA, SHIFT_data, at, group - c_first, min(group, X_N_C - 16));
}
#endif

/* ---- adding */

#if WINDOW
#define SOURCE const windows *packed
#define SOURCE_DATA packed
#else
#define SOURCE INPUT
#define SOURCE_DATA INPUT_DATA
#endif

/* Adds TV vectors of one trial and channel. */
static void add_vectors(V(NARROW) sum[TV], SOURCE, tile at, int shift, int c, int c_first)
{
#if WINDOW
    const int row = row_of(c, c_first);
    const STORED *from = packed->row[row] + (shift - packed->low[row]);
#elif ROWS
    global const STORED *from = &AT(at.lane, at.t + shift, c);
#endif
#pragma unroll
    for (int v = 0; v < TV; v++) {
#if WINDOW || ROWS
        sum[v] += CONVERT(NARROW, VLOAD(from + v * APART));
#else
        STORED value[VW];
        for (int i = 0; i < VW; i++)
            value[i] = AT(at.lane, at.t + shift + v * APART + i, c);
        sum[v] += CONVERT(NARROW, VLOAD(value));
#endif
    }
}

/* Adds a block of channels to DB trials. */
static void add_trials(V(WIDE) total[DB][TV], SOURCE, SHIFTS, tile at, int c_first, int c_end)
{
    V(NARROW) sum[DB][TV];
#pragma unroll
    for (int i = 0; i < DB * TV; i++)
        sum[i / TV][i % TV] = 0;
    for (int c = c_first; c < c_end; c++) {
        if (SHIFT(at.first, c) < 0) continue;
#pragma unroll
        for (int d = 0; d < DB; d++)
            add_vectors(sum[d], SOURCE_DATA, at, SHIFT(min(at.first + d, at.last), c), c, c_first);
    }
#pragma unroll
    for (int i = 0; i < DB * TV; i++)
        total[i / TV][i % TV] += CONVERT(WIDE, sum[i / TV][i % TV]);
}

static void add_block(V(WIDE) total[DP][DB][TV], INPUT, SHIFTS, tile at, int c_first, int c_end)
{
#if WINDOW
    windows rows, *packed = &rows;
    pack(packed, INPUT_DATA, SHIFT_data, at, c_first, c_end);
#endif
    for (int p = 0; p < DP && at.first <= at.last; p++) {
        add_trials(total[p], SOURCE_DATA, SHIFT_data, at, c_first, c_end);
        at.first += DB;
    }
}

/* ---- storing */

#define PLACE(lane, d, t) Y((lane) / Y_N_Q, (lane) % Y_N_Q, d, t)

/* Each of the VW values stands `hold` times in the output. */
static void store_held(global Y_TYPE *restrict Y_data, V(float) value, int lane, int d, int t,
                       int hold)
{
    float each[VW];
    VSTORE(value, each);
    for (int i = 0; i < VW; i++) {
        const int end = (t + i + 1) * hold;
        for (int to = (t + i) * hold; to < end; to++)
            PLACE(lane, d, to) = each[i];
    }
}

static void store(global Y_TYPE *restrict Y_data, V(float) value, int lane, int d, int t, int hold)
{
#if Y_STRIDE_T == 1
    if (!HOLDS || hold == 1) {
        VSTORE(value, &PLACE(lane, d, t));
        return;
    }
#endif
    store_held(Y_data, value, lane, d, t, hold);
}

/* ---- the whole */

kernel void dedisp(CT_ARGS)
{
    int r = 0, number = get_global_id(0);
    for (; number >= RANGE[r][TILES]; r++)
        number -= RANGE[r][TILES];
    const int start = (int)get_group_id(1) * WG * TILE;
    if (start >= RANGE[r][SAMPLES]) return;
    const int t = min(start, RANGE[r][SAMPLES] - WG * TILE) + (int)get_local_id(1) * VW;
    const tile at = {get_global_id(2), RANGE[r][FIRST] + number * DP * DB, RANGE[r][LAST],
                     t + RANGE[r][LEVEL]};

    V(WIDE) total[DP][DB][TV];
    UNROLL for (int i = 0; i < DP * DB * TV; i++)
        total[i / TV / DB][i / TV % DB][i % TV] = 0;
    for (int c = 0; c < X_N_C; c += CB)
        add_block(total, INPUT_DATA, SHIFT_data, at, c, min(c + CB, X_N_C));
    UNROLL for (int i = 0; i < DP * DB * TV; i++)
        if (at.first + i / TV <= at.last)
            store(Y_data, CONVERT(float, total[i / TV / DB][i / TV % DB][i % TV]), at.lane,
                  at.first + i / TV, t + i % TV * APART, RANGE[r][HOLD]);
}

/* ---- downsampling */

#if HAVE_Z
static WIDE add_samples(global const X_TYPE *restrict X_data, int lane, int t, int n, int c)
{
    WIDE sum = 0;
    for (int k = 0; k < n; k++)
        sum += X(lane / X_N_Q, lane % X_N_Q, t + k, c);
    return sum;
}

/* Fills Z: every factor's level holds the sums of as many neighbouring samples. */
kernel void dedisp_downsample(CT_ARGS)
{
    const int lane = get_global_id(2), c_first = (int)get_global_id(0) * PACK_CHANNELS;
    const int c_end = min(c_first + PACK_CHANNELS, X_N_C);
    const int first = (int)get_global_id(1) * PACK_SAMPLES;
    for (int k = first; k < min(first + PACK_SAMPLES, Z_N_K); k++) {
        int r = 0;
        for (int i = 1; i < RANGES; i++)
            if (RANGE[i][LEVEL] <= k && RANGE[i][LEVEL] > RANGE[r][LEVEL]) r = i;
        const int n = RANGE[r][DOWNSAMPLE], t = (k - RANGE[r][LEVEL]) * n;
        for (int c = c_first; c < c_end; c++)
            Z(lane, c, k) = add_samples(X_data, lane, t, n, c);
    }
}
#endif
