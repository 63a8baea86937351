/* pulses_tune.c: the launch: a work-item for so many parts of each series.
 * Room: stages/pulses. Knows lengths and tunables. Does not know the kernel's text. */
#include "pulses.h"

int ct_pulses_launch(const ct_step *step, ct_launch *out)
{
    const pulses_cut *cut = step->state;
    const ct_array *x = &step->port[PORT_X];
    const int64_t group = ct_step_tunable(step, "WG");
    const int64_t parts = ct_array_extent(&step->port[PORT_Y], 'T') * cut->bin / cut->part;
    const int64_t items = ct_divide_up(parts, ct_step_tunable(step, "TILES_T"));
    *out = (ct_launch){NULL,
                       {(size_t)(ct_divide_up(items, group) * group),
                        (size_t)ct_array_extent(x, 'D'), (size_t)ct_pulses_planes(x)},
                       {(size_t)group, 1, 1}};
    return 1;
}
