/* flag_bytes.cl: columns of bytes: the numbers of some rank, their bits one after the other, each by counting what is
 * below a guess, four rows by an instruction where vectors have 512 bits. Bytes are either what is judged, whose medians
 * are found here, as flag_median.cl would, or bins of other numbers: flag_bins.cl. */

#if BYTES || BINS
#if X_IS_u8 /* bytes are kept as -128 .. 127 */
#define MOVED 128
#else
#define MOVED 0
#endif
#define GREATEST 127 /* what is missing, too: no guess is above */

#ifdef __clang__ /* beyond OpenCL C, for compilers made from clang */
#define DEEP 4
typedef char several __attribute__((ext_vector_type(DEEP * LANES)));
#define SEVERAL(row) ((several)(row, row, row, row))
#else
#define DEEP 1
typedef small several;
#define SEVERAL(row) (row)
#endif
#define FILLED ((ROWS + DEEP - 1) / DEEP * DEEP) /* rows, so that vectors are full; what is added is missing */
#define TOGETHER 252                             /* vectors that bytes count, half of them each */

/* Of a column of bytes: how many are no number; and, to know how far they are from it, the middle, in halves. */
typedef struct {
    small row[FILLED] __attribute__((aligned(64)));
    whole missing, middle;
} column;

static inline whole sum_of_rows(const several count)
{
    const small *row = (const small *)&count;
    whole sum = 0;
#pragma unroll
    for (int k = 0; k < DEEP; k++)
        sum += TO_WHOLE(row[k]);
    return sum;
}

/* How many are not from `low` to `high`. Every other vector is counted apart, so that none waits for the one before. */
static inline whole count_beyond(const column *x, const small low, const small high)
{
    const several *all = (const several *)x->row, least = SEVERAL(low), most = SEVERAL(high);
    whole sum = 0;
    for (int k = 0; k < FILLED / DEEP;) {
        several even = 0, odd = 0;
        const int end = min(k + TOGETHER, FILLED / DEEP);
        for (; k + 2 <= end; k += 2) {
            even -= (all[k] < least) | (all[k] > most);
            odd -= (all[k + 1] < least) | (all[k + 1] > most);
        }
        for (; k < end; k++)
            even -= (all[k] < least) | (all[k] > most);
        sum += sum_of_rows(even) + sum_of_rows(odd);
    }
    return sum;
}

/* How many numbers are below `tried`, counted from the least one; or, `far`, how many are nearer to the middle, in
 * halves. */
static inline whole count_bytes_below(const column *x, const whole tried, const bool far)
{
    if (!far) return count_beyond(x, TO_SMALL(min(tried - 128, (whole)GREATEST)), (small)GREATEST);
    const whole low = ((x->middle - tried) >> 1) + 1, high = (x->middle + tried - 1) >> 1;
    const whole beyond = count_beyond(x, TO_SMALL(max(low, (whole)-128)), TO_SMALL(min(high, (whole)GREATEST)));
    return FILLED - beyond - (high >= GREATEST ? x->missing : (whole)0);
}

/* A number or a distance, how many are below it, and how many up to it. */
typedef struct {
    whole number, below, upto;
} place;

/* The one that `rank` others are below. The last guess that is too large is the next number. */
static inline place ranked_byte(const column *x, const whole rank, const bool far)
{
    place in = {0, 0, FILLED};
    for (int bit = far ? 256 : 128; bit > 0; bit >>= 1) {
        const whole now = count_bytes_below(x, in.number | bit, far), up = now <= rank;
        in.number = up ? in.number | bit : in.number;
        in.below = up ? now : in.below;
        in.upto = up ? in.upto : now;
    }
    return in;
}
#endif

#if BYTES
/* Twice the median: of an even number the sum of the two in the middle. */
static inline whole median_of_bytes(const column *x, const bool far)
{
    const whole count = FILLED - x->missing;
    const place low = ranked_byte(x, (count - 1) / 2, far);
    if (!ANY(low.upto <= count / 2)) return 2 * low.number;
    return low.number + ranked_byte(x, count / 2, far).number;
}

/* Of a tile's rows, of which `count` are present. */
static inline void take_bytes(column *to, A_SPACE const A_TYPE *x, const whole count, PRESENT_ARGS, const int series,
                              const int first, const int c)
{
    to->missing = FILLED - count;
    for (int row = 0; row < ROWS; row++)
        to->row[row] = *(A_SPACE const small *)(x + row * TILE_C) ^ (small)(char)(MOVED == 0 ? 0 : -128);
    for (int row = ROWS; row < FILLED; row++)
        to->row[row] = GREATEST;
    if (!ANY(MASK(count != ROWS))) return;
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
#endif
