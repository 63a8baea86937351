/* zerodm_fit.cl: takes a window of some channels: adds up what a fit needs, and takes off what is fitted. A tile has all
 * of the window, if it is short enough: then samples and flags are read once. */

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
/* A series' row after those of groups of channels. */
#define COMMON(series, t) Z(series, GROUPS, t)
#define FLAGS_OF(g, k, n) ((g) + (BY_CHANNEL ? ELEMENT(B, k, n) : 0))
/* Vectors that are added up together, in 64 samples; and that are stored together. */
#define SOME (ALONG_T ? 64 / LANES : 64)
#define STORED (EACH < 64 ? EACH : 64)

/* What is known of a column: over the lanes, where these are times of one channel. */
#if ALONG_T && LANES > 1
#define WHOLE(x) total(x)
#define MEANS_AT(at) (*(B_SPACE const lanes *)(at))
typedef float number;
#else
#define WHOLE(x) (x)
#define MEANS_AT(at) ((lanes)(*(at)))
typedef lanes number;
#endif

/* Samples are added up as distances from others of their size, so that squares keep their digits; what is common has
 * none but its scatter. */
typedef struct {
    number count, x, z, xx, zz, xz;
} moments;

/* Of a window, and of the part that is being added up; means of parts, infinite where too little has a say. */
typedef struct {
    moments all, part;
    number x[PARTS], z[PARTS];
    number near, slope, line; /* the line's value where nothing is common */
} column;

/* What is common to a tile's samples; returns whether there may be nothing for some sample. */
INLINE bool take_common(B_SPACE float *to, global const float *z)
{
    whole is = ALL;
    for (int t = CT_LID; t < B_N_T; t += LANES * CT_ITEMS) {
        const lanes mean = LOAD_MEANS(z + t);
        is = is && IS_FINITE(mean);
        *(B_SPACE lanes *)(to + t) = mean;
    }
    return BY_SAMPLE && (WG > 1 || !all(is));
}

/* Of 64 samples, if all have a say. */
static inline moments moments_of_means(B_SPACE const float *z)
{
    lanes sum = 0.0f, squares = 0.0f;
    for (int t = 0; t < 64; t += LANES) {
        const lanes mean = *(B_SPACE const lanes *)(z + t);
        sum += mean;
        squares = fma(mean, mean, squares);
    }
    return (moments){64.0f, 0.0f, TOTAL(sum), 0.0f, TOTAL(squares), 0.0f};
}

static inline void add(moments *to, const moments *more)
{
    to->count += more->count;
    to->x += more->x;
    to->z += more->z;
    to->xx += more->xx;
    to->zz += more->zz;
    to->xz += more->xz;
}

#define NOTHING ((moments){0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f})

/* Of a tile the first vectors will do. */
static inline void begin_columns(column of[COLUMNS], B_SPACE const B_TYPE *a, B_SPACE const uchar *g)
{
    for (int k = 0; k < COLUMNS; k++) {
        lanes sum = 0.0f, some = 0.0f;
        for (int n = 0; n < STORED; n++) {
            const lanes x = LOAD(a + ELEMENT(B, k, n));
            const whole has = has_say(x, FLAGS_OF(g, k, n));
            sum += EITHER(has, x, 0.0f);
            some += EITHER(has, 1.0f, 0.0f);
        }
        const number count = WHOLE(some), x = WHOLE(sum);
        of[k].near = count > 0.0f ? x / count : (number)0.0f;
        of[k].all = of[k].part = NOTHING;
    }
}

/* Where something of the vectors may have no say; `gaps`: so may whole samples. */
INLINE bool is_judged(B_SPACE const uchar *g, const int k, const int first, const int count, const bool gaps)
{
#if MAY_BE_NONE || (BY_CHANNEL && WG > 1)
    return true;
#elif BY_CHANNEL
    flags any = 0;
    for (int n = first; n < first + count; n++)
        any |= *(B_SPACE const flags *)(g + ELEMENT(B, k, n));
    const ulong2 some = as_ulong2(any);
    return (some.x | some.y) != 0;
#else
    return gaps;
#endif
}

/* `means`: the moments of 64 samples where all have a say, which are the same for every column. */
INLINE void take(column *of, const moments *means, B_SPACE const B_TYPE *a, B_SPACE const uchar *g,
                 B_SPACE const float *z, const int k, const int first, const bool judged)
{
    const lanes near = of->near;
    lanes count = 0.0f, x = 0.0f, sum = 0.0f, xx = 0.0f, zz = 0.0f, xz = 0.0f;
    for (int n = first; n < first + SOME; n++) {
        const lanes mean = MEANS_AT(z + TIME(n)), from = LOAD(a + ELEMENT(B, k, n)), away = from - near;
        const whole has = still_has_say(has_say(from, FLAGS_OF(g, k, n)), away + mean);
        const lanes left = judged ? EITHER(has, away, 0.0f) : away, common = judged ? EITHER(has, mean, 0.0f) : mean;
        x += left;
        xz = fma(left, common, xz);
        sum += common;
        xx = fma(left, left, xx);
        zz = fma(common, common, zz);
        count += EITHER(has, 1.0f, 0.0f);
    }
    moments more = *means;
    if (judged) more = (moments){WHOLE(count), 0.0f, WHOLE(sum), 0.0f, WHOLE(zz), 0.0f};
    more.x = WHOLE(x);
    more.xx = WHOLE(xx);
    more.xz = WHOLE(xz);
    add(&of->part, &more);
}

/* On GPUs all of it is in registers, where places have to be constants: there the last one is first. */
static inline void keep(number of[PARTS], const int part, const number mean)
{
#if WG > 1
#define LATER(p) of[PARTS - 1 - p] = of[max(PARTS - 2 - p, 0)];
    EACH_PART(LATER)
    of[0] = mean;
#else
    of[part] = mean;
#endif
}

