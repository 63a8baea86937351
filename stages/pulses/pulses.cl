/* pulses.cl: the search for single pulses: of each bin the strongest boxcar. Lanes are neighbours
 * in time. Sums stay until the bin's strongest is known: only then is looked for where it is.
 * Room: stages/pulses. Knows coordinates, lengths from pulses_emit.c, pulses_units.cl, pulses_noise.cl,
 * pulses_boxcars.cl. */
#if WG == 1 /* else pulses_group.cl has all kernels */

/* ---- levels */

#define BEFORE ((HALO + LANES - 1) / LANES * LANES) /* own samples that boxcars begin before */

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
INLINE vec level_rough(global const X_TYPE *restrict X_data, series s, int own, noise of STREAM_ARGS)
{
    const vec x = load_samples(X_data, s, own), level = (x - of.median) * of.scale;
    const vec low = SMALLER(level, MOST_SIGMAS), near = LARGER(low, -MOST_SIGMAS);
    float each[LANES];
    STORE(IS_FINITE(x) ? near : 0.0f, each);
    AS_WRITTEN
    for (int i = 0; i < LANES; i++)
        if (IS_OUTSIDE(s.b, TIME_OF(s, own + i))) each[i] = 0;
    return LOAD(each);
}

/* ---- bins */

/* How often S/N rises to the threshold. */
INLINE int count_peaks(const float *best, int count)
{
    int peaks = 0, before = 0;
    AS_WRITTEN
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
    AS_WRITTEN
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
    AS_WRITTEN
    for (int i = 0; i < count; i++)
        Y_SAVE(s.b, s.q, s.d, bin + i, n, each[i]);
}

INLINE void save_bins(global Y_TYPE *restrict Y_data, series s, int bin, int count, const bins *of)
{
    const float samples = BIN / s.ratio;
    const ivec place = TO_INT(of->place), width = (ivec)1 << (place & 15), is = of->snr > 0.0f;
    const vec all[] = {of->snr, is ? TO_FLOAT((place >> 4) + 1 - width) : 0.0f, is ? TO_FLOAT(width) : 0.0f, of->peaks,
                       samples, of->bad, of->unknown};
    AS_WRITTEN
    for (int n = 0; n < (int)(sizeof all / sizeof *all); n++)
        save_number(Y_data, s, bin, count, n, all[n]);
}

/* Of bin number i of a batch the smallest place of `highest` in sums of these widths, a bit each: in each lane. */
INLINE vec find_places(const boxcars *of, int i, int vectors, int widths, float highest)
{
    const float scale[] = SCALES;
    vec place = INFINITY;
    AS_WRITTEN
    do {
        const int log = 31 - clz(widths);
        vec at = INFINITY;
        widths ^= 1 << log;
        UNROLL
        for (int k = vectors - 1; k >= 0; k--)
            at = SUMS(of, log, i * vectors + k) * scale[log] == highest ? (vec)(float)k : at;
        place = SMALLER(at * (16.0f * LANES) + (16.0f * PLACES + (float)log), place);
    } while (widths != 0);
    return place;
}

INLINE int count_peaks_of(const boxcars *of, int i, int vectors)
{
    float best[BIN] ALIGNED;
    AS_WRITTEN
    for (int k = 0; k < vectors; k++)
        HELD(best + k * LANES) = choose_widths(of, i * vectors + k).snr;
    return count_peaks(best, vectors * LANES);
}

