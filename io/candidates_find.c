/* candidates_find.c: the strongest boxcar in each dedispersed series.
 * Room: io. Knows medians and boxcars. Does not know files.
 * Called by: candidates.c, once for each block: every lane and trial, boxcars of 1, 2, 4, ...
 * samples, S/N from the median and the median absolute deviation of the block, as in
 * Cordes & McLaughlin 2003 with robust moments. Boxcars may begin in the block before. */
#include "candidates.h"

#include <math.h>

enum { CT_FIND_SAMPLE = 4096 }; /* samples that a median is taken from, at most */

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* The k-th smallest (Hoare's selection); turns the order of `x` round. */
static double find_select(double *x, int64_t count, int64_t k)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = x[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i <= j) swap(&x[i++], &x[j--]);
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return x[k];
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

int64_t ct_candidates_best(const ct_candidates *c)
{
    int64_t best = 0;
    for (int64_t lane = 1; lane < c->lanes; lane++)
        if (c->best[lane].snr > c->best[best].snr) best = lane;
    return best;
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

/* Boxcars of one width over `count` samples of `series`, the first of which is sample `from`. */
static void find_boxcars(ct_candidates *c, int64_t lane, int64_t trial, int64_t from, int64_t count,
                         int64_t width, double sigma)
{
    const double scale = 1.0 / (sigma * sqrt((double)width));
    const int64_t ratio = ct_candidates_ratio(c, trial);
    float *row = find_row(c, lane, trial);
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += c->series[i] - (i >= width ? c->series[i - width] : 0.0);
        const int64_t start = from + i - width + 1;
        if (i < width - 1 || start < 0) continue;
        const double snr = sum * scale;
        float *cell = &row[(start + width / 2) * ratio / c->bin];
        if (snr > *cell) *cell = (float)snr;
        if (snr > c->best[lane].snr) c->best[lane] = (ct_peak){snr, start, width, trial};
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
