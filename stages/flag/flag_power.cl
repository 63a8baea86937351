/* flag_power.cl: power, first launch. A work-item, or a group of them, packs one window of TILE_C channels, stores
 * it as it is, and judges samples and runs of them by the channel's median. Whether what stands out is flagged
 * depends on other channels, too: flag_channels.cl. flag_emit.c defines PART (samples, a multiple of RUN)
 * and PARTS (of a window). */

#define RUN 16                   /* samples whose mean is judged */
#define STANDS_OUT (2.0f / 3.0f) /* of a threshold: what is so far from the median may be part of a burst */
#define CLIP 3.0f                /* standard deviations to which samples are clipped for a channel's statistics */

/* In F until the last launch: what is flagged whatever other channels have, and what is flagged unless it is
 * part of a burst. */
#define SURELY 1
#define PERHAPS 2
/* In HOT, of the samples of a part: some stand out; some are PERHAPS. */
#define STANDS 1
#define ASKS 2

/* Sums over a window: of clipped distances from the median, and of their squares; of all, for kurtosis. */
typedef struct {
    lanes first, second, all, squares;
} window_sums;

/* Of a column: its median, the standard deviation after its median distance, how many samples it has. From
 * where on samples and sums of runs are flagged (of the latter times the root of the number of samples), and
 * where clipping begins. */
typedef struct {
    lanes middle, single, run, clip;
    whole count;
} levels;

/* How many samples of each column there are. */
static inline whole count_present(PRESENT_ARGS, const int series, const int first, const int c)
{
#if HAVE_M && LANES > 1
    int all = 0;
    if (M_STRIDE_C == 0) {
        for (int row = 0; row < ROWS; row++)
            all += M(M_N_S > 1 ? series : 0, first + row, 0) == 0;
        return all;
    }
#endif
    whole count = 0;
    for (int row = 0; row < ROWS; row++)
        count -= PRESENT(series, first + row, c);
    return count;
}

/* Powers of a column, and what they are from its median: bytes as they are, others as distances once the median is known,
 * NaN where they are missing or no number. */
#if BYTES
typedef const column *powers;
#define AWAY(x, row) away_from_middle(x, row)
#define IS_THERE(away, row) (complete ? (whole)-1 : PRESENT(series, first + (row), c))
#else
typedef A_SPACE lanes *powers;
#define AWAY(x, row) (x)[(row) * (TILE_C / LANES)]
#define IS_THERE(away, row) (complete ? (whole)-1 : MASK(away == away))

#if !BINS
static inline whole take_present(A_SPACE lanes *x, PRESENT_ARGS, const int series, const int first, const int c)
{
    whole count = 0;
#if !X_IS_f32 && !X_IS_f16
    count = count_present(PRESENT_DATA, series, first, c);
    if (!ANY(MASK(count != ROWS))) return count;
    count = 0;
#endif
    for (int row = 0; row < ROWS; row++) {
        A_SPACE lanes *of = x + row * (TILE_C / LANES);
        const whole is = PRESENT(series, first + row, c) & MASK(*of == *of);
        *of = is ? *of : (lanes)NAN;
        count -= is;
    }
    return count;
}
#elif HAVE_M
INLINE void leave_out_missing(A_SPACE lanes *x, PRESENT_ARGS, const int series, const int first, const int c)
{
    if (!ANY(MASK(count_present(PRESENT_DATA, series, first, c) != ROWS))) return;
    for (int row = 0; row < ROWS; row++)
        ROW(x, row) = PRESENT(series, first + row, c) ? ROW(x, row) : (lanes)NAN;
}
#endif
#endif

/* The median of powers, and that of distances from it. */
#if BYTES
__attribute__((noinline)) static void take_medians(lanes *middle, lanes *spread, column *x)
{
    x->middle = median_of_bytes(x, false) - 256;
    *middle = 0.5f * TO_LANES(x->middle) + MOVED;
    *spread = 0.25f * TO_LANES(median_of_bytes(x, true));
}
#elif !BINS
INLINE whole take_medians(lanes *middle, lanes *spread, A_SPACE lanes *x, PRESENT_ARGS, const int series,
                          const int first, const int c)
{
    const whole count = take_present(x, PRESENT_DATA, series, first, c);
    *middle = median(x, ROWS, count, 0, count, false);
    for (int row = 0; row < ROWS; row++)
        x[row * (TILE_C / LANES)] -= *middle;
    *spread = median(x, ROWS, count, 0, count, true);
    return count;
}
#endif

