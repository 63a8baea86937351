/* pulses_noise.cl: from means and variances of parts the noise of each group of 16 parts, of a trial and of its neighbours.
 * Lanes are neighbouring trials. Room: stages/pulses. Knows coordinates, pulses_series.cl, numbers of parts from
 * pulses_units.cl, and lengths from pulses_emit.c. */

/* Numbers of a group, of trial after trial. A scale is 1 / sigma, 0 where there is no noise. */
enum { OF_MEDIAN, OF_OWN, OF_SCALE };

/* ---- medians */

/* In each lane. */
#define ORDER(i, k)                                                                                \
    {                                                                                              \
        const vec a = x[i], b = x[k];                                                              \
        x[i] = SMALLER(a, b);                                                                      \
        x[k] = LARGER(a, b);                                                                       \
    }
ONCE void sort_window(vec *x)
{
    SORT_WINDOW(ORDER)
}

ONCE void merge_windows(vec *x)
{
    MERGE_WINDOWS(ORDER)
}

/* Counts what is known. What is not becomes infinite, up and down alternately: so those in the middle of all are
 * those in the middle of what is known, of an odd number the lower one. */
INLINE vec balance(vec x, ivec *known, ivec *down)
{
    const ivec is = x < INFINITY ? (ivec)-1 : (ivec)0;
    const vec beyond = *down ? (vec)-INFINITY : (vec)INFINITY;
    *known -= is;
    *down ^= ~is;
    return is ? x : beyond;
}

/* The mean of the two in the middle, or the one. */
INLINE vec mean_of_middle(vec low, vec high, ivec known)
{
    const ivec odd = (known & 1) != 0;
    return 0.5f * low + 0.5f * (odd ? low : high);
}

/* Of four windows: the lower half of all is the smaller ones of a run in order and of another the other way round. */
INLINE vec find_middle(vec x[SPAN], ivec known)
{
    vec low = -INFINITY, high = INFINITY;
    AS_WRITTEN
    for (int k = 0; k < SPAN; k += WINDOW)
        sort_window(x + k);
    AS_WRITTEN
    for (int k = 0; k < SPAN; k += 2 * WINDOW)
        merge_windows(x + k);
    AS_WRITTEN
    for (int k = 0; k < SPAN / 2; k++) {
        const vec a = x[k], b = x[SPAN - 1 - k];
        const vec smaller = SMALLER(a, b), larger = LARGER(a, b);
        low = LARGER(smaller, low);
        high = SMALLER(larger, high);
    }
    return mean_of_middle(low, high, known);
}

/* A number of a part, of so many trials from number d on; of the last one in the lanes after it. */
INLINE vec load_parts(global const Z_TYPE *restrict Z_data, int plane, int part, int n, int d,
                      int count)
{
    float each[LANES];
#if Z_STRIDE_D == 1
    if (count == LANES) return LOAD(Z_data + Z_AT(plane, part, n, d));
#endif
    for (int i = 0; i < LANES; i++)
        each[i] = Z(plane, part, n, d + min(i, count - 1));
    return LOAD(each);
}

