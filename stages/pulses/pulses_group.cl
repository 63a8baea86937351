/* pulses_group.cl: the search for single pulses where work-groups share the work. A group takes BINS bins of
 * TRIALS trials: levels come to local memory, neighbours in the input's order by neighbouring work-items. A
 * work-item has a run of 16 samples and makes sums of up to 16 of these and of the run before, all in
 * registers; wider ones are made with what a work-item so many runs before has. What is strongest in each
 * sample goes back to local memory, where SHARES work-items look for the strongest of a bin. All indices of
 * registers are literals. Put after pulses_group_noise.cl.
 * Room: stages/pulses. Knows coordinates, and lengths from pulses_emit.c and pulses_group.c. */

#define RUN 16
#define RUN_STRIDE (RUN + 1) /* so that work-items that read theirs meet in no bank */
#define RUNS (WG / TRIALS)   /* of a trial: a work-item has one */
#define HEAD (RUN * (RUNS_BEFORE + 1)) /* samples before the first bin's */
#define LEVELS_STRIDE (RUN_STRIDE * (RUNS + 1))
#define GROUP_BINS (WINDOW * PART / BIN)
#define TILE_PARTS (PART_OF_TIME(BINS * BIN + HEAD * COARSE) + 2)
#define PART_OF_TIME(t) ((t) / PART)

/* A tile: which trials and bins, and what its work-items share. */
typedef struct tile {
    int plane, d, group, first, count; /* of bins: the first one, and how many */
    local float *levels;
    local uint *widths; /* of a run: logarithms of 16 widths, in two words */
    local float *median, *scale;
    local int *rough, *bad;
    local float *snr; /* of a share of a bin: the strongest, its place, peaks */
    local int *at, *peaks;
} tile;

/* Where sample j of a trial lies. */
INLINE int level_at(int trial, int j)
{
    return trial * LEVELS_STRIDE + j + (int)((uint)j / RUN);
}

/* ---- levels */

INLINE series series_of(tile of, global const RATIO_TYPE *RATIO_data, int trial)
{
    return SERIES(of.plane, min(of.d + trial, X_N_D - 1));
}

/* The own sample that lies at the tile's beginning. */
INLINE int first_of(tile of, series s)
{
    return (OVERLAP + of.first * BIN) / s.ratio - HEAD;
}

/* The noise of each trial; whether it is so little that there may be too many sigmas. */
INLINE void load_noise(tile of, global const G_TYPE *restrict G_data, int item)
{
    for (int i = item; i < TRIALS * BINS; i += WG)
        of.bad[i] = 0;
    for (int i = item; i < TRIALS; i += WG) {
        const int d = min(of.d + i, X_N_D - 1);
        const float median = G(of.plane, of.group, OF_MEDIAN, d);
        const float scale = G(of.plane, of.group, OF_SCALE, d);
        of.median[i] = median;
        of.scale[i] = scale;
        of.rough[i] = !(scale <= CALM_SCALE && median <= CALM_MEAN && median >= -CALM_MEAN);
    }
}

/* Whether each sample of a trial has to be looked at: something is the matter in one of its parts. */
INLINE void look_at_parts(tile of, global const Z_TYPE *restrict Z_data,
                          global const RATIO_TYPE *RATIO_data, int item)
{
    for (int i = item; i < TRIALS * TILE_PARTS; i += WG) {
        const series s = series_of(of, RATIO_data, i % TRIALS);
        const int first = PART_OF_TIME(first_of(of, s) * s.ratio), part = first + i / TRIALS;
        const int last = PART_OF_TIME(OVERLAP + (of.first + of.count) * BIN - 1);
        if (part <= last && Z(PLANE(s), part, OF_ROUGH, s.d) > 0) atomic_or(&of.rough[i % TRIALS], 1);
    }
}

/* 0 where a sample is not finite or outside the stream. */
INLINE float rough_level(tile of, float x, int trial, int j, series s STREAM_ARGS)
{
    const float level = (x - of.median[trial]) * of.scale[trial];
    if (!IS_FINITE(x) && j >= HEAD) atomic_inc(&of.bad[trial * BINS + (j - HEAD) / (BIN / s.ratio)]);
    if (!IS_FINITE(x) || !(of.scale[trial] > 0) ||
        IS_OUTSIDE(s.b, TIME_OF(s, first_of(of, s) + j)))
        return 0;
    return clamp(level, -MOST_SIGMAS, MOST_SIGMAS);
}

