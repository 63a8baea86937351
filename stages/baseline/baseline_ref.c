/* baseline_ref.c: the definition in double precision.
 * Room: stages/baseline. Knows the formulas. Does not know kernels. */
#include <math.h>
#include <stdlib.h>

#include "baseline.h"
#include "columns.h"

/* NaN: all are flagged. */
static double mean_of(const ct_columns_view *view, int64_t series, int64_t first, int64_t end,
                      int64_t c)
{
    double sum = 0, count = 0;
    for (int64_t t = first; t < end; t++) {
        const double x = ct_columns_value(view, series, t, c);
        if (isnan(x)) continue;
        sum += x;
        count++;
    }
    return sum / count;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the means of its parts; NaN: there is none. */
static double level_of(const ct_columns_view *view, int64_t series, int64_t first, int64_t window,
                       int64_t c)
{
    const int64_t part = window / CT_BASELINE_PARTS;
    double mean[CT_BASELINE_PARTS];
    size_t count = 0;
    for (int64_t k = 0; k < CT_BASELINE_PARTS; k++) {
        mean[count] = mean_of(view, series, first + k * part, first + (k + 1) * part, c);
        if (!isnan(mean[count])) count++;
    }
    if (count == 0) return NAN;
    qsort(mean, count, sizeof *mean, compare);
    return 0.5 * (mean[(count - 1) / 2] + mean[count / 2]);
}

/* Where the line through the middles of two windows is at the end of the second. */
static double end_of(double first, double second)
{
    if (isnan(first)) return second;
    return isnan(second) ? first : second + 0.5 * (second - first);
}

/* What is left of window `n` of the new ones, in a column. */
static void take_off(const ct_step *step, const ct_columns_view *view, ct_array *y, int64_t series,
                     int64_t n, int64_t c)
{
    const int64_t window = ct_step_int(step, "window"), before = CT_BASELINE_BEFORE * window;
    ct_columns_view left = *view; /* as Y has it, without history */
    double level[CT_BASELINE_BEFORE + 1];
    left.times -= before;
    if (left.time_stride == 1) left.column_stride = left.times;
    for (int64_t k = 0; k <= CT_BASELINE_BEFORE; k++)
        level[k] = level_of(view, series, (n + k) * window, window, c);
    const double last = end_of(level[1], level[2]);
    const double known = end_of(level[0], level[1]), first = isnan(known) ? last : known;
    for (int64_t k = 0; k < window; k++) {
        const double x = ct_columns_value(view, series, before + n * window + k, c);
        const double base = first + (last - first) * ((double)k + 0.5) / (double)window;
        ct_array_save(y, ct_columns_at(&left, series, n * window + k, c),
                      isnan(x) ? 0 : (x - base) * ct_step_real(step, "scale"), 0);
    }
}

ct_status ct_baseline_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_columns_view view = ct_columns_of(step, ports, CT_BASELINE_M);
    ct_array *y = &ports[CT_BASELINE_Y];
    const int64_t windows = ct_array_extent(y, 'T') / ct_step_int(step, "window");
    (void)err;
    for (int64_t n = 0; n < view.series * windows; n++)
        for (int64_t c = 0; c < view.columns; c++)
            take_off(step, &view, y, n / windows, n % windows, c);
    return CT_OK;
}