/* Of the bins of a batch, number `first` and so on, the largest S/N, and the smallest place that has it. */
INLINE void choose_boxcars(bins *to, int first, const boxcars *of, int count, int vectors)
{
    const float scale[] = SCALES;
    vec snr[WIDTHS], highest = 0.0f, places[LANES];
    ivec widths = 0;
    AS_WRITTEN
    for (int log = 0; log < WIDTHS; log++) {
        snr[log] = fold_largest(of->most[log]) * scale[log];
        highest = LARGER(snr[log], highest);
    }
    for (int log = 0; log < WIDTHS; log++)
        widths |= snr[log] == highest ? (ivec)(1 << log) : (ivec)0;
    AS_WRITTEN
    for (int i = 0; i < LANES; i++) {
        places[i] = 0.0f;
        if (i < count && LANE(highest, i) > 0)
            places[i] = find_places(of, i, vectors, ILANE(widths, i), LANE(highest, i));
    }
    const vec place = fold_smallest(places);
    AS_WRITTEN
    for (int i = 0; i < count; i++) {
        const float most = LANE(highest, i);
        LANE(to->snr, first + i) = most;
        LANE(to->place, first + i) = LANE(place, i);
        LANE(to->peaks, first + i) = most >= P_THRESHOLD ? count_peaks_of(of, i, vectors) : 0;
    }
}

/* What is left out of bin number i. */
INLINE void count_left_out(bins *to, int i, global const X_TYPE *restrict X_data, series s, int own,
                           int each, noise of, bool rough)
{
    const int bad = rough ? count_bad(X_data, s, own, each) : 0;
    LANE(to->bad, i) = bad;
    LANE(to->unknown, i) = of.scale > 0 ? 0 : each - bad;
}

/* The levels of what follows sample `own`, as bin number i. */
INLINE void take_levels(boxcars *of, int i, int vectors, global const X_TYPE *restrict X_data, series s, int own,
                        noise by, bool rough STREAM_ARGS)
{
    if (rough) {
        AS_WRITTEN
        for (int k = 0; k < vectors; k++)
            SUMS(of, 0, i * vectors + k) = level_rough(X_data, s, own + k * LANES, by STREAM);
        return;
    }
    UNROLL
    for (int k = 0; k < vectors; k++)
        SUMS(of, 0, i * vectors + k) = (load_samples(X_data, s, own + k * LANES) - by.median) * by.scale;
}

/* Of some vectors of samples, as bins of their own. */
INLINE void take_vectors(boxcars *of, int count, global const X_TYPE *restrict X_data, series s, int own, noise by,
                         bool rough STREAM_ARGS)
{
    AS_WRITTEN
    for (int i = 0; i < count; i++)
        take_levels(of, i, 1, X_data, s, own + i * LANES, by, rough STREAM);
    take_boxcars(of, count, 1, what_follows(X_data, s, own));
}

#if RAGGED > 0
/* Bins that end within a vector: `each` own samples, of at most RAGGED. */
INLINE void search_ragged(bins *to, boxcars *boxes, global const X_TYPE *restrict X_data, series s,
                          int own, int each, int count, noise by, const uchar *rough STREAM_ARGS)
{
    float best[RAGGED * LANES] ALIGNED, width[RAGGED * LANES] ALIGNED;
    bool is = false;
    AS_WRITTEN
    for (int i = 0; i < count; i++)
        is = is || rough[i];
    AS_WRITTEN
    for (int k = 0; k < count * each; k += LANES * LANES) {
        const int vectors = min(LANES, (count * each - k + LANES - 1) / LANES);
        take_vectors(boxes, vectors, X_data, s, own + k, by, is STREAM);
        AS_WRITTEN
        for (int n = 0; n < vectors; n++) {
            const strongest now = choose_widths(boxes, n);
            HELD(best + k + n * LANES) = now.snr;
            HELD(width + k + n * LANES) = now.width;
        }
    }
    AS_WRITTEN
    for (int i = 0; i < count; i++) {
        const float *of = best + i * each;
        int last = 0;
        AS_WRITTEN
        for (int k = 1; k < each; k++)
            last = of[k] > of[last] ? k : last;
        LANE(to->snr, i) = of[last] > 0 ? of[last] : 0;
        LANE(to->place, i) = last * 16 + width[i * each + last];
        LANE(to->peaks, i) = of[last] >= P_THRESHOLD ? count_peaks(of, each) : 0;
        count_left_out(to, i, X_data, s, own + i * each, each, by, rough[i]);
    }
}
#endif

