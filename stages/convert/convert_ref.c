/* convert_ref.c: the definitions in double precision.
 * Room: stages/convert. Knows the formulas. Does not know kernels. */
#include <math.h>

#include "columns.h"
#include "convert.h"

typedef struct {
    const ct_columns_view *view;
    ct_array *y;
    bool integer; /* what is made */
    ct_convert_range range;
    double mean, sigma; /* of a channel that is measured */
} converted;

/* What is no number becomes 0 in an integer. */
static void save(const converted *of, int64_t at, double value)
{
    if (isnan(value) && of->integer) value = 0;
    double y = fmin(fmax(value, of->range.low), of->range.high);
    if (isnan(value)) y = value;
    ct_array_save(of->y, at, y, 0);
}

static void measure(const converted *of, int64_t series, int64_t first, int64_t end, int64_t c)
{
    double n = 0, sum = 0, squares = 0;
    for (int64_t t = first; t < end; t++) {
        const double x = ct_columns_value(of->view, series, t, c);
        if (isnan(x)) continue;
        n++;
        sum += x;
    }
    const double mean = sum / n;
    for (int64_t t = first; t < end; t++) {
        const double x = ct_columns_value(of->view, series, t, c);
        if (!isnan(x)) squares += (x - mean) * (x - mean);
    }
    const double factor = squares > 0 ? of->sigma / sqrt(squares / n) : 0;
    for (int64_t t = first; t < end; t++) {
        const double x = ct_columns_value(of->view, series, t, c);
        save(of, ct_columns_at(of->view, series, t, c),
             of->mean + (isnan(x) ? 0 : factor * (x - mean)));
    }
}

static void count(const converted *of, ct_array *counts)
{
    const ct_columns_view *view = of->view;
    for (int64_t n = 0; n < ct_array_count(of->y); n++) {
        const double value = ct_array_load(of->y, n).re;
        const double y = of->integer ? nearbyint(value) : value;
        const int64_t at = view->time_stride == 1 ? n : n / view->columns;
        if (y > of->range.low && y < of->range.high) continue;
        ct_array_save(counts, at, ct_array_load(counts, at).re + 1, 0);
    }
}

ct_status ct_convert_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_columns_view view = ct_columns_of(step, ports, CT_CONVERT_M);
    const int64_t window = ct_step_int(step, "window");
    const double scale = ct_step_real(step, "scale"), offset = ct_step_real(step, "offset");
    const converted of = {.view = &view,
                          .y = &ports[CT_CONVERT_Y],
                          .integer = ct_type_integer(ct_type_parse(ct_step_text(step, "type"))),
                          .range = ct_convert_range_of(step),
                          .mean = ct_step_real(step, "mean"),
                          .sigma = ct_step_real(step, "sigma")};
    (void)err;
    if (!ct_convert_measures(step))
        for (int64_t n = 0; n < ct_array_count(view.x); n++)
            save(&of, n, scale * ct_array_load(view.x, n).re + offset);
    else
        for (int64_t n = 0; n < view.series * (view.times / window); n++)
            for (int64_t c = 0; c < view.columns; c++) {
                const int64_t first = n % (view.times / window) * window;
                measure(&of, n / (view.times / window), first, first + window, c);
            }
    if (ports[CT_CONVERT_COUNTS].type != CT_NONE) count(&of, &ports[CT_CONVERT_COUNTS]);
    return CT_OK;
}
