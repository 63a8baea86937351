/* products_tune.c: boxes for these shapes and layouts.
 * Room: stages/products. Knows strides and tunables. Does not know the kernel's text. */
#include "products.h"

/* Elements along the output where the input has another fastest dimension; bytes of a box then, and
 * where both have the same one: a quarter of a first-level cache. */
enum { ALONG = 32, ACROSS_BYTES = 32768, ALONG_BYTES = 8192 };

static const char letters[] = "BDTC";

/* B stands for stations and baselines, too. */
static int64_t extent_of(const ct_array *array, char letter)
{
    const int64_t others =
        letter == 'B' ? ct_array_extent(array, 'S') * ct_array_extent(array, 'L') : 1;
    return others * ct_array_extent(array, letter);
}

static int64_t stride_of(const ct_array *array, char letter)
{
    static const char *const same[] = {"BSL", "D", "T", "C"};
    int64_t stride = 0;
    for (int i = 0; i < 4; i++)
        for (const char *dim = same[i]; same[i][0] == letter && *dim; dim++)
            stride += ct_array_stride(array, *dim);
    return stride;
}

/* The fastest dimension but Q with more than one index, slower than `than`; 0: none. */
static char next_slower(const ct_array *array, int64_t than)
{
    char best = 0;
    for (const char *at = letters; *at; at++) {
        const int64_t stride = stride_of(array, *at);
        if (extent_of(array, *at) < 2 || stride <= than) continue;
        if (!best || stride < stride_of(array, best)) best = *at;
    }
    return best;
}

static const char *tile_of(char letter)
{
    static const char *const names[] = {"TILE_B", "TILE_D", "TILE_T", "TILE_C"};
    int i = 0;
    while (letters[i] != letter)
        i++;
    return names[i];
}

/* Elements of a box whose input and output have so many bytes. */
static int64_t room(const ct_step *step, int64_t bytes)
{
    const ct_array *x = &step->port[CT_PRODUCTS_X], *y = &step->port[CT_PRODUCTS_Y];
    const int64_t each = (int64_t)ct_type_bits(y->type) / 8;
    return bytes / (each * (ct_array_extent(x, 'Q') + ct_array_extent(y, 'Q')));
}

/* The longest tile that the room holds and the array fills, but for an eighth: one box of 256 for
 * 253. */
static void widen(ct_step *step, char letter, int64_t most)
{
    int64_t length = 1;
    const int64_t extent = extent_of(&step->port[CT_PRODUCTS_X], letter);
    for (int64_t next = 4; next <= 512 && next <= most && next - next / 8 <= extent; next *= 2)
        length = next;
    ct_step_suggest(step, tile_of(letter), length);
}

static int64_t box(const ct_step *step)
{
    int64_t elements = 1;
    for (const char *at = letters; *at; at++)
        elements *= ct_step_tunable(step, tile_of(*at));
    return elements;
}

/* Long rows on the side that is fastest, the rest of the room along what follows in memory. */
void ct_products_suggest(ct_step *step)
{
    const ct_array *x = &step->port[CT_PRODUCTS_X], *y = &step->port[CT_PRODUCTS_Y];
    const char from = next_slower(x, 0), to = next_slower(y, 0);
    for (const char *at = letters; *at; at++)
        ct_step_suggest(step, tile_of(*at), 1);
    if (!from || !to) return;
    const int64_t all =
        step->gpu ? ALONG * ALONG / 4 : room(step, from == to ? ALONG_BYTES : ACROSS_BYTES);
    if (from != to) {
        widen(step, to, step->gpu ? ALONG / 2 : ALONG);
        widen(step, from, all / box(step));
        return;
    }
    for (char dim = from; dim; dim = next_slower(x, stride_of(x, dim)))
        if (ct_step_tunable(step, tile_of(dim)) == 1) widen(step, dim, all / box(step));
}

int ct_products_launch(const ct_step *step, ct_launch *out)
{
    const ct_array *x = &step->port[CT_PRODUCTS_X];
    size_t boxes[4];
    for (int i = 0; i < 4; i++)
        boxes[i] = (size_t)ct_divide_up(extent_of(x, letters[i]),
                                        ct_step_tunable(step, tile_of(letters[i])));
    const size_t group = (size_t)ct_step_tunable(step, "WG");
    *out = (ct_launch){.global = {boxes[3] * group, boxes[2], boxes[0] * boxes[1]},
                       .local = {group, 1, 1}};
    return 1;
}
