/* candidates_peaks.c: where a plane is in a block; which pulse is the strongest of a plane, a beam,
 * all; its time and DM.
 * Room: io/candidates. Knows what the search found in each series. Does not know files. */
#include "candidates.h"

int64_t ct_candidates_ratio(const ct_candidates *c, int64_t trial)
{
    const int64_t *downsample = c->array.meta.downsample;
    return downsample != NULL && downsample[trial] > 0 ? downsample[trial] / c->finest : 1;
}

const float *ct_candidates_at(const ct_candidates *c, const ct_array *block, int64_t plane,
                              int64_t t)
{
    int64_t at = block->offset + t * ct_array_stride(block, 'T');
    for (int i = c->array.rank - 1; i >= 0; i--) {
        const char dim = c->array.dim[i];
        if (dim == 'T' || dim == 'D' || dim == 'N') continue;
        at += plane % c->array.extent[i] * ct_array_stride(block, dim);
        plane /= c->array.extent[i];
    }
    return (const float *)block->data + at; /* the port takes no other type */
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
    const double late = 0.5 * (ratio - 1.0); /* a sum's centre lies after its first sample's */
    return c->array.meta.start_s + spacing * (centre * ratio + late);
}

/* Of equal ones the trial that comes first. */
static ct_peak best_trial(const ct_candidates *c, int64_t plane)
{
    const ct_search_series *series = c->search.series + plane * c->trials;
    int64_t best = 0;
    for (int64_t d = 1; d < c->trials; d++)
        if (series[d].best.snr > series[best].best.snr) best = d;
    const ct_pulse *found = &series[best].best;
    return (ct_peak){found->snr, found->sample, found->width, best};
}

void ct_candidates_choose(ct_candidates *c)
{
    for (int64_t plane = 0; plane < c->planes; plane++)
        c->best[plane] = best_trial(c, plane);
}

static int64_t best_plane(const ct_candidates *c, int64_t first, int64_t count)
{
    int64_t best = first;
    for (int64_t plane = first + 1; plane < first + count; plane++)
        if (c->best[plane].snr > c->best[best].snr) best = plane;
    return best;
}

int64_t ct_candidates_best(const ct_candidates *c)
{
    return best_plane(c, 0, c->planes);
}

int64_t ct_candidates_best_of(const ct_candidates *c, int64_t beam)
{
    return best_plane(c, beam * c->products, c->products);
}
