/* pulses.cl: the search for single pulses: of each bin the strongest boxcar. Lanes are neighbours
 * in time. Sums of twice as many samples are made from those of the width before, bin by bin, and stay until the bin's
 * strongest is known: only then is looked for where it is.
 * Room: stages/pulses. Knows coordinates, lengths from pulses_emit.c, pulses_noise.cl. */
#if WG == 1 /* else pulses_group.cl has all kernels */

/* ---- boxcars */

#define BEFORE ((HALO + LANES - 1) / LANES * LANES) /* own samples that boxcars begin before */
#define FOURS ((WIDTHS + 3) / 4 * 4)
#define FEW_VECTORS (BIN / LANES <= 4) /* of a bin: in registers, if the compiler knows how many */
#define LOG_LANES (LANES == 1 ? 0 : WIDTHS > 4 ? 4 : WIDTHS - 1) /* widths of which the next ones begin in a vector */
#define RING (P_WIDEST / LANES + 1) /* vectors; of w samples and more w / LANES before each other */

/* The noise of a group. */
typedef struct noise {
    float median, scale;
    bool calm; /* not so little that there may be too many sigmas */
} noise;

INLINE noise noise_of(global const G_TYPE *restrict G_data, series s, int group)
{
    const float median = G(PLANE(s), group, OF_MEDIAN, s.d);
    const float scale = G(PLANE(s), group, OF_SCALE, s.d);
    const bool calm = scale <= CALM_SCALE && median <= CALM_MEAN && median >= -CALM_MEAN;
    return (noise){median, scale, calm};
}

/* Whether each of a part's samples has to be looked at. */
INLINE bool is_rough(global const Z_TYPE *restrict Z_data, series s, int own, noise of)
{
    return !of.calm || Z(PLANE(s), own * s.ratio / PART, OF_ROUGH, s.d) > 0;
}

/* Sigmas above the median; 0 where a sample is not finite or outside the stream. */
INLINE vec level_samples(global const X_TYPE *restrict X_data, series s, int own,
                         noise of, bool rough STREAM_ARGS)
{
    const vec x = load_samples(X_data, s, own), level = (x - of.median) * of.scale;
    float each[LANES];
    if (!rough) return level;
    const vec low = SMALLER(level, MOST_SIGMAS), near = LARGER(low, -MOST_SIGMAS);
    STORE(IS_FINITE(x) ? near : 0.0f, each);
#pragma unroll 1
    for (int i = 0; i < LANES; i++)
        if (IS_OUTSIDE(s.b, TIME_OF(s, own + i))) each[i] = 0;
    return LOAD(each);
}

/* Sums of 1, 2, 4, .. samples up to each of a bin's, behind a vector of those before; and, of so many samples that
 * these are whole vectors, the last ones. */
typedef struct boxcars {
    float sums[WIDTHS][LANES + BIN] ALIGNED;
    vec ring[RING];
    int step;
} boxcars;

#define SUMS(of, log, k) HELD((of)->sums[log] + ((k) + 1) * LANES)

INLINE void keep_sums(boxcars *of, int log, const vec *sum, int vectors, vec most[FOURS])
{
    vec largest = sum[0];
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        SUMS(of, log, k) = sum[k];
        largest = LARGER(sum[k], largest);
    }
    most[log] = largest;
}

/* Of `count` samples more, of which these are the levels; `most`: the largest sums of each width. Sums of twice as many
 * are those of two neighbours: the earlier one ended so many samples ago, in this vector and the one before it, or so
 * many vectors ago. */
INLINE void take_boxcars(boxcars *of, vec sum[BIN / LANES], int count, vec most[FOURS])
{
    const int vectors = count / LANES;
    keep_sums(of, 0, sum, vectors, most);
#pragma unroll 1
    for (int log = 0; log < LOG_LANES; log++) {
        const float *from = of->sums[log] + LANES - (1 << log);
        const vec last = sum[vectors - 1];
#pragma unroll
        for (int k = 0; k < vectors; k++)
            sum[k] += LOAD(from + k * LANES);
        SUMS(of, log, -1) = last;
        keep_sums(of, log + 1, sum, vectors, most);
    }
#pragma unroll
    for (int log = LOG_LANES; log + 1 < WIDTHS; log++) {
        const int ago = (1 << log) / LANES;
        vec *ring = of->ring + ago - 1;
#pragma unroll
        for (int k = 0; k < vectors; k++) {
            const int at = (of->step + k) & (ago - 1);
            const vec earlier = ring[at];
            ring[at] = sum[k];
            sum[k] += earlier;
        }
        keep_sums(of, log + 1, sum, vectors, most);
    }
    of->step += vectors;
}

/* The strongest boxcar that ends in each lane, of equal ones the narrowest: the logarithm of its
 * width. */
typedef struct strongest {
    vec snr, width;
} strongest;

