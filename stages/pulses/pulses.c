/* pulses.c: the strongest boxcar in each series.
 * Room: stages/pulses. Knows medians and boxcars. Does not know files.
 * Boxcars of 1, 2, 4, ... samples, S/N from the median and the median absolute deviation of the
 * block, as in Cordes & McLaughlin 2003 with robust moments. Boxcars may begin in the block before.
 */
#include "pulses.h"

#include <math.h>

size_t ct_pulses_bytes(const ct_pulses *p)
{
    const size_t rows = (size_t)p->series, length = (size_t)(p->most + p->widest);
    return rows * (sizeof *p->best + (CT_PULSES_COLUMNS + (size_t)p->widest) * sizeof(float)) +
           2 * length * sizeof(double);
}

void ct_pulses_begin(ct_pulses *p, void *memory)
{
    p->bin = 1;
    p->best = memory;
    p->fresh = (double *)(p->best + p->series);
    p->sorted = p->fresh + p->most + p->widest;
    p->plane = (float *)(p->sorted + p->most + p->widest);
    p->tail = p->plane + p->series * CT_PULSES_COLUMNS;
}

float *ct_pulses_row(const ct_pulses *p, int64_t series)
{
    return p->plane + series * CT_PULSES_COLUMNS;
}

/* Two columns become one. */
static void join_columns(ct_pulses *p)
{
    for (int64_t row = 0; row < p->series; row++) {
        float *x = ct_pulses_row(p, row);
        for (int i = 0; i < CT_PULSES_COLUMNS / 2; i++)
            x[i] = fmaxf(x[2 * i], x[2 * i + 1]);
        for (int i = CT_PULSES_COLUMNS / 2; i < CT_PULSES_COLUMNS; i++)
            x[i] = 0;
    }
    p->bin *= 2;
}

void ct_pulses_extend(ct_pulses *p, int64_t samples)
{
    p->samples += samples;
    while ((p->samples + p->bin - 1) / p->bin > CT_PULSES_COLUMNS)
        join_columns(p);
    p->bins = (p->samples + p->bin - 1) / p->bin;
}

/* A boxcar's place among the columns of a row, and in its column; steps instead of divisions. */
typedef struct column {
    float *cell;
    int64_t within;
} column;

static column column_of(const ct_pulses *p, float *row, int64_t sample)
{
    return (column){row + sample / p->bin, sample % p->bin};
}

static void column_step(const ct_pulses *p, column *at, int64_t samples)
{
    for (at->within += samples; at->within >= p->bin; at->within -= p->bin)
        at->cell++;
}

/* Boxcars of one width over `count` samples of p->fresh, the first of which is sample `from`: none
 * begins before sample 0. */
static void find_boxcars(ct_pulses *p, int64_t row, int64_t from, int64_t count, int64_t width,
                         double sigma)
{
    const double scale = 1.0 / (sigma * sqrt((double)width));
    const int64_t ratio = p->ratio[row];
    int64_t start = from < 0 ? 0 : from;
    const double *x = p->fresh + (start - from);
    column at = column_of(p, ct_pulses_row(p, row), (start + width / 2) * ratio);
    double sum = 0;
    for (int64_t i = 0; i < width - 1 && start + i < from + count; i++)
        sum += x[i];
    for (; start + width <= from + count; start++, x++) {
        sum += x[width - 1];
        const double snr = sum * scale;
        if (snr > *at.cell) *at.cell = (float)snr;
        if (snr > p->best[row].snr) p->best[row] = (ct_pulse){snr, start, width};
        sum -= x[0];
        column_step(p, &at, ratio);
    }
}

/* The tail and the block's samples, less the block's median, into p->fresh. */
static double gather(ct_pulses *p, float *tail, const float *x, int64_t stride, int64_t count)
{
    double *fresh = p->fresh + p->widest - 1;
    for (int64_t t = 0; t < count; t++)
        fresh[t] = (double)x[t * stride];
    const ct_noise noise = ct_noise_of(fresh, count, p->sorted);
    for (int64_t i = 0; i < p->widest - 1; i++)
        p->fresh[i] = (double)tail[i];
    for (int64_t t = 0; t < count; t++)
        fresh[t] -= noise.median;
    for (int64_t i = 0; i < p->widest - 1; i++)
        tail[i] = (float)p->fresh[count + i];
    return noise.sigma;
}

void ct_pulses_add(ct_pulses *p, int64_t series, const float *x, int64_t stride, int64_t first,
                   int64_t count)
{
    const double sigma = gather(p, p->tail + series * (p->widest - 1), x, stride, count);
    if (!(sigma > 0.0)) return;
    for (int64_t width = 1; width <= p->widest; width *= 2)
        find_boxcars(p, series, first - (p->widest - 1), count + p->widest - 1, width, sigma);
}
