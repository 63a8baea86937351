/* zerodm_fit.cl: takes a window of some channels: adds up what a fit needs, and takes off what is fitted. A tile has all
 * of the window, if it is short enough: then samples and flags are read once. */

#if HAVE_Z
/* Each work-item of a group has one channel of the tile, a single one all of them. Of a column the vectors of a tile
 * are numbered, and begin at a time. */
#if WG > 1
#define COLUMNS 1
#define EACH B_N_T
#define ELEMENT(of, k, n) of##_AT(CT_LID, n)
#define TIME(n) (n)
#elif ALONG_T
#define COLUMNS B_N_C
#define EACH (B_N_T / LANES)
#define ELEMENT(of, k, n) of##_AT(k, (n) * LANES)
#define TIME(n) ((n) * LANES)
#else
#define COLUMNS (B_N_C / LANES)
#define EACH B_N_T
#define ELEMENT(of, k, n) of##_AT(n, (k) * LANES)
#define TIME(n) (n)
#endif
#define FLAGS_OF(g, k, n) ((g) + (BY_CHANNEL ? ELEMENT(B, k, n) : 0))
/* Vectors that are judged only where something has no say in one of them; and stored together. */
#define SOME (EACH < 64 ? EACH : 64)

/* Over the lanes, where these are times of one channel. */
#if ALONG_T && LANES > 1
#define WHOLE(x) ((lanes)total(x))
#define MEANS_AT(at) (*(B_SPACE const lanes *)(at))
#else
#define WHOLE(x) (x)
#define MEANS_AT(at) ((lanes)(*(at)))
#endif

/* Of an array, whose rows may begin anywhere. */
#if LANES > 1
#define LOAD_MEANS(at) vload16(0, at)
#else
#define LOAD_MEANS(at) (*(at))
#endif

/* Numbers are added up as distances from others of their size, so that squares keep their digits. */
typedef struct {
    lanes near, count, x, z, zz, xz;
} moments;

static inline lanes near_mean(global const float *z)
{
    lanes sum = 0.0f, count = 0.0f;
    for (int t = 0; t < B_N_T; t += LANES) {
        const lanes mean = LOAD_MEANS(z + t);
        sum += EITHER(IS_FINITE(mean), mean, 0.0f);
        count += EITHER(IS_FINITE(mean), 1.0f, 0.0f);
    }
    const float number = TOTAL(count);
    return (lanes)(number > 0.0f ? TOTAL(sum) / number : 0.0f);
}

/* A tile's means, as distances; returns whether there may be none for some sample. */
INLINE bool take_means(B_SPACE float *to, global const float *z, const lanes near)
{
    whole is = ALL;
    for (int t = CT_LID; t < B_N_T; t += LANES * CT_ITEMS) {
        const lanes mean = LOAD_MEANS(z + t) - near;
        is = is && IS_FINITE(mean);
        *(B_SPACE lanes *)(to + t) = mean;
    }
    return BY_SAMPLE && (WG > 1 || !all(is));
}

