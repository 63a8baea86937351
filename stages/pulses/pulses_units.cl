/* pulses_units.cl: mean and variance of units of 64 own samples; and of parts, of one or several units. Lanes are
 * neighbours in time: of 16 units, what 16 vectors give is brought together at once. Written so that no sum can be fused with a
 * product in two ways: a series gives the same bits however the stream is cut. Room: stages/pulses. Knows coordinates,
 * pulses_series.cl, pulses_lanes.cl, and lengths from pulses_emit.c. */

/* ---- samples */

/* Whether each sample is one of the trial's own; all trials' are where none is spaced wider than another. */
#define IS_FINE(s) (COARSE == 1 || (s).ratio == 1)

INLINE vec load_samples(global const X_TYPE *restrict X_data, series s, int own)
{
#if X_STRIDE_T == 1
    if (IS_FINE(s)) return LOAD(X_data + X_AT(s.b, s.q, s.d, own));
#endif
    float each[LANES];
    for (int i = 0; i < LANES; i++)
        each[i] = X(s.b, s.q, s.d, TIME_OF(s, own + i));
    return LOAD(each);
}

/* What is read later, asked for while sums are made: in the second cache, which waits for more lines at once than the first. */
#if LANES == 16 && X_STRIDE_T == 1
#define PREFETCH(at) __builtin_prefetch(at, 0, 2)
#else
#define PREFETCH(at) (void)(at)
#endif

/* What is read two times 16 units after sample `own`: after the end of a work-item's samples the next trial's. */
INLINE global const X_TYPE *what_follows(global const X_TYPE *X_data, series s, int own)
{
    const int next = own + 2 * LANES * UNIT;
    return X_data + (next < s.end ? X_AT(s.b, s.q, s.d, next) : X_AT(s.b, s.q, s.d + 1, s.first + next - s.end));
}

/* ---- mean and variance of units */

typedef struct moments {
    vec mean, variance;
    ivec calm; /* no sample that is not finite, or far too large */
} moments;

/* Of a unit in which samples are not finite, or too large to be squared. */
INLINE void take_finite(float *of_mean, float *of_variance, global const X_TYPE *restrict X_data,
                        series s, int own)
{
    float mean = 0, variance = INFINITY, pivot = 0;
    int n = 0;
    AS_WRITTEN
    for (int i = UNIT - 1; i >= 0; i--) {
        const float value = X(s.b, s.q, s.d, TIME_OF(s, own + i));
        if (IS_FINITE(value)) pivot = value;
        n += IS_FINITE(value) ? 1 : 0;
    }
    *of_mean = *of_variance = 0;
    if (2 * n < UNIT) return;
    AS_WRITTEN
    for (int round = 0; round <= CLIPS; round++) {
        const float limit = CLIP * CLIP * variance, middle = mean;
        float sum = 0, squares = 0, kept = 0;
        AS_WRITTEN
        for (int i = 0; i < UNIT; i++) {
            const float value = X(s.b, s.q, s.d, TIME_OF(s, own + i));
            const float away = value - pivot - middle;
            if (!IS_FINITE(value) || (round > 0 && !(away * away <= limit))) continue;
            sum += away;
            squares = fma(away, away, squares);
            kept++;
        }
        if (kept == 0 || !IS_FINITE(squares)) return;
        const float late = sum / kept;
        mean = middle + late;
        variance = fma(-late, late, squares / kept);
    }
    *of_mean = pivot + mean;
    *of_variance = GAIN * variance;
}

#if LANES == 16
#define LIFTED(u, k) lifted[(u) * (UNIT / LANES) + (k)]
#else
#define LIFTED(u, k) (load_samples(X_data, s, own + (k)) - pivot)
#endif

