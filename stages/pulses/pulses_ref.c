/* pulses_ref.c: the search in double precision, as its definition says it.
 * Room: stages/pulses. */
#include "pulses.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* What a part has, or a group; a variance that is not known is 0. */
typedef struct noise {
    double median, variance;
} noise;

/* One series in its own samples. */
typedef struct line {
    const pulses_cut *cut;
    const ct_array *x, *m;
    double clip;
    int64_t at, flags, ratio; /* where it begins in x and m; spacing */
    int64_t trial, trials;
    int64_t groups;
    noise *all; /* of all trials, group after group: of each by itself */
} line;

static double sample_of(const line *s, int64_t i)
{
    const int64_t t = i * s->ratio + s->ratio - 1;
    return ct_array_load(s->x, s->at + t * ct_array_stride(s->x, 'T')).re;
}

static bool is_outside_at(const line *s, int64_t t)
{
    return s->m->type != CT_NONE &&
           ((int)ct_array_load(s->m, s->flags + t * ct_array_stride(s->m, 'T')).re & 2);
}

static bool is_outside(const line *s, int64_t i)
{
    for (int64_t t = i * s->ratio; t < (i + 1) * s->ratio; t++)
        if (is_outside_at(s, t)) return true;
    return false;
}

/* ---- numbers */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *x, int64_t count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return 0.5 * (x[(count - 1) / 2] + x[count / 2]);
}

/* Mean and mean square about it. */
static double moments_of(const double *x, int64_t count, double *mean)
{
    double squares = 0;
    *mean = 0;
    for (int64_t i = 0; i < count; i++)
        *mean += x[i] / (double)count;
    for (int64_t i = 0; i < count; i++)
        squares += (x[i] - *mean) * (x[i] - *mean) / (double)count;
    return squares;
}

/* ---- noise */

/* The variance; 0: not known. */
static double find_unit(const line *s, int64_t unit, double *mean)
{
    double near[PULSES_UNIT], left[PULSES_UNIT];
    int64_t finite = 0, kept;
    for (int64_t i = unit * PULSES_UNIT; i < (unit + 1) * PULSES_UNIT; i++) {
        if (is_outside(s, i)) return 0;
        if (isfinite(sample_of(s, i))) near[finite++] = sample_of(s, i);
    }
    if (2 * finite < PULSES_UNIT) return 0;
    double variance = moments_of(near, finite, mean);
    for (int round = 0; round < 2; round++) {
        kept = 0;
        for (int64_t i = 0; i < finite; i++)
            if ((near[i] - *mean) * (near[i] - *mean) <= s->clip * s->clip * variance)
                left[kept++] = near[i];
        variance = moments_of(left, kept, mean);
    }
    return ct_pulses_gain(s->clip) * variance;
}

/* Not known: half of its units or more are not. */
static noise find_part(const line *s, int64_t part)
{
    const int64_t units = s->cut->part / (PULSES_UNIT * s->ratio);
    int64_t known = 0;
    noise sum = {0, 0};
    for (int64_t u = part * units; u < (part + 1) * units; u++) {
        double middle = 0;
        const double one = find_unit(s, u, &middle);
        if (!(one > 0)) continue;
        sum.median += middle;
        sum.variance += one;
        known++;
    }
    if (known == 0 || 2 * known < units) return (noise){0, 0};
    return (noise){sum.median / (double)known, sum.variance / (double)known};
}

/* The variance is that of the group and those before it; the median that of the last 16 parts. */
static noise find_group(const line *s, const noise *part, int64_t group)
{
    double means[PULSES_WINDOW], variances[PULSES_WINDOW * PULSES_GROUPS];
    const int64_t end = (group + PULSES_GROUPS) * PULSES_WINDOW, own = s->cut->part / s->ratio;
    int64_t known = 0;
    for (int64_t k = end - 1; k >= group * PULSES_WINDOW; k--) {
        if (!(part[k].variance > 0)) continue;
        if (known < PULSES_WINDOW) means[known] = part[k].median;
        variances[known++] = part[k].variance;
    }
    if (known * own < 2 * PULSES_UNIT) return (noise){0, 0};
    noise of = {median_of(means, known < PULSES_WINDOW ? known : PULSES_WINDOW),
                median_of(variances, known)};
    if (of.variance < (double)FLT_MIN) of.variance = 0;
    return of;
}

/* The median of the variances of up to 7 trials on either side that have the same spacing, unless
 * the trial's own is unlike that. */
static double join_neighbours(const line *s, const ct_step *step, int64_t g)
{
    double known[2 * PULSES_NEIGHBOURS + 1];
    const double own = s->all[s->trial * s->groups + g].variance;
    int64_t count = 0;
    for (int64_t d = s->trial - PULSES_NEIGHBOURS; d <= s->trial + PULSES_NEIGHBOURS; d++) {
        if (d < 0 || d >= s->trials || ct_pulses_ratio(step, d) != s->ratio) continue;
        const double variance = s->all[d * s->groups + g].variance;
        if (variance > 0) known[count++] = variance;
    }
    if (!(own > 0)) return 0;
    const double all = median_of(known, count);
    return own <= PULSES_UNLIKE * all && all <= PULSES_UNLIKE * own ? all : own;
}

