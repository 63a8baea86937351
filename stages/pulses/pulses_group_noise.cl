/* pulses_group_noise.cl: means and variances of parts, and the noise of groups, where work-groups share the
 * work. Units of 64 samples come to local memory, neighbours in the input's order by neighbouring work-items;
 * one work-item each goes through them there. What a group of parts has is sorted in registers, by networks.
 * All indices of registers are literals. Room: stages/pulses. Knows coordinates, and lengths from
 * pulses_emit.c and pulses_group.c. */

#define RATIO_OF(d) (COARSE == 1 ? 1 : RATIO(d))
#define SERIES(plane, d) ((series){(plane) / X_N_Q, (plane) % X_N_Q, d, RATIO_OF(d)})

/* ---- units in local memory */

#define UNITS 64             /* of a group of as many work-items */
#define UNIT_STRIDE (UNIT + 1) /* so that work-items that read theirs meet in no bank */
#if X_STRIDE_D == 1
#define UNITS_D 32
#else
#define UNITS_D 8 /* Z has neighbouring trials side by side */
#endif
#define UNITS_T (UNITS / UNITS_D)

/* Which unit a group's work-item has: its trial and part, and where it lies in local memory. */
typedef struct place {
    int d, part, at;
} place;

INLINE place place_of(int unit, int d, int part)
{
    return (place){d + unit % UNITS_D, part + unit / UNITS_D, unit * UNIT_STRIDE};
}

/* Unit number n of each part. */
INLINE void load_units(local float *units, global const X_TYPE *restrict X_data,
                       global const RATIO_TYPE *RATIO_data, int plane, int d, int part, int n,
                       int item)
{
#pragma unroll 8
    for (int step = 0; step < UNIT; step++) {
#if X_STRIDE_D == 1
        const int k = step, unit = item;
#else
        const int k = item, unit = step;
#endif
        const place of = place_of(unit, d, part);
        if (of.d >= X_N_D || of.part >= PARTS) continue;
        const series s = SERIES(plane, of.d);
        const int each = PART / (UNIT * s.ratio);
        if (n < each)
            units[of.at + k] = X(s.b, s.q, s.d, TIME_OF(s, (of.part * each + n) * UNIT + k));
    }
}

/* ---- mean and variance of units */

typedef struct moments {
    float mean, variance;
    bool calm; /* no sample that is not finite, or far too large */
} moments;

/* Of a unit in which samples are not finite, or too large to be squared. */
INLINE moments take_finite(local const float *x)
{
    float mean = 0, variance = INFINITY, pivot = 0;
    int n = 0;
    for (int i = UNIT - 1; i >= 0; i--) {
        if (IS_FINITE(x[i])) pivot = x[i];
        n += IS_FINITE(x[i]) ? 1 : 0;
    }
    if (2 * n < UNIT) return (moments){0, 0, false};
    for (int round = 0; round <= CLIPS; round++) {
        const float limit = CLIP * CLIP * variance, middle = mean;
        float sum = 0, squares = 0, kept = 0;
        for (int i = 0; i < UNIT; i++) {
            const float away = x[i] - pivot - middle;
            if (!IS_FINITE(x[i]) || (round > 0 && !(away * away <= limit))) continue;
            sum += away;
            squares = fma(away, away, squares);
            kept++;
        }
        if (kept == 0 || !IS_FINITE(squares)) return (moments){0, 0, false};
        const float late = sum / kept;
        mean = middle + late;
        variance = fma(-late, late, squares / kept);
    }
    return (moments){pivot + mean, GAIN * variance, false};
}

/* Sums in four chains. */
#define ALL(chains) (((chains)[0] + (chains)[1]) + ((chains)[2] + (chains)[3]))

/* Calls DO(k) for all samples of a unit: literal k % 4, so that chains are registers. */
#define EACH_SAMPLE(DO)                                                                            \
    _Pragma("unroll 2") for (int k = 0; k < UNIT; k += 4)                                          \
    {                                                                                              \
        DO(0) DO(1) DO(2) DO(3)                                                                    \
    }

INLINE float mean_of(local const float *x, float pivot)
{
    float sum[4] = {0, 0, 0, 0};
#define ADD_SAMPLE(i) sum[i] += x[k + i] - pivot;
    EACH_SAMPLE(ADD_SAMPLE)
    return ALL(sum) * (1.0f / UNIT);
}

