/* flag_median.cl: medians of columns of powers, as many at a time as there are lanes: of the columns of a tile, or,
 * on CPUs, of what flag_bins.cl leaves of them. */

#define ROWS P_WINDOW
#define LEAST 8 /* samples that have a median worth the name */
#define BYTES (!GPU && (X_IS_u8 || X_IS_i8))
#define BINS (!GPU && !BYTES && WG == 1) /* a group's work-items would have too many lists of rows */
#if BINS
#define STEP 1 /* from a row to the next */
#else
#define STEP (TILE_C / LANES)
#endif

/* Floats as integers of the same order. */
static inline natural key_of(const lanes x)
{
    const natural bits = AS_NATURAL(x);
    return bits ^ ((natural)0x80000000u | (natural)(0u - (bits >> 31)));
}

static inline lanes value_of(const natural key)
{
    return AS_LANES(key ^ ((natural)0x80000000u | ((key >> 31) - 1u)));
}

/* Of a column either the numbers, or how far they are from 0. */
#define NUMBER(x) (far ? fabs(x) : (x))

/* Numbers of a column, of which one is looked for, and how many are below and up to these. */
typedef struct {
    lanes low, high;
    whole below, upto;
} bracket;

static inline bracket all_of(const A_SPACE lanes *x, const int rows, const whole count, const bool far)
{
    bracket all = {INFINITY, -INFINITY, 0, count};
    for (int row = 0; row < rows; row++) {
        const lanes now = NUMBER(x[row * STEP]);
        all.low = now < all.low ? now : all.low;
        all.high = now > all.high ? now : all.high;
    }
    return all;
}

/* A number above `low` and up to `high`: where it would be if numbers were spread evenly; now and then
 * in the middle of all floats between, which ends even where they are not. */
static inline lanes guess(const bracket in, const whole rank, const bool halve)
{
    const lanes part = (TO_LANES(rank - in.below) + 0.5f) / TO_LANES(in.upto - in.below);
    const natural low = key_of(in.low), high = key_of(in.high);
    const lanes even = halve ? value_of(low + (high - low) / 2u + 1u) : in.low + (in.high - in.low) * part;
    return (even > in.low) & (even <= in.high) ? even : in.high;
}

/* What a pass finds: how many numbers are below the guess, the largest of these, the smallest other. */
typedef struct {
    whole below;
    lanes last, next;
} halves;

static inline void divide(halves *to, const lanes now, const lanes tried)
{
    const whole is = MASK(now < tried);
    const lanes low = is ? now : to->last, high = MASK(now >= tried) ? now : to->next;
    to->below -= is;
    to->last = low > to->last ? low : to->last;
    to->next = high < to->next ? high : to->next;
}

/* Several rows at a time, so that none waits for the one before. */
#define APART 4
static inline halves divide_all(const A_SPACE lanes *x, const int rows, const bracket in,
                                const lanes tried, const bool far)
{
    halves part[APART];
#pragma unroll
    for (int k = 0; k < APART; k++)
        part[k] = (halves){0, in.low, in.high};
    for (int row = 0; row < rows / APART * APART; row += APART)
#pragma unroll
        for (int k = 0; k < APART; k++)
            divide(&part[k], NUMBER(x[(row + k) * STEP]), tried);
    for (int row = rows / APART * APART; row < rows; row++)
        divide(&part[0], NUMBER(x[row * STEP]), tried);
#pragma unroll
    for (int k = 1; k < APART; k++) {
        part[0].below += part[k].below;
        part[0].last = part[k].last > part[0].last ? part[k].last : part[0].last;
        part[0].next = part[k].next < part[0].next ? part[k].next : part[0].next;
    }
    return part[0];
}

/* The number that `rank` others are smaller than, one of the column. What is no number is larger than
 * all. Each pass leaves what is below the guess, or what is not. */
__attribute__((always_inline)) static inline lanes ranked(const A_SPACE lanes *x, const int rows,
                                                          const whole rank, const whole count,
                                                          const bool far)
{
    bracket in = all_of(x, rows, count, far);
    for (int pass = 1; ANY(MASK((in.low < in.high) & (rank > in.below) & (rank < in.upto - 1))); pass++) {
        const halves now = divide_all(x, rows, in, guess(in, rank, pass % 4 == 0), far);
        const whole up = MASK(now.below <= rank);
        in.low = up ? now.next : in.low;
        in.below = up ? now.below : in.below;
        in.high = up ? in.high : now.last;
        in.upto = up ? in.upto : now.below;
    }
    return rank == in.upto - 1 ? in.high : in.low;
}

/* The median of a column of `numbers`: where they are even, the mean of the two in the middle. Of these `count` are
 * here, and `below` are smaller than all of them. */
__attribute__((always_inline)) static inline lanes median(const A_SPACE lanes *x, const int rows, const whole numbers,
                                                          const whole below, const whole count, const bool far)
{
    const lanes low = ranked(x, rows, (numbers - 1) / 2 - below, count, far);
    lanes high = INFINITY;
    whole upto = 0;
    for (int row = 0; row < rows; row++) {
        const lanes now = NUMBER(x[row * STEP]);
        upto -= MASK(now <= low);
        high = (now > low) & (now < high) ? now : high;
    }
    high = upto > numbers / 2 - below ? low : high;
    return 0.5f * (low + high);
}