INLINE levels levels_of(const lanes middle, const lanes away, const whole count)
{
    levels of = {.middle = middle, .count = count};
    const lanes spread = away * 1.4826f;
    const whole has = MASK(spread > 0.0f), judged = MASK(count >= LEAST) & has;
    of.single = judged ? P_THRESHOLD * spread : (lanes)INFINITY;
    of.run = judged ? P_RUN_THRESHOLD * spread : (lanes)INFINITY;
    of.clip = has ? CLIP * spread : (lanes)INFINITY;
    return of;
}

/* What a run's rows are flagged by: -1 where all of them are, above or below the median; and where some row is by itself,
 * or missing. */
typedef struct {
    whole above, below, stands, some;
} verdict;

/* A number no further than `most` from 0. */
#define BETWEEN(x, most) SMALLER(LARGER(x, -(most)), most)
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

INLINE verdict judge_run(const powers x, const int from, const int end, const levels of,
                         window_sums *sums, const bool complete, PRESENT_ARGS,
                         const int series, const int first, const int c)
{
    lanes sum = 0.0f, least = 0.0f, greatest = 0.0f;
    whole count = 0, stands = 0, some = 0;
    for (int row = from; row < end; row++) {
        const lanes away = AWAY(x, row);
        const whole is = IS_THERE(away, row);
        const lanes here = is ? away : (lanes)0.0f;
        const lanes kept = BETWEEN(here, of.clip), within = BETWEEN(here, of.single);
        count -= is;
        sum += within;
#if GPU
        some |= ~is | MASK(within != here);
        stands |= MASK(here > STANDS_OUT * of.single);
#else
        least = SMALLER(here, least);
        greatest = LARGER(here, greatest);
#endif
        sums->first += kept;
        sums->second = fma(kept, kept, sums->second);
#if HAVE_LIMITS
        sums->all += here;
        sums->squares = fma(here, here, sums->squares);
#endif
    }
#if !GPU
    some = MASK(least < -of.single) | MASK(greatest > of.single) | MASK(count != end - from);
    stands = MASK(greatest > STANDS_OUT * of.single);
#endif
    const lanes most = of.run * sqrt(TO_LANES(count));
    const whole enough = MASK(count >= RUN / 2);
    stands |= enough & MASK(sum > STANDS_OUT * most);
    return (verdict){enough & MASK(sum > most), enough & MASK(sum < -most), stands, some};
}

/* Statistics of the window that channels are compared by: standard deviation and mean, both of clipped samples;
 * whether spectral kurtosis is too small (1) or too large (2). */
INLINE void save_statistics(global STAT_TYPE *restrict STAT_data,
#if HAVE_LIMITS
                            global const LIMITS_TYPE *restrict LIMITS_data,
#endif
                            const levels of, const window_sums sums, const int series,
                            const int window, const int c)
{
    const lanes n = TO_LANES(of.count), mean = sums.first / n;
    const lanes variance = sums.second / n - mean * mean;
    const lanes deviation = sqrt(MASK(variance > 0.0f) ? variance : (lanes)0.0f), level = of.middle + mean;
    const float *deviations = (const float *)&deviation, *means = (const float *)&level;
    const int *count = (const int *)&of.count;
    for (int lane = 0; lane < LANES && c + lane < X_N_C; lane++) {
        STAT(series, 0, window, c + lane) = count[lane] >= LEAST ? deviations[lane] : NAN;
        STAT(series, 1, window, c + lane) = count[lane] >= LEAST ? means[lane] : NAN;
#if HAVE_LIMITS
        const float m = (float)count[lane], away = ((const float *)&sums.all)[lane] / m;
        const float power = ((const float *)&of.middle)[lane] + away;
        const float spread = ((const float *)&sums.squares)[lane] / m - away * away;
        const float kurtosis = (m * P_SHAPE + 1.0f) / (m - 1.0f) * spread / (power * power);
        const LIMITS_TYPE limit = LIMITS((int)((long)count[lane] * (LIMITS_N_K - 1) / P_WINDOW));
        STAT(series, 2, window, c + lane) = kurtosis < limit.x ? 1.0f : kurtosis > limit.y ? 2.0f : 0.0f;
#endif
    }
}

/* What is flagged of a run in which something is. */
static inline whole flag_run(global F_TYPE *restrict F_data, const powers x, const int from, const int end, const levels of,
                             const verdict run, const bool complete, PRESENT_ARGS, const int series, const int first,
                             const int c, const int s, const int again)
{
    whole asks = 0;
#pragma unroll 1 /* rare on CPUs; on GPUs it hides the loop that counts */
    for (int row = from; row < end; row++) {
        const lanes away = AWAY(x, row);
        const whole is = IS_THERE(away, row);
        whole code = (is & (run.below | MASK(away < -of.single))) & SURELY;
        code |= (is & (run.above | MASK(away > of.single))) & PERHAPS;
        if (ANY(~is)) code |= ~is & PRESENT(series, first + row, c) & SURELY;
        asks |= code;
        put(&F(s, first + row, c), F_STRIDE_C, c, code, again);
    }
    return asks;
}

