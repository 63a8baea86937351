/* pulses_ref.c: the search in double precision, as its definition says it.
 * Room: stages/pulses. */
#include "pulses.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A part's noise, as far as it is known. */
typedef struct noise {
    int64_t part;
    bool known;
    double median, sigma;
} noise;

enum { REMEMBERED = 8 };

/* One series in its own samples. */
typedef struct line {
    const pulses_cut *cut;
    const ct_array *x, *m;
    double clip;
    int64_t at, flags, count, ratio; /* where it begins in x and m; own samples; spacing */
    noise noise[REMEMBERED];         /* part n at n % REMEMBERED */
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

/* False: half of its units or more are not known. */
static bool find_part(const line *s, int64_t part, double *mean, double *variance)
{
    const int64_t units = s->cut->part / (PULSES_UNIT * s->ratio);
    int64_t known = 0;
    *mean = *variance = 0;
    for (int64_t u = part * units; u < (part + 1) * units; u++) {
        double middle = 0;
        const double one = find_unit(s, u, &middle);
        if (!(one > 0)) continue;
        *mean += middle;
        *variance += one;
        known++;
    }
    *mean /= (double)known;
    *variance /= (double)known;
    return known > 0 && 2 * known >= units;
}

/* The last of a group of 16: the firing's first new part begins one. */
static int64_t last_of_group(const line *s, int64_t part)
{
    int64_t last = (PULSES_WINDOW - 1 + s->cut->halo_parts) % PULSES_WINDOW - 1;
    while (last < part)
        last += PULSES_WINDOW;
    return last;
}

/* Of the 16 parts up to this one. Where the stream begins among them, of its first 16, without what
 * comes after the group of 16 in which it begins, unless that comes before this part. */
static noise find_noise(const line *s, int64_t part)
{
    double means[PULSES_WINDOW], variances[PULSES_WINDOW];
    const int64_t own = s->cut->part / s->ratio;
    int64_t begin = part - PULSES_WINDOW + 1, end = part, known = 0;
    while (begin <= part && is_outside_at(s, (begin + 1) * s->cut->part - 1))
        begin++;
    if (begin <= part && last_of_group(s, begin) > part) end = last_of_group(s, begin);
    if (end >= begin + PULSES_WINDOW) end = begin + PULSES_WINDOW - 1;
    for (int64_t k = begin; k <= end; k++)
        known += find_part(s, k, &means[known], &variances[known]);
    if (known * own < 2 * PULSES_UNIT) return (noise){part, false, 0, 0};
    const double sigma = sqrt(median_of(variances, known));
    return (noise){part, sigma >= sqrt((double)FLT_MIN), median_of(means, known), sigma};
}

static const noise *noise_at(line *s, int64_t i)
{
    const int64_t part = i * s->ratio / s->cut->part;
    noise *kept = &s->noise[part % REMEMBERED];
    if (kept->part != part) *kept = find_noise(s, part);
    return kept;
}

static double level_at(line *s, int64_t i)
{
    const noise *of = noise_at(s, i);
    const double x = sample_of(s, i);
    if (!of->known || !isfinite(x) || is_outside(s, i)) return 0;
    return fmax(fmin((x - of->median) / of->sigma, 1e30), -1e30);
}

/* ---- bins */

typedef struct found {
    double snr;
    int64_t width;
} found;

/* The strongest boxcar that ends in a sample; of equal ones the narrowest. */
static found find_boxcar(line *s, int64_t end, int64_t widest)
{
    found best = {-INFINITY, 0};
    for (int64_t width = 1; width <= widest; width *= 2) {
        double sum = 0;
        for (int64_t i = end - width + 1; i <= end; i++)
            sum += level_at(s, i);
        if (sum / sqrt((double)width) > best.snr) best = (found){sum / sqrt((double)width), width};
    }
    return best;
}

static void find_bin(line *s, int64_t from, int64_t each, const ct_step *step,
                     double out[PULSES_NUMBERS])
{
    const double threshold = ct_step_real(step, "threshold");
    double before = -INFINITY;
    for (int64_t i = 0; i < each; i++) {
        const found now = find_boxcar(s, from + i, ct_step_int(step, "widest"));
        if (now.snr > out[0]) {
            out[0] = now.snr;
            out[1] = (double)(i + 1 - now.width);
            out[2] = (double)now.width;
        }
        out[3] += now.snr >= threshold && before < threshold;
        out[4] += 1;
        out[5] += !isfinite(sample_of(s, from + i));
        out[6] += isfinite(sample_of(s, from + i)) && !noise_at(s, from + i)->known;
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
    const int64_t each = s->cut->bin / s->ratio;
    for (int k = 0; k < REMEMBERED; k++)
        s->noise[k].part = -1;
    for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++) {
        double out[PULSES_NUMBERS] = {0};
        find_bin(s, step->overlap / s->ratio + t * each, each, step, out);
        for (int n = 0; n < PULSES_NUMBERS; n++)
            ct_array_save(y, to + t * ct_array_stride(y, 'T') + n * ct_array_stride(y, 'N'), out[n],
                          0);
    }
}

ct_status ct_pulses_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[PORT_X], *m = &ports[PORT_M];
    const int64_t trials = ct_array_extent(x, 'D'), products = ct_array_extent(x, 'Q');
    (void)err;
    for (int64_t n = 0; n < ct_pulses_planes(x) * trials; n++) {
        const int64_t b = n / trials / products, q = n / trials % products, d = n % trials;
        const int64_t row = ct_array_extent(m, 'S') > 1 ? b * ct_array_stride(m, 'S') : 0;
        line s = {.cut = step->state, .x = x, .m = m, .clip = ct_step_real(step, "clip")};
        s.at = place_of(x, b, q, d);
        s.flags = m->offset + row;
        s.ratio = ct_pulses_ratio(step, d);
        s.count = ct_array_extent(x, 'T') / s.ratio;
        search_line(&s, step, &ports[PORT_Y], place_of(&ports[PORT_Y], b, q, d));
    }
    return CT_OK;
}
