/* pulses_tune.c: the launches: parts, their noise, and a work-item for so many parts of each
 * series. Room: stages/pulses. Knows lengths and tunables. Does not know the kernel's text. */
#include <string.h>

#include "pulses.h"

/* Trials first: what neighbours have of parts lies together. */
int ct_pulses_launch(const ct_step *step, ct_launch *out)
{
    if (ct_pulses_in_groups(step)) return ct_pulses_group_launch(step, out);
    const pulses_cut *cut = step->state;
    const ct_array *x = &step->port[PORT_X];
    const size_t planes = (size_t)ct_pulses_planes(x);
    const size_t trials = (size_t)ct_array_extent(x, 'D');
    const int64_t parts = ct_array_extent(&step->port[PORT_Y], 'T') * cut->bin / cut->part;
    const int64_t tile = ct_step_tunable(step, "TILES_T");
    const int64_t before = (PULSES_GROUPS - 1) * PULSES_WINDOW, groups = parts / PULSES_WINDOW;
    const size_t side = (size_t)ct_divide_up((int64_t)trials, ct_step_tunable(step, "VECTOR_T"));
    const ct_launch all[] = {
        {"pulses_parts", {trials, (size_t)ct_divide_up(before + parts, tile), planes}, {1, 1, 1}},
        {"pulses_noise", {side, (size_t)groups, planes}, {1, 1, 1}},
        {"pulses_scale", {side, (size_t)groups, planes}, {1, 1, 1}},
        {NULL, {trials, (size_t)ct_divide_up(parts, tile), planes}, {1, 1, 1}}};
    const int count = (int)(sizeof all / sizeof *all);
    memcpy(out, all, sizeof all);
    return count;
}
