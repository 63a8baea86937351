/* candidates_bins.c: pulses come in as bins: of each series the strongest boxcar of so many
 * samples. Those above the threshold are rows, of which friends are one candidate.
 * Room: io/candidates. Knows bins and what is carried from block to block. Does not know files. */
#include <string.h>

#include "candidates.h"

double ct_bins_bytes(double planes, double trials)
{
    return ct_search_bytes(planes * trials, 1, 0) + (double)sizeof(ct_bins) +
           ct_friends_bytes(planes) + CT_CANDIDATES_LISTED * (double)sizeof(ct_listed);
}

void ct_bins_begin(ct_candidates *c, void *memory)
{
    ct_friends *friends = &c->friends;
    c->bins = memory;
    friends->beams = c->planes; /* or fewer, where each has several products */
    friends->trials = c->trials;
    for (int64_t d = 1; d < c->trials; d++)
        if (ct_candidates_dm(c, d) < ct_candidates_dm(c, friends->first)) friends->first = d;
    friends->found = ct_list_add;
    friends->to = c;
    c->list = ct_friends_begin(friends, c->bins + 1);
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
    c->friends.sweep = ct_candidates_sweep(c);
}

/* ---- bins that belong together */

/* A bin of the piece that ends with sample `of->samples`, `left` bins before its end. */
static ct_row row_at(const ct_candidates *c, int64_t plane, int64_t trial, const float *number,
                     int64_t stride, int64_t left)
{
    const ct_search_series *of = c->search.series + plane * c->trials + trial;
    const int64_t begin = of->samples - left * (int64_t)number[CT_BIN_SAMPLES * stride];
    const int64_t sample = begin + (int64_t)number[CT_BIN_FIRST * stride];
    const int64_t width = (int64_t)number[CT_BIN_WIDTH * stride];
    return (ct_row){.snr = (double)number[CT_BIN_SNR * stride],
                    .dm = ct_candidates_dm(c, trial),
                    .from = sample * of->ratio,
                    .to = (sample + width) * of->ratio,
                    .sample = sample,
                    .width = width,
                    .trial = trial,
                    .plane = plane,
                    .beam = plane / c->products};
}

/* The bins of all trials at one time that have boxcars above the threshold: how many, or, with
 * `left`, each of them to the others. */
static int64_t take_column(ct_candidates *c, const ct_array *block, int64_t plane, int64_t t,
                           int64_t left)
{
    const int64_t along_d = ct_array_stride(block, 'D'), along_n = ct_array_stride(block, 'N');
    const float *number = ct_candidates_at(c, block, plane, t);
    int64_t rows = 0;
    for (int64_t d = 0; d < c->trials; d++, number += along_d) {
        const int64_t peaks = (int64_t)number[CT_BIN_PEAKS * along_n];
        if (peaks < 1 || !(number[CT_BIN_SNR * along_n] > 0)) continue;
        rows++;
        if (left == 0) continue;
        const ct_row row = row_at(c, plane, d, number, along_n, left);
        ct_friends_add(&c->friends, &row);
        c->bins->crowded += peaks - 1;
    }
    return rows;
}

static int64_t take_columns(ct_candidates *c, const ct_array *block, int64_t first, int64_t t,
                            int64_t left)
{
    int64_t rows = 0;
    for (int64_t plane = 0; plane < c->planes; plane++)
        if (c->marked[plane * CT_BINS_PIECE + t])
            rows += take_column(c, block, plane, first + t, left);
    return rows;
}

/* Nearly all bins have no row, nor follow one. */
static void join_piece(ct_candidates *c, const ct_array *block, int64_t first, int64_t count)
{
    const int64_t before = c->search.samples / c->bins->bin - count;
    for (int64_t t = 0; t < count; t++) {
        const int64_t rows = take_columns(c, block, first, t, 0);
        if (rows == 0 && !ct_friends_wait(&c->friends)) continue;
        ct_friends_open(&c->friends, before + t, rows);
        (void)take_columns(c, block, first, t, count - t);
        ct_friends_join(&c->friends);
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
    for (int64_t t = 0; t < count; t += CT_BINS_PIECE)
        take_piece(c, block, first + t, count - t < CT_BINS_PIECE ? count - t : CT_BINS_PIECE);
}

void ct_bins_finish(ct_candidates *c)
{
    ct_friends_finish(&c->friends);
    ct_list_finish(c);
    for (int64_t i = 0; c->picture.started && i < c->search.count; i++)
        fill_gaps(c, ct_search_row(&c->search, i));
}
