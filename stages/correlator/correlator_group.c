/* correlator_group.c: how the work is cut where work-groups share it, as GPUs want: squares of
 * products, and which tunables suit.
 * Room: stages/correlator. Knows only cornerturn_stage.h; the squares are those of
 * correlator_group.cl.
 */
#include "correlator.h"

enum { X = CT_CORRELATOR_X, Y = CT_CORRELATOR_Y };

static int64_t tunable(const ct_step *step, const char *name)
{
    return ct_step_tunable(step, name);
}

/* What products of matrices make soon, others take time to pack: so many rows that each sample is
 * packed less often, and tiles of several products between barriers. */
static void suggest_matrices(ct_step *step, int64_t rows, int64_t samples)
{
    int64_t times = 32;
    if (rows > 64) ct_step_suggest(step, "WG", 256);
    while (times / 2 >= samples && times > 16)
        times /= 2;
    ct_step_suggest(step, "TILE_T", times);
}

/* The largest cells that 255 registers hold, 8 x 8, from 64 rows on (4 x 4 of 64-bit sums); for
 * fewer rows, squares that are no larger than what there is. */
void ct_correlator_group_suggest(ct_step *step)
{
    const ct_array *x = &step->port[X];
    int64_t rows = ct_correlator_stations(x) * ct_array_extent(x, 'P');
    int64_t cell = rows > 32 ? 8 : rows > 16 ? 4 : 2;
    int64_t samples = ct_array_extent(x, 'T') / ct_array_extent(&step->port[Y], 'T');
    if (cell > 4 && step->port[Y].type == CT_CI64) cell = 4;
    ct_step_suggest(step, "CELL_SP", cell);
    ct_step_suggest(step, "VECTORS_SP", cell / 2);
    if (ct_step_tunable(step, "DOT") == 2)
        suggest_matrices(step, rows, samples);
    else if (samples <= 8)
        ct_step_suggest(step, "TILE_T", samples <= 4 ? 4 : 8);
}

int ct_correlator_group_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    const ct_array *x = &step->port[X];
    int64_t rows = ct_correlator_term(step, "SIDE") * tunable(step, "CELL_SP");
    int64_t panels = ct_divide_up(ct_correlator_stations(x), rows / ct_array_extent(x, 'P'));
    *out = (ct_launch){.global = {(size_t)(panels * (panels + 1) / 2 * tunable(step, "WG")),
                                  (size_t)ct_array_extent(y, 'C'), (size_t)ct_array_extent(y, 'T')},
                       .local = {(size_t)tunable(step, "WG"), 1, 1}};
    return 1;
}
