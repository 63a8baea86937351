/* pulses_ref.c: the search in double precision, as its definition says it.
 * Room: stages/pulses. */
#include "pulses.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* One series in its own samples. */
typedef struct line {
    const pulses_cut *cut;
    double *x;               /* [count] */
    bool *outside;           /* [count]: no part of the stream */
    double *mean, *variance; /* [count / 64]; variance 0: not known */
    double *level;           /* [count]: sigmas above the median */
    bool *known;             /* [count]: there is a noise */
    int64_t count, ratio;
} line;

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

static void find_unit(line *s, int64_t unit, double clip)
{
    double near[PULSES_UNIT], left[PULSES_UNIT], mean;
    int64_t finite = 0, kept;
    const int64_t first = unit * PULSES_UNIT;
    s->mean[unit] = s->variance[unit] = 0;
    for (int64_t i = first; i < first + PULSES_UNIT; i++) {
        if (s->outside[i]) return;
        if (isfinite(s->x[i])) near[finite++] = s->x[i];
    }
    if (2 * finite < PULSES_UNIT) return;
    double variance = moments_of(near, finite, &mean);
    for (int round = 0; round < 2; round++) {
        kept = 0;
        for (int64_t i = 0; i < finite; i++)
            if ((near[i] - mean) * (near[i] - mean) <= clip * clip * variance)
                left[kept++] = near[i];
        variance = moments_of(left, kept, &mean);
    }
    s->mean[unit] = mean;
    s->variance[unit] = ct_pulses_gain(clip) * variance;
}

/* False: half of its units or more are not known. */
static bool find_part(const line *s, int64_t part, double *mean, double *variance)
{
    const int64_t units = s->cut->part / (PULSES_UNIT * s->ratio);
    int64_t known = 0;
    *mean = *variance = 0;
    for (int64_t u = part * units; u < (part + 1) * units; u++) {
        if (!(s->variance[u] > 0)) continue;
        *mean += s->mean[u];
        *variance += s->variance[u];
        known++;
    }
    *mean /= (double)known;
    *variance /= (double)known;
    return known > 0 && 2 * known >= units;
}

/* Of the 16 parts up to this one; where the stream begins among them, of its first 16. */
static bool find_noise(const line *s, int64_t part, double *median, double *sigma)
{
    double means[PULSES_WINDOW], variances[PULSES_WINDOW];
    const int64_t units = s->cut->part / (PULSES_UNIT * s->ratio);
    int64_t begin = part - PULSES_WINDOW + 1, known = 0;
    while (begin <= part && s->outside[begin * units * PULSES_UNIT])
        begin++;
    for (int64_t k = begin; k < begin + PULSES_WINDOW && k * units < s->count / PULSES_UNIT; k++)
        known += find_part(s, k, &means[known], &variances[known]);
    if (known * units < 2) return false;
    *median = median_of(means, known);
    *sigma = sqrt(median_of(variances, known));
    return *sigma >= sqrt((double)FLT_MIN);
}

static void find_levels(line *s)
{
    const int64_t own = s->cut->part / s->ratio;
    for (int64_t part = PULSES_WINDOW - 1; part < s->count / own; part++) {
        double median = 0, sigma = 0;
        const bool known = find_noise(s, part, &median, &sigma);
        for (int64_t i = part * own; i < (part + 1) * own; i++) {
            s->known[i] = known;
            if (known && isfinite(s->x[i]) && !s->outside[i])
                s->level[i] = fmax(fmin((s->x[i] - median) / sigma, 1e30), -1e30);
        }
    }
}

/* ---- bins */

typedef struct found {
    double snr;
    int64_t width;
} found;

/* The strongest boxcar that ends in a sample; of equal ones the narrowest. */
static found find_boxcar(const line *s, int64_t end, int64_t widest)
{
    found best = {-INFINITY, 0};
    for (int64_t width = 1; width <= widest; width *= 2) {
        double sum = 0;
        for (int64_t i = end - width + 1; i <= end; i++)
            sum += s->level[i];
        if (sum / sqrt((double)width) > best.snr) best = (found){sum / sqrt((double)width), width};
    }
    return best;
}

