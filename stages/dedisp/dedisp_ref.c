/* dedisp_ref.c: dedispersion in double precision, as its definition says it.
 * Room: stages/dedisp. */
#include "dedisp.h"

/* The sum of `n` samples from `first` on. */
static double add_samples(const ct_array *x, int64_t base, int64_t first, int64_t n)
{
    double sum = 0;
    int64_t stride = ct_array_stride(x, 'T');
    for (int64_t t = first; t < first + n; t++)
        sum += ct_array_load(x, base + t * stride).re;
    return sum;
}

static double add_channels(const dedisp_trials *trials, const ct_array *x, int64_t base,
                           int64_t trial, int64_t sample)
{
    double sum = 0;
    int64_t n = ct_trials_range(trials, trial)->downsample;
    int64_t group = sample * trials->finest / n;
    for (int64_t c = 0; c < trials->channels; c++) {
        int64_t shift = ct_trials_shift(trials, trial, c);
        if (shift == DEDISP_MASKED) continue;
        sum += add_samples(x, base + c * ct_array_stride(x, 'C'), (group + shift) * n, n);
    }
    return sum;
}

static int64_t outer(const ct_array *array, int64_t b, int64_t q)
{
    return array->offset + b * (ct_array_stride(array, 'B') + ct_array_stride(array, 'S')) +
           q * ct_array_stride(array, 'Q');
}

static void dedisperse(const dedisp_trials *trials, const ct_array *x, ct_array *y, int64_t b,
                       int64_t q)
{
    for (int64_t d = 0; d < trials->count; d++)
        for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++)
            ct_array_save(
                y, outer(y, b, q) + d * ct_array_stride(y, 'D') + t * ct_array_stride(y, 'T'),
                add_channels(trials, x, outer(x, b, q), d, t), 0);
}

static bool is_left_out(const ct_array *m, int64_t b, int64_t t, int64_t c)
{
    if (m->type == CT_NONE) return false;
    const int64_t station = ct_array_extent(m, 'S') > 1 ? b * ct_array_stride(m, 'S') : 0;
    const int64_t at =
        m->offset + station + t * ct_array_stride(m, 'T') + c * ct_array_stride(m, 'C');
    return ((int)ct_array_load(m, at).re & 3) == 1;
}

static int64_t count_samples(const dedisp_trials *trials, const ct_array *m, int64_t b,
                             int64_t trial, int64_t sample)
{
    int64_t count = 0, n = ct_trials_range(trials, trial)->downsample;
    int64_t group = sample * trials->finest / n;
    for (int64_t c = 0; c < trials->channels; c++) {
        int64_t shift = ct_trials_shift(trials, trial, c);
        for (int64_t k = 0; shift != DEDISP_MASKED && k < n; k++)
            count += !is_left_out(m, b, (group + shift) * n + k, c);
    }
    return count;
}

static void count(const dedisp_trials *trials, const ct_array *m, ct_array *counts, int64_t b)
{
    if (counts->type == CT_NONE) return;
    for (int64_t d = 0; d < trials->count; d++)
        for (int64_t t = 0; t < ct_array_extent(counts, 'T'); t++)
            ct_array_save(counts,
                          outer(counts, b, 0) + d * ct_array_stride(counts, 'D') +
                              t * ct_array_stride(counts, 'T'),
                          (double)count_samples(trials, m, b, d, t), 0);
}

ct_status ct_dedisp_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[PORT_X];
    int64_t beams = ct_array_extent(x, 'B') * ct_array_extent(x, 'S');
    (void)err;
    for (int64_t b = 0; b < beams; b++) {
        count(step->state, &ports[PORT_M], &ports[PORT_COUNTS], b);
        for (int64_t q = 0; q < ct_array_extent(x, 'Q'); q++)
            dedisperse(step->state, x, &ports[PORT_Y], b, q);
    }
    return CT_OK;
}
