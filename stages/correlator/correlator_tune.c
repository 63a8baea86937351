/* correlator_tune.c: how the work is cut: tiles, cells, launches, and which tunables suit.
 * Room: stages/correlator. Knows cornerturn.h alone; the cells are those of correlator.cl.
 * Called by: the stage's table in correlator.c: ct_correlator_cells_suggest and
 * ct_correlator_cells_legal while a plan is made, then ct_correlator_cells_launch. */
#include "correlator.h"
#include "vectors.h"
#include <string.h>

enum {
    X = CT_CORRELATOR_X,
    Y = CT_CORRELATOR_Y,
    STACK_CPU = 4 << 20, /* most bytes of a work-item's tile and sums: a driver's thread's stack */
    STACK_GPU = 256 << 10, /* a GPU's threads have 512 KiB, all in memory */
    LINE_BYTES = 64,
    ESTIMATE_TIMES = 128,   /* see correlator_words.cl */
    CACHE_BYTES = 768 << 10 /* what a tile may take of a core's second-level cache */
};

/* That one work-item adds up. */
static int64_t samples_of(const ct_step *step)
{
    return ct_array_extent(&step->port[X], 'T') / ct_array_extent(&step->port[Y], 'T');
}

/* Rows (a polarization of a station each) of a block, blocks, and cells of the blocks before j:
 * see correlator.cl. */
static int64_t block_rows(const ct_step *step)
{
    return ct_step_tunable(step, "VECTORS_SP") * ct_step_tunable(step, "VECTOR_SP");
}

static int64_t block_count(const ct_step *step)
{
    const ct_array *x = &step->port[X];
    return ct_divide_up(ct_array_extent(x, 'S') * ct_array_extent(x, 'P'), block_rows(step));
}

static int64_t cells_before(const ct_step *step, int64_t j)
{
    return block_rows(step) / ct_step_tunable(step, "CELL_SP") * j * (j + 1) / 2;
}

/* Of a sample in the tile and in what is made of it: rows rotated, their high bytes. */
static int64_t sample_bytes(const ct_step *step)
{
    bool wide = step->port[Y].type == CT_CI64;
    if (ct_correlator_engine_of(step) == CT_CORRELATOR_VNNI) return wide ? 12 : 4;
    return wide ? 4 : 8;
}

static int64_t tile_bytes(const ct_step *step)
{
    return ct_step_tunable(step, "TILE_C") * block_count(step) * block_rows(step) *
           ct_step_tunable(step, "TILE_T") * sample_bytes(step);
}

/* Sums that a work-item keeps between tiles. */
static int64_t kept_bytes(const ct_step *step)
{
    int64_t blocks = block_count(step), most = ct_step_tunable(step, "CELLS_SP");
    if (samples_of(step) <= ct_step_tunable(step, "TILE_T")) return 0;
    if (most > blocks) most = blocks;
    return ct_step_tunable(step, "TILE_C") * ct_step_tunable(step, "CELL_SP") * block_rows(step) *
           ct_type_bits(step->port[Y].type) / 8 *
           (cells_before(step, blocks) - cells_before(step, blocks - most));
}

/* Values that are no more than a smaller one would be: longer than what there is. */
static bool is_wasteful(const ct_step *step)
{
    const ct_array *x = &step->port[X];
    return ct_step_next_below(step, "TILE_T") >= samples_of(step) ||
           ct_step_next_below(step, "CELLS_SP") >= block_count(step) ||
           ct_step_next_below(step, "TILE_C") >= ct_array_extent(x, 'C');
}

/* Engines have their own widths; estimates of 16-bit sums are good enough over 128 times. */
static bool is_possible(const ct_step *step)
{
    bool wide = step->port[Y].type == CT_CI64;
    switch (ct_correlator_engine_of(step)) {
    case CT_CORRELATOR_VNNI:
        return ct_step_tunable(step, "VECTOR_SP") == 16 &&
               ct_step_tunable(step, "TILE_T") <= (wide ? ESTIMATE_TIMES : INT64_MAX);
    case CT_CORRELATOR_DP4A:
        return !wide;
    default:
        return ct_step_tunable(step, "DOT") == 0 && ct_step_tunable(step, "VECTOR_SP") <= 8;
    }
}

