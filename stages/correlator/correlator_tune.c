/* correlator_tune.c: how the work is cut: tiles, cells, launches, and which tunables suit.
 * Room: stages/correlator. Knows only cornerturn_stage.h; the cells are those of correlator.cl. */
#include "correlator.h"
#include "vectors.h"
#include <string.h>

enum {
    X = CT_CORRELATOR_X,
    Y = CT_CORRELATOR_Y,
    LINE_BYTES = 64,
    ESTIMATE_TIMES = 128,    /* see correlator_words.cl */
    PRODUCT_TIMES = 32,      /* see correlator_amx.cl */
    AMX_TIMES = 128,         /* with which a tile of 128 rows and what is made of it fit into L1 */
    CACHE_BYTES = 768 << 10, /* what a tile may take of a core's second-level cache */
    FEW_ROWS = 64            /* with more, what fills up the last panel is little of all */
};

int64_t ct_correlator_term(const ct_step *step, const char *name)
{
    int64_t value = 0;
    (void)ct_step_evaluate(step, name, &value, NULL); /* each has a value */
    return value;
}

/* Whole cache lines of the input, or pairs of them, where a line holds several channels. To
 * prefetch so many short pieces takes longer than to multiply bytes. */
static void suggest_channels(ct_step *step)
{
    const ct_array *x = &step->port[X];
    int64_t bytes = ct_array_stride(x, 'C') * ct_type_bits(x->type) / 8;
    bool exact = step->port[Y].type == CT_CI32;
    int64_t channels = 1;
    /* Of all ranks: how long tiles are decides in which order is added. */
    if (ct_step_whole_extent(step, "X", 'C') == 1 || bytes == 0) return;
    while (bytes < LINE_BYTES && channels < (exact ? 16 : 8) && channels * bytes < 2 * LINE_BYTES)
        channels *= 2;
    ct_step_suggest(step, "TILE_C", channels);
    if (channels > 4 && exact) ct_step_suggest(step, "PREFETCH", 0);
    if (channels > 4 && !exact) ct_step_suggest(step, "TILE_T", 64);
}

/* Panels no shorter than a station. */
static void suggest_whole_stations(ct_step *step)
{
    static const struct {
        const char *name;
        int64_t most;
    } longer[] = {{"VECTORS_SP", 4}, {"VECTOR_SP", 8}};
    int64_t pols = ct_array_extent(&step->port[X], 'P');
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++)
        while (ct_correlator_term(step, "ROWS") < pols &&
               ct_step_tunable(step, longer[k].name) < longer[k].most)
            ct_step_suggest(step, longer[k].name, 2 * ct_step_tunable(step, longer[k].name));
}

/* The next smaller TILE_T; 0: there is none. */
static int64_t shorter_tile(const ct_step *step)
{
    const int64_t least = ct_correlator_term(step, "MATRICES") ? PRODUCT_TIMES : 1;
    const int64_t below = ct_step_next_below(step, "TILE_T");
    return below < least ? 0 : below;
}

/* Whether panels of half as many rows, each of which takes longer for its products, have fewer rows
 * to fill up: 40 rows are 5 panels of 8, not 3 of 16 (0.54 to 0.63 of the time). Dot products were
 * not measured. */
static bool half_panels_suit(const ct_step *step)
{
    const ct_array *x = &step->port[X];
    const int64_t rows = ct_correlator_stations(x) * ct_array_extent(x, 'P');
    const int64_t half = ct_correlator_term(step, "ROWS") / 2;
    if (rows <= half) return true;
    return ct_correlator_engine_of(step) == CT_CORRELATOR_PLAIN && rows <= FEW_ROWS && half > 0 &&
           ct_divide_up(rows, half) % 2 == 1;
}

/* Tiles no longer than what is added up, panels no longer than the rows that there are. */
static void suggest_small(ct_step *step)
{
    const ct_array *x = &step->port[X];
    while (shorter_tile(step) >= ct_correlator_term(step, "TIMES"))
        ct_step_suggest(step, "TILE_T", shorter_tile(step));
    while (ct_step_next_below(step, "TILE_C") >= ct_array_extent(x, 'C'))
        ct_step_suggest(step, "TILE_C", ct_step_next_below(step, "TILE_C"));
    if (half_panels_suit(step)) ct_step_suggest(step, "VECTORS_SP", 1);
    suggest_whole_stations(step);
    while (ct_step_next_below(step, "CELLS_SP") >= ct_correlator_term(step, "PANELS"))
        ct_step_suggest(step, "CELLS_SP", ct_step_next_below(step, "CELLS_SP"));
}

/* Rows of vectors and of cells, and the longest tiles. */
static void suggest_rows(ct_step *step, ct_correlator_engine engine)
{
    const bool dot = engine != CT_CORRELATOR_PLAIN, wide = step->port[Y].type == CT_CI64;
    if (dot) ct_step_suggest(step, "TILE_T", wide ? ESTIMATE_TIMES : 512);
    if (dot) ct_step_suggest(step, "VECTOR_SP", 16);
    if (engine == CT_CORRELATOR_AMX) ct_step_suggest(step, "CELL_SP", 16);
    if (engine == CT_CORRELATOR_AMX) ct_step_suggest(step, "TILE_T", AMX_TIMES);
    if (!dot && !wide && !ct_vectors_are_wide()) ct_step_suggest(step, "VECTOR_SP", 4);
    if (!ct_vectors_are_wide()) ct_step_suggest(step, "VECTORS_SP", 1);
}

/* Where one work-item takes all cells. */
static void suggest_cells(ct_step *step, ct_correlator_engine engine)
{
    suggest_rows(step, engine);
    suggest_channels(step);
    suggest_small(step);
    while (engine != CT_CORRELATOR_PLAIN && step->port[Y].type == CT_CI32 &&
           ct_correlator_term(step, "PACKED_BYTES") > CACHE_BYTES && shorter_tile(step))
        ct_step_suggest(step, "TILE_T", shorter_tile(step));
}

void ct_correlator_suggest(ct_step *step)
{
    static const int64_t dots[] = {[CT_CORRELATOR_PLAIN] = 0,
                                   [CT_CORRELATOR_VNNI] = 1,
                                   [CT_CORRELATOR_AMX] = 2,
                                   [CT_CORRELATOR_DP4A] = 1,
                                   [CT_CORRELATOR_MMA] = 2};
    ct_step_suggest(step, "DOT", dots[ct_correlator_engine_suggest(step)]);
    if (step->gpu)
        ct_correlator_group_suggest(step);
    else
        suggest_cells(step, ct_correlator_engine_of(step));
    while (!ct_step_holds(step, CT_CORRELATOR_SUITS) && ct_step_next_below(step, "CELLS_SP"))
        ct_step_suggest(step, "CELLS_SP", ct_step_next_below(step, "CELLS_SP"));
    while (!ct_step_holds(step, CT_CORRELATOR_SUITS) && shorter_tile(step))
        ct_step_suggest(step, "TILE_T", shorter_tile(step));
}

int ct_correlator_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    if (ct_step_tunable(step, "WG") > 1) return ct_correlator_group_launch(step, out);
    out->global[0] =
        (size_t)ct_divide_up(ct_correlator_term(step, "PANELS"), ct_step_tunable(step, "CELLS_SP"));
    out->global[1] = (size_t)ct_divide_up(ct_array_extent(y, 'C'), ct_step_tunable(step, "TILE_C"));
    out->global[2] = (size_t)ct_array_extent(y, 'T');
    out->local[0] = out->local[1] = out->local[2] = 1;
    return 1;
}
