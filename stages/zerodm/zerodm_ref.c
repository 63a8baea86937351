/* zerodm_ref.c: the definitions in double precision.
 * Room: stages/zerodm. Knows the formulas. Does not know kernels. */
#include <math.h>

#include "zerodm.h"

/* One beam or station and Stokes parameter, in natural order. */
typedef struct {
    const ct_array *x, *m;
    ct_array *y;
    int64_t first;   /* its first element */
    int64_t station; /* among those of the flags */
    int64_t times, channels;
    double scale;
    double *mean; /* over channels, of each sample; NaN: none */
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

static double mean_of(const series *of, int64_t t)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < of->channels; c++) {
        const double x = value(of, t, c);
        if (isnan(x)) continue;
        sum += x;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* One channel over one window: twice, so that what is squared is small. */
static void fit(const series *of, int64_t first, int64_t end, int64_t c)
{
    double n = 0, x = 0, z = 0, zz = 0, xz = 0;
    for (int64_t t = first; t < end; t++) {
        if (isnan(value(of, t, c))) continue;
        n++;
        x += value(of, t, c);
        z += of->mean[t];
    }
    x /= n;
    z /= n;
    for (int64_t t = first; t < end; t++) {
        if (isnan(value(of, t, c))) continue;
        zz += (of->mean[t] - z) * (of->mean[t] - z);
        xz += (of->mean[t] - z) * (value(of, t, c) - x);
    }
    const double slope = zz > 0 ? xz / zz : 0;
    for (int64_t t = first; t < end; t++)
        save(of, t, c, value(of, t, c) - x - slope * (of->mean[t] - z));
}

static void filter(const series *of, int64_t window)
{
    for (int64_t t = 0; t < of->times; t++)
        of->mean[t] = mean_of(of, t);
    for (int64_t first = 0; window > 0 && first < of->times; first += window)
        for (int64_t c = 0; c < of->channels; c++)
            fit(of, first, first + window, c);
    for (int64_t t = 0; window == 0 && t < of->times; t++)
        for (int64_t c = 0; c < of->channels; c++)
            save(of, t, c, value(of, t, c) - of->mean[t]);
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
                 .mean = ct_step_alloc((ct_step *)step, sizeof(double) * (size_t)times)};
    (void)err;
    if (!of.mean) return CT_FAILED;
    for (int64_t n = 0; n < count; n++) {
        of.first = n * times * of.channels;
        of.station = stations > 1 ? n / (count / stations) : 0;
        filter(&of, ct_zerodm_fits(step) ? ct_step_int(step, "window") : 0);
    }
    return CT_OK;
}
