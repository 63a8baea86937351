/* beamformer_tune.c: how the work is cut: tiles, cells, launches, and which tunables suit.
 * Room: stages/beamformer. Knows only cornerturn_stage.h; the cells are those of beamformer.cl. */
#include "beamformer.h"
#include "vectors.h"
#include <stdlib.h>

enum { X = CT_BEAMFORMER_X, Y = CT_BEAMFORMER_Y, LINE_BYTES = 64 };

static const struct {
    const char *name;
    bool coherent;
} modes[] = {CT_BEAMFORMER_MODES(CT_ROW)};

bool ct_beamformer_is_coherent(const ct_step *step)
{
    return modes[ct_step_choice(step, "mode")].coherent;
}

/* The largest of a tunable's values that is at most `most`, else the smallest one. */
static void set_at_most(ct_step *step, const char *name, int64_t most)
{
    int64_t below;
    ct_step_suggest(step, name, INT64_MAX);
    while (ct_step_tunable(step, name) > most && (below = ct_step_next_below(step, name)) > 0)
        ct_step_suggest(step, name, below);
}

/* How many along `dim` fill a cache line; 1 where lines run along other dimensions. */
static int64_t fill_line(const ct_array *array, char dim)
{
    int64_t bytes = ct_array_stride(array, dim) * ct_type_bits(array->type) / 8;
    if (bytes == 0 || bytes >= LINE_BYTES || ct_array_extent(array, dim) == 1) return 1;
    return LINE_BYTES / bytes;
}

int64_t ct_beamformer_times(const ct_step *step)
{
    const int64_t times = ct_array_extent(&step->port[X], 'T');
    const int64_t segment = ((const ct_beams *)step->state)->segment;
    return segment > 0 && segment < times ? segment : times;
}

/* 32 samples (times and polarizations) side by side, fewer where there are fewer. */
static void suggest_samples(ct_step *step)
{
    const ct_array *x = &step->port[X];
    int64_t pols = ct_array_extent(x, 'P'), times = ct_beamformer_times(step);
    int64_t vectors = times * pols > 16 ? 4 : times * pols > 8 ? 2 : 1;
    ct_step_suggest(step, "VECTORS_TP", vectors);
    ct_step_suggest(step, "TILE_T", ct_divide_up(8 * vectors, pols));
    while (ct_step_tunable(step, "TILE_T") * pols * 2 % (16 * vectors))
        ct_step_suggest(step, "TILE_T", ct_step_tunable(step, "TILE_T") + 1);
    set_at_most(step, "TILES_T", times / ct_step_tunable(step, "TILE_T"));
    if (ct_vectors_are_wide()) return;
    ct_step_suggest(step, "VECTOR_TP", 4);
    if (vectors > 2) ct_step_suggest(step, "VECTORS_TP", 2);
}

/* Up to 128 beams share a tile of samples. */
static void suggest_beams(ct_step *step)
{
    const ct_array *y = &step->port[Y];
    int64_t beams = ct_array_extent(y, 'B'), cell = beams == 1 ? 1 : 2;
    ct_step_suggest(step, "CELL_B", cell);
    set_at_most(step, "CELLS_B", fill_line(y, 'B') / cell);
    while (ct_step_next_below(step, "CELLS_B") * cell >= beams)
        ct_step_suggest(step, "CELLS_B", ct_step_next_below(step, "CELLS_B"));
    ct_step_suggest(step, "WRITES_B", ct_divide_up(beams, cell * ct_step_tunable(step, "CELLS_B")));
    while (ct_step_tunable(step, "WRITES_B") * cell * ct_step_tunable(step, "CELLS_B") > 128)
        ct_step_suggest(step, "WRITES_B", ct_divide_up(ct_step_tunable(step, "WRITES_B"), 2));
}

/* Writes that scatter lines are larger, and are stored in parts while the next ones are computed.
 */
