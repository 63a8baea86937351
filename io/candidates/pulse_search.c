/* pulse_search.c: series come in block by block, and are searched stretch by stretch.
 * Room: io/candidates. Knows what is carried from block to block. Does not know files.
 * A stretch is so many samples of a series, counted from its first: it has one median and one
 * sigma, as in Cordes & McLaughlin 2003 with robust moments. Blocks only say when it is full. */
#include "pulse_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_SIGMAS 1e30f /* whatever a sample is, the sums of thousands stay finite */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t ct_search_fewest(int64_t widest)
{
    return larger(CT_SEARCH_FEWEST, CT_SEARCH_WIDTHS * widest);
}

int64_t ct_search_stretch(int64_t widest)
{
    return larger(1024, 2 * ct_search_fewest(widest));
}

double ct_search_bytes(double count, int64_t widest, int64_t stretch)
{
    const double length = (double)(widest - 1) + (double)stretch;
    return count * (sizeof(ct_search_series) + sizeof(float) * (CT_SEARCH_COLUMNS + length)) +
           sizeof(float) * 2 * (length + (double)stretch);
}

void ct_search_begin(ct_search *p, void *memory)
{
    p->series = memory;
    p->plane = (float *)(p->series + p->count);
    p->last = p->plane + p->count * CT_SEARCH_COLUMNS;
    p->tail = p->last + p->count * p->stretch;
    p->level = p->tail + p->count * (p->widest - 1);
    p->sums = p->level + p->widest - 1 + p->stretch;
    p->sorted = p->sums + p->widest - 1 + p->stretch;
    p->between = p->sorted + p->stretch;
}

size_t ct_search_carried(const ct_search *p)
{
    return (size_t)((const char *)p->level - (const char *)p->series);
}

float *ct_search_row(const ct_search *p, int64_t series)
{
    return p->plane + series * CT_SEARCH_COLUMNS;
}

/* Two columns become one. Before the first samples there is nothing in them. */
static void join_columns(ct_search *p)
{
    p->shift++;
    if (p->bins == 0) return;
    for (int64_t row = 0; row < p->count; row++) {
        float *x = ct_search_row(p, row);
        for (int i = 0; i < CT_SEARCH_COLUMNS / 2; i++)
            x[i] = fmaxf(x[2 * i], x[2 * i + 1]);
        for (int i = CT_SEARCH_COLUMNS / 2; i < CT_SEARCH_COLUMNS; i++)
            x[i] = 0;
    }
}

void ct_search_extend(ct_search *p, int64_t samples)
{
    p->samples += samples;
    while (p->samples > (int64_t)CT_SEARCH_COLUMNS << p->shift)
        join_columns(p);
    p->bins = (p->samples + ((int64_t)1 << p->shift) - 1) >> p->shift;
}

/* Sigmas above the median; 0 where a sample is not finite. Returns how many are not. */
static int64_t level_samples(float *to, const float *x, int64_t count, ct_noise noise)
{
    const float scale = noise.sigma > 0 ? 1.0f / noise.sigma : 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < count; i++) {
        const float level = (x[i] - noise.median) * scale;
        const float low = level > MOST_SIGMAS ? MOST_SIGMAS : level;
        to[i] = low < -MOST_SIGMAS ? -MOST_SIGMAS : low;
    }
    for (int64_t i = 0; i < count; i++)
        finite += fabsf(x[i]) <= FLT_MAX;
    for (int64_t i = 0; finite < count && i < count; i++)
        if (!(fabsf(x[i]) <= FLT_MAX)) to[i] = 0;
    return count - finite;
}

/* The last `fresh` samples of a series, which are the first in its row of p->last. What stands
 * after them are those of the stretch before: so the last one, which is not full, has as many
 * samples for its noise as the others, where there were as many at all. */
static void search_stretch(ct_search *p, int64_t series, int64_t fresh)
{
    ct_search_series *of = p->series + series;
    const float *x = p->last + series * p->stretch;
    const int64_t known = of->samples < p->stretch ? of->samples : p->stretch;
    const size_t tail = (size_t)(p->widest - 1) * sizeof(float);
    const ct_noise noise =
        ct_noise_of(x, known, ct_search_fewest(p->widest), p->sorted, p->between);
    memcpy(p->level, p->tail + series * (p->widest - 1), tail);
    const int64_t bad = level_samples(p->level + p->widest - 1, x, fresh, noise);
    memcpy(p->tail + series * (p->widest - 1), p->level + fresh, tail);
    of->left_out += bad;
    if (!(noise.sigma > 0)) of->no_noise += fresh - bad;
    ct_boxcars_find(p, series, of->samples - fresh, fresh);
}

void ct_search_add(ct_search *p, int64_t series, const float *x, int64_t stride, int64_t count)
{
    ct_search_series *of = p->series + series;
    while (count > 0) {
        const int64_t at = of->samples % p->stretch;
        const int64_t take = count < p->stretch - at ? count : p->stretch - at;
        float *to = p->last + series * p->stretch + at;
        for (int64_t i = 0; i < take; i++)
            to[i] = x[i * stride];
        of->samples += take;
        x += take * stride;
        count -= take;
        if (at + take == p->stretch) search_stretch(p, series, p->stretch);
    }
}

void ct_search_finish(ct_search *p)
{
    for (int64_t series = 0; series < p->count; series++) {
        const int64_t fresh = p->series[series].samples % p->stretch;
        if (fresh > 0) search_stretch(p, series, fresh);
    }
}
