/* zerodm_median.cl: medians of a few numbers, side by side, in registers: numbers are asked for by constants, which
 * EACH_GROUP, EACH_PART and networks of comparisons have. */

#define KNOWN_ONE(p) known += of[p] < INFINITY ? one : zero;
#define ORDER(i, k)                                                                                                    \
    {                                                                                                                  \
        smaller = of[k] < of[i] ? of[k] : of[i];                                                                       \
        of[k] = of[k] < of[i] ? of[i] : of[k];                                                                         \
        of[i] = smaller;                                                                                               \
    }
#define ADD_MIDDLE(p)                                                                                                  \
    away = fabs(known - (2 * p + 1));                                                                                  \
    sum += away < 1.5f ? (away < 0.5f ? of[p] : 0.5f * of[p]) : zero;

/* A function that puts numbers in order, and gives the median of those that are finite: of an even number the mean of
 * the two in the middle; 0 of none. */
#define DEFINE_MEDIAN(name, type, COUNT, EACH, SORT)                                                                   \
    INLINE type name(type of[COUNT])                                                                                   \
    {                                                                                                                  \
        const type zero = 0.0f, one = 1.0f;                                                                            \
        type known = 0.0f, sum = 0.0f, smaller, away;                                                                  \
        EACH(KNOWN_ONE)                                                                                                \
        SORT(ORDER)                                                                                                    \
        EACH(ADD_MIDDLE)                                                                                               \
        return known > 0.0f ? sum : zero;                                                                              \
    }
