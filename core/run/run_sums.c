/* run_sums.c: where a firing's samples are in sums that take several firings: see run_sums.h.
 * Room: core/run. Knows samples along time. Does not know what is added. */
#include "run_sums.h"

ct_sum_place ct_run_sum_place(const ct_run *run, int s)
{
    const ct_step *step = run->plan->steps[s].step;
    const int64_t samples = ct_array_extent(&step->port[0], 'T') - step->overlap;
    const int64_t fired = run->steps[s].fired, start = fired * samples, sum = step->decimate;
    ct_sum_place place = {.samples = samples, .start = start, .number = fired, .end = samples};
    if (step->accumulate == 1) return place;
    const int64_t within = start % sum;
    place.number = start / sum;
    place.adds = within > 0;
    place.rest = within < samples ? within : 0;
    if (sum - within < samples) place.end = sum - within;
    return place;
}

int64_t ct_run_sums_done(const ct_run *run, int s)
{
    const ct_step *step = run->plan->steps[s].step;
    const ct_sum_place next = ct_run_sum_place(run, s);
    return step->accumulate > 1 ? next.start / step->decimate : next.number;
}
