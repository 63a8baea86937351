/* fft_tune.c: which tunables suit and fit, and how many work-items the kernel has.
 * Room: stages/fft. Knows strides. Does not know how engines work. */
#include "fft.h"
#include "fft_group.h"

bool ct_fft_legal(const ct_step *step)
{
    const int engine = (int)ct_step_tunable(step, "ENGINE");
    if (!ct_fft_can(engine, ct_array_extent(ct_step_array(step, "X"), 'C'))) return false;
    return ct_step_tunable(step, "VECTOR_C") == 1 || ct_fft_way(step) != FFT_ROWS;
}

/* Lanes of a vector; elements of a kilobyte, of 128. */
enum { ROWS = 16, RUN = 128, NEAR = 16384 };

/* The side after `last` (-1: the first) in the order of the array's strides; -1 where there is
 * none, or channels come before. */
static int next_side(const ct_array *array, int last)
{
    int best = -1;
    for (int k = 0; k < FFT_SIDES; k++) {
        const int64_t stride = ct_array_stride(array, ct_fft_sides[k].dim);
        if (ct_array_extent(array, ct_fft_sides[k].dim) == 1) continue;
        if (last >= 0 && stride <= ct_array_stride(array, ct_fft_sides[last].dim)) continue;
        if (stride > ct_array_stride(array, 'C')) continue;
        if (best < 0 || stride < ct_array_stride(array, ct_fft_sides[best].dim)) best = k;
    }
    return best;
}

/* Lengthens the tile along the array's fastest sides until so many rows lie together. */
static void suggest_rows(ct_step *step, const ct_array *array, int64_t rows)
{
    int64_t together = 1;
    for (int k = next_side(array, -1); k >= 0 && together < rows; k = next_side(array, k)) {
        const int64_t wanted = rows / together;
        if (ct_step_tunable(step, ct_fft_sides[k].tile) < wanted)
            ct_step_suggest(step, ct_fft_sides[k].tile,
                            wanted < ct_fft_sides[k].most ? wanted : ct_fft_sides[k].most);
        together *= ct_step_tunable(step, ct_fft_sides[k].tile);
    }
}

static int64_t tile_rows(const ct_step *step)
{
    int64_t rows = 1;
    ct_step_evaluate(step, "ROWS", &rows, NULL);
    return rows;
}

/* Whole vectors of rows. */
static void suggest_lanes(ct_step *step)
{
    for (int k = FFT_SIDES - 1; k >= 0 && tile_rows(step) % ROWS; k -= 2) {
        const int64_t others = tile_rows(step) / ct_step_tunable(step, ct_fft_sides[k].tile);
        ct_step_suggest(step, ct_fft_sides[k].tile, ROWS / (others < ROWS ? others : ROWS));
    }
}

/* Rows that lie together: read, as many as stay near, so that few pages are asked for at a time;
 * written, one vector; where they do on both sides and are not the same ones, lines of each. */
static void suggest_tile(ct_step *step)
{
    const ct_array *x = &step->port[CT_FFT_X], *y = &step->port[CT_FFT_Y];
    const int from = next_side(x, -1), to = next_side(y, -1);
    const int64_t most = FFT_TILE / ct_array_extent(x, 'C'), line = most < 64 ? ROWS / 4 : ROWS / 2;
    const bool both = from >= 0 && to >= 0 && from != to;
    ct_step_suggest(step, "TILE_T", 1);
    if (from >= 0) suggest_rows(step, x, both ? line : most < 64 ? ROWS : 64);
    if (to >= 0) suggest_rows(step, y, both ? line : ROWS);
    suggest_lanes(step);
}

/* Runs of a kilobyte, which processors predict, for as many channels at a time as they can follow.
 * If the next channel follows directly they need no help. */