INLINE float variance_of(local const float *x, float pivot, float mean)
{
    float square[4] = {0, 0, 0, 0};
#define ADD_SQUARE(i)                                                                              \
    {                                                                                              \
        const float away = x[k + i] - pivot - mean;                                                \
        square[i] = fma(away, away, square[i]);                                                    \
    }
    EACH_SAMPLE(ADD_SQUARE)
    return ALL(square) * (1.0f / UNIT);
}

/* Without what is beyond CLIP rms. */
INLINE void clip_once(local const float *x, float pivot, float *mean, float *variance)
{
    float sum[4] = {0, 0, 0, 0}, square[4] = {0, 0, 0, 0}, number[4] = {0, 0, 0, 0};
    const float limit = CLIP * CLIP * *variance, middle = *mean;
#define ADD_NEAR(i)                                                                                \
    {                                                                                              \
        const float away = x[k + i] - pivot - middle;                                              \
        const bool near = away * away <= limit;                                                    \
        const float value = near ? away : 0.0f;                                                    \
        number[i] += near ? 1.0f : 0.0f;                                                           \
        sum[i] += value;                                                                           \
        square[i] = fma(value, value, square[i]);                                                  \
    }
    EACH_SAMPLE(ADD_NEAR)
    const float each = 1.0f / ALL(number), late = ALL(sum) * each;
    *mean = middle + late;
    *variance = fma(-late, late, ALL(square) * each);
}

/* About the first sample, so that a constant has no variance; then again, and again, without what is
 * beyond CLIP rms. */
