/* zerodm_ref.c: the definitions in double precision.
 * Room: stages/zerodm. Knows the formulas. Does not know kernels. */
#include <math.h>
#include <stdlib.h>

#include "zerodm.h"

/* One beam or station and Stokes parameter, in natural order. */
typedef struct {
    const ct_array *x, *m;
    ct_array *y;
    int64_t first;   /* its first element */
    int64_t station; /* among those of the flags */
    int64_t times, channels;
    double scale;
    double *common;    /* to channels, of each sample; NaN: nothing */
    double correction; /* of slopes, in this window */
} series;

/* NaN: left out. */
static double value(const series *of, int64_t t, int64_t c)
{
    const double x = ct_array_load(of->x, of->first + t * of->channels + c).re;
    const int64_t channels = ct_array_extent(of->m, 'C');
    const int64_t at = (of->station * of->times + t) * channels + (channels > 1 ? c : 0);
    const int flag = of->m->type == CT_NONE ? 0 : (int)ct_array_load(of->m, at).re;
    return flag & 1 || !isfinite(x) ? NAN : x;
}

static void save(const series *of, int64_t t, int64_t c, double left)
{
    ct_array_save(of->y, of->first + t * of->channels + c, isfinite(left) ? left * of->scale : 0,
                  0);
}

