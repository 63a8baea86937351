/* delay_ref.c: the definition in double precision, from the delays themselves.
 * Room: stages/delay. Knows the formula. Does not know kernels or their tables. */
#include <math.h>
#include <string.h>

#include "delay.h"

#define TWO_PI 6.28318530717958647692

/* What a station and channel is multiplied by at this sample: 1 where nothing is said. */
static void gains_at(const ct_step *step, int64_t s, int64_t c, int64_t t, ct_complex out[2][2])
{
    const ct_gains *gains = ((const ct_delay *)step->state)->gains;
    const ct_meta *meta = &step->port[CT_DELAY_X].meta;
    ct_gain line[CT_GAINS_JONES];
    memset(out, 0, 4 * sizeof **out);
    out[0][0].re = out[1][1].re = 1;
    if (!gains) return;
    const int64_t number = ct_gains_line_at(gains, t);
    const double since =
        ct_gains_since(gains, number, meta->start_s + (double)t * meta->sample_time_s);
    ct_gains_make(gains, number, s, c, line);
    for (int64_t n = 0; n < gains->elements && n < CT_GAINS_JONES; n++) {
        const double a = line[n].a + line[n].a_rate * since, b = line[n].b + line[n].b_rate * since;
        if (gains->jones)
            out[n / 2][n % 2] = (ct_complex){a, b};
        else if (n < 2)
            out[n][n] = (ct_complex){a * cos(TWO_PI * b), a * sin(TWO_PI * b)};
    }
}

static ct_complex times(ct_complex a, ct_complex b)
{
    return (ct_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* In phase, before gains. */
static ct_complex one_sample(const ct_step *step, ct_array ports[], const ct_delay_end ends[2],
                             const int64_t at[4], int64_t place)
{
    const ct_delay *delay = step->state;
    const int64_t n = delay->pols > 1 ? at[0] * delay->pols + at[1] : at[0];
    const ct_delay_line line = ct_delay_line_of(step, &ends[0], &ends[1], n);
    const double tau_s = line.at_s + (double)(at[2] - line.first) * line.rate_s;
    const int64_t whole =
        delay->shifts ? ct_delay_whole(delay, &ends[0], &ends[1], n, delay->shifts->sample_time_s)
                      : 0;
    const double cycles = ct_delay_cycles(step, at[3], tau_s, whole);
    return times(ct_array_load(&ports[CT_DELAY_X], place),
                 (ct_complex){cos(TWO_PI * cycles), sin(TWO_PI * cycles)});
}

/* All polarizations of a station and channel; a third one, and more, has factors only. */
static void all_pols(const ct_step *step, ct_array ports[], const ct_delay_end ends[2], int64_t s,
                     int64_t t, int64_t c)
{
    const ct_array *x = &ports[CT_DELAY_X];
    ct_array *f = &ports[CT_DELAY_F];
    const int64_t pols = ct_array_extent(x, 'P'), channels = ct_array_extent(x, 'C');
    ct_complex gain[2][2], in[2];
    gains_at(step, s, c, t, gain);
    for (int64_t p = 0; p < pols; p++)
        in[p] = one_sample(step, ports, ends, (int64_t[]){s, p, t, c},
                           ((s * pols + p) * ct_array_extent(x, 'T') + t) * channels + c);
    for (int64_t p = 0; p < pols; p++) {
        const ct_complex own = times(gain[p][p], in[p]);
        const ct_complex other = pols == 2 ? times(gain[p][1 - p], in[1 - p]) : (ct_complex){0, 0};
        ct_array_save(&ports[CT_DELAY_Y],
                      ((s * pols + p) * ct_array_extent(x, 'T') + t) * channels + c,
                      own.re + other.re, own.im + other.im);
    }
    if (f->type == CT_NONE) return;
    double size = 0;
    for (int n = 0; n < 4; n++)
        size += fabs(gain[n / 2][n % 2].re) + fabs(gain[n / 2][n % 2].im);
    if (pols == 1) size -= 1; /* of what is not there */
    ct_array_save(
        f, s * ct_array_stride(f, 'S') + t * ct_array_stride(f, 'T') + c * ct_array_stride(f, 'C'),
        size == 0, 0);
}

ct_status ct_delay_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *x = &ports[CT_DELAY_X];
    const int64_t channels = ct_array_extent(x, 'C');
    for (int64_t t = 0; t < ct_array_extent(x, 'T'); t++) {
        ct_delay_end ends[2];
        const int64_t knot = ct_delay_knot_of(step, t);
        status = ct_delay_knot(step, knot, &ends[0], err);
        if (status == CT_OK) status = ct_delay_knot(step, knot + 1, &ends[1], err);
        for (int64_t n = 0; status == CT_OK && n < ct_array_extent(x, 'S') * channels; n++)
            all_pols(step, ports, ends, n / channels, t, n % channels);
    }
    return status;
}
