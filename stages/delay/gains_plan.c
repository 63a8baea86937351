/* gains_plan.c: when lines in time begin, and whether something is flagged; see gains.h.
 * Room: stages/delay. Knows solutions. Does not know where they come from, or kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gains.h"

enum { LONGEST = 1 << 30 /* samples of a line that is not level */ };

bool ct_gains_have(const ct_gains *gains, bool phase)
{
    bool have = false;
    for (int n = 0; n < gains->parts; n++)
        have = have || gains->part[n].phase == phase;
    return have;
}

int64_t ct_gains_most(const ct_gains *gains, int64_t samples)
{
    int64_t most = 0;
    for (int64_t from = 0, to = 0; from < gains->knots; from++) {
        while (to < gains->knots && gains->first[to] < gains->first[from] + samples)
            to++;
        most = to - from > most ? to - from : most;
    }
    return most;
}

/* ---- when lines begin */

static int64_t count_knots(const ct_gain_part *part)
{
    if (part->times < 2) return 0;
    return part->linear ? CT_GAINS_STEPS * (part->times - 1) + 1 : part->times - 1;
}

static double knot_of(const ct_gain_part *part, int64_t n)
{
    const int64_t t = part->linear ? n / CT_GAINS_STEPS : n;
    if (t == part->times - 1) return part->time_s[t];
    const double part_of = part->linear ? (double)(n % CT_GAINS_STEPS) / CT_GAINS_STEPS : 0.5;
    return part->time_s[t] + part_of * (part->time_s[t + 1] - part->time_s[t]);
}

static int compare_knots(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of knots that no sample lies between the last one stays; its line ends where it ever did. */
static void drop_repeated(ct_gains *gains, const ct_meta *stream, const double *all, int64_t count)
{
    double *knot_s = (double *)gains->knot_s, *end_s = (double *)gains->end_s;
    int64_t *first = (int64_t *)gains->first;
    gains->knots = 0;
    end_s[0] = all[0];
    for (int64_t n = 0; n < count; n++) {
        const double sample = ceil((all[n] - stream->start_s) / stream->sample_time_s);
        const int64_t at = (int64_t)fmax(-4e18, fmin(4e18, sample));
        if (gains->knots > 0 && first[gains->knots - 1] == at) gains->knots--;
        knot_s[gains->knots] = all[n];
        first[gains->knots++] = at;
        end_s[gains->knots] = n + 1 < count ? all[n + 1] : all[n];
    }
}

static ct_status make_knots(ct_step *step, ct_gains *gains, ct_error *err)
{
    int64_t count = 0, filled = 0;
    for (int p = 0; p < gains->parts; p++)
        count += count_knots(&gains->part[p]);
    double *all = ct_step_alloc(step, (size_t)(count + 1) * sizeof *all);
    gains->knot_s = ct_step_alloc(step, (size_t)(count + 1) * sizeof *gains->knot_s);
    gains->end_s = ct_step_alloc(step, (size_t)(count + 1) * sizeof *gains->end_s);
    gains->first = ct_step_alloc(step, (size_t)(count + 1) * sizeof *gains->first);
    if (!all || !gains->knot_s || !gains->end_s || !gains->first) return CT_FAILED;
    for (int p = 0; p < gains->parts; p++)
        for (int64_t n = 0; n < count_knots(&gains->part[p]); n++)
            all[filled++] = knot_of(&gains->part[p], n);
    qsort(all, (size_t)count, sizeof *all, compare_knots);
    drop_repeated(gains, &step->port[CT_GAINS_X].meta, all, count);
    for (int64_t n = 1; gains->slopes && n < gains->knots; n++)
        if (gains->first[n] - gains->first[n - 1] > LONGEST)
            return ct_gains_fail(step, "time", err,
                                 "the solutions are too far apart for lines between them: %g s",
                                 CT_GAINS_STEPS * (gains->knot_s[n] - gains->knot_s[n - 1]));
    return CT_OK;
}

/* ---- what is flagged */

/* Tables of one grid: whether a matrix that they give has an inverse. */
static bool has_inverse(const ct_gains *gains, int64_t s, int64_t t, int64_t c)
{
    double a[CT_GAINS_JONES], b[CT_GAINS_JONES];
    for (int n = 0; n < CT_GAINS_JONES; n++) {
        a[n] = 1;
        b[n] = 0;
        for (int p = 0; p < gains->parts; p++) {
            const ct_gain_part *part = &gains->part[p];
            const double is =
                part->value[part->station[s] * part->along_s + part->pol[n] * part->along_p +
                            t * part->along_t + c * part->along_c];
            if (part->phase)
                b[n] += is;
            else
                a[n] *= is;
        }
    }
    return ct_gains_matrix(gains, a, b);
}

static bool is_flagged(const ct_gains *gains, const ct_gain_part *part, int64_t s, int64_t t,
                       int64_t c)
{
    const double *at =
        part->value + part->station[s] * part->along_s + t * part->along_t + c * part->along_c;
    for (int64_t n = 0; n < gains->elements; n++) {
        const double is = at[part->pol[n] * part->along_p];
        if (!isfinite(is)) return true;
        if (gains->jones || part->phase) continue;
        if (gains->invert ? !(fabs(1 / is) <= CT_GAINS_LARGEST) : !(fabs(is) <= CT_GAINS_LARGEST))
            return true;
    }
    return false;
}

static void find_flagged(ct_gains *gains)
{
    bool alike = true;
    for (int p = 0; p < gains->parts; p++) {
        const ct_gain_part *part = &gains->part[p], *first = &gains->part[0];
        alike = alike && part->times == first->times && part->freqs == first->freqs;
        gains->apart = gains->apart || part->freqs > 1;
        for (int64_t n = 0; !gains->flagged && n < gains->stations * part->times * part->freqs; n++)
            gains->flagged = is_flagged(gains, part, n / part->freqs / part->times,
                                        n / part->freqs % part->times, n % part->freqs);
    }
    if (!gains->jones || gains->flagged || !gains->invert) return;
    const ct_gain_part *part = &gains->part[0];
    gains->flagged = !alike;
    for (int64_t n = 0; !gains->flagged && n < gains->stations * part->times * part->freqs; n++)
        gains->flagged = !has_inverse(gains, n / part->freqs / part->times,
                                      n / part->freqs % part->times, n % part->freqs);
}

ct_status ct_gains_plan(ct_step *step, ct_gains *gains, ct_error *err)
{
    const int64_t count = gains->stations * gains->channels * gains->elements;
    if (gains->elements > CT_GAINS_JONES)
        return ct_gains_fail(step, NULL, err, "expected at most %d polarizations, found %lld",
                             CT_GAINS_JONES, (long long)gains->elements);
    for (int p = 0; p < gains->parts; p++)
        gains->slopes = gains->slopes || (gains->part[p].linear && gains->part[p].times > 1);
    const ct_status status = make_knots(step, gains, err);
    if (status != CT_OK) return status;
    find_flagged(gains);
    gains->cache = ct_step_alloc(step, sizeof *gains->cache);
    if (!gains->cache) return CT_FAILED;
    atomic_flag_clear(&gains->cache->taken);
    gains->cache->line = -1;
    gains->cache->gain = ct_step_alloc(step, (size_t)count * sizeof *gains->cache->gain);
    return gains->cache->gain ? CT_OK : CT_FAILED;
}
