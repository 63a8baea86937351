/* fft_group.c: what fft_group.cl, the kernel's text for GPUs, is told of the work-group's tile:
 * which work-item takes what, where numbers lie in local memory, and which tile a group takes.
 * Room: stages/fft. Knows strides and radices. Does not know arithmetic or libraries. */
#include "fft_group.h"
#include "fft_group_cl.h"
#include <limits.h>

enum {
    BANKS = 16,
    SHORT = 4,
    DIGITS = FFT_SIDES + 1
}; /* numbers of a pass over the banks, of a sector */

/* A digit of an item's number: its channel ('C'), or its place along a side of the tile. */
typedef struct group_digit {
    char dim;
    int64_t extent, stride;
} group_digit;

/* ---------------------------------------------------------------- which item takes what */

/* Those of an array's tile, fastest first; `channels`: 0, as many as the text's macros say. */
static void group_digits(const ct_step *step, const ct_array *array, char along, int64_t channels,
                         group_digit out[DIGITS])
{
    int count = 0;
    for (int k = 0; k < DIGITS; k++) {
        const char dim = k < FFT_SIDES ? ct_fft_sides[k].dim : 'C';
        const int64_t tile = k < FFT_SIDES ? ct_step_tunable(step, ct_fft_sides[k].tile) : channels;
        const group_digit digit = {dim, dim == along && dim != 'C' ? 1 : tile,
                                   ct_array_stride(array, dim == 'C' ? along : dim)};
        int place = count++;
        for (; place > 0 && out[place - 1].stride > digit.stride; place--)
            out[place] = out[place - 1];
        out[place] = digit;
    }
}

/* DIGIT_x_X(i, count); the slowest needs no remainder. */
static void emit_digits(ct_text *text, char port, const group_digit digit[DIGITS])
{
    int64_t before = 1;
    const char *channels = "";
    int slowest = 0;
    for (int k = 0; k < DIGITS; k++)
        if (digit[k].extent != 1) slowest = k;
    for (int k = 0; k < DIGITS; k++) {
        ct_text_add(text, "#define DIGIT_%c_%c(i, count) ", digit[k].dim, port);
        if (digit[k].extent == 1)
            ct_text_add(text, "0\n");
        else if (k == slowest)
            ct_text_add(text, "((i) / (%lld%s))\n", (long long)before, channels);
        else if (digit[k].dim == 'C')
            ct_text_add(text, "((i) / %lld %% (count))\n", (long long)before);
        else
            ct_text_add(text, "((i) / (%lld%s) %% %lld)\n", (long long)before, channels,
                        (long long)digit[k].extent);
        if (digit[k].dim == 'C')
            channels = " * (count)";
        else
            before *= digit[k].extent;
    }
}

/* How many numbers of neighbouring items lie together, where each takes one of so many channels. */
static int64_t group_run(const ct_step *step, const ct_array *array, char along, int64_t channels)
{
    group_digit digit[DIGITS];
    int64_t run = 1;
    group_digits(step, array, along, channels, digit);
    for (int k = 0; k < DIGITS; k++) {
        if (digit[k].extent == 1) continue;
        if (digit[k].stride != run) return run;
        run *= digit[k].extent;
    }
    return run;
}

/* Few channels of neighbouring butterflies lie together, and more do in the order of memory. */
static bool group_is_staged(const ct_step *step, const ct_array *array, int64_t length, int radix)
{
    const int64_t run = group_run(step, array, 'C', length / radix);
    return run < SHORT && group_run(step, array, 'C', length) > run;
}

/* ---------------------------------------------------------------- local memory */

/* How many spectra of the tile lie closer together than channels. */
static int64_t group_across(const ct_step *step, const ct_array *array, char along)
{
    int64_t rows = 1;
    for (int k = 0; k < FFT_SIDES; k++)
        if (ct_fft_sides[k].dim != along &&
            ct_array_stride(array, ct_fft_sides[k].dim) < ct_array_stride(array, along))
            rows *= ct_step_tunable(step, ct_fft_sides[k].tile);
    return rows;
}

/* Numbers that are left out after each part of the first pass, so that the last one's neighbours,
 * which lie in different parts, are in different banks. */
static int64_t group_gap(int64_t length)
{
    int radix[FFT_PASSES];
    const int passes = ct_fft_radices(length, radix);
    const bool parts = passes > 2 && length >= 512 && length / radix[0] % BANKS == 0;
    return parts ? BANKS / radix[0] : 0;
}

/* Places of a spectrum in local memory. Of so many that neighbouring items take together each
 * begins in a bank of its own, and leaves those between to the next channels. */
static int64_t group_row(int64_t length, int64_t together)
{
    int radix[FFT_PASSES];
    ct_fft_radices(length, radix);
    const int64_t unit = together == SHORT || together == BANKS / 2 ? BANKS / together : 1;
    int64_t places = length + (length - 1) / BANKS + group_gap(length) * (radix[0] - 1);
    while (together > 1 && (places % unit != 0 || places / unit % 2 == 0))
        places++;
    return places;
}

/* Strides of the tile, and of Z in the order of these: spectra that are neighbours in memory are so
 * there. */
