/* timing_rounds.c: interleaved rounds and their medians.
 * Room: tuner/measure. Does not know what is timed. */
#include "timing_rounds.h"

#include "clock.h"
#include "fail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The first launches after a build can be twice as slow: warm up by time, not by number. */
#define WARM_SECONDS 0.05

/* Time that is not measured counts, too. */
ct_status ct_rounds_warm(const ct_timed *thing, double spent, ct_error *err)
{
    ct_status status = CT_OK;
    const double from = ct_clock_now();
    double seconds = 0.0;
    while (spent < WARM_SECONDS && ct_clock_now() - from < WARM_SECONDS) {
        CT_TRY(thing->run(thing->of, &seconds, err));
        spent += seconds;
    }
out:
    return status;
}

ct_status ct_rounds_run(double *seconds, const ct_timed things[], int count, int rounds,
                        ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < count; i++)
        CT_TRY(ct_rounds_warm(&things[i], 0, err));
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            CT_TRY(things[i].run(things[i].of, &seconds[i * rounds + round], err));
out:
    return status;
}

static int rounds_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ct_rounds_median(const double *seconds, int rounds)
{
    double sorted[CT_ROUNDS_MOST];
    assert(rounds > 0 && rounds <= CT_ROUNDS_MOST);
    memcpy(sorted, seconds, sizeof *sorted * (size_t)rounds);
    qsort(sorted, (size_t)rounds, sizeof *sorted, rounds_order);
    return 0.5 * (sorted[rounds / 2] + sorted[(rounds - 1) / 2]);
}

double ct_rounds_ratio(const double *a, const double *b, int rounds)
{
    double ratios[CT_ROUNDS_MOST];
    assert(rounds > 0 && rounds <= CT_ROUNDS_MOST);
    for (int i = 0; i < rounds; i++)
        ratios[i] = a[i] / b[i];
    return ct_rounds_median(ratios, rounds);
}
