/* fft_group_tune.c: which tile and work-group suit on GPUs. From counts of what memory moves, not
 * from measurements. Room: stages/fft. Knows strides. Does not know the kernel's text. */
#include "fft_group.h"

enum { SECTOR = 4, LINE = 16 }; /* numbers of 32 and of 128 bytes */
enum { SIDE = 32 };             /* the longest side of a tile, in the stages that share this */
enum { ITEMS_LEAST = 64, ITEMS_MOST = 256, PER_ITEM = 16 };

static int64_t tune_rows(const ct_step *step)
{
    int64_t rows = 1;
    ct_step_evaluate(step, "ROWS", &rows, NULL);
    return rows;
}

/* The smallest power of two from n on. */
static int64_t tune_power(int64_t n)
{
    int64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

int64_t ct_fft_group_most(int64_t length, int64_t numbers)
{
    int64_t rows = 1;
    while (2 * rows * length <= numbers)
        rows *= 2;
    return rows;
}

void ct_fft_group_single(ct_step *step)
{
    for (int k = 0; k < FFT_SIDES; k++)
        ct_step_suggest(step, ct_fft_sides[k].tile, 1);
}

bool ct_fft_group_across(const ct_array *array, char until)
{
    for (int k = 0; k < FFT_SIDES; k++)
        if (ct_array_extent(array, ct_fft_sides[k].dim) > 1 &&
            ct_array_stride(array, ct_fft_sides[k].dim) < ct_array_stride(array, until))
            return true;
    return false;
}

/* Makes a side of the tile twice as long, again and again, while it is below `wanted` and neither
 * the array nor the tile ends there. */
static void tune_side(ct_step *step, const ct_array *array, const fft_side *side, int64_t wanted,
                      int64_t most)
{
    int64_t longest = tune_power(ct_array_extent(array, side->dim)), tile;
    if (longest > side->most) longest = side->most;
    if (longest > SIDE) longest = SIDE;
    for (tile = ct_step_tunable(step, side->tile);
         tile < wanted && tile < longest && 2 * tune_rows(step) <= most; tile *= 2)
        ct_step_suggest(step, side->tile, 2 * tile);
}

void ct_fft_group_side(ct_step *step, const ct_array *array, char dim, int64_t wanted, int64_t most)
{
    for (int k = 0; k < FFT_SIDES; k++)
        if (ct_fft_sides[k].dim == dim) tune_side(step, array, &ct_fft_sides[k], wanted, most);
}

void ct_fft_group_lengthen(ct_step *step, const ct_array *array, char until, int64_t wanted,
                           int64_t most)
{
    int order[FFT_SIDES];
    int64_t together = 1;
    ct_fft_order(array, order);
    for (int k = 0; k < FFT_SIDES && together < wanted; k++) {
        const fft_side *side = &ct_fft_sides[order[k]];
        if (side->dim == until || ct_array_stride(array, side->dim) > ct_array_stride(array, until))
            return;
        tune_side(step, array, side, wanted / together, most);
        together *= ct_step_tunable(step, side->tile);
    }
}

void ct_fft_group_fill(ct_step *step, const ct_array *array, int64_t most)
{
    int order[FFT_SIDES];
    ct_fft_order(array, order);
    for (int k = 0; k < FFT_SIDES; k++)
        tune_side(step, array, &ct_fft_sides[order[k]], most, most);
}

void ct_fft_group_items(ct_step *step, int64_t length)
{
    int64_t items = ITEMS_LEAST;
    while (items < ITEMS_MOST && 2 * items * PER_ITEM <= tune_rows(step) * length)
        items *= 2;
    ct_step_suggest(step, "WG", items);
}

/* Whole lines of spectra on the side that has them together; where both do, part of one each. */
static void tune_tile(ct_step *step, int64_t length, int64_t numbers)
{
    const ct_array *x = &step->port[CT_FFT_X], *y = &step->port[CT_FFT_Y];
    const int64_t most = ct_fft_group_most(length, numbers);
    const bool both = ct_fft_group_across(x, 'C') && ct_fft_group_across(y, 'C');
    int64_t wanted = LINE;
    while (both && wanted * wanted > most && wanted > SECTOR / 2)
        wanted /= 2;
    ct_fft_group_single(step);
    ct_fft_group_lengthen(step, x, 'C', wanted, most);
    ct_fft_group_lengthen(step, y, 'C', wanted, most);
    ct_fft_group_fill(step, y, ct_fft_group_most(length, numbers / 2));
}

bool ct_fft_group_suggest(ct_step *step)
{
    const int64_t length = ct_fft_length(step);
    int64_t numbers = FFT_GROUP_MOST;
    do
        tune_tile(step, length, numbers);
    while (!ct_step_holds(step, FFT_GROUP_FITS) && (numbers /= 2) >= length);
    ct_fft_group_items(step, length);
    ct_step_suggest(step, "VECTOR_C", 1);
    ct_step_suggest(step, "PREFETCH", 0);
    ct_step_suggest(step, "NONTEMPORAL", 0);
    return ct_step_holds(step, FFT_GROUP_FITS);
}