static void suggest_stores(ct_step *step, int64_t channels)
{
    if (channels > ct_step_tunable(step, "TILE_C")) channels = ct_step_tunable(step, "TILE_C");
    set_at_most(step, "WRITE_C", channels);
    if (channels > 1 && ct_step_tunable(step, "CELLS_B") == 1 &&
        ct_step_tunable(step, "WRITES_B") > 1) {
        ct_step_suggest(step, "CELLS_B", 2);
        ct_step_suggest(step, "WRITES_B", ct_divide_up(ct_step_tunable(step, "WRITES_B"), 2));
    }
    if (ct_beamformer_detects(step) || ct_step_tunable(step, "CELLS_B") == 1) return;
    ct_step_suggest(step, "PARTS_T", channels > 1 ? 8 : 4);
    while (ct_step_tunable(step, "TILE_T") % ct_step_tunable(step, "PARTS_T"))
        ct_step_suggest(step, "PARTS_T", ct_step_next_below(step, "PARTS_T"));
}

static void suggest_powers(ct_step *step)
{
    for (int i = 0; step->stage->tuning.tunables[i].name; i++)
        step->tunable[i] = strtoll(step->stage->tuning.tunables[i].values, NULL, 10);
    if (step->gpu) ct_step_suggest(step, "WG", 64);
    if (step->gpu) return;
    ct_step_suggest(step, "NONTEMPORAL", 1);
    while (ct_step_tunable(step, "TILE_T") < 32 &&
           ct_step_tunable(step, "TILE_T") < ct_array_extent(&step->port[X], 'T'))
        ct_step_suggest(step, "TILE_T", 2 * ct_step_tunable(step, "TILE_T"));
}

void ct_beamformer_suggest(ct_step *step)
{
    int64_t read = fill_line(&step->port[X], 'C'), write = fill_line(&step->port[Y], 'C');
    if (!ct_beamformer_is_coherent(step)) suggest_powers(step);
    if (step->gpu && ct_beamformer_is_coherent(step)) ct_beamformer_group_suggest(step);
    if (step->gpu) return;
    if (ct_beamformer_is_coherent(step)) {
        suggest_samples(step);
        suggest_beams(step);
    }
    set_at_most(step, "TILE_C", read > write ? read : write);
    while (ct_step_next_below(step, "TILE_C") >= ct_array_extent(&step->port[X], 'C'))
        ct_step_suggest(step, "TILE_C", ct_step_next_below(step, "TILE_C"));
    if (ct_beamformer_is_coherent(step)) suggest_stores(step, write);
    while (!ct_step_holds(step, CT_BEAMFORMER_CELLS) && ct_step_tunable(step, "WRITES_B") > 1)
        ct_step_suggest(step, "WRITES_B", ct_step_tunable(step, "WRITES_B") / 2);
}

static int launch_beams(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    int64_t group = ct_step_tunable(step, "WG");
    int64_t write = ct_step_tunable(step, "CELL_B") * ct_step_tunable(step, "CELLS_B");
    int64_t channels = ct_array_extent(y, 'C'), times = ct_array_extent(&step->port[X], 'T');
    if (group > 1 && ct_beamformer_is_coherent(step)) return ct_beamformer_group_launch(step, out);
    out->global[0] = (size_t)channels;
    out->global[1] = (size_t)times;
    out->global[2] = (size_t)ct_array_extent(y, 'P');
    if (group > 1) return 1;
    out->global[0] = (size_t)ct_divide_up(channels, ct_step_tunable(step, "TILE_C"));
    out->global[1] = (size_t)ct_divide_up(times, ct_step_tunable(step, "TILE_T") *
                                                     ct_step_tunable(step, "TILES_T"));
    out->global[2] =
        (size_t)ct_divide_up(ct_array_extent(y, 'B'), write * ct_step_tunable(step, "WRITES_B"));
    out->local[0] = out->local[1] = out->local[2] = 1;
    return 1;
}

int ct_beamformer_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *counts = &step->port[CT_BEAMFORMER_COUNTS];
    const int beams = launch_beams(step, out);
    if (!ct_beamformer_counts(step)) return beams;
    out[beams] = (ct_launch){
        .entry = ct_beamformer_detects(step) ? "beamdetect_count" : "beamformer_count",
        .global = {(size_t)ct_array_extent(counts, 'C'), (size_t)ct_array_extent(counts, 'T'), 1}};
    return beams + 1;
}