bool ct_correlator_cells_legal(const ct_step *step)
{
    int64_t rows = block_rows(step);
    int64_t cell = ct_step_tunable(step, "CELL_SP"), pols = ct_array_extent(&step->port[X], 'P');
    if (is_wasteful(step) || !is_possible(step)) return false;
    if (ct_step_tunable(step, "WG") > 1) return ct_correlator_group_legal(step);
    if (rows % pols || rows % cell || cell % pols) return false;
    return tile_bytes(step) + kept_bytes(step) <= (step->gpu ? STACK_GPU : STACK_CPU);
}

/* Whole cache lines of the input, or pairs of them, where a line holds several channels. Early
 * requests for so many short pieces cost more than bytes take to multiply. */
static void suggest_channels(ct_step *step)
{
    const ct_array *x = &step->port[X];
    int64_t bytes = ct_array_stride(x, 'C') * ct_type_bits(x->type) / 8;
    bool exact = step->port[Y].type == CT_CI32;
    int64_t channels = 1;
    if (ct_array_extent(x, 'C') == 1 || bytes == 0) return;
    while (bytes < LINE_BYTES && channels < (exact ? 16 : 8) && channels * bytes < 2 * LINE_BYTES)
        channels *= 2;
    ct_step_suggest(step, "TILE_C", channels);
    if (channels > 4 && exact) ct_step_suggest(step, "PREFETCH", 0);
    if (channels > 4 && !exact) ct_step_suggest(step, "TILE_T", 64);
}

/* Tiles no longer than what is added up, blocks no longer than the rows that there are. */
static void suggest_small(ct_step *step)
{
    const ct_array *x = &step->port[X];
    while (ct_step_next_below(step, "TILE_T") >= samples_of(step))
        ct_step_suggest(step, "TILE_T", ct_step_next_below(step, "TILE_T"));
    while (ct_step_next_below(step, "TILE_C") >= ct_array_extent(x, 'C'))
        ct_step_suggest(step, "TILE_C", ct_step_next_below(step, "TILE_C"));
    if (ct_array_extent(x, 'S') * ct_array_extent(x, 'P') <= block_rows(step) / 2)
        ct_step_suggest(step, "VECTORS_SP", 1);
    while (ct_step_next_below(step, "CELLS_SP") >= block_count(step))
        ct_step_suggest(step, "CELLS_SP", ct_step_next_below(step, "CELLS_SP"));
}

void ct_correlator_cells_suggest(ct_step *step)
{
    ct_step_suggest(step, "DOT", ct_correlator_engine_suggest(step) != CT_CORRELATOR_PLAIN);
    if (step->gpu) {
        ct_correlator_group_suggest(step);
    } else {
        bool dot = ct_correlator_engine_of(step) == CT_CORRELATOR_VNNI;
        bool wide = step->port[Y].type == CT_CI64;
        if (dot) ct_step_suggest(step, "TILE_T", wide ? ESTIMATE_TIMES : 512);
        if (dot) ct_step_suggest(step, "VECTOR_SP", 16);
        if (!dot && (wide || !ct_vectors_are_wide())) ct_step_suggest(step, "VECTOR_SP", 4);
        if (!ct_vectors_are_wide()) ct_step_suggest(step, "VECTORS_SP", 1);
        suggest_channels(step);
        suggest_small(step);
        while (dot && !wide && tile_bytes(step) > CACHE_BYTES && ct_step_next_below(step, "TILE_T"))
            ct_step_suggest(step, "TILE_T", ct_step_next_below(step, "TILE_T"));
    }
    while (!ct_correlator_cells_legal(step) && ct_step_next_below(step, "CELLS_SP"))
        ct_step_suggest(step, "CELLS_SP", ct_step_next_below(step, "CELLS_SP"));
    while (!ct_correlator_cells_legal(step) && ct_step_next_below(step, "TILE_T"))
        ct_step_suggest(step, "TILE_T", ct_step_next_below(step, "TILE_T"));
}

int ct_correlator_cells_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    if (ct_step_tunable(step, "WG") > 1) return ct_correlator_group_launch(step, out);
    out->global[0] = (size_t)ct_divide_up(block_count(step), ct_step_tunable(step, "CELLS_SP"));
    out->global[1] = (size_t)ct_divide_up(ct_array_extent(y, 'C'), ct_step_tunable(step, "TILE_C"));
    out->global[2] = (size_t)ct_array_extent(y, 'T');
    out->local[0] = out->local[1] = out->local[2] = 1;
    return 1;
}
