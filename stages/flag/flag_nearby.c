/* flag_nearby.c: how power is compared over channels and over the parts of a window.
 * Room: stages/flag. Knows parameters, frequencies. Does not know samples. */
#include <math.h>

#include "flag.h"

static int64_t clip(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Samples by which a burst of the largest dispersion measure comes later, so many channels further,
 * where the sweep is slowest; 0 where it is not known. */
static double samples_of_sweep(const ct_step *step, int64_t channels)
{
    const ct_array *x = &step->port[CT_FLAG_X];
    const int64_t count = ct_array_extent(x, 'C');
    const double *hz = x->meta.frequency_hz;
    double most = 0;
    if (!hz || x->meta.frequencies != count || x->meta.sample_time_s <= 0) return 0;
    for (int64_t c = 0; c + channels < count; c++) {
        const double from = 1e6 / hz[c], to = 1e6 / hz[c + channels];
        most = fmax(most, fabs(from * from - to * to));
    }
    return 4.148808e3 * ct_step_real(step, "dm") * most / x->meta.sample_time_s;
}

/* Lags of the iqrm package: 1, and on by a factor of 1.5. */
static int lags_of(int64_t radius, int64_t lag[CT_FLAG_LAGS])
{
    int count = 0;
    for (int64_t next = 1; next <= radius && count < CT_FLAG_LAGS; count++) {
        const int64_t further = (int64_t)(1.5 * (double)next);
        lag[count] = next;
        next = further > next ? further : next + 1;
    }
    return count;
}

ct_flag_nearby ct_flag_nearby_of(const ct_step *step)
{
    const int64_t window = ct_step_int(step, "window");
    const int64_t channels = ct_array_extent(&step->port[CT_FLAG_X], 'C');
    ct_flag_nearby of = {.near = clip((channels - 1) / 2, 0, CT_FLAG_NEAR)};
    const double sweep = samples_of_sweep(step, of.near / 2);
    const int64_t runs = ct_divide_up(window, CT_FLAG_RUN);
    const int64_t wanted = sweep > 0 ? (int64_t)fmin(sweep / CT_FLAG_RUN, 1e9) + 1 : 4;
    of.part = clip(wanted, 2, runs > 2 ? runs : 2) * CT_FLAG_RUN;
    of.parts = ct_divide_up(window, of.part);
    of.most = (int64_t)(ct_step_real(step, "most_channels") * (double)channels + 1e-9);
    if (ct_step_real(step, "iqrm") > 0)
        of.lags = lags_of((int64_t)(ct_step_real(step, "radius") * (double)channels), of.lag);
    return of;
}
