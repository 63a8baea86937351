/* verdict.c: see verdict.h.
 * Room: tuner/confirm. */
#include "verdict.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <math.h>

ct_verdict ct_verdict_compare(const ct_plan_timing *own, const ct_plan_timing *defaults)
{
    double ratio[3] = {1, 1, 1};
    const int walls = own->walls < defaults->walls ? own->walls : defaults->walls;
    (void)ct_tune_ratio(ratio, own->wall, defaults->wall, (size_t)walls, NULL);
    return (ct_verdict){.seconds = ct_results_median(own->wall, walls),
                        .default_s = ct_results_median(defaults->wall, walls),
                        .ratio = ratio[0],
                        .low = ratio[1],
                        .high = ratio[2]};
}

ct_verdict_gap ct_verdict_above(const ct_verdict *v, double bound_s)
{
    const double gap = v->seconds - bound_s;
    const double spread = v->ratio > 0 ? v->seconds * (v->high - v->low) / (2 * v->ratio) : 0;
    if (!(bound_s > 0) || !isfinite(bound_s) || !(gap > 0)) return (ct_verdict_gap){0, 0};
    const double noise = fmin(gap, spread);
    return (ct_verdict_gap){noise, gap - noise};
}
