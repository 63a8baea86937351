/* pulses.cl: the search for single pulses: mean and variance of units of 64 own samples; from 16
 * parts, of one or several units, the noise of each part; of each bin the strongest boxcar. Lanes
 * are neighbours in time. Written so that no sum can be fused with a product in two ways: a series
 * gives the same bits however the stream is cut.
 * Room: stages/pulses. Knows coordinates, and lengths from pulses_emit.c. */
#pragma OPENCL FP_CONTRACT OFF

#define INLINE static inline __attribute__((always_inline))
#define LANES VECTOR_T
#define UNIT 64
#define WINDOW 16
#define CLIPS 2            /* rounds of clipping */
#define FEWEST_UNITS 2     /* that a noise is taken from */
#define MOST_SIGMAS 1e30f  /* whatever a sample is, sums of thousands stay finite */
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

#if LANES == 16
typedef float16 vec;
typedef int16 ivec;
#define LOAD(from) vload16(0, from)
#define STORE(value, to) vstore16(value, 0, to)
#define ANY(x) any(x)

INLINE float sum_lanes(vec x)
{
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    const float2 c = b.lo + b.hi;
    return c.x + c.y;
}
#else
typedef float vec;
typedef int ivec;
#define LOAD(from) (*(from))
#define STORE(value, to) (*(to) = (value))
#define sum_lanes(x) (x)
#define ANY(x) ((x) != 0)
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
    float mean, variance;
} moments;

/* The same for a unit in which samples are not finite, or too large to be squared. */
INLINE moments take_finite(global const X_TYPE *restrict X_data, series s, int own)
{
    float x[UNIT], mean = 0, variance = INFINITY, pivot;
    int n = 0;
    for (int i = 0; i < UNIT; i++) {
        const float value = X(s.b, s.q, s.d, TIME_OF(s, own + i));
        x[n] = value;
        n += IS_FINITE(value) ? 1 : 0;
    }
    if (2 * n < UNIT) return (moments){0, 0};
    pivot = x[0];
    for (int round = 0; round <= CLIPS; round++) {
        const float limit = CLIP * CLIP * variance, middle = mean;
        float sum = 0, squares = 0, kept = 0;
        for (int i = 0; i < n; i++) {
            const float away = x[i] - pivot - middle;
            if (round > 0 && !(away * away <= limit)) continue;
            sum += away;
            squares = fma(away, away, squares);
            kept++;
        }
        if (kept == 0 || !IS_FINITE(squares)) return (moments){0, 0};
        const float late = sum / kept;
        mean = middle + late;
        variance = fma(-late, late, squares / kept);
    }
    return (moments){pivot + mean, GAIN * variance};
}

/* About the first sample, so that a constant has no variance; then again, and again, without what
 * is beyond CLIP rms. */
INLINE moments take_unit(global const X_TYPE *restrict X_data, series s, int own)
{
    vec x[UNIT / LANES], sum = 0.0f;
    for (int k = 0; k < UNIT / LANES; k++)
        x[k] = load_samples(X_data, s, own + k * LANES);
    const float pivot = X(s.b, s.q, s.d, TIME_OF(s, own));
    for (int k = 0; k < UNIT / LANES; k++) {
        x[k] -= pivot;
        sum += x[k];
    }
    float mean = sum_lanes(sum) * (1.0f / UNIT), variance;
    vec squares = 0.0f;
    for (int k = 0; k < UNIT / LANES; k++) {
        const vec away = x[k] - mean;
        squares = fma(away, away, squares);
    }
    variance = sum_lanes(squares) * (1.0f / UNIT);
    if (!IS_FINITE(variance)) return take_finite(X_data, s, own);
    for (int round = 0; round < CLIPS; round++) {
        const float limit = CLIP * CLIP * variance;
        vec kept = 0.0f;
        sum = squares = 0.0f;
        for (int k = 0; k < UNIT / LANES; k++) {
            const vec away = x[k] - mean;
            const ivec near = away * away <= limit;
            const vec value = near ? away : 0.0f;
            kept += near ? (vec)1.0f : 0.0f;
            sum += value;
            squares = fma(value, value, squares);
        }
        const float count = 1.0f / sum_lanes(kept), late = sum_lanes(sum) * count;
        mean += late;
        variance = fma(-late, late, sum_lanes(squares) * count);
    }
    return (moments){pivot + mean, GAIN * variance};
}

