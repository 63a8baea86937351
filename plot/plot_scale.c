/* plot_scale.c: values as colours, with a range that a few outliers do not change.
 * Room: plot. Knows numbers and colours. Does not know what they are of. */
#include <math.h>
#include <stdlib.h>

#include "plot_inner.h"

enum { BAR_WIDTH = 14, BAR_STEPS = 96 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Those that are finite, in front. */
static size_t keep_finite(double *value, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i])) value[kept++] = value[i];
    return kept;
}

/* A range of no length would make one colour, or divide by it. */
static ct_axis axis_of(double low, double high)
{
    const double span = high - low, least = 1e-6 * fmax(fabs(low), fabs(high));
    if (span > least) return (ct_axis){low, high, NULL};
    const double half = low == 0 ? 0.5 : 0.01 * fabs(low);
    return (ct_axis){low - half, high + half, NULL};
}

void ct_plot_scale_find(ct_plot_scale *out, double *value, size_t count)
{
    const size_t kept = keep_finite(value, count);
    *out = (ct_plot_scale){0};
    if (kept == 0) {
        out->axis = (ct_axis){0, 1, NULL};
        return;
    }
    qsort(value, kept, sizeof *value, compare);
    const size_t cut = kept / 50;
    out->axis = axis_of(value[cut], value[kept - 1 - cut]);
}

ct_axis ct_plot_scale_all(const double *value, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i])) {
            low = fmin(low, value[i]);
            high = fmax(high, value[i]);
        }
    if (!(low <= high)) return (ct_axis){0, 1, NULL};
    ct_axis axis = axis_of(low, high);
    const double more = 0.04 * (axis.high - axis.low);
    return (ct_axis){axis.low - more, axis.high + more, NULL};
}

int ct_plot_scale_colour(const ct_plot_scale *scale, double value)
{
    if (isnan(value)) return CT_COLOUR_NAN;
    const double part = ct_axis_place(&scale->axis, value);
    return scale->cyclic ? ct_palette_cycle(part) : ct_palette_scale(part);
}

void ct_plot_scale_bar(ct_canvas *canvas, const ct_plot_scale *scale, ct_box box)
{
    uint8_t cells[BAR_STEPS];
    const ct_box bar = {box.x, box.y, BAR_WIDTH, box.height};
    for (int i = 0; i < BAR_STEPS; i++) {
        const double part = 1 - i / (BAR_STEPS - 1.0);
        cells[i] = (uint8_t)(scale->cyclic ? ct_palette_cycle(part) : ct_palette_scale(part));
    }
    ct_axis axis = scale->axis;
    axis.label = scale->label;
    ct_canvas_image(canvas, bar, 1, BAR_STEPS, cells);
    ct_canvas_box(canvas, bar, CT_COLOUR_NONE, CT_COLOUR_INK);
    ct_axis_right(canvas, bar, &axis);
}