/* The median of the means of the last 16 parts that are known, up to part number `last`. */
INLINE float find_median(global const Z_TYPE *restrict Z_data, int plane, int last, int d)
{
    float sorted[WINDOW];
    int known = 0;
    AS_WRITTEN
    for (int part = last; part > last - SPAN && known < WINDOW; part--) {
        const float mean = Z(plane, part, OF_MEAN, d);
        int k = known;
        if (!(mean < INFINITY)) continue;
        AS_WRITTEN
        for (; k > 0 && sorted[k - 1] > mean; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = mean;
        known++;
    }
    return known > 0 ? 0.5f * sorted[(known - 1) / 2] + 0.5f * sorted[known / 2] : 0;
}

/* Of parts up to number `last`; nearly always all of the group are known. */
INLINE vec find_medians(global const Z_TYPE *restrict Z_data, int plane, int last, int d, int count)
{
    vec x[WINDOW];
    AS_WRITTEN
    for (int k = 0; k < WINDOW; k++)
        x[k] = load_parts(Z_data, plane, last - WINDOW + 1 + k, OF_MEAN, d, count);
    sort_window(x);
    vec middle = 0.5f * x[WINDOW / 2 - 1] + 0.5f * x[WINDOW / 2];
    const vec highest = x[WINDOW - 1];
    if (!ANY(highest == INFINITY)) return middle;
    AS_WRITTEN
    for (int i = 0; i < count; i++)
        if (LANE(highest, i) == INFINITY)
            LANE(middle, i) = find_median(Z_data, plane, last, d + i);
    return middle;
}

/* Of a group: the median, and the variance of each trial by itself, infinite where not known. */
ONCE void take_noise(global const RATIO_TYPE *restrict RATIO_data, global const Z_TYPE *restrict Z_data,
                     global G_TYPE *restrict G_data, int plane, int group, int d, int count)
{
    vec x[SPAN], own;
    ivec known = 0, down = 0, enough;
    AS_WRITTEN
    for (int k = 0; k < SPAN; k++)
        x[k] = balance(load_parts(Z_data, plane, group * WINDOW + k, OF_VARIANCE, d, count), &known, &down);
    AS_WRITTEN
    for (int i = 0; i < LANES; i++)
        ((int *)&enough)[i] =
            (FEWEST_UNITS * UNIT * RATIO(d + min(i, count - 1)) + PART - 1) / PART;
    own = find_middle(x, known);
    own = known >= enough && own >= FLT_MIN && own <= FLT_MAX ? own : INFINITY;
    const vec median = find_medians(Z_data, plane, group * WINDOW + SPAN - 1, d, count);
    AS_WRITTEN
    for (int i = 0; i < count; i++) {
        G_SAVE(plane, group, OF_MEDIAN, d + i, LANE(own, i) < INFINITY ? LANE(median, i) : 0);
        G_SAVE(plane, group, OF_OWN, d + i, LANE(own, i));
    }
}

kernel void pulses_noise(CT_ARGS)
{
    const int d = (int)get_global_id(0) * LANES, count = min(LANES, X_N_D - d);
    if (count > 0)
        take_noise(RATIO_data, Z_data, G_data, get_global_id(2), get_global_id(1), d, count);
}

/* The variances of trials n away, of those that have the same spacing; else infinite. */
INLINE vec load_neighbours(global const G_TYPE *restrict G_data, global const RATIO_TYPE *RATIO_data,
                           int plane, int group, int d, int n)
{
    float each[LANES];
    for (int i = 0; i < LANES; i++) {
        const int of = min(d + i, X_N_D - 1), at = of + n;
        const bool is = at >= 0 && at < X_N_D && RATIO(max(0, min(at, X_N_D - 1))) == RATIO(of);
        each[i] = is ? G(plane, group, OF_OWN, at) : INFINITY;
    }
    return LOAD(each);
}

/* Of a group: the scale, from the variance of a trial and of its neighbours. */
ONCE void take_scale(global const RATIO_TYPE *restrict RATIO_data, global G_TYPE *restrict G_data, int plane,
                     int group, int d, int count)
{
    vec x[WINDOW], own = INFINITY;
    ivec known = 0, down = 0;
    AS_WRITTEN
    for (int n = 0; n < 2 * NEIGHBOURS + 1; n++) {
        const vec of = load_neighbours(G_data, RATIO_data, plane, group, d, n - NEIGHBOURS);
        own = n == NEIGHBOURS ? of : own;
        x[n] = balance(of, &known, &down);
    }
    x[WINDOW - 1] = balance((vec)INFINITY, &known, &down);
    sort_window(x);
    const vec all = mean_of_middle(x[WINDOW / 2 - 1], x[WINDOW / 2], known);
    const vec is = own <= MOST_UNLIKE * all && all <= MOST_UNLIKE * own ? all : own;
    const vec scale = is < INFINITY ? 1.0f / sqrt(is) : 0.0f;
    AS_WRITTEN
    for (int i = 0; i < count; i++)
        G_SAVE(plane, group, OF_SCALE, d + i, LANE(scale, i));
}

kernel void pulses_scale(CT_ARGS)
{
    const int d = (int)get_global_id(0) * LANES, count = min(LANES, X_N_D - d);
    if (count > 0)
        take_scale(RATIO_data, G_data, get_global_id(2), get_global_id(1), d, count);
}