static void emit_local(const ct_step *step, ct_text *text, const fft_group *group)
{
    const int64_t from = group_across(step, group->x, group->along);
    const int64_t to = group_across(step, group->y, 'C');
    group_digit digit[DIGITS] = {{'C', 0, 0}};
    int order[FFT_SIDES];
    int64_t stride = group_row(group->length, from > 1 ? from : to), last = stride;
    ct_fft_order(from > 1 ? group->x : group->y, order);
    for (int k = 0; k < FFT_SIDES; k++) {
        const fft_side *side = &ct_fft_sides[order[k]];
        const int64_t tile = ct_step_tunable(step, side->tile);
        ct_text_add(text, "#define Z_STRIDE_%c %lld\n", side->dim, (long long)stride);
        digit[k + 1] = (group_digit){side->dim, tile, 0};
        last += (tile - 1) * stride;
        stride = stride * tile + (from > 1 && to > 1 && tile > 1);
    }
    ct_text_add(text, "#define Z_SIZE %lld\n#define Z_GAP %lld\n", (long long)last,
                (long long)group_gap(group->length));
    emit_digits(text, 'Z', digit);
}

/* ---------------------------------------------------------------- groups */

/* The dimensions of the tiles, those that lie closest in the input first: neighbouring groups share
 * what is read. */
static int64_t group_tiles(const ct_step *step, const fft_group *group, group_digit out[DIGITS])
{
    int64_t tiles = group->subbands;
    int count = 0;
    for (int k = 0; k < DIGITS; k++) {
        const fft_side *side = &ct_fft_sides[k];
        group_digit digit = {'F', group->subbands, ct_array_stride(group->x, group->band)};
        if (k < FFT_SIDES) {
            digit = (group_digit){side->dim,
                                  ct_divide_up(ct_array_extent(group->y, side->dim),
                                               ct_step_tunable(step, side->tile)),
                                  ct_array_stride(group->x, side->dim)};
            tiles *= digit.extent;
        }
        int place = count++;
        for (; place > 0 && out[place - 1].stride > digit.stride; place--)
            out[place] = out[place - 1];
        out[place] = digit;
    }
    return tiles;
}

static void emit_tiles(const ct_step *step, ct_text *text, const fft_group *group)
{
    group_digit digit[DIGITS];
    int64_t before = 1;
    const int64_t tiles = group_tiles(step, group, digit);
    ct_text_add(text, "#define GROUP_TYPE %s\n", tiles <= INT_MAX ? "uint" : "ulong");
    for (int k = 0; k < DIGITS; k++) {
        ct_text_add(text, "#define GROUP_%c(n) (int)((n) / %lld %% %lld)\n", digit[k].dim,
                    (long long)before, (long long)digit[k].extent);
        before *= digit[k].extent;
    }
}

int ct_fft_group_start(const ct_step *step, const fft_group *group, ct_launch *out)
{
    group_digit digit[DIGITS];
    const int64_t items = ct_step_tunable(step, "WG");
    out->global[0] = (size_t)(group_tiles(step, group, digit) * items);
    out->local[0] = (size_t)items;
    for (int k = 1; k < 3; k++)
        out->global[k] = out->local[k] = 1;
    return 1;
}

/* ---------------------------------------------------------------- text */

/* The transform of the last pass whose first result is channel c: the digits of CHANNEL back again.
 */
static void emit_butterfly(ct_text *text, const int *radix, int passes)
{
    int64_t low = 1, high = 1;
    for (int k = 0; k + 1 < passes; k++)
        high *= radix[k];
    ct_text_add(text, "#define BUTTERFLY(c) (0");
    for (int k = 0; k + 1 < passes; low *= radix[k++]) {
        high /= radix[k];
        ct_text_add(text, " + (c) / %lld %% %d * %lld", (long long)low, radix[k], (long long)high);
    }
    ct_text_add(text, ")\n");
}

void ct_fft_emit_group(const ct_step *step, ct_text *text, const fft_group *group)
{
    int radix[FFT_PASSES];
    group_digit digit[DIGITS];
    const int passes = ct_fft_radices(group->length, radix);
    const bool samples = group->along != 'C'; /* which a filter brings to local memory */
    const bool staged =
        samples || passes == 1 || group_is_staged(step, group->x, group->length, radix[0]);
    ct_text_add(text, "#define LANES 1\n");
    ct_fft_emit_radix(text);
    ct_fft_emit_passes(text, group->length, staged);
    emit_butterfly(text, radix, passes);
    group_digits(step, group->x, group->along, 0, digit);
    emit_digits(text, 'X', digit);
    group_digits(step, group->y, 'C', 0, digit);
    emit_digits(text, 'Y', digit);
    emit_local(step, text, group);
    emit_tiles(step, text, group);
    ct_text_add(text, "#define X_STAGED %d\n#define Y_STAGED %d\n", staged,
                group_is_staged(step, group->y, group->length, radix[passes - 1]));
    ct_text_add(text, "#define UNROLL_FIRST _Pragma(\"unroll %d\")\n",
                radix[0] < 16 ? 16 / radix[0] : 1);
    ct_text_add(
        text,
        "#define FROM_STEP(s, p, t, c) ((X_INDEX)(s) * X_STRIDE_S + (X_INDEX)(p) * X_STRIDE_P + "
        "(X_INDEX)(t) * X_STRIDE_T + (X_INDEX)(c) * X_STRIDE_C)\n");
    ct_text_add(
        text,
        "#define TO_STEP(s, p, t, c) ((Y_INDEX)(s) * Y_STRIDE_S + (Y_INDEX)(p) * Y_STRIDE_P + "
        "(Y_INDEX)(t) * Y_STRIDE_T + (Y_INDEX)(c) * Y_STRIDE_C)\n");
    ct_text_add(text, "#line 1 \"stages/fft/fft_group.cl\"\n%s", fft_group_cl);
}
