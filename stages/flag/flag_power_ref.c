/* flag_power_ref.c: the definition for power in double precision. Medians are found by sorting.
 * Room: stages/flag. Knows the formulas. Does not know kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flag.h"

enum { SURELY = 1, PERHAPS = 2 }; /* flagged; flagged if it is no part of a burst */

/* A window of all channels of what has one set of flags. */
typedef struct judged {
    const ct_step *step;
    const ct_array *x, *m;
    ct_flag_nearby nearby;
    int64_t window, channels, first, series;
    double single, run; /* thresholds */
    uint8_t *code;      /* [T][C] */
    bool *hot;          /* [part][C]: samples stand out */
    bool *mask, *large; /* [C]: of the window; its kurtosis is too large */
    double *away; /* [T]: a channel's distances from its median, NaN where nothing is judged */
    double *sorted;
    double *deviation, *level, *room; /* [C], of room three times */
} judged;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, int64_t count)
{
    qsort(value, (size_t)count, sizeof *value, by_size);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static double clip(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

static bool present(const judged *of, int64_t k, int64_t c)
{
    return ct_flag_is_present(of->x, of->m, of->series, of->first + k, c);
}

/* Fills `away`; gives how many there are, and the median and the standard deviation. */
static int64_t measure(judged *of, int64_t c, double *middle, double *spread)
{
    int64_t count = 0;
    for (int64_t k = 0; k < of->window; k++) {
        const double value =
            ct_array_load(of->x, ct_flag_place(of->x, of->series, of->first + k, c)).re;
        of->away[k] = present(of, k, c) ? value : NAN;
        if (!isnan(of->away[k])) of->sorted[count++] = value;
    }
    *middle = count > 0 ? median(of->sorted, count) : 0;
    for (int64_t k = 0, n = 0; k < of->window; k++) {
        of->away[k] -= *middle;
        if (!isnan(of->away[k])) of->sorted[n++] = fabs(of->away[k]);
    }
    *spread = count > 0 ? 1.4826 * median(of->sorted, count) : 0;
    return count;
}

static void judge_samples(judged *of, int64_t c, double most)
{
    for (int64_t k = 0; k < of->window; k++) {
        uint8_t *code = &of->code[k * of->channels + c];
        if (isnan(of->away[k])) {
            if (present(of, k, c)) *code |= SURELY;
            continue;
        }
        if (fabs(of->away[k]) > most) *code |= of->away[k] > 0 ? PERHAPS : SURELY;
        if (of->away[k] > most * 2 / 3) of->hot[k / of->nearby.part * of->channels + c] = true;
    }
}

/* Runs begin where parts begin. `most`: of a mean, times the root of the samples; `clipped`: of a
 * sample. */
static void judge_run(judged *of, int64_t c, int64_t from, int64_t end, double most, double clipped)
{
    double sum = 0, count = 0;
    for (int64_t k = from; k < end; k++) {
        if (isnan(of->away[k])) continue;
        sum += clip(of->away[k], clipped);
        count++;
    }
    most *= sqrt(count);
    if (count < CT_FLAG_RUN / 2) return;
    if (sum > most * 2 / 3) of->hot[from / of->nearby.part * of->channels + c] = true;
    for (int64_t k = from; k < end && fabs(sum) > most; k++)
        if (!isnan(of->away[k])) of->code[k * of->channels + c] |= sum > 0 ? PERHAPS : SURELY;
}

/* What channels are compared by: standard deviation and mean of clipped samples. */
static void compare_by(judged *of, int64_t c, int64_t count, double middle, double most)
{
    double sum = 0, squares = 0;
    const double n = (double)count;
    of->deviation[c] = of->level[c] = NAN;
    if (count < CT_FLAG_MEDIAN) return;
    for (int64_t k = 0; k < of->window; k++) {
        if (isnan(of->away[k])) continue;
        const double kept = clip(of->away[k], most);
        sum += kept;
        squares += kept * kept;
    }
    of->deviation[c] = sqrt(fmax(0, squares / n - sum / n * sum / n));
    of->level[c] = middle + sum / n;
}

static void judge_kurtosis(judged *of, int64_t c, int64_t count, double middle)
{
    double sum = 0, squares = 0;
    const double n = (double)count;
    if (!ct_flag_has_limits(of->step) || count == 0) return;
    for (int64_t k = 0; k < of->window; k++) {
        if (isnan(of->away[k])) continue;
        sum += of->away[k];
        squares += of->away[k] * of->away[k];
    }
    const double mean = middle + sum / n, shape = ct_step_real(of->step, "shape");
    const double variance = squares / n - sum / n * sum / n;
    const double kurtosis = (n * shape + 1) / (n - 1) * variance / (mean * mean);
    const ct_flag_range range = ct_flag_range_of(of->step, count * CT_FLAG_PARTS / of->window);
    of->mask[c] |= kurtosis < range.low;
    of->large[c] |= kurtosis > range.high;
}

static void judge_channel(judged *of, int64_t c)
{
    double middle, spread;
    const int64_t count = measure(of, c, &middle, &spread);
    const bool is = count >= CT_FLAG_MEDIAN && spread > 0;
    const double single = is ? of->single * spread : INFINITY;
    const double run = is ? of->run * spread : INFINITY;
    judge_samples(of, c, single);
    for (int64_t from = 0; from < of->window; from += CT_FLAG_RUN)
        judge_run(of, c, from, from + CT_FLAG_RUN < of->window ? from + CT_FLAG_RUN : of->window,
                  run, single);
    compare_by(of, c, count, middle, spread > 0 ? 3 * spread : INFINITY);
    judge_kurtosis(of, c, count, middle);
}

/* Do samples stand out, from one part to another, in half of the channels on one side? */
static bool is_broad(const judged *of, int64_t from, int64_t to, int64_t c)
{
    int64_t sides[2] = {0, 0};
    for (int64_t k = 1; k <= of->nearby.near; k++)
        for (int side = 0; side < 2; side++) {
            const int64_t at = side ? c + k : c - k;
            bool hot = false;
            for (int64_t part = from; part <= to && at >= 0 && at < of->channels; part++)
                hot |= of->hot[part * of->channels + at];
            sides[side] += hot;
        }
    return of->nearby.near > 0 &&
           (2 * sides[0] >= of->nearby.near || 2 * sides[1] >= of->nearby.near);
}

static double typical_deviation(const judged *of)
{
    int64_t count = 0;
    for (int64_t c = 0; c < of->channels; c++)
        if (!isnan(of->deviation[c])) of->room[count++] = of->deviation[c];
    return count > 0 ? median(of->room, count) : 0;
}

/* By their statistics in one series. */
static void mask_outliers(judged *of)
{
    const double threshold = ct_step_real(of->step, "iqrm");
    const double least = ct_step_real(of->step, "least_excess") * typical_deviation(of);
    ct_flag_iqrm(&of->nearby, threshold, 0, of->deviation, of->channels, of->room, of->mask);
    ct_flag_iqrm(&of->nearby, threshold, least, of->level, of->channels, of->room, of->mask);
}

/* Of all series that have the same flags. Where too many channels would be masked, none is. */
static void judge_window(judged *of, int64_t first_series, int64_t series)
{
    const size_t channels = (size_t)of->channels;
    int64_t masked = 0;
    memset(of->code, 0, channels * (size_t)of->window);
    memset(of->hot, 0, sizeof *of->hot * channels * (size_t)of->nearby.parts);
    memset(of->mask, 0, sizeof *of->mask * channels);
    memset(of->large, 0, sizeof *of->large * channels);
    for (of->series = first_series; of->series < first_series + series; of->series++) {
        for (int64_t c = 0; c < of->channels; c++)
            judge_channel(of, c);
        mask_outliers(of);
    }
    for (int64_t c = 0; c < of->channels; c++) {
        of->mask[c] |= of->large[c] && !is_broad(of, 0, of->nearby.parts - 1, c);
        masked += of->mask[c];
    }
    if (masked > of->nearby.most) memset(of->mask, 0, sizeof *of->mask * channels);
}

static void save(const judged *of, ct_array *f, int64_t s, int64_t k, int64_t c)
{
    const int64_t part = k / of->nearby.part, last = of->nearby.parts - 1;
    const uint8_t code = of->code[k * of->channels + c];
    const bool kept =
        (code & PERHAPS) && is_broad(of, part > 0 ? part - 1 : 0, part < last ? part + 1 : last, c);
    const int64_t times = ct_array_extent(f, 'T');
    ct_array_save(f, (s * times + of->first + k) * of->channels + c,
                  (code & SURELY) || ((code & PERHAPS) && !kept) || of->mask[c], 0);
}

static bool get_memory(judged *of)
{
    ct_step *step = (ct_step *)of->step;
    const size_t window = (size_t)of->window, channels = (size_t)of->channels;
    of->code = ct_step_alloc(step, window * channels);
    of->hot = ct_step_alloc(step, sizeof *of->hot * (size_t)of->nearby.parts * channels);
    of->mask = ct_step_alloc(step, sizeof *of->mask * channels);
    of->large = ct_step_alloc(step, sizeof *of->large * channels);
    of->away = ct_step_alloc(step, sizeof *of->away * window);
    of->sorted = ct_step_alloc(step, sizeof *of->sorted * window);
    of->deviation = ct_step_alloc(step, sizeof *of->deviation * channels);
    of->level = ct_step_alloc(step, sizeof *of->level * channels);
    of->room = ct_step_alloc(step, 3 * sizeof *of->room * channels);
    return of->code && of->hot && of->mask && of->large && of->away && of->sorted &&
           of->deviation && of->level && of->room;
}

ct_status ct_flag_power_reference(const ct_step *step, ct_array ports[])
{
    const ct_array *x = &ports[CT_FLAG_X];
    ct_array *f = &ports[CT_FLAG_F];
    const int64_t times = ct_array_extent(x, 'T'), stations = ct_array_extent(f, 'S');
    judged of = {.step = step,
                 .x = x,
                 .m = &ports[CT_FLAG_M],
                 .nearby = ct_flag_nearby_of(step),
                 .window = ct_step_int(step, "window"),
                 .channels = ct_array_extent(x, 'C'),
                 .single = ct_step_real(step, "threshold"),
                 .run = ct_step_real(step, "run_threshold")};
    const int64_t series = ct_array_count(x) / times / of.channels / stations;
    if (!get_memory(&of)) return CT_FAILED;
    for (int64_t n = 0; n < stations * (times / of.window); n++) {
        const int64_t s = n / (times / of.window);
        of.first = n % (times / of.window) * of.window;
        judge_window(&of, s * series, series);
        for (int64_t k = 0; k < of.window * of.channels; k++)
            save(&of, f, s, k / of.channels, k % of.channels);
    }
    return CT_OK;
}
