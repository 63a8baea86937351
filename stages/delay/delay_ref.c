/* delay_ref.c: the definition in double precision, from the delays themselves.
 * Room: stages/delay. Knows the formula. Does not know kernels or their tables. */
#include <math.h>

#include "delay.h"

#define TWO_PI 6.28318530717958647692

static double gain(const ct_delay *delay, int64_t s, int64_t p, int64_t c)
{
    const ct_array *g = &delay->gains;
    if (g->type == CT_NONE) return 1;
    return ct_array_load(g, g->offset + s * g->stride[0] + p * g->stride[1] + c * g->stride[2]).re;
}

static void one_sample(const ct_step *step, ct_array ports[], const ct_delay_end ends[2], int64_t s,
                       int64_t t)
{
    const ct_delay *delay = step->state;
    const ct_array *x = &ports[CT_DELAY_X];
    const int64_t pols = ct_array_extent(x, 'P'), channels = ct_array_extent(x, 'C');
    for (int64_t n = 0; n < pols * channels; n++) {
        const int64_t p = n / channels, c = n % channels;
        const int64_t at = ((s * pols + p) * ct_array_extent(x, 'T') + t) * channels + c;
        const ct_delay_line line =
            ct_delay_line_of(step, &ends[0], &ends[1], delay->pols > 1 ? s * pols + p : s);
        const double tau_s = line.at_s + (double)(t - line.first) * line.rate_s;
        const int64_t whole = delay->shifts ? ct_delay_whole(delay, &ends[0], &ends[1],
                                                             delay->pols > 1 ? s * pols + p : s,
                                                             delay->shifts->sample_time_s)
                                            : 0;
        const double cycles = ct_delay_cycles(step, c, tau_s, whole);
        const double re = cos(TWO_PI * cycles), im = sin(TWO_PI * cycles);
        const ct_complex v = ct_array_load(x, at);
        const double g = gain(delay, s, p, c);
        ct_array_save(&ports[CT_DELAY_Y], at, g * (v.re * re - v.im * im),
                      g * (v.re * im + v.im * re));
    }
}

ct_status ct_delay_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *x = &ports[CT_DELAY_X];
    for (int64_t t = 0; t < ct_array_extent(x, 'T'); t++) {
        ct_delay_end ends[2];
        const int64_t knot = ct_delay_knot_of(step, t);
        status = ct_delay_knot(step, knot, &ends[0], err);
        if (status == CT_OK) status = ct_delay_knot(step, knot + 1, &ends[1], err);
        for (int64_t s = 0; status == CT_OK && s < ct_array_extent(x, 'S'); s++)
            one_sample(step, ports, ends, s, t);
    }
    return status;
}
