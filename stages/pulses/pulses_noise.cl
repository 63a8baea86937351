/* pulses_noise.cl: mean and variance of units of 64 own samples; from 16 parts, of one or several
 * units, the noise of each part. Lanes are neighbours in time: of 16 units, what 16 vectors give is
 * brought together at once. Written so that no sum can be fused with a product in two ways: a
 * series gives the same bits however the stream is cut. Room: stages/pulses. Knows coordinates, and
 * lengths from pulses_emit.c. */
#define UNIT 64
#define WINDOW 16
#define CLIPS 2           /* rounds of clipping */
#define FEWEST_UNITS 2    /* that a noise is taken from */
#define MOST_SIGMAS 1e30f /* whatever a sample is, sums of thousands stay finite */
#define CALM_MEAN 1e20f   /* no sample of a unit whose variance and mean are below */
#define CALM_SCALE 1e8f   /* has so many sigmas */
#define PARTS (X_N_T / PART)
#define IS_FINITE(x) ((x) >= -FLT_MAX && (x) <= FLT_MAX)

#if HAVE_M
#define STREAM_ARGS , global const M_TYPE *restrict M_data
#define STREAM , M_data
#define IS_OUTSIDE(b, t) ((M(M_N_S > 1 ? (b) : 0, t) & 2) != 0)
#else
#define STREAM_ARGS
#define STREAM
#define IS_OUTSIDE(b, t) 0
#endif

/* One series: where it is, and its spacing. */
typedef struct series {
    int b, q, d, ratio;
} series;

/* Time of an own sample: the last that holds its value. */
#define TIME_OF(s, own) ((own) * (s).ratio + (s).ratio - 1)

/* ---- samples */

