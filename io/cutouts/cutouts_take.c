/* cutouts_take.c: a block's samples go into the sums of a cut-out: dedispersed at its DM, and at
 * trials around it.
 * Room: io/cutouts. Knows samples. Does not know files. The order of additions is that of the
 * stream, whatever its blocks are. */
#include "cutouts.h"

#include <math.h>

double ct_cutouts_dm(const ct_cutout *one, int64_t trial)
{
    const double range = one->dm > 0 ? one->dm : 1;
    return one->dm + range * (2 * (double)trial / (CT_CUTOUT_SIDE - 1) - 1);
}

/* Whole samples; far beyond any stream where frequencies make them so. */
static int64_t delay_at(const ct_cutout_band *band, int64_t c, double dm)
{
    return llround(fmax(fmin(dm * band->delay[c], 1e15), -1e15));
}

/* Where in the line the samples of the cut-out begin and end, at a delay; the time of the first. */
typedef struct walk {
    int64_t from, end, place;
} walk;

static walk walk_at(const ct_cutout *one, int64_t delay, int64_t count, int64_t before)
{
    const int64_t start = one->first + delay - before;
    const int64_t end = start + CT_CUTOUT_SIDE * one->each;
    const int64_t from = start > 0 ? start : 0;
    return (walk){from, end < count ? end : count, from - start};
}

static void take_power(ct_cutout *one, const ct_cutout_band *band, int64_t c, int64_t count,
                       int64_t before)
{
    const int64_t delay = delay_at(band, c, one->dm);
    walk at = walk_at(one, delay, count, before);
    for (int64_t t = at.from; t < at.end; t++, at.place++)
        for (int64_t row = band->row[c]; row < band->end[c]; row++) {
            one->sums->power[at.place / one->each][row] += band->line[t];
            one->sums->samples[at.place / one->each][row]++;
        }
}

static void take_trial(ct_cutout *one, const ct_cutout_band *band, int64_t c, int64_t d,
                       int64_t count, int64_t before)
{
    const int64_t delay = delay_at(band, c, ct_cutouts_dm(one, d));
    const walk at = walk_at(one, delay, count, before);
    int64_t place = at.from < at.end ? at.place / one->each : 0, t = at.from;
    int64_t next = t + (place + 1) * one->each - at.place; /* sample of the next time */
    for (; t < at.end; place++, next += one->each) {
        const int64_t end = next < at.end ? next : at.end;
        float sum = one->sums->trial[d][place];
        one->sums->added[d][place] += (int32_t)(end - t);
        for (; t < end; t++)
            sum += band->line[t];
        one->sums->trial[d][place] = sum;
    }
}

/* Samples of the stream that a channel gives at most, over all trials. */
static bool has_any(const ct_cutout *one, const ct_cutout_band *band, int64_t c, int64_t count,
                    int64_t before)
{
    const double most = ct_cutouts_dm(one, CT_CUTOUT_SIDE - 1), least = ct_cutouts_dm(one, 0);
    const int64_t begin = one->first + delay_at(band, c, fmin(least, 0));
    const int64_t end = one->first + CT_CUTOUT_SIDE * one->each + delay_at(band, c, most);
    return begin < before + count && end > before;
}

static void load_line(const ct_cutout *one, const ct_cutout_band *band, const ct_array *block,
                      int64_t c, int64_t first, int64_t count)
{
    const int64_t beam =
        ct_array_find(block, 'B') >= 0 ? ct_array_stride(block, 'B') : ct_array_stride(block, 'S');
    const int64_t at = block->offset + c * ct_array_stride(block, 'C') + one->beam * beam +
                       one->product * ct_array_stride(block, 'Q');
    for (int64_t t = 0; t < count; t++)
        band->line[t] =
            (float)ct_array_load(block, at + (first + t) * ct_array_stride(block, 'T')).re;
}

void ct_cutouts_take(ct_cutout *one, const ct_cutout_band *band, const ct_array *block,
                     int64_t first, int64_t count, int64_t before)
{
    for (int64_t c = 0; c < band->channels; c++) {
        if (!has_any(one, band, c, count, before)) continue;
        load_line(one, band, block, c, first, count);
        take_power(one, band, c, count, before);
        for (int64_t d = 0; d < CT_CUTOUT_SIDE; d++)
            take_trial(one, band, c, d, count, before);
    }
}
