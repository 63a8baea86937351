/* candidates_find.c: the strongest boxcar in each dedispersed series.
 * Room: io/candidates. Knows medians and boxcars. Does not know files.
 * Called by: candidates.c, once for each block: every lane and trial, boxcars of 1, 2, 4, ...
 * samples, S/N from the median and the median absolute deviation of the block, as in
 * Cordes & McLaughlin 2003 with robust moments. Boxcars may begin in the block before. */
#include "candidates.h"

#include <math.h>

enum { CT_FIND_SAMPLE = 4096 }; /* samples that a median is taken from, at most */

/* Brings those below the pivot (or equal to it) to the front of low..high and says where they end.
 * No branch depends on the data: noise would be guessed wrong every other time. */
static int64_t find_partition(double *x, int64_t low, int64_t high, double pivot, bool equal)
{
    int64_t end = low;
    for (int64_t i = low; i < high; i++) {
        const double value = x[i];
        x[i] = x[end];
        x[end] = value;
        end += equal ? value <= pivot : value < pivot;
    }
    return end;
}

static double find_middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* The k-th smallest (Hoare's selection); changes the order of `x`. */
static double find_select(double *x, int64_t count, int64_t k)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const double pivot = find_middle(x[low], x[(low + high) / 2], x[high - 1]);
        const int64_t less = find_partition(x, low, high, pivot, false);
        if (k < less) {
            high = less;
            continue;
        }
        low = find_partition(x, less, high, pivot, true);
        if (k < low) return pivot;
    }
    return x[low];
}

/* Median and standard deviation (1.4826 times the median absolute deviation). */
static void find_moments(ct_candidates *c, const double *x, int64_t count, double *median,
                         double *sigma)
{
    const int64_t step = (count + CT_FIND_SAMPLE - 1) / CT_FIND_SAMPLE;
    int64_t used = 0;
    for (int64_t i = 0; i < count; i += step)
        c->sorted[used++] = x[i];
    *median = find_select(c->sorted, used, used / 2);
    for (int64_t i = 0; i < used; i++)
        c->sorted[i] = fabs(c->sorted[i] - *median);
    *sigma = 1.4826 * find_select(c->sorted, used, used / 2);
}

int64_t ct_candidates_ratio(const ct_candidates *c, int64_t trial)
{
    const int64_t *downsample = c->array.meta.downsample;
    return downsample != NULL && c->finest > 0 ? downsample[trial] / c->finest : 1;
}

double ct_candidates_dm(const ct_candidates *c, int64_t trial)
{
    return c->array.meta.dm != NULL ? c->array.meta.dm[trial] : (double)trial;
}

double ct_candidates_time(const ct_candidates *c, const ct_peak *peak)
{
    const double spacing = c->array.meta.sample_time_s > 0.0 ? c->array.meta.sample_time_s : 1.0;
    const double ratio = (double)ct_candidates_ratio(c, peak->trial);
    const double centre = (double)peak->sample + 0.5 * (double)(peak->width - 1);
    const double late = 0.5 * (ratio - 1.0); /* a sum's centre lies behind its first sample's */
    return c->array.meta.start_s + spacing * (centre * ratio + late);
}

static int64_t find_best(const ct_candidates *c, int64_t first, int64_t count)
{
    int64_t best = first;
    for (int64_t lane = first + 1; lane < first + count; lane++)
        if (c->best[lane].snr > c->best[best].snr) best = lane;
    return best;
}

int64_t ct_candidates_best(const ct_candidates *c)
{
    return find_best(c, 0, c->lanes);
}

int64_t ct_candidates_best_of(const ct_candidates *c, int64_t beam)
{
    return find_best(c, beam * c->products, c->products);
}

static float *find_row(ct_candidates *c, int64_t lane, int64_t trial)
{
    return c->plane + (lane * c->trials + trial) * CT_CANDIDATES_BINS;
}

/* Two columns become one until `samples` fit. */
static void find_widen(ct_candidates *c, int64_t samples)
{
    while ((samples + c->bin - 1) / c->bin > CT_CANDIDATES_BINS) {
        for (int64_t row = 0; row < c->lanes * c->trials; row++) {
            float *x = c->plane + row * CT_CANDIDATES_BINS;
            for (int i = 0; i < CT_CANDIDATES_BINS / 2; i++)
                x[i] = fmaxf(x[2 * i], x[2 * i + 1]);
            for (int i = CT_CANDIDATES_BINS / 2; i < CT_CANDIDATES_BINS; i++)
                x[i] = 0;
        }
        c->bin *= 2;
    }
    c->bins = (samples + c->bin - 1) / c->bin;
}