/* A unit without what is beyond CLIP rms, and again without what then is. */
#define CLIP_UNIT(u)                                                                               \
    for (int round = 0; round < CLIPS; round++) {                                                  \
        const float limit = CLIP * CLIP * LANE(variance, u), middle = LANE(mean, u);               \
        vec sum = 0.0f, square = 0.0f, number = 0.0f;                                              \
        for (int k = 0; k < UNIT / LANES; k++) {                                                   \
            const vec away = LIFTED(u, k) - middle;                                                \
            const ivec near = away * away <= limit;                                                \
            const vec value = near ? away : 0.0f;                                                  \
            number += near ? (vec)1.0f : 0.0f;                                                     \
            sum += value;                                                                          \
            square = fma(value, value, square);                                                    \
        }                                                                                          \
        const float each = 1.0f / TOTAL(number), late = TOTAL(sum) * each;                         \
        LANE(mean, u) = middle + late;                                                             \
        LANE(variance, u) = fma(-late, late, TOTAL(square) * each);                                \
    }

/* Of units from sample `own` on, `count` of them, in the first lanes. About the first sample, so
 * that a constant has no variance; then the few of which something is beyond CLIP rms again without that. */
INLINE moments take_units(global const X_TYPE *restrict X_data, series s, int own, int count)
{
    global const X_TYPE *next = what_follows(X_data, s, own);
    vec sums[LANES], squares[LANES], most[LANES], pivot;
#if LANES == 16
    vec lifted[UNIT];
#endif
    AS_WRITTEN
    for (int u = 0; u < LANES; u++) {
        const int from = own + min(u, count - 1) * UNIT;
        const float first = X(s.b, s.q, s.d, TIME_OF(s, from));
        LANE(pivot, u) = first;
        vec sum = 0.0f;
        UNROLL
        for (int k = 0; k < UNIT / LANES; k++) {
            const vec x = load_samples(X_data, s, from + k * LANES) - first;
            if (k % 2) PREFETCH(next + u * UNIT + k * LANES);
#if LANES == 16
            LIFTED(u, k) = x;
#endif
            sum += x;
        }
        sums[u] = sum;
    }
    vec mean = fold_sums(sums) * (1.0f / UNIT);
    AS_WRITTEN
    for (int u = 0; u < LANES; u++) {
        vec sum = 0.0f, largest = 0.0f;
        UNROLL
        for (int k = 0; k < UNIT / LANES; k++) {
            const vec away = LIFTED(u, k) - LANE(mean, u), square = away * away;
            if (k % 2 == 0) PREFETCH(next + u * UNIT + k * LANES);
            sum += square;
            largest = LARGER(square, largest);
        }
        squares[u] = sum;
        most[u] = largest;
    }
    vec variance = fold_sums(squares) * (1.0f / UNIT);
    const ivec finite = IS_FINITE(variance), beyond = fold_largest(most) > CLIP * CLIP * variance;
    AS_WRITTEN
    for (int u = 0; u < LANES && ANY(beyond); u++)
        if (ILANE(beyond, u)) CLIP_UNIT(u);
    mean += pivot;
    return (moments){mean, GAIN * variance, finite && mean <= CALM_MEAN && mean >= -CALM_MEAN};
}

/* ---- mean and variance of parts */

/* Numbers of a part, of trial after trial. Mean and variance are infinite where not known. */
enum { OF_MEAN, OF_VARIANCE, OF_ROUGH }; /* something is not finite, far too large or outside */

/* Samples outside the stream are its first or its last: so one at neither end is none. */
INLINE bool is_cut(series s, int own, int count STREAM_ARGS)
{
    return IS_OUTSIDE(s.b, own * s.ratio) || IS_OUTSIDE(s.b, TIME_OF(s, own + count - 1));
}

/* No unit of so many lies in the stream. */
INLINE bool is_outside_of_units(series s, int own, int count STREAM_ARGS)
{
    AS_WRITTEN
    for (int u = 0; u < count; u++)
        if (!is_cut(s, own + u * UNIT, UNIT STREAM)) return false;
    return true;
}

