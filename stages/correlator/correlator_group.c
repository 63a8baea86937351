/* correlator_group.c: how the work is cut where work-groups share it, as GPUs want: squares of
 * products, and which tunables suit.
 * Room: stages/correlator. Knows cornerturn.h alone; the squares are those of correlator_group.cl.
 * Called by: correlator_tune.c, where the tunable WG is above 1. */
#include "correlator.h"

enum { X = CT_CORRELATOR_X, Y = CT_CORRELATOR_Y, GROUP_BYTES = 32 << 10, PITCH_BYTES = 16 };

static int64_t tunable(const ct_step *step, const char *name)
{
    return ct_step_tunable(step, name);
}

/* Work-items along each side of a square. */
static int64_t side(const ct_step *step)
{
    return tunable(step, "WG") == 64 ? 8 : 16;
}

static int64_t rows(const ct_step *step)
{
    return ct_array_extent(&step->port[X], 'S') * ct_array_extent(&step->port[X], 'P');
}

/* Two tiles, of the rows i and of the rows j of a square. */
static int64_t tile_bytes(const ct_step *step)
{
    bool bytes = ct_correlator_engine_of(step) == CT_CORRELATOR_DP4A;
    int64_t sample = bytes ? 2 : step->port[Y].type == CT_CI64 ? 4 : 8;
    return 2 * tunable(step, "TILE_T") *
           (side(step) * tunable(step, "CELL_SP") * sample + PITCH_BYTES);
}

/* A station stands in one vector of each work-item's at most; `where` has made cells square. */
bool ct_correlator_group_legal(const ct_step *step)
{
    int64_t pols = ct_array_extent(&step->port[X], 'P');
    return side(step) * tunable(step, "VECTOR_SP") % pols == 0 && tile_bytes(step) <= GROUP_BYTES;
}

/* The largest cells that 255 registers hold, 8 x 8, from 64 rows on (4 x 4 of 64-bit sums); for
 * fewer rows, squares that are no larger than what there is. */
void ct_correlator_group_suggest(ct_step *step)
{
    int64_t cell = rows(step) > 32 ? 8 : rows(step) > 16 ? 4 : 2;
    int64_t samples = ct_array_extent(&step->port[X], 'T') / ct_array_extent(&step->port[Y], 'T');
    if (cell > 4 && step->port[Y].type == CT_CI64) cell = 4;
    ct_step_suggest(step, "CELL_SP", cell);
    ct_step_suggest(step, "VECTORS_SP", cell / 2);
    if (samples <= 8) ct_step_suggest(step, "TILE_T", samples <= 4 ? 4 : 8);
}

int ct_correlator_group_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    int64_t blocks = ct_divide_up(rows(step), side(step) * tunable(step, "CELL_SP"));
    *out = (ct_launch){.global = {(size_t)(blocks * (blocks + 1) / 2 * tunable(step, "WG")),
                                  (size_t)ct_array_extent(y, 'C'), (size_t)ct_array_extent(y, 'T')},
                       .local = {(size_t)tunable(step, "WG"), 1, 1}};
    return 1;
}