/* Samples outside the stream are its first or its last: so one at neither end is none. */
INLINE bool is_cut(series s, int own, int count STREAM_ARGS)
{
    return IS_OUTSIDE(s.b, own * s.ratio) || IS_OUTSIDE(s.b, TIME_OF(s, own + count - 1));
}

/* The mean of those units of a part that are known, where half of them are. */
INLINE moments take_part(global const X_TYPE *restrict X_data, series s, int part STREAM_ARGS)
{
    const int units = PART / (UNIT * s.ratio);
    float mean = 0, variance = 0;
    int known = 0;
    for (int own = part * units * UNIT; own < (part + 1) * units * UNIT; own += UNIT) {
        if (is_cut(s, own, UNIT STREAM)) continue;
        const moments m = take_unit(X_data, s, own);
        if (!(m.variance > 0)) continue;
        mean += m.mean;
        variance += m.variance;
        known++;
    }
    if (known == 0 || 2 * known < units) return (moments){INFINITY, INFINITY};
    return (moments){mean / known, variance / known};
}

/* ---- noise of parts */

/* Batcher's odd-even merge sort of 16, in each lane. */
INLINE void sort_window(vec x[WINDOW])
{
    for (int p = 1; p < WINDOW; p *= 2)
        for (int k = p; k >= 1; k /= 2)
            for (int j = k % p; j + k < WINDOW; j += 2 * k)
                for (int i = j; i < j + k; i++) {
                    if (i / (2 * p) != (i + k) / (2 * p)) continue;
                    const vec a = x[i], b = x[i + k];
                    x[i] = a < b ? a : b;
                    x[i + k] = a < b ? b : a;
                }
}

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

/* Of 16 neighbouring parts, of which the first is number `at` in a work-item's list. Each takes its
 * noise from the 16 parts up to it; where the stream begins among them, from its first ones. */
INLINE void find_noise(float *median, float *scale, const float *mean, const float *variance, int at,
                       int stream, int units)
{
    vec means[WINDOW], variances[WINDOW];
    ivec known = 0;
    for (int k = 0; k < WINDOW; k++) {
        means[k] = LOAD(mean + at + k);
        variances[k] = LOAD(variance + at + k);
        if (at < stream) {
            float each[2][LANES];
            for (int i = 0; i < LANES; i++) {
                const int from = k + min(max(at + i, stream), at + i + WINDOW);
                each[0][i] = mean[from];
                each[1][i] = variance[from];
            }
            means[k] = LOAD(each[0]);
            variances[k] = LOAD(each[1]);
        }
        known += variances[k] < INFINITY ? (ivec)1 : (ivec)0;
    }
    const vec noise = find_middle(variances, known), level = find_middle(means, known);
    const ivec good =
        known * units >= FEWEST_UNITS && noise >= FLT_MIN && noise <= FLT_MAX;
    STORE(good ? level : 0.0f, median + at);
    STORE(good ? 1.0f / sqrt(noise) : 0.0f, scale + at);
}

/* ---- boxcars of bins */

#define BEFORE ((HALO + LANES - 1) / LANES * LANES) /* own samples before a tile */
#define LONGEST (BEFORE + LANES + TILE_T * BIN + LANES)
#define PAD (HALO / 2 + LANES) /* below a tile's first, for halves that begin there: never used */

/* 0 where a sample is outside the stream. */
INLINE vec drop_outside(series s, int own, vec level STREAM_ARGS)
{
    float each[LANES];
    STORE(level, each);
    for (int i = 0; i < LANES; i++)
        if (IS_OUTSIDE(s.b, TIME_OF(s, own + i))) each[i] = 0;
    return LOAD(each);
}

