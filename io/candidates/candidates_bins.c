/* candidates_bins.c: pulses come in as bins: of each series the strongest boxcar of so many
 * samples. Those above the threshold that lie together in time and in neighbouring trials are one
 * pulse.
 * Room: io/candidates. Knows bins and what is carried from block to block. Does not know files. */
#include <stdlib.h>
#include <string.h>

#include "candidates.h"

double ct_bins_bytes(double planes, double trials)
{
    const double each = 2 * (double)sizeof(ct_hot) + 2 * (double)sizeof(ct_group);
    return ct_search_bytes(planes * trials, 1, 0) + (double)sizeof(ct_bins) +
           planes * trials * each + CT_CANDIDATES_LISTED * (double)sizeof(ct_listed);
}

void ct_bins_begin(ct_candidates *c, void *memory)
{
    const int64_t series = c->planes * c->trials;
    c->bins = memory;
    c->hot = (ct_hot *)(c->bins + 1);
    c->group = (ct_group *)(c->hot + 2 * series);
    c->list = (ct_listed *)(c->group + 2 * series);
    for (int64_t i = 0; i < 2 * series; i++)
        c->hot[i].group = -1;
}

size_t ct_bins_carried(const ct_candidates *c)
{
    return (size_t)((const char *)(c->list + c->bins->listed) - (const char *)c->bins);
}

void ct_bins_know(ct_candidates *c, int64_t bin)
{
    ct_meta *meta = &c->array.meta;
    c->bins->bin = bin;
    if (bin < 1) return;
    meta->sample_time_s /= (double)bin;
    meta->start_s -= 0.5 * (double)(bin - 1) * meta->sample_time_s;
}

/* ---- groups of one plane */

typedef struct ct_column {
    ct_candidates *c;
    ct_hot *was, *now; /* [trials] */
    ct_group *group;   /* [2 * trials] */
} ct_column;

static int64_t root_of(const ct_column *at, int64_t group)
{
    while (at->group[group].joined >= 0)
        group = at->group[group].joined;
    return group;
}

static int64_t free_group(const ct_column *at)
{
    int64_t free = 0;
    while (at->group[free].used)
        free++;
    return free;
}

/* The stronger; of equal ones the earlier, then the trial that comes first. */
static bool is_better(const ct_listed *a, const ct_listed *b, const ct_candidates *c)
{
    const double time_a = ct_candidates_time(c, &a->peak), time_b = ct_candidates_time(c, &b->peak);
    if (a->peak.snr > b->peak.snr || a->peak.snr < b->peak.snr) return a->peak.snr > b->peak.snr;
    if (time_a < time_b || time_a > time_b) return time_a < time_b;
    return a->peak.trial < b->peak.trial;
}

/* No further apart than the longer of both. */
static bool is_near(const ct_hot *a, const ct_hot *b)
{
    const int64_t long_a = a->to - a->from, long_b = b->to - b->from;
    const int64_t gap = (a->from > b->from ? a->from : b->from) - (a->to < b->to ? a->to : b->to);
    return gap <= (long_a > long_b ? long_a : long_b);
}

static void join_groups(const ct_column *at, ct_hot *one, const ct_hot *other)
{
    if (other->group < 0 || !is_near(one, other)) return;
    const int64_t a = root_of(at, one->group), b = root_of(at, other->group);
    if (a == b) return;
    if (is_better(&at->group[b].best, &at->group[a].best, at->c))
        at->group[a].best = at->group[b].best;
    at->group[b].joined = a;
    one->group = a;
}

static void add_hot(const ct_column *at, const ct_listed *found, int64_t ratio)
{
    const int64_t d = found->peak.trial, group = free_group(at);
    ct_hot *one = &at->now[d];
    *one = (ct_hot){found->peak.sample * ratio, (found->peak.sample + found->peak.width) * ratio,
                    group};
    at->group[group] = (ct_group){*found, -1, 1};
    if (d > 0) join_groups(at, one, &at->now[d - 1]);
    for (int64_t k = d - 1; k <= d + 1; k++)
        if (k >= 0 && k < at->c->trials) join_groups(at, one, &at->was[k]);
}

static void list_pulse(ct_candidates *c, const ct_listed *found)
{
    if (c->bins->listed < CT_CANDIDATES_LISTED)
        c->list[c->bins->listed++] = *found;
    else
        c->bins->unlisted++;
}