/* Boxcars that begin before the group in which they end have its noise. */
static double level_at(const line *s, const noise *of, int64_t i)
{
    const double x = sample_of(s, i);
    if (!(of->variance > 0) || !isfinite(x) || is_outside(s, i)) return 0;
    return fmax(fmin((x - of->median) / sqrt(of->variance), 1e30), -1e30);
}

/* ---- bins */

typedef struct found {
    double snr;
    int64_t width;
} found;

/* The strongest boxcar that ends in a sample; of equal ones the narrowest. */
static found find_boxcar(const line *s, const noise *of, int64_t end, int64_t widest)
{
    found best = {-INFINITY, 0};
    for (int64_t width = 1; width <= widest; width *= 2) {
        double sum = 0;
        for (int64_t i = end - width + 1; i <= end; i++)
            sum += level_at(s, of, i);
        if (sum / sqrt((double)width) > best.snr) best = (found){sum / sqrt((double)width), width};
    }
    return best;
}

static void find_bin(const line *s, const noise *of, int64_t from, int64_t each,
                     const ct_step *step, double out[PULSES_NUMBERS])
{
    const double threshold = ct_step_real(step, "threshold");
    double before = -INFINITY;
    for (int64_t i = 0; i < each; i++) {
        const found now = find_boxcar(s, of, from + i, ct_step_int(step, "widest"));
        if (now.snr > out[0]) {
            out[0] = now.snr;
            out[1] = (double)(i + 1 - now.width);
            out[2] = (double)now.width;
        }
        out[3] += now.snr >= threshold && before < threshold;
        out[4] += 1;
        out[5] += !isfinite(sample_of(s, from + i));
        out[6] += isfinite(sample_of(s, from + i)) && !(of->variance > 0);
        before = now.snr;
    }
}

/* ---- all series */

static int64_t place_of(const ct_array *array, int64_t b, int64_t q, int64_t d)
{
    return array->offset + b * (ct_array_stride(array, 'B') + ct_array_stride(array, 'S')) +
           q * ct_array_stride(array, 'Q') + d * ct_array_stride(array, 'D');
}

static void search_line(line *s, const ct_step *step, ct_array *y, int64_t to)
{
    const int64_t each = s->cut->bin / s->ratio, bins = step->grain / s->cut->bin;
    for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++) {
        noise of = s->all[s->trial * s->groups + t / bins];
        double out[PULSES_NUMBERS] = {0};
        of.variance = join_neighbours(s, step, t / bins);
        find_bin(s, &of, step->overlap / s->ratio + t * each, each, step, out);
        for (int n = 0; n < PULSES_NUMBERS; n++)
            ct_array_save(y, to + t * ct_array_stride(y, 'T') + n * ct_array_stride(y, 'N'), out[n],
                          0);
    }
}

static line line_of(const ct_step *step, const ct_array ports[], int64_t plane, int64_t d)
{
    const ct_array *x = &ports[PORT_X], *m = &ports[PORT_M];
    const int64_t b = plane / ct_array_extent(x, 'Q'), q = plane % ct_array_extent(x, 'Q');
    const int64_t row = ct_array_extent(m, 'S') > 1 ? b * ct_array_stride(m, 'S') : 0;
    line s = {.cut = step->state, .x = x, .m = m, .clip = ct_step_real(step, "clip")};
    s.at = place_of(x, b, q, d);
    s.flags = m->offset + row;
    s.ratio = ct_pulses_ratio(step, d);
    s.trial = d;
    s.trials = ct_array_extent(x, 'D');
    s.groups = ct_divide_up(ct_array_extent(x, 'T'), step->grain) - (PULSES_GROUPS - 1);
    return s;
}

static bool find_noise(line *s, ct_step *step)
{
    const int64_t parts = (s->groups + PULSES_GROUPS - 1) * PULSES_WINDOW;
    noise *part = ct_step_alloc(step, (size_t)parts * sizeof *part);
    for (int64_t k = 0; part && (k + 1) * s->cut->part <= ct_array_extent(s->x, 'T'); k++)
        part[k] = find_part(s, k);
    for (int64_t g = 0; part && g < s->groups; g++)
        s->all[s->trial * s->groups + g] = find_group(s, part, g);
    return part != NULL;
}

static bool search_plane(ct_step *step, ct_array ports[], int64_t plane)
{
    const int64_t trials = ct_array_extent(&ports[PORT_X], 'D');
    const int64_t products = ct_array_extent(&ports[PORT_X], 'Q');
    const int64_t groups = line_of(step, ports, plane, 0).groups;
    noise *all = ct_step_alloc(step, (size_t)(trials * groups) * sizeof *all);
    bool good = all != NULL;
    for (int64_t d = 0; good && d < trials; d++) {
        line s = line_of(step, ports, plane, d);
        s.all = all;
        good = find_noise(&s, step);
    }
    for (int64_t d = 0; good && d < trials; d++) {
        line s = line_of(step, ports, plane, d);
        s.all = all;
        search_line(&s, step, &ports[PORT_Y],
                    place_of(&ports[PORT_Y], plane / products, plane % products, d));
    }
    return good;
}

ct_status ct_pulses_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    (void)err;
    for (int64_t plane = 0; plane < ct_pulses_planes(&ports[PORT_X]); plane++)
        if (!search_plane((ct_step *)step, ports, plane)) return CT_FAILED;
    return CT_OK;
}
