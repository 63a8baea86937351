/* zerodm.cl: a work-item, or a group of them, takes TILE_T times of all channels, tile after tile: adds up
 * channels, and takes their mean off, or keeps it in Z for zerodm_fit. That takes a window of TILE_C
 * channels: adds up what a fit needs, and takes off what is fitted. See README.md.
 *
 * What has no say is not finite in a tile, and what is no number stays so until it is stored, as 0. */

#define INLINE static inline __attribute__((always_inline))
#if WG > 1
#define LANES 1
typedef float lanes;
#define TOTAL(x) (x)
#define LOAD(at) (*(at))
#else
#define LANES 16
typedef float16 lanes;
typedef int16 whole;
#define TOTAL total
#define LOAD(at) (*(A_SPACE const lanes *)(at))
static inline float total(const lanes x)
{
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    return (b.x + b.z) + (b.y + b.w);
}
#endif

/* A tile's rows: times side by side, or channels. */
#define ALONG_T (WG > 1 || X_FASTEST == DIM_T)
#define FAST (ALONG_T ? TILE_T : TILE_C)
#define SLOW (ALONG_T ? TILE_C : TILE_T)
#define AT(row, place) A_AT(row, place)

/* Flags have channels of their own; else a whole sample is flagged. */
#if HAVE_M && M_STRIDE_C != 0
#define BY_CHANNEL 1
#else
#define BY_CHANNEL 0
#endif
/* Samples may have no say. */
#if BY_CHANNEL || X_IS_f32 || X_IS_f16
#define JUDGED 1
#else
#define JUDGED 0
#endif
/* Whether a tile's samples may, of which something is left out in these columns: a bit each, of 16 channels, or of one
 * where times are side by side; columns 32 apart share theirs. */
#define BIT(column) (1u << ((column) & 31))
#if X_IS_f32 || X_IS_f16 || WG > 1
#define ROUGH(left_out) ((left_out) | ~0u)
#else
#define ROUGH(left_out) (left_out)
#endif

#define IS_FINITE(x) (fabs(x) <= MAXFLOAT)
#define EITHER(holds, a, b) ((holds) ? (lanes)(a) : (lanes)(b))

#if HAVE_M
#define STATION(b) (M_N_S > 1 ? (b) : 0)
#define FLAGS global const M_TYPE *restrict M_data
#define FLAGS_DATA M_data
#else
#define STATION(b) 0
#define FLAGS int M_data
#define FLAGS_DATA 0
#endif

/* ---- a tile */

#if BY_CHANNEL
/* What is flagged is no number: of a vector that may reach beyond the array. */
static inline void leave_out_each(A_SPACE A_TYPE *a, FLAGS, const int s, const int t, const int c, const int row,
                                  const int place)
{
    for (int lane = 0; lane < LANES; lane++) {
        const int tn = t + (ALONG_T ? place + lane : row), cn = c + (ALONG_T ? row : place + lane);
        if (tn < X_N_T && cn < X_N_C && M_LEFT_OUT(s, tn, cn)) a[AT(row, place + lane)] = NAN;
    }
}

#if LANES > 1
/* Of one that does not. */
INLINE void leave_out_of(A_SPACE A_TYPE *a, FLAGS, const int s, const int t, const int c, const int row, const int place)
{
    int left[LANES] __attribute__((aligned(64)));
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        left[lane] = M_LEFT_OUT(s, t + (ALONG_T ? place + lane : row), c + (ALONG_T ? row : place + lane)) ? -1 : 0;
    A_SPACE lanes *x = (A_SPACE lanes *)(a + AT(row, place));
    *x = *(whole *)left ? (lanes)NAN : *x;
}

