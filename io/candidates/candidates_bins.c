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

/* ---- bins that belong together */

/* A bin of the piece that ends with sample `of->samples`, `left` bins before its end. */
static ct_listed listed_at(const ct_candidates *c, int64_t plane, int64_t trial,
                           const float *number, int64_t stride, int64_t left)
{
    const ct_search_series *of = c->search.series + plane * c->trials + trial;
    const int64_t begin = of->samples - left * (int64_t)number[CT_BIN_SAMPLES * stride];
    return (ct_listed){{(double)number[CT_BIN_SNR * stride],
                        begin + (int64_t)number[CT_BIN_FIRST * stride],
                        (int64_t)number[CT_BIN_WIDTH * stride], trial},
                       plane};
}

/* Bins of all trials at one time. */
static void take_column(ct_candidates *c, const ct_array *block, int64_t plane, int64_t t,
                        int64_t left)
{
    const int64_t along_d = ct_array_stride(block, 'D'), along_n = ct_array_stride(block, 'N');
    const float *number = ct_candidates_at(c, block, plane, t);
    const ct_column at = column_of(c, plane);
    for (int64_t d = 0; d < c->trials; d++, number += along_d) {
        const int64_t peaks = (int64_t)number[CT_BIN_PEAKS * along_n];
        at.now[d].group = -1;
        if (peaks < 1 || !(number[CT_BIN_SNR * along_n] > 0)) continue;
        c->bins->crowded += peaks - 1;
        const ct_listed found = listed_at(c, plane, d, number, along_n, left);
        add_hot(&at, &found, c->search.series[plane * c->trials + d].ratio);
    }
    end_column(&at);
}

/* Whether a group may go on in the next bin. */
static bool is_open(ct_candidates *c, int64_t plane)
{
    const ct_column at = column_of(c, plane);
    for (int64_t d = 0; d < c->trials; d++)
        if (at.was[d].group >= 0) return true;
    return false;
}

/* Nearly all bins have no pulse, nor follow one. */
static void join_piece(ct_candidates *c, const ct_array *block, int64_t first, int64_t count)
{
    for (int64_t t = 0; t < count; t++)
        for (int64_t plane = 0; plane < c->planes; plane++) {
            if (!c->open[plane] && !c->marked[plane * CT_BINS_PIECE + t]) continue;
            take_column(c, block, plane, first + t, count - t);
            c->open[plane] = is_open(c, plane);
        }
}

/* ---- bins of one series */

typedef struct ct_rows {
    const float *number[CT_BIN_NUMBERS]; /* of each, side by side along time */
    int64_t count;
} ct_rows;

static ct_rows rows_of(const float *from, int64_t along_t, int64_t along_n, int64_t count,
                       float room[CT_BIN_NUMBERS][CT_BINS_PIECE])
{
    ct_rows rows = {.count = count};
    for (int n = 0; n < CT_BIN_NUMBERS; n++) {
        const float *row = from + n * along_n;
        rows.number[n] = along_t == 1 ? row : room[n];
        for (int64_t t = 0; along_t != 1 && t < count; t++)
            room[n][t] = row[t * along_t];
    }
    return rows;
}

static bool has_any(const float *x, int64_t count)
{
    bool any = false;
    for (int64_t t = 0; t < count; t++)
        any |= x[t] > 0;
    return any;
}

static int64_t sum_of(const float *x, int64_t count)
{
    int64_t sum = 0;
    if (!has_any(x, count)) return 0;
    for (int64_t t = 0; t < count; t++)
        sum += (int64_t)x[t];
    return sum;
}

/* Its first one of the largest S/N, where that is more than any before. */
static void keep_best(ct_search_series *of, const ct_rows *rows)
{
    const float *snr = rows->number[CT_BIN_SNR], most = ct_boxcars_largest(snr, rows->count);
    int64_t t = 0;
    if (!((double)most > of->best.snr)) return;
    while (snr[t] < most)
        t++;
    const int64_t begin = of->samples + t * (int64_t)rows->number[CT_BIN_SAMPLES][t];
    of->best = (ct_pulse){(double)most, begin + (int64_t)rows->number[CT_BIN_FIRST][t],
                          (int64_t)rows->number[CT_BIN_WIDTH][t]};
}