/* A column's samples and runs. */
INLINE void judge(global F_TYPE *restrict F_data, global HOT_TYPE *restrict HOT_data, const powers x, const levels of,
                  window_sums *sums, const bool complete, PRESENT_ARGS, const int series, const int window, const int c,
                  const int s, const int again)
{
    const int first = window * P_WINDOW;
    for (int part = 0; part < PARTS; part++) {
        const int last = min((part + 1) * PART, ROWS);
        whole stands = 0, asks = 0;
        for (int from = part * PART; from < last; from += RUN) {
            const int end = min(from + RUN, last);
            const verdict run = judge_run(x, from, end, of, sums, complete, PRESENT_DATA, series, first, c);
            stands |= run.stands;
            if (GPU || ANY(run.above | run.below | run.some))
                asks |= flag_run(F_data, x, from, end, of, run, complete, PRESENT_DATA, series, first, c, s, again);
            else if (!again)
                for (int row = from; row < end; row++)
                    put(&F(s, first + row, c), F_STRIDE_C, c, 0, 0);
        }
        put(&HOT(s, window * PARTS + part, c), HOT_STRIDE_C, c, (stands & STANDS) | (asks & PERHAPS), again);
    }
}

/* Where the window is that comes after one of a series: of the next series, or else of the next channels, or else of the
 * next times. */
static inline global const X_TYPE *next_window(global const X_TYPE *restrict X_data, int series, int p, int first, int c,
                                               const int end)
{
    if (++p == X_N_P) p = 0, series++;
    if (series == end) series = F_N_S > 1 ? end - 1 : 0, c += TILE_C;
    if (c >= X_N_C) c -= get_group_id(0) * TILE_C + TILE_C, first += P_WINDOW;
    return &X(series, p, min(first, X_N_T - P_WINDOW), c);
}

kernel void flag_power(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    const int first_c = get_group_id(0) * TILE_C, window = get_group_id(1), s = get_group_id(2);
    const int begin = F_N_S > 1 ? s : 0, end = F_N_S > 1 ? s + 1 : X_N_S, first = window * P_WINDOW;
    int again = 0;
    for (int series = begin; series < end; series++)
        for (int p = 0; p < X_N_P; p++, again = 1) {
            PACK_A(a, series, p, first, first_c);
            CT_BARRIER;
            STORE_R(a, series, p, first, first_c);
            CT_BARRIER;
            for (int v = CT_LID; v < TILE_C / LANES; v += CT_ITEMS) {
                const int c = first_c + v * LANES;
                window_sums sums = {0.0f, 0.0f, 0.0f, 0.0f};
                lanes middle, away;
                if (c >= X_N_C) break;
#if BYTES
                column x;
                const whole count = count_present(PRESENT_DATA, series, first, c);
                take_bytes(&x, a + v * LANES, count, PRESENT_DATA, series, first, c);
                take_medians(&middle, &away, &x);
                const levels of = levels_of(middle, away, count);
                if (!ANY(MASK(count != ROWS)))
                    judge(F_data, HOT_data, &x, of, &sums, true, PRESENT_DATA, series, window, c, s, again);
                else
                    judge(F_data, HOT_data, &x, of, &sums, false, PRESENT_DATA, series, window, c, s, again);
#else
                A_SPACE lanes *x = (A_SPACE lanes *)a + v;
#if !BINS
                const whole count = take_medians(&middle, &away, x, PRESENT_DATA, series, first, c);
                const levels of = levels_of(middle, away, count);
                judge(F_data, HOT_data, x, of, &sums, false, PRESENT_DATA, series, window, c, s, again);
#else
                bool complete;
#if HAVE_M
                leave_out_missing(x, PRESENT_DATA, series, first, c);
#endif
                if (X_N_C % LANES != 0 && X_N_C - c < LANES) fill_lanes(x, X_N_C % LANES);
                const whole count = take_medians(&middle, &away, &complete, x, next_window(X_data, series, p, first, c, end));
                const levels of = levels_of(middle, away, count);
                if (complete)
                    judge(F_data, HOT_data, x, of, &sums, true, PRESENT_DATA, series, window, c, s, again);
                else
                    judge(F_data, HOT_data, x, of, &sums, false, PRESENT_DATA, series, window, c, s, again);
#endif
#endif
#if HAVE_LIMITS
                save_statistics(STAT_data, LIMITS_data, of, sums, series * X_N_P + p, window, c);
#else
                save_statistics(STAT_data, of, sums, series * X_N_P + p, window, c);
#endif
            }
            CT_BARRIER;
        }
}
