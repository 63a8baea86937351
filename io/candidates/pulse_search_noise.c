/* pulse_search_noise.c: median and median absolute deviation of what is finite in a series.
 * Room: io/candidates. Knows numbers. Does not know what they are of. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "pulse_search.h"

enum { FEW = 128 }; /* samples that say between which two values a median lies */

/* Moves values below the pivot (or equal to it) to the front of low..high and returns where they
 * end. No branch depends on the data: with noise every other one would be mispredicted. */
static int64_t partition(float *x, int64_t low, int64_t high, float pivot, bool equal)
{
    int64_t end = low;
    for (int64_t i = low; i < high; i++) {
        const float value = x[i];
        x[i] = x[end];
        x[end] = value;
        end += equal ? value <= pivot : value < pivot;
    }
    return end;
}

static float middle(float a, float b, float c)
{
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

/* The k-th smallest (Hoare's selection); changes the order of `x`. */
static float select_kth(float *x, int64_t count, int64_t k)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const float pivot = middle(x[low], x[(low + high) / 2], x[high - 1]);
        const int64_t less = partition(x, low, high, pivot, false);
        if (k < less) {
            high = less;
            continue;
        }
        low = partition(x, less, high, pivot, true);
        if (k < low) return pivot;
    }
    return x[low];
}

typedef struct bracket {
    float low, high;
} bracket;

/* Two values that the median lies between, most probably: of every n-th sample, those three
 * standard errors (half the root of their number) below and above the middle. */
static bracket guess(const float *x, int64_t count)
{
    float few[FEW];
    const int64_t step = (count + FEW - 1) / FEW;
    int64_t used = 0;
    for (int64_t i = 0; i < count; i += step)
        few[used++] = x[i];
    const int64_t away = 3 * (int64_t)sqrt((double)used) / 2 + 1;
    const int64_t below = used / 2 - away, above = used / 2 + away;
    bracket out;
    out.low = select_kth(few, used, below > 0 ? below : 0);
    out.high = select_kth(few, used, above < used ? above : used - 1);
    return out;
}

/* The upper median; changes the order of `x`. Only what lies in the bracket is put in order, unless
 * the guess was wrong. */
static float median_of(float *x, int64_t count, float *between)
{
    if (count <= 2 * FEW) return select_kth(x, count, count / 2);
    const bracket near = guess(x, count);
    int64_t below = 0, inside = 0;
    for (int64_t i = 0; i < count; i++) {
        const float value = x[i];
        between[inside] = value;
        inside += (value >= near.low) & (value <= near.high);
        below += value < near.low;
    }
    const int64_t k = count / 2 - below;
    return k >= 0 && k < inside ? select_kth(between, inside, k) : select_kth(x, count, count / 2);
}

ct_noise ct_noise_of(const float *x, int64_t count, int64_t fewest, float *sorted, float *between)
{
    int64_t finite = 0;
    for (int64_t i = 0; i < count; i++) {
        sorted[finite] = x[i];
        finite += fabsf(x[i]) <= FLT_MAX;
    }
    if (finite < fewest) return (ct_noise){0, 0};
    const float median = median_of(sorted, finite, between);
    for (int64_t i = 0; i < finite; i++)
        sorted[i] = fabsf(sorted[i] - median);
    const float sigma = 1.4826f * median_of(sorted, finite, between);
    return (ct_noise){median, sigma >= FLT_MIN && sigma <= FLT_MAX ? sigma : 0};
}