static void find_bin(const line *s, int64_t from, int64_t each, const ct_step *step,
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
        out[5] += !isfinite(s->x[from + i]);
        out[6] += isfinite(s->x[from + i]) && !s->known[from + i];
        before = now.snr;
    }
}

/* ---- all series */

static int64_t place_of(const ct_array *array, int64_t b, int64_t q, int64_t d)
{
    return array->offset + b * (ct_array_stride(array, 'B') + ct_array_stride(array, 'S')) +
           q * ct_array_stride(array, 'Q') + d * ct_array_stride(array, 'D');
}

static void load_line(line *s, const ct_array ports[], int64_t b, int64_t q, int64_t d)
{
    const ct_array *x = &ports[PORT_X], *m = &ports[PORT_M];
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t held = i * s->ratio, last = held + s->ratio - 1;
        s->x[i] = ct_array_load(x, place_of(x, b, q, d) + last * ct_array_stride(x, 'T')).re;
        s->outside[i] = false;
        for (int64_t t = held; m->type != CT_NONE && t <= last; t++) {
            const int64_t at = (ct_array_extent(m, 'S') > 1 ? b : 0) * ct_array_stride(m, 'S') +
                               t * ct_array_stride(m, 'T');
            if ((int)ct_array_load(m, m->offset + at).re & 2) s->outside[i] = true;
        }
        s->level[i] = 0;
    }
}

static void search_line(line *s, const ct_step *step, ct_array ports[], int64_t b, int64_t q,
                        int64_t d)
{
    ct_array *y = &ports[PORT_Y];
    const int64_t each = s->cut->bin / s->ratio;
    load_line(s, ports, b, q, d);
    for (int64_t unit = 0; unit < s->count / PULSES_UNIT; unit++)
        find_unit(s, unit, ct_step_real(step, "clip"));
    find_levels(s);
    for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++) {
        double out[PULSES_NUMBERS] = {0};
        find_bin(s, step->overlap / s->ratio + t * each, each, step, out);
        for (int n = 0; n < PULSES_NUMBERS; n++)
            ct_array_save(
                y, place_of(y, b, q, d) + t * ct_array_stride(y, 'T') + n * ct_array_stride(y, 'N'),
                out[n], 0);
    }
}

static bool line_new(line *s, const ct_step *step, int64_t samples)
{
    const size_t count = (size_t)samples, units = count / PULSES_UNIT + 1;
    *s = (line){.cut = step->state,
                .x = malloc(count * sizeof *s->x),
                .outside = malloc(count * sizeof *s->outside),
                .mean = malloc(units * sizeof *s->mean),
                .variance = malloc(units * sizeof *s->variance),
                .level = malloc(count * sizeof *s->level),
                .known = malloc(count * sizeof *s->known)};
    return s->x && s->outside && s->mean && s->variance && s->level && s->known;
}

static void line_free(line *s)
{
    free(s->x);
    free(s->outside);
    free(s->mean);
    free(s->variance);
    free(s->level);
    free(s->known);
}

ct_status ct_pulses_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[PORT_X];
    const int64_t trials = ct_array_extent(x, 'D'), products = ct_array_extent(x, 'Q');
    line s;
    const bool made = line_new(&s, step, ct_array_extent(x, 'T'));
    for (int64_t n = 0; made && n < ct_pulses_planes(x) * trials; n++) {
        s.ratio = ct_pulses_ratio(step, n % trials);
        s.count = ct_array_extent(x, 'T') / s.ratio;
        search_line(&s, step, ports, n / trials / products, n / trials % products, n % trials);
    }
    line_free(&s);
    return made ? CT_OK : ct_error_add(err, CT_FAILED, "no memory for a series");
}