/* The largest S/N of each column of the picture. A boxcar stands in all columns that it covers. */
static void keep_columns(const ct_search *search, int64_t series, const ct_rows *rows)
{
    const ct_search_series *of = search->series + series;
    const float *snr = rows->number[CT_BIN_SNR], *first = rows->number[CT_BIN_FIRST],
                *width = rows->number[CT_BIN_WIDTH];
    const int64_t each = (int64_t)rows->number[CT_BIN_SAMPLES][0];
    float *columns = ct_search_row(search, series);
    for (int64_t t = 0; t < rows->count; t++) {
        const int64_t sample = of->samples + t * each + (int64_t)first[t];
        const int64_t from = (sample > 0 ? sample : 0) * of->ratio >> search->shift;
        const int64_t end = (sample + (int64_t)width[t]) * of->ratio - 1;
        for (int64_t at = from; at <= end >> search->shift; at++)
            columns[at] = snr[t] > columns[at] ? snr[t] : columns[at];
    }
}

/* Columns between two bins' boxcars, of which nothing is known but that no stronger one is there:
 * the smaller of both, so that a short pulse stays short. Longer gaps had no noise. */
static void fill_gaps(const ct_candidates *c, float *columns)
{
    const int64_t most = (2 * c->bins->bin >> c->search.shift) + 1;
    for (int64_t at = 0, from; at < c->search.bins; at++) {
        for (from = at; at < c->search.bins && !(columns[at] > 0);)
            at++;
        const float before = from > 0 ? columns[from - 1] : 0;
        const float after = at < c->search.bins ? columns[at] : before;
        const float least = from > 0 && before < after ? before : after;
        for (int64_t i = from; at - from <= most && i < at; i++)
            columns[i] = least;
    }
}

static void take_series(ct_candidates *c, int64_t series, const ct_rows *rows, uint8_t *marked)
{
    ct_search_series *of = c->search.series + series;
    const float *peaks = rows->number[CT_BIN_PEAKS];
    keep_best(of, rows);
    if (c->picture.started) keep_columns(&c->search, series, rows);
    of->samples += rows->count * (int64_t)rows->number[CT_BIN_SAMPLES][0];
    of->left_out += sum_of(rows->number[CT_BIN_LEFT_OUT], rows->count);
    of->no_noise += sum_of(rows->number[CT_BIN_NO_NOISE], rows->count);
    if (!has_any(peaks, rows->count)) return;
    for (int64_t t = 0; t < rows->count; t++)
        marked[t] |= peaks[t] > 0;
}

/* ---- blocks */

/* Series by series, since a series' numbers lie side by side; and what may belong to a pulse bin by
 * bin: however a stream is cut, pulses are listed in the same order. */
static void take_piece(ct_candidates *c, const ct_array *block, int64_t first, int64_t count)
{
    float room[CT_BIN_NUMBERS][CT_BINS_PIECE];
    const int64_t along_t = ct_array_stride(block, 'T'), along_n = ct_array_stride(block, 'N');
    memset(c->marked, 0, (size_t)c->planes * CT_BINS_PIECE);
    ct_search_extend(&c->search, count * c->bins->bin);
    for (int64_t series = 0; series < c->search.count; series++) {
        const int64_t plane = series / c->trials, trial = series % c->trials;
        const float *from = ct_candidates_at(c, block, plane, first);
        const ct_rows rows =
            rows_of(from + trial * ct_array_stride(block, 'D'), along_t, along_n, count, room);
        take_series(c, series, &rows, c->marked + plane * CT_BINS_PIECE);
    }
    join_piece(c, block, first, count);
}

void ct_bins_write(ct_candidates *c, const ct_array *block, int64_t first, int64_t count)
{
    if (c->bins->bin == 0) {
        const float each =
            ct_candidates_at(c, block, 0, first)[CT_BIN_SAMPLES * ct_array_stride(block, 'N')];
        ct_bins_know(c, (int64_t)each * c->search.series[0].ratio);
    }
    for (int64_t plane = 0; plane < c->planes; plane++)
        c->open[plane] = is_open(c, plane);
    for (int64_t t = 0; t < count; t += CT_BINS_PIECE)
        take_piece(c, block, first + t, count - t < CT_BINS_PIECE ? count - t : CT_BINS_PIECE);
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
    for (int64_t i = 0; c->picture.started && i < c->search.count; i++)
        fill_gaps(c, ct_search_row(&c->search, i));
}
