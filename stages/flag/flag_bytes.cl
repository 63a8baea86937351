/* flag_bytes.cl: medians of columns of bytes, of which a vector of 128 bits has 16: the bits of the number of a
 * rank one after the other, each by counting what is below a guess. Results are those of flag_median.cl. */

#if !GPU && (X_IS_u8 || X_IS_i8)
#define BYTES 1
#if X_IS_u8 /* bytes are kept as -128 .. 127 */
#define MOVED 128
#else
#define MOVED 0
#endif
#define GREATEST 127              /* what is missing, too: no guess is above */
#define TOGETHER 256              /* rows that bytes count, a quarter of them each */
#define QUARTERS 4

/* Of a column of bytes: how many are no number; and, to know how far they are from it, the middle, in halves. */
typedef struct {
    small row[ROWS];
    whole missing, middle;
} column;

/* How many are not from `low` to `high`. Rows are counted apart, so that none waits for the one before. */
static inline whole count_beyond(const column *x, const small low, const small high)
{
    whole all = 0;
    for (int from = 0; from < ROWS; from += TOGETHER) {
        const int rows = min(TOGETHER, ROWS - from);
        const small *row = x->row + from;
        small part[QUARTERS];
#pragma unroll
        for (int k = 0; k < QUARTERS; k++)
            part[k] = 0;
        for (int r = 0; r + QUARTERS <= rows; r += QUARTERS)
#pragma unroll
            for (int k = 0; k < QUARTERS; k++)
                part[k] -= (row[r + k] < low) | (row[r + k] > high);
        for (int r = rows / QUARTERS * QUARTERS; r < rows; r++)
            part[0] -= (row[r] < low) | (row[r] > high);
#pragma unroll
        for (int k = 0; k < QUARTERS; k++)
            all += TO_WHOLE(part[k]);
    }
    return all;
}

/* How many numbers are below `tried`, counted from the least one; or, `far`, how many are nearer to the middle, in
 * halves. */
static inline whole count_bytes_below(const column *x, const whole tried, const bool far)
{
    if (!far) return count_beyond(x, TO_SMALL(min(tried - 128, (whole)GREATEST)), (small)GREATEST);
    const whole low = ((x->middle - tried) >> 1) + 1, high = (x->middle + tried - 1) >> 1;
    const whole beyond = count_beyond(x, TO_SMALL(max(low, (whole)-128)), TO_SMALL(min(high, (whole)GREATEST)));
    return ROWS - beyond - (high >= GREATEST ? x->missing : (whole)0);
}

/* The number, or the distance, that `rank` others are below. */
static inline whole ranked_byte(const column *x, const whole rank, const bool far)
{
    whole found = 0;
    for (int bit = far ? 256 : 128; bit > 0; bit >>= 1)
        found = count_bytes_below(x, found | bit, far) <= rank ? found | bit : found;
    return found;
}

/* Twice the median: of an even number the sum of the two in the middle. */
static inline whole median_of_bytes(const column *x, const bool far)
{
    const whole count = ROWS - x->missing, low = ranked_byte(x, (count - 1) / 2, far);
    if (!ANY(count_bytes_below(x, low + 1, far) <= count / 2)) return 2 * low;
    return low + ranked_byte(x, count / 2, far);
}

/* Of a tile's rows, of which `count` are present. */
static inline void take_bytes(column *to, A_SPACE const A_TYPE *x, const whole count, PRESENT_ARGS, const int series,
                              const int first, const int c)
{
    to->missing = ROWS - count;
    for (int row = 0; row < ROWS; row++)
        to->row[row] = *(A_SPACE const small *)(x + row * TILE_C) ^ (small)(char)(MOVED == 0 ? 0 : -128);
    if (!ANY(MASK(to->missing != 0))) return;
    for (int row = 0; row < ROWS; row++) {
        const small is = TO_SMALL(PRESENT(series, first + row, c));
        to->row[row] = (to->row[row] & is) | ((small)GREATEST & ~is);
    }
}

/* How far a row is from the middle. */
static inline lanes away_from_middle(const column *x, const int row)
{
    return TO_LANES(x->row[row]) - 0.5f * TO_LANES(x->middle);
}
#else
#define BYTES 0
#endif
