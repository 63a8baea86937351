/* delay_tune.c: how the delay's work is cut.
 * Room: stages/delay. Knows tunables. Does not know delays. */
#include "delay.h"

enum { LONG_ROW = 64 /* channels, from which on a tile needs few rows */, FEW_TIMES = 4 };

static int64_t stride(const ct_step *step, int port, char dim)
{
    return ct_array_stride(&step->port[port], dim);
}

/* Whether a row of channels continues the one of the time before. */
static bool rows_follow(const ct_step *step, int port)
{
    return stride(step, port, 'T') < 2 * ct_array_extent(&step->port[port], 'C');
}

/* Where channels are fastest on both sides, each time of a tile is a stream of its own for what
 * prefetches and gathers stores in the processor: few of them, and one where tiles then follow each
 * other in memory. Of short rows and of matrices, which are packed anew for each tile, it takes
 * more. */
static void suggest_streams(ct_step *step)
{
    const bool matrices = step->port[CT_DELAY_J].type != CT_NONE;
    const int64_t row = ct_step_tunable(step, "TILE_C");
    if (step->gpu || matrices || row < LONG_ROW || stride(step, CT_DELAY_X, 'C') != 1 ||
        stride(step, CT_DELAY_Y, 'C') != 1)
        return;
    const bool one = ct_array_extent(&step->port[CT_DELAY_X], 'C') > row &&
                     rows_follow(step, CT_DELAY_X) && rows_follow(step, CT_DELAY_Y);
    ct_step_suggest(step, "TILE_T", one ? 1 : FEW_TIMES);
}

/* Tiles are not much larger than the array. */
void ct_delay_suggest(ct_step *step)
{
    const ct_array *x = &step->port[CT_DELAY_X];
    int64_t below;
    while (ct_step_tunable(step, "TILE_C") >= 2 * ct_array_extent(x, 'C') &&
           (below = ct_step_next_below(step, "TILE_C")) > 0)
        ct_step_suggest(step, "TILE_C", below);
    suggest_streams(step);
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
