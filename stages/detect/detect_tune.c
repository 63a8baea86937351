/* detect_tune.c: defaults for these shapes and layouts: rows where both sides have the same
 * fastest dimension, tiles where they differ.
 * Room: stages/detect. Knows strides and tunables. Does not know the kernel's text. */
#include "detect.h"

enum { FEW = 64 };

/* A box of inputs: whole lines on both sides. Of scattered beams, fewer times and channels; smaller
 * ones where there would be too few for all processors. */
static void set_box(ct_step *step, int64_t times, int64_t channels, int64_t beams)
{
    ct_step_suggest(step, "TILE_T", times);
    ct_step_suggest(step, "TILE_C", channels);
    ct_step_suggest(step, "TILE_B", beams);
}

/* Over all ranks: tiles add up in another order than rows, and whether there are any is to be the
 * same for each part. */
static int64_t whole(const ct_step *step, char dim)
{
    return ct_step_whole_extent(step, "Y", dim);
}

static int64_t boxes(const ct_step *step)
{
    int64_t outputs = step->decimate;
    for (const char *dim = "BSQTC"; *dim; dim++)
        outputs *= whole(step, *dim);
    return outputs / (ct_step_tunable(step, "TILE_T") * ct_step_tunable(step, "TILE_C") *
                      ct_step_tunable(step, "TILE_B"));
}

static void choose_box(ct_step *step, char from, char to)
{
    if (to == 'B')
        set_box(step, 8, 8, 16);
    else if (from == 'B')
        set_box(step, 16, 32, 8);
    else
        set_box(step, 32, 32, 1);
}

/* Short blocks, and few boxes, have smaller ones. */
static void shrink_box(ct_step *step)
{
    const int64_t samples = whole(step, 'T') * step->decimate;
    while ((boxes(step) < FEW || samples < ct_step_tunable(step, "TILE_T")) &&
           ct_step_tunable(step, "TILE_T") > 8)
        ct_step_suggest(step, "TILE_T", ct_step_tunable(step, "TILE_T") / 2);
    while (boxes(step) < FEW && ct_step_tunable(step, "TILE_C") > 8)
        ct_step_suggest(step, "TILE_C", ct_step_tunable(step, "TILE_C") / 2);
}

/* Tiles must not be mostly empty, nor read much more than they use. Floats are added in another
 * order then, so the block has no say. */
static bool tiles_fit(const ct_step *step)
{
    int64_t times = ct_step_tunable(step, "TILE_T"), each = step->decimate;
    return whole(step, 'C') >= 8 && (times % each == 0 || each >= 2 * times);
}

void ct_detect_suggest(ct_step *step)
{
    char from = ct_detect_fastest(step, "X"), to = ct_detect_fastest(step, "Y");
    if (step->gpu || from == to) return;
    choose_box(step, from, to);
    if (!tiles_fit(step)) {
        set_box(step, 1, 8, 1);
        return;
    }
    shrink_box(step);
    ct_step_suggest(step, "TILED", 1);
    ct_step_suggest(step, "VECTORS_X", 1);
    ct_step_suggest(step, "VECTORS_Y", 1);
    ct_step_suggest(step, "NONTEMPORAL", 1);
    ct_step_suggest(step, "PREFETCH", 1);
}

static int launch_tiles(const ct_step *step, ct_launch *out)
{
    const ct_array *y = ct_step_array(step, "Y");
    int64_t times = ct_step_tunable(step, "TILE_T"), outputs = times / step->decimate;
    if (times % step->decimate) outputs = 1;
    out->global[0] = (size_t)ct_divide_up(ct_array_extent(y, 'C'), ct_step_tunable(step, "TILE_C"));
    out->global[1] = (size_t)ct_divide_up(ct_array_extent(y, 'T'), outputs);
    out->global[2] = (size_t)ct_divide_up(ct_array_extent(y, 'B') * ct_array_extent(y, 'S'),
                                          ct_step_tunable(step, "TILE_B"));
    out->local[0] = out->local[1] = out->local[2] = 1;
    return 1;
}

static int launch_counts(const ct_step *step, ct_launch *out)
{
    const ct_array *counts = &step->port[CT_DETECT_COUNTS];
    if (counts->type == CT_NONE) return 0;
    *out = (ct_launch){
        .entry = "detect_count",
        .global = {(size_t)ct_array_extent(counts, 'C'), (size_t)ct_array_extent(counts, 'T'),
                   (size_t)(ct_array_extent(counts, 'B') * ct_array_extent(counts, 'S'))}};
    return 1;
}

static int launch_boxes(const ct_step *step, ct_launch *out)
{
    detect_walk walk = ct_detect_walk(step);
    size_t group = (size_t)ct_step_tunable(step, "WG");
    for (int k = 0; k < DETECT_DIMS; k++) {
        int dim = walk.axis[k];
        out->global[k] = (size_t)ct_divide_up(walk.extent[dim], walk.box[dim]);
        out->local[k] = 1;
    }
    out->local[0] = group;
    out->global[0] = (out->global[0] + group - 1) / group * group;
    return 1;
}

int ct_detect_launch(const ct_step *step, ct_launch *out)
{
    const int sums =
        ct_step_tunable(step, "TILED") ? launch_tiles(step, out) : launch_boxes(step, out);
    return sums + launch_counts(step, out + sums);
}
