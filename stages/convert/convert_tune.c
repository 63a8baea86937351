/* convert_tune.c: how a conversion's work is cut.
 * Room: stages/convert. Knows tunables. Does not know the kernel's text. */
#include "columns.h"
#include "convert.h"

static int64_t unit(const ct_step *step)
{
    return ct_convert_measures(step) ? ct_step_int(step, "window")
                                     : ct_step_tunable(step, "TILE_T");
}

void ct_convert_suggest(ct_step *step)
{
    ct_columns_suggest(step, ct_convert_measures(step) ? ct_step_int(step, "window") : 256);
}

int ct_convert_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *counts = &step->port[CT_CONVERT_COUNTS];
    out[0] = ct_columns_launch(step, unit(step));
    if (counts->type == CT_NONE) return 1;
    out[1] =
        (ct_launch){.entry = "convert_count", .global = {(size_t)ct_array_count(counts), 1, 1}};
    return 2;
}
