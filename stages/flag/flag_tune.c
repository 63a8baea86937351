/* flag_tune.c: how the flagger's work is cut.
 * Room: stages/flag. Knows tunables. Does not know how samples are judged. */
#include "flag.h"

static void below(ct_step *step, const char *tunable)
{
    const int64_t less = ct_step_next_below(step, tunable);
    if (less > 0) ct_step_suggest(step, tunable, less);
}

/* Tiles are not much larger than the array, and cut a window into equal parts. Windows of power
 * stay in the second-level cache. */
void ct_flag_suggest(ct_step *step)
{
    const ct_array *x = &step->port[CT_FLAG_X];
    const int64_t window = ct_step_int(step, "window"), least = step->gpu ? 1 : 8;
    const bool power = x->type == CT_F32;
    const int64_t most = !power ? INT64_MAX : step->gpu ? 8192 : 65536;
    for (int64_t tile; (tile = ct_step_tunable(step, "TILE_C")) > least &&
                       (tile >= 2 * ct_array_extent(x, 'C') || tile * window > most);)
        below(step, "TILE_C");
    if (power) ct_step_suggest(step, "TILE_T", 1);
    while (window % ct_step_tunable(step, "TILE_T") != 0)
        below(step, "TILE_T");
}

/* A group for each window of so many channels of a station, whose polarizations it takes in turn;
 * where there are beams, of all, since flags know none. */
int ct_flag_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *x = &step->port[CT_FLAG_X];
    const size_t group = (size_t)ct_step_tunable(step, "WG");
    const int64_t tiles = ct_divide_up(ct_array_extent(x, 'C'), ct_step_tunable(step, "TILE_C"));
    out->global[0] = (size_t)tiles * group;
    out->global[1] = (size_t)ct_divide_up(ct_array_extent(x, 'T'), ct_step_int(step, "window"));
    out->global[2] = (size_t)ct_array_extent(&step->port[CT_FLAG_F], 'S');
    out->local[0] = group;
    out->local[1] = out->local[2] = 1;
    return 1;
}
