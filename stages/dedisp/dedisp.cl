/* dedisp.cl: a work-item makes DP * DB trials x VW * TV samples, CB channels at a time: DB trials
 * in registers, then the next DB trials while the channels are still in the cache. Time is contiguous
 * where samples are read: in X or, from one of two launches before, in Z.
 * dedisp_emit.c defines RANGE (below: its columns), TURNED (1: Z is X with time contiguous), SUMMED
 * (1: Z holds sums of neighbouring samples), HOLDS (1: some trials have fewer samples than the
 * output, and hold their values). */

enum { FIRST, LAST, TILES, SAMPLES, HOLD, DOWNSAMPLE, LEVEL };

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TILE (VW * TV)
#define APART (VW * WG) /* from one vector of a work-item to the next: its group's lie between */

/* Sums: narrow ones for CB channels at a time, then wide ones; integers are exact. Single values gain
 * nothing by being narrow. */
#if !SUMMED && X_IS_u8 && VW > 1
#define NARROW ushort
#define WIDE uint
#elif !SUMMED && X_IS_i8 && VW > 1
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

/* What is read: lane is beam and Stokes together, t counts the trial's own samples. */
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

/* ---- adding */

/* Adds TV vectors of one trial and channel. */
static void add_vectors(V(NARROW) sum[TV], INPUT, tile at, int shift, int c)
{
    global const STORED *from = &AT(at.lane, at.t + shift, c);
#pragma unroll
    for (int v = 0; v < TV; v++)
        sum[v] += CONVERT(NARROW, VLOAD(from + v * APART));
}

/* Adds a block of channels to DB trials. */
static void add_trials(V(WIDE) total[DB][TV], INPUT, SHIFTS, tile at, int c_first, int c_end)
{
    V(NARROW) sum[DB][TV];
#pragma unroll
    for (int i = 0; i < DB * TV; i++)
        sum[i / TV][i % TV] = 0;
    for (int c = c_first; c < c_end; c++) {
        if (SHIFT(at.first, c) < 0) continue;
#pragma unroll
        for (int d = 0; d < DB; d++)
            add_vectors(sum[d], INPUT_DATA, at, SHIFT(min(at.first + d, at.last), c), c);
    }
#pragma unroll
    for (int i = 0; i < DB * TV; i++)
        total[i / TV][i % TV] += CONVERT(WIDE, sum[i / TV][i % TV]);
}

static void add_block(V(WIDE) total[DP][DB][TV], INPUT, SHIFTS, tile at, int c_first, int c_end)
{
    for (int p = 0; p < DP && at.first <= at.last; p++) {
        add_trials(total[p], INPUT_DATA, SHIFT_data, at, c_first, c_end);
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
    const int turn = (int)get_global_id(0) % TG;
    int r = 0, number = (int)get_global_id(0) / TG;
    for (; number >= RANGE[r][TILES]; r++)
        number -= RANGE[r][TILES];
    const int start = ((int)get_group_id(1) * TG + turn) * WG * TILE;
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

/* ---- Z */

#if TURNED
kernel void dedisp_turn(CT_ARGS)
{
    CT_TURN_TILE;
    CT_TURN(X_data, Z_data);
}
#endif

#if SUMMED
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
