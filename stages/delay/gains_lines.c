/* gains_lines.c: what samples are multiplied by, as lines in time; see gains.h. Between two
 * solutions amplitude and phase run straight, the phase the shorter way, and what is made of them
 * (its inverse) is found at CT_GAINS_STEPS instants on that way; lines run straight between these.
 * Room: stages/delay. Knows solutions. Does not know where they come from, or kernels. */
#include <math.h>
#include <string.h>

#include "gains.h"

#define TWO_PI 6.28318530717958647692

/* ---- a solution anywhere */

/* The farther one has no say where it is flagged. */
static double mixed(const ct_gain_part *part, double near, double far, double weight)
{
    double apart = far - near;
    if (weight == 0 || isnan(near) || isnan(far)) return near;
    if (part->phase) apart -= TWO_PI * rint(apart / TWO_PI);
    return near + weight * apart;
}

/* Of the n-th element at an instant. */
static double solution(const ct_gain_part *part, int64_t s, int64_t n, int64_t c,
                       const ct_gain_place *when)
{
    const ct_gain_place *where = &part->channel[c];
    const double *at =
        part->value + part->station[s] * part->along_s + part->pol[n] * part->along_p;
    const double *near = at + when->near * part->along_t, *far = at + when->far * part->along_t;
    const double now = mixed(part, near[where->near * part->along_c],
                             near[where->far * part->along_c], where->weight);
    if (when->weight == 0) return now;
    return mixed(part, now,
                 mixed(part, far[where->near * part->along_c], far[where->far * part->along_c],
                       where->weight),
                 when->weight);
}

