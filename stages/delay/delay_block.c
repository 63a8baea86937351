/* delay_block.c: what a block's tables hold: its lines, along which cycles, factors and matrices
 * run straight. Room: stages/delay. Knows delays and gains. Does not know kernels. */
#include <math.h>
#include <string.h>

#include "delay.h"

enum { EARLIEST = 1 << 30 /* samples before a block, of a line that is level */ };

static const ct_meta *stream(const ct_step *step)
{
    return &step->port[CT_DELAY_X].meta;
}

static bool is_still(const ct_delay *delay)
{
    return !delay->position && delay->rows == 1;
}

/* ---- lines */

int64_t ct_delay_lines(const ct_step *step, int64_t samples)
{
    const ct_gains *gains = ((const ct_delay *)step->state)->gains;
    return ct_delay_knots(step, samples) + (gains ? ct_gains_most(gains, samples) : 0);
}

/* Where both lines have begun: the same sample, whatever block is asked for. */
static int64_t begin_of(const ct_step *step, const ct_delay_walk *walk)
{
    const ct_delay *delay = step->state;
    const int64_t own = ct_delay_sample_at(step, walk->from.number);
    if (!delay->gains || walk->gain == 0) return own;
    const int64_t gain = delay->gains->first[walk->gain - 1];
    if (is_still(delay)) return gain < walk->begin - EARLIEST ? walk->begin - EARLIEST : gain;
    return own > gain ? own : gain;
}

ct_status ct_delay_walk_begin(const ct_step *step, int64_t sample, ct_delay_walk *out,
                              ct_error *err)
{
    const ct_delay *delay = step->state;
    const int64_t knot = ct_delay_knot_of(step, sample);
    *out = (ct_delay_walk){.begin = sample};
    ct_status status = ct_delay_check_sample(step, sample, err);
    if (status == CT_OK) status = ct_delay_knot(step, knot, &out->from, err);
    if (status == CT_OK) status = ct_delay_knot(step, knot + 1, &out->to, err);
    if (status != CT_OK) return status;
    if (delay->gains) out->gain = ct_gains_line_at(delay->gains, sample);
    out->first = begin_of(step, out);
    return CT_OK;
}

/* Where nothing changes any more the next line lies after all blocks. */
ct_status ct_delay_walk_next(const ct_step *step, ct_delay_walk *walk, ct_error *err)
{
    const ct_delay *delay = step->state;
    const ct_gains *gains = delay->gains;
    const int64_t never = walk->begin + INT32_MAX;
    const int64_t own = is_still(delay) ? never : ct_delay_sample_at(step, walk->to.number);
    const int64_t gain = gains && walk->gain < gains->knots ? gains->first[walk->gain] : never;
    walk->first = own < gain ? own : gain;
    if (walk->first > never) walk->first = never;
    if (gain == walk->first && gain != never) walk->gain++;
    if (own != walk->first || own == never) return CT_OK;
    walk->from = walk->to;
    return ct_delay_knot(step, walk->from.number + 1, &walk->to, err);
}

/* ---- one line */

typedef struct line_of {
    const ct_step *step;
    ct_array *fill;
    int64_t k;
    const ct_delay_walk *walk;
    const ct_gain *all; /* NULL: one by one */
    double since;       /* seconds that the gains' line has had */
} line_of;

static const ct_gain *gain_of(const line_of *of, int64_t s, int64_t c, ct_gain own[CT_GAINS_JONES])
{
    const ct_gains *gains = ((const ct_delay *)of->step->state)->gains;
    if (of->all) return of->all + (s * gains->channels + c) * gains->elements;
    ct_gains_make(gains, of->walk->gain, s, c, own);
    return own;
}

/* What `shift` has done of a line. */
static int64_t whole_of(const line_of *of, int64_t n)
{
    const ct_delay *delay = of->step->state;
    if (!delay->shifts) return 0;
    return ct_delay_whole(delay, &of->walk->from, &of->walk->to, n, delay->shifts->sample_time_s);
}

/* Cycles of all channels along one line: at its first sample, and for each sample more. Whole ones
 * mean nothing, as samples are counted in whole numbers, and would cost floats their last digits.
 */