/* A boxcar's place among the columns of a row, and in its column; steps instead of divisions. */
typedef struct find_column {
    float *cell;
    int64_t within;
} find_column;

static find_column find_column_of(const ct_candidates *c, float *row, int64_t sample)
{
    return (find_column){row + sample / c->bin, sample % c->bin};
}

static void find_column_step(const ct_candidates *c, find_column *at, int64_t samples)
{
    for (at->within += samples; at->within >= c->bin; at->within -= c->bin)
        at->cell++;
}

/* Boxcars of one width over `count` samples of `series`, the first of which is sample `from`: none
 * begins before sample 0. */
static void find_boxcars(ct_candidates *c, int64_t lane, int64_t trial, int64_t from, int64_t count,
                         int64_t width, double sigma)
{
    const double scale = 1.0 / (sigma * sqrt((double)width));
    const int64_t ratio = ct_candidates_ratio(c, trial);
    int64_t start = from < 0 ? 0 : from;
    const double *series = c->series + (start - from);
    find_column at = find_column_of(c, find_row(c, lane, trial), (start + width / 2) * ratio);
    double sum = 0;
    for (int64_t i = 0; i < width - 1 && start + i < from + count; i++)
        sum += series[i];
    for (; start + width <= from + count; start++, series++) {
        sum += series[width - 1];
        const double snr = sum * scale;
        if (snr > *at.cell) *at.cell = (float)snr;
        if (snr > c->best[lane].snr) c->best[lane] = (ct_peak){snr, start, width, trial};
        sum -= series[0];
        find_column_step(c, &at, ratio);
    }
}

/* A downsampled trial's samples stand `ratio` times each (dedisp holds them): `stride` skips those.
 * The tail and the block's samples, less the block's median, into c->series. */
static double find_gather(ct_candidates *c, float *tail, const ct_array *block, int64_t at,
                          int64_t stride, int64_t count)
{
    double median = 0, sigma = 0, *fresh = c->series + c->widest - 1;
    const float *data = block->data; /* the port takes no other type */
    for (int64_t t = 0; t < count; t++)
        fresh[t] = (double)data[at + t * stride];
    find_moments(c, fresh, count, &median, &sigma);
    for (int64_t i = 0; i < c->widest - 1; i++)
        c->series[i] = (double)tail[i];
    for (int64_t t = 0; t < count; t++)
        fresh[t] -= median;
    for (int64_t i = 0; i < c->widest - 1; i++)
        tail[i] = (float)c->series[count + i];
    return sigma;
}

/* Element of the block where a lane's and trial's series begins. */
static int64_t find_place(const ct_candidates *c, const ct_array *block, int64_t lane,
                          int64_t trial, int64_t first)
{
    int64_t at =
        block->offset + first * ct_array_stride(block, 'T') + trial * ct_array_stride(block, 'D');
    for (int i = c->array.rank - 1; i >= 0; i--) {
        const char dim = c->array.dim[i];
        if (dim == 'T' || dim == 'D') continue;
        at += lane % c->array.extent[i] * ct_array_stride(block, dim);
        lane /= c->array.extent[i];
    }
    return at;
}

void ct_candidates_find(ct_candidates *c, const ct_array *block, int64_t first, int64_t count)
{
    find_widen(c, c->written + count);
    for (int64_t lane = 0; lane < c->lanes; lane++)
        for (int64_t trial = 0; trial < c->trials; trial++) {
            const int64_t ratio = ct_candidates_ratio(c, trial), own = count / ratio;
            if (own < 1) continue;
            float *tail = c->tail + (lane * c->trials + trial) * (c->widest - 1);
            const double sigma =
                find_gather(c, tail, block, find_place(c, block, lane, trial, first),
                            ratio * ct_array_stride(block, 'T'), own);
            if (!(sigma > 0.0)) continue;
            for (int64_t width = 1; width <= c->widest; width *= 2)
                find_boxcars(c, lane, trial, c->written / ratio - (c->widest - 1),
                             own + c->widest - 1, width, sigma);
        }
    c->written += count;
}
