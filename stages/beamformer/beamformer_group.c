/* beamformer_group.c: how the work is cut where work-groups share it, as GPUs want, and which
 * tunables suit.
 * Room: stages/beamformer. Knows only cornerturn_stage.h; the cells are those of
 * beamformer_group.cl. */
#include "beamformer.h"

enum { X = CT_BEAMFORMER_X, Y = CT_BEAMFORMER_Y };

static int64_t tunable(const ct_step *step, const char *name)
{
    return ct_step_tunable(step, name);
}

/* What a choice of cells costs: the beams that are computed, weighted up where cells are small
 * (more loads from local memory) or groups are small (more loads from global memory). */
static double cost(int64_t beams, int64_t cell, int64_t cells)
{
    int64_t group = cell * cells;
    return (double)(ct_divide_up(beams, group) * group) * (1 + 0.75 / (double)cell) *
           (1 + 4 / (double)group);
}

/* Up to 64 beams by 64 samples, or 32 by 128, with cells that leave few of them over. */
static void suggest_beams(ct_step *step)
{
    int64_t beams = ct_array_extent(&step->port[Y], 'B');
    double best = 0;
    for (int64_t cells = 8; cells >= 4; cells /= 2)
        for (int64_t cell = 8; cell >= 1; cell--) {
            double one = cost(beams, cell, cells);
            if (best > 0 && one >= best) continue;
            best = one;
            ct_step_suggest(step, "CELL_B", cell);
            ct_step_suggest(step, "CELLS_B", cells);
        }
}

void ct_beamformer_group_suggest(ct_step *step)
{
    int64_t pols = ct_array_extent(&step->port[X], 'P'), vectors = 4, times;
    const bool moves = step->port[CT_BEAMFORMER_N].type != CT_NONE;
    const int64_t most = moves ? CT_TRACKS_GRAIN : ct_beamformer_times(step);
    suggest_beams(step);
    times = 64 / tunable(step, "CELLS_B") * 2 * vectors / pols;
    while (vectors > 1 && times / 2 >= most) {
        vectors /= 2;
        times /= 2;
    }
    ct_step_suggest(step, "VECTORS_TP", vectors);
    ct_step_suggest(step, "TILE_T", times);
}

/* Groups of the same samples follow each other, then those of the same weights. */
int ct_beamformer_group_launch(const ct_step *step, ct_launch *out)
{
    int64_t group = tunable(step, "WG"), beams = tunable(step, "CELL_B") * tunable(step, "CELLS_B");
    int64_t times = ct_array_extent(&step->port[X], 'T');
    *out = (ct_launch){
        .global = {(size_t)(ct_divide_up(ct_array_extent(&step->port[Y], 'B'), beams) * group),
                   (size_t)ct_divide_up(times, tunable(step, "TILE_T")),
                   (size_t)ct_array_extent(&step->port[Y], 'C')},
        .local = {(size_t)group, 1, 1}};
    return 1;
}