INLINE moments take_unit(local const float *x)
{
    const float pivot = x[0];
    float mean = mean_of(x, pivot), variance = variance_of(x, pivot, mean);
    const bool finite = IS_FINITE(variance);
    for (int round = 0; round < CLIPS; round++)
        clip_once(x, pivot, &mean, &variance);
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

/* A part as it comes in, unit after unit. */
typedef struct growing {
    float mean, variance;
    int units;   /* of which these are */
    float rough; /* 1: in one of them */
} growing;

INLINE void add_unit(growing *now, local const float *from, bool cut)
{
    moments of = take_unit(from);
    if (!cut && !of.calm && !IS_FINITE(of.variance)) of = take_finite(from);
    if (cut || !of.calm) now->rough = 1;
    if (cut || !(of.variance > 0)) return;
    now->mean += of.mean;
    now->variance += of.variance;
    now->units++;
}

INLINE void save_part(global Z_TYPE *restrict Z_data, series s, int part, int units, growing of)
{
    const bool good = of.units > 0 && 2 * of.units >= units;
    Z_SAVE(PLANE(s), part, OF_MEAN, s.d, good ? of.mean / of.units : INFINITY);
    Z_SAVE(PLANE(s), part, OF_VARIANCE, s.d, good ? of.variance / of.units : INFINITY);
    Z_SAVE(PLANE(s), part, OF_ROUGH, s.d, of.rough);
}

/* Of a part of a series mean, variance, and whether something is the matter there. */
kernel void pulses_parts(CT_ARGS)
{
    local float units[UNITS * UNIT_STRIDE];
    const int item = get_local_id(0), plane = get_global_id(2);
    const int d = (int)get_group_id(1) * UNITS_D, part = (int)get_group_id(0) * UNITS_T;
    const place of = place_of(item, d, part);
    const bool mine = of.d < X_N_D && of.part < PARTS;
    const series s = SERIES(plane, min(of.d, X_N_D - 1));
    const int each = PART / (UNIT * s.ratio);
    growing now = {0, 0, 0, 0};
    for (int n = 0; n < PART / UNIT; n++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        load_units(units, X_data, RATIO_data, plane, d, part, n, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine && n < each)
            add_unit(&now, units + of.at,
                     is_cut(s, (of.part * each + n) * UNIT, UNIT STREAM));
    }
    if (mine) save_part(Z_data, s, of.part, each, now);
}

/* ---- noise of groups */

/* Numbers of a group, of trial after trial. A scale is 1 / sigma, 0 where there is no noise. */
enum { OF_MEDIAN, OF_OWN, OF_SCALE };

#define ORDER(i, k)                                                                                \
    {                                                                                              \
        const float a = x[i], b = x[k];                                                            \
        x[i] = a < b ? a : b;                                                                      \
        x[k] = a > b ? a : b;                                                                      \
    }

/* The mean of the two in the middle of `known`, or the one. What is not known is infinite, and at the end. */
INLINE float middle_of_window(float x[WINDOW], int known)
{
    float low = 0, high = 0;
    SORT_WINDOW(ORDER)
#pragma unroll
    for (int k = 0; k < WINDOW; k++) {
        low = (known - 1) >> 1 == k ? x[k] : low;
        high = known >> 1 == k ? x[k] : high;
    }
    return 0.5f * low + 0.5f * high;
}

INLINE float middle_of_span(float x[SPAN], int known)
{
    float low = 0, high = 0;
    SORT_SPAN(ORDER)
#pragma unroll
    for (int k = 0; k < SPAN; k++) {
        low = (known - 1) >> 1 == k ? x[k] : low;
        high = known >> 1 == k ? x[k] : high;
    }
    return 0.5f * low + 0.5f * high;
}

/* So many of these are less than one of them, or equal and before it. */
INLINE int rank_of(global const Z_TYPE *restrict Z_data, int plane, int first, int last, int d, int of)
{
    const float value = Z(plane, of, OF_MEAN, d);
    int rank = 0;
    for (int part = first; part <= last; part++) {
        const float mean = Z(plane, part, OF_MEAN, d);
        rank += mean < value || (mean == value && part < of) ? 1 : 0;
    }
    return rank;
}

/* The median of the means of the last 16 parts that are known, up to part number `last`. */
INLINE float find_median(global const Z_TYPE *restrict Z_data, int plane, int last, int d)
{
    int known = 0, first = last + 1;
    float low = 0, high = 0;
    while (first > last - SPAN + 1 && known < WINDOW)
        known += Z(plane, --first, OF_MEAN, d) < INFINITY ? 1 : 0;
    for (int part = first; part <= last; part++) {
        const float mean = Z(plane, part, OF_MEAN, d);
        if (!(mean < INFINITY)) continue;
        const int rank = rank_of(Z_data, plane, first, last, d, part);
        low = rank == (known - 1) / 2 ? mean : low;
        high = rank == known / 2 ? mean : high;
    }
    return 0.5f * low + 0.5f * high;
}

/* Of parts up to number `last`; nearly always all of the group are known. */
INLINE float median_of_means(global const Z_TYPE *restrict Z_data, int plane, int last, int d)
{
    float x[WINDOW];
    int known = 0;
#pragma unroll
    for (int k = 0; k < WINDOW; k++) {
        x[k] = Z(plane, last - WINDOW + 1 + k, OF_MEAN, d);
        known += x[k] < INFINITY ? 1 : 0;
    }
    if (known < WINDOW) return find_median(Z_data, plane, last, d);
    return middle_of_window(x, WINDOW);
}

/* Of a group: the median, and the variance of each trial by itself, infinite where not known. */
kernel void pulses_noise(CT_ARGS)
{
    const int plane = get_global_id(2), group = get_global_id(1), d = get_global_id(0);
    if (d >= X_N_D) return;
    const int enough = (FEWEST_UNITS * UNIT * RATIO_OF(d) + PART - 1) / PART;
    float x[SPAN];
    int known = 0;
#pragma unroll
    for (int k = 0; k < SPAN; k++) {
        x[k] = Z(plane, group * WINDOW + k, OF_VARIANCE, d);
        known += x[k] < INFINITY ? 1 : 0;
    }
    const float own = middle_of_span(x, known);
    const bool is = known >= enough && own >= FLT_MIN && own <= FLT_MAX;
    const float median = is ? median_of_means(Z_data, plane, group * WINDOW + SPAN - 1, d) : 0;
    G_SAVE(plane, group, OF_MEDIAN, d, median);
    G_SAVE(plane, group, OF_OWN, d, is ? own : INFINITY);
}

/* Of a group: the scale, from the variance of a trial and of its neighbours that have the same spacing. */
kernel void pulses_scale(CT_ARGS)
{
    const int plane = get_global_id(2), group = get_global_id(1), d = get_global_id(0);
    if (d >= X_N_D) return;
    float x[WINDOW];
    int known = 0;
    const float own = G(plane, group, OF_OWN, d);
    x[WINDOW - 1] = INFINITY;
#pragma unroll
    for (int n = 0; n < 2 * NEIGHBOURS + 1; n++) {
        const int of = d + n - NEIGHBOURS, at = max(0, min(of, X_N_D - 1));
        x[n] = of == at && RATIO_OF(at) == RATIO_OF(d) ? G(plane, group, OF_OWN, at) : INFINITY;
        known += x[n] < INFINITY ? 1 : 0;
    }
    const float all = middle_of_window(x, known);
    const float is = own <= MOST_UNLIKE * all && all <= MOST_UNLIKE * own ? all : own;
    G_SAVE(plane, group, OF_SCALE, d, is < INFINITY ? 1.0f / sqrt(is) : 0.0f);
}
