/* delay_lines.c: delays as straight lines between knots; see delay.h.
 * Room: stages/delay. Knows time and geometry. Does not know kernels. */
#include "delay.h"

#include <math.h>

#include "arrival.h"

static const ct_meta *stream(const ct_step *step)
{
    return &step->port[CT_DELAY_X].meta;
}

int64_t ct_delay_first(const ct_step *step, const ct_meta *block)
{
    return (int64_t)llround((block->start_s - stream(step)->start_s) / stream(step)->sample_time_s);
}

int64_t ct_delay_knots(const ct_step *step, int64_t samples)
{
    const ct_delay *delay = step->state;
    if (delay->rows == 1) return 1; /* it never changes */
    return (int64_t)(((double)samples * stream(step)->sample_time_s) / delay->step_s) + 3;
}

int64_t ct_delay_sample_at(const ct_step *step, int64_t k)
{
    const ct_delay *delay = step->state;
    const double since_s = (double)k * delay->step_s - stream(step)->start_s;
    return (int64_t)ceil(since_s / stream(step)->sample_time_s);
}

int64_t ct_delay_knot_of(const ct_step *step, int64_t sample)
{
    const ct_delay *delay = step->state;
    const double at_s = stream(step)->start_s + (double)sample * stream(step)->sample_time_s;
    int64_t k = (int64_t)floor(at_s / delay->step_s);
    while (ct_delay_sample_at(step, k) > sample)
        k--;
    while (ct_delay_sample_at(step, k + 1) <= sample)
        k++;
    return k;
}

ct_status ct_delay_knot(const ct_step *step, int64_t number, ct_delay_end *out, ct_error *err)
{
    const ct_delay *delay = step->state;
    out->number = number;
    if (!delay->position) return CT_OK;
    return ct_step_directions(step, stream(step)->start_mjd, (double)number * delay->step_s, 1,
                              delay->radec, out->toward, err);
}

/* What lies before the table's first row or after its last is on its first or last line. */
static double tau_of_rows(const ct_delay *delay, int64_t number, int64_t n)
{
    const double *row = delay->row + n * delay->rows;
    const int64_t last = delay->rows - 2, at = number < 0 ? 0 : number > last ? last : number;
    return last < 0 ? row[0] : row[at] + (double)(number - at) * (row[at + 1] - row[at]);
}

/* Of the n-th station and polarization. */
static double tau_of(const ct_delay *delay, const ct_delay_end *at, int64_t n)
{
    if (!delay->position) return tau_of_rows(delay, at->number, n);
    return ct_arrival_s(delay->position[n], at->toward[0]);
}

ct_delay_line ct_delay_line_of(const ct_step *step, const ct_delay_end *from,
                               const ct_delay_end *to, int64_t n)
{
    const ct_delay *delay = step->state;
    const double dt = stream(step)->sample_time_s, begin_s = tau_of(delay, from, n);
    const double slope = (tau_of(delay, to, n) - begin_s) / delay->step_s;
    ct_delay_line line = {.first = ct_delay_sample_at(step, from->number), .rate_s = slope * dt};
    const double knot_s = (double)from->number * delay->step_s;
    line.at_s = begin_s + slope * (stream(step)->start_s + (double)line.first * dt - knot_s);
    return line;
}

int64_t ct_delay_whole(const ct_delay *delay, const ct_delay_end *from, const ct_delay_end *to,
                       int64_t n, double dt)
{
    return (int64_t)llround(0.5 * (tau_of(delay, from, n) + tau_of(delay, to, n)) / dt);
}

/* Samples of a band about f_b say nothing of f_b itself: a shift by whole ones takes a channel at f
 * to where f - f_b was. */
double ct_delay_cycles(const ct_step *step, int64_t c, double at_s, int64_t whole)
{
    const ct_meta *meta = stream(step);
    const ct_shifts *shifts = ((const ct_delay *)step->state)->shifts;
    const double hz = meta->frequency_hz[c];
    if (!shifts) return hz * at_s;
    const double band_hz = shifts->frequency_hz[c * shifts->frequencies / meta->frequencies];
    return hz * at_s - (hz - band_hz) * (double)whole * shifts->sample_time_s;
}

ct_status ct_delay_check_sample(const ct_step *step, int64_t sample, ct_error *err)
{
    const ct_delay *delay = step->state;
    const double last_s = (double)(delay->rows - 1) * delay->step_s;
    const double at_s = stream(step)->start_s + (double)sample * stream(step)->sample_time_s;
    if (delay->position || delay->rows == 1 || at_s <= last_s) return CT_OK;
    return ct_step_fail(step, "delays", err, "the stream goes on after the last row, at %g s",
                        last_s);
}
