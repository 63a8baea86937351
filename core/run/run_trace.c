/* run_trace.c: where the time of a run goes, per step, as a table.
 * Room: core/run. */
#include "run.h"
#include "text.h"

static double all_seconds(const ct_run *run)
{
    double all = 0;
    for (int s = 0; s < run->plan->count; s++)
        all += run->steps[s].seconds;
    return all > 0 ? all : 1;
}

ct_status ct_run_trace(char **out, const ct_run *run)
{
    ct_text text = {0};
    double all = all_seconds(run);
    ct_text_add(&text, "%-24s %-12s %8s %10s %7s %9s\n", "step", "stage", "fired", "ms/block",
                "share", "GFLOP/s");
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        const ct_step *step = run->plan->steps[s].step;
        double fired = at->fired ? (double)at->fired : 1;
        double flops = step->stage->flops ? step->stage->flops(step) * fired : 0;
        ct_text_add(&text, "%-24s %-12s %8lld %10.3f %6.1f%% ", run->plan->steps[s].name,
                    step->stage->name, (long long)at->fired, 1e3 * at->seconds / fired,
                    100 * at->seconds / all);
        if (flops > 0 && at->seconds > 0)
            ct_text_add(&text, "%9.2f\n", 1e-9 * flops / at->seconds);
        else
            ct_text_add(&text, "%9s\n", "-");
    }
    *out = ct_text_take(&text);
    return CT_OK;
}