INLINE strongest choose_widths(const boxcars *of, int k)
{
    const float scale[] = SCALES;
    strongest best = {SUMS(of, 0, k) * scale[0], 0.0f};
    for (int log = 1; log < WIDTHS; log++) {
        const vec snr = SUMS(of, log, k) * scale[log];
        const ivec larger = snr > best.snr;
        best.snr = larger ? snr : best.snr;
        best.width = larger ? (vec)(float)log : best.width;
    }
    return best;
}

/* ---- bins */

/* How often S/N rises to the threshold. */
INLINE int count_peaks(const float *best, int count)
{
    int peaks = 0, before = 0;
    for (int i = 0; i < count; i++) {
        const int now = best[i] >= P_THRESHOLD ? 1 : 0;
        peaks += now > before ? 1 : 0;
        before = now;
    }
    return peaks;
}

/* Those that are not finite; nearly always none. */
INLINE int count_bad(global const X_TYPE *restrict X_data, series s, int own, int count)
{
    int bad = 0;
    for (int i = 0; i < count; i++)
        bad += !IS_FINITE(X(s.b, s.q, s.d, TIME_OF(s, own + i)));
    return bad;
}

/* Of as many bins as there are lanes. A place is 16 times the boxcar's last sample, from the bin's
 * first one, and the logarithm of its width: the smallest of equal ones counts. */
typedef struct bins {
    vec snr, place, peaks, bad, unknown;
} bins;

INLINE void save_number(global Y_TYPE *restrict Y_data, series s, int bin, int count, int n,
                        vec all)
{
    float each[LANES];
#if LANES == 16 && Y_STRIDE_T == 1
    if (count == LANES) {
        STORE(all, Y_data + Y_AT(s.b, s.q, s.d, bin, n));
        return;
    }
#endif
    STORE(all, each);
    for (int i = 0; i < count; i++)
        Y_SAVE(s.b, s.q, s.d, bin + i, n, each[i]);
}

INLINE void save_bins(global Y_TYPE *restrict Y_data, series s, int bin, int count, const bins *of)
{
    const float samples = BIN / s.ratio;
    const vec snr = of->snr;
    const ivec place = TO_INT(of->place), width = (ivec)1 << (place & 15);
    save_number(Y_data, s, bin, count, 0, snr);
    save_number(Y_data, s, bin, count, 1, snr > 0.0f ? TO_FLOAT((place >> 4) + 1 - width) : 0.0f);
    save_number(Y_data, s, bin, count, 2, snr > 0.0f ? TO_FLOAT(width) : 0.0f);
    save_number(Y_data, s, bin, count, 3, of->peaks);
    save_number(Y_data, s, bin, count, 4, samples);
    save_number(Y_data, s, bin, count, 5, of->bad);
    save_number(Y_data, s, bin, count, 6, of->unknown);
}

/* The largest S/N of each width, and of all of them, or 0. */
typedef struct heights {
    float each[FOURS] ALIGNED, highest;
} heights;

INLINE heights find_heights(const vec most[FOURS])
{
    const float scale[FOURS] = SCALES;
    heights of;
    float4 all = 0.0f;
#pragma unroll
    for (int log = 0; log < FOURS; log += 4) {
        const float4 snr = highest_of(most + log) * vload4(0, scale + log);
        vstore4(snr, 0, of.each + log);
        all = LARGER(snr, all);
    }
    const float2 two = LARGER(all.lo, all.hi);
    of.highest = LARGER(two.x, two.y);
    return of;
}

/* Of bin number i the largest S/N, and the smallest place that has it. */
INLINE void choose_boxcar(bins *to, int i, const boxcars *of, int vectors, const vec most[FOURS])
{
    const float scale[] = SCALES;
    const heights snr = find_heights(most);
    float place = INFINITY;
    for (int log = 0; log < WIDTHS && snr.highest > 0; log++) {
        if (snr.each[log] != snr.highest) continue;
        vec at = INFINITY;
#pragma unroll
        for (int k = vectors - 1; k >= 0; k--)
            at = SUMS(of, log, k) * scale[log] == snr.highest
                     ? (vec)(16.0f * LANES * k) + 16.0f * PLACES
                     : at;
        place = SMALLER(lowest(at) + log, place);
    }
    LANE(to->snr, i) = snr.highest;
    LANE(to->place, i) = snr.highest > 0 ? place : 0;
    LANE(to->peaks, i) = 0;
    if (snr.highest < P_THRESHOLD) return;
    float best[BIN] ALIGNED;
    for (int k = 0; k < vectors; k++)
        HELD(best + k * LANES) = choose_widths(of, k).snr;
    LANE(to->peaks, i) = count_peaks(best, vectors * LANES);
}

/* What is left out of bin number i. */
INLINE void count_left_out(bins *to, int i, global const X_TYPE *restrict X_data, series s, int own,
                           int each, noise of, bool rough)
{
    const int bad = rough ? count_bad(X_data, s, own, each) : 0;
    LANE(to->bad, i) = bad;
    LANE(to->unknown, i) = of.scale > 0 ? 0 : each - bad;
}

