/* flag_ref.c: the definition for voltages in double precision; flag_power_ref.c has that for power.
 * Room: stages/flag. Knows the formulas. Does not know kernels. */
#include <math.h>
#include <string.h>

#include "flag.h"

/* A series: one station or beam, one polarization. */
int64_t ct_flag_place(const ct_array *x, int64_t series, int64_t t, int64_t c)
{
    return (series * ct_array_extent(x, 'T') + t) * ct_array_extent(x, 'C') + c;
}

bool ct_flag_is_present(const ct_array *x, const ct_array *m, int64_t series, int64_t t, int64_t c)
{
    if (m->type == CT_NONE) return true;
    const int64_t each = ct_array_count(x) / ct_array_extent(x, 'T') / ct_array_extent(x, 'C');
    const int64_t stations = ct_array_extent(m, 'S'), channels = ct_array_extent(m, 'C');
    const int64_t s = stations > 1 ? series / (each / stations) : 0;
    const int64_t at = (s * ct_array_extent(m, 'T') + t) * channels + (channels > 1 ? c : 0);
    return ct_array_load(m, at).re == 0;
}

/* What one window of one channel of a series is judged by, and what comes out. */
typedef struct {
    const ct_step *step;
    const ct_array *x, *m;
    int64_t window, series, first, c;
    bool *found; /* of each sample, of this series and those before */
} judged;

static void judge_voltages(const judged *of)
{
    double sum = 0, squares = 0, n = 0;
    for (int64_t t = of->first; t < of->first + of->window; t++) {
        if (!ct_flag_is_present(of->x, of->m, of->series, t, of->c)) continue;
        const ct_complex v = ct_array_load(of->x, ct_flag_place(of->x, of->series, t, of->c));
        const double power = v.re * v.re + v.im * v.im;
        sum += power;
        squares += power * power;
        n++;
    }
    if (sum == 0) return;
    const ct_flag_range range = ct_flag_range_of(of->step, (int64_t)n * CT_FLAG_PARTS / of->window);
    const double kurtosis = (n + 1) / (n - 1) * (n * squares / (sum * sum) - 1);
    for (int64_t k = 0; k < of->window; k++)
        of->found[k] |= kurtosis < range.low || kurtosis > range.high;
}

ct_status ct_flag_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[CT_FLAG_X];
    ct_array *y = &ports[CT_FLAG_Y], *f = &ports[CT_FLAG_F];
    const int64_t window = ct_step_int(step, "window"), channels = ct_array_extent(x, 'C');
    const int64_t times = ct_array_extent(x, 'T'), stations = ct_array_extent(f, 'S');
    const int64_t series = ct_array_count(x) / times / channels / stations;
    bool *found = ct_step_alloc((ct_step *)step, sizeof *found * (size_t)window);
    (void)err;
    if (!found) return CT_FAILED;
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        const ct_complex v = ct_array_load(x, n);
        ct_array_save(y, n, v.re, v.im);
    }
    if (ct_flag_is_power(step)) return ct_flag_power_reference(step, ports);
    for (int64_t n = 0; n < ct_array_count(f) / window; n++) {
        judged of = {.step = step,
                     .x = x,
                     .m = &ports[CT_FLAG_M],
                     .window = window,
                     .first = n / channels % (times / window) * window,
                     .c = n % channels,
                     .found = found};
        const int64_t s = n / channels / (times / window);
        memset(found, 0, sizeof *found * (size_t)window);
        for (of.series = s * series; of.series < (s + 1) * series; of.series++)
            judge_voltages(&of);
        for (int64_t k = 0; k < window; k++)
            ct_array_save(f, (s * times + of.first + k) * channels + of.c, found[k], 0);
    }
    return CT_OK;
}
