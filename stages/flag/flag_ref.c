/* flag_ref.c: the definitions in double precision. The median is found by sorting.
 * Room: stages/flag. Knows the formulas. Does not know kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flag.h"

/* Of a series (station or beam, polarization) in natural order. */
static int64_t place(const ct_array *x, int64_t series, int64_t t, int64_t c)
{
    return (series * ct_array_extent(x, 'T') + t) * ct_array_extent(x, 'C') + c;
}

/* What one window of one channel of a series is judged by, and what comes out. */
typedef struct {
    const ct_step *step;
    const ct_array *x, *m;
    int64_t window, series, first, c;
    double *value; /* room for a window */
    bool *found;   /* of each sample, of this series and those before */
} judged;

static bool is_present(const judged *of, int64_t t)
{
    const ct_array *x = of->x, *m = of->m;
    if (m->type == CT_NONE) return true;
    const int64_t each = ct_array_count(x) / ct_array_extent(x, 'T') / ct_array_extent(x, 'C');
    const int64_t stations = ct_array_extent(m, 'S'), channels = ct_array_extent(m, 'C');
    const int64_t s = stations > 1 ? of->series / (each / stations) : 0;
    const int64_t at = (s * ct_array_extent(m, 'T') + t) * channels + (channels > 1 ? of->c : 0);
    return ct_array_load(m, at).re == 0;
}

static void judge_voltages(const judged *of)
{
    double sum = 0, squares = 0, n = 0;
    for (int64_t t = of->first; t < of->first + of->window; t++) {
        if (!is_present(of, t)) continue;
        const ct_complex v = ct_array_load(of->x, place(of->x, of->series, t, of->c));
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

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, by_size);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static double power(const judged *of, int64_t k)
{
    return ct_array_load(of->x, place(of->x, of->series, of->first + k, of->c)).re;
}

static void judge_power(const judged *of)
{
    int64_t count = 0;
    for (int64_t k = 0; k < of->window; k++)
        if (is_present(of, of->first + k)) of->value[count++] = power(of, k);
    if (count < CT_FLAG_MEDIAN) return;
    const double middle = median(of->value, count);
    count = 0;
    for (int64_t k = 0; k < of->window; k++)
        if (is_present(of, of->first + k)) of->value[count++] = fabs(power(of, k) - middle);
    const double most = ct_step_real(of->step, "threshold") * 1.4826 * median(of->value, count);
    for (int64_t k = 0; k < of->window; k++)
        of->found[k] |=
            most > 0 && is_present(of, of->first + k) && fabs(power(of, k) - middle) > most;
}

ct_status ct_flag_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[CT_FLAG_X];
    ct_array *y = &ports[CT_FLAG_Y], *f = &ports[CT_FLAG_F];
    const int64_t window = ct_step_int(step, "window"), channels = ct_array_extent(x, 'C');
    const int64_t times = ct_array_extent(x, 'T'), stations = ct_array_extent(f, 'S');
    const int64_t series = ct_array_count(x) / times / channels / stations;
    double *value = ct_step_alloc((ct_step *)step, sizeof *value * (size_t)window);
    bool *found = ct_step_alloc((ct_step *)step, sizeof *found * (size_t)window);
    (void)err;
    if (!value || !found) return CT_FAILED;
    for (int64_t n = 0; n < ct_array_count(x); n++) {
        const ct_complex v = ct_array_load(x, n);
        ct_array_save(y, n, v.re, v.im);
    }
    for (int64_t n = 0; n < ct_array_count(f) / window; n++) {
        judged of = {.step = step,
                     .x = x,
                     .m = &ports[CT_FLAG_M],
                     .window = window,
                     .first = n / channels % (times / window) * window,
                     .c = n % channels,
                     .value = value,
                     .found = found};
        const int64_t s = n / channels / (times / window);
        memset(found, 0, sizeof *found * (size_t)window);
        for (of.series = s * series; of.series < (s + 1) * series; of.series++)
            (x->type == CT_F32 ? judge_power : judge_voltages)(&of);
        for (int64_t k = 0; k < window; k++)
            ct_array_save(f, (s * times + of.first + k) * channels + of.c, found[k], 0);
    }
    return CT_OK;
}
