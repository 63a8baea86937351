/* beamformer_rules.h: what `where` of beamformer and beamdetect allows, as rules in C.
 * Room: tests. Knows these stages' tunables. */
#ifndef CT_TESTS_BEAMFORMER_RULES_H
#define CT_TESTS_BEAMFORMER_RULES_H
#include "step.h"

#include <string.h>

static inline int64_t tunable(const ct_step *step, const char *name)
{
    return ct_step_tunable(step, name);
}

static inline int64_t below(const ct_step *step, const char *name)
{
    return ct_step_next_below(step, name);
}

static inline int64_t extent(const ct_step *step, const char *port, char dim)
{
    return ct_array_extent(ct_step_array(step, port), dim);
}

static inline bool is_type(const ct_step *step, const char *port, ct_type type)
{
    return ct_step_array(step, port)->type == type;
}

/* A work-item of its own: nothing longer than what there is, and tiles that fit its stack. */
static inline bool beams_of_cells(const ct_step *step, bool coherent)
{
    const int64_t beams = extent(step, "Y", 'B'), times = extent(step, "X", 'T');
    const int64_t write = tunable(step, "CELL_B") * tunable(step, "CELLS_B");
    const int64_t samples = tunable(step, "TILE_T") * extent(step, "X", 'P');
    const int64_t bytes =
        8 * tunable(step, "TILE_C") * extent(step, "X", 'S') *
            (samples + write * tunable(step, "WRITES_B")) +
        8 * tunable(step, "WRITE_C") * write * samples * (1 + (tunable(step, "PARTS_T") > 1));
    if (coherent && (tunable(step, "CELL_B") > 5 || tunable(step, "TILE_T") > 32 ||
                     tunable(step, "TILE_S") != 8))
        return false;
    return below(step, "CELL_B") < beams &&
           below(step, "CELLS_B") * tunable(step, "CELL_B") < beams &&
           below(step, "WRITES_B") * write < beams && below(step, "TILE_T") < times &&
           below(step, "TILES_T") * tunable(step, "TILE_T") < times &&
           below(step, "TILE_C") < extent(step, "Y", 'C') &&
           bytes <= (step->gpu ? 256 << 10 : 4 << 20);
}

/* A work-group: a cell for each work-item, and tiles that fit local memory. */
static inline bool beams_of_groups(const ct_step *step, bool detects)
{
    const int64_t samples = tunable(step, "TILE_T") * extent(step, "X", 'P');
    const int64_t own = tunable(step, "VECTORS_TP") * tunable(step, "VECTOR_TP");
    const int64_t beams = tunable(step, "CELL_B") * tunable(step, "CELLS_B");
    const int64_t chunk = tunable(step, "CELLS_B") * (tunable(step, "CELL_B") % 2 ? 1 : 2);
    const int64_t gaps = tunable(step, "DOT") == 2 ? 8 : 4;
    int64_t bytes = 8 * (tunable(step, "TILE_S") * (samples + beams + gaps) + chunk * samples);
    if (detects)
        bytes += beams * tunable(step, "TILE_T") * extent(step, "Y", 'Q') * 4 /
                 ct_step_int(step, "integrate");
    return tunable(step, "VECTOR_TP") <= 2 &&
           samples / own * tunable(step, "CELLS_B") == tunable(step, "WG") && bytes <= 32 << 10;
}

/* A tile's samples share their weights, wherever in its segment the block begins. */
static inline bool beams_share_weights(const ct_step *step)
{
    const int64_t segments = is_type(step, "W", CT_NONE) ? 1 : extent(step, "W", 'K');
    const int64_t together = is_type(step, "N", CT_NONE) ? extent(step, "X", 'T') / segments : 32;
    return segments == 1 || together % tunable(step, "TILE_T") == 0;
}

/* Products of matrices are of 16 beams and 8 samples of each of a group's warps. */
static inline bool beams_multiply(const ct_step *step)
{
    if (!tunable(step, "DOT")) return true;
    return tunable(step, "WG") > 1 && !is_type(step, "W", CT_NONE) &&
           tunable(step, "CELL_B") % 2 == 0 && tunable(step, "CELLS_B") == 8 &&
           tunable(step, "VECTOR_TP") == 2;
}

static inline bool beams_cut(const ct_step *step)
{
    const bool alone = tunable(step, "WG") == 1;
    return beams_share_weights(step) && beams_multiply(step) &&
           tunable(step, "TILE_T") * extent(step, "X", 'P') %
                   (tunable(step, "VECTORS_TP") * tunable(step, "VECTOR_TP")) ==
               0 &&
           tunable(step, "TILE_C") % tunable(step, "WRITE_C") == 0 &&
           tunable(step, "TILE_T") % tunable(step, "PARTS_T") == 0 &&
           (alone || (tunable(step, "TILE_C") == 1 && tunable(step, "PARTS_T") == 1 &&
                      tunable(step, "WRITES_B") == 1 && tunable(step, "TILES_T") == 1 &&
                      !tunable(step, "NONTEMPORAL") && !tunable(step, "PREFETCH")));
}

static inline bool powers_cut(const ct_step *step)
{
    static const char *const ones[] = {"VECTOR_TP", "VECTORS_TP", "CELL_B",  "TILES_T",
                                       "CELLS_B",   "WRITES_B",   "WRITE_C", "PARTS_T"};
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++)
        if (tunable(step, ones[i]) != 1) return false;
    return tunable(step, "TILE_S") == 8 && tunable(step, "PREFETCH") == 0 &&
           (tunable(step, "WG") == 1 || tunable(step, "TILE_T") == 8);
}

static inline bool beamformer_legal(const ct_step *step)
{
    const bool coherent = strcmp(ct_step_text(step, "mode"), "coherent") == 0;
    if (!beams_cut(step) || (!coherent && !powers_cut(step))) return false;
    if (tunable(step, "WG") == 1) return beams_of_cells(step, coherent);
    return !coherent || beams_of_groups(step, false);
}

static inline bool beamdetect_legal(const ct_step *step)
{
    if (!beams_cut(step) || tunable(step, "PARTS_T") != 1) return false;
    if (tunable(step, "TILE_T") % ct_step_int(step, "integrate") != 0) return false;
    return tunable(step, "WG") == 1 ? beams_of_cells(step, true) : beams_of_groups(step, true);
}

#endif