static void suggest_to_channels(ct_step *step)
{
    const ct_array *x = &step->port[CT_FFT_X];
    const int64_t most = FFT_TILE / ct_array_extent(x, 'C');
    int64_t whole = 1;
    ct_step_suggest(step, "TILE_T", 1);
    suggest_rows(step, x, most < RUN ? ROWS : RUN);
    suggest_lanes(step);
    for (int k = 0; k < FFT_SIDES; k++)
        if (ct_array_stride(x, ct_fft_sides[k].dim) < ct_array_stride(x, 'C'))
            whole *= ct_array_extent(x, ct_fft_sides[k].dim);
    if (tile_rows(step) == whole) ct_step_suggest(step, "PREFETCH", 0);
}

/* Rows in the order of the input's memory, which has 64 of them from end to end, or 128 KiB where
 * they are long. */
static void suggest_along(ct_step *step, bool paired)
{
    const ct_array *x = &step->port[CT_FFT_X];
    int order[FFT_SIDES];
    int64_t rows = NEAR / ct_array_extent(x, 'C');
    rows = rows > 64 ? 64 : rows < ROWS ? ROWS : rows;
    ct_fft_order(x, order);
    if (ct_fft_sides[order[0]].dim == 'T') return; /* as they come */
    for (int k = 0; k < FFT_SIDES; k++) {
        const fft_side *side = &ct_fft_sides[order[k]];
        int64_t tile = 1;
        while (tile < rows && tile < side->most && tile < ct_array_extent(x, side->dim))
            tile *= 2;
        ct_step_suggest(step, side->tile, paired && side->dim == 'P' ? 2 : tile);
        rows /= tile;
    }
    if (paired) suggest_lanes(step);
}

static void suggest_native(ct_step *step)
{
    if (ct_array_extent(&step->port[CT_FFT_X], 'P') == 2) ct_step_suggest(step, "TILE_P", 2);
    const bool pairs = ct_fft_way(step) == FFT_PAIRS;
    if (!pairs) ct_step_suggest(step, "TILE_P", 1);
    if (ct_fft_way(step) == FFT_TO_CHANNELS)
        suggest_to_channels(step);
    else if (pairs || ct_fft_way(step) == FFT_CHANNELS)
        suggest_along(step, pairs);
    else
        suggest_tile(step);
    if (ct_fft_way(step) != FFT_ROWS) ct_step_suggest(step, "VECTOR_C", 16);
}

/* What can, if the engine cannot: on a GPU clFFT goes before what works on the host, and the kernel
 * after both. */
static void suggest_engine(ct_step *step, bool native)
{
    for (int i = 0; i < ct_fft_engines() && (!ct_fft_legal(step) || !native); i++, native = true)
        ct_step_suggest(step, "ENGINE", step->gpu && i < 2 ? 1 - i : i); /* clfft is the second */
}

/* The kernel; what can, where it cannot. */
void ct_fft_suggest(ct_step *step)
{
    bool rows = ct_array_stride(ct_step_array(step, "X"), 'C') == 1 &&
                ct_array_stride(ct_step_array(step, "Y"), 'C') == 1;
    if (rows)
        ct_step_suggest(step, "TILE_SPT", 4); /* the shorter, the more stays in the first cache */
    suggest_engine(step, true);
    if (!ct_step_holds(step, "ENGINE_IS_native")) return;
    if (step->gpu)
        suggest_engine(step, ct_fft_group_suggest(step));
    else
        suggest_native(step);
}

int ct_fft_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[CT_FFT_Y];
    const fft_group group = ct_fft_group_of(step);
    if (step->gpu) return ct_fft_group_start(step, &group, out);
    out->global[0] = (size_t)ct_divide_up(ct_array_extent(y, 'T'), ct_step_tunable(step, "TILE_T"));
    out->global[1] = (size_t)ct_divide_up(ct_array_extent(y, 'P'), ct_step_tunable(step, "TILE_P"));
    out->global[2] =
        (size_t)ct_divide_up(ct_array_extent(y, 'S'), ct_step_tunable(step, "TILE_S")) *
        (size_t)ct_array_extent(&step->port[CT_FFT_X], 'F');
    out->local[0] = out->local[1] = out->local[2] = 1;
    return 1;
}
