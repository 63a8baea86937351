/* plot_axes.c: axes from what is known of an array: time, frequency, dispersion measure, or
 * indices. Room: plot. Knows metadata and units. Does not know pictures. */
#include <math.h>
#include <string.h>

#include "plot_inner.h"

double ct_plot_prefix(double span, const char **prefix)
{
    static const struct {
        double least, factor;
        const char *prefix;
    } steps[] = {{1e9, 1e-9, "G"}, {1e6, 1e-6, "M"}, {1e3, 1e-3, "k"},
                 {1, 1, ""},       {1e-3, 1e3, "m"}, {0, 1e6, "\u00b5"}};
    size_t i = 0;
    while (!(fabs(span) >= steps[i].least) && steps[i].least > 0)
        i++;
    *prefix = steps[i].prefix;
    return steps[i].factor;
}

static void axis_set(ct_plot_axis *out, double first, double last, double each)
{
    out->axis.low = first - each / 2;
    out->axis.high = last + each / 2;
    out->falls = out->axis.low > out->axis.high;
    if (out->falls) {
        const double low = out->axis.high;
        out->axis.high = out->axis.low;
        out->axis.low = low;
    }
}

static void axis_indices(ct_plot_axis *out, char dim, int64_t count, const char *why)
{
    const char *name = ct_dim_name(dim);
    axis_set(out, 0, (double)count - 1, 1);
    ct_number_print(out->label, sizeof out->label, "%s%s", name ? name : "index", why);
}

void ct_plot_axis_time(ct_plot_axis *out, const ct_meta *meta, int64_t samples)
{
    const char *prefix = "";
    const double each = meta->sample_time_s, last = meta->start_s + each * (double)(samples - 1);
    *out = (ct_plot_axis){.axis.label = out->label};
    if (!(each > 0) || !isfinite(last)) {
        axis_set(out, 0, (double)samples - 1, 1);
        ct_number_print(out->label, sizeof out->label, "sample");
        return;
    }
    double factor = 1;
    if (last < 1) factor = ct_plot_prefix(fmax(last, each), &prefix);
    axis_set(out, meta->start_s * factor, last * factor, each * factor);
    if (meta->start_mjd > 0)
        ct_number_print(out->label, sizeof out->label, "time after MJD %.9g, %ss", meta->start_mjd,
                        prefix);
    else
        ct_number_print(out->label, sizeof out->label, "time, %ss", prefix);
}

/* Whether values of a list are evenly spaced, to a hundredth of a step. */
static bool is_even(const double *value, int64_t count)
{
    const double each = count > 1 ? (value[count - 1] - value[0]) / (double)(count - 1) : 0;
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(value[i] - value[0] - each * (double)i) <= 0.01 * fabs(each))) return false;
    return count < 2 || each != 0;
}

static void axis_frequency(ct_plot_axis *out, const ct_meta *meta, int64_t rows)
{
    const double *at = meta->frequency_hz;
    const double each =
        rows > 1 ? (at[rows - 1] - at[0]) / (double)(rows - 1) : fabs(meta->channel_width_hz);
    if (is_even(at, rows)) {
        axis_set(out, at[0] / 1e6, at[rows - 1] / 1e6, each / 1e6);
        ct_number_print(out->label, sizeof out->label, "frequency, MHz");
    } else {
        axis_set(out, 0, (double)rows - 1, 1);
        ct_number_print(out->label, sizeof out->label,
                        "channel (%.6g to %.6g MHz, unevenly spaced)", at[0] / 1e6,
                        at[rows - 1] / 1e6);
    }
}

static void axis_trials(ct_plot_axis *out, const ct_meta *meta, int64_t rows)
{
    if (is_even(meta->dm, rows)) {
        const double each = rows > 1 ? (meta->dm[rows - 1] - meta->dm[0]) / (double)(rows - 1) : 1;
        axis_set(out, meta->dm[0], meta->dm[rows - 1], each);
        ct_number_print(out->label, sizeof out->label, "DM, pc cm\u207b\u00b3");
    } else {
        axis_set(out, 0, (double)rows - 1, 1);
        ct_number_print(out->label, sizeof out->label,
                        "trial (DM %.6g to %.6g pc cm\u207b\u00b3, unevenly spaced)", meta->dm[0],
                        meta->dm[rows - 1]);
    }
}

void ct_plot_axis_up(ct_plot_axis *out, const ct_array *array, const ct_plot_choice *choice)
{
    const ct_meta *meta = &array->meta;
    *out = (ct_plot_axis){.axis.label = out->label};
    if (choice->up == 'C' && meta->frequency_hz && meta->frequencies == choice->rows)
        axis_frequency(out, meta, choice->rows);
    else if (choice->up == 'D' && meta->dm && meta->dms == choice->rows)
        axis_trials(out, meta, choice->rows);
    else
        axis_indices(out, choice->up, choice->rows, "");
}
