/* baseline_tune.c: how a baseline's work is cut.
 * Room: stages/baseline. Knows tunables. Does not know the kernel's text. */
#include "baseline.h"
#include "columns.h"

void ct_baseline_suggest(ct_step *step)
{
    ct_columns_suggest(step, CT_BASELINE_WINDOW);
}

/* Levels of all windows, then what is left of the new ones. */
int ct_baseline_launch(const ct_step *step, ct_launch *out)
{
    const int64_t window = ct_step_int(step, "window");
    const ct_array *levels = &step->port[CT_BASELINE_LEVELS];
    out[0] = ct_columns_launch(step, window);
    out[0].global[1] = (size_t)ct_array_extent(levels, 'T');
    out[1] = out[0];
    out[1].entry = "baseline";
    out[1].global[1] -= CT_BASELINE_BEFORE;
    return 2;
}
