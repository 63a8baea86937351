/* timing_ratio.c: the ratio of two things' times, and its confidence interval.
 * Room: tuner/measure. Knows numbers. Does not know what was timed. */
#include <math.h>
#include <stdlib.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "memory.h"

static int ratio_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The place, from 1, of the smallest value of the interval: the true median, which each of `pairs`
 * is below with probability 1/2, lies before it with at most 2.5 %. 0: there are too few pairs. */
static size_t ratio_place(size_t pairs)
{
    const double n = (double)pairs;
    double below = 0; /* probability that at most `k` are below the median */
    for (size_t k = 0; k < pairs; k++) {
        const double choose = lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1);
        below += exp(choose - n * log(2));
        if (below > 0.025) return k;
    }
    return 0;
}

ct_status ct_tune_ratio(double out[3], const double *a, const double *b, size_t pairs,
                        ct_error *err)
{
    CT_GIVEN(err, out, a);
    ct_status status = CT_OK;
    double *sorted = NULL;
    if (pairs == 0) return ct_error_add(err, CT_USAGE, "ct_tune_ratio: there are no pairs");
    sorted = ct_memory_get(sizeof *sorted * pairs);
    CT_NEED(sorted, sizeof *sorted * pairs, err);
    for (size_t i = 0; i < pairs; i++)
        sorted[i] = b ? a[i] / b[i] : a[i];
    qsort(sorted, pairs, sizeof *sorted, ratio_order);
    const size_t place = ratio_place(pairs), outside = place > 0 ? place - 1 : 0;
    out[0] = sqrt(sorted[pairs / 2]) * sqrt(sorted[(pairs - 1) / 2]);
    out[1] = sorted[outside];
    out[2] = sorted[pairs - 1 - outside];
out:
    ct_memory_free(sorted);
    return status;
}