/* A part as it comes in, unit after unit. */
typedef struct growing {
    float mean, variance;
    int units;   /* of which these are */
    float rough; /* 1: in one of them */
} growing;

INLINE void save_part(global Z_TYPE *restrict Z_data, series s, int part, float mean,
                      float variance, float rough)
{
    Z_SAVE(PLANE(s), part, OF_MEAN, s.d, mean);
    Z_SAVE(PLANE(s), part, OF_VARIANCE, s.d, variance);
    Z_SAVE(PLANE(s), part, OF_ROUGH, s.d, rough);
}

/* One unit more: unit `n` of `units` of part number `part`. */
INLINE void add_unit(global Z_TYPE *restrict Z_data, growing *now, series s, int part, int n,
                     int units, float mean, float variance, bool rough)
{
    if (n == 0) *now = (growing){0, 0, 0, 0};
    if (variance > 0) {
        now->mean += mean;
        now->variance += variance;
        now->units++;
    }
    if (rough) now->rough = 1;
    if (n < units - 1) return;
    const bool good = now->units > 0 && 2 * now->units >= units;
    save_part(Z_data, s, part, good ? now->mean / now->units : INFINITY,
              good ? now->variance / now->units : INFINITY, now->rough);
}

/* Units that make parts of several, or that something is the matter with. */
INLINE void add_units(global const X_TYPE *restrict X_data, global Z_TYPE *restrict Z_data,
                      growing *now, series s, int own, int n, int count, int units,
                      moments m STREAM_ARGS)
{
    int calm[LANES];
    STORE(m.calm, calm);
    AS_WRITTEN
    for (int u = 0; u < count; u++) {
        const bool cut = is_cut(s, own + u * UNIT, UNIT STREAM);
        float mean = LANE(m.mean, u), variance = LANE(m.variance, u);
        if (!cut && !calm[u] && !IS_FINITE(variance))
            take_finite(&mean, &variance, X_data, s, own + u * UNIT);
        add_unit(Z_data, now, s, (n + u) / units, (n + u) % units, units, mean,
                 cut ? 0.0f : variance, cut || !calm[u]);
    }
}

/* Of TILES_T parts of a series mean, variance, and whether something is the matter there. */
ONCE void take_parts(global const X_TYPE *restrict X_data, global Z_TYPE *restrict Z_data, series s, int part STREAM_ARGS)
{
    const int units = PART / (UNIT * s.ratio);
    const int end = min(part + TILES_T, PARTS) * units;
    growing now = {0, 0, 0, 0};
    AS_WRITTEN
    for (int n = part * units; n < end; n += LANES) {
        const int taken = min(LANES, end - n), own = n * UNIT;
        const bool cut = is_cut(s, own, taken * UNIT STREAM);
        moments m = {0.0f, 0.0f, 0};
        if (!cut || !is_outside_of_units(s, own, taken STREAM))
            m = take_units(X_data, s, own, taken);
#if LANES == 16
        if (units == 1 && taken == LANES && all(m.calm) && !cut) {
            for (int u = 0; u < LANES; u++) {
                const bool good = LANE(m.variance, u) > 0;
                save_part(Z_data, s, n + u, good ? LANE(m.mean, u) : INFINITY,
                          good ? LANE(m.variance, u) : INFINITY, 0);
            }
            continue;
        }
#endif
        add_units(X_data, Z_data, &now, s, own, n, taken, units, m STREAM);
    }
}

kernel void pulses_parts(CT_ARGS)
{
    const int part = (int)get_global_id(1) * TILES_T, d = get_global_id(0), each = PART / RATIO(d);
    const series s = {(int)get_global_id(2) / X_N_Q, (int)get_global_id(2) % X_N_Q, d, RATIO(d), part * each,
                      min(part + TILES_T, PARTS) * each};
    take_parts(X_data, Z_data, s, part STREAM);
}
