/* detect_walk.c: chooses the order in which a detect step walks, from the strides on both sides.
 * Room: stages/detect. Knows strides and tunables. Does not know the kernel's text. */
#include "detect.h"

enum {
    SECTOR = 32,
    WARP = 32
}; /* bytes that a GPU's memory gives at least; work-items that ask together */

static char letter(const ct_array *array, int dim)
{
    if (dim == DETECT_T) return 'T';
    if (dim == DETECT_C) return 'C';
    return ct_array_find(array, 'B') >= 0 ? 'B' : 'S';
}

static int64_t stride(const ct_array *array, int dim)
{
    return ct_array_stride(array, letter(array, dim));
}

/* Of two dimensions of one stride the inner one has one index. */
static bool is_faster(const ct_array *array, int a, int b)
{
    const int64_t one = stride(array, a), other = stride(array, b);
    if (one != other) return one < other;
    return ct_array_extent(array, letter(array, a)) == 1 &&
           ct_array_extent(array, letter(array, b)) > 1;
}

/* The dimension with the smallest stride, `but` left out; dimensions of extent 1 do not count,
 * unless that is a rank's or a block's part of more: samples that are neighbours would be added in
 * another order. */
static int fastest(const ct_array *array, const int64_t extent[DETECT_DIMS], int but)
{
    int best = -1;
    for (int d = 0; d < DETECT_DIMS; d++) {
        if (d == but || extent[d] <= 1) continue;
        if (best < 0 || is_faster(array, d, best)) best = d;
    }
    if (best >= 0) return best;
    return but == DETECT_C ? DETECT_T : DETECT_C;
}

static void outputs(int64_t extent[DETECT_DIMS], const ct_array *y)
{
    for (int d = 0; d < DETECT_DIMS; d++)
        extent[d] = ct_array_extent(y, letter(y, d));
}

static void whole_outputs(int64_t extent[DETECT_DIMS], const ct_step *step)
{
    for (int d = 0; d < DETECT_DIMS; d++)
        extent[d] = ct_step_whole_extent(step, "Y", letter(ct_step_array(step, "Y"), d));
    if (extent[DETECT_T] == 1) extent[DETECT_T] = 2;
}

char ct_detect_fastest(const ct_step *step, const char *port)
{
    static const char letters[] = "BTC";
    int64_t extent[DETECT_DIMS];
    whole_outputs(extent, step);
    return letters[fastest(ct_step_array(step, port), extent, -1)];
}

/* Bytes of memory that a work-item's access to all of `inner` takes, where its neighbours' are so
 * many elements apart. */
static int64_t touched(const ct_array *array, char inner, int64_t apart)
{
    int64_t bytes = ct_type_bits(array->type) / 8, count = ct_array_extent(array, inner);
    apart *= bytes;
    if (ct_array_stride(array, inner) == 1) {
        bytes *= count;
        count = 1;
    }
    const int64_t most = bytes > SECTOR ? bytes : SECTOR;
    return count * (apart < bytes ? bytes : apart < most ? apart : most);
}

/* What an output takes where neighbours are along `dim`. */
static int64_t traffic(const ct_step *step, int dim)
{
    const ct_array *x = ct_step_array(step, "X"), *y = ct_step_array(step, "Y");
    const int64_t samples = dim == DETECT_T ? step->decimate : 1;
    return step->decimate * touched(x, 'P', stride(x, dim) * samples) +
           touched(y, 'Q', stride(y, dim));
}

/* On GPUs neighbours are along the output's fastest dimension where that takes less; not where they
 * would be few, nor with vectors, which are the input's. */
static bool output_leads(const ct_step *step, const int64_t extent[DETECT_DIMS], int vector,
                         int other)
{
    return ct_step_tunable(step, "WG") > 1 && ct_step_tunable(step, "VECTOR_X") == 1 &&
           extent[other] >= WARP && traffic(step, other) < traffic(step, vector);
}

static void choose_axes(detect_walk *walk, const ct_step *step)
{
    const ct_array *x = ct_step_array(step, "X"), *y = ct_step_array(step, "Y");
    int64_t whole[DETECT_DIMS];
    whole_outputs(whole, step);
    int vector = fastest(x, whole, -1);
    int other = fastest(y, whole, -1);
    if (other == vector) other = fastest(x, whole, vector);
    if (output_leads(step, whole, vector, other)) {
        const int first = other;
        other = vector;
        vector = first;
    }
    walk->axis[0] = vector;
    walk->axis[1] = other;
    walk->axis[2] = DETECT_B + DETECT_T + DETECT_C - vector - other;
}

/* Vectors need neighbours in memory: elements, or whole pairs of polarizations. */
static bool vectors_fit(detect_walk *walk, const ct_array *x)
{
    bool pairs = ct_array_stride(x, 'P') == 1 && ct_array_extent(x, 'P') == 2;
    int64_t apart = stride(x, walk->axis[0]);
    walk->pairs = pairs && apart == 2;
    return walk->pairs || apart == 1;
}

detect_walk ct_detect_walk(const ct_step *step)
{
    const ct_array *x = ct_step_array(step, "X"), *y = ct_step_array(step, "Y");
    detect_walk walk = {.width = 1};
    outputs(walk.extent, y);
    for (int d = 0; d < DETECT_DIMS; d++)
        walk.box[d] = 1;
    choose_axes(&walk, step);
    int vector = walk.axis[0];
    walk.within = vector == DETECT_T && step->decimate > 1;
    if (vectors_fit(&walk, x)) walk.width = ct_step_tunable(step, "VECTOR_X");
    while (walk.width > (walk.within ? step->decimate : walk.extent[vector]))
        walk.width /= 2;
    if (walk.width == 1) walk.pairs = walk.within = false;
    walk.unit = stride(y, vector) == 1;
    walk.box[vector] = ct_step_tunable(step, "VECTORS_X") * (walk.within ? 1 : walk.width);
    walk.box[walk.axis[1]] = ct_step_tunable(step, "VECTORS_Y");
    return walk;
}
