/* pulses_noise.c: median and median absolute deviation of a series.
 * Room: stages/pulses. Knows numbers. Does not know what they are of. */
#include <math.h>
#include <stdbool.h>

#include "pulses.h"

enum { MOST = 4096 }; /* samples that a median is taken from */

/* Brings those below the pivot (or equal to it) to the front of low..high and says where they end.
 * No branch depends on the data: noise would be guessed wrong every other time. */
static int64_t partition(double *x, int64_t low, int64_t high, double pivot, bool equal)
{
    int64_t end = low;
    for (int64_t i = low; i < high; i++) {
        const double value = x[i];
        x[i] = x[end];
        x[end] = value;
        end += equal ? value <= pivot : value < pivot;
    }
    return end;
}

static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* The k-th smallest (Hoare's selection); changes the order of `x`. */
static double select_kth(double *x, int64_t count, int64_t k)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const double pivot = middle(x[low], x[(low + high) / 2], x[high - 1]);
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

ct_noise ct_noise_of(const double *x, int64_t count, double *sorted)
{
    const int64_t step = (count + MOST - 1) / MOST;
    int64_t used = 0;
    for (int64_t i = 0; i < count; i += step)
        sorted[used++] = x[i];
    const double median = select_kth(sorted, used, used / 2);
    for (int64_t i = 0; i < used; i++)
        sorted[i] = fabs(sorted[i] - median);
    return (ct_noise){median, 1.4826 * select_kth(sorted, used, used / 2)};
}