static void fill_cycles(const line_of *of, int64_t s, int64_t p)
{
    ct_array *fill = of->fill;
    const ct_delay *delay = of->step->state;
    const ct_meta *meta = stream(of->step);
    const int64_t n = delay->pols > 1 ? s * delay->pols + p : s,
                  channels = ct_array_extent(fill, 'C');
    const ct_delay_line line = ct_delay_line_of(of->step, &of->walk->from, &of->walk->to, n);
    const double at_s = line.at_s + (double)(of->walk->first - line.first) * line.rate_s;
    const int64_t whole = whole_of(of, n);
    const bool phases = delay->gains && !delay->gains->jones && ct_gains_have(delay->gains, true);
    const int64_t at = fill->offset + s * ct_array_stride(fill, 'S') +
                       p * ct_array_stride(fill, 'P') + of->k * ct_array_stride(fill, 'K');
    for (int64_t c = 0; c < channels; c++) {
        ct_gain own[CT_GAINS_JONES];
        double rate = meta->frequency_hz[c] * line.rate_s;
        double cycles = ct_delay_cycles(of->step, c, at_s, whole);
        if (phases) {
            const ct_gain *gain = gain_of(of, s, c, own) + p;
            cycles += gain->b + gain->b_rate * of->since;
            rate += gain->b_rate * meta->sample_time_s;
        }
        ct_array_save(fill, at + c * ct_array_stride(fill, 'C'), cycles - rint(cycles),
                      rate - rint(rate));
    }
}

static void fill_factors(const line_of *of, int64_t s, int64_t p)
{
    ct_array *fill = of->fill;
    const double dt = stream(of->step)->sample_time_s;
    for (int64_t c = 0; c < ct_array_extent(fill, 'C'); c++) {
        ct_gain own[CT_GAINS_JONES];
        const ct_gain *gain = gain_of(of, s, c, own) + p;
        ct_array_save(fill,
                      fill->offset + s * ct_array_stride(fill, 'S') +
                          p * ct_array_stride(fill, 'P') + of->k * ct_array_stride(fill, 'K') +
                          c * ct_array_stride(fill, 'C'),
                      gain->a + gain->a_rate * of->since, gain->a_rate * dt);
    }
}

/* Four numbers, and after them by how much they change per sample. */
static void fill_matrix(const line_of *of, int64_t s, int64_t p)
{
    ct_array *fill = of->fill;
    const double dt = stream(of->step)->sample_time_s;
    const int64_t along = ct_array_stride(fill, 'Q');
    (void)p;
    for (int64_t c = 0; c < ct_array_extent(fill, 'C'); c++) {
        ct_gain own[CT_GAINS_JONES];
        const ct_gain *gain = gain_of(of, s, c, own);
        const int64_t at = fill->offset + s * ct_array_stride(fill, 'S') +
                           of->k * ct_array_stride(fill, 'K') + c * ct_array_stride(fill, 'C');
        for (int q = 0; q < CT_GAINS_JONES; q++) {
            ct_array_save(fill, at + q * along, gain[q].a + gain[q].a_rate * of->since,
                          gain[q].b + gain[q].b_rate * of->since);
            if (ct_array_extent(fill, 'Q') > CT_GAINS_JONES)
                ct_array_save(fill, at + (q + CT_GAINS_JONES) * along, gain[q].a_rate * dt,
                              gain[q].b_rate * dt);
        }
    }
}

/* ---- tables */

static void fill_line(line_of *of, void (*fill)(const line_of *, int64_t, int64_t))
{
    const ct_gains *gains = ((const ct_delay *)of->step->state)->gains;
    const ct_meta *meta = stream(of->step);
    const int64_t line = of->walk->gain, pols = ct_array_extent(of->fill, 'P');
    of->all = gains ? ct_gains_line(gains, line) : NULL;
    of->since = gains
                    ? ct_gains_since(gains, line,
                                     meta->start_s + (double)of->walk->first * meta->sample_time_s)
                    : 0;
    for (int64_t n = 0; n < ct_array_extent(of->fill, 'S') * pols; n++)
        fill(of, n / pols, n % pols);
    if (gains) ct_gains_done(gains, of->all);
}

ct_status ct_delay_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    static const struct {
        const char *port;
        void (*fill)(const line_of *, int64_t, int64_t);
    } tables[] = {{"D", fill_cycles}, {"G", fill_factors}, {"J", fill_matrix}, {"N", NULL}};
    ct_delay_walk walk;
    int n = 0;
    while (tables[n].fill && strcmp(tables[n].port, port) != 0)
        n++;
    ct_status status = ct_delay_walk_begin(step, ct_delay_first(step, &fill->meta), &walk, err);
    for (int64_t k = 0; status == CT_OK && k < ct_array_extent(fill, 'K'); k++) {
        line_of of = {.step = step, .fill = fill, .k = k, .walk = &walk};
        if (tables[n].fill)
            fill_line(&of, tables[n].fill);
        else
            ct_array_save(fill, fill->offset + k, (double)(walk.first - walk.begin), 0);
        if (k + 1 < ct_array_extent(fill, 'K')) status = ct_delay_walk_next(step, &walk, err);
    }
    return status;
}