/* Bins of whole vectors, of a batch. */
INLINE void search_batch(bins *to, int first, boxcars *boxes, global const X_TYPE *restrict X_data, series s, int own,
                         int vectors, int count, noise by, const uchar *rough STREAM_ARGS)
{
    AS_WRITTEN
    for (int i = 0; i < count; i++)
        take_levels(boxes, i, vectors, X_data, s, own + i * vectors * LANES, by, rough[i] STREAM);
    take_boxcars(boxes, count, vectors, what_follows(X_data, s, own));
    choose_boxcars(to, first, boxes, count, vectors);
    AS_WRITTEN
    for (int i = 0; i < count; i++)
        count_left_out(to, first + i, X_data, s, own + i * vectors * LANES, vectors * LANES, by, rough[i]);
}

/* Nearly always each sample is one of the trial's own. */
INLINE void search_whole(bins *to, boxcars *boxes, global const X_TYPE *restrict X_data, series s, int own, int each,
                         int count, noise by, const uchar *rough STREAM_ARGS)
{
    AS_WRITTEN
    for (int i = 0; i < count; i += BATCH) {
        const int taken = min(BATCH, count - i), from = own + i * each;
        if (FEW_VECTORS && IS_FINE(s))
            search_batch(to, i, boxes, X_data, s, from, BIN / LANES, taken, by, rough + i STREAM);
        else
            search_batch(to, i, boxes, X_data, s, from, each / LANES, taken, by, rough + i STREAM);
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
    for (int log = 0; log < WIDTHS; log++)
        for (int k = 0; k < FRONT; k++)
            SUMS(&boxes, log, -1 - k) = 0.0f;
    AS_WRITTEN
    for (int own = from - BEFORE; own < from; own += LANES * LANES) {
        const int vectors = min(LANES, (from - own) / LANES);
        bool is = false;
        AS_WRITTEN
        for (int n = 0; n < vectors * LANES; n += LANES)
            is = is || is_rough(Z_data, s, own + n, of) || is_rough(Z_data, s, own + n + LANES - 1, of);
        take_vectors(&boxes, vectors, X_data, s, own, of, is STREAM);
    }
    AS_WRITTEN
    for (int i = 0; i < count; i += LANES) {
        const int taken = min(LANES, count - i), own = from + i * each;
        bins found = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        AS_WRITTEN
        for (int k = 0; k < taken; k++)
            rough[k] = is_rough(Z_data, s, own + k * each, of);
#if RAGGED > 0
        if (each % LANES != 0)
            search_ragged(&found, &boxes, X_data, s, own, each, taken, of, rough STREAM);
        else
#endif
            search_whole(&found, &boxes, X_data, s, own, each, taken, of, rough STREAM);
        save_bins(Y_data, s, first + i, taken, &found);
    }
}

/* ---- a work-item */

/* It searches TILES_T parts of a series, group after group. */
ONCE void search_parts(global const X_TYPE *restrict X_data, global Y_TYPE *restrict Y_data, global const Z_TYPE *restrict Z_data,
                       global const G_TYPE *restrict G_data, series s, int part STREAM_ARGS)
{
    const int end = min(part + TILES_T, PARTS - (SPAN - WINDOW));
    AS_WRITTEN
    for (int at = part; at < end;) {
        const int count = min(WINDOW - at % WINDOW, end - at);
        search_bins(X_data, Z_data, Y_data, s, at * (PART / BIN), count * (PART / BIN),
                    noise_of(G_data, s, at / WINDOW) STREAM);
        at += count;
    }
}

kernel void pulses(CT_ARGS)
{
    const int part = (int)get_global_id(1) * TILES_T, d = get_global_id(0), each = PART / RATIO(d);
    const int before = OVERLAP / RATIO(d);
    const series s = {(int)get_global_id(2) / X_N_Q, (int)get_global_id(2) % X_N_Q, d, RATIO(d), before + part * each,
                      before + min(part + TILES_T, PARTS - (SPAN - WINDOW)) * each};
    search_parts(X_data, Y_data, Z_data, G_data, s, part STREAM);
}
#endif