/* A part of which less than half has a say has none. */
static inline void end_part(column *of, const int part)
{
    const number count = of->part.count;
    keep(of->x, part, 2.0f * count >= (float)FIT_PART ? of->part.x / count : (number)INFINITY);
    keep(of->z, part, 2.0f * count >= (float)FIT_PART ? of->part.z / count : (number)0.0f);
    add(&of->all, &of->part);
    of->part = NOTHING;
}

INLINE void leave_some(S_SPACE S_TYPE *r, const column *of, B_SPACE const B_TYPE *a, B_SPACE const uchar *g,
                       B_SPACE const float *z, const int k, const int first, const bool judged)
{
    const lanes slope = -of->slope, middle = of->near, line = of->line;
    for (int n = first; n < first + STORED; n++) {
        const lanes x = LOAD(a + ELEMENT(B, k, n)), mean = MEANS_AT(z + TIME(n));
        const whole has = has_say(x, FLAGS_OF(g, k, n));
        *(S_SPACE result *)(r + ELEMENT(S, k, n - first)) = scaled(fma(slope, mean, x - middle - line), has, judged);
    }
}

DEFINE_MEDIAN(median_of_parts, number, PARTS, EACH_PART, SORT_PARTS)

/* Their mean, without those that are far from the median, in units of what a part is known to: `weight` is 1 over that. */
INLINE number mean_of_most(number of[PARTS], const number weight)
{
    const number middle = median_of_parts(of);
    number sum = 0.0f, weights = 0.0f;
#define ADD_NEAR(p)                                                                                                    \
    {                                                                                                                  \
        const number away = of[p] - middle, near = FAR - weight * fabs(away);                                          \
        const number part = near > 1.0f ? (number)1.0f : near;                                                         \
        sum += part > 0.0f ? part * away : (number)0.0f;                                                               \
        weights += part > 0.0f ? part : (number)0.0f;                                                                  \
    }
    EACH_PART(ADD_NEAR)
    return middle + sum / (weights > 1.0f ? weights : (number)1.0f);
}

/* What is always the same has no slope. */
static inline void solve(column *of, const float correction)
{
    const number count = of->all.count, x = of->all.x, z = of->all.z;
    const number part = count > 0.0f ? 1.0f / count : (number)0.0f;
    const number square = of->all.zz - z * (z * part), product = of->all.xz - x * (z * part);
    const number slope = square > 1e-6f * of->all.zz ? correction * (product / square) : (number)0.0f;
    const number left = (of->all.xx - x * (x * part) + slope * (slope * square - 2.0f * product)) * part;
    number line[PARTS], least = INFINITY;
#define LINE(p)                                                                                                        \
    line[p] = of->x[p] - slope * of->z[p];                                                                             \
    least = line[p] < least ? line[p] : least;
    EACH_PART(LINE)
    of->slope = slope;
    of->line = mean_of_most(line, left > 0.0f ? sqrt((float)FIT_PART / left) : (number)0.0f);
    of->line = least < INFINITY ? of->line : (x - slope * z) * part;
}

kernel void zerodm_fit(CT_ARGS)
{
    B_SPACE B_TYPE a[B_SIZE] __attribute__((aligned(64)));
    B_SPACE uchar g[FLAGS_ROOM(G_SIZE)] __attribute__((aligned(64)));
    ROOM(r, S_SIZE, a);
    B_SPACE float z[B_N_T] __attribute__((aligned(64)));
    column of[COLUMNS];
    const int c = get_group_id(0) * B_N_C, first = get_group_id(1) * P_WINDOW;
    const int series = get_group_id(2), b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
    bool gaps = false;
    for (int t = 0; t < P_WINDOW; t += B_N_T) {
        PACK_B(a, b, q, first + t, c);
        PACK_G(g, s, first + t, c);
        gaps = take_common(z, &COMMON(series, first + t));
        CT_BARRIER;
        const bool last = c + B_N_C >= X_N_C;
        PREFETCH_B(b, q, first + (last ? t + P_WINDOW : t), last ? 0 : c + B_N_C);
        PREFETCH_G(s, first + (last ? t + P_WINDOW : t), last ? 0 : c + B_N_C);
        if (t == 0) begin_columns(of, a, g);
        for (int n = 0; n < EACH; n += SOME) {
            const int end = t + TIME(n) + 64;
            const moments means = moments_of_means(z + TIME(n));
            for (int k = 0; k < COLUMNS; k++) {
                if (is_judged(g, k, n, SOME, gaps))
                    take(&of[k], &means, a, g, z, k, n, true);
                else
                    take(&of[k], &means, a, g, z, k, n, false);
                if (end % FIT_PART == 0 || end == P_WINDOW) end_part(&of[k], (end - 1) / FIT_PART);
            }
        }
        CT_BARRIER;
    }
    for (int k = 0; k < COLUMNS; k++)
        solve(&of[k], Z(series, GROUPS + 1, first));
    for (int t = first; t < first + P_WINDOW; t += B_N_T) {
        if (P_WINDOW > B_N_T) {
            PACK_B(a, b, q, t, c);
            PACK_G(g, s, t, c);
            gaps = take_common(z, &COMMON(series, t));
            CT_BARRIER;
        }
        for (int n = 0; n < EACH; n += STORED) {
            for (int k = 0; k < COLUMNS; k++)
                if (is_judged(g, k, n, STORED, gaps))
                    leave_some(r, &of[k], a, g, z, k, n, true);
                else
                    leave_some(r, &of[k], a, g, z, k, n, false);
            CT_BARRIER;
            STORE_S(r, b, q, t + TIME(n), c);
            CT_BARRIER;
        }
    }
}
