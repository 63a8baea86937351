/* verdict.c: see verdict.h.
 * Room: tuner/confirm. */
#include "verdict.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <math.h>

ct_verdict ct_verdict_compare(const ct_plan_timing *own, const ct_plan_timing *defaults)
{
    double ratio[3] = {1, 1, 1}, wall[CT_BACKEND_WALLS];
    const int walls = own->walls < defaults->walls ? own->walls : defaults->walls;
    const bool known = own->samples > 0 && defaults->samples > 0;
    const double scale = known ? (double)defaults->samples / (double)own->samples : 1;
    for (int w = 0; w < walls; w++)
        wall[w] = own->wall[w] * scale;
    (void)ct_tune_ratio(ratio, wall, defaults->wall, (size_t)walls, NULL);
    return (ct_verdict){.seconds = ct_results_median(wall, walls),
                        .default_s = ct_results_median(defaults->wall, walls),
                        .ratio = ratio[0],
                        .low = ratio[1],
                        .high = ratio[2],
                        .samples = defaults->samples,
                        .signal_s = defaults->signal_s};
}

ct_verdict_gap ct_verdict_above(const ct_verdict *v, double bound_s)
{
    const double gap = v->seconds - bound_s;
    const double spread = v->ratio > 0 ? v->seconds * (v->high - v->low) / (2 * v->ratio) : 0;
    if (!(bound_s > 0) || !isfinite(bound_s) || !(gap > 0)) return (ct_verdict_gap){0, 0};
    const double noise = fmin(gap, spread);
    return (ct_verdict_gap){noise, gap - noise};
}