/* Sigmas above the median: of a trial, every `step` samples from number `from` on. */
INLINE void load_levels(tile of, global const X_TYPE *restrict X_data,
                        global const RATIO_TYPE *RATIO_data, int trial, int from,
                        const int step STREAM_ARGS)
{
    const series s = series_of(of, RATIO_data, trial);
    const int first = first_of(of, s), length = HEAD + of.count * (BIN / s.ratio);
    const float median = of.median[trial], scale = of.scale[trial];
    if (of.rough[trial]) {
        for (int j = from; j < length; j += step)
            of.levels[level_at(trial, j)] =
                rough_level(of, X(s.b, s.q, s.d, TIME_OF(s, first + j)), trial, j, s STREAM);
        return;
    }
#pragma unroll 4
    for (int j = from; j < length; j += step)
        of.levels[level_at(trial, j)] = (X(s.b, s.q, s.d, TIME_OF(s, first + j)) - median) * scale;
}

/* ---- boxcars */

/* The strongest boxcar that ends in each sample of a run, of equal ones the narrowest: the logarithm of
 * its width. */
typedef struct strongest {
    float snr[RUN];
    uint width[RUN];
} strongest;

INLINE void take_wider(strongest *of, const float sum[RUN], int width)
{
    const float scale[] = SCALES;
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        const float snr = sum[k] * scale[width];
        const bool larger = snr > of->snr[k];
        of->snr[k] = larger ? snr : of->snr[k];
        of->width[k] = larger ? (uint)width : of->width[k];
    }
}

/* Sums of twice as many are those of two neighbours; of the run before so many are right. */
#define WIDEN(log)                                                                                 \
    if ((2 << log) <= P_WIDEST) {                                                                  \
        _Pragma("unroll") for (int k = 2 * RUN - 1; k >= (2 << log); k--) sum[k] += sum[k - (1 << log)]; \
        take_wider(&of, sum + RUN, log + 1);                                                       \
    }

/* Of up to 16 samples; leaves the sums of a run's samples with those before. */
INLINE strongest take_narrow(float sum[2 * RUN])
{
    strongest of;
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        of.snr[k] = sum[RUN + k];
        of.width[k] = 0;
    }
    WIDEN(0)
    WIDEN(1)
    WIDEN(2)
    WIDEN(3)
    return of;
}

/* Of more: with sums of runs before. `run` is the work-item's own. */
INLINE void take_wide(strongest *of, float *sum, local float *run, int number)
{
#pragma unroll
    for (int log = 4; (2 << log) <= P_WIDEST; log++) {
        const int ago = 1 << (log - 4);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < RUN; k++)
            run[k] = sum[k];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < RUN; k++)
            sum[k] += number >= ago ? run[k - ago * RUN_STRIDE] : 0.0f;
        take_wider(of, sum, log + 1);
    }
}

/* The work-item's run. */
INLINE void search_run(tile of, int item)
{
    local float *before = of.levels + item / RUNS * LEVELS_STRIDE + item % RUNS * RUN_STRIDE;
    local float *run = before + RUN_STRIDE;
    float sum[2 * RUN];
    uint low = 0, high = 0;
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        sum[k] = before[k];
        sum[RUN + k] = run[k];
    }
    strongest found = take_narrow(sum);
    take_wide(&found, sum + RUN, run, item % RUNS);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < RUN; k++)
        run[k] = found.snr[k];
#pragma unroll
    for (int k = 0; k < RUN / 2; k++) {
        low |= found.width[k] << (4 * k);
        high |= found.width[k + RUN / 2] << (4 * k);
    }
    of.widths[2 * item] = low;
    of.widths[2 * item + 1] = high;
}

/* ---- bins */

/* How often S/N rises to the threshold in a share of a bin. */
INLINE int count_peaks(tile of, int trial, int first, int share, int each)
{
    int peaks = 0;
    for (int i = share; i < each; i += SHARES) {
        const bool now = of.levels[level_at(trial, first + i)] >= P_THRESHOLD;
        const bool before = i > 0 && of.levels[level_at(trial, first + i - 1)] >= P_THRESHOLD;
        peaks += now && !before ? 1 : 0;
    }
    return peaks;
}