/* The last solution at an instant or before it; -1 before the first. */
static int64_t last_before(const ct_gain_part *part, double seconds)
{
    int64_t low = -1, high = part->times;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (part->time_s[middle] <= seconds)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Between which solutions `seconds` lies; which of these is near is the same for all of a line, and
 * follows from its middle. */
static ct_gain_place place_of(const ct_gain_part *part, double middle_s, double seconds)
{
    ct_gain_place place = {0, 0, 0};
    if (part->times < 2) return place;
    const int64_t before = last_before(part, middle_s);
    place.near = before < 0 ? 0 : before;
    place.far = place.near;
    if (before < 0 || before == part->times - 1) return place;
    const double from = part->time_s[before], to = part->time_s[before + 1];
    const bool later = middle_s - from > to - middle_s;
    place.near = place.far = before + later;
    if (!part->linear) return place;
    place.far = before + !later;
    place.weight = fabs(seconds - part->time_s[place.near]) / (to - from);
    return place;
}

/* ---- what is made of it */

static bool invert_matrix(ct_complex m[CT_GAINS_JONES])
{
    const ct_complex a = m[0], b = m[1], c = m[2], d = m[3];
    const ct_complex ad = {a.re * d.re - a.im * d.im, a.re * d.im + a.im * d.re};
    const ct_complex bc = {b.re * c.re - b.im * c.im, b.re * c.im + b.im * c.re};
    const ct_complex det = {ad.re - bc.re, ad.im - bc.im};
    const double size = det.re * det.re + det.im * det.im;
    if (!(hypot(det.re, det.im) > 1e-12 * (hypot(ad.re, ad.im) + hypot(bc.re, bc.im))))
        return false;
    const ct_complex adjoint[] = {d, {-b.re, -b.im}, {-c.re, -c.im}, a};
    for (int n = 0; n < CT_GAINS_JONES; n++)
        m[n] = (ct_complex){(adjoint[n].re * det.re + adjoint[n].im * det.im) / size,
                            (adjoint[n].im * det.re - adjoint[n].re * det.im) / size};
    return true;
}

/* Amplitudes and phases to what samples are multiplied by; false where that is not known. */
static bool make_factors(const ct_gains *gains, double amplitude[], double phase[])
{
    bool fine = true;
    for (int64_t n = 0; n < gains->elements; n++) {
        if (gains->invert) amplitude[n] = 1 / amplitude[n];
        if (gains->invert != gains->conjugate) phase[n] = -phase[n];
        fine = fine && fabs(amplitude[n]) <= CT_GAINS_LARGEST && isfinite(phase[n]);
    }
    return fine;
}

bool ct_gains_matrix(const ct_gains *gains, double amplitude[], double phase[])
{
    ct_complex m[CT_GAINS_JONES];
    bool fine = true;
    for (int n = 0; n < CT_GAINS_JONES; n++) {
        const double angle = gains->conjugate ? -phase[n] : phase[n];
        m[n] = (ct_complex){amplitude[n] * cos(angle), amplitude[n] * sin(angle)};
        fine = fine && isfinite(m[n].re) && isfinite(m[n].im);
    }
    fine = fine && (!gains->invert || invert_matrix(m));
    for (int n = 0; n < CT_GAINS_JONES; n++) {
        amplitude[n] = m[n].re;
        phase[n] = m[n].im;
        fine = fine && fabs(m[n].re) <= CT_GAINS_LARGEST && fabs(m[n].im) <= CT_GAINS_LARGEST;
    }
    return fine;
}

/* What all elements are at an instant of a line; false where a solution of any is flagged. */
static bool find(const ct_gains *gains, const ct_gain_place when[], int64_t s, int64_t c,
                 double a[], double b[])
{
    for (int64_t n = 0; n < gains->elements; n++) {
        a[n] = 1;
        b[n] = 0;
        for (int p = 0; p < gains->parts; p++) {
            const double is = solution(&gains->part[p], s, n, c, &when[p]);
            if (isnan(is)) return false;
            if (gains->part[p].phase)
                b[n] += is;
            else
                a[n] *= is;
        }
    }
    return gains->jones ? ct_gains_matrix(gains, a, b) : make_factors(gains, a, b);
}

/* ---- lines */

/* From where to where a line goes: the first and the last are level, wherever they are looked at.
 */
static double ends_of(const ct_gains *gains, int64_t line, double end_s[2])
{
    const bool first = line == 0, last = line == gains->knots;
    end_s[1] = last ? 0 : gains->end_s[line];
    end_s[0] = first ? end_s[1] - 1 : gains->knot_s[line - 1];
    if (last && !first) end_s[1] = end_s[0] + 1;
    return end_s[1] - end_s[0];
}

static void make_level(const ct_gains *gains, const double a[], const double b[], ct_gain out[])
{
    const double unit = gains->jones ? 1 : TWO_PI;
    for (int64_t n = 0; n < gains->elements; n++)
        out[n] = (ct_gain){.a = a[n], .b = b[n] / unit};
}

static void make_slopes(const ct_gains *gains, const double a[], const double b[], double long_s,
                        ct_gain out[])
{
    for (int64_t n = 0; n < gains->elements; n++) {
        double moves = gains->jones ? b[n] - out[n].b : b[n] / TWO_PI - out[n].b;
        if (!gains->jones) moves -= rint(moves);
        out[n].a_rate = (a[n] - out[n].a) / long_s;
        out[n].b_rate = moves / long_s;
    }
}

/* `when`: of both ends, for each part. */
static void make_one(const ct_gains *gains, ct_gain_place when[2][CT_GAINS_PARTS], double long_s,
                     int64_t s, int64_t c, ct_gain out[])
{
    double a[CT_GAINS_JONES], b[CT_GAINS_JONES];
    memset(out, 0, (size_t)gains->elements * sizeof *out);
    if (!find(gains, when[0], s, c, a, b)) return;
    make_level(gains, a, b, out);
    if (!gains->slopes) return;
    if (find(gains, when[1], s, c, a, b))
        make_slopes(gains, a, b, long_s, out);
    else
        memset(out, 0, (size_t)gains->elements * sizeof *out);
}

static double make_places(const ct_gains *gains, int64_t line,
                          ct_gain_place when[2][CT_GAINS_PARTS])
{
    double end_s[2];
    const double long_s = ends_of(gains, line, end_s), middle_s = 0.5 * (end_s[0] + end_s[1]);
    for (int e = 0; e < 2; e++)
        for (int p = 0; p < gains->parts; p++)
            when[e][p] = place_of(&gains->part[p], middle_s, end_s[e]);
    return long_s;
}

void ct_gains_make(const ct_gains *gains, int64_t line, int64_t station, int64_t channel,
                   ct_gain out[])
{
    ct_gain_place when[2][CT_GAINS_PARTS];
    const double long_s = make_places(gains, line, when);
    make_one(gains, when, long_s, station, channel, out);
}

/* The cache is memory only: what stands in it is what ct_gains_make says. */
const ct_gain *ct_gains_line(const ct_gains *gains, int64_t line)
{
    struct ct_gain_cache *cache = gains->cache;
    ct_gain_place when[2][CT_GAINS_PARTS];
    if (atomic_flag_test_and_set(&cache->taken)) return NULL;
    if (cache->line == line) return cache->gain;
    const double long_s = make_places(gains, line, when);
    ct_gain *out = cache->gain;
    for (int64_t s = 0; s < gains->stations; s++)
        for (int64_t c = 0; c < gains->channels; c++, out += gains->elements)
            make_one(gains, when, long_s, s, c, out);
    cache->line = line;
    return cache->gain;
}

void ct_gains_done(const ct_gains *gains, const ct_gain *line)
{
    if (line) atomic_flag_clear(&gains->cache->taken);
}

double ct_gains_since(const ct_gains *gains, int64_t line, double seconds)
{
    return line == 0 || line == gains->knots ? 0 : seconds - gains->knot_s[line - 1];
}

int64_t ct_gains_line_at(const ct_gains *gains, int64_t sample)
{
    int64_t low = 0, high = gains->knots + 1;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (gains->first[middle - 1] <= sample)
            low = middle;
        else
            high = middle;
    }
    return low;
}
