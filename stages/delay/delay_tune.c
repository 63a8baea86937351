/* delay_tune.c: how the delay's work is cut.
 * Room: stages/delay. Knows tunables. Does not know delays. */
#include "delay.h"

/* Tiles are not much larger than the array. */
void ct_delay_suggest(ct_step *step)
{
    const ct_array *x = &step->port[CT_DELAY_X];
    int64_t below;
    while (ct_step_tunable(step, "TILE_C") >= 2 * ct_array_extent(x, 'C') &&
           (below = ct_step_next_below(step, "TILE_C")) > 0)
        ct_step_suggest(step, "TILE_C", below);
}

/* A group for each tile; matrices take both polarizations together. */
int ct_delay_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *x = &step->port[CT_DELAY_X];
    const size_t group = (size_t)ct_step_tunable(step, "WG");
    const int64_t tiles_c = ct_divide_up(ct_array_extent(x, 'C'), ct_step_tunable(step, "TILE_C"));
    const int64_t tiles_t = ct_divide_up(ct_array_extent(x, 'T'), ct_step_tunable(step, "TILE_T"));
    out->global[0] = (size_t)tiles_c * group;
    out->global[1] = (size_t)tiles_t;
    const bool together = step->port[CT_DELAY_J].type != CT_NONE;
    out->global[2] = (size_t)(ct_array_extent(x, 'S') * (together ? 1 : ct_array_extent(x, 'P')));
    out->local[0] = group;
    out->local[1] = out->local[2] = 1;
    return 1;
}