/* Groups that end before this bin are pulses. */
static void end_column(const ct_column *at)
{
    const int64_t trials = at->c->trials;
    for (int64_t d = 0; d < trials; d++) {
        if (at->now[d].group < 0) continue;
        at->now[d].group = root_of(at, at->now[d].group);
        at->group[at->now[d].group].used = 2;
    }
    for (int64_t g = 0; g < 2 * trials; g++) {
        ct_group *group = &at->group[g];
        if (group->used == 1 && group->joined < 0) list_pulse(at->c, &group->best);
        group->used = group->used == 2;
    }
    memcpy(at->was, at->now, (size_t)trials * sizeof *at->was);
}

static ct_column column_of(ct_candidates *c, int64_t plane)
{
    const int64_t series = c->planes * c->trials, first = plane * c->trials;
    return (ct_column){c, c->hot + first, c->hot + series + first, c->group + 2 * first};
}

/* ---- bins */

/* The largest S/N of a column of the picture, and of the series. */
static void keep_best(ct_candidates *c, int64_t series, const ct_peak *peak)
{
    ct_search_series *of = c->search.series + series;
    const int64_t middle = (peak->sample + peak->width / 2) * of->ratio;
    float *at = ct_search_row(&c->search, series) + (middle > 0 ? middle >> c->search.shift : 0);
    if ((float)peak->snr > *at) *at = (float)peak->snr;
    if (peak->snr > of->best.snr) of->best = (ct_pulse){peak->snr, peak->sample, peak->width};
}

static void take_bin(const ct_column *at, int64_t plane, int64_t trial, const float *number,
                     int64_t stride)
{
    ct_candidates *c = at->c;
    ct_search_series *of = c->search.series + plane * c->trials + trial;
    const ct_peak peak = {(double)number[CT_BIN_SNR * stride],
                          of->samples + (int64_t)number[CT_BIN_FIRST * stride],
                          (int64_t)number[CT_BIN_WIDTH * stride], trial};
    of->samples += (int64_t)number[CT_BIN_SAMPLES * stride];
    of->left_out += (int64_t)number[CT_BIN_LEFT_OUT * stride];
    of->no_noise += (int64_t)number[CT_BIN_NO_NOISE * stride];
    at->now[trial].group = -1;
    if (!(peak.snr > 0)) return;
    keep_best(c, plane * c->trials + trial, &peak);
    const int64_t peaks = (int64_t)number[CT_BIN_PEAKS * stride];
    if (peaks < 1) return;
    c->bins->crowded += peaks - 1;
    add_hot(at, &(ct_listed){peak, plane}, of->ratio);
}

static void take_column(ct_candidates *c, const ct_array *block, int64_t plane, int64_t t)
{
    const int64_t along_d = ct_array_stride(block, 'D'), along_n = ct_array_stride(block, 'N');
    const float *from = ct_candidates_at(c, block, plane, t);
    const ct_column at = column_of(c, plane);
    for (int64_t d = 0; d < c->trials; d++)
        take_bin(&at, plane, d, from + d * along_d, along_n);
    end_column(&at);
}

void ct_bins_write(ct_candidates *c, const ct_array *block, int64_t first, int64_t count)
{
    if (c->bins->bin == 0) {
        const float each =
            ct_candidates_at(c, block, 0, first)[CT_BIN_SAMPLES * ct_array_stride(block, 'N')];
        ct_bins_know(c, (int64_t)each * c->search.series[0].ratio);
    }
    for (int64_t t = first; t < first + count; t++) {
        ct_search_extend(&c->search, c->bins->bin);
        for (int64_t plane = 0; plane < c->planes; plane++)
            take_column(c, block, plane, t);
    }
}

/* ---- the list */

static int strongest_first(const void *a, const void *b)
{
    const ct_listed *x = a, *y = b;
    if (x->peak.snr > y->peak.snr || x->peak.snr < y->peak.snr)
        return x->peak.snr > y->peak.snr ? -1 : 1;
    if (x->plane != y->plane) return x->plane < y->plane ? -1 : 1;
    if (x->peak.trial != y->peak.trial) return x->peak.trial < y->peak.trial ? -1 : 1;
    return (x->peak.sample > y->peak.sample) - (x->peak.sample < y->peak.sample);
}

void ct_bins_finish(ct_candidates *c)
{
    for (int64_t plane = 0; plane < c->planes; plane++) {
        const ct_column at = column_of(c, plane);
        for (int64_t d = 0; d < c->trials; d++)
            at.now[d].group = -1;
        end_column(&at);
    }
    qsort(c->list, (size_t)c->bins->listed, sizeof *c->list, strongest_first);
}
