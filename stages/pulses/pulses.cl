/* pulses.cl: the search for single pulses: of each bin the strongest boxcar. Lanes are neighbours
 * in time; sums of twice as many samples are made from those in registers, and what 16 bins give is
 * brought together at once.
 * Room: stages/pulses. Knows coordinates, lengths from pulses_emit.c, pulses_noise.cl. */
#if WG == 1 /* else pulses_group.cl has all kernels */

/* ---- boxcars */

#define LOG_LANES (LANES == 16 ? 4 : 0)
#define BEFORE ((HALO + LANES - 1) / LANES * LANES) /* own samples that boxcars begin before */
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

/* The strongest boxcar that ends in each lane, of equal ones the narrowest: the logarithm of its
 * width. */
typedef struct strongest {
    vec snr, width;
} strongest;

INLINE void take_wider(strongest *of, vec sum, int width)
{
    const float scale[] = SCALES;
    const vec snr = sum * scale[width];
    const ivec larger = snr > of->snr;
    of->snr = larger ? snr : of->snr;
    of->width = larger ? (vec)(float)width : of->width;
}

/* Sums of twice as many are those of two neighbours: the earlier one came before, in this vector
 * and the one before it (`was`), or so many vectors ago (`ring`). */
#define WIDEN(log, LATER)                                                                          \
    if ((2 << log) <= P_WIDEST) {                                                                  \
        const vec wide = sum + LATER(was[log], sum);                                               \
        was[log] = sum;                                                                            \
        sum = wide;                                                                                \
        take_wider(&of, sum, log + 1);                                                             \
    }

INLINE strongest take_boxcars(vec level, vec was[4], vec ring[RING], int step)
{
    strongest of = {level, 0.0f};
    vec sum = level;
#if LANES == 16
    WIDEN(0, LATER1)
    WIDEN(1, LATER2)
    WIDEN(2, LATER4)
    WIDEN(3, LATER8)
#endif
    for (int log = LOG_LANES; (2 << log) <= P_WIDEST; log++) {
        const int ago = (1 << log) / LANES, at = ago - 1 + (step & (ago - 1));
        const vec wide = sum + ring[at];
        ring[at] = sum;
        sum = wide;
        take_wider(&of, sum, log + 1);
    }
    return of;
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

/* The largest S/N of each bin, and the smallest place that has it. */
INLINE void choose_places(bins *to, const vec most[LANES], vec place[LANES])
{
    to->snr = fold_largest(most);
    for (int i = 0; i < LANES; i++)
        place[i] = most[i] == LANE(to->snr, i) ? place[i] : INFINITY;
    to->place = fold_smallest(place);
}

/* What is left out of bin number i. */
INLINE void count_left_out(bins *to, int i, global const X_TYPE *restrict X_data, series s, int own,
                           int each, noise of, bool rough)
{
    const int bad = rough ? count_bad(X_data, s, own, each) : 0;
    LANE(to->bad, i) = bad;
    LANE(to->unknown, i) = of.scale > 0 ? 0 : each - bad;
}

#if RAGGED > 0
/* Bins that end within a vector: `each` own samples, of at most RAGGED. */
INLINE void search_ragged(bins *to, global const X_TYPE *restrict X_data, series s, int own,
                          int each, int count, vec was[4], vec ring[RING], int *step,
                          noise of, const uchar *rough STREAM_ARGS)
{
    float best[RAGGED * LANES] ALIGNED, width[RAGGED * LANES] ALIGNED;
    for (int k = 0; k < count * each; k += LANES) {
        const bool each_is = rough[k / each] || rough[min(k + LANES - 1, count * each - 1) / each];
        const vec level = level_samples(X_data, s, own + k, of, each_is STREAM);
        const strongest now = take_boxcars(level, was, ring, (*step)++);
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
        count_left_out(to, i, X_data, s, own + i * each, each, of, rough[i]);
    }
}
#endif

/* Bins of whole vectors. */
INLINE void search_whole(bins *to, global const X_TYPE *restrict X_data, series s, int own,
                         int each, int count, vec was[4], vec ring[RING], int *step,
                         noise of, const uchar *rough STREAM_ARGS)
{
    vec most[LANES], place[LANES];
#if LANES == 16
    vec best[BIN / LANES];
#else
    float before = -INFINITY;
#endif
    for (int i = 0; i < LANES; i++)
        most[i] = place[i] = 0.0f;
    for (int i = 0; i < count; i++) {
        const int first = own + i * each;
        vec largest = 0.0f, at = 0.0f;
        float place_of = 0;
        for (int k = 0; k < each; k += LANES) {
            const vec level = level_samples(X_data, s, first + k, of, rough[i] STREAM);
            const strongest now = take_boxcars(level, was, ring, (*step)++);
            const ivec larger = now.snr > largest;
            largest = larger ? now.snr : largest;
            at = larger ? now.width + place_of : at;
            place_of += 16 * LANES;
#if LANES == 16
            best[k / LANES] = now.snr;
        }
        LANE(to->peaks, i) = ANY(largest >= P_THRESHOLD) ? count_peaks((float *)best, each) : 0;
#else
            LANE(to->peaks, i) += now.snr >= P_THRESHOLD && before < P_THRESHOLD ? 1 : 0;
            before = now.snr;
        }
#endif
        most[i] = largest;
        place[i] = at + 16.0f * PLACES;
        count_left_out(to, i, X_data, s, first, each, of, rough[i]);
    }
    choose_places(to, most, place);
}

/* Bins of one group from number `first` on. Boxcars that begin before have the group's noise, too. */
INLINE void search_bins(global const X_TYPE *restrict X_data, global const Z_TYPE *restrict Z_data,
                        global Y_TYPE *restrict Y_data, series s, int first, int count,
                        noise of STREAM_ARGS)
{
    const int each = BIN / s.ratio, from = OVERLAP / s.ratio + first * each;
    vec was[4] = {0.0f, 0.0f, 0.0f, 0.0f}, ring[RING];
    uchar rough[LANES];
    int step = 0;
    for (int i = 0; i < RING; i++)
        ring[i] = 0.0f;
    for (int own = from - BEFORE; own < from; own += LANES) {
        const bool is = is_rough(Z_data, s, own, of) || is_rough(Z_data, s, own + LANES - 1, of);
        (void)take_boxcars(level_samples(X_data, s, own, of, is STREAM), was, ring, step++);
    }
    for (int i = 0; i < count; i += LANES) {
        const int taken = min(LANES, count - i), own = from + i * each;
        bins found = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        for (int k = 0; k < taken; k++)
            rough[k] = is_rough(Z_data, s, own + k * each, of);
#if RAGGED > 0
        if (each % LANES != 0)
            search_ragged(&found, X_data, s, own, each, taken, was, ring, &step, of, rough STREAM);
        else
#endif
            search_whole(&found, X_data, s, own, each, taken, was, ring, &step, of, rough STREAM);
        save_bins(Y_data, s, first + i, taken, &found);
    }
}

/* ---- a work-item */

/* It searches TILES_T parts of a series, group after group. */
kernel void pulses(CT_ARGS)
{
    const int b = (int)get_global_id(2) / X_N_Q, q = (int)get_global_id(2) % X_N_Q;
    const int d = get_global_id(1), part = (int)get_global_id(0) * TILES_T;
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