/* Over some channels; NaN: none has a say. */
static double mean_of(const series *of, int64_t t, int64_t first, int64_t end)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t c = first; c < end; c++) {
        const double x = value(of, t, c);
        if (isnan(x)) continue;
        sum += x;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NaN of none. Puts them in order. */
static double median(double *numbers, int64_t n)
{
    qsort(numbers, (size_t)n, sizeof numbers[0], ascending);
    return n ? (numbers[n / 2] + numbers[(n - 1) / 2]) / 2 : NAN;
}

/* What a line of this slope is at z = 0, after some samples; how many these are. */
static double level(const series *of, int64_t first, int64_t end, int64_t c, double slope,
                    int64_t *count)
{
    double sum = 0;
    *count = 0;
    for (int64_t t = first; t < end; t++) {
        if (isnan(value(of, t, c))) continue;
        sum += value(of, t, c) - slope * of->common[t];
        ++*count;
    }
    return sum / (double)*count;
}

/* Their mean, without those far from the median; `known`: what each is known to. */
static double mean_of_most(double *levels, int64_t n, double known)
{
    double sum = 0, weights = 0;
    const double middle = median(levels, n);
    for (int64_t p = 0; p < n; p++) {
        const double near = known > 0 ? CT_ZERODM_FAR - fabs(levels[p] - middle) / known : 1;
        const double weight = fmax(fmin(near, 1), 0);
        sum += weight * (levels[p] - middle);
        weights += weight;
    }
    return middle + sum / fmax(weights, 1);
}

/* Of parts of a window of which half has a say, at least; else of all of it. */
static double robust_level(const series *of, int64_t first, int64_t end, int64_t c, double slope,
                           double rms)
{
    double levels[CT_ZERODM_PARTS];
    int64_t count, n = 0;
    const int64_t part = ct_zerodm_part(end - first);
    for (int64_t t = first; t < end; t += part) {
        levels[n] = level(of, t, t + part < end ? t + part : end, c, slope, &count);
        n += 2 * count >= part;
    }
    return n ? mean_of_most(levels, n, rms / sqrt((double)part))
             : level(of, first, end, c, slope, &count);
}

/* One channel over one window: twice, so that what is squared is small. */
static void fit(const series *of, int64_t first, int64_t end, int64_t c)
{
    double n = 0, x = 0, z = 0, xx = 0, zz = 0, xz = 0;
    for (int64_t t = first; t < end; t++) {
        if (isnan(value(of, t, c))) continue;
        n++;
        x += value(of, t, c);
        z += of->common[t];
    }
    x /= n;
    z /= n;
    for (int64_t t = first; t < end; t++) {
        if (isnan(value(of, t, c))) continue;
        xx += (value(of, t, c) - x) * (value(of, t, c) - x);
        zz += (of->common[t] - z) * (of->common[t] - z);
        xz += (of->common[t] - z) * (value(of, t, c) - x);
    }
    const double slope = zz > 0 ? of->correction * xz / zz : 0;
    const double left = fmax((xx - 2 * slope * xz + slope * slope * zz) / n, 0);
    const double line = robust_level(of, first, end, c, slope, sqrt(left));
    for (int64_t t = first; t < end; t++)
        save(of, t, c, value(of, t, c) - slope * of->common[t] - line);
}

static int64_t end_of(const series *of, int64_t channel)
{
    return channel < of->channels ? channel : of->channels;
}

/* Over a window the means of groups of channels. */
static void find_levels(const series *of, int64_t first, int64_t end, double *level)
{
    const int64_t group = ct_zerodm_group(of->channels);
    for (int64_t k = 0, c = 0; c < of->channels; k++, c += group) {
        int64_t count = 0;
        double sum = 0;
        for (int64_t t = first; t < end; t++) {
            const double x = mean_of(of, t, c, end_of(of, c + group));
            sum += isnan(x) ? 0 : x;
            count += !isnan(x);
        }
        level[k] = sum / (double)count;
    }
}

/* What groups of channels are above their levels; returns how many. */
static int64_t find_above(const series *of, int64_t t, const double *level, double *above)
{
    const int64_t group = ct_zerodm_group(of->channels);
    int64_t n = 0;
    for (int64_t k = 0, c = 0; c < of->channels; k++, c += group) {
        const double x = mean_of(of, t, c, end_of(of, c + group));
        if (!isnan(x)) above[n++] = x - level[k];
    }
    return n;
}

/* What all channels have in common: the median over groups. The mean has as much of it and scatters
 * less: slopes over the median are too small by the part of its variance that is not the mean's. */
static void find_common(series *of, int64_t first, int64_t end)
{
    double level[CT_ZERODM_GROUPS], above[CT_ZERODM_GROUPS];
    double count = 0, z = 0, other = 0, square = 0, product = 0;
    find_levels(of, first, end, level);
    for (int64_t t = first; t < end; t++) {
        const int64_t n = find_above(of, t, level, above);
        double mean = 0;
        for (int64_t k = 0; k < n; k++)
            mean += above[k] / (double)n;
        const double middle = of->common[t] = median(above, n);
        if (isnan(middle)) continue;
        count++;
        z += middle;
        other += mean;
        square += middle * middle;
        product += middle * mean;
    }
    square -= z * z / count;
    product -= z * other / count;
    of->correction = square > 0 ? fmin(fmax(square / fmax(product, 1e-300), 1), 2) : 1;
}

static void filter(series *of, int64_t window)
{
    for (int64_t t = 0; window == 0 && t < of->times; t++) {
        const double mean = mean_of(of, t, 0, of->channels);
        for (int64_t c = 0; c < of->channels; c++)
            save(of, t, c, value(of, t, c) - mean);
    }
    for (int64_t first = 0; window > 0 && first < of->times; first += window) {
        find_common(of, first, first + window);
        for (int64_t c = 0; c < of->channels; c++)
            fit(of, first, first + window, c);
    }
}

ct_status ct_zerodm_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[CT_ZERODM_X], *m = &ports[CT_ZERODM_M];
    const int64_t times = ct_array_extent(x, 'T'), count = ct_zerodm_series(x);
    const int64_t stations = m->type == CT_NONE ? 1 : ct_array_extent(m, 'S');
    series of = {.x = x,
                 .m = m,
                 .y = &ports[CT_ZERODM_Y],
                 .times = times,
                 .channels = ct_array_extent(x, 'C'),
                 .scale = ct_step_real(step, "scale"),
                 .common = ct_step_alloc((ct_step *)step, sizeof(double) * (size_t)times)};
    (void)err;
    if (!of.common) return CT_FAILED;
    for (int64_t n = 0; n < count; n++) {
        of.first = n * times * of.channels;
        of.station = stations > 1 ? n / (count / stations) : 0;
        filter(&of, ct_zerodm_fits(step) ? ct_step_int(step, "window") : 0);
    }
    return CT_OK;
}