/* A tile's columns in which something is flagged: vectors of one below the other, or a row of times. */
#define COLUMN_VECTORS (ALONG_T ? FAST / LANES : SLOW)
static inline uint leave_out(A_SPACE A_TYPE *a, FLAGS, const int s, const int t, const int c)
{
    const bool beside = t + TILE_T <= X_N_T && (ALONG_T ? M_STRIDE_T : M_STRIDE_C) == 1;
    uint left_out = 0;
    for (int column = 0; column < (ALONG_T ? SLOW : FAST / LANES); column++) {
        const int first = c + column * (ALONG_T ? 1 : LANES), end = first + (ALONG_T ? 1 : LANES);
        const bool inside = beside && end <= X_N_C;
        ulong2 any = inside ? 0 : 1;
        if (first >= X_N_C) break;
        for (int n = 0; inside && n < COLUMN_VECTORS; n++)
            any |= as_ulong2(vload16(0, &M(s, t + n * (ALONG_T ? LANES : 1), first)));
        if ((any.x | any.y) == 0) continue;
        left_out |= BIT(column);
        for (int n = 0; n < COLUMN_VECTORS; n++) {
            const int row = ALONG_T ? column : n, place = (ALONG_T ? n : column) * LANES;
            if (inside)
                leave_out_of(a, FLAGS_DATA, s, t, c, row, place);
            else
                leave_out_each(a, FLAGS_DATA, s, t, c, row, place);
        }
    }
    return left_out;
}
#else
/* A group does not know where. */
static inline uint leave_out(A_SPACE A_TYPE *a, FLAGS, const int s, const int t, const int c)
{
    for (int n = CT_LID; n < SLOW * FAST; n += CT_ITEMS)
        leave_out_each(a, FLAGS_DATA, s, t, c, n / FAST, n % FAST);
    CT_BARRIER;
    return 0;
}
#endif
#else
#define leave_out(a, m, s, t, c) 0u
#endif

static inline lanes scaled(const lanes left, const bool rough)
{
    return rough ? EITHER(IS_FINITE(left), left * P_SCALE, 0.0f) : left * P_SCALE;
}

/* ---- the mean over channels */

/* Of a row of times each work-item has its own; vectors of a row are numbered. */
#define VECTORS (FAST / LANES / WG)
#define PLACE(v) ((v) * LANES + (WG > 1 ? CT_LID : 0))
#define MEANS (ALONG_T ? VECTORS : TILE_T)
#define TERMS (ALONG_T ? TILE_C : VECTORS) /* of a mean, in a tile */
#define TERM(k, n) (ALONG_T ? AT(n, PLACE(k)) : AT(k, PLACE(n)))

typedef struct {
    lanes sum[MEANS], count[MEANS];
} sums;

INLINE void add_tile(sums *to, A_SPACE const A_TYPE *a, const bool rough)
{
    for (int k = 0; k < MEANS; k++) {
        lanes sum = 0.0f, count = rough ? 0.0f : (float)TERMS;
        for (int n = 0; n < TERMS; n++) {
            const lanes x = LOAD(a + TERM(k, n));
            if (rough) count += EITHER(IS_FINITE(x), 1.0f, 0.0f);
            sum += rough ? EITHER(IS_FINITE(x), x, 0.0f) : x;
        }
        to->sum[k] += sum;
        if (JUDGED) to->count[k] += count;
    }
}

/* Of a sample that is flagged there is none. */
static inline lanes only_present(const lanes mean, FLAGS, const int s, const int t)
{
#if HAVE_M && !BY_CHANNEL
    float of[LANES] __attribute__((aligned(64)));
    *(lanes *)of = mean;
    for (int lane = 0; lane < LANES; lane++)
        if (M_LEFT_OUT(s, min(t + (ALONG_T ? lane : 0), X_N_T - 1), 0)) of[lane] = NAN;
    return *(lanes *)of;
#else
    return mean;
#endif
}

/* Channels that tiles have beyond the last one are 0, and are counted. */
#define BEYOND ((X_N_C + TILE_C - 1) / TILE_C * TILE_C - X_N_C)

static inline void finish(lanes mean[MEANS], const sums *of, FLAGS, const int s, const int t)
{
    for (int k = 0; k < MEANS; k++) {
        const lanes sum = ALONG_T ? of->sum[k] : (lanes)TOTAL(of->sum[k]);
        const lanes count = ALONG_T ? of->count[k] : (lanes)TOTAL(of->count[k]);
        const lanes n = JUDGED ? count - (float)BEYOND : (lanes)(float)X_N_C;
        const lanes all = EITHER(n > 0.0f, sum / n, NAN);
        mean[k] = only_present(all, FLAGS_DATA, s, t + (ALONG_T ? PLACE(k) : k));
    }
}

