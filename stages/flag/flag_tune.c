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
    const bool power = ct_flag_is_power(step);
    const int64_t most = !power ? INT64_MAX : step->gpu ? 8192 : 65536;
    for (int64_t tile; (tile = ct_step_tunable(step, "TILE_C")) > least &&
                       (tile >= 2 * ct_array_extent(x, 'C') || tile * window > most);)
        below(step, "TILE_C");
    if (power) ct_step_suggest(step, "TILE_T", 1);
    while (window % ct_step_tunable(step, "TILE_T") != 0)
        below(step, "TILE_T");
}

/* A group for each window of so many channels of a station, whose polarizations it takes in turn;
 * where there are beams, of all, since flags know none. Of power, channels are compared after that,
 * and what is no part of a burst is flagged. */
int ct_flag_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *x = &step->port[CT_FLAG_X];
    const size_t group = (size_t)ct_step_tunable(step, "WG");
    const int64_t tiles = ct_divide_up(ct_array_extent(x, 'C'), ct_step_tunable(step, "TILE_C"));
    const size_t windows =
        (size_t)ct_divide_up(ct_array_extent(x, 'T'), ct_step_int(step, "window"));
    const size_t stations = (size_t)ct_array_extent(&step->port[CT_FLAG_F], 'S');
    const ct_launch judge = {.global = {(size_t)tiles * group, windows, stations},
                             .local = {group, 1, 1}};
    out[0] = judge;
    if (!ct_flag_is_power(step)) return 1;
    out[0].entry = "flag_power";
    out[1] = (ct_launch){"flag_channels", {windows * group, stations, 1}, {group, 1, 1}};
    out[2] = judge;
    out[2].entry = "flag_finish";
    return 3;
}