/* The strongest of a share of a bin, of equal ones the first. */
INLINE void search_share(tile of, global const RATIO_TYPE *RATIO_data, int item)
{
    const int number = item / SHARES, share = item % SHARES, trial = number / BINS;
    if (trial >= TRIALS || number % BINS >= of.count) return;
    const int each = BIN / series_of(of, RATIO_data, trial).ratio;
    const int first = HEAD + number % BINS * each;
    float largest = 0;
    int at = 0;
    for (int i = share; i < each; i += SHARES) {
        const float snr = of.levels[level_at(trial, first + i)];
        at = snr > largest ? i : at;
        largest = snr > largest ? snr : largest;
    }
    of.snr[item] = largest;
    of.at[item] = at;
    of.peaks[item] = largest >= P_THRESHOLD ? count_peaks(of, trial, first, share, each) : 0;
}

/* Brings a bin's shares together in the first one. */
INLINE void join_shares(tile of, int share)
{
    for (int k = share + 1; k < share + SHARES; k++) {
        const bool larger = of.snr[k] > of.snr[share];
        const bool sooner = of.snr[k] == of.snr[share] && of.at[k] < of.at[share];
        of.snr[share] = larger ? of.snr[k] : of.snr[share];
        of.at[share] = larger || sooner ? of.at[k] : of.at[share];
        of.peaks[share] += of.peaks[k];
    }
}

INLINE void save_bin(tile of, global Y_TYPE *restrict Y_data, series s, int trial, int bin)
{
    const int number = trial * BINS + bin, each = BIN / s.ratio, share = number * SHARES;
    const int at = of.at[share], j = HEAD + bin * each + at;
    const uint word = of.widths[2 * (trial * RUNS + j / RUN - 1) + j % RUN / 8];
    const int width = 1 << ((word >> (j % 8 * 4)) & 15);
    const float snr = of.snr[share];
    const float number_of[] = {snr,
                               snr > 0 ? at + 1 - width : 0,
                               snr > 0 ? width : 0,
                               of.peaks[share],
                               each,
                               of.bad[number],
                               of.scale[trial] > 0 ? 0 : each - of.bad[number]};
#pragma unroll
    for (int n = 0; n < 7; n++)
        Y_SAVE(s.b, s.q, s.d, of.first + bin, n, number_of[n]);
}

/* Neighbouring work-items save neighbours in the output's order. */
INLINE void save_bins(tile of, global Y_TYPE *restrict Y_data, global const RATIO_TYPE *RATIO_data,
                      int item)
{
#if Y_STRIDE_D == 1
    const int trial = item % TRIALS, bin = item / TRIALS;
#else
    const int trial = item / BINS, bin = item % BINS;
#endif
    if (trial >= TRIALS || bin >= of.count || of.d + trial >= X_N_D) return;
    join_shares(of, (trial * BINS + bin) * SHARES);
    save_bin(of, Y_data, series_of(of, RATIO_data, trial), trial, bin);
}

kernel void pulses(CT_ARGS)
{
    local float levels[TRIALS * LEVELS_STRIDE], snr[WG], median[TRIALS], scale[TRIALS];
    local uint widths[2 * WG];
    local int at[WG], peaks[WG], rough[TRIALS], bad[TRIALS * BINS];
    const int item = get_local_id(0), group = (int)get_group_id(0) / TILES;
    const int part = (int)get_group_id(0) % TILES * BINS;
    const tile of = {get_global_id(2), (int)get_group_id(1) * TRIALS, group,
                     group * GROUP_BINS + part, min(BINS, GROUP_BINS - part), levels, widths,
                     median, scale, rough, bad, snr, at, peaks};
    load_noise(of, G_data, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    look_at_parts(of, Z_data, RATIO_data, item);
    barrier(CLK_LOCAL_MEM_FENCE);
#if X_STRIDE_D == 1
    load_levels(of, X_data, RATIO_data, item % TRIALS, item / TRIALS, RUNS STREAM);
#else
    for (int trial = 0; trial < TRIALS; trial++)
        load_levels(of, X_data, RATIO_data, trial, item, WG STREAM);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    search_run(of, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    search_share(of, RATIO_data, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    save_bins(of, Y_data, RATIO_data, item);
}
