/* zerodm_common.cl: of a window and series, what all channels have in common, from the means of groups of channels: a
 * work-item, or a group of them, goes through times of the window, which lanes are. */

DEFINE_MEDIAN(median_of_groups, lanes, GROUPS, EACH_GROUP, SORT_GROUPS)

/* Of all work-items. */
INLINE float total_of_items(B_SPACE float *room, const lanes x)
{
    float sum = 0.0f;
    CT_BARRIER;
    room[CT_LID] = TOTAL(x);
    CT_BARRIER;
    for (int i = 0; i < CT_ITEMS; i++)
        sum += room[i];
    return sum;
}

/* The mean over a window of what is there. */
INLINE float mean_over_window(B_SPACE float *room, global const float *z, FLAGS, const int s, const int first)
{
    lanes sum = 0.0f, count = 0.0f;
    for (int t = CT_LID * LANES; t < P_WINDOW; t += LANES * CT_ITEMS) {
        const lanes mean = only_present(LOAD_MEANS(z + t), FLAGS_DATA, s, first + t, 1);
        sum += EITHER(IS_FINITE(mean), mean, 0.0f);
        count += EITHER(IS_FINITE(mean), 1.0f, 0.0f);
    }
    const float known = total_of_items(room, count), all = total_of_items(room, sum);
    return known > 0.0f ? all / known : 0.0f;
}

/* Of medians and means over groups, over a window. */
typedef struct {
    lanes count, middle, mean, square, product;
} spread;

INLINE void add_sample(spread *to, const lanes middle, const lanes mean)
{
    const whole is = IS_FINITE(middle);
    const lanes z = EITHER(is, middle, 0.0f), other = EITHER(is, mean, 0.0f);
    to->count += EITHER(is, 1.0f, 0.0f);
    to->middle += z;
    to->mean += other;
    to->square = fma(z, z, to->square);
    to->product = fma(z, other, to->product);
}

/* By how much slopes over medians have to be larger, since these scatter more than means do. */
INLINE float correction(B_SPACE float *room, const spread *of)
{
    const float count = total_of_items(room, of->count), middle = total_of_items(room, of->middle);
    const float part = count > 0.0f ? middle / count : 0.0f;
    const float square = total_of_items(room, of->square) - middle * part;
    const float product = total_of_items(room, of->product) - total_of_items(room, of->mean) * part;
    if (square <= 0.0f || product >= square) return 1.0f;
    return 2.0f * product > square ? square / product : 2.0f;
}

kernel void zerodm_common(CT_ARGS)
{
    B_SPACE float room[CT_ITEMS];
    const int first = get_group_id(0) * P_WINDOW, series = get_group_id(1), s = STATION(series / X_N_Q);
    float level[GROUPS];
#define FIND_LEVEL(k) level[k] = mean_over_window(room, &Z(series, k, first), FLAGS_DATA, s, first);
    EACH_GROUP(FIND_LEVEL)
    spread of = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (int t = first + CT_LID * LANES; t < first + P_WINDOW; t += LANES * CT_ITEMS) {
        lanes above[GROUPS], count = 0.0f, sum = 0.0f;
#define FIND_DISTANCE(k)                                                                                               \
    {                                                                                                                  \
        const lanes mean = LOAD_MEANS(&Z(series, k, t));                                                               \
        const whole is = IS_FINITE(mean);                                                                              \
        above[k] = EITHER(is, mean - level[k], INFINITY);                                                              \
        sum += EITHER(is, mean - level[k], 0.0f);                                                                      \
        count += EITHER(is, 1.0f, 0.0f);                                                                               \
    }
        EACH_GROUP(FIND_DISTANCE)
        const lanes middle = EITHER(count > 0.0f, median_of_groups(above), NAN);
        const lanes z = only_present(middle, FLAGS_DATA, s, t, 1);
        add_sample(&of, z, sum / count);
        STORE_MEANS(z, &Z(series, GROUPS, t));
    }
    const float larger = correction(room, &of);
    if (CT_LID == 0) Z(series, GROUPS + 1, first) = larger;
}