/* Sigmas above the median of `count` own samples from `first` on, both multiples of 16; 0 where one
 * is not finite, of which *bad tells. The noise of part number `from` stands first. */
INLINE void level_samples(float *to, ivec *bad, global const X_TYPE *restrict X_data, series s,
                          int first, int count, const float *medians, const float *scales,
                          int from STREAM_ARGS)
{
    const int own = PART / s.ratio; /* samples of a part */
    for (int i = 0; i < count;) {
        const int part = (first + i) / own, end = min(count, (part + 1) * own - first);
        const bool cut = is_cut(s, part * own, own STREAM);
        const float median = medians[part - from], scale = scales[part - from];
        for (; i < end; i += LANES) {
            const vec x = load_samples(X_data, s, first + i);
            const vec level = (x - median) * scale;
            const vec low = level < MOST_SIGMAS ? level : MOST_SIGMAS;
            const vec near = low > -MOST_SIGMAS ? low : -MOST_SIGMAS;
            const ivec finite = IS_FINITE(x);
            vec out = finite ? near : 0.0f;
            if (cut) out = drop_outside(s, first + i, out STREAM);
            *bad |= finite ? (ivec)0 : (ivec)-1;
            STORE(out, to + i);
        }
    }
}

/* Sums of twice as many from those of `narrow`, in place from the end on; the S/N of those that end
 * in a sample, where it is larger than what was found there. */
INLINE void widen_boxcars(float *sum, float *best, int *width, int narrow, int first, int count)
{
    const float scale = 1.0f / sqrt((float)(2 * narrow));
    for (int i = count - LANES; i >= 0; i -= LANES) {
        const vec wide = LOAD(sum + i) + LOAD(sum + i - narrow);
        STORE(wide, sum + i);
        if (i < first) continue;
        const vec snr = wide * scale, old = LOAD(best + i);
        const ivec larger = snr > old;
        STORE(larger ? snr : old, best + i);
        STORE(larger ? (ivec)(2 * narrow) : LOAD(width + i), width + i);
    }
}

/* How often S/N rises to the threshold. */
INLINE int count_peaks(const float *best, int count)
{
    int peaks = 0;
    for (int i = 0; i < count; i++)
        peaks += best[i] >= P_THRESHOLD && (i == 0 || best[i - 1] < P_THRESHOLD);
    return peaks;
}

/* The first of the largest; `count` is a multiple of 16, or small. */
INLINE int find_largest(const float *best, int count)
{
    int at = 0;
#if LANES == 16
    if (count % LANES == 0) {
        float16 most = vload16(0, best);
        int16 place = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), now = place;
        for (int i = LANES; i < count; i += LANES) {
            const float16 next = vload16(0, best + i);
            const int16 larger = next > most;
            now += LANES;
            most = larger ? next : most;
            place = larger ? now : place;
        }
        const float8 a = most.lo > most.hi ? most.lo : most.hi;
        const float4 b = a.lo > a.hi ? a.lo : a.hi;
        const float2 c = b.lo > b.hi ? b.lo : b.hi;
        place = most == (c.x > c.y ? c.x : c.y) ? place : INT_MAX;
        const int8 d = min(place.lo, place.hi);
        const int4 e = min(d.lo, d.hi);
        return min(min(e.x, e.y), min(e.z, e.w));
    }
#endif
    for (int i = 1; i < count; i++)
        if (best[i] > best[at]) at = i;
    return at;
}

/* Those that are not finite; nearly always none. */
INLINE int count_bad(global const X_TYPE *restrict X_data, series s, int own, int count)
{
    int bad = 0;
    for (int i = 0; i < count; i++)
        bad += !IS_FINITE(X(s.b, s.q, s.d, TIME_OF(s, own + i)));
    return bad;
}

