/* flag_bins.cl: medians of columns of floats on CPUs. Each number gets a byte, its bin, so that a greater number has no
 * smaller bin; flag_bytes.cl finds the bin of the median; and flag_median.cl the median among the few that are in it. Which
 * bins there are is guessed from a few rows. A bad guess leaves many numbers in a bin, and costs time only. */

#if BINS
#define GROUPS 8 /* of rows from which bins are guessed */
#define EACH 4

/* The bin of a number is a line of it. Both of these are finite, and the slope above 0, or else infinite numbers would have
 * no bin. */
typedef struct {
    lanes slope, offset;
} bins;

#define LOWER(a, b) ((a) < (b) ? (a) : (b))
#define HIGHER(a, b) ((a) > (b) ? (a) : (b))

#define ROW(x, row) (x)[(row) * (TILE_C / LANES)]

static inline void sort_groups(lanes x[GROUPS])
{
#pragma unroll
    for (int pass = 0; pass < GROUPS; pass++)
#pragma unroll
        for (int k = pass % 2; k + 1 < GROUPS; k += 2) {
            const lanes low = LOWER(x[k], x[k + 1]), high = HIGHER(x[k], x[k + 1]);
            x[k] = low;
            x[k + 1] = high;
        }
}

/* From one to the other of two numbers, which are about a standard deviation below and above the median: the medians of
 * the least and of the greatest numbers of groups of rows, which a few outliers do not change. */
static inline bins bins_between(const lanes low, const lanes high)
{
    const lanes slope = 2.0f * GREATEST / (high - low);
    const lanes some = HIGHER(slope, (lanes)FLT_MIN), most = LOWER(some, (lanes)FLT_MAX);
    const lanes offset = LOWER(most * (-0.5f * low - 0.5f * high), (lanes)FLT_MAX);
    return (bins){most, HIGHER(offset, (lanes)-FLT_MAX)};
}

INLINE bins guess_bins(A_SPACE const lanes *x, const lanes middle, const bool far)
{
    lanes low[GROUPS], high[GROUPS];
#pragma unroll
    for (int k = 0; k < GROUPS; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int n = 0; n < EACH; n++) {
            const int row = (n * GROUPS + k) * (ROWS - 1) / (GROUPS * EACH - 1);
            const lanes now = far ? fabs(ROW(x, row) - middle) : ROW(x, row);
            low[k] = LOWER(now, low[k]);
            high[k] = HIGHER(now, high[k]);
        }
    }
    sort_groups(low);
    sort_groups(high);
    return bins_between(low[GROUPS / 2 - 1], high[GROUPS / 2]);
}

/* What is read next is fetched while bins are made: rows lie too far apart for the processor to see it. */
#if X_STRIDE_C == 1 && defined(__clang__)
#define EXPECT(next, row) __builtin_prefetch((const void *)(size_t)((next) + (row) * X_STRIDE_T), 0, 2)
#else
#define EXPECT(next, row)
#endif

/* Powers become distances from the middle, if these are asked for. What is no number is in the last bin. Gives how many
 * numbers there are, which are only counted where some product with 0 is none. */
INLINE whole take_bins(column *to, A_SPACE lanes *x, const bins of, const lanes middle, const bool far,
                       global const X_TYPE *next)
{
    lanes seen = 0.0f;
    whole count = 0;
    for (int row = 0; row < ROWS; row++) {
        const lanes now = far ? ROW(x, row) - middle : ROW(x, row);
        const lanes bin = fma(far ? fabs(now) : now, of.slope, of.offset);
        const lanes most = LOWER(bin, (lanes)GREATEST);
        to->row[row] = TO_SMALL(TO_WHOLE(HIGHER(most, (lanes)-128.0f)));
        seen = fma(now, (lanes)0.0f, seen);
        if (far) ROW(x, row) = now;
        if (row % 2 == far) EXPECT(next, row);
    }
    for (int row = ROWS; row < FILLED; row++)
        to->row[row] = GREATEST;
    if (!ANY(MASK(seen != seen))) return ROWS;
    for (int row = 0; row < ROWS; row++)
        count -= MASK(ROW(x, row) == ROW(x, row));
    return count;
}

/* The first bin behind `bin` that has numbers; or the last one. */
static inline small next_bin(const column *x, const small bin)
{
    const several *all = (const several *)x->row, from = SEVERAL(bin), last = SEVERAL((small)GREATEST);
    several least = last;
    for (int k = 0; k < FILLED / DEEP; k++) {
        const several now = all[k] > from ? all[k] : last;
        least = LOWER(now, least);
    }
    const small *row = (const small *)&least;
    small next = row[0];
    for (int k = 1; k < DEEP; k++)
        next = LOWER(row[k], next);
    return next;
}

static inline bool any_byte(const small mask)
{
#if LANES == 16
    const ulong2 bits = as_ulong2(mask);
    return (bits.x | bits.y) != 0;
#else
    return as_ulong(mask) != 0;
#endif
}

/* Rows of which some lane is in bins `low` to `high`, NaN where it is not. */
INLINE int take_rows(lanes *to, A_SPACE const lanes *x, const column *in, const small low, const small high, const bool far)
{
    ushort at[ROWS];
    int rows = 0;
    for (int row = 0; row < ROWS; row++) {
        at[rows] = row;
        rows += any_byte((in->row[row] >= low) & (in->row[row] <= high));
    }
    for (int k = 0; k < rows; k++) {
        const lanes now = ROW(x, at[k]);
        const whole is = TO_WHOLE((in->row[at[k]] >= low) & (in->row[at[k]] <= high));
        to[k] = is ? (far ? fabs(now) : now) : (lanes)NAN;
    }
    return rows;
}

/* The median of what is in bins. */
INLINE lanes median_of_bins(const column *in, A_SPACE const lanes *x, const whole count, const bool far)
{
    lanes found[ROWS] __attribute__((aligned(64)));
    const place at = ranked_byte(in, (count - 1) / 2, false);
    const small low = TO_SMALL(at.number - 128), next = next_bin(in, low);
    const small high = TO_SMALL(at.upto > count / 2) ? low : next;
    const int rows = take_rows(found, x, in, low, high, far);
    whole many = 0;
    for (int row = 0; row < rows; row++)
        many -= MASK(found[row] == found[row]);
    return median(found, rows, count, at.below, many, false);
}

/* Lanes beyond the last channel repeat it: else all rows would have one of their numbers in the median's bin. */
static inline void fill_lanes(A_SPACE lanes *x, const int channels)
{
    const whole inside = LANE_NUMBERS < (whole)channels;
    for (int row = 0; row < ROWS; row++) {
        const float last = ((A_SPACE const float *)&ROW(x, row))[channels - 1];
        ROW(x, row) = inside ? ROW(x, row) : (lanes)last;
    }
}

/* The median of powers, and that of distances from it, which powers become. Gives how many powers there are, and whether
 * all distances are numbers. */
INLINE whole take_medians(lanes *middle, lanes *spread, bool *complete, A_SPACE lanes *x,
                          global const X_TYPE *next)
{
    column in;
    const whole count = take_bins(&in, x, guess_bins(x, 0.0f, false), 0.0f, false, next);
    *middle = median_of_bins(&in, x, count, false);
    const whole distances = take_bins(&in, x, guess_bins(x, *middle, true), *middle, true, next);
    *spread = median_of_bins(&in, x, count, true);
    *complete = !ANY(MASK(distances != ROWS));
    return count;
}
#endif