kernel void zerodm(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    const int t = get_group_id(0) * TILE_T, series = get_group_id(1);
    const int b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
    sums of;
    lanes mean[MEANS] __attribute__((aligned(64)));
    for (int k = 0; k < MEANS; k++)
        of.sum[k] = of.count[k] = 0.0f;
    for (int c = 0; c < X_N_C; c += TILE_C) {
        PACK_A(a, b, q, t, c);
        CT_BARRIER;
        if (ROUGH(leave_out(a, FLAGS_DATA, s, t, c)))
            add_tile(&of, a, true);
        else
            add_tile(&of, a, false);
        CT_BARRIER;
    }
    finish(mean, &of, FLAGS_DATA, s, t);
#if HAVE_Z
    for (int k = 0; k < MEANS; k++)
#if ALONG_T && LANES > 1
        vstore16(mean[k], 0, &Z(series, t + PLACE(k)));
#elif ALONG_T
        Z(series, t + PLACE(k)) = mean[k];
#else
        Z(series, t + k) = mean[k].s0;
#endif
#else
    for (int c = 0; c < X_N_C; c += TILE_C) {
        if (X_N_C > TILE_C) {
            PACK_A(a, b, q, t, c);
            CT_BARRIER;
            leave_out(a, FLAGS_DATA, s, t, c);
        }
        for (int k = 0; k < MEANS; k++)
            for (int n = 0; n < TERMS; n++) {
                A_SPACE lanes *x = (A_SPACE lanes *)(a + TERM(k, n));
                *x = scaled(*x - mean[k], true);
            }
        CT_BARRIER;
        STORE_R(a, b, q, t, c);
        CT_BARRIER;
    }
#endif
}

/* ---- the fit */

#if HAVE_Z
/* Each work-item of a group has one channel of the tile, a single one all of them. Of a column the vectors of a tile
 * are numbered, and begin at a time. */
#if WG > 1
#define COLUMNS 1
#define EACH TILE_T
#define ELEMENT(k, n) AT(CT_LID, n)
#define TIME(n) (n)
#elif ALONG_T
#define COLUMNS TILE_C
#define EACH (TILE_T / LANES)
#define ELEMENT(k, n) AT(k, (n) * LANES)
#define TIME(n) ((n) * LANES)
#else
#define COLUMNS (TILE_C / LANES)
#define EACH TILE_T
#define ELEMENT(k, n) AT(n, (k) * LANES)
#define TIME(n) (n)
#endif

/* Over the lanes, where these are times of one channel. */
#if ALONG_T && LANES > 1
#define WHOLE(x) ((lanes)total(x))
#define MEANS_AT(at) vload16(0, at)
#else
#define WHOLE(x) (x)
#define MEANS_AT(at) ((lanes)(*(at)))
#endif

/* Numbers are added up as distances from others of their size, so that squares keep their digits. */
typedef struct {
    lanes near, count, x, z, zz, xz;
} moments;

static inline lanes near_mean(global const float *z)
{
    float sum = 0.0f, count = 0.0f;
    for (int t = 0; t < TILE_T; t++) {
        sum += IS_FINITE(z[t]) ? z[t] : 0.0f;
        count += IS_FINITE(z[t]) ? 1.0f : 0.0f;
    }
    return (lanes)(count > 0.0f ? sum / count : 0.0f);
}

