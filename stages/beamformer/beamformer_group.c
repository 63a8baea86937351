/* beamformer_group.c: how the work is cut where work-groups share it, as GPUs want, which tunables
 * suit, and whether the device multiplies matrices.
 * Room: stages/beamformer. Knows only cornerturn_stage.h; the cells are those of
 * beamformer_group.cl. */
#include "beamformer.h"
#include "beamformer_mma_cl.h"
#include <stdio.h>

enum {
    X = CT_BEAMFORMER_X,
    Y = CT_BEAMFORMER_Y,
    MMA_LEAST = 8 /* beams of a product of 16; so few wait for memory either way */
};

static int64_t tunable(const ct_step *step, const char *name)
{
    return ct_step_tunable(step, name);
}

/* A GPU's instruction is not tried with a CPU's compiler, which would print errors. */
bool ct_beamformer_takes_mma(const ct_step *step)
{
    char text[sizeof beamformer_mma_cl + 128];
    if (!step->gpu) return false;
    snprintf(text, sizeof text, "// needs ptx_mma_tf32\n#define PROBE 1\n#define MMA 1\n%s",
             beamformer_mma_cl);
    return ct_step_device_accepts(step, text);
}

const char *ct_beamformer_note(const ct_step *step)
{
    if (tunable(step, "DOT") != 2 || ct_beamformer_takes_mma(step)) return NULL;
    return "DOT=2 without MMA: multiplications instead";
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
    const bool matrices = tunable(step, "DOT") == 2;
    int64_t beams = ct_array_extent(&step->port[Y], 'B');
    double best = 0;
    for (int64_t cells = 8; cells >= (matrices ? 8 : 4); cells /= 2)
        for (int64_t cell = 8; cell >= 1; cell -= 1 + matrices) {
            double one = cost(beams, cell, cells);
            if (best > 0 && one >= best) continue;
            best = one;
            ct_step_suggest(step, "CELL_B", cell);
            ct_step_suggest(step, "CELLS_B", cells);
        }
}

/* Matrix units get such samples as two numbers, for which a work-item needs registers. */
static bool is_two_parts(const ct_step *step)
{
    const ct_type type = step->port[X].type;
    return tunable(step, "DOT") == 2 && type != CT_CI8 && type != CT_CI4;
}

static void suggest_cells(ct_step *step)
{
    int64_t pols = ct_array_extent(&step->port[X], 'P'), vectors = is_two_parts(step) ? 2 : 4,
            times;
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

/* Products are made sooner than tiles are packed: longer ones, where they leave no more stations
 * over. */
static void suggest_stations(ct_step *step)
{
    const int64_t stations = ct_array_extent(&step->port[X], 'S');
    if (ct_divide_up(stations, 16) * 2 > ct_divide_up(stations, 8)) return;
    ct_step_suggest(step, "TILE_S", 16);
    if (!ct_step_holds(step, CT_BEAMFORMER_GROUP)) ct_step_suggest(step, "TILE_S", 8);
}

void ct_beamformer_group_suggest(ct_step *step)
{
    const bool matrices =
        ct_beamformer_takes_mma(step) && ct_array_extent(&step->port[Y], 'B') > MMA_LEAST;
    ct_step_suggest(step, "DOT", matrices ? 2 : 0);
    suggest_cells(step);
    if (matrices && !ct_step_holds(step, CT_BEAMFORMER_GROUP " && " CT_BEAMFORMER_MATRICES)) {
        ct_step_suggest(step, "DOT", 0);
        suggest_cells(step);
    }
    if (tunable(step, "DOT") == 2) suggest_stations(step);
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
