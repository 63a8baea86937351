/* pulse_search_boxcars.c: sums of 1, 2, 4, ... neighbours, the largest of each column of time and
 * of all.
 * Room: io/candidates. Knows sums of numbers. Does not know noise. A sum of 2w numbers is that
 * of two of w: so it does not depend on where a block, or a stretch, begins, and neighbouring
 * sums are made side by side, in vectors. */
#include <math.h>

#include "pulse_search.h"

enum { ABREAST = 16 }; /* largest ones at a time, for vectors */

static void add_halves(float *restrict to, const float *restrict from, int64_t half, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i] + from[i + half];
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

float ct_boxcars_largest(const float *x, int64_t count)
{
    float most = x[0], each[ABREAST];
    int64_t i = 0;
    if (count >= ABREAST) {
        for (int k = 0; k < ABREAST; k++)
            each[k] = x[k];
        for (i = ABREAST; i + ABREAST <= count; i += ABREAST)
            for (int k = 0; k < ABREAST; k++)
                each[k] = larger(x[i + k], each[k]);
        for (int k = 0; k < ABREAST; k++)
            most = larger(each[k], most);
    }
    for (; i < count; i++)
        most = larger(x[i], most);
    return most;
}

/* The larger S/N; of equal ones the earlier, then the narrower: whichever was found first. */
static void keep_best(ct_pulse *best, ct_pulse found)
{
    const int earlier =
        found.sample < best->sample || (found.sample == best->sample && found.width < best->width);
    if (found.snr > best->snr || (found.snr > 0.0 && found.snr == best->snr && earlier))
        *best = found;
}

/* Boxcars of one width in one series, on their way along it. */
typedef struct walk {
    ct_pulse *best;
    float *row; /* of the plane */
    double scale;
    int64_t width, ratio;
} walk;

/* `count` boxcars from sample `first` on, which all stand in one column. */
static void keep_run(const walk *at, float *cell, const float *sums, int64_t count, int64_t first)
{
    const float most = ct_boxcars_largest(sums, count);
    const double snr = most * at->scale;
    *cell = larger((float)snr, *cell);
    if (!(snr >= at->best->snr)) return;
    for (; *sums != most; sums++)
        first++;
    keep_best(at->best, (ct_pulse){snr, first, at->width});
}

/* A boxcar stands in the column where its middle is. A column has 2^shift samples. */
static void find_width(const walk *at, int shift, const float *sums, int64_t count, int64_t first)
{
    while (count > 0) {
        const int64_t place = (first + at->width / 2) * at->ratio, column = place >> shift;
        const int64_t rest = ((column + 1) << shift) - place;
        int64_t run = at->ratio == 1 ? rest : (rest + at->ratio - 1) / at->ratio;
        if (run > count) run = count;
        keep_run(at, at->row + column, sums, run, first);
        sums += run;
        first += run;
        count -= run;
    }
}

void ct_boxcars_find(ct_search *p, int64_t series, int64_t first, int64_t count)
{
    const int64_t before = p->widest - 1, skip = first < before ? before - first : 0;
    const int64_t length = before + count - skip;
    ct_search_series *of = p->series + series;
    float *sums = p->level + skip, *next = p->sums + skip;
    for (int64_t width = 1; width <= p->widest && width <= length; width *= 2) {
        if (width > 1) {
            add_halves(next, sums, width / 2, length - width + 1);
            float *swap = sums;
            sums = next;
            next = swap;
        }
        const walk at = {&of->best, ct_search_row(p, series), 1.0 / sqrt((double)width), width,
                         of->ratio};
        find_width(&at, p->shift, sums, length - width + 1, first - before + skip);
    }
}