static inline void begin(moments of[COLUMNS], A_SPACE const A_TYPE *a)
{
    for (int k = 0; k < COLUMNS; k++) {
        lanes sum = 0.0f, number = 0.0f;
        for (int n = 0; n < EACH; n++) {
            const lanes x = LOAD(a + ELEMENT(k, n));
            sum += EITHER(IS_FINITE(x), x, 0.0f);
            number += EITHER(IS_FINITE(x), 1.0f, 0.0f);
        }
        const lanes count = WHOLE(number), x = WHOLE(sum);
        of[k] = (moments){EITHER(count > 0.0f, x / count, 0.0f), 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    }
}

/* Columns of a tile in which something is no number: all, if a mean of its times is none; where channels have flags of
 * their own, something is flagged in all of them then. */
static inline uint find_rough(const uint left_out, global const float *z)
{
    float all = 0.0f;
    for (int t = 0; HAVE_M && !BY_CHANNEL && t < TILE_T; t++)
        all += z[t] - z[t];
    return ROUGH(all != 0.0f ? ~0u : left_out);
}

INLINE void take(moments *of, const lanes from, const lanes to, const bool rough)
{
    const lanes x = from - of->near;
    const lanes left = rough ? EITHER(IS_FINITE(x + to), x, 0.0f) : x;
    const lanes z = rough ? EITHER(IS_FINITE(x + to), to, 0.0f) : to;
    if (rough) of->count += EITHER(IS_FINITE(x + to), 1.0f, 0.0f);
    of->x += left;
    of->z += z;
    of->zz = fma(z, z, of->zz);
    of->xz = fma(left, z, of->xz);
}

INLINE void take_column(moments *of, A_SPACE const A_TYPE *a, global const float *z,
                        const lanes near, const int k, const bool rough)
{
    moments sums = *of;
    for (int n = 0; n < EACH; n++)
        take(&sums, LOAD(a + ELEMENT(k, n)), MEANS_AT(z + TIME(n)) - near, rough);
    if (!rough) sums.count += (float)EACH;
    *of = sums;
}

INLINE void leave_rest(A_SPACE A_TYPE *a, const moments *of, global const float *means,
                       const lanes near, const int k, const bool rough)
{
    const lanes slope = -of->z, middle = of->near, line = of->x;
    for (int n = 0; n < EACH; n++) {
        const lanes z = MEANS_AT(means + TIME(n)) - near;
        A_SPACE lanes *x = (A_SPACE lanes *)(a + ELEMENT(k, n));
        *x = scaled(fma(slope, z, *x - middle - line), rough);
    }
}

/* Then `x` is the channel's line at z = 0, and `z` its slope. A mean that is always the same has none. */
static inline void solve(moments *of)
{
    const lanes count = WHOLE(of->count), x = WHOLE(of->x), z = WHOLE(of->z);
    const lanes zz = WHOLE(of->zz), xz = WHOLE(of->xz);
    const lanes part = EITHER(count > 0.0f, 1.0f / count, 0.0f);
    const lanes square = zz - z * (z * part), product = xz - x * (z * part);
    of->z = EITHER(square > 1e-6f * zz, product / square, 0.0f);
    of->x = (x - of->z * z) * part;
}

kernel void zerodm_fit(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    moments of[COLUMNS];
    const int c = get_group_id(0) * TILE_C, first = get_group_id(1) * P_WINDOW;
    const int series = get_group_id(2), b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
    const lanes near = near_mean(&Z(series, first));
    for (int t = first; t < first + P_WINDOW; t += TILE_T) {
        global const float *z = &Z(series, t);
        PACK_A(a, b, q, t, c);
        CT_BARRIER;
        const uint rough = find_rough(leave_out(a, FLAGS_DATA, s, t, c), z);
        if (t == first) begin(of, a);
        for (int k = 0; k < COLUMNS; k++)
            if (rough & BIT(k))
                take_column(&of[k], a, z, near, k, true);
            else
                take_column(&of[k], a, z, near, k, false);
        CT_BARRIER;
    }
    for (int k = 0; k < COLUMNS; k++)
        solve(&of[k]);
    for (int t = first; t < first + P_WINDOW; t += TILE_T) {
        global const float *z = &Z(series, t);
        PACK_A(a, b, q, t, c);
        CT_BARRIER;
        const uint rough = find_rough(leave_out(a, FLAGS_DATA, s, t, c), z);
        for (int k = 0; k < COLUMNS; k++)
            if (rough & BIT(k))
                leave_rest(a, &of[k], z, near, k, true);
            else
                leave_rest(a, &of[k], z, near, k, false);
        CT_BARRIER;
        STORE_R(a, b, q, t, c);
        CT_BARRIER;
    }
}
#endif