/* Takes what follows sample `own`, in whole vectors. */
INLINE void take_samples(boxcars *of, vec most[FOURS], global const X_TYPE *restrict X_data,
                         series s, int own, int count, noise by, bool rough STREAM_ARGS)
{
    vec level[BIN / LANES];
#pragma unroll
    for (int k = 0; k < count / LANES; k++)
        level[k] = level_samples(X_data, s, own + k * LANES, by, rough STREAM);
    take_boxcars(of, level, count, most);
}

#if RAGGED > 0
/* Bins that end within a vector: `each` own samples, of at most RAGGED. */
INLINE void search_ragged(bins *to, boxcars *boxes, vec most[FOURS], global const X_TYPE *restrict X_data, series s,
                          int own, int each, int count, noise by, const uchar *rough STREAM_ARGS)
{
    float best[RAGGED * LANES] ALIGNED, width[RAGGED * LANES] ALIGNED;
    for (int k = 0; k < count * each; k += LANES) {
        const bool is = rough[k / each] || rough[min(k + LANES - 1, count * each - 1) / each];
        take_samples(boxes, most, X_data, s, own + k, LANES, by, is STREAM);
        const strongest now = choose_widths(boxes, 0);
        HELD(best + k) = now.snr;
        HELD(width + k) = now.width;
    }
    for (int i = 0; i < count; i++) {
        const float *of = best + i * each;
        int last = 0;
        for (int k = 1; k < each; k++)
            last = of[k] > of[last] ? k : last;
        LANE(to->snr, i) = of[last] > 0 ? of[last] : 0;
        LANE(to->place, i) = last * 16 + width[i * each + last];
        LANE(to->peaks, i) = of[last] >= P_THRESHOLD ? count_peaks(of, each) : 0;
        count_left_out(to, i, X_data, s, own + i * each, each, by, rough[i]);
    }
}
#endif

/* Bins of whole vectors; nearly always each sample is one of the trial's own. */
INLINE void search_whole(bins *to, boxcars *boxes, vec most[FOURS], global const X_TYPE *restrict X_data, series s,
                         int own, int each, int count, noise by, const uchar *rough STREAM_ARGS)
{
    for (int i = 0; i < count; i++) {
        const int first = own + i * each;
        if (FEW_VECTORS && s.ratio == 1 && !rough[i]) {
            take_samples(boxes, most, X_data, s, first, BIN, by, false STREAM);
            choose_boxcar(to, i, boxes, BIN / LANES, most);
        } else {
            take_samples(boxes, most, X_data, s, first, each, by, rough[i] STREAM);
            choose_boxcar(to, i, boxes, each / LANES, most);
        }
        count_left_out(to, i, X_data, s, first, each, by, rough[i]);
    }
}

/* Bins of one group from number `first` on. Boxcars that begin before have the group's noise, too. */
INLINE void search_bins(global const X_TYPE *restrict X_data, global const Z_TYPE *restrict Z_data,
                        global Y_TYPE *restrict Y_data, series s, int first, int count,
                        noise of STREAM_ARGS)
{
    const int each = BIN / s.ratio, from = OVERLAP / s.ratio + first * each;
    boxcars boxes;
    uchar rough[LANES];
    vec most[FOURS];
    boxes.step = 0;
    for (int i = 0; i < RING; i++)
        boxes.ring[i] = 0.0f;
    for (int log = 0; log < WIDTHS; log++)
        SUMS(&boxes, log, -1) = 0.0f;
    for (int log = 0; log < FOURS; log++)
        most[log] = 0.0f;
    for (int own = from - BEFORE; own < from; own += LANES) {
        const bool is = is_rough(Z_data, s, own, of) || is_rough(Z_data, s, own + LANES - 1, of);
        take_samples(&boxes, most, X_data, s, own, LANES, of, is STREAM);
    }
    for (int i = 0; i < count; i += LANES) {
        const int taken = min(LANES, count - i), own = from + i * each;
        bins found = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        for (int k = 0; k < taken; k++)
            rough[k] = is_rough(Z_data, s, own + k * each, of);
#if RAGGED > 0
        if (each % LANES != 0)
            search_ragged(&found, &boxes, most, X_data, s, own, each, taken, of, rough STREAM);
        else
#endif
            search_whole(&found, &boxes, most, X_data, s, own, each, taken, of, rough STREAM);
        save_bins(Y_data, s, first + i, taken, &found);
    }
}

/* ---- a work-item */

/* It searches TILES_T parts of a series, group after group. */
kernel void pulses(CT_ARGS)
{
    const int b = (int)get_global_id(2) / X_N_Q, q = (int)get_global_id(2) % X_N_Q;
    const int d = get_global_id(0), part = (int)get_global_id(1) * TILES_T;
    const int end = min(part + TILES_T, PARTS - (SPAN - WINDOW));
    const series s = {b, q, d, RATIO(d)};
    for (int at = part; at < end;) {
        const int count = min(WINDOW - at % WINDOW, end - at);
        search_bins(X_data, Z_data, Y_data, s, at * (PART / BIN), count * (PART / BIN),
                    noise_of(G_data, s, at / WINDOW) STREAM);
        at += count;
    }
}
#endif