/* Of a tile the first vectors will do. */
static inline void begin(moments of[COLUMNS], B_SPACE const B_TYPE *a, B_SPACE const uchar *g)
{
    for (int k = 0; k < COLUMNS; k++) {
        lanes sum = 0.0f, number = 0.0f;
        for (int n = 0; n < SOME; n++) {
            const lanes x = LOAD(a + ELEMENT(B, k, n));
            const whole has = has_say(x, FLAGS_OF(g, k, n));
            sum += EITHER(has, x, 0.0f);
            number += EITHER(has, 1.0f, 0.0f);
        }
        const lanes count = WHOLE(number), x = WHOLE(sum);
        of[k] = (moments){EITHER(count > 0.0f, x / count, 0.0f), 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    }
}

/* Where something of the vectors may have no say; `gaps`: so may whole samples. */
static inline bool is_judged(B_SPACE const uchar *g, const int k, const int first, const bool gaps)
{
#if MAY_BE_NONE || (BY_CHANNEL && WG > 1)
    return true;
#elif BY_CHANNEL
    flags any = 0;
    for (int n = first; n < first + SOME; n++)
        any |= *(B_SPACE const flags *)(g + ELEMENT(B, k, n));
    const ulong2 some = as_ulong2(any);
    return (some.x | some.y) != 0;
#else
    return gaps;
#endif
}

INLINE void take(moments *of, B_SPACE const B_TYPE *a, B_SPACE const uchar *g, const lanes mean, const bool judged)
{
    const lanes from = LOAD(a), x = from - of->near;
    const whole has = still_has_say(has_say(from, g), x + mean);
    const lanes left = judged ? EITHER(has, x, 0.0f) : x, z = judged ? EITHER(has, mean, 0.0f) : mean;
    of->count += judged ? EITHER(has, 1.0f, 0.0f) : (lanes)1.0f;
    of->x += left;
    of->z += z;
    of->zz = fma(z, z, of->zz);
    of->xz = fma(left, z, of->xz);
}

INLINE void take_some(moments *of, B_SPACE const B_TYPE *a, B_SPACE const uchar *g, B_SPACE const float *z,
                      const int k, const int first, const bool judged)
{
    moments to = *of;
    for (int n = first; n < first + SOME; n++)
        take(&to, a + ELEMENT(B, k, n), FLAGS_OF(g, k, n), MEANS_AT(z + TIME(n)), judged);
    *of = to;
}

INLINE void leave_some(S_SPACE S_TYPE *r, const moments *of, B_SPACE const B_TYPE *a, B_SPACE const uchar *g,
                       B_SPACE const float *z, const int k, const int first, const bool judged)
{
    const lanes slope = -of->z, middle = of->near, line = of->x;
    for (int n = first; n < first + SOME; n++) {
        const lanes x = LOAD(a + ELEMENT(B, k, n)), mean = MEANS_AT(z + TIME(n));
        const whole has = has_say(x, FLAGS_OF(g, k, n));
        *(S_SPACE result *)(r + ELEMENT(S, k, n - first)) = scaled(fma(slope, mean, x - middle - line), has, judged);
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
    B_SPACE B_TYPE a[B_SIZE] __attribute__((aligned(64)));
    B_SPACE uchar g[FLAGS_ROOM(G_SIZE)] __attribute__((aligned(64)));
    ROOM(r, S_SIZE, a);
    B_SPACE float z[B_N_T] __attribute__((aligned(64)));
    moments of[COLUMNS];
    const int c = get_group_id(0) * B_N_C, first = get_group_id(1) * P_WINDOW;
    const int series = get_group_id(2), b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
    const lanes near = near_mean(&Z(series, first));
    bool gaps = false;
    for (int t = first; t < first + P_WINDOW; t += B_N_T) {
        PACK_B(a, b, q, t, c);
        PACK_G(g, s, t, c);
        gaps = take_means(z, &Z(series, t), near);
        CT_BARRIER;
        const bool last = c + B_N_C >= X_N_C;
        PREFETCH_B(b, q, last ? t + P_WINDOW : t, last ? 0 : c + B_N_C);
        PREFETCH_G(s, last ? t + P_WINDOW : t, last ? 0 : c + B_N_C);
        if (t == first) begin(of, a, g);
        for (int n = 0; n < EACH; n += SOME)
            for (int k = 0; k < COLUMNS; k++)
                if (is_judged(g, k, n, gaps))
                    take_some(&of[k], a, g, z, k, n, true);
                else
                    take_some(&of[k], a, g, z, k, n, false);
        CT_BARRIER;
    }
    for (int k = 0; k < COLUMNS; k++)
        solve(&of[k]);
    for (int t = first; t < first + P_WINDOW; t += B_N_T) {
        if (P_WINDOW > B_N_T) {
            PACK_B(a, b, q, t, c);
            PACK_G(g, s, t, c);
            gaps = take_means(z, &Z(series, t), near);
            CT_BARRIER;
        }
        for (int n = 0; n < EACH; n += SOME) {
            for (int k = 0; k < COLUMNS; k++)
                if (is_judged(g, k, n, gaps))
                    leave_some(r, &of[k], a, g, z, k, n, true);
                else
                    leave_some(r, &of[k], a, g, z, k, n, false);
            CT_BARRIER;
            STORE_S(r, b, q, t + TIME(n), c);
            CT_BARRIER;
        }
    }
}
#endif