/* Bins from number `tile` on, in the parts whose noise is known. */
INLINE void search_tile(global const X_TYPE *restrict X_data, global Y_TYPE *restrict Y_data,
                        series s, int tile, int bins, const float *medians, const float *scales,
                        int noise STREAM_ARGS)
{
    float room[PAD + LONGEST] __attribute__((aligned(64)));
    float best[LONGEST] __attribute__((aligned(64)));
    int width[LONGEST] __attribute__((aligned(64)));
    float *sum = room + PAD;
    const int each = BIN / s.ratio, from = OVERLAP / s.ratio + tile * each;
    const int begin = (from - BEFORE) / LANES * LANES, first = from - begin;
    const int count = (first + bins * each + LANES - 1) / LANES * LANES;
    for (int i = 0; i < PAD; i++)
        room[i] = 0;
    ivec bad_lanes = 0;
    level_samples(sum, &bad_lanes, X_data, s, begin, count, medians, scales, noise STREAM);
    const bool some_bad = ANY(bad_lanes);
    for (int i = first / LANES * LANES; i < count; i++) {
        best[i] = sum[i];
        width[i] = 1;
    }
    for (int narrow = 1; 2 * narrow <= P_WIDEST; narrow *= 2)
        widen_boxcars(sum, best, width, narrow, first / LANES * LANES, count);
    for (int bin = 0; bin < bins; bin++) {
        const int at = first + bin * each, last = find_largest(best + at, each);
        const float snr = best[at + last] > 0 ? best[at + last] : 0.0f;
        const int bad = some_bad ? count_bad(X_data, s, from + bin * each, each) : 0;
        const bool known = scales[(OVERLAP + (tile + bin) * BIN) / PART - noise] > 0;
        Y_SAVE(s.b, s.q, s.d, tile + bin, 0, snr);
        Y_SAVE(s.b, s.q, s.d, tile + bin, 1, snr > 0 ? last + 1 - width[at + last] : 0);
        Y_SAVE(s.b, s.q, s.d, tile + bin, 2, snr > 0 ? width[at + last] : 0);
        Y_SAVE(s.b, s.q, s.d, tile + bin, 3, snr >= P_THRESHOLD ? count_peaks(best + at, each) : 0);
        Y_SAVE(s.b, s.q, s.d, tile + bin, 4, each);
        Y_SAVE(s.b, s.q, s.d, tile + bin, 5, bad);
        Y_SAVE(s.b, s.q, s.d, tile + bin, 6, known ? 0 : each - bad);
    }
}

/* Parts that a work-item has of noise, and of means and variances; both may end in unused ones. */
#define NOISES ((TILES_T + HALO_PARTS + LANES - 1) / LANES * LANES)
#define KNOWN (NOISES + 2 * WINDOW)

/* A work-item searches TILES_T parts of a series. */
kernel void pulses(CT_ARGS)
{
    const int b = (int)get_global_id(2) / X_N_Q, q = (int)get_global_id(2) % X_N_Q;
    const int d = get_global_id(1), part = (int)get_global_id(0) * TILES_T;
    const int before = HALO_PARTS + WINDOW - 1; /* parts that come before the first */
    const int parts = min(TILES_T, PARTS - before - part);
    if (parts <= 0) return;
    const series s = {b, q, d, RATIO(d)};
    float mean[KNOWN], variance[KNOWN], medians[NOISES], scales[NOISES];
    int stream = 0; /* first part in the list that begins in the stream */
    while (stream < before + parts && IS_OUTSIDE(b, (part + stream) * PART))
        stream++;
    const int needed = before + parts + (stream > 0 ? WINDOW : 0);
    for (int i = 0; i < KNOWN; i++) {
        moments m = {INFINITY, INFINITY};
        if (i < needed && part + i < PARTS) m = take_part(X_data, s, part + i STREAM);
        mean[i] = m.mean;
        variance[i] = m.variance;
    }
    for (int at = 0; at < HALO_PARTS + parts; at += LANES)
        find_noise(medians, scales, mean, variance, at, stream, PART / (UNIT * s.ratio));
    const int bins = parts * (PART / BIN), first = part * (PART / BIN);
    for (int tile = 0; tile < bins; tile += TILE_T)
        search_tile(X_data, Y_data, s, first + tile, min(TILE_T, bins - tile), medians, scales,
                    part + WINDOW - 1 STREAM);
}
