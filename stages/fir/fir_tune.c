/* fir_tune.c: which tunables suit and fit these shapes and layouts.
 * Room: stages/fir. Knows strides and tiles' sizes. Does not know the kernel's text. */
#include "fir.h"

enum { SLIDING = 8 }; /* most taps whose samples stay in registers */

static int64_t fir_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t fir_power_above(int64_t n)
{
    int64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* The tunable that says how far a tile reaches along a dimension, and its largest value. */
typedef struct fir_side {
    char dim; /* of the output */
    const char *tunable;
    int64_t most;
} fir_side;

/* The letter of a side in an array; 0 where it has none. Of samples, channels lie along T. */
static char fir_letter(const fir_side *side, const ct_array *array, bool samples)
{
    if (samples && side->dim == 'F') return ct_fir_dim(array);
    if (samples && side->dim == 'C') return 0;
    return ct_array_find(array, side->dim) >= 0 ? side->dim : 0;
}

/* The side whose dimension is the n-th fastest of the array. */
static const fir_side *fir_find_side(const ct_array *array, bool samples, int n)
{
    static const fir_side sides[] = {{'T', "TILE_T", 32},
                                     {'C', "TILE_C", 256},
                                     {'S', "TILE_S", 32},
                                     {'P', "TILE_P", 4},
                                     {'F', "TILE_F", 32}};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        const char letter = fir_letter(&sides[i], array, samples);
        int faster = 0;
        if (!letter) continue;
        for (int j = 0; j < array->rank; j++)
            faster += array->stride[j] < ct_array_stride(array, letter);
        if (faster == n) return &sides[i];
    }
    return NULL;
}

/* Lengthens the block along an array's fastest dimensions until `wanted` elements lie together. */
static void fir_grow(ct_step *step, const ct_array *array, bool samples, int64_t wanted)
{
    int64_t together = 1;
    for (int n = 0; n < array->rank && together < wanted; n++) {
        const fir_side *side = fir_find_side(array, samples, n);
        if (!side) continue; /* dimensions of extent 1 share their stride with others */
        if (samples && side->dim == 'T') break; /* TILE_C reaches there */
        const int64_t extent = ct_array_extent(array, fir_letter(side, array, samples));
        int64_t reach = fir_smaller(wanted / together, side->most);
        reach = fir_smaller(reach, fir_power_above(extent));
        if (ct_step_tunable(step, side->tunable) < reach)
            ct_step_suggest(step, side->tunable, reach);
        together *= fir_smaller(reach, extent);
    }
}

/* A power of two that is no more than twice the extent. */
static void fir_fit(ct_step *step, const char *tunable, int64_t extent)
{
    int64_t most = fir_power_above(extent);
    ct_step_suggest(step, tunable, fir_smaller(ct_step_tunable(step, tunable), most));
}

/* How many channels and spectra a tile has, by which sides are contiguous; measured on a CPU. */
static void fir_suggest_tile(ct_step *step, const ct_array *x, const ct_array *y)
{
    int64_t between = ct_array_stride(x, 'T'), line = 512 / ct_type_bits(x->type); /* samples */
    bool rows_out = ct_array_stride(y, 'C') == 1;
    if (step->gpu) return;
    ct_step_suggest(step, "TILE_C", rows_out && between <= 4 ? 256 : line);
    if (between == 1) return;
    ct_step_suggest(step, "TILE_T", between <= 4 ? 16 : 32);
    if (between > 4) ct_step_suggest(step, "TILE_C", 16);
}

/* Halves a side of the tile until its bytes fit, down to `least`. */
static void fir_halve(ct_step *step, const char *tunable, int64_t least)
{
    while (!ct_step_holds(step, FIR_FITS) && ct_step_tunable(step, tunable) > least)
        ct_step_suggest(step, tunable, ct_step_tunable(step, tunable) / 2);
}

/* Halves the tile's sides until it fits: channels first, stations and subbands last. A group's
 * work-items stand along the channels, so there channels are kept and spectra go first. */
static void fir_shrink(ct_step *step)
{
    if (step->gpu) {
        fir_halve(step, "TILE_T", 4);
        fir_fit(step, "CELL_T", ct_step_tunable(step, "TILE_T"));
        fir_halve(step, "TILE_S", 1);
        fir_halve(step, "TILE_F", 1);
    }
    fir_halve(step, "TILE_C", step->gpu ? 16 : ct_step_tunable(step, "VECTOR_C"));
    fir_halve(step, "TILE_T", ct_step_tunable(step, "CELL_T"));
    fir_halve(step, "TILE_S", 1);
    fir_halve(step, "TILE_F", 1);
}

/* Spectra of a cell: as many as registers hold next to the taps. */
static void fir_suggest_cell(ct_step *step)
{
    int64_t taps = ct_step_int(step, "taps");
    if (taps > SLIDING) ct_step_suggest(step, "SLIDE", 0);
    if (step->gpu && taps > 16) ct_step_suggest(step, "CELL_T", 8);
    if (step->gpu || ct_step_tunable(step, "SLIDE")) return;
    ct_step_suggest(step, "CELL_T", 16);
    ct_step_suggest(step, "TILE_T", 16);
}

void ct_fir_suggest(ct_step *step)
{
    const ct_array *x = ct_step_array(step, "X"), *y = ct_step_array(step, "Y");
    int64_t channels = ct_array_extent(y, 'C');
    bool copies = ct_array_stride(x, 'T') != 1;
    while (channels % ct_step_tunable(step, "VECTOR_C") != 0)
        ct_step_suggest(step, "VECTOR_C", ct_step_tunable(step, "VECTOR_C") / 2);
    fir_suggest_cell(step);
    fir_suggest_tile(step, x, y);
    fir_fit(step, "TILE_C", channels);
    fir_fit(step, "TILE_T", ct_array_extent(y, 'T'));
    fir_fit(step, "CELL_T", ct_step_tunable(step, "TILE_T"));
    if (copies) ct_step_suggest(step, "PREFETCH", 0);
    if (copies) fir_grow(step, x, true, 512 / ct_type_bits(x->type));
    if (ct_array_stride(y, 'C') != 1) fir_grow(step, y, false, step->gpu ? 16 : 32);
    fir_shrink(step);
    channels = ct_step_tunable(step, "TILE_C");
    if (ct_step_tunable(step, "WG") > channels)
        ct_step_suggest(step, "WG", channels < 16 ? 1 : channels);
}
