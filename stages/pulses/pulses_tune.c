/* pulses_tune.c: the launches: parts, their noise, and a work-item for so many parts of each
 * series. Room: stages/pulses. Knows lengths and tunables. Does not know the kernel's text. */
#include <string.h>

#include "pulses.h"

/* Work-items for so much each, in whole groups. */
static size_t in_groups(int64_t count, int64_t each, size_t group)
{
    return ((size_t)ct_divide_up(count, each) + group - 1) / group * group;
}

int ct_pulses_launch(const ct_step *step, ct_launch *out)
{
    if (ct_pulses_in_groups(step)) return ct_pulses_group_launch(step, out);
    const pulses_cut *cut = step->state;
    const ct_array *x = &step->port[PORT_X];
    const size_t group = (size_t)ct_step_tunable(step, "WG"), planes = (size_t)ct_pulses_planes(x);
    const size_t trials = (size_t)ct_array_extent(x, 'D');
    const int64_t parts = ct_array_extent(&step->port[PORT_Y], 'T') * cut->bin / cut->part;
    const int64_t tile = ct_step_tunable(step, "TILES_T");
    const int64_t before = (PULSES_GROUPS - 1) * PULSES_WINDOW, groups = parts / PULSES_WINDOW;
    const size_t side = in_groups((int64_t)trials, ct_step_tunable(step, "VECTOR_T"), group);
    const size_t local[3] = {group, 1, 1};
    const ct_launch all[] = {
        {"pulses_parts", {in_groups(before + parts, tile, group), trials, planes}, {0}},
        {"pulses_noise", {side, (size_t)groups, planes}, {0}},
        {"pulses_scale", {side, (size_t)groups, planes}, {0}},
        {NULL, {in_groups(parts, tile, group), trials, planes}, {0}}};
    const int count = (int)(sizeof all / sizeof *all);
    for (int i = 0; i < count; i++) {
        out[i] = all[i];
        memcpy(out[i].local, local, sizeof local);
    }
    return count;
}
