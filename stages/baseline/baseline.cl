/* baseline.cl: a work-item, or a group of them, takes a window of TILE_C columns (columns.cl): first of all windows, the
 * history's too, the level, then of each new one what is left above a line. A part of a window is P_WINDOW / PARTS
 * samples. See README.md. */

#define PART (P_WINDOW / PARTS)

static inline lanes smaller(const lanes a, const lanes b)
{
    return EITHER(b < a, b, a);
}

static inline lanes larger(const lanes a, const lanes b)
{
    return EITHER(b < a, a, b);
}

/* The median of those that are not infinite; no number where all are. */
static inline lanes median(lanes x[PARTS])
{
    lanes count = 0.0f, low = 0.0f, high = 0.0f;
    for (int round = 0; round < PARTS; round++)
        for (int k = round % 2; k + 1 < PARTS; k += 2) {
            const lanes least = smaller(x[k], x[k + 1]);
            x[k + 1] = larger(x[k], x[k + 1]);
            x[k] = least;
        }
    for (int k = 0; k < PARTS; k++)
        count += EITHER(IS_FINITE(x[k]), 1.0f, 0.0f);
    for (int k = 0; k < PARTS; k++) {
        low = EITHER(count > 2.0f * k, x[k], low);
        high = EITHER(count >= 2.0f * k, x[k], high);
    }
    return EITHER(count > 0.0f, 0.5f * (low + high), NAN);
}

#if WG == 1
/* Of the rows or vectors of a tile that make up 16 samples. */
static inline void add_up(float *sum, float *count, A_SPACE const A_TYPE *a)
{
#if ALONG_T
    for (int c = 0; c < TILE_C; c++) {
        const lanes x = LOAD(a + A_AT(c, 0));
        sum[c] += total(EITHER(IS_FINITE(x), x, 0.0f));
        count[c] += total(EITHER(IS_FINITE(x), 1.0f, 0.0f));
    }
#else
    for (int v = 0; v < TILE_C; v += LANES) {
        lanes part = 0.0f, number = 0.0f;
        for (int row = 0; row < LANES; row++) {
            const lanes x = LOAD(a + A_AT(row, v));
            part += EITHER(IS_FINITE(x), x, 0.0f);
            number += EITHER(IS_FINITE(x), 1.0f, 0.0f);
        }
        *(lanes *)(sum + v) += part;
        *(lanes *)(count + v) += number;
    }
#endif
}
#endif

kernel void baseline_levels(CT_ARGS)
{
    const int c = get_group_id(0) * TILE_C, window = get_group_id(1), first = window * P_WINDOW;
    const int series = get_group_id(2), b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
#if WG > 1
    const int k = c + CT_LID;
    float mean[PARTS];
    if (k >= X_COLUMNS) return;
    for (int part = 0; part < PARTS; part++) {
        float sum = 0.0f, count = 0.0f;
        for (int t = first + part * PART; t < first + (part + 1) * PART; t++) {
            const float x = VALUE(s, b, q, t, k);
            sum += EITHER(IS_FINITE(x), x, 0.0f);
            count += EITHER(IS_FINITE(x), 1.0f, 0.0f);
        }
        mean[part] = EITHER(count > 0.0f, sum / count, INFINITY);
    }
    LEVELS(series, window, k) = median(mean);
#else
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    float sum[PARTS * TILE_C] __attribute__((aligned(64)));
    float count[PARTS * TILE_C] __attribute__((aligned(64)));
    for (int n = 0; n < PARTS * TILE_C; n++)
        sum[n] = count[n] = 0.0f;
    for (int t = 0; t < P_WINDOW; t += TILE_T) {
        PACK_COLUMNS(a, b, q, first + t, c);
        leave_out(a, FLAGS_DATA, s, first + t, c);
        for (int k = 0; k < TILE_T; k += LANES)
            add_up(sum + (t + k) / PART * TILE_C, count + (t + k) / PART * TILE_C,
                   a + (ALONG_T ? A_AT(0, k) : A_AT(k, 0)));
    }
    for (int v = 0; v < TILE_C && c + v < X_COLUMNS; v += LANES) {
        lanes mean[PARTS];
        for (int part = 0; part < PARTS; part++) {
            const lanes number = *(const lanes *)(count + part * TILE_C + v);
            mean[part] = EITHER(number > 0.0f, *(const lanes *)(sum + part * TILE_C + v) / number, INFINITY);
        }
        vstore16(median(mean), 0, &LEVELS(series, window, c + v));
    }
#endif
}

#define ABSENT(x) ((x) != (x))

/* Where the line through the middles of two windows is at the end of the second. */
static inline lanes end_of(const lanes first, const lanes second)
{
    const lanes line = second + 0.5f * (second - first);
    return EITHER(ABSENT(first), second, EITHER(ABSENT(second), first, line));
}

/* The line of a window from the level before the last one, the last one, and its own. */
typedef struct {
    lanes start, slope;
} course;

static inline course through(const lanes first, const lanes second, const lanes own)
{
    const lanes end = end_of(second, own), known = end_of(first, second);
    const lanes start = EITHER(ABSENT(known), end, known);
    return (course){start, (end - start) * (1.0f / P_WINDOW)};
}

/* `k`: the sample's place in the window. */
static inline lanes left_above(const lanes x, const lanes start, const lanes slope, const lanes k)
{
    const lanes left = x - fma(slope, k + 0.5f, start);
    return EITHER(IS_FINITE(left), left * (lanes)P_SCALE, 0.0f);
}

kernel void baseline(CT_ARGS)
{
    const int c = get_group_id(0) * TILE_C, window = get_group_id(1);
    const int from = (window + BEFORE) * P_WINDOW, to = window * P_WINDOW;
    const int series = get_group_id(2), b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
#if WG > 1
    const int k = c + CT_LID;
    if (k >= X_COLUMNS) return;
    const course line =
        through(LEVELS(series, window, k), LEVELS(series, window + 1, k), LEVELS(series, window + 2, k));
    for (int t = 0; t < P_WINDOW; t++)
        SAVE_COLUMN(b, q, to + t, k, left_above(VALUE(s, b, q, from + t, k), line.start, line.slope, t));
#else
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    float start[TILE_C] __attribute__((aligned(64))), slope[TILE_C] __attribute__((aligned(64)));
    for (int v = 0; v < TILE_C && c + v < X_COLUMNS; v += LANES) {
        const course line =
            through(vload16(0, &LEVELS(series, window, c + v)), vload16(0, &LEVELS(series, window + 1, c + v)),
                    vload16(0, &LEVELS(series, window + 2, c + v)));
        *(lanes *)(start + v) = line.start;
        *(lanes *)(slope + v) = line.slope;
    }
    const lanes lane = (lanes)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int t = 0; t < P_WINDOW; t += TILE_T) {
        PACK_COLUMNS(a, b, q, from + t, c);
        leave_out(a, FLAGS_DATA, s, from + t, c);
        for (int row = 0; row < SLOW; row++)
            for (int place = 0; place < FAST; place += LANES) {
                A_SPACE lanes *x = (A_SPACE lanes *)(a + A_AT(row, place));
#if ALONG_T
                *x = left_above(*x, start[row], slope[row], (float)(t + place) + lane);
#else
                *x = left_above(*x, *(const lanes *)(start + place), *(const lanes *)(slope + place), (float)(t + row));
#endif
            }
        STORE_COLUMNS(a, b, q, to + t, c);
    }
#endif
}