INLINE vec load_samples(global const X_TYPE *restrict X_data, series s, int own)
{
#if X_STRIDE_T == 1
    if (s.ratio == 1) return LOAD(X_data + X_AT(s.b, s.q, s.d, own));
#endif
    float each[LANES];
    for (int i = 0; i < LANES; i++)
        each[i] = X(s.b, s.q, s.d, TIME_OF(s, own + i));
    return LOAD(each);
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
    for (int i = UNIT - 1; i >= 0; i--) {
        const float value = X(s.b, s.q, s.d, TIME_OF(s, own + i));
        if (IS_FINITE(value)) pivot = value;
        n += IS_FINITE(value) ? 1 : 0;
    }
    *of_mean = *of_variance = 0;
    if (2 * n < UNIT) return;
    for (int round = 0; round <= CLIPS; round++) {
        const float limit = CLIP * CLIP * variance, middle = mean;
        float sum = 0, squares = 0, kept = 0;
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

/* Samples that the next units take. */
#if LANES == 16 && X_STRIDE_T == 1
#define PREFETCH(own) __builtin_prefetch(X_data + X_AT(s.b, s.q, s.d, (own) + LANES * UNIT))
#else
#define PREFETCH(own)
#endif

/* Of units from sample `own` on, `count` of them, in the first lanes. About the first sample, so
 * that a constant has no variance; then again, and again, without what is beyond CLIP rms. */
INLINE moments take_units(global const X_TYPE *restrict X_data, series s, int own, int count)
{
    vec sums[LANES], squares[LANES], kept[LANES], pivot;
#if LANES == 16
    vec lifted[UNIT];
#endif
    for (int u = 0; u < LANES; u++) {
        const int from = own + min(u, count - 1) * UNIT;
        const float first = X(s.b, s.q, s.d, TIME_OF(s, from));
        LANE(pivot, u) = first;
        vec sum = 0.0f;
        for (int k = 0; k < UNIT / LANES; k++) {
            const vec x = load_samples(X_data, s, from + k * LANES) - first;
            PREFETCH(from + k * LANES);
#if LANES == 16
            LIFTED(u, k) = x;
#endif
            sum += x;
        }
        sums[u] = sum;
    }
    vec mean = fold_sums(sums) * (1.0f / UNIT);
    for (int u = 0; u < LANES; u++) {
        vec sum = 0.0f;
        for (int k = 0; k < UNIT / LANES; k++) {
            const vec away = LIFTED(u, k) - LANE(mean, u);
            sum = fma(away, away, sum);
        }
        squares[u] = sum;
    }
    vec variance = fold_sums(squares) * (1.0f / UNIT);
    const ivec finite = IS_FINITE(variance);
    for (int round = 0; round < CLIPS; round++) {
        const vec limit = CLIP * CLIP * variance;
        for (int u = 0; u < LANES; u++) {
            vec sum = 0.0f, square = 0.0f, number = 0.0f;
            for (int k = 0; k < UNIT / LANES; k++) {
                const vec away = LIFTED(u, k) - LANE(mean, u);
                const ivec near = away * away <= LANE(limit, u);
                const vec value = near ? away : 0.0f;
                number += near ? (vec)1.0f : 0.0f;
                sum += value;
                square = fma(value, value, square);
            }
            sums[u] = sum;
            squares[u] = square;
            kept[u] = number;
        }
        const vec each = 1.0f / fold_sums(kept), late = fold_sums(sums) * each;
        mean += late;
        variance = fma(-late, late, fold_sums(squares) * each);
    }
    mean += pivot;
    return (moments){mean, GAIN * variance, finite && mean <= CALM_MEAN && mean >= -CALM_MEAN};
}

/* ---- mean and variance of parts */

/* Samples outside the stream are its first or its last: so one at neither end is none. */
INLINE bool is_cut(series s, int own, int count STREAM_ARGS)
{
    return IS_OUTSIDE(s.b, own * s.ratio) || IS_OUTSIDE(s.b, TIME_OF(s, own + count - 1));
}

/* What a work-item knows of its parts. Those that are not known are infinite. */
typedef struct known {
    float *mean, *variance;
    uchar *rough; /* something there is not finite, far too large or outside the stream */
} known;

/* A part as it comes in, unit after unit. */
typedef struct growing {
    float mean, variance;
    int units; /* of which these are */
} growing;

/* One unit more of part number `part`: unit `n` of `units`. */
INLINE void add_unit(known to, growing *now, int part, int n, int units, float mean, float variance)
{
    if (n == 0) *now = (growing){0, 0, 0};
    if (variance > 0) {
        now->mean += mean;
        now->variance += variance;
        now->units++;
    }
    if (n < units - 1) return;
    const bool good = now->units > 0 && 2 * now->units >= units;
    to.mean[part] = good ? now->mean / now->units : INFINITY;
    to.variance[part] = good ? now->variance / now->units : INFINITY;
}

/* Units that make parts of several, or that something is the matter with. */
INLINE void add_units(known to, growing *now, global const X_TYPE *restrict X_data, series s,
                      int own, int n, int count, int units, moments m STREAM_ARGS)
{
    int calm[LANES];
    STORE(m.calm, calm);
    for (int u = 0; u < count; u++) {
        const bool cut = is_cut(s, own + u * UNIT, UNIT STREAM);
        float mean = LANE(m.mean, u), variance = LANE(m.variance, u);
        if (!calm[u] && !IS_FINITE(variance))
            take_finite(&mean, &variance, X_data, s, own + u * UNIT);
        if (cut || !calm[u]) to.rough[(n + u) / units] = 1;
        add_unit(to, now, (n + u) / units, (n + u) % units, units, mean, cut ? 0.0f : variance);
    }
}

/* `count` parts from number `part` on. */
INLINE void take_parts(known to, global const X_TYPE *restrict X_data, series s, int part,
                       int count STREAM_ARGS)
{
    const int units = PART / (UNIT * s.ratio), total = min(count, PARTS - part) * units;
    growing now = {0, 0, 0};
    for (int n = 0; n < total; n += LANES) {
        const int taken = min(LANES, total - n), own = (part * units + n) * UNIT;
        const moments m = take_units(X_data, s, own, taken);
#if LANES == 16
        if (units == 1 && taken == LANES && all(m.calm) && !is_cut(s, own, LANES * UNIT STREAM)) {
            HELD(to.mean + n) = m.variance > 0.0f ? m.mean : INFINITY;
            HELD(to.variance + n) = m.variance > 0.0f ? m.variance : INFINITY;
            continue;
        }
#endif
        add_units(to, &now, X_data, s, own, n, taken, units, m STREAM);
    }
}

/* ---- noise of parts */

/* In each lane. */
INLINE void sort_window(vec x[WINDOW]){
#define ORDER(i, k)                                                                                \
    {                                                                                              \
        const vec a = x[i], b = x[k];                                                              \
        x[i] = SMALLER(a, b);                                                                      \
        x[k] = LARGER(a, b);                                                                       \
    }
    SORT_WINDOW(ORDER)}

/* The mean of the two in the middle, or the one. What is not known is infinite, and at the end. */
INLINE vec find_middle(vec all[WINDOW], ivec known)
{
    vec low = 0.0f, high = 0.0f;
    sort_window(all);
    for (int k = 0; k < WINDOW; k++) {
        low = (known - 1) >> 1 == k ? all[k] : low;
        high = known >> 1 == k ? all[k] : high;
    }
    return 0.5f * low + 0.5f * high;
}

/* Of 16 neighbouring windows of parts, of which the first begins with these. */
INLINE void find_noise(float *median, float *scale, const float *mean, const float *variance,
                       int units)
{
    vec means[WINDOW], variances[WINDOW];
    ivec known = 0;
    for (int k = 0; k < WINDOW; k++) {
        means[k] = LOAD(mean + k);
        variances[k] = LOAD(variance + k);
        known += variances[k] < INFINITY ? (ivec)1 : (ivec)0;
    }
    const vec noise = find_middle(variances, known), level = find_middle(means, known);
    const ivec good = known * units >= FEWEST_UNITS && noise >= FLT_MIN && noise <= FLT_MAX;
    HELD(median) = good ? level : 0.0f;
    HELD(scale) = good ? 1.0f / sqrt(noise) : 0.0f;
}

/* Of `count` parts, each from the 16 parts up to it. */
INLINE void find_noises(float *medians, float *scales, const float *mean, const float *variance,
                        int count, int units)
{
    for (int at = 0; at < count; at += LANES)
        find_noise(medians + at, scales + at, mean + at, variance + at, units);
}

/* Where the stream begins with part `begin`, which is among the 16 parts up to some: of these the
 * ones up to part `last` take their noise from the stream's first 16 parts, none after `last`. */
INLINE void begin_noises(float *medians, float *scales, const float *mean, const float *variance,
                         int count, int begin, int last, int units)
{
    float means[WINDOW + LANES] ALIGNED, variances[WINDOW + LANES] ALIGNED;
    float median[LANES] ALIGNED, scale[LANES] ALIGNED;
    for (int k = 0; k < WINDOW + LANES; k++) {
        const bool first = k < WINDOW && begin + k <= last;
        means[k] = first ? mean[begin + k] : INFINITY;
        variances[k] = first ? variance[begin + k] : INFINITY;
    }
    find_noise(median, scale, means, variances, units);
    for (int at = max(0, begin - WINDOW + 1); at < min(min(count, begin), last - WINDOW + 2);
         at++) {
        medians[at] = median[0];
        scales[at] = scale[0];
    }
}
