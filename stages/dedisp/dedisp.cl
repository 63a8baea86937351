/* dedisp.cl: a work-item adds up DB trials x VW*NT samples in registers, channel by channel.
 * dedisp.c defines RANGE (below: its columns), ROWS (1: time is contiguous where we read), WINDOW
 * (elements of a packed row where it is not; 0: read in place), HOLDS (1: some trials have fewer
 * samples than the output, and hold their values). */

enum { FIRST, LAST, TILES, SAMPLES, HOLD, DOWNSAMPLE, LEVEL };

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TILE (VW * NT)

/* Sums: narrow ones for `FLUSH` channels at a time, then wide ones; integers are exact. */
#define FLUSH 256
#if HAVE_Z
#define STORED Z_TYPE
#else
#define STORED X_TYPE
#endif
#if !HAVE_Z && X_IS_u8
#define NARROW ushort
#define WIDE uint
#elif !HAVE_Z && X_IS_i8
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

#if VW == 1
#define V(type) type
#define VLOAD(from) (*(from))
#define VSTORE(value, to) (*(to) = (value))
#define CONVERT(type, value) JOIN(convert_, type)(value)
#else
#define V(type) JOIN(type, VW)
#define VLOAD(from) JOIN(vload, VW)(0, from)
#define VSTORE(value, to) JOIN(vstore, VW)(value, 0, to)
#define CONVERT(type, value) JOIN(JOIN(convert_, type), VW)(value)
#endif

/* One place in the input: lane is beam and Stokes together, t counts the trial's own samples. */
#if HAVE_Z
#define AT(lane, t, c) Z(lane, c, t)
#else
#define AT(lane, t, c) X((lane) / X_N_Q, (lane) % X_N_Q, t, c)
#endif

typedef struct {
    int lane, first, last, t;
} tile;

#if HAVE_Z
#define INPUT global const Z_TYPE *restrict Z_data
#define INPUT_DATA Z_data
#else
#define INPUT global const X_TYPE *restrict X_data
#define INPUT_DATA X_data
#endif
#define SHIFTS global const int *restrict SHIFT_data

#if !ROWS && WINDOW == 0
static V(STORED) gather(INPUT, int lane, int t, int c)
{
    STORED value[VW];
    for (int i = 0; i < VW; i++)
        value[i] = AT(lane, t + i, c);
    return VLOAD(value);
}
#endif

/* Adds one channel to the narrow sums. */
static void add_channel(V(NARROW) sum[DB][NT], INPUT, SHIFTS, tile at, int c)
{
#if WINDOW
    STORED window[WINDOW];
    const int low = min(SHIFT(at.first, c), SHIFT(min(at.first + DB - 1, at.last), c));
    const int high = max(SHIFT(at.first, c), SHIFT(min(at.first + DB - 1, at.last), c));
    for (int i = 0; i < TILE + high - low; i++)
        window[i] = AT(at.lane, at.t + low + i, c);
#endif
#pragma unroll
    for (int d = 0; d < DB; d++) {
        const int shift = SHIFT(min(at.first + d, at.last), c);
#if WINDOW
        const STORED *from = window + (shift - low);
#elif ROWS
        global const STORED *from = &AT(at.lane, at.t + shift, c);
#endif
#pragma unroll
        for (int n = 0; n < NT; n++)
#if WINDOW || ROWS
            sum[d][n] += CONVERT(NARROW, VLOAD(from + n * VW));
#else
            sum[d][n] += CONVERT(NARROW, gather(INPUT_DATA, at.lane, at.t + shift + n * VW, c));
#endif
    }
}

static void add_channels(V(WIDE) total[DB][NT], INPUT, SHIFTS, tile at, int c_first, int c_end)
{
    V(NARROW) sum[DB][NT];
#pragma unroll
    for (int i = 0; i < DB * NT; i++)
        sum[i / NT][i % NT] = 0;
    for (int c = c_first; c < c_end; c++)
        if (SHIFT(at.first, c) >= 0) add_channel(sum, INPUT_DATA, SHIFT_data, at, c);
#pragma unroll
    for (int i = 0; i < DB * NT; i++)
        total[i / NT][i % NT] += CONVERT(WIDE, sum[i / NT][i % NT]);
}

#define PLACE(lane, d, t) Y((lane) / Y_N_Q, (lane) % Y_N_Q, d, t)

/* Each of the `VW` values stands `hold` times in the output. */
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

kernel void dedisp(CT_ARGS)
{
    int r = 0, number = get_global_id(0);
    for (; number >= RANGE[r][TILES]; r++)
        number -= RANGE[r][TILES];
    const int start = (int)get_global_id(1) * TILE;
    if (start >= RANGE[r][SAMPLES]) return;
    const int t = min(start, RANGE[r][SAMPLES] - TILE);
    const tile at = {get_global_id(2), RANGE[r][FIRST] + number * DB, RANGE[r][LAST],
                     t + RANGE[r][LEVEL]};

    V(WIDE) total[DB][NT];
    for (int i = 0; i < DB * NT; i++)
        total[i / NT][i % NT] = 0;
    for (int c = 0; c < X_N_C; c += FLUSH)
        add_channels(total, INPUT_DATA, SHIFT_data, at, c, min(c + FLUSH, X_N_C));
    for (int i = 0; i < DB * NT; i++)
        store(Y_data, CONVERT(float, total[i / NT][i % NT]), at.lane,
              min(at.first + i / NT, at.last), t + i % NT * VW, RANGE[r][HOLD]);
}

#if HAVE_Z
#define PACK_SAMPLES 64 /* as in dedisp.c */
#define PACK_CHANNELS 16

static WIDE add_samples(global const X_TYPE *restrict X_data, int lane, int t, int n, int c)
{
    WIDE sum = 0;
    for (int end = min(t + n, X_N_T); t < end; t++)
        sum += X(lane / X_N_Q, lane % X_N_Q, t, c);
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
