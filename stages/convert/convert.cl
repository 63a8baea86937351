/* convert.cl: a work-item, or a group of them, takes a tile, or a window of TILE_C columns (columns.cl): measures
 * these, then scales and clips. The tile is rounded to the output's type where it is stored. LOW and HIGH are where
 * that ends. See README.md. */

static inline lanes clipped(const lanes x)
{
#if Y_IS_f32 || Y_IS_f16
    const lanes y = x;
#else
    const lanes y = EITHER(x == x, x, 0.0f);
#endif
    return EITHER(y < LOW, LOW, EITHER(y > HIGH, HIGH, y));
}

#if P_LEVELS_IS_channel
/* As distances from a number of their size, so that squares keep their digits. */
typedef struct {
    lanes near, count, sum, square;
} moments;

#if WG == 1
static inline void begin(moments of[COLUMNS], A_SPACE const A_TYPE *a)
{
    for (int row = 0; row < ROWS; row++)
        for (int v = 0; v < EACH; v++) {
            const lanes x = LOAD(a + ELEMENT(row, v));
            of[COLUMN(row, v)].sum += EITHER(IS_FINITE(x), x, 0.0f);
            of[COLUMN(row, v)].count += EITHER(IS_FINITE(x), 1.0f, 0.0f);
        }
    for (int k = 0; k < COLUMNS; k++) {
        const lanes count = WHOLE(of[k].count), sum = WHOLE(of[k].sum);
        of[k].near = EITHER(count > 0.0f, sum / count, 0.0f);
        of[k].sum = of[k].count = 0.0f;
    }
}
#endif

static inline void take(moments *of, const lanes from)
{
    const lanes x = EITHER(IS_FINITE(from), from - of->near, 0.0f);
    of->count += EITHER(IS_FINITE(from), 1.0f, 0.0f);
    of->sum += x;
    of->square = fma(x, x, of->square);
}

/* Then `sum` is the mean, from `near` on, and `square` the factor. A channel that is always the same has none. */
static inline void solve(moments *of)
{
    const lanes count = WHOLE(of->count), sum = WHOLE(of->sum), square = WHOLE(of->square);
    const lanes part = EITHER(count > 0.0f, 1.0f / count, 0.0f), mean = sum * part;
    const lanes variance = square * part - mean * mean;
    of->square = EITHER(variance > 1e-6f * (square * part), (float)P_SIGMA / sqrt(variance), 0.0f);
    of->sum = mean;
}
#endif

#if P_LEVELS_IS_given
kernel void convert(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    const int c = get_group_id(0) * TILE_C, t = get_group_id(1) * TILE_T, series = get_group_id(2);
    PACK_COLUMNS(a, series / X_N_Q, series % X_N_Q, t, c);
    CT_BARRIER;
    for (int n = CT_LID * LANES; n < A_SIZE; n += CT_ITEMS * LANES) {
        A_SPACE lanes *x = (A_SPACE lanes *)(a + n);
        *x = clipped(fma(*x, (lanes)(float)P_SCALE, (lanes)(float)P_OFFSET));
    }
    CT_BARRIER;
    STORE_COLUMNS(a, series / X_N_Q, series % X_N_Q, t, c);
}
#else
static inline lanes levelled(const moments *by, const lanes x)
{
    const lanes from = EITHER(IS_FINITE(x), x - by->near - by->sum, 0.0f);
    return clipped(fma(from, by->square, (lanes)(float)P_MEAN));
}

kernel void convert(CT_ARGS)
{
    const int c = get_group_id(0) * TILE_C, first = get_group_id(1) * P_WINDOW;
    const int series = get_group_id(2), b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
    moments of[COLUMNS];
    for (int k = 0; k < COLUMNS; k++)
        of[k].near = of[k].count = of[k].sum = of[k].square = 0.0f;
#if WG > 1
    /* Each has one column, and no need of a tile: neighbours read neighbours. */
    const int k = c + CT_LID;
    if (k >= X_COLUMNS) return;
    for (int t = first; t < first + TILE_T; t++) {
        const float x = VALUE(s, b, q, t, k);
        of[0].sum += EITHER(IS_FINITE(x), x, 0.0f);
        of[0].count += EITHER(IS_FINITE(x), 1.0f, 0.0f);
    }
    of[0].near = EITHER(of[0].count > 0.0f, of[0].sum / of[0].count, 0.0f);
    of[0].sum = of[0].count = 0.0f;
    for (int t = first; t < first + P_WINDOW; t++)
        take(&of[0], VALUE(s, b, q, t, k));
    solve(&of[0]);
    for (int t = first; t < first + P_WINDOW; t++)
        SAVE_COLUMN(b, q, t, k, levelled(&of[0], VALUE(s, b, q, t, k)));
#else
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    for (int t = first; t < first + P_WINDOW; t += TILE_T) {
        PACK_COLUMNS(a, b, q, t, c);
        leave_out(a, FLAGS_DATA, s, t, c);
        if (t == first) begin(of, a);
        for (int row = 0; row < ROWS; row++)
            for (int v = 0; v < EACH; v++)
                take(&of[COLUMN(row, v)], LOAD(a + ELEMENT(row, v)));
    }
    for (int k = 0; k < COLUMNS; k++)
        solve(&of[k]);
    for (int t = first; t < first + P_WINDOW; t += TILE_T) {
        PACK_COLUMNS(a, b, q, t, c);
        leave_out(a, FLAGS_DATA, s, t, c);
        for (int row = 0; row < ROWS; row++)
            for (int v = 0; v < EACH; v++) {
                A_SPACE lanes *x = (A_SPACE lanes *)(a + ELEMENT(row, v));
                *x = levelled(&of[COLUMN(row, v)], *x);
            }
        STORE_COLUMNS(a, b, q, t, c);
    }
#endif
}
#endif

#if HAVE_COUNTS
/* A work-item has one sample of one series, or of one trial. */
kernel void convert_count(CT_ARGS)
{
    const int n = get_global_id(0), t = n % COUNTS_N_T, d = n / COUNTS_N_T % COUNTS_N_D;
    const int series = n / COUNTS_N_T / COUNTS_N_D, b = series / COUNTS_N_Q, q = series % COUNTS_N_Q;
    int count = 0;
    for (int c = 0; c < Y_N_C; c++) {
        const float y = Y_LOAD(b, q, d, t, c);
        count += !(y > LOW && y < HIGH);
    }
    COUNTS(b, q, d, t) = count;
}
#endif
